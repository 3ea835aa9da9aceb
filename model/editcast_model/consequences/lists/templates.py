"""Templates of an added entry: which entry of a list it copies, and whether that can be copied."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from editcast_model.consequences.lists.entries import Entry, EntryList, is_same
from editcast_model.consequences.lists.word_forms import ends, has, renamed
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Tree

_COLUMN, _BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)"), re.compile(r"(?<=\S) +(?=\S)")
_LITERAL = re.compile("content|fragment|string_literal|integer|float|number|int_literal")


def template_of(
    tree: Tree, added: Entry, found: EntryList, neighbours: tuple[Node, Node]
) -> tuple[Node, str]:
    """Return the entry of a list that an added one is to read like, with its name."""
    entry, beside = neighbours
    if added.after and added.is_like == (False, True):
        return beside, added.after
    if not any(added.is_like) and added.alike not in ("", added.before):
        for one in found.entries:
            if has(tree.of(one), added.alike):
                return one, added.alike
    return entry, added.before


def is_regular(tree: Tree, found: EntryList, entry: Node, name: str) -> bool:
    """Tell whether another entry of a list reads like one but for their names."""
    words = WORD.findall(tree.of(entry))
    at = next((at for at, word in enumerate(words) if has(word, name)), None)
    if at is None:
        return False
    for other in found.entries:
        of_other = WORD.findall(tree.of(other))
        if other != entry and at < len(of_other):
            mine, theirs = ends(words[at], of_other[at])
            kind = renamed(renamed(tree.of(entry), words[at], ""), mine, "")
            if is_same(renamed(renamed(tree.of(other), of_other[at], ""), theirs, ""), kind):
                return True
    return False


def aligned(before: str, after: str, shorter: int, others: Sequence[str]) -> str:
    """Keep the column of a value that stands behind several blanks, in this entry or in others."""
    if not any(_COLUMN.search(one) for one in (before, *others)):
        return after
    blanks = _COLUMN.search(before) or _BLANKS.search(before)
    if blanks is None:
        return after
    width = max(1, len(blanks[0]) + shorter)
    pattern = _COLUMN if _COLUMN.search(before) else _BLANKS
    return pattern.sub(" " * width, after, count=1)


def says_more(tree: Tree, found: EntryList, entry: Node, names: tuple[str, str]) -> bool:
    """Tell whether an entry has a literal that is not made of its names, nor what all have."""
    for text in _literals(tree, entry):
        if not any(has(text, name) for name in names):
            others = [one for one in found.entries if one != entry]
            if len(others) < 2 or not all(text in _literals(tree, one) for one in others):
                return True
    return False


def _literals(tree: Tree, entry: Node) -> list[str]:
    """Return the literals of an entry that say something."""
    nodes, out = [entry], []
    while nodes:
        node = nodes.pop()
        nodes += node.children
        text = tree.of(node)
        is_literal = _LITERAL.search(node.type) and not node.named_children
        if is_literal and any(map(str.isalnum, text)):
            out.append(text)
    return out
