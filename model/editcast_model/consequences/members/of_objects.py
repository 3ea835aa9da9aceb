"""Members that a type of TypeScript lacks for what an object of that type has since a change.

The type is the one that the variable is declared with, or the function that returns the object.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import end_of, lists_around
from editcast_model.consequences.lists.parallel_lists import as_line
from editcast_model.consequences.lists.word_forms import nameless
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, type_declared

#: A type of this file, for the object itself.
_TYPE: Final = re.compile(r"(?::\s*)?(?:(?:Promise|Readonly)<)*([A-Z]\w*)>*(?:\s*\|\s*null)?")
_FROZEN: Final = re.compile(r"Object\.(freeze|seal)$")
#: Types of values, by how these are written.
_VALUES: Final = {
    "number": re.compile(
        r"-?[\d_.]+|(?:Number|parseInt|parseFloat|Math\.\w+|Date\.now|performance\.now)\([^()]*\)"
        r"|[\w.]+\.length"
    ),
    "string": re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|String\([^()]*\)|[\w.]+\.toISOString\(\)"),
    "boolean": re.compile(r"true|false|Boolean\([^()]*\)|![\w.]+|[\w.]+ [!=]== ?[\w.\"']+"),
    "Date": re.compile(r"new Date\([^()]*\)"),
}
_ZOD: Final = re.compile(
    r"z\.(?:coerce\.)?(string|number|boolean)\((?!.*\.(optional|null|nullish))"
)
_MEMBERS: Final = ("property_signature", "method_signature")


def after_object(change: Change) -> Iterator[Consequence]:
    """Return the members that types lack since an object of theirs has one more."""
    names = change.after
    if names.tree.language not in SCRIPTS:
        return
    for one in change.new_names():
        literal = _object_with(one)
        if literal is None or change.was_at(literal.start_byte) is None:
            continue
        body = _declared(names, _type_of(names.tree, literal))
        if body is not None:
            yield from _added(names, one, literal, body)


def _object_with(one: Occurrence) -> Node | None:
    """Return the object literal that a name is a key of."""
    at = -2 if one.part.is_shorthand else -3
    if not (one.part.is_shorthand or one.role is Role.KEY) or len(one.path) < 4:
        return None
    found = one.path[at]
    return found.node if found.type == "object" else None


def _type_of(tree: Tree, literal: Node) -> str:
    """Return the name of the type that an object literal is declared with; empty for none."""
    value, kind = literal, None
    for above in tree.around(literal):
        called = tree.of(field(above, "function")) if above.type == "call_expression" else ""
        if above.type in ("parenthesized_expression", "arguments") or _FROZEN.match(called):
            value = above
            continue
        if above.type == "satisfies_expression":
            kind = above.named_children[-1]
        elif above.type == "variable_declarator" and field(above, "value") == value:
            kind = field(above, "type")
        elif above.type in ("return_statement", "arrow_function"):
            kind = field(function_node_around(tree, value), "return_type")
        break
    found = _TYPE.fullmatch(tree.of(kind))
    return found[1] if found else ""


def _declared(names: Names, name: str) -> Node | None:
    """Return the members of a type of this file; None where others may belong to it."""
    found = [one for one in names.of(name) if one.path[-1].field == "name"] if name else []
    if len(found) != 1:
        return None
    body = field(found[0].path[-2].node, "body", "value")
    is_alone = body is not None and body.type in ("interface_body", "object_type")
    if body is None or not is_alone or "extends" in names.tree.text[found[0].end : body.start_byte]:
        return None
    return body if all(one.type in _MEMBERS for one in body.named_children) else None


def _added(names: Names, new: Occurrence, literal: Node, body: Node) -> Iterator[Consequence]:
    """Return the member for a key, behind that of the key before it."""
    tree = names.tree
    members = {tree.of(field(one, "name")): one for one in body.named_children}
    given = {_key(tree, one): one for one in literal.named_children}
    others = [one for one in given if one and one != new.name]
    if new.name in members or not others or not all(one in members for one in others):
        return
    earlier = [one for one in others if given[one].start_byte < new.start]
    before = members[earlier[-1] if earlier else others[0]]
    kind = _type_of_value(names, new, given, members)
    for found in lists_around(tree, tree.path(before.start_byte)):
        separators = [text for by in (1, -1) if (text := found.separator(found.beside(by)))]
        if kind and found.entry == before and separators:
            hunk = as_line(tree.text, end_of(tree, before), separators[0], f"{new.name}: {kind}")
            yield Consequence(hunk, "add_entry", cause=f"{new.name} member")
            return


def _key(tree: Tree, entry: Node) -> str:
    """Return the key of an entry of an object; empty for one that has others."""
    return tree.of(field(entry, "key")) or ("" if entry.named_children else tree.of(entry))


def _type_of_value(
    names: Names, new: Occurrence, given: dict[str, Node], members: dict[str, Node]
) -> str:
    """Return the type of a key's value; empty where that is not known."""
    tree, entry = names.tree, given[new.name]
    value = field(entry, "value") or entry
    text = tree.of(value)
    for kind, pattern in _VALUES.items():
        if pattern.fullmatch(text):
            return kind
    used = names.of_node(field(value, "property") or value)
    if used is not None and used.role is Role.MEMBER:
        return _of_member(names, used.name)
    if used is not None and used.end == value.end_byte:
        defined = names.meant_by(used)
        types = {
            tree.of(type_declared(one.path[-2].node)).removeprefix(":").strip() for one in defined
        }
        return types.pop() if len(types) == 1 else ""
    shape = nameless(tree.of(entry), new.name)
    alike = [key for key, one in given.items() if nameless(tree.of(one), key) == shape]
    types = {tree.of(field(members[one], "type")) for one in alike if one in members}
    return types.pop().removeprefix(":").strip() if len(types) == 1 else ""


def _of_member(names: Names, name: str) -> str:
    """Return the type of all members of a name that this file declares, also in schemas of Zod."""
    tree, types = names.tree, set[str]()
    for one in names.of(name):
        declared = one.path[-2].node
        if one.path[-2].type in _MEMBERS:
            types.add(tree.of(field(declared, "type")).removeprefix(":").strip())
        elif (value := _ZOD.match(tree.of(field(declared, "value")))) is not None:
            types.add(value[1])
    return types.pop() if len(types) == 1 else ""
