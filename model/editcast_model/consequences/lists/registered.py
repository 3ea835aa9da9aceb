"""Entries that a list has for each name of a kind, and lacks for one that is new in its file.

A table of routes has an entry for each page that is imported, `SearchPage` from
`./pages/SearchPage`. A statement registers each of the modules of `from app import users`. An
array has each of the functions `checkBold`, `checkItalic` above it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import (
    EntryList,
    end_of,
    is_same,
    kind_of,
    lists_around,
)
from editcast_model.consequences.lists.placing import put_behind
from editcast_model.consequences.lists.templates import literals
from editcast_model.consequences.lists.word_forms import (
    differing,
    forms,
    nameless,
    parts_of,
    renamed,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role

_KINDS: Final = ("function", "class", "variable", "constant")
_LEAST: Final = 2  # names of a kind with an entry in the same list
_MOST_LINES: Final = 3  # of an entry
#: Types of nodes that are no entries: parts of them, types, and statements that use a name at will.
_NO_ENTRY: Final = re.compile(
    "jsx_closing|jsx_opening|type|signature|declaration|definition|assignment|import|export_st"
    "|return|decorat"
)
#: Types of nodes that are no lists for this: another entry changes what is called, asked or meant.
_NO_LIST: Final = re.compile("argument|binary|boolean|subscript")
_MOST_STATEMENTS: Final = 400  # of a file
_MOST_NEW: Final = 8  # with more new names, code was pasted
_MOST: Final = 60  # uses of a name, and names of a kind


@dataclass(slots=True)
class _Register:
    """A list in which names of one kind have entries.

    Attributes:
        entries: The list by name, seen from the name's entry.
        is_one_each: Whether no name has two entries, and no entry is of two names.
    """

    entries: dict[str, EntryList] = field(default_factory=dict)
    is_one_each: bool = True

    def add(self, name: str, found: EntryList) -> None:
        """Take in an entry with a use of a name."""
        others = (one.entry for other, one in self.entries.items() if other != name)
        is_same_one = self.entries.get(name, found).entry == found.entry
        self.is_one_each &= is_same_one and found.entry not in others
        self.entries[name] = found


def after_new_name(change: Change) -> Iterator[Consequence]:
    """Return the entries that lists lack for names that a change brings and nothing uses yet."""
    names = change.after
    if names.tree.root.named_child_count > _MOST_STATEMENTS:
        return
    new = [one for one in change.new_names() if _is_import(one) or _is_outer(one)]
    for one in new if len(new) <= _MOST_NEW else ():
        if _uses(names, one.name):
            continue
        alike = _imported_alike(names, one) if _is_import(one) else _defined_alike(names, one)
        for register in _registers(names, alike) if len(alike) <= _MOST else ():
            hunk = _entry(names, register, alike, one.name)
            if hunk is not None:
                yield Consequence(hunk, "register_name", cause=f"new {one.name}")


def _is_import(one: Occurrence) -> bool:
    return one.role is Role.DEFINITION and one.part.kind == "import"


def _is_outer(one: Occurrence) -> bool:
    """Tell whether a name is defined at the top of a file."""
    return one.role is Role.DEFINITION and one.part.kind in _KINDS and len(one.scopes) <= 1


def _uses(names: Names, name: str) -> list[Occurrence]:
    return [each for each in names.of(name) if each.role is Role.REFERENCE]


def _imported_alike(names: Names, one: Occurrence) -> list[str]:
    """Return the other imports of a statement, and those of statements that read like it."""
    tree = names.tree
    statement = tree.path(one.start)[1].node
    text, found = tree.of(statement), list[str]()
    for other in tree.root.named_children:
        if other.type != statement.type:
            continue
        for each in names.between(other.start_byte, other.end_byte):
            if _is_import(each) and each.name != one.name:
                read = renamed(tree.of(other), each.name, one.name, within=True)
                if other == statement or is_same(read, text):
                    found.append(each.name)
    return found


def _defined_alike(names: Names, one: Occurrence) -> list[str]:
    """Return the names of the same kind that have a part in common, and begin a statement alike."""
    statement = names.tree.path(one.start)[1].node
    place, found = one.start - statement.start_byte, list[str]()
    for other in names.tree.root.named_children:
        each = names.at(other.start_byte + place) if other.type == statement.type else None
        if each is not None and _is_outer(each) and each.part.kind == one.part.kind:
            if any(differing(each.name, one.name)):
                found.append(each.name)
    return found


def _registers(names: Names, alike: list[str]) -> Iterator[_Register]:
    """Return the lists with entries for most names of a kind, as far as those are used."""
    registers, used = dict[tuple[int, int, str], _Register](), 0
    for name in alike:
        uses = _uses(names, name)
        used += bool(uses)
        for one in uses if len(uses) <= _MOST else ():
            for found in _lists_around(names, one):
                key = found.node.start_byte, found.node.end_byte, kind_of(found.entry)
                registers.setdefault(key, _Register()).add(name, found)
    for register in registers.values():
        count = len(register.entries)
        if register.is_one_each and count >= _LEAST and count * 2 > used:
            yield register


def _lists_around(names: Names, one: Occurrence) -> Iterator[EntryList]:
    """Return the lists around a use of a name, seen from the entry that the use is in."""
    for found in lists_around(names.tree, one.path):
        if names.tree.of(found.entry).count("\n") >= _MOST_LINES:
            return
        if not (_NO_ENTRY.search(kind_of(found.entry)) or _NO_LIST.search(found.node.type)):
            yield found


def _entry(names: Names, register: _Register, alike: list[str], name: str) -> Hunk | None:
    """Return the insertion of an entry for a name, which reads like the last regular one.

    It goes where the order of the names has it, if the entries are in that order, or behind what it
    reads like: what follows may be for all others.
    """
    tree, entries = names.tree, register.entries
    order = sorted(entries, key=lambda one: entries[one].entry.start_byte)
    like = next((one for one in reversed(order) if _is_regular(names, register, one)), None)
    if like is None:
        return None
    new = _filled(tree.of(entries[like].entry).rstrip(), like, name)
    if new is None:
        return None
    place = names.of(name)[0].start
    earlier = [one for one in alike if one in entries and names.of(one)[0].start < place]
    is_in_order = [one for one in alike if one in entries] == order
    found = entries[earlier[-1] if earlier and is_in_order else like]
    texts = [text for by in (-1, 1) if (text := found.separator(found.beside(by)))]
    end = end_of(tree, found.entry)
    return put_behind(tree.text, end, min(texts, key=len), new) if texts else None


def _filled(entry: str, old: str, new: str) -> str | None:
    """Return an entry with another name in place of its own; None where that is not known."""
    mine, other = differing(old, new)
    pattern = forms(old, within=True)
    names = [renamed(found[0], old, new, within=True) for found in pattern.finditer(entry)]
    texts = pattern.split(entry)[:: pattern.groups + 1]
    if len(parts_of(mine)) == 1 < len(parts_of(other)) and mine.lower() in _parts(texts):
        return None  # `anyMutation` or `any_mutation` in place of `query`
    texts = [renamed(text, mine, other, within=True) for text in texts]
    left = _parts(texts)
    if not (left.isdisjoint(parts_of(mine or old)) or left.issuperset(parts_of(new))):
        return None
    return "".join(chain.from_iterable(zip(texts, [*names, ""], strict=True)))


def _parts(texts: Iterable[str]) -> set[str]:
    """Return the parts of all words of some texts, in small letters."""
    return {part for text in texts for word in WORD.findall(text) for part in parts_of(word)}


def _is_regular(names: Names, register: _Register, name: str) -> bool:
    """Tell whether an entry has no text but its name's, or another one reads like it."""
    texts = literals(names.tree, register.entries[name].entry)
    others = [one for one in register.entries if one != name]
    words = [name, *(word for one in others if (word := differing(name, one)[0]))]
    if texts and all(any(forms(one, within=True).search(text) for one in words) for text in texts):
        return True

    def bare(name: str, other: str) -> list[str]:
        text = names.tree.of(register.entries[name].entry)
        return nameless(text, name, differing(name, other)[0], within=True)

    return any(bare(name, one) == bare(one, name) for one in others)
