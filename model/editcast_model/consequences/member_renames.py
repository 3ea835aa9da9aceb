"""Renames that are left once a member of a class, or a key, has been renamed."""

import re
from collections.abc import Collection, Iterable, Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, call_of, calls_of, function_at
from editcast_model.syntax.components import attributes_of, components_with, have_one_type
from editcast_model.syntax.members import (
    are_apart,
    class_around,
    defines_member,
    fields_defined,
    is_declared_member,
    is_member,
    key_owner,
    object_of,
    owner,
)
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.results import returned_by, taken_of
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Path, field, first_child
from editcast_model.syntax.types import bases_of

#: Members so common that an object of unknown type probably has its own.
_COMMON = frozenset(
    """add all append apply at call catch clear close concat copy count data delete entries error
    errors every filter find first flat forEach format get has index indexOf items join key keys
    last length log map match message name next open pop push read reduce remove replace reverse
    run set shift size slice some sort split start status then title toString trim type update
    url value values write Close Error Len Name String Type""".split()
)
#: Languages whose compilers reject undeclared members.
CHECKED = ("typescript", "typescriptreact", "vue", "go", "java", "csharp", "rust")
_LOOKED_AT = (*CHECKED, "python", "ruby")
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


def after_member(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the places where a renamed member of a class keeps its old name."""
    before, after, old = change.before, change.after, renamed.before.name
    new = renamed.after
    whose, was = owner(after, new), owner(before, renamed.before)
    if whose is None or was is None or _has(before, new, was):
        return
    declared = fields_defined(after, old, whose)
    is_declaration = defines_member(after, new, whose)
    if is_declaration and declared and len(declared) >= len(fields_defined(before, old, was)):
        return  # the old one is still there: another one was added
    if any(is_declared_member(one) and change.same_before(one) is None for one in declared):
        return  # it was declared again
    if not is_declaration:  # of fields, 4 of 36 were renamed like a use of them in commits
        is_method = any(one.part.kind in ("function", "method") for one in declared)
        if not is_method or change.wrote_name(old):
            return  # inherited, or what the user meant is another member
        if _inherits(after, whose) or _takes_others(change, renamed):
            return  # another method, of what it inherits from, or with other arguments
    family = _heirs(after, whose) if is_declaration else [whose]
    for one in after.of(old):
        if are_apart(one, new):
            continue
        is_key = one.role in (Role.KEY, Role.REFERENCE) or one.part.is_shorthand
        if (is_member(one) or is_key) and owner(after, one) in family:
            is_first = not is_declaration and one in declared
            hunk = _keyed(after, one, new.name)
            yield Consequence(hunk, "rename_field", is_first=is_first)
    if is_declaration and not whose.startswith("@"):
        for one in of_unknown_objects(after, old, family):
            if not are_apart(one, new):
                yield Consequence(_replaced(one, new.name), "rename_field_of_unknown")
        used = after.of(whose.split("@")[0]) if are_constructor_keywords(after, new) else ()
        for one in used:
            call = call_of(after.tree, one) if one.role is Role.REFERENCE else None
            yield from renamed_keyword(call, old, new.name) if call else ()


def after_parameter(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the arguments that calls give to a renamed parameter by its old name."""
    names, old = change.after, renamed.before.name
    function = function_at(names, renamed.after.start)
    if function is not None and all(one.name != old for one in function.parameters):
        for call in calls_of(names, function):
            yield from renamed_keyword(call, old, renamed.after.name)


def renamed_keyword(call: Call, old: str, new: str) -> Iterator[Consequence]:
    """Return the argument that a call gives to a parameter by its old name."""
    sigil = call.called.rules.sigil
    for argument in call.arguments:
        if argument.keyword == old:
            end = argument.start + len(old.removeprefix(sigil))
            hunk = Hunk(argument.start, end, new.removeprefix(sigil))
            if argument.is_shorthand:
                hunk = Hunk(argument.start, argument.end, f"{new}: {old}")
            yield Consequence(hunk, "rename_keyword")


def after_result(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the places where a key of what a function returns is taken by its old name."""
    names, old = change.after, renamed.before.name
    function, was = returned_by(names, renamed.after), returned_by(change.before, renamed.before)
    if function is not None and was is not None:
        called = (one for one in names.of(function.name) if _means(names, one, function))
        yield from taken_keys(names, old, renamed.after.name, called)


def after_property(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the attributes that give a component a renamed property by its old name."""
    names, new = change.after, renamed.after
    if have_one_type(change.before, renamed.before, names, new):
        for component in components_with(names, new):
            used = [one for one in names.of(component.name) if _means(names, one, component)]
            yield from given_properties(names, renamed.before.name, new.name, used)


def given_properties(
    names: Names, old: str, new: str, used: Iterable[Occurrence]
) -> Iterator[Consequence]:
    """Return the attributes that give components a property by its old name."""
    for one in attributes_of(names, used, old):
        yield Consequence(_replaced(one, new), "rename_attribute")


def taken_keys(
    names: Names, old: str, new: str, called: Iterable[Occurrence]
) -> Iterator[Consequence]:
    """Return the places where a key is taken by its old name of what calls return."""
    starts = {one.start for one in called}
    for one in names.of(old) if starts else ():
        function = taken_of(names, one)
        if function is not None and function.start in starts:
            yield Consequence(_keyed(names, one, new), "rename_taken_key")


def _means(names: Names, one: Occurrence, function: Occurrence) -> bool:
    return one.role is Role.REFERENCE and names.resolve(one) == names.home(function)


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
        is_moved = _defines_key(change.after, old, whose) or _defines_key(change.before, new, was)
        if not is_moved and not any(owned for _, owned in _keys(change.before, new, was)):
            yield from _left_keys(change.after, old, new, whose)


def _has(names: Names, new: Occurrence, whose: str) -> bool:
    members = (one for one in names.of(new.name) if is_member(one) and not are_apart(one, new))
    return any(owner(names, one) == whose for one in members)


def _heirs(names: Names, whose: str) -> list[str]:
    """Return a class, and in Python those that extend it; elsewhere members may be others' own.

    On commits 67 of 107 renames in such classes were clean.
    """
    found = [whose]
    for each in found:
        for one in names.of(each.partition("@")[0]):
            if [step.type for step in one.path[-3:-1]] == ["class_definition", "argument_list"]:
                heir = class_around(names, one.path)
                if heir is not None and heir not in found:
                    found.append(heir)
    return found


def _inherits(names: Names, whose: str) -> bool:
    """Tell whether a class of this file has another one above it."""
    start = whose.split("@")[1]
    path = names.tree.path(int(start)) if start else ()
    return any(bases_of(names, step.node) for step in path if step.node.start_byte == int(start))


def _takes_others(change: Change, renamed: Renamed) -> bool:
    """Tell whether a call has another number of arguments since its method has another name."""
    was = call_of(change.before.tree, renamed.before)
    now = call_of(change.after.tree, renamed.after)
    return len(was.arguments if was else ()) != len(now.arguments if now else ())


def _replaced(one: Occurrence, new: str) -> Hunk:
    return Hunk(one.start, one.end, new)


def _keyed(names: Names, one: Occurrence, new: str) -> Hunk:
    """Return the replacement of a member; a variable that is named as it is goes along, if it can.

    What is taken apart has the members' names, by custom; what is put together has its own.
    """
    is_own = one.role is not Role.DEFINITION or names.resolve(one, new) is not None
    if one.part.is_shorthand and is_own:
        return Hunk(one.start, one.start, f"{new}: ")
    return _replaced(one, new)


def of_unknown_objects(names: Names, old: str, whose: Collection[str]) -> Iterator[Occurrence]:
    """Find where a member of some classes may be one of objects of which nothing is known.

    Only where nothing else in the text declares such a member.
    """
    if names.tree.language not in _LOOKED_AT or old in _COMMON:
        return
    declared = [one for one in names.of(old) if is_declared_member(one) or one.role is Role.KEY]
    if any(owner(names, one) not in whose for one in declared):
        return
    for one in names.of(old):
        if one.role is Role.MEMBER and owner(names, one) is None and not _is_imported(names, one):
            yield one


def _is_imported(names: Names, one: Occurrence) -> bool:
    """Tell whether a member is a module's."""
    found = names.of_node(object_of(one.path[-2].node))
    if found is None or found.role is not Role.REFERENCE:
        return False
    if names.resolve(found) is None:  # Go's packages are named by their paths
        return True
    return any(each.part.kind == "import" for each in names.meant_by(found))


def are_constructor_keywords(names: Names, field: Occurrence) -> bool:
    """Tell whether calls of a class may name a field of it, as those of dataclasses do."""
    if names.tree.language != "python" or field.role is not Role.DEFINITION:
        return False
    whose = owner(names, field)
    has_own = whose is None or fields_defined(names, "__init__", whose)
    return field.part.kind == "variable" and not has_own


# Keys that are written as strings, or in object literals.


def _key_defined(names: Names, offset: int) -> str | None:
    """Name the literal in which a key is defined at an offset; None where none is."""
    literal = _literal(names, offset)
    return None if literal is None else f"@{literal.start_byte}"


def _literal(names: Names, offset: int) -> Node | None:
    """Return the literal in which a key is defined at an offset; None where none is."""
    path = names.tree.path(offset)
    for index in reversed(range(len(path))):
        if path[index].type == "pair" and path[index + 1 :][:1]:
            literal = path[index - 1]
            if path[index + 1].field == "key" and literal.type in _LITERALS:
                return literal.node
            return None
    return None


def _defines_key(names: Names, name: str, whose: str | None = None) -> bool:
    """Tell whether a literal defines a key; without `whose`, whether anything in the text does."""
    defined = {_key_defined(names, place) for place in _places(names, name)}
    if whose:
        return whose in defined
    return bool(defined - {None}) or any(_is_assigned(path) for _, path in _strings(names, name))


def _places(names: Names, name: str) -> Iterator[int]:
    """Find where a key may be written: as a string, or as a name; in Ruby, that is a symbol."""
    yield from (place for place, _ in _strings(names, name))
    if names.tree.language != "ruby":
        yield from (one.start for one in names.of(name) if one.role is Role.KEY)


def _is_assigned(path: Path) -> bool:
    steps = [index for index, step in enumerate(path) if _SUBSCRIPT.search(step.type)]
    if not steps:
        return False
    at = steps[-1]
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
    if path[at].field in ("subscript", "index") and "subscript" in above.type:
        return field(above.node, "value", "object")
    if above.type == "element_reference" and path[at].field is None:
        return above.node.child_by_field_name("object")
    return None


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
    is_unsure = old in _COMMON or names.tree.language.startswith(("javascript", "ruby"))
    is_unsure = is_unsure or _defines_key(names, old)
    for place, found in _keys(names, old, whose):
        if found is None and is_unsure:
            continue
        kind: Kind = "rename_key" if found == whose else "rename_key_unsure"
        end = place + len(old.lstrip(":"))
        yield Consequence(Hunk(place, end, new.lstrip(":")), kind)
