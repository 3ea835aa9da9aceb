"""Infilling examples from real files: pieces are removed, and the edit puts them back.

They teach the content head the language. Lines, blocks and arguments are found by indentation and
commas, so this works for every language.
"""

import re
from itertools import accumulate
from random import Random

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.tokenizer import lines

#: The maximum number of pieces, and the bounds of the distance between them in lines.
_MOST_PIECES = 4
_APART = 1, 60
_MOST_LINES = 8

_ARGUMENT = re.compile(r", [^,()\[\]{}\n]+(?=[,)\]}])")


def without_pieces(text: str, rng: Random) -> str:
    """Remove neighbouring pieces of a text, if it is not blank: lines, blocks, arguments."""
    split = lines(text)
    starts = list(accumulate(map(len, split), initial=0))
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
    """Return the line after a line and the indented block below it, if the block is short."""
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
