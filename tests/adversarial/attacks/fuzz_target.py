"""Target of the coverage-guided fuzzer: `fuzz_target.py TARGET [options of libFuzzer]`.

A target takes bytes and raises when an identity does not hold.
"""

import asyncio
import logging
import os
import sys
import threading
import warnings

import atheris

# libFuzzer's time limit counts a slow machine too; the attack has its own.
with atheris.instrument_imports(
    include=["editcast_model", "editcast_server", "pygls", "cattrs", "lsprotocol"]
):
    import pygls.io_

    from editcast_model.bundle import bundled_path
    from editcast_model.diff import apply_hunks, diff
    from editcast_model.tokenizer import Tokenizer, lex, lines
    from editcast_server.lsp.app import create_server


def _texts(data: bytes) -> list[str]:
    """Two texts in some bytes, in UTF-8 where they are that; lone surrogates come as well."""
    first, _, second = data.partition(b"\xff")
    return [part.decode("utf-8", "surrogateescape") for part in (first, second)]


_TOKENIZER = Tokenizer.load(bundled_path() / "tokenizer.json")


def tokenizer(data: bytes) -> None:
    """Text to tokens and back."""
    text, _ = _texts(data)
    assert "".join(lex(text)) == text
    assert "".join(lines(text)) == text
    ids = _TOKENIZER.ids(text)
    assert _TOKENIZER.decode(ids) == text
    encoding = _TOKENIZER.encode(text)
    assert encoding.ids.tolist() == ids
    assert encoding.starts[-1] == len(text)
    assert (encoding.starts[1:] >= encoding.starts[:-1]).all()


def differences(data: bytes) -> None:
    """Two texts to hunks and back."""
    before, after = _texts(data)
    hunks = diff(before, after)
    assert apply_hunks(before, hunks) == after
    assert all(one.end <= other.start for one, other in zip(hunks, hunks[1:], strict=False))
    assert bool(hunks) == (before != after)


class _Nowhere:
    """Sink of the server's answers."""

    def write(self, data: bytes) -> None:
        """Take an answer."""

    def close(self) -> None:
        """End."""


def messages(data: bytes) -> None:
    """A stream of messages, read and understood; whatever it is, nothing is raised."""

    async def read() -> None:
        server = create_server()
        server.protocol.set_writer(_Nowhere())
        reader = asyncio.StreamReader()
        # The header is right half of the time: else nothing behind it is ever reached.
        body = data[1:]
        header = b"Content-Length: %d\r\n\r\n" % len(body)
        reader.feed_data(header + body if data[:1] < b"\x80" else body)
        reader.feed_eof()
        stopped = threading.Event()
        try:
            await pygls.io_.run_async(
                stopped, reader, server.protocol, error_handler=server.report_server_error
            )
        except (asyncio.IncompleteReadError, SystemExit):
            pass  # the stream ended within a message; or it was `exit`
        finally:
            server.stop()
            await asyncio.sleep(0)

    asyncio.run(read())


_TARGETS = {one.__name__: one for one in (tokenizer, differences, messages)}


def main() -> None:
    """Fuzz one target."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    target = _TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("EDITCAST_HOME", os.getcwd())
    main()
