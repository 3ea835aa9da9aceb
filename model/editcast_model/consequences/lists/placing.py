"""Edits that put an entry into a list, or take one out, and leave each remark with its own entry.

A remark is a comment behind an entry, on its line.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.calls import Argument
from editcast_model.syntax.parameters import Parameter

#: The separator and the comment that may follow an entry on its line; each may be empty.
_BEHIND = re.compile(r"(?P<mark>[,;]?)(?P<remark>(?:[ \t]*(?:#|//)[^\r\n]*)?)")
_COMMENT = re.compile(r"#|/[/*]")
#: Longer lines break the style of many projects.
_LONGEST_LINE = 79
_LINE_END = re.compile(r"\r?\n")


def inserted(
    text: str,
    span: tuple[int, int],
    listed: Sequence[Argument | Parameter],
    index: int,
    new: str,
) -> Hunk:
    """Put an entry into a list before the one of an index, or behind the last.

    The list stands in `span`, without its brackets; there may be something before its entries.
    """
    start, end = span
    if not listed:
        if start == end and text[start - 1 : start] != "(":  # Ruby's without brackets
            return Hunk(start, start, f"({new})")
        head = text[start:end].rstrip()
        lead = ", " if head and not head.endswith(",") else ""
        return Hunk(start + len(head), start + len(head), lead + new)
    lead = text[start : listed[0].start]
    indent = lead[lead.rfind("\n") :] if "\n" in lead else lead
    # What stands above the first in a list of lines may be `self`, or a star.
    between = "," + indent if indent.startswith("\n") and not indent.strip() else ", "
    if index < len(listed):
        last = listed[max(0, index - 1)]
        line = line_around(text, last.end)
        is_wrapped = between == ", " and line[1] <= listed[index].start
        if is_wrapped and line[1] - line[0] + len(", ") + len(new) <= _LONGEST_LINE:
            return Hunk(last.end, last.end, between + new)
        return Hunk(listed[index].start, listed[index].start, new + between)
    last = listed[-1]
    if index > 1 and "\n" not in text[listed[-2].end : last.start]:
        start, end = line_around(text, last.end)
        if end - start + len(", ") + len(new) <= _LONGEST_LINE:
            between = ", "
    return put_behind(text, last.end, between, new)


def put_behind(text: str, end: int, separator: str, new: str) -> Hunk:
    """Put an entry behind one that ends at an offset, and behind its remark if on another line."""
    line_end, behind = _LINE_END.search(separator), _behind(text, end)
    if line_end is None or not behind["remark"]:
        return Hunk(end, end, separator + new)
    mark, indent = separator[: line_end.start()], separator[line_end.start() :]
    if behind["mark"] == mark:
        return Hunk(behind.end(), behind.end(), indent + new + mark)
    return Hunk(end, behind.end(), mark + behind["remark"] + indent + new)


def as_line(text: str, at: int, separator: str, new: str) -> Hunk:
    """Put an entry behind another one: as a whole line, where each has its own."""
    end = separator.find("\n") + 1
    if text.startswith(separator[:end], at):
        return Hunk(at + end, at + end, separator[end:] + new + separator[:end])
    return put_behind(text, at, separator, new)


def without(text: str, start: int, end: int, before: int | None, following: int | None) -> Hunk:
    """Take an entry and its remark out of a list, but not the end of a line of several entries.

    The entry before it, if any, ends at `before`, and the next one begins at `following`.
    """
    if following is None:
        return Hunk(start, end, "") if before is None else _without_last(text, before, start, end)
    if before is not None and "\n" not in text[before:start] and "\n" in text[end:following]:
        return Hunk(before, end, "")
    rest = _COMMENT.search(text, _behind(text, end).end(), following)
    return Hunk(start, rest.start() if rest else following, "")


def without_node(text: str, node: Node) -> Hunk:
    """Take the node of an entry out of a list."""
    before, after = node.prev_named_sibling, node.next_named_sibling
    ends = before and before.end_byte, after and after.start_byte
    return without(text, node.start_byte, node.end_byte, *ends)


def _without_last(text: str, before: int, start: int, end: int) -> Hunk:
    kept, behind = _behind(text, before, start)["remark"], _behind(text, end)
    if "\n" not in text[before:start] or not (kept or behind["remark"]):
        return Hunk(before, end, "")
    return Hunk(before, behind.end(), behind["mark"] + kept)


def _behind(text: str, start: int, end: int | None = None) -> re.Match[str]:
    """Find the separator and the remark behind an entry, up to an offset."""
    found = _BEHIND.match(text, start, len(text) if end is None else end)
    assert found is not None  # since both may be empty
    return found
