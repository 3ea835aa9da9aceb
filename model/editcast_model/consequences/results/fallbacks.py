"""Values that stand for missing ones only, `??`, where they stood for zero as well, `||`.

After `options.gain || 0.8` has become `options.gain ?? 0.8`, so do the other members of that thing
with a value of the same type.
"""

from collections.abc import Iterator

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree, field

#: Types of values beside which that of the other side, too, is one to be kept.
_VALUES = ("number", "true", "false")


def after_fallback(change: Change) -> Iterator[Consequence]:
    """Return the operators that are left."""
    tree = change.after.tree
    for hunk, start, _ in change.finished():
        is_one = change.before.tree.text[hunk.start : hunk.end] == "||"
        example = _fallback(tree, start) if is_one and hunk.text == "??" else None
        at = tree.text.find("||") if example else -1
        while at >= 0:
            if _fallback(tree, at) == example and not change.is_active(at, at + 2):
                cause = f"{example} ??"
                yield Consequence(Hunk(at, at + 2, "??"), "rewrite", cause=cause)
            at = tree.text.find("||", at + 2)


def _fallback(tree: Tree, at: int) -> tuple[str, str] | None:
    """Return the thing whose member may be missing, and the type of the value instead of it."""
    path = tree.path(at)
    node = path[-1].node if path[-1].type == "binary_expression" else path[-2].node
    left, right = field(node, "left"), field(node, "right")
    if left is None or right is None or left.type != "member_expression":
        return None
    return (tree.of(field(left, "object")), right.type) if right.type in _VALUES else None
