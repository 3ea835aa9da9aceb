"""Two snapshots of a text to the hunks that a person would have typed between them.

Lines first, then lexical tokens inside changed blocks of lines, both by rapidfuzz (LCS). Several
diffs are equally short; this one is canonical:

1. Blocks of lines only inserted or only deleted are slid to begin at their least indented line;
   among equals at the last place.
2. Inside a block, a run of tokens only inserted or only deleted is slid to the first place where
   it is whole lines, else to the first place there is.
3. Changes inside a block are one hunk when all that stands between them has no word in it and is
   no longer than either of them.

`diff_tokens` works on any tokens (rule 2 without lines); the synthetic tasks use it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from editcast_model.tokens import lex, lines

# LCS takes time and memory with the product of the lengths (12 MB here): longer blocks that no
# unique common line splits are replaced whole.
_LARGEST_PRODUCT = 100_000_000
_SPLIT_AT_UNIQUE = 1_000


@dataclass(frozen=True, slots=True)
class Hunk:
    """A replacement: `text` instead of the code points from `start` to `end` of the text before."""

    start: int
    end: int
    text: str


# A change of tokens or lines: before[a:b] becomes after[c:d].
Change = tuple[int, int, int, int]


def apply_hunks(text: str, hunks: Iterable[Hunk]) -> str:
    """`text` with all hunks applied at once; they are ascending and disjoint."""
    out: list[str] = []
    done = 0
    for hunk in hunks:
        out += (text[done : hunk.start], hunk.text)
        done = hunk.end
    out.append(text[done:])
    return "".join(out)


def diff(before: str, after: str) -> tuple[Hunk, ...]:
    """The canonical hunks from `before` to `after`, ascending, disjoint, on token boundaries."""
    if before == after:
        return ()
    a, b = lines(before), lines(after)
    hunks: list[Hunk] = []
    offset = line = 0
    for start, end, low, high in _slide_lines(a, b, list(_changes(a, b))):
        offset += sum(map(len, a[line:start]))
        hunks += _diff_block("".join(a[start:end]), "".join(b[low:high]), offset)
        offset += sum(map(len, a[start:end]))
        line = end
    return tuple(hunks)


def diff_tokens(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Change]:
    """The canonical changes between two token sequences, each as far left as it can stand."""
    return _slide_tokens(before, after, list(_changes(before, after)), lambda tokens: False)


def _diff_block(before: str, after: str, offset: int) -> Iterator[Hunk]:
    """Hunks inside a block of lines that begins at code point `offset`."""
    if not before or not after:
        yield Hunk(offset, offset + len(before), after)
        return
    a, b = lex(before), lex(after)
    changes = _slide_tokens(a, b, list(_changes(a, b)), _whole_lines)
    token = 0
    for start, end, low, high in _merge(a, changes):
        offset += sum(map(len, a[token:start]))
        size = sum(map(len, a[start:end]))
        yield Hunk(offset, offset + size, "".join(b[low:high]))
        offset += size
        token = end


def _changes(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Change]:
    """Changes by LCS, common ends trimmed, long sequences split at unique common elements."""
    size = min(len(a), len(b))
    head = next((i for i in range(size) if a[i] != b[i]), size)
    size -= head
    tail = next((i for i in range(size) if a[-1 - i] != b[-1 - i]), size)
    yield from _changes_between(a, head, len(a) - tail, b, head, len(b) - tail)


def _changes_between(
    a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int
) -> Iterator[Change]:
    if a0 == a1 or b0 == b1:
        if a0 < a1 or b0 < b1:
            yield a0, a1, b0, b1
        return
    if max(a1 - a0, b1 - b0) > _SPLIT_AT_UNIQUE:
        anchors = _unique_common(a, a0, a1, b, b0, b1)
        if anchors:
            for i, j in [*anchors, (a1, b1)]:
                yield from _trimmed(a, a0, i, b, b0, j)
                a0, b0 = i + 1, j + 1
            return
        if (a1 - a0) * (b1 - b0) > _LARGEST_PRODUCT:
            yield a0, a1, b0, b1
            return
    change: Change | None = None
    for kind, i0, i1, j0, j1 in Indel.opcodes(a[a0:a1], b[b0:b1]):
        if kind == "equal":
            if change:
                yield change
            change = None
        elif change:
            change = change[0], a0 + i1, change[2], b0 + j1
        else:
            change = a0 + i0, a0 + i1, b0 + j0, b0 + j1
    if change:
        yield change


def _trimmed(
    a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int
) -> Iterator[Change]:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    yield from _changes_between(a, a0, a1, b, b0, b1)


def _unique_common(
    a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int
) -> list[tuple[int, int]]:
    """Pairs of equal elements that stand once on each side, the longest ascending chain."""
    count_a, count_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    place = {b[j]: j for j in range(b0, b1) if count_b[b[j]] == 1}
    pairs = [(i, place[a[i]]) for i in range(a0, a1) if count_a[a[i]] == 1 and a[i] in place]
    # Longest increasing subsequence by patience: ends[k] is the smallest end of a chain of k + 1.
    ends: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        k = len(ends) if not ends or j > ends[-1] else bisect_left(ends, j)
        before.append(chain[k - 1] if k else -1)
        if k == len(ends):
            ends.append(j)
            chain.append(index)
        else:
            ends[k], chain[k] = j, index
    out: list[tuple[int, int]] = []
    at = chain[-1] if chain else -1
    while at >= 0:
        out.append(pairs[at])
        at = before[at]
    return out[::-1]


def _reach(
    tokens: Sequence[Hashable], start: int, end: int, low: int, high: int
) -> tuple[int, int]:
    """How far tokens[start:end] can slide inside tokens[low:high] and read the same."""
    left = 0
    while start - left > low and tokens[start - left - 1] == tokens[end - left - 1]:
        left += 1
    right = 0
    while end + right < high and tokens[start + right] == tokens[end + right]:
        right += 1
    return left, right


def _slide(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    changes: list[Change],
    choose: Callable[[Sequence[Hashable], int, int, range], int],
) -> list[Change]:
    """Move each pure insertion or deletion to the place `choose` picks among the equal ones."""
    out: list[Change] = []
    for index, (a0, a1, b0, b1) in enumerate(changes):
        pure = a0 == a1 or b0 == b1
        if pure:
            past = out[-1] if out else (-1, 0, -1, 0)
            ahead = changes[index + 1] if index + 1 < len(changes) else None
            if a0 == a1:
                tokens, start, end = b, b0, b1
                low, high = past[3], ahead[2] if ahead else len(b)
            else:
                tokens, start, end = a, a0, a1
                low, high = past[1], ahead[0] if ahead else len(a)
            left, right = _reach(tokens, start, end, low, high)
            if left or right:
                by = choose(tokens, start, end, range(-left, right + 1))
                a0, a1, b0, b1 = a0 + by, a1 + by, b0 + by, b1 + by
            if out and (a0 == past[1] and b0 == past[3]):
                out[-1] = past[0], a1, past[2], b1
                continue
        out.append((a0, a1, b0, b1))
    return out


def _slide_lines(a: list[str], b: list[str], changes: list[Change]) -> list[Change]:
    def choose(block: Sequence[Hashable], start: int, end: int, shifts: range) -> int:
        def indent(shift: int) -> int:
            line = str(block[start + shift])
            return len(line) - len(line.lstrip()) if line.strip() else 1 << 30

        return min(shifts, key=lambda shift: (indent(shift), -shift))

    return _slide(a, b, changes, choose)


def _slide_tokens(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    changes: list[Change],
    whole: Callable[[Sequence[Hashable]], bool],
) -> list[Change]:
    def choose(tokens: Sequence[Hashable], start: int, end: int, shifts: range) -> int:
        for shift in shifts:
            before = tokens[start + shift - 1 : start + shift]
            if (not before or whole(before)) and whole(tokens[start + shift : end + shift]):
                return shift
        return shifts[0]

    return _slide(a, b, changes, choose)


def _whole_lines(tokens: Sequence[Hashable]) -> bool:
    return str(tokens[-1]).endswith("\n")


def _merge(a: list[str], changes: list[Change]) -> list[Change]:
    """Join changes with nothing but a little punctuation or white space between them."""
    out: list[Change] = []
    for change in changes:
        while out:
            past = out[-1]
            between = a[past[1] : change[0]]
            sizes = (
                max(past[1] - past[0], past[3] - past[2]),
                max(change[1] - change[0], change[3] - change[2]),
            )
            if len(between) > min(sizes) or any(
                token[0].isalnum() or token[0] == "_" or token.endswith("\n") for token in between
            ):
                break
            out.pop()
            change = past[0], change[1], past[2], change[3]
        out.append(change)
    return out
