"""The subcommands of a user who takes suggestions: serve, demo, history, doctor."""

import click


@click.command()
@click.option("--tcp", metavar="HOST:PORT", help="Listen there instead of on stdio, to debug.")
@click.option("--stdio", is_flag=True, help="Speak on stdin and stdout; the default.")
def serve(tcp: str | None, stdio: bool) -> None:
    """Speak LSP with an editor, on stdin and stdout."""
    from editcast_server.logs import start_logging

    address = None if tcp is None else _address(tcp)
    start_logging()
    from editcast_server.app import create_server

    server = create_server()
    try:
        if address is None:
            server.start_io()
        else:
            server.start_tcp(*address)
    finally:
        server.stop()


def _address(tcp: str) -> tuple[str, int]:
    host, colon, port = tcp.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter("it must be HOST:PORT, such as 127.0.0.1:9000", param_hint="--tcp")
    return host.strip("[]") or "127.0.0.1", int(port)
