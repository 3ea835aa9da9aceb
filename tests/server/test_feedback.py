"""Fate of accepted text, and effects of decisions; the service without its messages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from editcast_model.diff import Hunk
from editcast_server.documents.buffer import Units
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion
from editcast_server.lsp.convert import title_of
from editcast_server.lsp.protocol import StatusParams
from editcast_server.service import Service
from editcast_server.settings import Settings
from editcast_server.store_writer import now_ms
from editcast_store import paths
from editcast_store.saves import Store, What

DAY = 86_400_000
CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(8))
SETTINGS = Settings(confidence_threshold=0.0, model_path="repeat-best")


class Screen:
    """A client that remembers nothing."""

    def show_message(self, sentence: str, *, warning: bool) -> None: ...

    def has_predicted(self, document: Document) -> None: ...

    def has_status(self, status: StatusParams) -> None: ...


class Desk:
    """A service, and its user."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.folder = folder

    async def begin(self, name: str) -> Document:
        """Open a file and make an edit that repeats itself."""
        uri = (self.folder / name).as_uri()
        self.service.open(uri, "python", 1, CALLS)
        document = self.service.documents[uri]
        self.replace(document, "render", "draw")
        return document

    async def best(self, document: Document) -> Suggestion:
        await self.service.wait_for(document.uri, 1)
        while not document.suggestions:  # the model may still be loading
            await asyncio.sleep(0.01)
            await self.service.wait_for(document.uri, 1)
        return document.suggestions[0]

    def replace(self, document: Document, old: str, new: str) -> None:
        assert document.buffer
        start = document.buffer.text.index(old)
        (edit,) = document.buffer.text_edits([Hunk(start, start + len(old), new)])
        self.change(document, [edit])

    def change(self, document: Document, edits: list[types.TextEdit]) -> None:
        changes = [
            types.TextDocumentContentChangePartial(edit.range, edit.new_text)
            for edit in reversed(edits)
        ]
        self.service.change(document.uri, document.version + 1, changes)

    def apply(self, document: Document, suggestion: Suggestion) -> None:
        assert document.buffer
        self.change(document, document.buffer.text_edits([suggestion.hunk]))

    async def outcomes(self, last: str) -> list[tuple[str, str]]:
        """File and outcome, once the last one is there."""
        found: list[tuple[str, str]] = []
        while not found or found[-1][1] != last:
            await asyncio.sleep(0.01)
            await self.service.saves.written()
            if paths.store_path().exists():
                with closing(Store.open(paths.store_path())) as store:
                    found = [(Path(one.path).name, one.what) for one in store.outcomes()]
        return found


@pytest_asyncio.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    """A desk where a minute is a moment."""
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    service = Service(Screen(), Units.of("utf-16"), SETTINGS, later_s=0.05)
    service.start()
    yield Desk(service, tmp_path)
    service.stop()


async def test_accepted_text_is_kept(desk: Desk) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.apply(document, best)
    desk.service.accept(best.id)
    desk.replace(document, "def part_0", "import os\n\n\ndef part_0")
    assert await desk.outcomes("kept") == [("a.py", "accepted"), ("a.py", "kept")]


async def test_accepted_text_is_changed_by_the_user(desk: Desk) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.service.accept(best.id)
    desk.apply(document, best)
    desk.replace(document, "draw(text, 1)", "drew(text, 1)")
    assert await desk.outcomes("changed") == [("a.py", "accepted"), ("a.py", "changed")]


async def test_nothing_is_said_of_closed_files_and_of_edits_never_made(desk: Desk) -> None:
    closed, unmade, last = [await desk.begin(name) for name in ("c.py", "u.py", "l.py")]
    best = await desk.best(closed)
    desk.apply(closed, best)
    desk.service.accept(best.id)
    desk.service.close(closed.uri)
    desk.service.accept((await desk.best(unmade)).id)
    desk.replace(unmade, "part_3", "part_three")
    # Its minute ends after theirs.
    best = await desk.best(last)
    desk.apply(last, best)
    desk.service.accept(best.id)
    assert await desk.outcomes("kept") == [
        ("c.py", "accepted"),
        ("u.py", "accepted"),
        ("l.py", "accepted"),
        ("l.py", "kept"),
    ]


