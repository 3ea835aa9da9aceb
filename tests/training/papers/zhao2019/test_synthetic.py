"""The synthetic tasks: what they promise, for every one of them."""

import math
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import diff_tokens
from editcast_model.edits import DELETE, Edit
from editcast_model.errors import ReproductionError
from editcast_papers.zhao2019.block_diff import block_changes, longest_block
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_papers.zhao2019.synthetic import (
    FIRST,
    LENGTH,
    LETTERS,
    MULTITASK,
    NAMES,
    SNAPSHOTS,
    Example,
    find_task,
    generate,
    twins,
)

_COUNT = 40


def _text(state: list[int] | tuple[int, ...]) -> str:
    return "".join(LETTERS[token - FIRST] for token in state[1:])


def _letters(example: Example) -> tuple[str, str]:
    """Return what the task calls A and B in this instance; B is inserted in every task."""
    task, meta = find_task(example.task)
    if not meta:
        return "A", "B"
    place = re.sub("[()]", "", task.pattern).index("A")
    inserted = [edit.content for edit in example.sequence.edits if edit.content != DELETE]
    return example.matches[0][place], LETTERS[inserted[0] - FIRST] if inserted else ""


def _named(example: Example) -> tuple[str, str]:
    task, _ = find_task(example.task)
    a, b = _letters(example)
    names = str.maketrans({"A": a, "B": b})
    return task.pattern.translate(names), task.replacement.translate(names)


@pytest.mark.parametrize("name", NAMES)
def test_edits_are_what_re_does(name: str) -> None:
    for example in generate(name, _COUNT, seed=5):
        before = _text(example.sequence.initial)
        assert len(before) == LENGTH
        assert len(example.starts) == len(example.matches) >= SNAPSHOTS - 1
        pattern, replacement = _named(example)
        assert _text(example.sequence.final()) == re.sub(pattern, replacement, before)
        assert example.matches == tuple(found.group() for found in re.finditer(pattern, before))


@pytest.mark.parametrize("name", NAMES)
def test_every_replacement_is_a_snapshot(name: str) -> None:
    for example in generate(name, _COUNT, seed=6):
        pattern, replacement = _named(example)
        states = list(example.sequence.states())
        before = _text(example.sequence.initial)
        for number, start in enumerate(example.starts):
            done = re.sub(pattern, replacement, before, count=number) if number else before
            assert _text(states[start]) == done


@pytest.mark.parametrize("name", NAMES)
def test_edits_per_replacement_are_the_papers(name: str) -> None:
    for example in generate(name, _COUNT, seed=8):
        task, meta = find_task(example.task)
        ends = (*example.starts, len(example.sequence.edits))
        assert {end - start for start, end in pairwise(ends)} == {task.edits}
        assert example.given == (task.edits if meta else 0)


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_all_that_lead_to_the_same_text(name: str) -> None:
    for example in generate(name, 4, seed=9):
        sequence = example.sequence
        items = list(range(len(sequence.initial)))
        states = list(sequence.states())
        for number, (edit, twin) in enumerate(zip(sequence.edits, twins(sequence), strict=True)):
            deletes = edit.content == DELETE
            same = [
                item
                for rank, item in enumerate(items)
                if not (deletes and rank == 0)
                and EditSequence(tuple(states[number]), (Edit(rank, edit.content),)).final()
                == states[number + 1]
            ]
            assert sorted(twin) == sorted(same)
            rank = items.index(edit.position)
            if deletes:
                del items[rank]
            else:
                items.insert(rank + 1, len(sequence.initial) + number)


def test_meta_tasks_draw_their_letters() -> None:
    pairs = Counter(_letters(example) for example in generate("MetaAppend1", 900, seed=10))
    assert len(pairs) == 90  # every pair of different letters
    assert all(a != b for a, b in pairs)


def test_multitask_mixes_all_meta_tasks() -> None:
    mixed = Counter(example.task for example in generate(MULTITASK, 600, seed=11))
    assert set(mixed) == {name for name in NAMES if name.startswith("Meta")}


def test_strings_are_uniform_among_those_with_enough_matches() -> None:
    """Append1: how many letters are A is binomial, given that three are."""
    count = 6000
    found = Counter(len(example.matches) for example in generate("Append1", count, seed=12))
    chance = {k: math.comb(30, k) * 0.1**k * 0.9 ** (30 - k) for k in range(3, 31)}
    total = sum(chance.values())
    for k in range(3, 9):
        expected = count * chance[k] / total
        assert abs(found[k] - expected) < 4.5 * math.sqrt(expected), k


