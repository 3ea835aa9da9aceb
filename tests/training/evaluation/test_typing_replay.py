"""Sessions typed token by token, with the offers of forecasters whose answers are known."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from editcast_model.diff import Hunk, diff, shortest_hunk
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.interface import (
    NO_OPTIONS,
    OtherSave,
    Prediction,
    PredictionOptions,
    never,
)
from editcast_model.forecasting.sources.repeated_edits import RepeatBest
from editcast_model.history import EditHistory
from editcast_training.evaluation.results import hardware
from editcast_training.evaluation.sessions import EditingSession, commit_session
from editcast_training.evaluation.typing_replay import (
    Tally,
    TypingEvaluation,
    TypingRow,
    measured,
    replay_typing,
)
from editcast_training.sources.file_history import FileHistory, Snapshot

Answer = Callable[[str], tuple[Hunk, float] | None]
CALLS = "a = load(1)\nkept\nb = load(2)\nkept\nc = load(3)\n"


class Scripted:
    """A forecaster that answers by the text alone; what does not fit is not said."""

    def __init__(self, answer: Answer, source: str = "") -> None:
        self.answer, self.source = answer, source
        self.asked: list[str] = []
        self.history = EditHistory("")

    def resume(self, history: EditHistory) -> "ScriptedSession":
        self.history = history
        return ScriptedSession(self)


class ScriptedSession:
    def __init__(self, forecaster: Scripted) -> None:
        self.forecaster, self.history = forecaster, forecaster.history

    def update(self, text: str, *, saved: bool) -> None:
        self.history.update(text, saved=saved)

    def add_other_save(self, save: OtherSave) -> None:
        raise AssertionError("a session alone hears of nothing")

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        self.forecaster.asked.append(self.history.text)
        found = self.forecaster.answer(self.history.text)
        if found is None or not options.fits(found[0]):
            return []
        return [Prediction(found[0], 0.0, found[1], 1, source=self.forecaster.source)]

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        raise AssertionError("nobody has time to prepare")


def insertion(at: str, new: str, confidence: float = 0.9) -> Answer:
    """Insert something before what stands once in a text."""

    def answer(text: str) -> tuple[Hunk, float] | None:
        start = text.find(at)
        return None if start < 0 else (Hunk(start, start, new), confidence)

    return answer


def saving(*texts: str) -> EditingSession:
    return EditingSession("p", "a.txt", "plaintext", "saves", texts, 1)


def renaming() -> EditingSession:
    """A commit of three line hunks, of which the first is shown."""
    snapshots = (Snapshot(CALLS, None), Snapshot(CALLS.replace("load", "read"), None))
    return commit_session(FileHistory("p", "a.txt", "plaintext", "commits", snapshots), 0)


def replayed(
    answer: Answer, session: EditingSession, threshold: float = 0.5, source: str = ""
) -> tuple[TypingRow, Scripted]:
    forecaster = Scripted(answer, source)
    ((row,),) = replay_typing(forecaster.resume, [session], {"medium": threshold})
    assert forecaster.history.saved == session.texts[-1]
    return row, forecaster


def test_a_right_offer_is_taken_and_the_rest_is_typed() -> None:
    def answer(text: str) -> tuple[Hunk, float] | None:
        start = text.find("load(2)")
        return None if start < 0 else (Hunk(start, start + 4, "read"), 0.6)

    forecaster = Scripted(answer)
    thresholds = {"low": 0.7, "medium": 0.5}
    ((low, medium),) = replay_typing(forecaster.resume, [renaming()], thresholds)
    # Two names are left, each deleted with one key and typed with four.
    assert low.characters == medium.characters == 10
    assert (low.on_save, low.while_typing) == (Tally(2, 0, 0, 0), Tally(4, 0, 0, 0))
    assert (medium.on_save, medium.while_typing) == (Tally(2, 1, 1, 5), Tally(3, 0, 0, 0))
    # Four answers for one level, three for the other, who share what came before the offer.
    assert len(forecaster.asked) == 6
    assert measured([medium]) == {
        "on save: offers": 50.0,
        "on save: taken": 100.0,
        "on save: spared": 40.0,
        "typing: offers": 0.0,
        "typing: taken": 0.0,
        "typing: spared": 0.0,
        "both: offers": 20.0,
        "both: taken": 100.0,
        "both: spared": 40.0,
    }


def test_an_offer_at_another_hunk_of_a_commit_is_taken_while_one_is_half_typed() -> None:
    def answer(text: str) -> tuple[Hunk, float] | None:
        start = text.find("load(3)")
        return (Hunk(start, start + 4, "read"), 0.9) if "b = (2)" in text and start > 0 else None

    row, _ = replayed(answer, renaming())
    # Nothing is saved before the half typed name is whole; then all is done.
    assert (row.on_save, row.while_typing) == (Tally(1, 0, 0, 0), Tally(3, 1, 1, 5))


def test_of_a_recorded_save_only_the_next_text_counts() -> None:
    session = saving("\n", "x\n\nkept\n\ny\n", "x2 + 1\n\nkept\n\ny\n", "x2 + 1\n\nkept\n\nnew y\n")
    row, forecaster = replayed(
        lambda text: None if "new" in text else insertion("y\n", "new ")(text), session
    )
    # It is offered once, refused for the whole of the first save, and taken at the second.
    assert row.on_save == Tally(actions=2, offers=1, taken=1, spared=4)
    assert row.characters == len("x2 + 1") + 1 + len("new ")
    # A deletion, five tokens of the first save, and the offer.
    assert row.while_typing == Tally(actions=7, offers=0, taken=0, spared=0)
    assert len(forecaster.asked) == 1 + 5 + 1  # not once more at the end of the save


def test_where_something_else_is_typed_nothing_is_offered_until_the_save() -> None:
    session = saving("\n", "if x\n", "if x and y\n", "if x and y and z\n")
    wrong = insertion("\n", " or a")
    row, _ = replayed(wrong, session)
    assert (row.on_save, row.while_typing) == (Tally(2, 2, 0, 0), Tally(8, 0, 0, 0))
    assert row.characters == len(" and y and z")


def test_behind_a_continuation_that_is_typed_past_the_next_one_comes() -> None:
    session = saving("\n", "if x\n", "if x and y\n")
    row, _ = replayed(insertion("\n", " or a"), session, source=CONTINUATION)
    # Spaces agree with each; "and" agrees with the first no more, and behind "y" comes the save.
    assert (row.on_save, row.while_typing) == (Tally(1, 1, 0, 0), Tally(4, 1, 0, 0))


def test_an_offer_stays_while_it_is_typed_along_and_counts_once() -> None:
    session = saving("\n", "print()\n", "print(first, last)\n")
    row, forecaster = replayed(insertion(")", "first, third"), session)
    assert (row.on_save, row.while_typing) == (Tally(1, 1, 0, 0), Tally(4, 0, 0, 0))
    # "first", "," and " " agree with it, and "last" ends the save.
    assert forecaster.asked == ["print()\n"]


def test_what_is_left_of_an_offer_is_taken_once_it_is_right() -> None:
    session = saving("\n", "f()\n", "f(a, b, c)\n")
    row, _ = replayed(
        lambda text: insertion(")", "b, c")(text) if text == "f(a, )\n" else None, session
    )
    assert (row.on_save, row.while_typing) == (Tally(1, 0, 0, 0), Tally(4, 1, 1, 4))


def test_offers_that_follow_a_taken_one_come_while_typing() -> None:
    def answer(text: str) -> tuple[Hunk, float] | None:
        start = text.find("load")
        return None if start < 0 else (Hunk(start, start + 4, "read"), 0.9)

    before = "load(1)\nload(2)\n"
    row, _ = replayed(answer, saving("\n", before, before.replace("load", "read")))
    assert (row.on_save, row.while_typing) == (Tally(1, 1, 1, 5), Tally(2, 1, 1, 5))
    assert measured([row])["both: spared"] == 80.0


def test_filters_are_asked_as_in_the_server() -> None:
    back = saving("x = 1\n", "x = 2\n", "x = 2\ny = 3\n")
    row, _ = replayed(
        lambda text: (Hunk(4, 5, "1"), 0.9) if text.startswith("x = 2") else None, back
    )
    assert row.on_save.offers == row.while_typing.offers == 0  # it would undo the last save


def test_a_session_in_which_nothing_changes_has_nothing_to_type() -> None:
    ((row,),) = replay_typing(
        Scripted(lambda text: None).resume, [saving("a", "b", "b")], {"low": 0.5}
    )
    assert astuple(row)[5:] == (0, (0, 0, 0, 0), (0, 0, 0, 0))


TEXT = st.lists(st.sampled_from(["a", "b", "(", ",", " ", "\n", "if x\n"]), max_size=9).map("".join)


@given(
    texts=st.lists(TEXT, min_size=2, max_size=4),
    kind=st.sampled_from(["commits", "saves"]),
    seed=st.integers(0, 1000),
)
def test_whatever_is_offered_the_last_text_is_reached(
    texts: list[str], kind: str, seed: int
) -> None:
    draw = random.Random(seed)

    def answer(text: str) -> tuple[Hunk, float] | None:
        towards = draw.choice([*texts, "a, b", "(if"])
        hunks = diff(text, towards)
        return (draw.choice(hunks), draw.random()) if hunks else None

    snapshots = tuple(Snapshot(text, None) for text in (texts[0], texts[-1]))
    history = FileHistory("p", "a.txt", "plaintext", "commits", snapshots)
    session = commit_session(history, 0) if kind == "commits" else saving(*texts)
    forecaster = Scripted(answer)
    (rows,) = replay_typing(forecaster.resume, [session], {"low": 0.7, "high": 0.0})
    for row in rows:
        for tally in (row.on_save, row.while_typing):
            assert 0 <= tally.taken <= tally.offers
        spared = row.on_save.spared + row.while_typing.spared
        assert spared <= row.characters
    assert not rows[0].characters or forecaster.history.saved == session.texts[-1]


def evaluation() -> TypingEvaluation:
    levels = {"low": 0.8, "medium": 0.5, "high": 0.3}
    sessions = [renaming(), renaming(), saving("\n", "x\n", "x and y\n")]
    rows = [row for rows in replay_typing(RepeatBest().resume, sessions, levels) for row in rows]
    return TypingEvaluation(
        name="repeat-best",
        source="three sessions",
        command="editcast evaluate --typing",
        hardware=hardware("cpu"),
        rows=tuple(rows),
        thresholds=levels,
    )


def test_results_are_by_kind_and_level_with_intervals(tmp_path: Path) -> None:
    made = evaluation()
    assert len(made.of("commits", "high")) == 2 and len(made.of("saves", "high")) == 1
    # Both sessions are the same one, so nothing is uncertain.
    assert made.intervals["commits"]["high"]["on save: taken"] == (100.0, 100.0, 100.0)
    made.write(tmp_path / "new" / "typing.json")
    document = json.loads((tmp_path / "new" / "typing.json").read_text("utf-8"))
    assert document["intervals"]["commits"]["high"]["on save: taken"]["high"] == 100.0
    assert document["rows"][0]["on_save"].keys() == {"actions", "offers", "taken", "spared"}
    assert len(document["rows"]) == 9 and document["thresholds"]["low"] == 0.8


def test_more_is_offered_where_more_is_wanted() -> None:
    made = evaluation()
    shown = [
        sum(row.on_save.offers + row.while_typing.offers for row in made.of("commits", level))
        for level in made.thresholds
    ]
    assert shown == sorted(shown) and shown[0] < shown[-1]


_LINES = st.lists(st.sampled_from(["a = attr()", "a = make()", "", "b(a)"]), min_size=1, max_size=7)


@given(_LINES, _LINES, st.integers(0, 8))
def test_what_is_taken_never_leaves_more_to_type(
    before: list[str], after: list[str], size: int
) -> None:
    """Offers that bring the text closer by tokens may leave a way of more characters."""
    assume(before != after)
    goal = "\n".join(after) + "\n"

    def answer(text: str) -> tuple[Hunk, float] | None:
        start = shortest_hunk(text, goal).start
        found = re.search(r"= (attr|make)\(\)", goal[start + size :])
        return (Hunk(start, start, found[0]), 0.9) if found else None

    row, _ = replayed(answer, saving("\n".join(before) + "\n", "\n".join(before) + "\n", goal))
    for tally in (row.on_save, row.while_typing):
        assert tally.spared >= tally.taken * len("= attr()")
