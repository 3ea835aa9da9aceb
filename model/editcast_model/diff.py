"""Diff of two snapshots into the hunks that a person would have typed.

Lines are aligned first, then the lexical tokens within changed blocks of lines. Of several equally
short diffs, this one is canonical. A pure insertion or deletion that could also be at another place
(deleting one of two equal lines, for example) is slid:

1. Lines are slid so that their first nonblank line is indented least; among equal places so that
   they do not begin with a line that is indented less than the line above (which closes a block),
   then to the last place.
2. Tokens within a block are slid so that they are whole lines: those indented least, then the last.
   If that is impossible, to where brackets are nested least; among equal places so that they do not
   begin with an opening bracket (which belongs to the word before it), then so that they do not end
   with a separator or a blank (``, x`` rather than ``x,``), then to the last place.
3. If a line was changed and lines were added after it, the alignment may find the rest of the
   changed line at the end of the last added line. The rest is aligned with the first line instead,
   so that whole lines are added. The same holds before a changed line, and for deleted lines.
4. Changes within a block are joined into one hunk if the text between them contains no word and no
   bracket, and is no longer than either change.

`diff_tokens` works on any tokens and slides them to the first possible place.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TypeVar

from editcast_model.alignment import Change, align, common_ends
from editcast_model.tokenizer import lex, lines

# Of larger blocks, in characters, only the ends stay: of files in which every line changed, or of
# one that is a single line.
_LARGEST_BLOCK = 500_000
# What is a token of its own, whatever stands beside it.
_SIGN = re.compile(r"[^\w\s]")
# The maximum distance of sliding.
_FURTHEST = 1_000
# The number of cached results, and the maximum length of their two texts together.
_MOST_KEPT, _LONGEST_KEPT = 64, 400_000

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_SEPARATORS = frozenset(",.:=+-*/%&|^<")

_T = TypeVar("_T", bound=Hashable)
# choose(tokens, start, end, left, right) chooses one of the shifts from -left to right by which
# tokens[start:end] can slide without changing the text.
_Choose = Callable[[Sequence[_T], int, int, int, int], int]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A replacement of the code points from `start` to `end` by `text`."""

    start: int
    end: int
    text: str

    @property
    def size(self) -> int:
        """Count the code points that are deleted and inserted."""
        return self.end - self.start + len(self.text)

    @property
    def growth(self) -> int:
        """Count the code points by which the text becomes longer."""
        return len(self.text) - (self.end - self.start)

    def shifted(self, by: int) -> "Hunk":
        """Return the same replacement, so many code points further on."""
        return Hunk(self.start + by, self.end + by, self.text)

    def apply(self, text: str) -> str:
        """Apply the replacement to `text`."""
        return text[: self.start] + self.text + text[self.end :]


def apply_hunks(text: str, hunks: Iterable[Hunk]) -> str:
    """Apply all hunks to `text` at once; they are ascending and disjoint."""
    out: list[str] = []
    done = 0
    for hunk in hunks:
        out += (text[done : hunk.start], hunk.text)
        done = hunk.end
    out.append(text[done:])
    return "".join(out)


def shortest_hunk(before: str, after: str, offset: int = 0) -> Hunk:
    """Return the one replacement that turns `before` into `after`, common ends left out.

    `offset` is added to its place.
    """
    head, tail = common_ends(before, after)
    return Hunk(offset + head, offset + len(before) - tail, after[head : len(after) - tail])


def line_around(text: str, start: int, end: int | None = None) -> tuple[int, int]:
    """Return the ends of the lines from one place to another, without the last line end."""
    last = text.find("\n", start if end is None else end)
    return text.rfind("\n", 0, start) + 1, len(text) if last < 0 else last


def diff(before: str, after: str) -> tuple[Hunk, ...]:
    """Return the canonical hunks from `before` to `after`, ascending, on token boundaries of both.

    Between any two hunks at least one token stays. The last results are cached, because several
    readers of a history ask for the same ones.
    """
    if before == after:
        return ()
    is_kept = len(before) + len(after) <= _LONGEST_KEPT
    return (_kept_diff if is_kept else _diff)(before, after)


