"""The paper's diff: the longest matching block stays, and so on in what is left and right of it.

Of blocks that are equally long, the one that begins first in the text before is taken, and of
these the one that begins first in the text after.
"""

from collections.abc import Hashable, Iterator, Sequence

#: What changes: tokens `a0` to `a1` of the text before become `b0` to `b1` of the text after.
Change = tuple[int, int, int, int]


def block_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Change]:
    """Return the changes between two token sequences, in their order."""
    changes = []
    a = b = 0
    end = (len(before), len(after), 0)
    for first, other, length in [*_blocks(before, after, 0, 0), end]:
        if first > a or other > b:
            changes.append((a, first, b, other))
        a, b = first + length, other + length
    return changes


def _blocks(
    before: Sequence[Hashable], after: Sequence[Hashable], a: int, b: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks that stay, in their order; the sequences begin at `a` and `b`."""
    first, other, length = longest_block(before, after)
    if not length:
        return
    yield from _blocks(before[:first], after[:other], a, b)
    yield a + first, b + other, length
    behind, beyond = first + length, other + length
    yield from _blocks(before[behind:], after[beyond:], a + behind, b + beyond)


def longest_block(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int, int]:
    """Return where the longest common block begins in each sequence, and its length."""
    places: dict[Hashable, list[int]] = {}
    for place, token in enumerate(after):
        places.setdefault(token, []).append(place)
    best = (0, 0, 0)
    ending: dict[
        int, int
    ] = {}  # by its last place in `after`, the length of a block that ends here
    for last, token in enumerate(before):
        ending = {place: ending.get(place - 1, 0) + 1 for place in places.get(token, ())}
        for place, length in ending.items():
            if length > best[2]:
                best = (last - length + 1, place - length + 1, length)
    return best
