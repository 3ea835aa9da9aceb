"""Declarations that stand twice since a change: they were moved, and the old ones are left.

Only what was inserted whole, on lines of its own. What is beside the old one, or of several lines
and below it, is often a copy that is to be changed.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.unused.removal import start_with_head, without_lines
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Path, Tree, field, first_child

#: Types of nodes that may stand once among their neighbours.
_DECLARED = re.compile(
    r"""(?!package|attribute_item|inner)\w*(?:declaration|definition|signature|directive|_item
    |_spec|_elem|pair|pair_pattern|keyed_element|field_initializer|annotation|associated_type)
    |decorator|attribute_list|import_(?:from_)?statement|export_statement|preproc_(?:include|def)
    |shorthand_property_identifier(?:_pattern)?|enumerator|enum_(?:variant|constant|case|assignment)
    |jsx_attribute|keyword_argument|(?:singleton_)?method""",
    re.VERBOSE,
)
#: Types of nodes that contain the statements of a function, but for these owners.
_CODE = re.compile(r"\w*(?:block|statement|_clause|_case)\w*|constructor_body")
_CLASSES = ("class_definition", "class", "module", "singleton_class")
#: Larger nodes, by their children, and longer insertions, in code points, are data.
_MOST_CHILDREN, _LONGEST = 500, 10_000


def after_moved_declaration(change: Change) -> Iterator[Consequence]:
    """Return the declarations that were written again elsewhere in the same body."""
    tree = change.after.tree
    for made, start, end in change.finished():
        is_inserted = not change.before.tree.text[made.start : made.end].strip()
        groups = list[tuple[int, Node]]()  # of neighbours, each from an offset to its last one
        old = _old(change, start, end) if is_inserted and end - start <= _LONGEST else ()
        for one in sorted(old, key=lambda node: node.start_byte):
            head = start_with_head(tree, one)
            if groups and _is_between(tree, groups[-1][1].end_byte, head):
                head = groups.pop()[0]
            groups.append((head, one))
        for head, last in groups:
            is_beside = _is_between(tree, last.end_byte, start) or _is_between(tree, end, head)
            hunk = None if is_beside else _without(tree, last, head)
            if hunk is not None:
                yield Consequence(hunk, "remove_duplicate")


def _old(change: Change, start: int, end: int) -> Iterator[Node]:
    """Yield the old ones of the declarations that were inserted in a range."""
    tree = change.after.tree
    for way in _declared_between(tree, start, end):
        body, new = way[-2].node, way[-1].node
        text = tree.of(new)
        beside = body.named_children if body.named_child_count <= _MOST_CHILDREN else ()
        found = [one for one in beside if tree.of(one) == text and one != new]
        if len(found) != 1 or text.split()[0] == "_":  # what has no name in Go
            continue
        (old,) = found
        is_copy = old.start_byte < new.start_byte and "\n" in text
        heads = (tree.text[start_with_head(tree, one) : one.start_byte] for one in (new, old))
        if not (is_copy or change.wrote(*old.byte_range)) and len(set(heads)) == 1:
            yield old


def _declared_between(tree: Tree, start: int, end: int) -> Iterator[Path]:
    """Yield the ways to the outermost declarations that begin a line of a range, and end in it."""
    at = start
    while at < end:
        at = end - len(tree.text[at:end].lstrip())
        path = tree.path_near(at)
        ways = (path[:length] for length in range(2, len(path) + 1))
        found = next((way for way in ways if _is_declared(way, at, end)), None)
        if found is not None:
            yield found
            at = found[-1].node.end_byte
        at = tree.text.find("\n", at, end) + 1 or end


def _is_declared(way: Path, start: int, end: int) -> bool:
    """Tell whether a node in a range declares what is declared once beside its neighbours."""
    node, body = way[-1], way[-2]
    if node.node.start_byte != start or node.node.end_byte > end:
        return False
    if body.type == "class_body" and node.type == "decorator":
        return False  # it belongs to the member behind it
    if _CODE.fullmatch(body.type):
        if len(way) < 3 or way[-3].type not in _CLASSES:
            return False
        if node.type == "expression_statement":  # a field of Python
            return field(first_child(node.node), "left") is not None
    is_entry = body.type == "enum_body" and node.type == "property_identifier"
    return is_entry or _DECLARED.fullmatch(node.type) is not None


def _is_between(tree: Tree, end: int, start: int) -> bool:
    """Tell whether two places follow each other, with only separators between them."""
    return end <= start and not tree.text[end:start].strip(" \t\r\n,;")


def _without(tree: Tree, last: Node, start: int) -> Hunk | None:
    """Take declarations out from an offset to the last one, with the lines that they have."""
    text, before = tree.text, tree.text[:start].rstrip()
    if before.endswith(",") and not text.startswith(",", last.end_byte):  # the last of a list
        return Hunk(len(before) - 1, last.end_byte, "")
    return without_lines(tree, last, start)
