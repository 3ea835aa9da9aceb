"""Parameters of scripts that are the fields of an interface since one was written.

After `interface JobOptions { name: string; cron: string }` was written, `(name: string, cron:
string)` becomes `({ name, cron }: JobOptions)`; in a type of functions `(options: JobOptions)`.
What calls give follows from that; see `objects`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, field, nodes_in

_TYPES: Final = {"interface_declaration": "body", "type_alias_declaration": "value"}
_PLAIN: Final = ("required_parameter", "optional_parameter")


def after_grouping(change: Change) -> Iterator[Consequence]:
    """Return the parameters that are the fields of an interface that a change wrote."""
    tree = change.after.tree
    if tree.language not in SCRIPTS:
        return
    for name, fields in _new(change):
        for every in nodes_in(tree.root, "formal_parameters"):
            if not change.is_active(every.start_byte, every.end_byte):
                hunk = _grouped(tree, every, name, fields)
                if hunk is not None:
                    yield Consequence(hunk, "name_arguments", is_first=True, cause=f"group {name}")


def _new(change: Change) -> Iterator[tuple[str, dict[str, Node]]]:
    """Yield the interfaces that a change wrote, with their fields."""
    tree = change.after.tree
    for one in tree.root.named_children:
        node = field(one, "declaration") or one
        body = field(node, _TYPES[node.type]) if node.type in _TYPES else None
        name = tree.of(field(node, "name"))
        is_old = re.search(rf"\b(?:interface|type) {re.escape(name)}\b", change.before.tree.text)
        if body is None or is_old or change.is_active(node.start_byte, node.end_byte):
            continue
        fields = {
            tree.of(field(each, "name")): each
            for each in body.named_children
            if each.type == "property_signature"
        }
        if len(fields) > 1:
            yield name, fields


def _grouped(tree: Tree, every: Node, name: str, fields: dict[str, Node]) -> Hunk | None:
    """Return what takes the place of parameters that are just the fields of an interface."""
    given = [one for one in every.named_children if one.type in _PLAIN]
    names = [tree.of(field(one, "pattern")) for one in given]
    at = next((at for at, one in enumerate(names) if one in fields), len(names))
    mine = given[at : at + len(fields)]
    if {*names[at : at + len(fields)]} != {*fields} or not _are_alike(tree, mine, fields):
        return None
    start, end = mine[0].start_byte, mine[-1].end_byte
    if tree.of(mine[0]).startswith(("private", "public", "protected", "readonly")):
        return None
    has_body = field(every.parent, "body") is not None
    if not has_body:
        return Hunk(start, end, f"options: {name}")
    defaults = [tree.of(field(one, "value")) for one in mine]
    written = ", ".join(
        f"{one} = {default}" if default else one
        for one, default in zip(names[at:], defaults, strict=False)
    )
    is_optional = all("?" in tree.of(one).split(":")[0] for one in fields.values())
    return Hunk(start, end, f"{{ {written} }}: {name}" + (" = {}" if is_optional else ""))


def _are_alike(tree: Tree, given: Sequence[Node], fields: dict[str, Node]) -> bool:
    """Tell whether parameters have the types of the fields of their names, as far as is said."""
    for one in given:
        kinds = field(one, "type"), field(fields[tree.of(field(one, "pattern"))], "type")
        said = [tree.of(kind) for kind in kinds if kind is not None]
        if len({*said}) > 1:
            return False
    return True
