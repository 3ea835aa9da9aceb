"""Annotations of Python that are left in an older form than one that a change made newer.

After `Optional[str]` has become `str | None`, so do the others, and `List[str]` becomes
`list[str]`, which Python has had for longer.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.imports import imports
from editcast_model.consequences.rewrites.counterparts import counterpart
from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_model.syntax.tree import Tree

_CLASSES = frozenset({"Dict", "FrozenSet", "List", "Set", "Tuple", "Type"})
_UNIONS = frozenset({"Optional", "Union"})
_MODULES = ("typing", "typing_extensions")
#: Types of nodes for generic types.
_NODES = ("generic_type", "subscript")
_OLD = re.compile(r"(?<![\w.])(?P<module>typing\.|t\.)?(?P<name>[A-Z]\w+)\[")
_MOST_PLACES = 300
#: Longer nodes, in code points, are skipped.
_LONGEST = 500


def after_annotation(change: Change) -> Iterator[Consequence]:
    """Return the annotations that are older than one that a change made newer."""
    tree = change.after.tree
    wanted = _made_newer(change) if tree.language == "python" else frozenset()
    if not wanted:
        return
    taken = {one.bound for one in imports(change.after) if one.module in _MODULES and one.name}
    done = -1
    for found in islice(_OLD.finditer(tree.text), _MOST_PLACES):
        if found.start() < done or not (found["module"] or found["name"] in taken):
            continue
        nodes = (step.node for step in tree.path(found.start()) if step.type in _NODES)
        node = next((one for one in nodes if one.start_byte == found.start()), None)
        text = newer(tree, node, wanted)
        if node is None or text == tree.of(node):
            continue
        done = node.end_byte
        if not change.wrote(node.start_byte, node.end_byte):
            hunk = shortest_hunk(tree.of(node), text, node.start_byte)
            yield Consequence(hunk, "rewrite_annotation", cause="typing")


def _made_newer(change: Change) -> frozenset[str]:
    """Return the names of older annotations that have gone from one of them, or should have."""
    found = frozenset[str]()
    for hunk, _, _ in change.finished():
        for step in change.before.tree.path(hunk.start):
            node = step.node
            if step.type not in _NODES or node.end_byte - node.start_byte > _LONGEST:
                continue
            old, new = change.before.tree.of(node), counterpart(change, node)
            now = change.after.tree.of(new)
            for names in (_CLASSES | _UNIONS, _UNIONS, _CLASSES):
                if old != now == newer(change.before.tree, node, names):
                    has_union = any(f"{one}[" in old for one in _UNIONS)
                    found |= names if has_union else _CLASSES
                    break
    return found


def newer(tree: Tree, node: Node | None, names: Collection[str]) -> str:
    """Return a type as newer versions of Python have it, with some names of types replaced."""
    code = tree.of(node)
    if node is None or not node.named_children:
        return code
    found = _OLD.match(code) if node.type in _NODES else None
    name = found["name"] if found is not None and found["name"] in names else ""
    head, *arguments = node.named_children
    if name in _UNIONS and not any(one in code for one in "\"'\n"):
        arguments = arguments[0].named_children if node.type == "generic_type" else arguments
        inner = [newer(tree, one, names) for one in arguments]
        return " | ".join([*inner, "None"] if name == "Optional" else inner)
    written = name.lower() if name in _CLASSES else newer(tree, head, names)
    texts = [written, *(newer(tree, one, names) for one in arguments)]
    pairs = zip(node.named_children, texts, strict=True)
    hunks = (Hunk(one.start_byte, one.end_byte, text) for one, text in pairs)
    return apply_hunks(code, (one.shifted(-node.start_byte) for one in hunks))