def _diff(before: str, after: str) -> tuple[Hunk, ...]:
    start, left = _surroundings(before, after)
    a, b = lines(before[start : len(before) - left]), lines(after[start : len(after) - left])
    starts = list(accumulate(map(len, a), initial=start))
    hunks: list[Hunk] = []
    for a0, a1, b0, b1 in _slide(a, b, align(a, b), _choose_lines):
        hunks += _diff_block(before[starts[a0] : starts[a1]], "".join(b[b0:b1]), starts[a0])
    return tuple(hunks)


_kept_diff = lru_cache(_MOST_KEPT)(_diff)


def _surroundings(before: str, after: str) -> tuple[int, int]:
    """Count the characters at both ends that are whole lines which no change can reach."""
    start, left = common_ends(before, after)
    end = len(before) - left
    # One more for the line that changed, one for the line above it.
    for _ in range(_FURTHEST + 2):
        if not start and end == len(before):
            break
        if start:
            start = before.rfind("\n", 0, start - 1) + 1
        end = before.find("\n", end) + 1 or len(before)
    return start, len(before) - end


def diff_tokens(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Change]:
    """Find the canonical changes between two token sequences, each as far left as possible."""
    return _slide(before, after, align(before, after), lambda *found: -found[3])


def _diff_block(before: str, after: str, offset: int) -> Iterator[Hunk]:
    """Return the hunks inside a block of lines that begins at code point `offset`."""
    if len(before) + len(after) > _LARGEST_BLOCK:
        start, left = _equal_ends(before, after)
        before, after = before[start : len(before) - left], after[start : len(after) - left]
        offset += start
    if not before or not after or len(before) + len(after) > _LARGEST_BLOCK:
        yield Hunk(offset, offset + len(before), after)
        return
    a, b = lex(before), lex(after)
    starts = list(accumulate(map(len, a), initial=offset))
    changes = _whole_lines(a, b, align(a, b))
    for a0, a1, b0, b1 in _merge(a, _slide(a, b, changes, _choose_tokens)):
        yield Hunk(starts[a0], starts[a1], "".join(b[b0:b1]))


def _equal_ends(before: str, after: str) -> tuple[int, int]:
    """Count the characters at both ends that are whole tokens which no change can reach."""
    head, tail = common_ends(before, after)
    far = head - _FURTHEST, len(before) - tail + _FURTHEST
    signs = _SIGN.finditer(before, max(0, far[0] - _FURTHEST), max(0, far[0]))
    start = max((sign.end() for sign in signs), default=0)
    end = _SIGN.search(before, far[1])
    return start, len(before) - end.start() if end else 0


def _reach(
    tokens: Sequence[Hashable], start: int, end: int, low: int, high: int
) -> tuple[int, int]:
    """Compute how far tokens[start:end] can slide inside tokens[low:high] and read the same."""
    left = 0
    while start - left > low and tokens[start - left - 1] == tokens[end - left - 1]:
        left += 1
    right = 0
    while end + right < high and tokens[start + right] == tokens[end + right]:
        right += 1
    return left, right


def _slide(
    a: Sequence[_T], b: Sequence[_T], changes: list[Change], choose: _Choose[_T]
) -> list[Change]:
    """Move what is only inserted or only deleted where `choose` says, and join what then touches.

    A change slides as far as its neighbours, those before it being where they belong already.
    """
    out: list[Change] = []
    for (a0, a1, b0, b1), (next_a, _, next_b, _) in pairwise([*changes, (len(a), 0, len(b), 0)]):
        _, past_a, _, past_b = out[-1] if out else (0, 0, 0, 0)
        if a0 == a1 or b0 == b1:
            if a0 == a1:
                tokens, start, end, low, high = b, b0, b1, past_b, next_b
            else:
                tokens, start, end, low, high = a, a0, a1, past_a, next_a
            left, right = _reach(tokens, start, end, low, high)
            if left or right:
                by = choose(tokens, start, end, left, right)
                a0, a1, b0, b1 = a0 + by, a1 + by, b0 + by, b1 + by
        if out and a0 == past_a:
            out[-1] = out[-1][0], a1, out[-1][2], b1
        else:
            out.append((a0, a1, b0, b1))
    return out


