"""Requests that are cancelled, and predictions that are superseded: the work for them ends."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest_asyncio
from lsprotocol import types

from editcast_model.diff import Hunk
from editcast_model.forecasting.interface import NO_OPTIONS, Prediction, PredictionOptions, never
from editcast_model.history import EditHistory
from editcast_server.documents.buffer import Units
from editcast_server.lsp.commands import find_other_files
from editcast_server.service import Service
from editcast_server.settings import Settings

CANCELLED = -32800
SLOW, QUICK = "slow = 1\n" * 20, "quick = 1\n" * 20


class Patient:
    """A forecaster that goes on until it is cancelled, or at once where the text is quick."""

    name = "patient"

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.may_end = threading.Event()

    def resume(self, history: EditHistory) -> Any:
        return _Session(self, history)


class _Session:
    def __init__(self, owner: Patient, history: EditHistory) -> None:
        self.owner, self.history, self.text = owner, history, history.text

    def update(self, text: str, *, saved: bool) -> None:
        self.history.update(text, saved=saved)
        self.text = text

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        self.owner.begun.append(self.text)
        while (
            "slow" in self.text and not options.cancelled() and not self.owner.may_end.wait(0.001)
        ):
            """Nobody has cancelled it."""
        self.owner.ended.append(self.text)
        return [] if options.cancelled() else [Prediction(Hunk(0, 0, "x"), 0.0, 0.9, 1)]

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Nothing to prepare."""


class Listener:
    """A client of the service; it keeps what it is told."""

    def __init__(self) -> None:
        self.predicted: list[str] = []

    def show_message(self, sentence: str, *, warning: bool) -> None:
        """A sentence."""

    def has_status(self, status: Any) -> None:
        """A status."""

    def has_predicted(self, document: Any) -> None:
        self.predicted.append(document.uri)


class Bench:
    """A service whose forecaster is patient."""

    def __init__(self, debounce_ms: int = 60_000) -> None:
        self.client = Listener()
        self.forecaster = Patient()
        settings = Settings(
            debounce_ms=debounce_ms,
            confidence_threshold=0.0,
            model_path="/nowhere",
            history_enabled=False,
        )
        self.service = Service(self.client, Units.of("utf-16"), settings)

    async def begin(self) -> None:
        self.service.start()
        await until(lambda: self.service.activity.status.model)
        object.__setattr__(self.service.engine._model, "forecaster", self.forecaster)

    def open(self, uri: str, text: str) -> None:
        self.service.open(uri, "text", 1, text)

    def type(self, uri: str, version: int) -> None:
        there = types.Range(types.Position(0, 0), types.Position(0, 0))
        change = types.TextDocumentContentChangePartial(there, "y")
        self.service.change(uri, version, [change])

    def ask(self, uri: str, count: int = 1) -> asyncio.Task[Any]:
        return asyncio.create_task(self.service.wait_for(uri, count))

    async def until_free(self) -> None:
        """Wait until the engine serves another document."""
        self.open("a:quick", QUICK)
        while not (await self.ask("a:quick")).suggestions:
            """A busy machine was not in time."""
        self.service.close("a:quick")


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


@pytest_asyncio.fixture
async def bench(tmp_path: Path, monkeypatch: Any) -> AsyncIterator[Bench]:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    it = Bench()
    await it.begin()
    yield it
    it.forecaster.may_end.set()
    it.service.stop()


async def cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_two_hundred_requests_each_cancelled_leave_the_engine_idle(bench: Bench) -> None:
    tasks = []
    for number in range(20):
        bench.open(f"a:{number}", SLOW)
        tasks += [bench.ask(f"a:{number}", count) for count in range(1, 11)]
    await until(lambda: bench.forecaster.begun)
    await cancel(*tasks)
    await bench.until_free()
    assert bench.forecaster.begun == [SLOW, QUICK]
    assert bench.forecaster.ended == [SLOW, QUICK]
    assert set(bench.client.predicted) == {"a:quick"}


