"""Checks at the start of functions in Python that a decorator makes since a change.

After one function got `@needs_role("cook")` and lost `if role() != "cook": abort(403)`, others
that begin with such a check get the decorator in its place, with what they ask for.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.tree import Tree, field, first_child

#: What a decorator may be given, that means the same outside of the function.
_VALUE: Final = re.compile(r"[A-Z][\w.]*|\d+|\"[^\"\n]*\"|'[^'\n]*'")
_CHECK: Final = re.compile(r"(if|assert|await|[\w.]+\()(?!.*(:=|\belse:))", re.DOTALL)


def after_check(change: Change) -> Iterator[Consequence]:
    """Return the decorator for other functions that begin with a check which it replaced."""
    was, tree = change.before.tree, change.after.tree
    for before, after in change.functions if tree.language == "python" else ():
        (above, old), (now, new) = _parts(before.node), _parts(after.node)
        gone = old[: max(len(old) - len(new), 0)] if new else []
        known, left = {*map(was.of, above)}, [*map(was.of, old[len(gone) :])]
        added = [one for one in now if tree.of(one) not in known]
        is_moved = len(added) == 1 == len(now) - len(above) and left == [*map(tree.of, new)]
        if gone and is_moved and all(_CHECK.match(was.of(one)) for one in gone):
            check = was.text[gone[0].start_byte : old[len(gone)].start_byte]
            yield from _decorated(tree, check, added[0], is_first=added == now[:-1][:1])


def _decorated(tree: Tree, check: str, like: Node, *, is_first: bool) -> Iterator[Consequence]:
    """Return functions that begin with such a check with a decorator like another one instead."""
    form, written, called = re.escape(check), tree.of(like), tree.of(like).partition("(")[0]
    value = _VALUE.search(written, len(called))
    asked = rf"(?<!\w){re.escape(re.escape(value[0]))}(?!\w)" if value else "$^"
    form = re.sub(asked, lambda _: f"({_VALUE.pattern})", form, count=1)
    for found in re.finditer(form, tree.text):
        function = function_node_around(tree, tree.path(found.start())[-1].node)
        above, statements = _parts(function) if function else ([], [])
        starts = [one.start_byte for one in statements]
        is_whole = starts[:1] == [found.start()] and found.end() in starts
        if function and is_whole and not any(tree.of(one).startswith(called) for one in above):
            start = (above[0] if above and is_first else function).start_byte
            text = written.replace(value[0], found[1]) if value and found.groups() else written
            head = tree.text[start : found.start()]
            hunk = Hunk(start, found.end(), f"{text}\n{indent_at(tree, start)}{head}")
            yield Consequence(hunk, "check_by_decorator", cause=f"{called} {form}")


def _parts(function: Node) -> tuple[list[Node], list[Node]]:
    """Return the decorators and the statements of a function, without its documentation."""
    above, body = function.parent, field(function, "body")
    is_decorated = above is not None and above.type == "decorated_definition"
    nodes = body.named_children if body is not None else []
    documents = nodes and (first_child(nodes[0]) or nodes[0]).type == "string"
    return above.named_children[:-1] if above and is_decorated else [], nodes[bool(documents) :]
