"""Alignment of two sequences by their longest common subsequence, fast for long ones too.

rapidfuzz finds a longest common subsequence in time and memory proportional to the product of the
lengths. So long sequences are split first at elements that occur once on each side (the anchors of
patience diff). If there are too few, runs of 2, 4, .. 64 elements are used. If even these repeat,
the n-th occurrence of an element is matched with the n-th occurrence on the other side.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel

# Products of lengths. Below the first, LCS takes a fraction of a millisecond, so anchors would not
# pay off. Up to the second it takes 15 ms and 12 MB, and is used if anchors are rare.
_SMALL = 1_000_000
_LARGE = 100_000_000
_LONGEST_RUN = 64
# Anchors are used if there is at least one for this many elements of the shorter side. A few
# anchors might be lines that moved, and would prevent all other matches.
_DENSE = 64
# Maximum depth of splits; each takes time proportional to the length.
_DEEPEST = 8

# A change between two unchanged parts: before[a:b] becomes after[c:d].
Change = tuple[int, int, int, int]

_Ints = npt.NDArray[np.int64]


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Change]:
    """Return the changes from one sequence to the other, ascending, with equal elements between.

    The number of deleted and inserted elements is minimal if the product of the lengths, without
    equal ends, is at most a million; otherwise it is nearly minimal.
    """
    head, tail = common_ends(before, after)
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(a) * len(b) <= _SMALL:
        found = _lcs(a, b)
    else:
        numbers: dict[Hashable, int] = defaultdict(count().__next__)
        x = np.fromiter(map(numbers.__getitem__, a), np.int64, len(a))
        y = np.fromiter(map(numbers.__getitem__, b), np.int64, len(b))
        found = _split(x, y, 0)
    return [(i0 + head, i1 + head, j0 + head, j1 + head) for i0, i1, j0, j1 in found]


def common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    """Count the elements that are equal from the start, and from the end of the rest."""
    head = _most(min(len(a), len(b)), lambda low, high: a[low:high] == b[low:high])
    return head, _most(
        min(len(a), len(b)) - head,
        lambda low, high: a[len(a) - high : len(a) - low] == b[len(b) - high : len(b) - low],
    )


def _most(high: int, is_equal: Callable[[int, int], bool]) -> int:
    """Count elements up to the first that differs; comparing slices is fastest."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _lcs(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Change]:
    """Yield the changes around a longest common subsequence."""
    if not a or not b:
        if a or b:
            yield 0, len(a), 0, len(b)
        return
    # rapidfuzz is fastest on strings, and characters, unlike hashes, never collide.
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    letters = {element: chr(n) for n, element in enumerate(dict.fromkeys(short), 1)}
    x = "".join([letters[element] for element in short])
    y = "".join([letters.get(element, "\0") for element in long])
    if short is b:
        x, y = y, x
    change: Change | None = None
    for part in Indel.opcodes(x, y):
        if part.tag == "equal":
            if change:
                yield change
            change = None
        elif change:
            change = change[0], part.src_end, change[2], part.dest_end
        else:
            change = part.src_start, part.src_end, part.dest_start, part.dest_end
    if change:
        yield change


def _split(x: _Ints, y: _Ints, depth: int) -> Iterator[Change]:
    """Yield the changes between two sequences of numbers that differ at both ends."""
    if len(x) * len(y) <= _SMALL:
        yield from _lcs(x.tolist(), y.tolist())
        return
    places = _anchors(x, y) if depth < _DEEPEST else None
    if places is None:
        if len(x) * len(y) <= _LARGE:
            yield from _lcs(x.tolist(), y.tolist())
        else:
            yield 0, len(x), 0, len(y)
        return
    i = np.concatenate([[-1], places[0], [len(x)]])
    j = np.concatenate([[-1], places[1], [len(y)]])
    # Between most anchors nothing changed.
    partner = np.arange(len(x)) + np.repeat(j - i, np.diff(i, append=len(x)))[1:]
    same = x == y[np.minimum(partner, len(y) - 1)]
    unlike = np.concatenate([[0], np.cumsum(~same)])
    gaps = np.flatnonzero((np.diff(i) != np.diff(j)) | (unlike[i[1:]] > unlike[i[:-1] + 1]))
    for i0, i1, j0, j1 in zip(i[gaps] + 1, i[gaps + 1], j[gaps] + 1, j[gaps + 1], strict=True):
        head = equal_from_start(x[i0:i1], y[j0:j1])
        i0, j0 = i0 + head, j0 + head
        tail = equal_from_start(x[i0:i1][::-1], y[j0:j1][::-1])
        for a0, a1, b0, b1 in _split(x[i0 : i1 - tail], y[j0 : j1 - tail], depth + 1):
            yield int(i0) + a0, int(i0) + a1, int(j0) + b0, int(j0) + b1


