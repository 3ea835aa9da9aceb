"""Accepted suggestions, found in the text and followed there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks, diff, shortest_hunk
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.suggestion import AppliedEdit, AppliedEdits, Suggestion, TrackedEdit

TEXT = "def f(a):\n    return a\n\n\ndef g(a):\n    return a\n"
RENAMED = TEXT.replace("f(a)", "f(size)").replace("return a", "return size", 1)

texts = st.text(st.sampled_from("ab \n\U0001f389"), max_size=40)


@given(texts, texts)
def test_a_result_is_recognised(before: str, after: str) -> None:
    hunks = diff(before, after)
    if hunks:
        result = AppliedEdit.of(hunks, before)
        assert result.is_in(after)
        places = zip(result.new, result.old, strict=True)
        assert apply_hunks(after, [Hunk(one.start, one.end, old) for one, old in places]) == before
        assert not result.is_in(after + "a")


@given(texts, texts, texts, texts.filter(bool))
def test_new_text_stands_when_the_text_around_it_changes(
    head: str, tail: str, old: str, new: str
) -> None:
    tracked = TrackedEdit(
        AppliedEdit.of([Hunk(len(head), len(head + old), new)], head + old + tail)
    )
    text = head + new + tail
    for change in (
        Hunk(0, len(head), "abba"),
        Hunk(0, 0, "\n"),
        Hunk(5 + len(new), 5 + len(new) + len(tail), ""),
        Hunk(5 + len(new), 5 + len(new), "ab"),
        Hunk(2, 5, ""),
    ):
        tracked.move(change)
        text = apply_hunks(text, [change])
        assert tracked.is_in(text)
    assert text == "\na" + new + "ab"


# What was accepted in TEXT, the texts after it, and whether it stands at the end.
LATER = [
    (RENAMED, [], True),
    (RENAMED, ["import os\n" + RENAMED], True),
    (RENAMED, [RENAMED.replace("size)", "size, b)")], True),
    (RENAMED, [RENAMED.replace("f(size)", "f(length)")], False),
    (RENAMED, [RENAMED.replace("f(size)", "f(siize)")], False),
    (RENAMED, [TEXT], False),
    (RENAMED, [TEXT, RENAMED], True),
    (RENAMED, ["", RENAMED], True),
    (RENAMED, [""], False),
    (TEXT.replace("def g(a):\n    return a\n", ""), [], True),
    (TEXT.replace("def g(a):\n    return a\n", ""), [TEXT], False),
    (TEXT.replace("def g(a):\n    return a\n", ""), ["x = 1\n"], True),
    (TEXT.replace("(a):", "():", 1), [TEXT.replace("(a):", "(b):", 1)], True),
    (TEXT.replace("(a):", "():", 1), [TEXT], False),
]


@pytest.mark.parametrize(("accepted", "later", "stands"), LATER)
def test_later_changes(accepted: str, later: list[str], stands: bool) -> None:
    tracked = TrackedEdit(AppliedEdit.of(diff(TEXT, accepted), TEXT))
    text = accepted
    for after in later:
        tracked.move(shortest_hunk(text, after))
        text = after
    assert tracked.is_in(text) is stands


@pytest.fixture
def found() -> list[TrackedEdit]:
    return []


PLACES = diff(TEXT, RENAMED)
EVERYWHERE = Suggestion.of(Prediction(PLACES[0], 0.0, 0.9, 1, PLACES), TEXT, "1")


def test_accepted_after_it_was_applied(found: list[TrackedEdit]) -> None:
    results = AppliedEdits()
    assert results.find([EVERYWHERE], TEXT) == []
    assert results.find([EVERYWHERE], RENAMED) == [EVERYWHERE]
    results.move(Hunk(0, 0, "\n"))
    assert results.accept(EVERYWHERE, found.append)
    (tracked,) = found
    results.move(Hunk(0, 0, "\n"))
    assert results.judge(tracked, "\n\n" + RENAMED) == "kept"
    assert results.judge(tracked, "\n\n" + RENAMED) is None  # once


def test_accepted_before_it_is_applied_hunk_by_hunk(found: list[TrackedEdit]) -> None:
    results = AppliedEdits()
    assert not results.accept(EVERYWHERE, found.append)
    half = apply_hunks(TEXT, PLACES[1:])
    assert results.find((), half) == []
    assert not found
    results.find((), RENAMED)
    (tracked,) = found
    results.move(Hunk(0, len(RENAMED), ""))
    assert results.judge(tracked, "") == "changed"


def test_what_is_never_applied_is_not_looked_for_for_ever(found: list[TrackedEdit]) -> None:
    results = AppliedEdits()
    results.accept(EVERYWHERE, found.append)
    for number in range(4):
        results.find((), TEXT + str(number))
    results.find((), RENAMED)
    assert not found


def test_nothing_is_known_of_a_text_that_was_lost(found: list[TrackedEdit]) -> None:
    results = AppliedEdits()
    results.find([EVERYWHERE], RENAMED)
    results.accept(EVERYWHERE, found.append)
    results.accept(replace(EVERYWHERE, id="2"), found.append)
    results.clear()
    results.find((), RENAMED)
    assert len(found) == 1
    assert results.judge(found[0], RENAMED) is None
