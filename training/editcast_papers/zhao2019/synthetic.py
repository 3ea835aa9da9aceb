"""The synthetic tasks of Zhao et al. (2019), section 5.1: a pattern replaced again and again.

A string of `LENGTH` letters, each uniform over `LETTERS`, in which a regular expression (with
Python's semantics) is replaced left to right. Every whole replacement is a snapshot; strings with
fewer than `SNAPSHOTS` of them, the string itself included, do not count. The edits are the diff
between successive snapshots, one token at a time and left to right: the canonical one, or the
paper's, by longest matching blocks.

In a task's Meta twin the letters that its pattern names are drawn anew for each instance, so that
the first replacement has to tell what is replaced by what: its edits are given, not scored.
`MultiTask` draws a Meta task for each instance.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from editcast_model.diff import diff_tokens
from editcast_model.edits import DELETE, START, Edit
from editcast_model.errors import ReproductionError
from editcast_papers.zhao2019.block_diff import Change, block_changes
from editcast_papers.zhao2019.edit_sequence import EditSequence

LENGTH, SNAPSHOTS = 30, 4
LETTERS = "ABCDEFGHIJ"
FIRST = 4  # the id of the first letter: PAD, START, DELETE and SAVE come before
VOCABULARY = FIRST + len(LETTERS)
MULTITASK = "MultiTask"
Diff = Literal["canonical", "longest-block"]


@dataclass(frozen=True, slots=True)
class Task:
    """A pattern and its replacement, with A and B for the letters that a Meta task draws.

    Attributes:
        name: As in the paper's tables.
        pattern: A regular expression of ``.``, ``A`` and groups.
        replacement: What `re` puts in its place.
        edits: The paper's edits per replacement.
        displacement: The paper's average context displacement: how far each copied letter stands
            from where it was copied.
    """

    name: str
    pattern: str
    replacement: str
    edits: int
    displacement: float


PLAIN = (
    Task("Append1", "A", "AB", 1, 0),
    Task("Append3", "A", "ABBB", 3, 0),
    Task("ContextAppend11", "(.)A", r"\1A\1", 1, 2),
    Task("ContextAppend13", "(.)A", r"\1A\1\1\1", 3, 3),
    Task("ContextAppend31", "(...)A", r"\1A\1", 3, 4),
    Task("ContextAppend33", "(...)A", r"\1A\1\1\1", 9, 7),
    Task("ContextAppend52", "(.....)A", r"\1A\1\1", 10, 8.5),
    Task("ContextReverse31", "(.)(.)(.)A", r"\1\2\3A\3\2\1", 3, 4),
    Task("ContextReverse51", "(.)(.)(.)(.)(.)A", r"\1\2\3\4\5A\5\4\3\2\1", 5, 6),
    Task("Delete2", "AA", "", 2, 0),
    Task("Flip11", "(.)A(.)", r"\2\1A\2\1", 2, 3),
    Task("Flip33", "(...)A(...)", r"\2\2\2\1A\2\1\1\1", 18, 10),
    Task("Replace2", "AA", "BB", 4, 0),
    Task("Surround11", "(.)A(.)", r"\1\1A\2\2", 2, 1),
    Task("Surround33", "(...)A(...)", r"\1\1\1\1A\2\2\2\2", 18, 6),
)
_BY_NAME = {task.name: task for task in PLAIN}
NAMES = (*_BY_NAME, *(f"Meta{name}" for name in _BY_NAME), MULTITASK)


@dataclass(frozen=True, slots=True)
class Example:
    """One instance of a task.

    Attributes:
        task: The task's name; of a MultiTask instance, the Meta task that it is of.
        sequence: The initial state and its edits; explicit and implicit forms come from it.
        starts: The index of each replacement's first edit; where these are scored they are jumps.
        given: How many edits are conditioning and not scored.
        matches: What stood where each replacement was made.
    """

    task: str
    sequence: EditSequence
    starts: tuple[int, ...]
    given: int
    matches: tuple[str, ...]


def find_task(name: str) -> tuple[Task, bool]:
    """Return the task of a name, and whether it is its Meta twin.

    Raises:
        ReproductionError: There is no such task; the message lists them.
    """
    if name in _BY_NAME:
        return _BY_NAME[name], False
    if name.removeprefix("Meta") in _BY_NAME:
        return _BY_NAME[name.removeprefix("Meta")], True
    raise ReproductionError(f"There is no task {name}; there are {', '.join(NAMES)}.")


def generate(name: str, count: int, seed: int, diff: Diff = "canonical") -> list[Example]:
    """`count` instances of a task; the same for the same seed, but for their diff.

    Raises:
        ReproductionError: There is no such task.
    """
    draw = np.random.default_rng([seed, NAMES.index(name) if name in NAMES else 0])
    if name != MULTITASK:
        task, meta = find_task(name)
        return list(_generate(task, meta, count, draw, diff))
    chosen = draw.integers(len(PLAIN), size=count)
    pools = [
        _generate(task, True, int((chosen == index).sum()), draw, diff)
        for index, task in enumerate(PLAIN)
    ]
    return [next(pools[index]) for index in chosen]


def _generate(
    task: Task, meta: bool, count: int, draw: np.random.Generator, diff: Diff
) -> Iterator[Example]:
    marked = _marks(_shape(task.pattern), count, draw)
    size = len(LETTERS)
    first = draw.integers(size, size=count) if meta else np.zeros(count, np.int64)
    second = (first + (draw.integers(1, size, size=count) if meta else 1)) % size
    others = (first[:, None] + draw.integers(1, size, size=marked.shape)) % size
    letters = np.where(marked, first[:, None], others)
    name = f"Meta{task.name}" if meta else task.name
    for row, a, b in zip(letters.tolist(), first.tolist(), second.tolist(), strict=True):
        text = "".join(map(LETTERS.__getitem__, row))
        # Both at once: the second letter may be called A.
        names = str.maketrans({"A": LETTERS[a], "B": LETTERS[b]})
        pattern, replacement = (one.translate(names) for one in (task.pattern, task.replacement))
        yield _example(name, text, pattern, replacement, meta, diff)


def _shape(pattern: str) -> list[bool]:
    """Return the places of a match that must hold the marked letter."""
    return [letter == "A" for letter in re.sub("[()]", "", pattern)]


def _automaton(shape: Sequence[bool]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the search for matches, one letter at a time.

    Its state is what was read since the last match, or since the first place where one may still
    begin; state 0 has read nothing.

    Returns:
        The state that follows, (states, 2), and whether a match ends there, (states, 2), by
        whether the letter is the marked one.
    """
    numbers: dict[tuple[bool, ...], int] = {(): 0}
    queue: list[tuple[bool, ...]] = [()]
    following, matching = [], []
    for read in queue:
        for mark in (False, True):
            window = (*read, mark)
            match = len(window) == len(shape) and all(
                seen or not wanted for seen, wanted in zip(window, shape, strict=True)
            )
            kept = () if match else window[max(len(window) - len(shape) + 1, 0) :]
            if kept not in numbers:
                numbers[kept] = len(numbers)
                queue.append(kept)
            following.append(numbers[kept])
            matching.append(int(match))
    return np.array(following).reshape(-1, 2), np.array(matching).reshape(-1, 2)