async def test_whom_somebody_still_waits_for_goes_on(bench: Bench) -> None:
    bench.open("a:b", SLOW)
    first, second = bench.ask("a:b"), bench.ask("a:b")
    await until(lambda: bench.forecaster.begun)
    await cancel(first)
    assert not bench.forecaster.ended
    bench.forecaster.may_end.set()
    assert (await second).suggestions


async def test_what_a_save_asks_for_no_request_cancels(bench: Bench) -> None:
    bench.open("a:b", SLOW)
    asked = bench.ask("a:b")
    await until(lambda: bench.forecaster.begun)
    bench.service._ask(bench.service.documents["a:b"], 1)  # as a typing pause does
    await cancel(asked)
    bench.forecaster.may_end.set()
    await until(lambda: bench.client.predicted)


async def test_after_a_cancelled_request_the_typing_pause_still_predicts(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    bench = Bench(debounce_ms=300)
    await bench.begin()
    bench.open("a:b", SLOW)
    bench.type("a:b", 2)
    asked = bench.ask("a:b")
    await until(lambda: bench.forecaster.begun)
    await cancel(asked)
    bench.forecaster.may_end.set()
    await until(lambda: bench.client.predicted)
    bench.service.stop()


async def test_the_next_change_ends_what_was_under_way(bench: Bench) -> None:
    bench.open("a:b", SLOW)
    asked = bench.ask("a:b")
    await until(lambda: bench.forecaster.begun)
    bench.type("a:b", 2)
    await until(lambda: bench.forecaster.ended)
    await until(lambda: len(bench.forecaster.begun) == 2)  # the request is for the text as it is
    bench.forecaster.may_end.set()
    assert (await asked).version == 2


async def test_a_request_ends_with_its_document(bench: Bench) -> None:
    bench.open("a:b", SLOW)
    asked = bench.ask("a:b")
    await until(lambda: bench.forecaster.begun)
    bench.service.close("a:b")
    assert await asked is None
    await bench.until_free()
    assert bench.forecaster.begun == [SLOW, QUICK]
    assert set(bench.client.predicted) == {"a:quick"}


def test_a_flood_of_cancelled_requests_and_a_network(wire: Callable[..., Any]) -> None:
    calls = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(60))
    there = {"start": {"line": 1, "character": 11}, "end": {"line": 1, "character": 17}}
    with wire() as server:
        server.initialize(modelPath="", debounceMs=60_000)
        server.until(lambda: server.received("editcast/status"))
        uris = [server.open(f"flood_{number}.py", calls) for number in range(10)]
        for uri in uris:
            server.change(uri, 2, "draw", range=there)
        ids: list[str] = []
        for count in range(1, 21):
            for uri in uris:
                ids.append(f"flood {len(ids)}")
                params = {"textDocument": {"uri": uri}, "count": count}
                server.send(id=ids[-1], method="editcast/nextEdit", params=params)
                server.send(method="$/cancelRequest", params={"id": ids[-1]})
        for id in ids:
            server.answer(id)
        assert server.predicts()
        server.until(lambda: server.received("editcast/status")[-1]["state"] != "thinking")
        for id in ids:
            (answer,) = server.answers(id)
            assert "result" in answer or answer["error"]["code"] == CANCELLED
        assert server.end() == 0
        assert "Traceback" not in server.logs


async def test_a_request_that_gave_up_does_not_keep_a_cancelled_one_going(bench: Bench) -> None:
    bench.open("a:slow", SLOW)
    document = bench.service.documents["a:slow"]
    await document.wait_for_answer(0.01)  # nothing is being predicted: a word is being typed
    request = bench.ask("a:slow")
    await until(lambda: bench.forecaster.begun)
    request.cancel()
    await until(lambda: bench.forecaster.ended)


async def test_the_search_in_other_files_may_end_after_its_request(bench: Bench) -> None:
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, said: failures.append(said))
    bench.open("a:slow", SLOW)
    request = bench.ask("a:slow")
    await until(lambda: bench.forecaster.begun)
    search = asyncio.create_task(find_other_files(bench.service, bench.service.documents["a:slow"]))
    await asyncio.sleep(0)
    search.cancel()
    request.cancel()
    await bench.until_free()
    assert failures == []
