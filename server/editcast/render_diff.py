"""Rendering of changes for the terminal: whole lines, red and green, with the changes marked."""

from collections.abc import Sequence

from rich.text import Text

from editcast.printable import printable
from editcast_model.alignment import common_ends
from editcast_model.diff import Hunk, line_around

_LAYOUT = "\n\r\t"
_MOST_LINES = 24


def plain(text: object) -> Text:
    """Return untrusted text, such as a path, without markup and with control codes escaped."""
    return Text(printable(str(text)))


def render_changes(text: str, hunks: Sequence[Hunk]) -> Text:
    """Render the changed lines of `text`, before and after, with line numbers."""
    lines = []
    for start, end, inside in _groups(text, hunks):
        number = text.count("\n", 0, start) + 1
        old, new = _sides(text, start, end, inside)
        head, tail = common_ends([line.plain for line in old], [line.plain for line in new])
        for count, line in enumerate(old[head : len(old) - tail], number + head):
            lines.append(
                Text.assemble((f"{count:5d} ", "dim"), Text.assemble("- ", line, style="red"))
            )
        for line in new[head : len(new) - tail]:
            lines.append(Text.assemble("      ", Text.assemble("+ ", line, style="green")))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [Text(f"      and {len(lines) - _MOST_LINES} lines more", "dim")]
    return Text("\n").join(lines)


def _groups(text: str, hunks: Sequence[Hunk]) -> list[tuple[int, int, list[Hunk]]]:
    """Return groups of hunks on the same lines, with the start and the end of these lines."""
    groups: list[tuple[int, int, list[Hunk]]] = []
    for hunk in hunks:
        start, end = line_around(text, hunk.start, hunk.end)
        group: list[Hunk] = []
        if groups and start <= groups[-1][1]:
            start, _, group = groups.pop()
        groups.append((start, end, [*group, hunk]))
    return groups


def _sides(text: str, start: int, end: int, hunks: list[Hunk]) -> tuple[list[Text], list[Text]]:
    """Return the lines from `start` to `end` before and after the hunks, which are marked."""
    old, new = Text(), Text()
    for hunk in hunks:
        for side in (old, new):
            side.append(printable(text[start : hunk.start], keep=_LAYOUT))
        old.append(printable(text[hunk.start : hunk.end], keep=_LAYOUT), "bold underline")
        new.append(printable(hunk.text, keep=_LAYOUT), "bold underline")
        start = hunk.end
    for side in (old, new):
        side.append(printable(text[start:end], keep=_LAYOUT))
    return list(old.split("\n", allow_blank=True)), list(new.split("\n", allow_blank=True))
