"""Commits as a person could have made them, and what that looks like beside recorded saves."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.tokenizer import lines
from editcast_training.augment import edit_order
from editcast_training.augment.edit_order import ORDERS, as_saved, order_edits
from editcast_training.data.line_changes import line_changes

SOURCE = st.lists(
    st.sampled_from(
        ["\n", "    x = f(a, b)\n", "x = 1\n", "def f(a):\r\n", "  return a + b\n", "é"]
    ),
    max_size=12,
).map("".join)


def _made(before: str, after: str, seed: int) -> tuple[list[str], str]:
    """The saved texts on the way, and the text at the end of it."""
    now = lines(before)
    saved = []
    for part in order_edits(line_changes(before, after), 0, random.Random(seed)):
        change = part.change
        assert tuple(now[change.first : change.end]) == change.before
        now[change.first : change.end] = change.after
        # What is written is made of whole lines: none runs into the next.
        assert lines("".join(now)) == now
        if part.saved:
            saved.append("".join(now))
    return saved, "".join(now)


@given(SOURCE, SOURCE, st.integers(0, 1_000))
def test_however_a_commit_is_made_it_ends_as_it_was(before: str, after: str, seed: int) -> None:
    saved, end = _made(before, after, seed)
    assert end == after
    assert saved[-1:] == ([after] if before != after else [])


@given(SOURCE, SOURCE)
def test_a_recorded_save_is_made_from_the_top_and_saved_once(before: str, after: str) -> None:
    now = lines(before)
    saves = []
    for part in as_saved(line_changes(before, after)):
        change = part.change
        assert tuple(now[change.first : change.end]) == change.before
        now[change.first : change.end] = change.after
        saves.append(part.saved)
    assert "".join(now) == after
    assert saves == [False] * (len(saves) - 1) + [True] * bool(saves)


PROGRAM = [f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(12)]
CHANGED = [text.replace("render(", "draw(") for text in PROGRAM]


def _first_lines(order: str, last: int = 0) -> list[int]:
    changes = line_changes("".join(PROGRAM), "".join(CHANGED))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit_order, "ORDERS", {order: 1.0})
        firsts = [part.change.first for part in order_edits(changes, last, random.Random(0))]
    return list(dict.fromkeys(firsts))


def test_the_orders() -> None:
    every = [4 * part + 1 for part in range(12)]
    assert _first_lines("left to right") == every
    assert _first_lines("nearest", last=50) == every[::-1]
    assert sorted(_first_lines("random")) == every
    assert _first_lines("random") != every
    assert sum(ORDERS.values()) == pytest.approx(1)


def test_a_definition_comes_before_what_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_order, "ORDERS", {"definitions": 1.0})
    before = "x = run(1)\n\ny = run(2)\n\n\ndef run(a):\n    pass\n"
    after = "x = start(1)\n\ny = start(2)\n\n\ndef start(a):\n    pass\n"
    changes = line_changes(before, after)
    for seed in range(10):
        made = list(order_edits(changes, 0, random.Random(seed)))
        assert made[0].change.first == 5


def test_some_saves_are_half_done_and_some_are_taken_back() -> None:
    before = "def f(a):\n    return a\n"
    after = (
        "def f(a):\n    if a:\n        print(a, file=out)\n        log(a)\n    return [a, a, a]\n"
    )
    ways: Counter[str] = Counter()
    for seed in range(400):
        saved, _ = _made(before, after, seed)
        ways["whole"] += len(saved) == 1
        ways["half"] += any(text not in (before, after) for text in saved)
        ways["undone"] += any(a == c for a, c in zip([before, *saved], saved[1:], strict=False))
    assert ways["whole"] > 100
    assert ways["half"] > 100
    assert ways["undone"] > 5
