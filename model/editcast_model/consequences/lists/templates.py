"""Templates of an added entry: which entry of a list it copies, and whether that can be copied."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editcast_model.consequences.lists.declarations import inner_of
from editcast_model.consequences.lists.entries import (
    COLUMN,
    SCHEMA,
    Entry,
    EntryList,
    name_of,
)
from editcast_model.consequences.lists.word_forms import differing, forms, has, nameless, renamed
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Tree

_COLUMN = re.compile(r"(?<=\S) {2,}(?=\S)")
#: Spaces outside of strings: an even number of quotes follows.
_BLANKS = re.compile(r"""(?<=\S) +(?=\S)(?=(?:[^"'`]*(["'`])[^"'`]*\1)*[^"'`]*$)""")
_VALUE = re.compile(r"""['"]?\s*[:=]""")
_DECLARED = re.compile("declaration|signature|parameter|assignment|field|property|definition")
#: Most values that are not set are `false`, so that another entry has that one too.
_LITERAL = re.compile("content|fragment|string_literal|integer|float|number|int_literal|^true$")


@dataclass(frozen=True, slots=True)
class Template:
    """An entry that an added one is to read like."""

    source: Node
    words: tuple[tuple[str, str], ...]  # that become others, each with the other
    within: bool = False  # other words, too

    def filled(self, text: str) -> str:
        """Return a text of the entry as the added one has it."""
        for old, new in self.words:
            text = renamed(text, old, new, within=self.within)
        return text


def is_same_but_form(text: str, added: Entry) -> bool:
    """Tell whether an entry is the one before an added entry, but for the form of its name."""
    return nameless(text, added.before) == nameless(added.text_before, added.before)


def template_of(
    added: Entry, found: EntryList, beside: Node, together: Sequence[Entry]
) -> Template | None:
    """Return the entry of a list that an added one is to read like; None for none.

    Args:
        added: The added entry.
        found: The list, seen from the entry that is to stand before the new one.
        beside: Another entry beside the new one.
        together: Entries that were added with it, to this list or others.
    """
    if added.kind == SCHEMA:
        return _of_same_type(added, found)
    source, old = _source_of(added, found, beside)
    text, words = found.tree.of(source), ((old, added.name), differing(old, added.name))
    if _says_more(added, found, source, [old for old, _ in words]):
        return _said_by_name(added, found, source)
    says_part = any(has(each, words[1][0]) for each in _literals(found.tree, source))
    if not (any(added.is_like) or added.alike or says_part) and _is_constant(text, old):
        return None  # it is of another type
    pairs = [
        (other, added.name)
        for other in added.counterparts(old, together)
        if other != old and has(text, other)
    ]
    if pairs or is_same_but_form(found.tree.of(found.entry), added):
        return Template(source, (*words, *pairs))
    for within in (False, True):
        if _is_regular(found, source, old, within):
            return Template(source, words, within)
    if _reads_as_others(found, source, old, added.others):
        return Template(source, words)
    is_beside = source in (found.entry, beside)
    is_list = found.node.child_by_field_name("operator") is None  # else of conditions
    others = [one for one in added.all_alike if one != old]
    is_only = not any(has(found.tree.of(one), other) for one in found.entries for other in others)
    is_only &= all(forms(old).fullmatch(one) for one in _literals(found.tree, source))
    is_like = is_list and is_only and _is_of_same_type(added, old)
    if is_beside and is_like and _says_type(source, text, old):
        return Template(source, words)
    return None if is_beside else Template(source, words, name_of(source) is not None)


def _of_same_type(added: Entry, found: EntryList) -> Template | None:
    """Return an entry of a list that is of the type of an added column; None for none."""
    for old in added.all_alike:
        for one in found.entries:
            if only_name(found.tree.of(one), added.others) == old:
                return Template(one, ((old, added.name), differing(old, added.name)))
    return None


def _says_type(entry: Node, text: str, name: str) -> bool:
    """Tell whether an entry is a declaration, or has a name and what all of the type may have."""
    declared = inner_of(entry)
    if declared.child_by_field_name("type") is not None and _DECLARED.search(declared.type):
        return has(text, name)
    is_named = forms(name).match(text.lstrip("\"'")) is not None
    return is_named and not _is_constant(text, name)


def _is_of_same_type(added: Entry, other: str) -> bool:
    """Tell whether a field is declared with the type of a neighbour, or written like it."""
    is_like = bool(added.owner) and added.is_like[other != added.before]
    return is_like and any(WORD.findall(word) for word in nameless(added.text, added.name))


def _source_of(added: Entry, found: EntryList, beside: Node) -> tuple[Node, str]:
    """Return the entry of a list that an added one is to read like, with its name."""
    if added.kind == COLUMN and (plain := _plainest(added, found)) is not None:
        return plain
    if added.after and added.is_like == (False, True):
        return beside, added.after
    if not any(added.is_like) and added.alike not in ("", added.before):
        near = [(one, found.tree.of(one)) for one in found.by_distance(found.entry)]
        like = [(one, text) for one, text in near if has(text, added.alike)]
        for one, _ in sorted(like, key=lambda each: not only_name(each[1], added.others)):
            return one, added.alike
    return found.entry, added.before


def _plainest(added: Entry, found: EntryList) -> tuple[Node, str] | None:
    """Return an entry that reads like most others, or the plainest, of a type that is not known."""
    entries = list[tuple[Node, str, list[str]]]()
    for one in (found.entry, *found.by_distance(found.entry)):
        text = found.tree.of(one)
        own = only_name(text, added.others)
        if own:
            entries.append((one, own, nameless(text, own)))
    shapes = [shape for *_, shape in entries]

    def rank(one: tuple[Node, str, list[str]]) -> tuple[bool, int]:
        return 2 * shapes.count(one[2]) < len(found.entries), len(WORD.findall(" ".join(one[2])))

    best = min(entries, key=rank, default=None)
    return best[:2] if best is not None else None


def _is_constant(entry: str, name: str) -> bool:
    """Tell whether an entry is its name with a value that does not have the name."""
    start = next(forms(name).finditer(entry), None)
    rest = entry[start.end() :] if start else ""
    return _VALUE.match(rest) is not None and not has(rest, name)


def _is_regular(found: EntryList, entry: Node, name: str, within: bool) -> bool:
    """Tell whether another entry of a list reads like one but for their names."""
    text = found.tree.of(entry)
    words = WORD.findall(text)
    at = next((at for at, word in enumerate(words) if has(word, name)), None)
    if at is None:
        return False
    for other in found.by_distance(entry):
        of_other = WORD.findall(found.tree.of(other))
        if at < len(of_other):
            mine, theirs = differing(words[at], of_other[at])
            own = nameless(text, words[at], mine, within=within)
            if own == nameless(found.tree.of(other), of_other[at], theirs, within=within):
                return True
    return False


def _said_by_name(added: Entry, found: EntryList, entry: Node) -> Template | None:
    """Return the nearest entry of which all texts are its name; None without any.

    Such as `FAILED: "Failed"` beside `QUEUED: "Waiting"`.
    """
    for one in found.by_distance(entry):
        own = only_name(found.tree.of(one), added.others)
        texts = _literals(found.tree, one)
        if own and texts and all(forms(own).fullmatch(text) for text in texts):
            return Template(one, ((own, added.name), differing(own, added.name)))
    return None


def only_name(text: str, names: Sequence[str]) -> str:
    """Return the one of some names that a text has; empty if it has several, or none."""
    found = [one for one in names if has(text, one)]
    return found[0] if len(found) == 1 else ""


def _reads_as_others(found: EntryList, entry: Node, name: str, names: Sequence[str]) -> bool:
    """Tell whether an entry reads like another one but for their names, which others may have."""
    own, others = nameless(found.tree.of(entry), name), [one for one in names if one != name]
    for text in map(found.tree.of, found.by_distance(entry)):
        other = only_name(text, others)
        if other and nameless(text, other) == own:
            return True
    return False


def aligned(before: str, after: str, others: Sequence[str]) -> str:
    """Keep the column of a value that stands behind several blanks, in this entry or in others."""
    if not any(_COLUMN.search(one) for one in (before, *others)):
        return after
    pattern = _COLUMN if _COLUMN.search(before) else _BLANKS
    was, blanks = pattern.search(before), pattern.search(after)
    if was is None or blanks is None:
        return after
    width = max(1, was.end() - blanks.start())
    return after[: blanks.start()] + " " * width + after[blanks.end() :]


def _says_more(added: Entry, found: EntryList, entry: Node, names: Sequence[str]) -> bool:
    """Tell whether an entry has a literal that is not made of its names, nor what all have.

    A last entry for all other cases, which is of none of the names, need not have it.
    """
    others = [one for one in found.entries if one != entry]
    if others and not any(has(found.tree.of(others[-1]), name) for name in added.others):
        others.pop()
    for text in _literals(found.tree, entry):
        if any(has(text, name) for name in names):
            continue
        if len(others) < 2 or not all(text in _literals(found.tree, one) for one in others):
            return True
    return False


def _literals(tree: Tree, entry: Node) -> list[str]:
    """Return the literals of an entry that say something."""
    nodes, out = [entry], []
    while nodes:
        node = nodes.pop()
        nodes += node.named_children
        text = tree.of(node)
        if _LITERAL.search(node.type) and not node.named_children and any(map(str.isalnum, text)):
            out.append(text)
    return out
