"""Plain edits of real files: something is taken out, and the edit puts it back.

Here the content head learns how the language goes on. Lines, blocks and arguments are found by
indentation and commas, so it is the same for every language.
"""

import re
from random import Random

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.tokenizer import lines

#: Pieces taken out together, and how far the next one is, in lines (the bounds of a draw).
_MOST_PIECES = 4
_APART = 1, 60
_MOST_LINES = 8

_ARGUMENT = re.compile(r", [^,()\[\]{}\n]+(?=[,)\]}])")


def without_pieces(text: str, rng: Random) -> str:
    """Take pieces out of a text: lines, blocks of lines, arguments.

    What is missing stands together. A text of blank lines is returned as it is.
    """
    split = lines(text)
    starts = [0]
    for line in split:
        starts.append(starts[-1] + len(line))
    written = [index for index, line in enumerate(split) if line.strip()]
    if not written:
        return text
    at = rng.randrange(len(written))
    taken: dict[int, Hunk] = {}
    for _ in range(rng.randint(1, _MOST_PIECES)):
        index = written[at]
        argument = _argument(split[index], rng)
        if argument is not None:
            taken[index] = Hunk(starts[index] + argument[0], starts[index] + argument[1], "")
        else:
            end = _block_end(split, index) if rng.random() < 0.4 else index + 1
            taken[index] = Hunk(starts[index], starts[end], "")
        near, far = _APART
        step = int(near * (far / near) ** rng.random())
        at = (at + step * rng.choice((1, 1, -1))) % len(written)
    hunks: list[Hunk] = []
    for _, hunk in sorted(taken.items()):
        if not hunks or hunks[-1].end <= hunk.start:
            hunks.append(hunk)
    return apply_hunks(text, hunks)


def _argument(line: str, rng: Random) -> tuple[int, int] | None:
    found = [match.span() for match in _ARGUMENT.finditer(line)]
    return rng.choice(found) if found and rng.random() < 0.6 else None


def _block_end(split: list[str], index: int) -> int:
    """Return the line behind a line and the indented block under it, if it is short."""
    end = index + 1
    while end < len(split) and (
        not split[end].strip() or _indentation(split[end]) > _indentation(split[index])
    ):
        end += 1
    while end > index + 1 and not split[end - 1].strip():
        end -= 1
    return end if end - index <= _MOST_LINES else index + 1


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
