"""Messages that are left in a form that another one of the file had, and has no longer.

After `"%s is there" % name` has become an f-string, the next one does, whatever it says and however
many values it has. After `log.info(f"copying {folder}")` has become
`log.info("copying %s", folder)`, so do the other messages of that logger.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.formats.calls import GivenApart, calls_left, given_apart
from editcast_model.consequences.formats.forms import FORMS, Form
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.counterparts import counterpart
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.history import changes
from editcast_model.syntax.tree import Tree

_Example = GivenApart | tuple[Form, Form]

#: Longer nodes, in code points, are skipped.
_LONGEST = 1000
#: The number of nodes around a change that are examined.
_MOST_STEPS = 8
#: The most messages of a file that are examined.
_MOST_PLACES = 300


def after_format(change: Change) -> Iterator[Consequence]:
    """Return the messages that are left in a form that a change took from one of them."""
    tree = change.after.tree
    examples = defaultdict[_Example, list[Node]](list)
    for old, example in _examples(change):
        examples[example].append(old)
    for example, nodes in examples.items():
        others = _count_others(change, nodes)
        if isinstance(example, GivenApart):
            left, cause = calls_left(change.after, example), f"{example.was} {example.function}"
        else:
            left, cause = _left(tree, *example), " ".join(one.name for one in example)
        for node, text in left:
            if not change.wrote(node.start_byte, node.end_byte):
                hunk = shortest_hunk(tree.of(node), text, node.start_byte)
                yield Consequence(hunk, "convert_format", cause=cause, others=others)


def converted_in(change: Change) -> Iterator[Node]:
    """Return the nodes of the text before that a change gave another form to.

    What else follows from them is known here: other rules have only one number of values.
    """
    return (old for old, _ in _examples(change))


def _count_others(change: Change, nodes: Collection[Node]) -> int:
    """Count the changes that were made elsewhere than in some nodes."""

    def is_within(hunk: Hunk) -> bool:
        return any(one.start_byte <= hunk.start and hunk.end <= one.end_byte for one in nodes)

    own = changes(change.before.tree.text, filter(is_within, change.hunks))
    return len(change.made.difference(own))


def _examples(change: Change) -> Iterator[tuple[Node, _Example]]:
    """Return the nodes that have another form, each with what it shows."""
    if change.after.tree.language not in FORMS:
        return
    for old, new in _changed(change):
        example = _converted(change, old, new) or given_apart(change, old, new)
        if example is not None:
            yield old, example


def _changed(change: Change) -> Iterator[tuple[Node, Node]]:
    """Return the nodes around what was changed with what they are now, the smallest first."""
    seen = set[tuple[int, int, str]]()
    for hunk, start, _ in change.finished():
        if change.is_rewritten(start):
            continue
        for step in reversed(change.before.tree.path(hunk.start)[-_MOST_STEPS:]):
            old = step.node
            key = (old.start_byte, old.end_byte, old.type)
            if old.end_byte - old.start_byte > _LONGEST:
                break
            if not old.is_named or hunk.end > old.end_byte or key in seen:
                continue
            seen.add(key)
            new = counterpart(change, old)
            if new is not None and new.end_byte - new.start_byte <= _LONGEST:
                yield old, new


def _converted(change: Change, old: Node, new: Node) -> tuple[Form, Form] | None:
    """Return the form that a message had and the one that it has now, if it has another."""
    tree, now = change.before.tree, change.after.tree
    for form in FORMS[tree.language]:
        message = form.read(tree, old)
        for other in FORMS[tree.language] if message is not None else ():
            if other is form or other.write is None:
                continue
            written = other.read(now, new)
            if written is not None and message is not None and message.says_same(written):
                return form, other
    return None


def _left(tree: Tree, form: Form, other: Form) -> Iterator[tuple[Node, str]]:
    """Return the messages of one form, each as it is written in another one."""
    done = -1
    for count, found in enumerate(form.anchor.finditer(tree.text)):
        if count == _MOST_PLACES:
            return
        if found.start() < done:
            continue
        for step in tree.path(found.start()):
            message = form.read(tree, step.node) if step.node.is_named else None
            if message is not None:
                text = other.write(message) if other.write else None
                if text is not None:
                    yield step.node, text
                done = step.node.end_byte
                break
