"""Headers of messages on the wire: read as HTTP reads them, and within bounds."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PARAMS: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}).encode()
SIZE = len(BODY)


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: %d\r\n\r\n",
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH: %d\r\n\r\n",
        b"Content-Length:%d\r\n\r\n",
        b"Content-Length :  %d \r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Length: 000%d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc\r\ncontent-length: %d\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 0\r\n\r\nContent-Length: %d\r\n\r\n",
    ],
)
def test_headers_as_http_allows_them(wire: Callable[..., Any], header: bytes) -> None:
    with wire() as server:
        server.write(header % SIZE + BODY)
        assert server.answer(1)["result"]["serverInfo"]["name"] == "editcast"
        assert server.end() == 0
        assert server.errors == b""


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"Content-Length: two\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length: -1\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length: 1e3\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length: \r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length: 12\r\nContent-Length: 13\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Type: text/plain\r\n\r\n", "without a valid Content-Length"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "without a valid Content-Length"),
        (b"Content-Length: 1000000000000\r\n\r\n", "268,435,456 bytes"),
        (b"Content-Length: %s\r\n\r\n" % (b"9" * 5000), "268,435,456 bytes"),
        (b"X-Filler: " + b"x" * 10_000_000, "16,384 bytes"),
        (b"X-Filler: x\r\n" * 1_000_000, "16,384 bytes"),
    ],
)
def test_a_header_that_makes_no_sense_ends_the_session_in_a_sentence(
    wire: Callable[..., Any], header: bytes, words: str
) -> None:
    with wire() as server:
        server.initialize()
        server.write(header)
        assert server.end(politely=False) == 2
        (said,) = server.errors.decode().splitlines()
        assert words in said
        assert said.endswith("Editcast has ended; start it again.")
        assert said in server.shown
        assert "Traceback" not in server.logs


def test_a_stream_that_ends_within_a_message_is_the_end(wire: Callable[..., Any]) -> None:
    for rest in (b"", b"Content-Len", b"Content-Length: 20\r\n", b"Content-Length: 20\r\n\r\n{"):
        with wire() as server:
            server.initialize()
            server.write(rest)
            server.process.stdin.close()
            assert server.end(politely=False) == 0
            assert server.errors == b""
            assert "Traceback" not in server.logs


def serve(home: Path, address: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "editcast", "serve", "--tcp", address]
    environment = os.environ | {"EDITCAST_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.parametrize(
    "host", ["no-such-host.invalid", "192.0.2.1", "a..b", "x" * 70, "\N{SNOWMAN}" * 70]
)
def test_a_host_that_cannot_be_listened_on(tmp_path: Path, host: str) -> None:
    ended = serve(tmp_path, f"{host}:9000")
    assert ended.returncode == 2
    (said,) = ended.stderr.splitlines()
    assert said.startswith(f"Editcast cannot listen on {host}:9000: ")


def test_a_port_that_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        ended = serve(tmp_path, f"127.0.0.1:{port}")
    assert ended.returncode == 2
    (said,) = ended.stderr.splitlines()
    assert said.startswith(f"Editcast cannot listen on 127.0.0.1:{port}: ")
    assert said.endswith("Choose another address.")
