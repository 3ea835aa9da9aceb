"""One record of what was done to a file, that every part of a session reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcast_model.bundle import Bundle
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.sources.repeated_edits import RepeatBest
from editcast_model.history import DEPTH, EditHistory, changes

_TEXT = "".join(f"value = first({number})\nother = {number}\n" for number in range(6))
texts = st.lists(st.sampled_from(["a\n", "b = 1\n", "\n", "c\r\n", "é"]), max_size=8).map("".join)


def renamed(count: int) -> str:
    return _TEXT.replace("first", "second", count)


def test_a_history_before_the_first_change() -> None:
    history = EditHistory(_TEXT, language="python", path="a.py")
    assert history.is_untouched and history.snapshots == [_TEXT]
    assert history.update(_TEXT, saved=True) == []
    assert history.is_untouched and history.last == 0
    assert (history.language, history.path) == ("python", "a.py")


@given(st.lists(st.tuples(texts, st.booleans()), max_size=12))
def test_hunks_lead_from_snapshot_to_snapshot(updates: list[tuple[str, bool]]) -> None:
    history = EditHistory("a\nb = 1\n")
    for text, saved in updates:
        history.update(text, saved=saved)
        assert history.text == text
        assert apply_hunks(history.saved, history.unsaved) == text
        assert 0 <= history.last <= len(text)
    snapshots = history.snapshots
    assert snapshots[-1] == history.saved
    for save, before, after in zip(history.saves, snapshots, snapshots[1:], strict=False):
        assert (save.before, save.after) == (before, after)
        assert apply_hunks(before, save.hunks) == after


def test_what_is_taken_back_before_a_save_is_the_last_change() -> None:
    history = EditHistory("first\nsecond\n")
    history.update("first\nsecond\nthird and more\n", saved=False)
    history.update("first\nsecond\n", saved=False)
    assert history.last == len("first\nsecond\n")


def test_a_history_is_bounded() -> None:
    history = EditHistory("")
    for number in range(2 * DEPTH):
        history.update("line\n" * number + "end\n", saved=True)
    assert len(history.saves) == DEPTH and history.saves[-1].number == 2 * DEPTH
    assert len(history.snapshots) == DEPTH + 1


def test_how_often_and_how_long_ago() -> None:
    history, change = EditHistory(_TEXT), ("first", "second")
    assert history.made(change) == (0, 0)
    history.update(renamed(1), saved=False)
    assert history.made(change) == (1, 0)
    history.update(renamed(1), saved=True)
    assert history.made(change) == (1, 0)
    history.update(renamed(1) + "more\n", saved=True)
    assert history.made(change) == (1, 1)
    history.update(renamed(2) + "more\n", saved=True)
    assert history.made(change) == (2, 0)


def test_what_was_taken_back_does_not_count() -> None:
    history, change = EditHistory(_TEXT), ("first", "second")
    for _ in range(3):
        for done in (1, 0):
            history.update(renamed(done), saved=True)
    history.update(renamed(1), saved=True)
    assert history.made(change)[0] == 1
    history.update(renamed(2), saved=True)
    assert history.made(change)[0] == 2


def test_changes_are_without_common_ends() -> None:
    text = "call(first, last)\n"
    assert changes(text, [Hunk(5, 10, "forest"), Hunk(12, 16, "")]) == [("ir", "ore"), ("last", "")]


@pytest.mark.parametrize(
    ("is_saved", "sources"), [(True, {"decoded", "repeated"}), (False, {"repeated"})]
)
def test_a_session_made_anew_proposes_the_same(
    bundle: Bundle, is_saved: bool, sources: set[str]
) -> None:
    forecaster = NeuralForecaster.load(bundle.path, "cpu")
    history = EditHistory(_TEXT)
    session = forecaster.resume(history)
    for count in range(1, 4):
        session.update(renamed(count), saved=True)
    session.update(renamed(3) + "x", saved=is_saved)
    again = forecaster.resume(history)
    ours, theirs = session.candidates(2), again.candidates(2)
    assert [(one.hunk, one.source, one.times, one.ago) for one in ours] == [
        (one.hunk, one.source, one.times, one.ago) for one in theirs
    ]
    assert {one.source for one in ours} == sources


def test_a_baseline_made_anew_predicts_the_same() -> None:
    history = EditHistory(_TEXT)
    session = RepeatBest().resume(history)
    session.update(renamed(2), saved=True)
    assert session.predict(3) == RepeatBest().resume(history).predict(3) != []


def test_who_repeats_a_change_is_seen_to() -> None:
    history = EditHistory(_TEXT)
    assert history.repeating == 0.25
    seen = []
    for count in range(1, 5):
        history.update(renamed(count), saved=False)
        seen.append(history.repeating)
        history.update(renamed(count), saved=True)
        assert seen[-1] == history.repeating
    assert seen == [0.5 / 3, 1.5 / 4, 2.5 / 5, 3.5 / 5]
    history.update("new = 1\n" + renamed(4), saved=True)
    assert history.repeating == 2.5 / 5
    again = EditHistory(renamed(4))
    again.update(renamed(4) + "x", saved=True)
    assert again.repeating == 0.5 / 3


def test_what_is_done_counts_as_saved_once_somebody_goes_on_elsewhere() -> None:
    history = EditHistory(_LINES)
    first = _LINES.replace("users", "names", 1)
    second = first.replace("orders", "goods", 1)
    history.update(_LINES.replace("users", "na", 1), saved=False)
    history.update(first, saved=False)
    assert not history.saves
    history.update(
        second[: second.index("goods") + 2] + second[second.index("goods") + 5 :], saved=False
    )
    assert [save.after for save in history.saves] == [first] and history.saved == first
    (save,) = history.update(second, saved=True)
    assert history.snapshots == [_LINES, first, second] and save is history.saves[-1]
    assert history.update(second, saved=True) == []


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (("a\n", "a\nb", "a\nb\n", "a\nb\nc\n"), 0),  # line after line
        (("a\nb\n", "c\nb\n", "c\nd\n", "c\nb\n"), 1),  # the second is taken back
        (("a\nb\n", "c\nb\n", "a\nb\n", "a\nd\n"), 0),  # all is taken back
        (("f(a)\n", "f(a: int)\n", "f(a: int) -> int\n"), 1),
        (("a\n\nb\n\nc\n", "d\n\nb\n\nc\n", "d\n\ne\n\nc\n", "d\n\ne\n\nf\n"), 2),
    ],
)
def test_how_many_changes_were_done_before_the_last(texts: tuple[str, ...], count: int) -> None:
    history = EditHistory(texts[0])
    for text in texts[1:]:
        history.update(text, saved=False)
    assert len(history.saves) == count
    assert apply_hunks(history.saved, history.unsaved) == texts[-1]


_LINES = "users = fetch(address)\norders = fetch(address)\n"
_AUTOSAVED = (
    (", ti", ", timeout", ", timeout=5"),
    (", t", ",", ", limit"),  # mistyped, and typed again
    ("", ", retries=3"),
)


@pytest.mark.parametrize("parts", _AUTOSAVED)
def test_saves_in_the_middle_of_a_word_are_one(parts: tuple[str, ...]) -> None:
    whole, halves = EditHistory(_LINES), EditHistory(_LINES)
    texts = [_LINES.replace(")", f"{part})", 1) for part in parts]
    whole.update(texts[-1], saved=True)
    for text in texts:
        halves.update(text, saved=True)
    assert halves.saves == whole.saves and halves.snapshots == whole.snapshots
    assert halves.repeating == whole.repeating
    change = ("", parts[-1])
    assert halves.made(change) == whole.made(change) == (1, 0)
    # The next place is a save of its own.
    for history in (whole, halves):
        history.update(texts[-1].replace("address)", f"address{parts[-1]})"), saved=True)
        assert [save.number for save in history.saves] == [1, 2]


@settings(max_examples=400)
@given(
    st.sampled_from([0, 8, 21, 22, len(_LINES)]),
    st.lists(st.sampled_from("xy1 _.(),=é"), min_size=1, unique=True).map("".join),
    st.sets(st.integers(1, 10)),
)
def test_whatever_is_typed_on_a_line_is_one_however_often_it_is_saved(
    place: int, typed: str, saved: set[int]
) -> None:
    history, whole = EditHistory(_LINES), EditHistory(_LINES)
    for count in (*sorted(one for one in saved if one < len(typed)), len(typed)):
        text = _LINES[:place] + typed[:count] + _LINES[place:]
        history.update(text, saved=True)
    whole.update(text, saved=True)
    assert history.snapshots == whole.snapshots == [_LINES, text]
    assert history.saves == whole.saves


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (("a = 1\n", "a = 1\nb = 2\n", "a = 1\nb = 2\nc = 3\n"), 2),  # lines of their own
        (("a = 1\n", "a = 2\n", "a = 1\n"), 2),  # taken back
        (("f(a, b)\n", "g(a, b)\n", "g(a, c)\n"), 2),  # elsewhere on the line
        (("a\nb\n", "c\nc\n", "c\ne\n"), 2),  # again what was done at several places
        (("a\n\nb\n", "c\n\nd\n", "e\n\nd\n"), 2),  # of several changes not the last
        (("a\n\nb\n", "c\n\nd\n", "c\n\ne\n"), 1),
        (("", "foo(1)\nfoo(2)\n", "bar(1)\nfoo(2)\n"), 2),  # inside of what was inserted
        (("x = foo\n", "x = bar\n", "x = bar(1)\n", "x = bar(12)\n"), 1),
        (("x = foo\n", "x = \n", "x = b\n", "x = bar\n"), 1),
    ],
)
def test_saves_that_go_on_with_the_last_are_told_from_others(
    texts: tuple[str, ...], count: int
) -> None:
    history = EditHistory(texts[0])
    for text in texts[1:]:
        history.update(text, saved=True)
    assert len(history.saves) == count
    assert history.saved == texts[-1]