async def test_an_accepted_edit_is_one_decision_in_any_order(desk: Desk) -> None:
    decisions = desk.service._policy._decisions[False]
    document = await desk.begin("a.py")
    confidences = []
    for edit_first in (True, False):
        best = await desk.best(document)
        confidences.append(best.confidence)
        if edit_first:
            desk.apply(document, best)
        desk.service.accept(best.id)
        if not edit_first:
            desk.apply(document, best)
    assert list(decisions) == [(True, one) for one in confidences]


async def test_what_was_shown_and_not_taken_counts_at_a_later_save(desk: Desk) -> None:
    decisions = desk.service._policy._decisions[False]
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.service.shown(best.id)
    desk.service.save(document.uri, None)  # too soon to tell
    assert not decisions
    offer = desk.service._feedback._offers[best.id]
    assert offer.shown_at is not None
    offer.shown_at -= 60
    again = await desk.best(document)
    assert again.id == best.id
    for _ in range(2):  # it counts once
        desk.service.save(document.uri, None)
    assert list(decisions) == [(False, best.confidence)]
    assert await desk.outcomes("passed") == [("a.py", "shown"), ("a.py", "passed")]
    desk.service.accept(best.id)  # the user has come back to it
    assert list(decisions) == [(False, best.confidence), (True, best.confidence)]


async def test_what_is_passed_over_in_two_texts_is_offered_no_longer(desk: Desk) -> None:
    document = await desk.begin("a.py")
    place = (await desk.best(document)).place
    for number in range(2):
        desk.replace(document, "def part_0", f"x_{number} = 1\n\n\ndef part_0")
        best = await desk.best(document)
        for _ in range(2):  # another save of the same text says nothing new
            assert best.place.before == place.before
            desk.service.shown(best.id)
            offer = desk.service._feedback._offers[best.id]
            assert offer.shown_at is not None
            offer.shown_at -= 60
            desk.service.save(document.uri, None)
            later = await desk.best(document)
    assert later.hunk.text == best.hunk.text and later.place.before != place.before


async def test_what_the_user_typed_or_never_saw_was_not_passed_over(desk: Desk) -> None:
    decisions = desk.service._policy._decisions[False]
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.service.shown(best.id)
    desk.apply(document, best)  # by hand: the client reports no accept
    await desk.best(document)
    for offer in desk.service._feedback._offers.values():
        assert (offer.shown_at is not None) == (offer.suggestion.id == best.id)
        if offer.shown_at is not None:
            offer.shown_at -= 60
    desk.service.save(document.uri, None)
    assert list(decisions) == [(True, best.confidence)]


async def test_decisions_of_earlier_sessions_count(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.folder / "a.py"
    outcomes: list[tuple[str, What]] = [
        *(("1", "shown"), ("1", "passed")),
        *(("2", "accepted"), ("c3", "rejected")),
    ]
    with closing(Store.open(paths.store_path())) as store:
        for id, what in outcomes:
            store.record_outcome(
                id, what, path=path, confidence=0.5, time_ms=now_ms(), model="m", language=""
            )
    later = Service(Screen(), Units.of("utf-16"), SETTINGS)
    later.start()
    policy = later._policy
    while not policy._decisions[True]:
        await asyncio.sleep(0.01)
    later.stop()
    assert list(policy._decisions[False]) == [(False, 0.5), (True, 0.5)]
    assert list(policy._decisions[True]) == [(False, 0.5)]


async def test_old_saves_are_deleted_once_the_settings_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))

    def ages() -> list[int]:
        with closing(Store.open(paths.store_path())) as store:
            return [round((now_ms() - one.time) / DAY) for one in store.snapshots("old.py")]

    with closing(Store.open(paths.store_path())) as store:
        for days in (900, 700, 1):
            store.record("old.py", f"{days}\n", now_ms() - days * DAY, "python")
    service = Service(
        Screen(), Units.of("utf-16"), replace(SETTINGS, history_days=800), later_s=0.05
    )
    service.start()
    while len(ages()) > 2:
        await asyncio.sleep(0.01)
    service.stop()
    assert ages() == [700, 1]


