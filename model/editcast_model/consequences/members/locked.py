"""Methods of C++ that take a lock since their class has one.

A `std::mutex` guards the members beneath it: public methods that use these take it first.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.tree import Tree, field, first_child

_NEW: Final = re.compile(r"\bstd::(?:recursive_|shared_)?mutex[ \t]+(\w+)[ \t]*;")
_MEMBER: Final = re.compile(r"\b(\w+)[ \t]*(?:=[^;]*|\{[^;]*\})?;")
_METHOD: Final = re.compile(r"\b(\w+)\s*\(")
_TAKING: Final = re.compile(
    r"std::(?:lock_guard|scoped_lock|unique_lock)\b(?:<[^;\n]{0,99}>)? \w+[({]"
)
#: The part of a declaration that is read, in code points.
_LONGEST: Final = 500
_DEFAULT: Final = "std::lock_guard<std::mutex> lock("
#: What waits for others, or takes a lock already.
_WAITS: Final = re.compile(r"\bmutex|\block\b|_lock\b|wait\(|\.join\(|sleep_")


class Lock(NamedTuple):
    """A lock that a class has got: its name, what it guards, and methods for other methods."""

    owner: str
    name: str
    guarded: tuple[str, ...]
    hidden: tuple[str, ...]


def new_locks(change: Change) -> Iterator[Lock]:
    """Yield the locks that classes have got."""
    tree = change.after.tree
    for hunk, start, end in change.finished() if tree.language == "cpp" else ():
        found = _NEW.search(tree.text, *line_around(tree.text, start, end))
        path = tree.path(found.start(1)) if found is not None and "mutex" in hunk.text else ()
        owner = next((one.node for one in path if one.type == "class_specifier"), None)
        if found is not None and owner is not None and (body := field(owner, "body")) is not None:
            beneath = [one for one in body.named_children if one.start_byte > found.end()]
            fields = (
                _MEMBER.search(tree.of(one)[:_LONGEST]) for one in beneath if _is_member(tree, one)
            )
            guarded = tuple(one[1] for one in fields if one is not None)
            yield Lock(tree.of(field(owner, "name")), found[1], guarded, (*_hidden(tree, body),))


def _is_member(tree: Tree, node: Node) -> bool:
    """Tell whether a node declares something that methods may change."""
    return node.type == "field_declaration" and not tree.of(node).startswith(("const ", "static "))


def _hidden(tree: Tree, body: Node) -> Iterator[str]:
    """Yield the names of the methods of a class that others cannot call."""
    is_public = False
    for one in body.named_children:
        if one.type == "access_specifier":
            is_public = tree.of(one) == "public"
        elif not is_public:
            found = _METHOD.search(tree.of(one)[:_LONGEST])
            yield from [found[1]] if found is not None else []


def after_new_mutex(change: Change) -> Iterator[Consequence]:
    """Return what takes a lock that a class of the same file has got."""
    for lock in new_locks(change):
        yield from locked(change.after.tree, lock)


def locked(tree: Tree, lock: Lock) -> Iterator[Consequence]:
    """Return what takes a lock in the methods that use what it guards."""
    if not lock.guarded:
        return
    known = _TAKING.search(tree.text)
    taking = f"{known[0] if known is not None else _DEFAULT}{lock.name}"
    taking += "};" if taking.partition(" ")[2].count("{") else ");"
    used = re.compile(rf"\b(?:{'|'.join(map(re.escape, lock.guarded))})\b")
    method = re.compile(rf"\b{re.escape(lock.owner)}::(\w+)\(")
    for found in method.finditer(tree.text):
        path = tree.path(found.start())
        node = next((one.node for one in path if one.type == "function_definition"), None)
        body = field(node, "body") if node is not None else None
        first = first_child(body) if body is not None else None
        is_apart = found[1] == lock.owner or found[1] in lock.hidden
        if body is None or first is None or is_apart or body.start_byte < found.start():
            continue
        text = tree.of(body)
        if used.search(text) and not _WAITS.search(text):
            start = first.start_byte
            indent = tree.text[tree.text.rfind("\n", 0, start) + 1 : start]
            if not indent.strip():
                hunk = Hunk(start, start, f"{taking}\n{indent}")
                yield Consequence(hunk, "migrate", cause=f"guard {lock.name}")
