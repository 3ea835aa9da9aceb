"""`editcast.train`: a process of its own, with progress; and the sentence when it cannot train."""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

from editcast_server.training_process import TrainingRun


class Training:
    """A training that runs some code instead, and what was said about it."""

    def __init__(self, code: str) -> None:
        server = LanguageServer("test", "1")
        server.protocol.client_capabilities = types.ClientCapabilities()
        server.protocol._workspace = Workspace(None)
        self.reports: list[str] = []
        self.sentences: list[tuple[str, bool]] = []
        self.run = TrainingRun(
            server,
            self.reports.append,
            lambda sentence, warning: self.sentences.append((sentence, warning)),
            [sys.executable, "-u", "-c", code],
        )

    async def end(self) -> None:
        while "" not in self.reports:
            await asyncio.sleep(0.01)


def _printing(*events: dict[str, object]) -> str:
    return "\n".join(f"print({json.dumps(event)!r})" for event in events)


@pytest.mark.parametrize(
    ("code", "reports", "sentences"),
    [
        (
            _printing(
                {"type": "stage", "text": "\x1b[1mReading"},
                {"type": "step", "text": "3 %", "share": 0.03, "step": 1},
                {"type": "stage", "text": "done"},
            ),
            ["Reading", "3 %", "done"],
            ("Training is done. Editcast now uses the new model.", False),
        ),
        (
            _printing({"type": "unchanged", "text": "It is no better."}),
            ["It is no better."],
            ("It is no better.", False),
        ),
        (
            "print('a warning'); print('{\"type\": 3}')",
            ["a warning", '{"type": 3}'],
            ("Training is done. Editcast now uses the new model.", False),
        ),
        (
            "import sys; print('x'); sys.exit('There is too little history.')",
            ["x", "There is too little history."],
            ("There is too little history.", True),
        ),
        ("raise SystemExit(7)", [], ("Training ended with code 7.", True)),
    ],
)
async def test_what_it_says(code: str, reports: list[str], sentences: tuple[str, bool]) -> None:
    training = Training(code)
    training.run.start()
    await training.end()
    assert training.reports == ["Training begins.", *reports, ""]
    assert training.sentences == [sentences]


async def test_what_is_left_out_is_an_argument() -> None:
    training = Training("import sys; print(*sys.argv[1:])")
    training.run.start(["git", "store"])
    await training.end()
    assert training.reports == ["Training begins.", "--without=git --without=store", ""]


async def test_one_at_a_time_and_it_can_be_stopped() -> None:
    training = Training("import time; print('going', flush=True); time.sleep(60)")
    training.run.start()
    while "going" not in training.reports:
        await asyncio.sleep(0.01)
    training.run.start()
    assert training.sentences == [("Editcast is already training.", False)]
    training.run.stop()
    await training.end()
    assert training.sentences == [("Editcast is already training.", False)]
    training.reports.clear()
    training.run.start()
    training.run.stop()
    await training.end()


async def test_a_command_that_is_not_there() -> None:
    training = Training("")
    training.run._command = ["/nowhere/python"]
    training.run.start()
    await training.end()
    assert training.sentences[0][0].startswith("Training could not be started: ")


async def test_with_nothing_to_learn_from(start: Any, tmp_path: Path) -> None:
    async with start() as editor:
        await editor.command("editcast.train")
        await editor.until(lambda: editor.statuses[-1].state == "training")
        await editor.until(lambda: editor.statuses[-1].state == "baseline")
        ((begin, *_, end),) = editor.client.progress_reports.values()
        assert (begin.title, begin.cancellable) == ("Editcast: training", True)
        sentence = editor.messages[-1]
        assert end.message == sentence
        assert "Traceback" not in sentence
        assert "done" not in sentence


_SERVE = """
import sys
from editcast_server.lsp.app import create_server
server = create_server()
server.training._command = [sys.executable, "-u", "-c", sys.argv[1]]
server.start_io()
"""


async def test_each_training_has_progress_of_its_own(start: Any) -> None:
    command = [sys.executable, "-c", _SERVE, _printing({"type": "stage", "text": "x"})]
    async with start(command=command) as editor:
        for _ in range(4):
            editor.client.messages.clear()
            await editor.command("editcast.train")
            await editor.until(lambda: editor.messages)
            assert editor.messages == ["Training is done. Editcast now uses the new model."]
            await editor.until(lambda: editor.statuses[-1].state == "baseline")
        assert len(editor.client.progress_reports) == 4


def test_an_editor_that_refuses_the_progress_trains_without(wire: Callable[..., Any]) -> None:
    create = types.WINDOW_WORK_DONE_PROGRESS_CREATE
    with wire() as server:
        capabilities = {"window": {"workDoneProgress": True}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        server.ask("initialize", params)
        server.send(method="initialized", params={})
        command = {"command": "editcast.train", "arguments": []}
        server.send(id="train", method="workspace/executeCommand", params=command)
        server.until(lambda: server.received(create))
        (asked,) = [one for one in server.messages if one.get("method") == create]
        server.send(id=asked["id"], error={"code": -32603, "message": "No more of them."})
        server.until(lambda: server.shown)
        assert "history" in server.shown[-1]
        server.until(lambda: server.received("editcast/status")[-1]["state"] != "training")
        assert not server.received("$/progress")
        assert server.end() == 0


@pytest.mark.parametrize("is_wanted", [True, False])
async def test_the_comparison_is_offered_and_shown(
    start: Any, tmp_path: Path, is_wanted: bool
) -> None:
    page = tmp_path / "a b" / "comparison.md"
    said: dict[str, object] = {
        "type": "comparison",
        "text": "More of it is right.",
        "page": str(page),
    }
    command = [sys.executable, "-c", _SERVE, _printing({"type": "stage", "text": "x"}, said)]
    asked: list[types.ShowMessageRequestParams] = []
    async with start(command=command) as editor:

        def choose(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            asked.append(params)
            return params.actions[0] if is_wanted and params.actions else None

        editor.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(choose)
        await editor.command("editcast.train")
        await editor.until(lambda: asked)
        assert asked[0].message == (
            "Training is done. Editcast now uses the new model. More of it is right."
        )
        await editor.until(lambda: editor.client.shown_documents or not is_wanted)
        shown = [one.uri for one in editor.client.shown_documents]
        assert shown == [page.as_uri()] * is_wanted


async def test_where_no_page_can_be_opened_the_sentence_is_shown() -> None:
    said: dict[str, object] = {
        "type": "comparison",
        "text": "More of it is right.",
        "page": "/nowhere.md",
    }
    training = Training(_printing(said))
    training.run.start()
    await training.end()
    done = "Training is done. Editcast now uses the new model. More of it is right."
    assert training.sentences == [(done, False)]