def _marks(shape: Sequence[bool], count: int, draw: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Return the marked letter's places, bool (count, LENGTH), of strings with enough matches.

    Few strings have enough (three times AA: one in hundreds), so they are not drawn and thrown
    away: going backwards gives the chance that a state of the search sees enough matches in what
    is left, and going forwards, each letter is drawn with that chance.
    """
    step, match = _automaton(shape)
    wanted = SNAPSHOTS - 1
    share = 1 - 1 / len(LETTERS), 1 / len(LETTERS)
    missing = np.arange(wanted + 1)
    chance = np.zeros((LENGTH + 1, len(step), wanted + 1))  # letters left, state, matches missing
    chance[:, :, 0] = 1.0
    for left in range(1, LENGTH + 1):
        for mark in (0, 1):
            after = np.maximum(missing[None, :] - match[:, mark, None], 0)
            chance[left, :, 1:] += share[mark] * chance[left - 1][step[:, mark, None], after][:, 1:]
    state, need = np.zeros(count, np.int64), np.full(count, wanted)
    out = np.zeros((count, LENGTH), np.bool_)
    for place in range(LENGTH):
        left = LENGTH - place
        after = np.maximum(need - match[state, 1], 0)
        odds = share[1] * chance[left - 1, step[state, 1], after] / chance[left, state, need]
        marked = (draw.random(count) < odds).astype(np.int64)
        need = np.maximum(need - match[state, marked], 0)
        state = step[state, marked]
        out[:, place] = marked
    return out


def _example(
    name: str, text: str, pattern: str, replacement: str, meta: bool, diff: Diff
) -> Example:
    items = list(range(len(text) + 1))
    edits: list[Edit] = []
    starts: list[int] = []
    matches = []
    now = text
    moved = 0
    for match in re.finditer(pattern, text):
        start, end = match.start() + moved, match.end() + moved
        after = now[:start] + match.expand(replacement) + now[end:]
        starts.append(len(edits))
        matches.append(match.group())
        changes = (diff_tokens if diff == "canonical" else block_changes)(now, after)
        _append_edits(edits, items, changes, after, len(text) + 1)
        moved += len(after) - len(now)
        now = after
    initial = (START, *(FIRST + LETTERS.index(letter) for letter in text))
    given = (*starts, len(edits))[1] if meta else 0
    return Example(name, EditSequence(initial, tuple(edits)), tuple(starts), given, tuple(matches))


def _append_edits(
    edits: list[Edit], items: list[int], changes: Sequence[Change], after: str, size: int
) -> None:
    """Add the implicit edits that make `after`; `items` are of the text before, then of `after`."""
    shift = 1  # the start token
    for a0, a1, b0, b1 in changes:
        at = a0 + shift
        for item in items[at : at + a1 - a0]:
            edits.append(Edit(item, DELETE))
        del items[at : at + a1 - a0]
        for letter in after[b0:b1]:
            edits.append(Edit(items[at - 1], FIRST + LETTERS.index(letter)))
            items.insert(at, size + len(edits) - 1)
            at += 1
        shift += (b1 - b0) - (a1 - a0)


def twins(sequence: EditSequence) -> list[tuple[int, ...]]:
    """For each edit, the items it could as well point at: the same text would come of it.

    A letter inserted beside its like can stand before or behind it. Every edit's own position is
    among its twins.
    """
    items = list(range(len(sequence.initial)))
    tokens = list(sequence.initial)
    out = []
    for number, edit in enumerate(sequence.edits):
        low = high = place = items.index(edit.position)
        deletes = edit.content == DELETE
        token = tokens[place] if deletes else edit.content
        # START is nobody's twin. What is deleted can be any of a run; what is inserted can come
        # after any of it, or after what stands before it.
        while tokens[low - deletes] == token:
            low -= 1
        while high + 1 < len(tokens) and tokens[high + 1] == token:
            high += 1
        out.append(tuple(items[low : high + 1]))
        if deletes:
            del items[place], tokens[place]
        else:
            items.insert(place + 1, len(sequence.initial) + number)
            tokens.insert(place + 1, token)
    return out
