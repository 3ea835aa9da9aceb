"""Line hunks: the changes between two texts, by groups of adjacent lines."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.tokenizer import lines


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line hunk: the token hunks on lines that touch, and the whole lines before and after.

    Attributes:
        first: The first line changed, from 0.
        before: The lines changed, as they were; none if whole lines are inserted before `first`.
        after: What stands in their place afterwards.
        hunks: The token hunks; offsets in code points from the start of line `first`.
    """

    first: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    hunks: tuple[Hunk, ...]

    @property
    def end(self) -> int:
        """Return the line behind the last one changed."""
        return self.first + len(self.before)

    @property
    def growth(self) -> int:
        """Count the lines by which the text becomes longer."""
        return len(self.after) - len(self.before)


def line_changes(before: str, after: str) -> list[LineChange]:
    """Return the line hunks between two texts, ascending; an unchanged line is between any two."""
    split = lines(before)
    starts = list(accumulate(map(len, split), initial=0))
    groups: list[tuple[int, int, list[Hunk]]] = []
    for hunk in diff(before, after):
        first, end = _lines_touched(starts, hunk, before)
        if groups and first <= groups[-1][1]:
            start, last, hunks = groups.pop()
            groups.append((start, max(last, end), [*hunks, hunk]))
        else:
            groups.append((first, end, [hunk]))
    return [_change(split, starts[first], first, end, hunks) for first, end, hunks in groups]


def _change(split: list[str], offset: int, first: int, end: int, hunks: list[Hunk]) -> LineChange:
    near = [Hunk(hunk.start - offset, hunk.end - offset, hunk.text) for hunk in hunks]
    old = split[first:end]
    return LineChange(first, tuple(old), tuple(lines(apply_hunks("".join(old), near))), tuple(near))


def _lines_touched(starts: list[int], hunk: Hunk, text: str) -> tuple[int, int]:
    """Return the range of lines that a hunk changes; empty where it inserts whole lines."""
    first = bisect_right(starts, hunk.start) - 1
    end = bisect_right(starts, hunk.end) - 1
    count = len(starts) - 1
    if first == count and count and not text.endswith("\n"):
        first = count - 1  # behind a last line that has no line feed: that line goes on
    begins_line = hunk.start == starts[first]
    if hunk.end != starts[end]:
        end += 1
    elif not (hunk.text.endswith("\n") if hunk.text else begins_line):
        end = min(end + 1, count)  # what was left of it runs into the next line
    return first, max(end, first)