RENAMED = """\
def area(breadth, height):
    size = width * height
    return size or width


print(area(width=2, height=3))
"""


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("edit_first", [True, False])
async def test_an_edit_accepted_at_all_places_is_one_decision(
    desk: Desk, at_once: bool, edit_first: bool
) -> None:
    desk.service.apply_settings(Settings(confidence_threshold=0.0))  # the bundled model
    uri = (desk.folder / "a.py").as_uri()
    desk.service.open(uri, "python", 1, RENAMED.replace("breadth", "width"))
    document = desk.service.documents[uri]
    desk.replace(document, "(width,", "(breadth,")
    desk.service.save(uri, None)
    best = await desk.best(document)
    assert len(best.everywhere) == 3
    assert document.buffer
    edits = document.buffer.text_edits(best.everywhere)

    def apply() -> None:
        for some in [edits] if at_once else [[one] for one in reversed(edits)]:
            desk.change(document, some)

    if edit_first:
        apply()
    desk.service.accept(best.id)
    if not edit_first:
        apply()
    assert "width" not in document.buffer.text
    assert list(desk.service._policy._decisions[False]) == [(True, best.confidence)]
    assert document.rejections.typed_lines == ()
    assert await desk.outcomes("kept") == [("a.py", "accepted"), ("a.py", "kept")]


async def test_typing_a_suggestion_to_its_end_is_a_decision_too(desk: Desk) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.replace(document, "render(text, 1)", "d(text, 1)")
    assert document.suggestions[0].id == best.id
    desk.replace(document, "d(text, 1)", "draw(text, 1)")
    decisions = desk.service._policy._decisions[False]
    assert list(decisions) == [(True, best.confidence)]
    second = await desk.best(document)
    desk.service.reject(second.id)
    assert list(decisions) == [(True, best.confidence), (False, second.confidence)]


async def test_what_is_rejected_while_a_save_is_predicted_for_does_not_come_back(
    desk: Desk,
) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.service.save(document.uri, None)
    assert document.job is not None
    desk.service.reject(best.id)
    # The user has just turned something down: nothing else comes until it is asked for.
    assert document.job is None
    await asyncio.sleep(0.1)
    assert document.suggestions == ()
    assert (await desk.best(document)).place.line != best.place.line


async def test_what_is_rejected_by_its_id_from_before_a_save_goes_away(desk: Desk) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    desk.service.save(document.uri, None)
    again = await desk.best(document)
    assert again.hunk == best.hunk
    desk.service.reject(best.id)
    assert best.place.line not in [one.place.line for one in document.suggestions]


async def test_decisions_move_the_pause_and_the_threshold(desk: Desk) -> None:
    document = await desk.begin("a.py")
    desk.service.apply_settings(Settings(confidence_threshold=0.2, model_path="repeat-best"))
    policy = desk.service._policy
    best = await desk.best(document)
    assert best.confidence > 0.2
    for _ in range(30):
        policy.count_decision(False, 1.0)
    assert policy.thresholds == pytest.approx((0.2 / 0.4, 0.2))
    desk.service.reject(best.id)
    assert policy.pause == pytest.approx(0.075 * 1.5)
    desk.service.apply_settings(Settings(debounce_ms=30))
    assert policy.pause == 0.03


async def test_a_score_that_is_no_probability_is_not_printed(desk: Desk) -> None:
    document = await desk.begin("a.py")
    best = await desk.best(document)
    assert best.confidence > 0
    assert "%" not in title_of(best) and not title_of(best).endswith(")")


async def test_the_last_latencies_are_known(desk: Desk) -> None:
    document = await desk.begin("a.py")
    for number in range(3):
        await desk.best(document)
        desk.replace(document, "part_7", "part_7" + "7" * (number + 1))
    assert len(desk.service.latencies) >= 3
    assert all(one > 0 for one in desk.service.latencies)
