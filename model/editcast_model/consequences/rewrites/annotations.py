"""Annotations of Python that are left in an older form than one that a change made newer.

After `Optional[str]` has become `str | None`, so do the others, and `List[str]` becomes
`list[str]`, which Python has had for longer.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.imports import imports
from editcast_model.consequences.rewrites.counterparts import counterpart
from editcast_model.diff import shortest_hunk

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
        text = newer(tree.of(node), wanted)
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
                if old != now == newer(old, names):
                    has_union = any(f"{one}[" in old for one in _UNIONS)
                    found |= names if has_union else _CLASSES
                    break
    return found


def newer(code: str, names: Collection[str]) -> str:
    """Return a type as newer versions of Python have it, with some names of types replaced."""
    pieces, at = list[str](), 0
    for found in _OLD.finditer(code):
        if found.start() < at:
            continue
        arguments, end = _arguments(code, found.end())
        if end < 0:
            return code
        pieces.append(code[at : found.start()])
        at = end
        pieces.append(_replaced(found, code[found.start() : end], arguments, names))
    return "".join([*pieces, code[at:]])


def _replaced(found: re.Match[str], code: str, arguments: list[str], names: Collection[str]) -> str:
    """Return one type as newer versions have it."""
    name = found["name"]
    inner = [newer(one, names) for one in arguments]
    if name not in names or (name in _UNIONS and any(one in code for one in "\"'\n")):
        head = code[: found.end() - found.start()]
        return f"{head}{','.join(inner)}]"
    if name in _CLASSES:
        return f"{name.lower()}[{','.join(inner)}]"
    inner = [one.strip() for one in inner if one.strip()]
    return " | ".join([*inner, "None"] if name == "Optional" else inner)


def _arguments(code: str, start: int) -> tuple[list[str], int]:
    """Return what stands between commas in brackets, and where these end; -1 for nowhere."""
    depth, at, found = 0, start, list[str]()
    for place in range(start, len(code)):
        letter = code[place]
        if letter in "[(":
            depth += 1
        elif letter in "])" and depth:
            depth -= 1
        elif letter == "]":
            return [*found, code[at:place]], place + 1
        elif letter == "," and not depth:
            found.append(code[at:place])
            at = place + 1
    return found, -1
