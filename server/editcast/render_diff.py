"""Rendering of changes for the terminal: whole lines, red and green, with the changes marked."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from editcast.printable import printable
from editcast_model.alignment import common_ends
from editcast_model.diff import Hunk

_LAYOUT = "\n\r\t"


def plain(text: object) -> Text:
    """Return untrusted text, such as a path, without markup and with control codes escaped."""
    return Text(printable(str(text)))


def render_changes(text: str, hunks: Sequence[Hunk], *, most_lines: int = 24) -> Text:
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
    if len(lines) > most_lines:
        left = len(lines) - most_lines
        lines[most_lines:] = [Text(f"      and {left} lines more", "dim")]
    return Text("\n").join(lines)


def _groups(text: str, hunks: Sequence[Hunk]) -> Iterator[tuple[int, int, list[Hunk]]]:
    """Yield groups of hunks on the same lines, with the start and the end of these lines."""
    start = end = -1
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start > end:
            yield start, end, group
            group = []
        if not group:
            start = text.rfind("\n", 0, hunk.start) + 1
        group.append(hunk)
        found = text.find("\n", hunk.end)
        end = len(text) if found < 0 else found
    if group:
        yield start, end, group


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
