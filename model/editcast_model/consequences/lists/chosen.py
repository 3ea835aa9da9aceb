"""Places that name some fields of a type: guards of them, and calls that give the rest anew."""

import re
from collections.abc import Iterator

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import (
    MOST_PLACES,
    Entry,
    EntryList,
    end_of,
    kind_of,
    lists_around,
)
from editcast_model.consequences.lists.placing import as_line
from editcast_model.consequences.lists.related import is_related, is_within
from editcast_model.consequences.lists.templates import ACCESSOR, only_name
from editcast_model.consequences.lists.types import accessor, as_getter
from editcast_model.consequences.lists.word_forms import forms, has, nameless, renamed
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree

_ARGUMENTS = re.compile("^argument(?:s|_list)$")
_PLAIN = re.compile(r"[\w$]+(?:(?:\.|->)\w+)*(?:\(\))?")
_BLOCK = re.compile("block|body|statement_list|compound")
_FEW = 5  # arguments of which only one may be given anew
_NAMED = ("self", "static", "cls")


def lacking_in_calls(tree: Tree, added: Entry) -> Iterator[Consequence]:
    """Return an added field in calls that make its type of its other fields, but for a few.

    Such as `new Invoice(id, customer, true)`, which gives another value for the last.
    """
    called = "|".join(map(re.escape, (added.owner, *_NAMED)))
    at = added.others.index(added.before) + 1 if any(added.types) and added.owner else 0
    for found in re.finditer(rf"\b(?:{called})\(", tree.text) if at else ():
        given = tree.path(found.end() - 1)[-2].node
        listed = [one for one in given.named_children if "comment" not in one.type]
        texts = [tree.of(one) for one in listed]
        if not _ARGUMENTS.match(given.type) or len(texts) != len(added.others):
            continue
        if found[0][:-1] in _NAMED and not is_within(added, given):
            continue
        between, end = tree.text[listed[0].end_byte : listed[1].start_byte], listed[at - 1].end_byte
        numbered = _numbered(added, texts, tree.language)
        if numbered:
            yield Consequence(Hunk(end, end, between + numbered), "add_entry", cause=added.cause)
        same = [
            place
            for place, (text, name) in enumerate(zip(texts, added.others, strict=True))
            if _PLAIN.fullmatch(text) and has(text, name)
        ]
        few = 1 if len(texts) < _FEW else 2
        is_beside = has(texts[at - 1], added.before) and (
            not added.after or has(texts[at], added.after)
        )
        if is_beside or not 1 < len(same) >= len(texts) - few or has(tree.of(given), added.name):
            continue
        like = min(same, key=lambda place: abs(place - at + 1))
        new = renamed(texts[like], added.others[like], added.name)
        new = as_getter(new, added.name, added.type, tree.language)
        yield Consequence(Hunk(end, end, between + new), "add_entry", cause=added.cause)


def _numbered(added: Entry, texts: list[str], language: str) -> str:
    """Return a field behind others that a row has by their numbers, as in `row.GetString(2)`."""
    found = [ACCESSOR.search(one) for one in texts]
    numbers = [int(one["number"] or -1) for one in found if one is not None]
    first = numbers[0] if numbers else 0
    if added.after or numbers != [*range(first, first + len(texts))]:
        return ""
    for text, kind, one in zip(texts, added.types, found, strict=True):
        assert one is not None
        if called := accessor(one["kind"], kind, added.type, language):
            return f"{text[: one.start('kind')]}{called}({numbers[-1] + 1}{text[one.end() :]}"
    return ""


def lacking_in_guards(tree: Tree, added: Entry) -> Iterator[Consequence]:
    """Return a statement for an added field that all others of its type have, like that of others.

    Such as `Objects.requireNonNull(customer)`, or an `if` with an error about it.
    """
    types = dict(zip(added.others, added.types, strict=False))
    alike = [name for name, kind in types.items() if kind and kind == added.type]
    hunks = dict[Hunk, None]()
    places = [one.start() for one in forms(alike[-1]).finditer(tree.text)] if alike else []
    for place in places if len(places) <= MOST_PLACES else ():
        for found in lists_around(tree, tree.path(place)):
            if _BLOCK.search(found.node.type) and "statement" in found.entry.type:
                hunk = _guard(found, added, alike) if is_related(added, found) else None
                hunks |= {hunk: None} if hunk is not None else {}
                break
    yield from (Consequence(one, "add_entry", cause=added.cause) for one in hunks)


def _guard(found: EntryList, added: Entry, alike: list[str]) -> Hunk | None:
    tree, source = found.tree, found.tree.of(found.entry)
    shape = nameless(source, alike[-1])
    guards = [
        (name, one)
        for one in found.entries
        if (name := only_name(tree.of(one), added.others)) and nameless(tree.of(one), name) == shape
    ]
    guarded = [name for name, _ in guards]
    is_there = any(has(tree.of(one), added.name) for one in found.entries)
    if is_there or not {*alike} <= {*guarded} or not 1 < len({*guarded}) < len(added.others):
        return None
    between = tree.text[end_of(tree, guards[0][1]) : guards[1][1].start_byte]
    above, last = None, -1
    for one in found.entries[found.entries.index(guards[0][1]) :]:
        name = only_name(tree.of(one), added.others)
        place = added.others.index(name) if name else -1
        if kind_of(one) != kind_of(found.entry) or not last < place:
            break
        if place <= added.others.index(added.before):
            above, last = one, place
    if above is None or between.strip():
        return None
    end = end_of(tree, above)
    return as_line(tree.text, end, between, renamed(source, alike[-1], added.name))
