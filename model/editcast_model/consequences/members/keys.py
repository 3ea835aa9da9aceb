"""Renames that are left once a key of a dictionary or an object has been renamed.

Keys are written as strings, or in object literals.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.members.unknown_objects import COMMON
from editcast_model.diff import Hunk
from editcast_model.syntax.members import key_owner, object_of, owner
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Path, field, first_child

_SUBSCRIPT = re.compile("subscript|element_reference")
#: Methods of Python and Ruby whose first argument is a key, by the field that contains their names.
_GETTERS = {
    "attribute": ("get", "pop", "setdefault"),
    "method": ("fetch", "key?", "delete", "dig"),
}
#: Types of leaves that are symbols of Ruby. As keys they differ from strings; written `:key` here.
_SYMBOLS = ("hash_key_symbol", "simple_symbol")
_LITERALS = ("dictionary", "object", "hash")
#: Types of nodes that copy the keys of another literal.
_SPREADS = ("spread_element", "dictionary_splat")


def after_key(change: Change) -> Iterator[Consequence]:
    """Return the places where a renamed key of a dictionary or an object keeps its old name."""
    for hunk, start, _ in change.finished():
        old, new = change.before.tree.text[hunk.start : hunk.end], hunk.text
        if not (old.isidentifier() and new.isidentifier()):
            continue
        whose, was = _key_defined(change.after, start), _key_defined(change.before, hunk.start)
        if not whose or not was:
            continue
        if change.after.tree.path(start)[-1].type in _SYMBOLS:
            old, new = f":{old}", f":{new}"
        is_moved = whose in _owners(change.after, old) or was in _owners(change.before, new)
        if not is_moved and not any(owned for _, owned in _keys(change.before, new, was)):
            yield from _left_keys(change.after, old, new, whose)


def _key_defined(names: Names, offset: int) -> str | None:
    """Name the literal in which a key is defined at an offset; None where none is."""
    literal = _literal(names, offset)
    return f"@{literal.start_byte}" if literal else None


def _literal(names: Names, offset: int) -> Node | None:
    """Return the literal in which a key is defined at an offset; None where none is."""
    path = names.tree.path(offset)
    for literal, pair, key in reversed([*zip(path, path[1:], path[2:], strict=False)]):
        if pair.type == "pair":
            is_key = key.field == "key" and literal.type in _LITERALS
            return literal.node if is_key else None
    return None


def _owners(names: Names, name: str) -> set[str]:
    """Name the literals that define a key."""
    found = (_key_defined(names, place) for place in _places(names, name))
    return {one for one in found if one is not None}


def _places(names: Names, name: str) -> Iterator[int]:
    """Find where a key may be written: as a string, or as a name; in Ruby, that is a symbol."""
    yield from (place for place, _ in _strings(names, name))
    if names.tree.language != "ruby":
        yield from (one.start for one in names.of(name) if one.role is Role.KEY)


def _is_assigned(path: Path) -> bool:
    at = max((at for at, step in enumerate(path) if _SUBSCRIPT.search(step.type)), default=0)
    return path[at].field == "left" and "assignment" in path[at - 1].type


def _strings(names: Names, name: str) -> Iterator[tuple[int, Path]]:
    """Find where a name is all of a string, or of a symbol, and the nodes around it."""
    if name.startswith(":"):
        for found in re.finditer(rf"\b{re.escape(name[1:])}\b", names.tree.text):
            path = names.tree.path(found.start())
            if path[-1].type in _SYMBOLS and names.tree.of(path[-1].node).strip(":") == name[1:]:
                yield found.start(), path
        return
    for found in re.finditer(rf"(['\"`]){re.escape(name)}\1", names.tree.text):
        path = names.tree.path(found.start() + 1)
        if any(step.type == "string" for step in path):
            yield found.start() + 1, path


def _keys(names: Names, name: str, whose: str) -> list[tuple[int, str | None]]:
    """Find where a key is used, and of what; `whose` or None for what is not known."""
    out = []
    for place, path in _strings(names, name):
        at = max(index for index, step in enumerate(path) if step.type in ("string", *_SYMBOLS))
        thing = _subscripted(path, at) or _asked(names, path, at)
        if thing is not None:
            out.append((place, key_owner(names, thing)))
    for one in names.of(name):
        if one.role is Role.MEMBER and names.tree.language not in ("python", "ruby"):
            out.append((one.start, owner(names, one)))
    out += [(place, whose) for place in _overridden(names, name, whose)]
    return [(place, found) for place, found in out if found in (None, whose)]


def _overridden(names: Names, name: str, whose: str) -> Iterator[int]:
    """Find where a literal spreads the one that defines a key, and sets that key itself."""
    for place in _places(names, name):
        literal = _literal(names, place)
        taken_in = literal.named_children if literal else []
        things = [first_child(child) for child in taken_in if child.type in _SPREADS]
        if any(thing is not None and key_owner(names, thing) == whose for thing in things):
            yield place


def _subscripted(path: Path, at: int) -> Node | None:
    """Return the object of `object["key"]`."""
    above = path[at - 1]
    is_index = path[at].field in ("subscript", "index") and "subscript" in above.type
    is_index |= path[at].field is None and above.type == "element_reference"
    return field(above.node, "value", "object") if is_index else None


def _asked(names: Names, path: Path, at: int) -> Node | None:
    """Return the object of `.get("key")` and the like."""
    call = path[at - 2].node
    function = call.child_by_field_name("function")
    if call.child_by_field_name("receiver") is not None:
        function = call
    elif function is None or function.type != "attribute":
        return None
    methods = ((function.child_by_field_name(name), known) for name, known in _GETTERS.items())
    if not any(names.tree.of(one) in known for one, known in methods):
        return None
    first = first_child(path[at - 1].node)
    return object_of(function) if first == path[at].node else None


def _left_keys(names: Names, old: str, new: str, whose: str) -> Iterator[Consequence]:
    is_unsure = old in COMMON or names.tree.language.startswith(("javascript", "ruby"))
    is_unsure = is_unsure or bool(_owners(names, old))
    is_unsure = is_unsure or any(_is_assigned(path) for _, path in _strings(names, old))
    for place, found in _keys(names, old, whose):
        if found is None and is_unsure:
            continue
        kind: Kind = "rename_key" if found == whose else "rename_key_unsure"
        end = place + len(old.lstrip(":"))
        yield Consequence(Hunk(place, end, new.lstrip(":")), kind)
