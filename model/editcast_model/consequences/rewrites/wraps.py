"""Values that are left to be wrapped in a call as one just was, at a like place.

After `label="Name"` has become `label=_("Name")`, other strings with that key are wrapped as well,
and so is what follows the text `/users/` after `/users/${name}` has become `/users/${quote(name)}`.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.counterparts import count_others
from editcast_model.consequences.rewrites.rule import KEYED, span_of
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Path, Tree, field

#: Types of nodes: strings, places for values in them, and mappings of values with keys.
_STRING = re.compile(r"(interpreted_|raw_|encapsed_)?string(_literal)?$")
_IN_TEXT = re.compile("interpolation|template_substitution")
_MAPPING = re.compile("dictionary|object|hash")
_ARGUMENTS = re.compile("argument(s|_list)$")
#: Receivers whose methods have nothing in common.
_OWN = ("self", "cls", "this", "super")
_OPENS = re.compile(r"[\w.:$]+\(")
_LETTER = re.compile(r"[^\W\d_]")
#: The beginning of a string that people read.
_SENTENCE = re.compile(r"\w?['\"][A-Z]")
_LEAST_STRING = len("'ab'")
_MOST_PLACES = 300


class _Place(NamedTuple):
    """A place of a value: its kind, the text, key or receiver there, and the arguments before."""

    kind: str
    name: str
    before: tuple[str, ...] = ()


def after_wrap(change: Change) -> Iterator[Consequence]:
    """Return the values that are to be wrapped as one was in a change."""
    was, tree = change.before.tree, change.after.tree
    for hunk, start, _ in change.finished():
        wrapper = _OPENS.match(tree.text, start)
        path = was.path(hunk.start)
        for at, old in enumerate(step.node for step in path if wrapper):
            is_kept = wrapper and tree.text.startswith(f"{was.of(old)})", wrapper.end())
            place = _place(was, path[: at + 1])
            if wrapper is None or not is_kept or old.start_byte != hunk.start or place is None:
                continue
            others = count_others(change, [span_of(old)])
            for value in (*_values(tree, place, old), *_beside(tree, start, was, old)):
                text = f"{wrapper[0]}{tree.of(value)})"
                new = Hunk(value.start_byte, value.end_byte, text)
                cause = f"{place.kind} {wrapper[0]}"
                yield Consequence(new, "rewrite_that_adds", cause=cause, others=others)


def _values(tree: Tree, place: _Place, old: Node) -> Iterator[Node]:
    """Return the values at a like place in a text."""
    behind = {
        "text": r"\$?\{\s*",
        "key": r"['\"]?\s*(?:=>?|:)\s*",
        "call": r"(?:\s*(?:\.|->|::)\s*\w+)?\(",
    }[place.kind]
    parts = {one.type for one in old.named_children}
    pattern = rf"(?<![\w.]){re.escape(place.name)}{behind}"
    for found in islice(re.finditer(pattern, tree.text), _MOST_PLACES):
        start = found.end()
        if place.kind == "call":
            start = _argument(tree, start - 1, len(place.before))
        path = tree.path(start)
        for at, (_, _, value) in enumerate(path):
            if value.start_byte == start and value.type == old.type:
                is_like = {one.type for one in value.named_children} <= parts
                if is_like and _place(tree, path[: at + 1]) == place:
                    yield value


def _argument(tree: Tree, offset: int, index: int) -> int:
    """Return where an argument starts in the parentheses at an offset; these for none."""
    given = tree.path(offset)[-1].node.parent
    values = given.named_children if given is not None else []
    return values[index].start_byte if index < len(values) else offset


def _beside(tree: Tree, start: int, was: Tree, old: Node) -> Iterator[Node]:
    """Return the sentences in the same mapping as one that was wrapped."""
    mapping = [one.node for one in tree.path(start) if one.node.start_byte < start][-2:-1]
    if _SENTENCE.match(was.of(old)) and mapping and _MAPPING.match(mapping[0].type):
        for one in mapping[0].named_children:
            value = field(one, "value")
            if value is not None and value.type == old.type and _SENTENCE.match(tree.of(value)):
                yield value


def _place(tree: Tree, path: Path) -> _Place | None:
    """Return the place of the last node on a path; None for one that is like no others."""
    *above, (kind, part, node) = path
    if len(above) < 2 or not node.is_named:
        return None
    call, parent = above[-2].node, above[-1].node
    if _IN_TEXT.search(parent.type):
        text = re.split(r"[{}\s\"'`]", tree.text[call.start_byte : parent.start_byte])[-1]
        return _Place("text", text) if _LETTER.search(text) else None
    if not _STRING.match(kind) or len(tree.of(node)) < _LEAST_STRING:
        return None
    if KEYED.search(parent.type) and part == "value":
        return _Place("key", tree.of(field(parent, "name", "key")).strip("'\""))
    if not _ARGUMENTS.search(parent.type):
        return None
    called = field(call, "function", "constructor", "object")
    owner = tree.of(field(called, "object", "operand", "value"))
    name = tree.of(called) if owner in ("", *_OWN) else owner
    given = parent.named_children
    return _Place("call", name, tuple(map(tree.of, given[: given.index(node)]))) if name else None