def test_strings_are_those_of_rejection() -> None:
    """Flip11, whose matches overlap: the share of A at every place, and of every count."""
    draw = np.random.default_rng(13)
    drawn = ("".join(map(LETTERS.__getitem__, row)) for row in draw.integers(10, size=(40_000, 30)))
    kept = [text for text in drawn if len(re.findall("(.)A(.)", text)) >= 3]
    made = [_text(one.sequence.initial) for one in generate("Flip11", len(kept), seed=14)]
    noise = 4.5 * math.sqrt(2 * 0.25 * len(kept))
    for place in range(LENGTH):
        theirs, ours = (sum(text[place] == "A" for text in part) for part in (kept, made))
        assert abs(theirs - ours) < noise, place
    for count in (3, 4, 5):
        theirs, ours = (
            sum(len(re.findall("(.)A(.)", text)) == count for text in part) for part in (kept, made)
        )
        assert abs(theirs - ours) < noise, count


def test_same_seed_same_instances() -> None:
    once, again = generate(MULTITASK, 50, seed=3), generate(MULTITASK, 50, seed=3)
    other = generate(MULTITASK, 50, seed=4)
    assert once == again
    assert once != other
    assert generate("Append1", 50, seed=3) != generate("Append3", 50, seed=3)


@pytest.mark.parametrize("name", ["Append2", "meta", "MetaMultiTask", ""])
def test_unknown_tasks_are_told_the_known(name: str) -> None:
    with pytest.raises(ReproductionError, match="Append1, Append3, .*MetaSurround33, MultiTask"):
        generate(name, 1, seed=0)


# -- the paper's diff ------------------------------------------------------------------------------

_texts = st.text("ABC", max_size=9)


@given(before=_texts, after=_texts)
def test_the_longest_block_is_the_first_of_the_longest(before: str, after: str) -> None:
    blocks = [
        (-length, first, other)
        for first in range(len(before))
        for other in range(len(after))
        for length in range(1, len(before) - first + 1)
        if after.startswith(before[first : first + length], other)
    ]
    length, first, other = min(blocks, default=(0, 0, 0))
    assert longest_block(before, after) == (first, other, -length)


@given(before=_texts, after=_texts)
def test_changes_are_what_blocks_leave(before: str, after: str) -> None:
    changes = block_changes(before, after)
    made, at = "", 0
    for a0, a1, b0, b1 in changes:
        assert a0 >= at and (a1 > a0 or b1 > b0)
        made += before[at:a0]
        assert len(made) == b0
        made += after[b0:b1]
        at = a1
    assert made + before[at:] == after
    first, other, length = longest_block(before, after)
    if length:  # what is left and right of the longest block is compared on its own
        left = block_changes(before[:first], after[:other])
        rest = block_changes(before[first + length :], after[other + length :])
        moved = [
            (a0 + first + length, a1 + first + length, b0 + other + length, b1 + other + length)
            for a0, a1, b0, b1 in rest
        ]
        assert changes == [*left, *moved]


def test_the_two_diffs_put_an_insertion_at_different_places() -> None:
    assert block_changes("XAAY", "XAAAY") == [(3, 3, 3, 4)]
    assert diff_tokens("XAAY", "XAAAY") == [(1, 1, 1, 2)]


@pytest.mark.parametrize("name", ["MetaFlip33", "Surround11", "Delete2", MULTITASK])
def test_under_both_diffs_the_texts_are_the_same(name: str) -> None:
    ours, theirs = generate(name, _COUNT, seed=15), generate(name, _COUNT, 15, "longest-block")
    for one, other in zip(ours, theirs, strict=True):
        assert one.matches == other.matches and one.task == other.task
        assert one.sequence.initial == other.sequence.initial
        assert one.sequence.final() == other.sequence.final()
        states = [list(example.sequence.states()) for example in (one, other)]
        for start, begin in zip(one.starts, other.starts, strict=True):
            assert states[0][start] == states[1][begin]
    # Where twins are, the two disagree.
    assert [one.sequence for one in ours] != [one.sequence for one in theirs]
