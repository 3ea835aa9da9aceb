"""Counterparts: nodes and ranges of a text before a change, found in the text after it."""

import re
from collections.abc import Collection

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.rewrites.rule import Span, span_of
from editcast_model.history import changes

#: Types of nodes that contain statements, possibly a single one.
BODY = re.compile("block|body|module|program|source_file|compilation_unit")


def counterpart(change: Change, old: Node) -> Node | None:
    """Return the node that is now where a node was; None where something else begins or ends."""
    span = span_now(change, span_of(old))
    if span is None:
        return None
    node = change.after.tree.root.named_descendant_for_byte_range(*span)
    found = None
    while node is not None and span_of(node) == span:
        if node.type == old.type:
            return node
        if not BODY.search(node.type):
            found = node
        node = node.parent
    return found


def span_now(change: Change, span: Span) -> Span | None:
    """Return where a range is in the text after; None if a change goes over one of its ends."""
    before = within = 0
    for hunk in change.hunks:
        if hunk.end < span.start:
            before += hunk.growth
        elif hunk.start <= span.end:
            if hunk.start < span.start or span.end < hunk.end:
                return None
            within += hunk.growth
    return Span(span.start + before, span.end + before + within)


def count_others(change: Change, spans: Collection[Span]) -> int:
    """Count the changes that were made elsewhere than in some ranges of the text before."""
    own = (hunk for hunk in change.hunks if Span(hunk.start, hunk.end).is_within(spans))
    return len(change.made.difference(changes(change.before.tree.text, own)))
