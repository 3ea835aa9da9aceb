"""Entries that lists lack, or have too many, beside the neighbours of one that came or went.

A field that is added to a class is added to the constructor, to the JSON form and to the table of
columns, too, and removed from all of them. There the entries of its neighbours stand side by
side in the same order, and what belongs between them reads like theirs but for the name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.lists.entries import (
    CONSTRUCTORS,
    MOST_PLACES,
    Entry,
    EntryList,
    end_of,
    entry_between,
    is_same,
    kind_of,
    list_of,
    name_of,
    separated,
)
from editcast_model.consequences.lists.in_texts import after_column, lacking_in_texts
from editcast_model.consequences.lists.placing import put_behind, without_last
from editcast_model.consequences.lists.templates import Template, aligned, template_of
from editcast_model.consequences.lists.word_forms import forms, has
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree

#: Longer entries contain more than their name tells.
_LONGEST = 400
#: The number of nodes around a name that may be its list.
_MOST_STEPS = 8
_MOST_SLIDES = 20  # characters that a diff may have moved a range by
_QUOTED = re.compile(r"""(["'`])(?=[^"'`]*\w)[^"'`]*\1""")
_BLANKS = re.compile(r"[ \t]+")
_CHOSEN = 2  # entries of a list that does not have all
_CONDITION = re.compile("binary|boolean|parenthesized")
_TYPES = re.compile("class|interface|enum|type_alias|type_spec")


def after_entry(change: Change) -> Iterator[Consequence]:
    """Return the entries that lists lack since one was added, and those to remove since one was."""
    entries = list(added_entries(change))
    for added in entries:
        yield from lacking(change.after, added, entries)
    for removed in removed_entries(change):
        yield from surplus(change.after.tree, removed)
    yield from after_column(change)


def added_entries(change: Change) -> Iterator[Entry]:
    """Return the entries that a change added to lists, but for what is being typed."""
    for hunk, start, end in change.finished():
        removed = change.before.tree.text[hunk.start : hunk.end]
        if end - start <= _LONGEST and not removed.strip():
            added = _first_entry(change.after.tree, start, end)
            if added is not None:
                yield added


def removed_entries(change: Change) -> Iterator[Entry]:
    """Return the entries that a change removed from lists, placed in the text after."""
    for hunk, _, _ in change.finished():
        is_short = hunk.end - hunk.start <= _LONGEST
        if is_short and not hunk.text.strip():
            removed = _first_entry(change.before.tree, hunk.start, hunk.end)
            place = change.is_now_at(removed.list_start) if removed else None
            if removed is not None and place is not None:
                span = _span_now(change, removed.owner_span)
                yield replace(removed, list_start=place, owner_span=span)


def _span_now(change: Change, span: tuple[int, int]) -> tuple[int, int]:
    """Find where a part of the text before is now; an empty one if an end of it is gone."""
    start, last = change.is_now_at(span[0]), change.is_now_at(span[1] - 1)
    return (start, last + 1) if start is not None and last is not None and span[1] else (0, 0)


def _first_entry(tree: Tree, start: int, end: int) -> Entry | None:
    """Return the entry that came or went between two offsets, or where as good a diff has it."""
    for first, last in _slides(tree.text, start, end):
        found = entry_between(tree, first, last)
        if found is not None:
            return found
    return None


def _slides(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a range, and those to its left and right that leave the same text."""
    yield start, end
    for step in range(1, _MOST_SLIDES):
        if start - step < 0 or text[start - step] != text[end - step]:
            break
        yield start - step, end - step
    for step in range(_MOST_SLIDES):
        if end + step >= len(text) or text[start + step] != text[end + step]:
            break
        yield start + step + 1, end + step + 1


def surplus(tree: Tree, removed: Entry) -> Iterator[Consequence]:
    """Return the entries that lists of a text have too many once one has one less."""
    places = [one.start() for one in forms(removed.name).finditer(tree.text)]
    if len(places) > MOST_PLACES:
        return
    seen: set[int] = set()
    for place in places:
        found = _same_entry_at(tree, place, removed)
        if found is None or found[1].start_byte in seen:
            continue
        entries, entry = found
        seen.add(entry.start_byte)
        is_related = _is_related(tree, removed, entry)
        if not (is_related or _is_same_list(tree, removed, *found)):
            continue
        hunk = None if _is_passed(tree, removed, *found) else _without(tree, *found)
        if hunk is not None:
            kind: Kind = "remove_entry" if is_related else "remove_entry_apart"
            cause = f"{removed.before} {removed.name}"
            yield Consequence(hunk, kind, cause=cause)


def _same_entry_at(tree: Tree, place: int, removed: Entry) -> tuple[EntryList, Node] | None:
    """Return the list at a place, and its entry with the name and neighbours of another one."""
    for found, node in _lists_at(tree, place, removed):
        before, after = map(tree.of, found.beside(node))
        if has(before, removed.before) and not has(before, removed.name):
            is_last = not removed.after and not after
            if is_last or (has(after, removed.after) and not has(after, removed.name)):
                return found, node
    return None


def _lists_at(tree: Tree, place: int, known: Entry) -> Iterator[tuple[EntryList, Node]]:
    """Yield the lists around a place, each with its entry there, up to the list of a known one."""
    path = tree.path(place)
    for step in reversed(path[max(1, len(path) - _MOST_STEPS) :]):
        if step.node.end_byte - step.node.start_byte > _LONGEST:
            return
        found = list_of(step.node)
        if found is not None:
            if found.node.start_byte == known.list_start and kind_of(step.node) == known.kind:
                return
            yield found, step.node


def _without(tree: Tree, found: EntryList, entry: Node) -> Hunk | None:
    """Take an entry out of its list; None where something else stands beside it."""
    before, after = found.beside(entry)
    if after is not None:
        rest = tree.text[end_of(tree, entry) : after.start_byte]
        hunk = Hunk(entry.start_byte, after.start_byte, "")
    elif before is not None:
        rest = tree.text[end_of(tree, before) : entry.start_byte]
        hunk = without_last(tree.text, end_of(tree, before), entry.start_byte, end_of(tree, entry))
    else:
        return None
    return hunk if found.is_separator(rest) else None


def lacking(names: Names, added: Entry, together: Sequence[Entry]) -> Iterator[Consequence]:
    """Return the entries that the lists of a text lack after an entry was added to one of them.

    Args:
        names: The names of the text.
        added: The entry that the one has.
        together: All that were added with it.
    """
    tree, seen = names.tree, set[int]()
    places = [one.start() for one in forms(added.before).finditer(tree.text)]
    if len(places) > MOST_PLACES:
        return
    for place in places:
        found = _entry_at(tree, place, added) if added.is_known_at(place) else None
        if found is None or found[1].start_byte in seen:
            continue
        seen.add(found[1].start_byte)
        yield from _copied(names, added, together, *found)
    yield from lacking_in_texts(tree, added)


def _entry_at(tree: Tree, place: int, added: Entry) -> tuple[EntryList, Node] | None:
    """Return the list at a place, and its entry behind which the added one belongs."""
    for found, node in _lists_at(tree, place, added):
        before, after = found.beside(node)
        entry, behind, ahead = map(tree.of, (node, before, after))
        if added.after:
            # This list may lack some of the later entries.
            name = next((name for name in added.later if has(ahead, name)), "")
            is_it = bool(name) and not (has(entry, name) or has(ahead, added.before))
            # Two that are no neighbours were chosen.
            is_it &= name == added.after or len(found.entries) > _CHOSEN
        else:
            is_it = _ends(tree, added, node, after) and has(behind, added.further)
            is_it &= not (has(entry, added.further) or has(behind, added.before))
        if is_it:
            is_there = any(has(tree.of(one), added.name) for one in found.entries)
            is_there |= has(_condition_around(tree, found), added.name)
            return None if is_there else (found, node)
    return None


def _condition_around(tree: Tree, found: EntryList) -> str:
    """Return the condition that a list is a part of; empty for none."""
    above = list(takewhile(lambda one: _CONDITION.search(one.type), tree.around(found.node)))
    return tree.of(above[-1]) if above else ""


def _ends(tree: Tree, added: Entry, entry: Node, after: Node | None) -> bool:
    """Tell whether an entry is the last one that corresponds to an entry of the other list."""
    if after is None or after.type != entry.type:
        return True
    return sum(has(tree.of(after), name) for name in {*added.others}) != 1


def _copied(
    names: Names, added: Entry, together: Sequence[Entry], found: EntryList, entry: Node
) -> Iterator[Consequence]:
    """Return the added entry as the list around another one has it, behind that one."""
    tree, (before, after) = names.tree, found.beside(entry)
    beside, separator = separated(tree, found, entry, after if added.after else None)
    if beside is None:
        beside, separator = separated(tree, found, entry, before)
    if beside is None:
        return  # a comment, or no list at all
    is_related = _is_related(tree, added, entry)
    is_same_list = _is_same_list(tree, added, found, entry)
    says_enough = len(WORD.findall(added.text)) > 1
    is_like = added.after and any(added.is_like) and not _is_of_another(tree, added, entry)
    if not (is_related or is_same_list or (is_like and says_enough)):
        return
    if not _takes_more(tree, added, found):
        return
    template = template_of(tree, added, found, (entry, beside), together)
    if template is None or _is_passed(tree, added, found, template.source):
        return
    if _would_be_unbound(names, template):
        return
    if is_same(tree.of(entry), added.text_before):
        if _says_more(added):
            return
        new = added.text if "\n" in separator else _BLANKS.sub(" ", added.text)
    else:
        text, others = tree.of(template.source).rstrip(), [tree.of(one) for one in found.entries]
        new = aligned(text, template.filled(text), others)
    kind: Kind = "add_entry" if is_related else "add_entry_apart"
    hunk = _as_line(tree.text, end_of(tree, entry), separator, new)
    yield Consequence(hunk, kind, cause=f"{added.before} {added.name}")


def _says_more(added: Entry) -> bool:
    """Tell whether an entry has a text of its own, which it has in one list alone."""
    texts = (found[0] for found in _QUOTED.finditer(added.text))
    return not all(has(one, added.name) or one in added.text_before for one in texts)


def _would_be_unbound(names: Names, template: Template) -> bool:
    """Tell whether an entry uses a name of its file that has no counterpart for another one yet."""
    entry = template.source
    for found in WORD.finditer(names.tree.text, entry.start_byte, entry.end_byte):
        new = template.filled(found[0])
        one = names.at(found.start()) if new != found[0] else None
        if one is not None and one.role is Role.REFERENCE and names.resolve(one) is not None:
            if not names.is_known(one, new):
                return True
    return False


def _as_line(text: str, at: int, separator: str, new: str) -> Hunk:
    """Put an entry behind another one: as a whole line, where each has its own."""
    end = separator.find("\n") + 1
    if text.startswith(separator[:end], at):
        return Hunk(at + end, at + end, separator[end:] + new + separator[:end])
    return put_behind(text, at, separator, new)


def _is_related(tree: Tree, added: Entry, entry: Node) -> bool:
    """Tell whether the code around an entry names the owner of the added one, or lies in it."""
    if _is_within(added, entry):
        return True
    around = tree.of(_named_around(tree, entry)) if added.owner in tree.text else ""
    return bool(added.owner) and added.owner in WORD.findall(around)


def _is_within(known: Entry, entry: Node) -> bool:
    """Tell whether an entry is inside the owner of the known list."""
    start, end = known.owner_span
    return start <= entry.start_byte < end


def _named_around(tree: Tree, entry: Node) -> Node | None:
    """Return the node around an entry that has a name, or all of the text."""
    above = tree.around(entry)
    return next((one for one in above if name_of(one) is not None), above[-1] if above else None)


def _is_same_list(tree: Tree, added: Entry, found: EntryList, entry: Node) -> bool:
    """Tell whether a list has the same entries in the same order, and no other owner.

    Such as a class `StationRow` beside `Station`.
    """
    named = _named_around(tree, entry)
    if named is None or not _has_all(tree, added, found):
        return False
    return not (_is_of_another(tree, added, entry) or named.child_by_field_name("type"))


def _is_of_another(tree: Tree, added: Entry, entry: Node) -> bool:
    """Tell whether an entry is one of a type whose name does not begin with the known owner's."""
    named = _named_around(tree, entry)
    if named is None or not _TYPES.search(named.type):
        return False
    return not (added.owner and tree.of(name_of(named)).startswith(added.owner))


def _has_all(tree: Tree, added: Entry, found: EntryList) -> bool:
    """Tell whether a list has the other entries of the known list in the same order."""
    return added.is_list(tree, [one for one in found.entries if not has(tree.of(one), added.name)])


def _takes_more(tree: Tree, added: Entry, found: EntryList) -> bool:
    """Tell whether a list may grow: parameters only of functions that create the owner."""
    if "parameter" not in found.node.type:
        return True
    called = tree.of(name_of(_named_around(tree, found.entries[0])))
    return called in CONSTRUCTORS or (bool(added.owner) and added.owner in called)


def _is_passed(tree: Tree, known: Entry, found: EntryList, entry: Node) -> bool:
    """Tell whether an entry is an argument that is known by its place alone.

    What is called need not take one more, but for a constructor, and for what a class gives all
    that the known one is among.
    """
    parent = entry.parent
    if parent is None or parent.type not in ("argument_list", "arguments"):
        return False
    called = parent.parent.named_children[0] if parent.parent is not None else parent
    words = WORD.findall(tree.of(called))
    is_made = bool(words) and words[-1] in (known.owner, "cls", "super", *CONSTRUCTORS)
    is_made |= _is_within(known, entry) and _has_all(tree, known, found)
    return entry.child_by_field_name("name") is None and not is_made
