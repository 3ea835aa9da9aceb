"""`initialize`, `shutdown` and `exit`: what may come when, and how the process ends."""

from collections.abc import Callable
from typing import Any

import pytest

INVALID_REQUEST, NOT_INITIALIZED = -32600, -32002
CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
THERE = {"start": {"line": 1, "character": 11}, "end": {"line": 1, "character": 17}}
INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


def test_a_second_initialize_is_refused_and_the_session_goes_on(wire: Callable[..., Any]) -> None:
    with wire() as server:
        server.initialize()
        uri = server.open("first.py", CALLS)
        server.change(uri, 2, "draw", range=THERE)
        error = server.ask("initialize", INITIALIZE)["error"]
        assert error["code"] == INVALID_REQUEST
        assert "already" in error["message"]
        # The document is still open, and its change is known.
        result = server.ask("editcast/nextEdit", {"textDocument": {"uri": uri}})["result"]
        assert (result["version"], result["suggestions"][0]["line"]) == (2, 5)
        assert server.shown == [one for one in server.shown if "no-model" in one]
        assert server.end() == 0


def test_requests_before_initialize(wire: Callable[..., Any]) -> None:
    with wire() as server:
        uri = server.open("early.py", CALLS)
        for method, params in [
            ("editcast/nextEdit", {"textDocument": {"uri": uri}}),
            ("workspace/executeCommand", {"command": "editcast.status"}),
            ("textDocument/codeAction", 7),
            ("shutdown", None),
            ("no/such", None),
        ]:
            assert server.ask(method, params)["error"]["code"] == NOT_INITIALIZED
        assert server.ask("initialize", {"capabilities": 7, "processId": "x"})["error"]
        server.initialize()
        assert server.ask("editcast/nextEdit", {"textDocument": {"uri": uri}})["result"] is None
        assert server.predicts()
        assert server.end() == 0


def test_requests_after_shutdown(wire: Callable[..., Any]) -> None:
    with wire() as server:
        server.initialize()
        server.ask("shutdown")
        for method in ("editcast/nextEdit", "shutdown", "initialize", "no/such"):
            assert server.ask(method, {})["error"]["code"] == INVALID_REQUEST
        server.open("late.py", CALLS)
        server.send(method="exit")
        assert server.end(politely=False) == 0
        assert "Traceback" not in server.logs


@pytest.mark.parametrize("initialized", [False, True])
def test_exit_without_shutdown(wire: Callable[..., Any], initialized: bool) -> None:
    with wire() as server:
        if initialized:
            server.initialize()
        server.send(method="exit")
        assert server.end(politely=False) == 1
        assert server.errors == b""