def equal_from_start(x: _Ints, y: _Ints) -> int:
    """Count the numbers that are equal from the start."""
    size = min(len(x), len(y))
    different = x[:size] != y[:size]
    return int(different.argmax()) if different.any() else size


def _anchors(x: _Ints, y: _Ints) -> tuple[_Ints, _Ints] | None:
    """Find places where both sequences are certainly equal, ascending on both sides.

    Return None to align without anchors.
    """
    enough = max(1, min(len(x), len(y)) // _DENSE)
    found: list[tuple[_Ints, _Ints]] = []
    runs_x, runs_y, run = x, y, 1
    while run <= _LONGEST_RUN and len(runs_x) and len(runs_y):
        found.append(_longest_chain(*_unique_common(runs_x, runs_y)))
        if len(found[-1][0]) >= enough:
            return found[-1]
        if len(x) * len(y) <= _LARGE:
            return None
        runs_x, runs_y = _doubled(runs_x, runs_y, run)
        run *= 2
    found.append(_longest_chain(*_unique_common(*_numbered(x, y))))
    best = max(found, key=lambda places: len(places[0]))
    return best if len(best[0]) else None


def _unique_common(x: _Ints, y: _Ints) -> tuple[_Ints, _Ints]:
    """Find the places of numbers that occur once in `x` and once in `y`, in the order of `x`."""
    in_x, first_x, count_x = np.unique(x, return_index=True, return_counts=True)
    in_y, first_y, count_y = np.unique(y, return_index=True, return_counts=True)
    once_x, once_y = count_x == 1, count_y == 1
    _, at_x, at_y = np.intersect1d(
        in_x[once_x], in_y[once_y], assume_unique=True, return_indices=True
    )
    i, j = first_x[once_x][at_x], first_y[once_y][at_y]
    order = np.argsort(i)
    return i[order], j[order]


def _longest_chain(i: _Ints, j: _Ints) -> tuple[_Ints, _Ints]:
    """Return the longest chain of pairs that ascend in `i` and `j`, by patience sorting."""
    if (np.diff(j) > 0).all():
        return i, j
    ends: list[int] = []  # the smallest end of a chain of each length
    ending: list[int] = []  # which pair that is
    previous: list[int] = []
    for index, place in enumerate(j.tolist()):
        k = len(ends) if not ends or place > ends[-1] else bisect_left(ends, place)
        previous.append(ending[k - 1] if k else -1)
        if k == len(ends):
            ends.append(place)
            ending.append(index)
        else:
            ends[k], ending[k] = place, index
    kept = []
    at = ending[-1]
    while at >= 0:
        kept.append(at)
        at = previous[at]
    kept.reverse()
    return i[kept], j[kept]


def _doubled(x: _Ints, y: _Ints, run: int) -> tuple[_Ints, _Ints]:
    """Assign numbers to runs of twice the length, given those of all runs of length `run`."""
    size = int(max(x.max(), y.max())) + 1
    pairs_x, pairs_y = x[:-run] * size + x[run:], y[:-run] * size + y[run:]
    _, numbers = np.unique(np.concatenate([pairs_x, pairs_y]), return_inverse=True)
    return numbers[: len(pairs_x)], numbers[len(pairs_x) :]


def _numbered(x: _Ints, y: _Ints) -> tuple[_Ints, _Ints]:
    """Assign numbers to the pairs of an element and the count of its earlier occurrences."""
    size = max(len(x), len(y))

    def occurrences(sequence: _Ints) -> _Ints:
        order = np.argsort(sequence, kind="stable")
        ordered = sequence[order]
        out = np.empty_like(order)
        out[order] = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        return out

    return x * size + occurrences(x), y * size + occurrences(y)


def counterpart(word: str, then: Sequence[str], now: Sequence[str]) -> str | None:
    """Return the token that stands in a list where another one did in another list.

    It is the same if it is there, or else the only identifier between the same two tokens; None
    where that is unknown.
    """
    if word in now or not word.isidentifier():
        return word
    around = _beside(then, then.index(word))
    places = (at for at, one in enumerate(now) if one.isidentifier())
    found = {now[at] for at in places if _beside(now, at) == around}
    return found.pop() if len(found) == 1 else None


def _beside(tokens: Sequence[str], at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the token on each side of one; none at the ends."""
    return tuple(tokens[at - 1 : at]), tuple(tokens[at + 1 : at + 2])
