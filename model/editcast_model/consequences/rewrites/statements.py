"""The rules of statements that were rewritten together.

After `try: ... except ValueError: ...` has become `with pytest.raises(ValueError): ...`, or two
statements have become one, the same is due where such statements follow each other again.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from keyword import kwlist

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.rewrites.counterparts import BODY, span_now
from editcast_model.consequences.rewrites.from_example import (
    anchors_of,
    between,
    count_names,
    gone_and_added,
    kept_of,
    local_in,
    names_of,
)
from editcast_model.consequences.rewrites.rule import (
    AROUND,
    GONE,
    Kept,
    Part,
    Rule,
    Span,
    function_around,
    indent_at,
    span_of,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree

#: Types of statements that fit their own place only.
_OWN = re.compile("function|class|method|import|definition|decorated|package|comment")
#: A number or a string.
_VALUE = re.compile(r"""['"`]|(?<!\w)\d""")
_GIVEN = re.compile(r"(\w+) :?= .*", re.DOTALL)
#: How tests expect errors, or code catches them.
_FAILS = re.compile(r"[rR]aises\(|toThrow|\b(except|catch|raise|throw)\b")
#: The beginning of a statement that prints, which is mostly for debugging.
_PRINTS = re.compile(r"(console|print|println!?|fmt\.Print\w*|System\.out|dbg!|var_dump|puts)\b")
#: The most statements of an example, and characters without the parts that were kept.
_MOST_STATEMENTS, _LONGEST = 6, 600
#: The most new names: with more, a rewrite fits its own place only.
_MOST_ADDED = 6


class Siblings:
    """The statements of bodies, each body read once."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[list[int], list[Node]]] = {}

    def of(self, body: Node) -> tuple[list[int], list[Node]]:
        """Return where the statements of a body start, and the statements."""
        if body.id not in self._of:
            nodes = body.named_children
            self._of[body.id] = [one.start_byte for one in nodes], nodes
        return self._of[body.id]

    def beside(self, body: Node, node: Node, at: int, count: int) -> tuple[Node, ...]:
        """Return `count` statements that follow each other, of which a node is number `at`."""
        starts, nodes = self.of(body)
        first = bisect_left(starts, node.start_byte) - at
        return tuple(nodes[first : first + count]) if first >= 0 else ()


def statement_rules(change: Change) -> Iterator[Rule]:
    """Return the rules that a change shows, one for each run of statements that was rewritten."""
    change = _with_line_ends_before(change)
    for old in _runs(change):
        new = _counterparts(change, old)
        are_simple = len(old) == len(new) == 1 and not any(map(_contains_others, (*old, *new)))
        if new and not are_simple and [one.type for one in old] != [one.type for one in new]:
            rule = _rule_from(change, old, new)
            if rule is not None:
                yield rule


def _with_line_ends_before(change: Change) -> Change:
    """Return the same change with removed lines that begin with a line end, not end with one.

    So the end of a removed statement is that of the removed text.
    """
    text, hunks, done = change.before.tree.text, list[Hunk](), 0
    for hunk in change.hunks:
        start, end = hunk.start, hunk.end
        while done < start < end and text[start - 1] == text[end - 1] and not hunk.text:
            if not text[end - 1].isspace():
                break
            start, end = start - 1, end - 1
        if text[start : start + 1] not in ("\r", "\n"):
            start, end = hunk.start, hunk.end
        hunks.append(Hunk(start, end, hunk.text))
        done = end
    return Change(change.before, change.after, change.active, tuple(hunks))


def _runs(change: Change) -> Iterator[tuple[Node, ...]]:
    """Return the statements that were changed together."""
    siblings, runs = Siblings(), list[tuple[Node, range]]()
    for hunk, start, _ in change.finished():
        if change.is_rewritten(start):
            continue
        body = _body_around(change.before.tree, hunk)
        if body is None:
            continue
        starts, nodes = siblings.of(body)
        near = range(max(bisect_left(starts, hunk.start) - 1, 0), bisect_left(starts, hunk.end))
        touched = [
            at for at in near if nodes[at].start_byte < hunk.end and hunk.start < nodes[at].end_byte
        ]
        if not touched:
            continue
        run = range(touched[0], touched[-1] + 1)
        if runs and runs[-1][0] == body and run.start <= runs[-1][1].stop:
            run = range(runs[-1][1].start, max(run.stop, runs.pop()[1].stop))
        runs.append((body, run))
    for body, run in runs:
        if len(run) <= _MOST_STATEMENTS:
            yield tuple(siblings.of(body)[1][run.start : run.stop])


def _body_around(tree: Tree, hunk: Hunk) -> Node | None:
    """Return the innermost node that contains statements and all that a hunk replaces."""
    for step in reversed(tree.path_near(hunk.start)):
        node = step.node
        if node.start_byte <= hunk.start and hunk.end <= node.end_byte and BODY.search(node.type):
            return node
    return None


def _contains_others(statement: Node) -> bool:
    return any(BODY.search(one.type) for one in statement.named_children)


def _counterparts(change: Change, old: Sequence[Node]) -> tuple[Node, ...]:
    """Return the statements that are now where others were; none where something else is."""
    span = span_now(change, span_of(*old))
    if span is None or span.end <= span.start:
        return ()
    start, end = span
    for step in reversed(change.after.tree.path_near(start)):
        if BODY.search(step.type):
            nodes = [one for one in step.node.named_children if start <= one.start_byte < end]
            if nodes and span_of(*nodes) == (start, end):
                return tuple(nodes)
    return ()


def _rule_from(change: Change, old: Sequence[Node], new: Sequence[Node]) -> Rule | None:
    """Generalize a rewrite of statements; None where nothing is special about the old ones."""
    tree, now = change.before.tree, change.after.tree
    if not (tree.is_code(*span_of(*old)) and now.is_code(*span_of(*new))):
        return None
    if any(_OWN.search(one.type) for one in (*old, *new)):
        return None
    holes, parts = kept_of(tree, old, now, new)
    spans = [part.span for part, _ in parts]
    if len(new) > len(old) and any(_is_added(now, one, spans) for one in new):
        return None
    around = function_around(tree, old[0].start_byte)
    named = [(part, AROUND) for part in names_of(around, now, new, spans)]
    parts = sorted([*parts, *named], key=lambda one: one[0].span)
    strings = {span_of(one): f"{GONE}{one.start_byte}" for one in _strings(old, holes)}
    anchors = anchors_of(tree, old, {**holes, **strings})
    pieces = between(now, new, [part.span for part, _ in parts])
    gone, added = gone_and_added(anchors, pieces)
    if not any(map(str.strip, pieces)) or not gone or not (added or set(gone) - {*kwlist}):
        return None  # a condition or a branch that is gone was that of one place
    says = any(part.text.startswith(("'", '"', "`")) for part, _ in parts)
    if _FAILS.search("".join(pieces)) and not (says or _FAILS.search(tree.text, *span_of(*old))):
        return None  # a test expects an error of one function
    has_value = bool(_VALUE.search("".join(pieces)))
    if has_value and len(old) == len(new):
        return None  # the new value is that of one place: of such edits 0 of 7 were clean
    left = len(tree.text[slice(*span_of(*old))]) - sum(end - start for start, end in holes)
    if count_names(pieces, added) > _MOST_ADDED or left > _LONGEST:
        return None
    # A name that is asked for and got its value in what was kept.
    given = {one[1]: one[0] for one in map(_GIVEN.match, holes.values()) if one and one[1] in added}
    rule = Rule(
        tree,
        tuple(old),
        {**holes, **strings},
        pieces,
        tuple(_kept(change, holes, old[0], *one) for one in parts),
        anchor=max(gone, key=len),
        added=frozenset(added) - given.keys(),
        around=around,
        tied=next(iter(given.values()), ""),
        local=frozenset(each.name for one in new for each in local_in(change.after, one, spans))
        - given.keys(),
        kind="rewrite_that_adds" if strings or has_value else "rewrite",
    )
    return None if rule.written(now, new) is not None else rule  # it would never end


def _is_added(now: Tree, statement: Node, kept: Collection[Span]) -> bool:
    """Tell whether a statement keeps nothing, or prints: it was added, to this place."""
    is_own = not any(one.is_within([span_of(statement)]) for one in kept)
    return is_own or bool(_PRINTS.match(now.of(statement)))


def _strings(nodes: Sequence[Node], holes: Collection[Span]) -> Iterator[Node]:
    """Return the strings that were not kept."""
    for one in nodes:
        span = span_of(one)
        if "string" not in one.type and span not in holes:
            yield from _strings(one.named_children, holes)
        elif not any(hole.is_within([span]) for hole in holes):
            yield one


def _kept(change: Change, holes: dict[Span, str], first: Node, part: Part, name: str) -> Kept:
    """Describe a part that was kept."""
    tree, now = change.before.tree, change.after.tree
    indent = indent_at(tree, first.start_byte)
    hole = next((span for span, one in holes.items() if one == name), None)
    before = indent_at(tree, hole.start) if hole is not None else ""
    after = indent_at(now, part.span.start)
    return Kept(name, part.text, (before.removeprefix(indent), after.removeprefix(indent)))
