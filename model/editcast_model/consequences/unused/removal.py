"""Names that a change took away, where they still stand, and statements that go with them."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.diff import Hunk
from editcast_model.syntax.members import is_declared_member
from editcast_model.syntax.names import WORD, Names, Occurrence, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree

#: With more removed names, the text was replaced.
_MOST_NAMES = 500
#: Roles of names that cannot mean an import or a variable.
_OTHERS = (Role.MEMBER, Role.MEMBER_DEFINITION, Role.KEYWORD, Role.KEY)


def names_gone(change: Change) -> set[str]:
    """Return the words that a change took away somewhere; none where it replaced the text."""
    before = change.before.tree.text
    gone = {
        word
        for hunk, _, _ in change.finished()
        for word in WORD.findall(before, *whole_words(before, hunk.start, hunk.end))
    }
    return gone if len(gone) <= _MOST_NAMES else set()


def lost(change: Change, one: Occurrence) -> list[Occurrence]:
    """Return the definitions before of a use that means nothing, or a member, since they went."""
    was = change.same_before(one) if one.role is Role.REFERENCE else None
    defined = change.before.meant_by(was)
    is_lost = all(map(is_declared_member, change.after.meant_by(one)))
    return defined if is_lost and all(_is_removed(change, each) for each in defined) else []


def _is_removed(change: Change, one: Occurrence) -> bool:
    """Tell whether a change took a name away, but not its function, and put none beside it."""
    group = next((old for old, _ in change.groups if one.start in old), range(0))
    hunks = [each for each, _, _ in change.finished() if each.start in group]
    is_new = any(WORD.search(each.text) for each in hunks)
    is_kept = one.part.kind != "parameter" or change.is_now_at(one.scope.start) is not None
    return is_kept and not is_new and change.is_now_at(one.start) is None


def mentions(names: Names, name: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Find where a word may mean a name: not as a member, but in a string, or in a comment."""
    text = names.tree.text
    for found in re.compile(rf"\b{re.escape(name)}\b").finditer(text, start, end or len(text)):
        one = names.at(found.start())
        if one is None or one.role not in _OTHERS or one.part.is_shorthand:
            yield found.start()


def without_lines(tree: Tree, statement: Node, start: int | None = None) -> Hunk | None:
    """Take a statement out with its lines, and with the blank ones that stood around it twice.

    `start` is that of the comments above that go with it, if it has any.
    """
    text, first = tree.text, statement.start_byte if start is None else start
    start = text.rfind("\n", 0, first) + 1
    end = text.find("\n", statement.end_byte) + 1
    if not end or text[start:first].strip():
        return None
    if text[statement.end_byte : end].strip(" \t\r\n;"):
        return None
    is_apart = start == 0 or text[:start].endswith(("\n\n", "\n\r\n"))
    if is_apart and start and statement.next_named_sibling is None:
        return Hunk(text.find("\n", len(text[:start].rstrip())) + 1, end, "")
    is_apart |= statement.prev_named_sibling is None
    while is_apart and text[end : text.find("\n", end) + 1].strip() == "" and "\n" in text[end:]:
        end = text.find("\n", end) + 1
    return Hunk(start, end, "")
