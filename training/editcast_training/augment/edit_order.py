"""Simulation of the order in which a person could have made a commit, with saves and undos.

A commit records what changed, not in which order. Replayed hunk by hunk from the top, it would
teach that the next edit is always further down. But people save in the middle of a line, stay in
place, go back up, and undo. So the order and the saves are sampled.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.tokenizer import lex, lines
from editcast_training.data.line_changes import LineChange, line_changes

#: The orders of a commit's line hunks, with their shares.
ORDERS = {"left to right": 0.40, "nearest": 0.30, "definitions": 0.15, "random": 0.15}

#: The share of commits made hunk by hunk; the others are split more finely.
WHOLE_HUNKS = 0.4
#: The tokens between two cuts of a finely split commit (bounds of a log-uniform distribution).
_TOKENS_A_SAVE = 6.0, 60.0
_MOST_CUTS = 12

#: The probabilities of a save after a part of a hunk, and after its last part.
SAVED_PART, SAVED_HUNK = 0.7, 0.5
#: The probability that a change is undone and then made again.
UNDONE = 0.05
#: The probability that the end of a hunk is made after the first part of the next one.
RETURNED = 0.15

_DEFINITION = re.compile(
    r"^\s*(?:(?:export|default|async|static|public|private)\s+)*"
    r"(?:def|class|function|interface|type|enum|struct|fn|func|const|let|var)\s+(\w+)",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Part:
    """A change that is made in one go.

    Attributes:
        change: A line hunk, whose first line refers to the file at that time.
        saved: Whether a save follows.
        is_forward: Whether it brings the text closer to the commit's result.
    """

    change: LineChange
    saved: bool
    is_forward: bool = True


def order_edits(changes: Sequence[LineChange], last: int, rng: Random) -> Iterator[Part]:
    """Yield the parts of a commit in the order in which they are made; the last one is saved.

    Args:
        changes: The commit's line hunks, ascending.
        last: The line of the last edit before the commit.
        rng: Decides all that is drawn.
    """
    order = rng.choices(list(ORDERS), list(ORDERS.values()))[0]
    ordered = _ordered(changes, order, last, rng)
    least, most = _TOKENS_A_SAVE
    fine = rng.random() >= WHOLE_HUNKS
    tokens = least * (most / least) ** rng.random()
    plan: list[tuple[int, str]] = []  # the index of a change, and its next text
    for index in ordered:
        texts = _texts(changes[index], tokens, rng) if fine else [_after(changes[index])]
        place = len(plan)
        if plan and fine and rng.random() < RETURNED:
            # The end of the last change comes after the beginning of this one.
            place -= sum(one == plan[-1][0] for one, _ in plan) > 1
        plan[place:place] = [(index, texts[0])]
        plan += [(index, text) for text in texts[1:]]
    now = ["".join(change.before) for change in changes]
    grown = [0] * len(changes)
    for place, (index, text) in enumerate(plan):
        first = changes[index].first + sum(grown[:index])
        before, now[index] = now[index], text
        grown[index] += len(lines(text)) - len(lines(before))
        parts = _moved(line_changes(before, text), first)
        is_last = place == len(plan) - 1
        is_whole = is_last or plan[place + 1][0] != index
        saved = is_last or rng.random() < (SAVED_HUNK if fine and is_whole else SAVED_PART)
        undone = fine and not is_last and rng.random() < UNDONE
        yield from _saved(parts, saved or undone)
        if undone:
            for part in _saved(_moved(line_changes(text, before), first), True):
                yield replace(part, is_forward=False)
            yield from _saved(parts, saved)


def as_saved(changes: Sequence[LineChange]) -> Iterator[Part]:
    """Return the line hunks of one recorded save as `order_edits` does, from the top."""
    return _saved(_moved(changes, 0), True)


def _ordered(changes: Sequence[LineChange], order: str, last: int, rng: Random) -> list[int]:
    """Return the indices of the changes in this order."""
    indices = list(range(len(changes)))
    match order:
        case "random":
            rng.shuffle(indices)
        case "definitions":
            defined = [set(_DEFINITION.findall(_after(change))) for change in changes]
            for change, names in zip(changes, defined, strict=True):
                names -= set(_DEFINITION.findall("".join(change.before)))
            used = [set(_WORD.findall(_after(change))) for change in changes]
            first = {
                one
                for one in indices
                if any(defined[one] & used[other] for other in indices if other != one)
            }
            indices.sort(key=lambda one: one not in first)
        case "nearest":
            near: list[int] = []
            while indices:
                nearest = min(indices, key=lambda one: abs(changes[one].first - last))
                last = changes[nearest].first
                indices.remove(nearest)
                near.append(nearest)
            return near
    return indices


def _after(change: LineChange) -> str:
    return "".join(change.after)


def _texts(change: LineChange, tokens: float, rng: Random) -> list[str]:
    """Return the text of a change's lines after each of its parts; the last is complete."""
    cuts = [
        (index, offset)
        for index, hunk in enumerate(change.hunks)
        for offset in _ends(hunk.text)
        if (index, offset) != (len(change.hunks) - 1, len(hunk.text))
    ]
    count = min(len(cuts), _MOST_CUTS, int(len(cuts) / tokens + rng.random()))
    texts: list[str] = []
    for index, offset in sorted(rng.sample(cuts, count)):
        text = _cut(change, index, offset)
        if text is not None and text != (texts[-1] if texts else "".join(change.before)):
            texts.append(text)
    whole = _after(change)
    return [text for text in texts if text != whole] + [whole]


def _ends(text: str) -> list[int]:
    """Return the offsets at which typing can stop, after each token except white space."""
    tokens = lex(text)
    ends = zip(tokens, accumulate(map(len, tokens)), strict=True)
    return sorted({len(text), *(end for token, end in ends if not token.isspace())})


def _cut(change: LineChange, index: int, offset: int) -> str | None:
    """Return a change's lines, made up to an offset in a hunk; None if they run into the next."""
    hunk = change.hunks[index]
    typed = hunk.text[:offset]
    if hunk.text.endswith("\n") and not typed.endswith("\n"):  # a new line has its end first
        typed += "\r\n" if hunk.text.endswith("\r\n") else "\n"
    made = [*change.hunks[:index], Hunk(hunk.start, hunk.end, typed)]
    text = apply_hunks("".join(change.before), made)
    return text if not text or text.endswith("\n") else None


def _moved(changes: Iterable[LineChange], by: int) -> list[LineChange]:
    """Move line hunks by some lines, and by those that the ones before them add to the file."""
    found = []
    for change in changes:
        found.append(replace(change, first=change.first + by))
        by += change.growth
    return found


def _saved(changes: Sequence[LineChange], saved: bool) -> Iterator[Part]:
    """Yield the changes as parts, with a save after the last one if `saved`."""
    for place, change in enumerate(changes):
        yield Part(change, saved and place == len(changes) - 1)
