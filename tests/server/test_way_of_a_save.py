"""Count of the modules that a save enters on its way to the suggestion."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from editcast_server.documents.buffer import Units
from editcast_server.documents.document import Document
from editcast_server.lsp.convert import next_edit_result
from editcast_server.lsp.protocol import StatusParams
from editcast_server.prediction import engine
from editcast_server.service import Service
from editcast_server.settings import Settings

#: Leaves that count as one each: they say what a text's names mean and what follows from a change.
LEAVES = ("editcast_model.syntax", "editcast_model.consequences", "editcast_model.memory")
#: With those of the project memory, which takes in each save.
MOST_MODULES = 38
MOST_MODULES_OF_THE_SERVER = 13
CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


class Entered:
    """The modules of Editcast whose functions the loop and the engine call; the store's thread
    writes beside the way, and what the engine does after its answer is for the next save."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._has_answered = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        name = str(frame.f_globals.get("__name__"))
        if event == "call" and name.startswith("editcast") and not self._is_after(frame):
            leaf = next((one for one in LEAVES if name.startswith(one)), name)
            self.modules.add(leaf)

    def _is_after(self, frame: FrameType) -> bool:
        if threading.current_thread() is threading.main_thread():
            return False
        code = frame.f_code
        self._has_answered |= (
            code.co_name == "model_name" or code is engine.Answer.__init__.__code__
        )
        return self._has_answered or threading.current_thread().name != "engine"

    @contextmanager
    def counted(self) -> Iterator[None]:
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


class Screen:
    """Screen of an editor without messages."""

    def __init__(self) -> None:
        self.is_ready = asyncio.Event()
        self.has_suggestion = asyncio.Event()

    def show_message(self, sentence: str, *, warning: bool) -> None:
        raise AssertionError(sentence)

    def has_predicted(self, document: Document) -> None:
        if next_edit_result(document).suggestions:
            self.has_suggestion.set()

    def has_status(self, status: StatusParams) -> None:
        if status.state == "ready":
            self.is_ready.set()


async def test_a_save_enters_few_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    entered, screen = Entered(), Screen()
    run = engine.Engine._run

    def profiled(self: engine.Engine) -> None:
        sys.setprofile(entered)
        run(self)

    monkeypatch.setattr(engine.Engine, "_run", profiled)
    service = Service(screen, Units.of("utf-16"), Settings(confidence_threshold=0))
    service.start()
    await screen.is_ready.wait()
    uri = (tmp_path / "project" / "a.py").as_uri()
    service.open(uri, "python", 1, CALLS)
    entered.modules.clear()
    with entered.counted():
        service.save(uri, CALLS.replace("render", "draw", 1))
        await screen.has_suggestion.wait()
    service.stop()
    ours = {one for one in entered.modules if one.startswith(("editcast_server", "editcast_store"))}
    print(len(entered.modules), sorted(entered.modules))
    assert len(entered.modules) <= MOST_MODULES, sorted(entered.modules)
    assert len(ours) <= MOST_MODULES_OF_THE_SERVER, sorted(ours)
