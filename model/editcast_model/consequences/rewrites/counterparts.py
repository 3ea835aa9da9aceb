"""What a node of a changed text is now."""

import re

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.rewrites.rule import Span, span_of

#: Types of nodes that contain statements, possibly a single one.
_BODY = re.compile("block|body|module|program|source_file|compilation_unit")


def counterpart(change: Change, old: Node) -> Node | None:
    """Return the node that is now where a node was; None where something else begins or ends."""
    before = within = 0
    for hunk in change.hunks:
        if hunk.end < old.start_byte:
            before += hunk.growth
        elif hunk.start <= old.end_byte:
            if hunk.start < old.start_byte or old.end_byte < hunk.end:
                return None
            within += hunk.growth
    span = Span(old.start_byte + before, old.end_byte + before + within)
    node = change.after.tree.root.named_descendant_for_byte_range(*span)
    found = None
    while node is not None and span_of(node) == span:
        if node.type == old.type:
            return node
        if not _BODY.search(node.type):
            found = node
        node = node.parent
    return found