def _choose_lines(block: Sequence[str], start: int, end: int, left: int, right: int) -> int:
    """Apply rule 1."""
    left, right = min(left, _FURTHEST), min(right, _FURTHEST)
    solid = [at for at in range(start - left, end + right) if not block[at].isspace()]

    def rank(shift: int) -> tuple[float, bool, int]:
        at = start + shift
        first = bisect_left(solid, at)
        if first == len(solid) or solid[first] >= end + shift:
            return float("inf"), False, -shift
        closes = solid[first] == at > 0 and _indent(block[at]) < _indent(block[at - 1])
        return _indent(block[solid[first]]), closes, -shift

    return min(range(-left, right + 1), key=rank)


def _indent(line: str) -> int:
    """Compute how many blanks a line begins with; 0 when there is nothing else."""
    rest = line.lstrip()
    return len(line) - len(rest) if rest else 0


def _whole_lines(a: Sequence[str], b: Sequence[str], changes: list[Change]) -> list[Change]:
    """Apply rule 3."""
    out: list[Change] = []
    for change, ahead in pairwise([*changes, (len(a), 0, len(b), 0)]):
        past = out[-1] if out else (0, 0, 0, 0)
        deletes, inserts = (
            any(map(_ends_line, tokens))
            for tokens in (a[change[0] : change[1]], b[change[2] : change[3]])
        )
        if inserts and not deletes:
            out += _cut(b, change, past[3], ahead[2])
        elif deletes and not inserts:
            out += map(_swapped, _cut(a, _swapped(change), past[1], ahead[0]))
        else:
            out.append(change)
    return out


def _swapped(change: Change) -> Change:
    return (*change[2:], *change[:2])


def _cut(tokens: Sequence[str], change: Change, low: int, high: int) -> list[Change]:
    """Cut inserted lines off a change, which can reach from `low` to `high` in the tokens after."""
    i0, i1, start, end = change
    pure = i0 == i1
    feeds = [place for place in range(start, end) if _ends_line(tokens[place])]
    rest = next((place + 1 - end for place in range(end, high) if _ends_line(tokens[place])), 0)
    at = feeds[0] + 1 - rest
    if at >= start + pure and rest and tokens[at : at + rest] == tokens[end : end + rest]:
        return [(i0, i1, start, at), (i1 + rest, i1 + rest, at + rest, end + rest)]
    begin = start
    while begin > low and not _ends_line(tokens[begin - 1]):
        begin -= 1
    at, size = feeds[-1] + 1, start - begin
    if size and at + size <= end - pure and tokens[begin:start] == tokens[at : at + size]:
        return [(i0 - size, i0 - size, begin, at), (i0, i1, at + size, end)]
    return [change]


def _choose_tokens(tokens: Sequence[str], start: int, end: int, left: int, right: int) -> int:
    """Apply rule 2."""
    ranked: list[tuple[bool, int, int, int, int]] = []
    depth = 0
    for shift in range(-min(left, _FURTHEST), min(right, _FURTHEST) + 1):
        first, last = start + shift, end + shift - 1
        if _ends_line(tokens[last]) and (first == 0 or _ends_line(tokens[first - 1])):
            ranked.append((False, _indent_of(tokens[first : end + shift]), 0, 0, -shift))
        else:
            opens, separates = tokens[first] in _OPENING, _separates(tokens[last])
            ranked.append((True, depth, opens, separates, -shift))
        depth += (tokens[first] in _OPENING) - (tokens[first] in _CLOSING)
    return -min(ranked)[-1]


def _indent_of(tokens: Sequence[str]) -> int:
    """Return the indentation of the first line that is not blank."""
    indent = 0
    for token in tokens:
        if not token.isspace():
            break
        indent = 0 if _ends_line(token) else indent + len(token)
    return indent


def _ends_line(token: str) -> bool:
    return token.endswith("\n")


def _separates(token: str) -> bool:
    return token.isspace() or token in _SEPARATORS


def _merge(a: Sequence[str], changes: list[Change]) -> list[Change]:
    """Apply rule 4."""
    out: list[Change] = []
    for change in changes:
        while out and _belong(a, out[-1], change):
            past = out.pop()
            change = past[0], change[1], past[2], change[3]
        out.append(change)
    return out


def _belong(a: Sequence[str], past: Change, change: Change) -> bool:
    between = change[0] - past[1]
    if any(between > max(a1 - a0, b1 - b0) for a0, a1, b0, b1 in (past, change)):
        return False
    return not any(
        token[0].isalnum() or token[0] in "_()[]{}" or _ends_line(token)
        for token in a[past[1] : change[0]]
    )
