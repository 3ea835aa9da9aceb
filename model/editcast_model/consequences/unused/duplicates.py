"""Declarations that stand twice since a change: they were moved, and the old ones are left.

Members of a class, an interface, an enumeration or an object, decorators, functions and imports:
whatever has a name and is declared once. Only what was inserted whole, on lines of its own, with
something else between it and the old one: two side by side are often a copy that is to be changed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.unused.removal import start_with_head, without_lines
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree, field, first_child

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
_MOST_CHILDREN, _LONGEST = 1_000, 20_000


def after_moved_declaration(change: Change) -> Iterator[Consequence]:
    """Return the declarations that were written again elsewhere in the same body."""
    tree = change.after.tree
    known = dict[int, dict[str, list[Node]]]()
    for made, start, end in change.finished():
        is_inserted = not change.before.tree.text[made.start : made.end].strip()
        if not is_inserted or not made.text.strip() or end - start > _LONGEST:
            continue
        groups = list[list[Node]]()  # of neighbours
        for one in sorted(_old(change, start, end, known), key=lambda node: node.start_byte):
            if groups and _is_between(tree, groups[-1][-1].end_byte, start_with_head(tree, one)):
                groups[-1].append(one)
            else:
                groups.append([one])
        for first, *_, last in (group if group[1:] else 2 * group for group in groups):
            head, tail = start_with_head(tree, first), last.end_byte
            is_beside = _is_between(tree, tail, start) or _is_between(tree, end, head)
            hunk = None if is_beside else _without(tree, last, head)
            if hunk is not None:
                yield Consequence(hunk, "remove_duplicate")


def _old(
    change: Change, start: int, end: int, known: dict[int, dict[str, list[Node]]]
) -> Iterator[Node]:
    """Yield the old ones of the declarations that were inserted in a range."""
    tree = change.after.tree
    for new in _declared_between(tree, start, end):
        body = new.parent
        if body is None or body.named_child_count > _MOST_CHILDREN:
            continue
        if body.id not in known:
            known[body.id] = _by_text(tree, body)
        found = known[body.id].get(_text(tree, new), [])
        old = next((one for one in found if one != new), None)
        if old is None or len(found) > 2:
            continue
        if not change.wrote(old.start_byte, old.end_byte):
            yield old


def _declared_between(tree: Tree, start: int, end: int) -> Iterator[Node]:
    """Yield the outermost declarations that begin a line of a range, and end in it."""
    at = start
    while at < end:
        at = end - len(tree.text[at:end].lstrip())
        steps = (step.node for step in tree.path_near(at)[1:])
        of_line = (one for one in steps if start <= at == one.start_byte and one.end_byte <= end)
        one = next(filter(_is_declared, of_line), None)
        if one is not None:
            yield one
            at = one.end_byte
        at = tree.text.find("\n", at, end) + 1 or end


def _is_declared(node: Node) -> bool:
    """Tell whether a node declares something that is declared once beside its neighbours."""
    body = node.parent
    if body is None:
        return False
    if body.type == "enum_body" and node.type == "property_identifier":
        return True
    if body.type == "class_body" and node.type == "decorator":
        return False  # it belongs to the member behind it
    if _CODE.fullmatch(body.type):
        if body.parent is None or body.parent.type not in _CLASSES:
            return False
        if node.type == "expression_statement":  # a field of Python
            return field(first_child(node), "left") is not None
    return _DECLARED.fullmatch(node.type) is not None


def _by_text(tree: Tree, body: Node) -> dict[str, list[Node]]:
    found = defaultdict[str, list[Node]](list)
    for one in body.named_children:
        if _is_declared(one):
            found[_text(tree, one)].append(one)
    return found


def _text(tree: Tree, node: Node) -> str:
    """Return a declaration with the comments and attributes right above it."""
    return tree.text[start_with_head(tree, node) : node.end_byte].strip()


def _is_between(tree: Tree, end: int, start: int) -> bool:
    """Tell whether two places follow each other, with only separators between them."""
    return end <= start and not tree.text[end:start].strip(" \t\r\n,;")


def _without(tree: Tree, last: Node, start: int) -> Hunk | None:
    """Take declarations out from an offset to the last one, with the lines that they have."""
    text, before = tree.text, tree.text[:start].rstrip()
    if before.endswith(",") and not text.startswith(",", last.end_byte):  # the last of a list
        return Hunk(len(before) - 1, last.end_byte, "")
    return without_lines(tree, last, start)
