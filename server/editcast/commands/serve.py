"""`editcast serve`: the language server, for an editor."""

from contextlib import suppress

import click

# `serve` must start within a second, so modules are imported only when they are needed.


@click.command()
@click.option(
    "--tcp", metavar="HOST:PORT", help="Listen on this address instead of stdio, for debugging."
)
@click.option(
    "--pipe",
    metavar="NAME",
    help="Connect to the pipe that the editor has created (a Unix socket's path).",
)
@click.option("--stdio", is_flag=True, help="Use stdin and stdout (the default).")
def serve(tcp: str | None, pipe: str | None, stdio: bool) -> None:
    """Run the language server for an editor, on stdin and stdout by default."""
    if sum((tcp is not None, pipe is not None, stdio)) > 1:
        raise click.UsageError("Use only one of --tcp, --pipe and --stdio.")
    from editcast_server.logs import start_logging

    address = None if tcp is None else _address(tcp)
    start_logging()
    _remove_telemetry()
    from editcast_server.lsp.app import create_server
    from editcast_server.lsp.transport import one_connection, pipe_of_editor

    server = create_server()
    try:
        if address is not None:
            with one_connection(*address) as streams:
                server.start_io(*streams)
        elif pipe is not None:
            with pipe_of_editor(pipe) as streams:
                server.start_io(*streams)
        else:
            server.start_io()
    finally:
        server.stop()
    if server.exit_code:
        raise SystemExit(server.exit_code)


def _remove_telemetry() -> None:
    """Remove files that ONNX Runtime's telemetry left before Editcast switched it off."""
    from editcast_model.errors import EditcastError
    from editcast_model.inference.telemetry import remove_traces
    from editcast_store.paths import home

    with suppress(EditcastError, OSError):
        remove_traces(home())


def _address(tcp: str) -> tuple[str, int]:
    host, colon, port = tcp.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter("it must be HOST:PORT, such as 127.0.0.1:9000", param_hint="--tcp")
    return host.strip("[]") or "127.0.0.1", int(port)
