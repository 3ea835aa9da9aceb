"""Entries that lists lack, or have too many, beside the neighbours of one that came or went.

A field that is added to a class is added to the constructor, to the JSON form and to the table of
columns, too, and removed from all of them. There the entries of its neighbours stand side by
side in the same order, and what belongs between them reads like theirs but for the name.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.lists.entries import (
    COLUMN,
    CONSTRUCTORS,
    LONGEST,
    MOST_PLACES,
    OPTION,
    SCHEMA,
    Entry,
    EntryList,
    end_of,
    entry_between,
    kind_of,
    lists_around,
    name_of,
)
from editcast_model.consequences.lists.in_texts import added_columns, after_column, lacking_in_texts
from editcast_model.consequences.lists.placing import put_behind, without_last
from editcast_model.consequences.lists.schema import is_of_table
from editcast_model.consequences.lists.templates import (
    Template,
    accessed_like,
    aligned,
    declared_like,
    is_same_but_form,
    template_of,
)
from editcast_model.consequences.lists.word_forms import as_beside, forms, has, parts_of, renamed
from editcast_model.consequences.passing.options import added_options
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree

_MOST_SLIDES = 20  # characters that a diff may have moved a range by
_QUOTED = re.compile(r"""(["'`])(?=[^"'`]*\w)[^"'`]*\1""")
_BLANKS = re.compile(r"[ \t]+")
_CHOSEN = 2  # entries of a list that does not have all
_CONDITION = re.compile("binary|boolean|parenthesized")
_CLASSES = re.compile("class|record|struct")
_TYPES = re.compile("class|interface|enum|type_alias|type_spec")


def after_entry(change: Change) -> Iterator[Consequence]:
    """Return the entries that lists lack since one was added, and those to remove since one was."""
    entries = list(added_entries(change))
    for added in entries:
        yield from lacking(change.after, added, entries)
    for removed in removed_entries(change):
        yield from surplus(change.after.tree, removed)
    yield from after_column(change)
    for one in (*added_columns(change), *added_options(change)):
        yield from _lacking_in_code(change.after, one, ())


def added_entries(change: Change) -> Iterator[Entry]:
    """Return the entries that a change added to lists, but for what is being typed."""
    for hunk, start, end in change.finished():
        removed = change.before.tree.text[hunk.start : hunk.end]
        is_added = end - start <= LONGEST and not removed.strip()
        added = _first_entry(change.after.tree, start, end) if is_added else None
        if added is not None and added.before:
            yield added


def entries_for_others(change: Change) -> Iterator[Entry]:
    """Return the entries and options that a change added, as far as other files may know them."""
    for one in (*added_entries(change), *added_options(change)):
        if one.owner or one.kind == OPTION:
            yield one.for_other_files


def removed_entries(change: Change) -> Iterator[Entry]:
    """Return the entries that a change removed from lists, placed in the text after."""
    for hunk, _, _ in change.finished():
        is_removed = hunk.end - hunk.start <= LONGEST and not hunk.text.strip()
        removed = _first_entry(change.before.tree, hunk.start, hunk.end) if is_removed else None
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
    found = (entry_between(tree, *span) for span in _slides(tree.text, start, end))
    return next(filter(None, found), None)


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
    for found in _lists_with(tree, removed.name, removed, _is_same_entry):
        if _is_related(removed, found) and not _is_passed(removed, found, found.entry):
            hunk = _without(found)
            if hunk is not None:
                yield Consequence(hunk, "remove_entry", cause=removed.cause)


def _lists_with(
    tree: Tree, name: str, known: Entry, fits: Callable[[Entry, EntryList], bool]
) -> Iterator[EntryList]:
    """Yield the lists but that of a known entry, seen from each entry with a name that fits it."""
    own, seen = (known.list_start, known.kind), set[int]()
    places = [one.start() for one in forms(name).finditer(tree.text)]
    for place in places if len(places) <= MOST_PLACES else ():
        for found in lists_around(tree, tree.path(place)):
            if (found.node.start_byte, kind_of(found.entry)) == own:
                break
            if fits(known, found):
                if found.entry.start_byte not in seen:
                    yield found
                seen.add(found.entry.start_byte)
                break


def _is_same_entry(removed: Entry, found: EntryList) -> bool:
    """Tell whether an entry has the name and the neighbours of another one."""
    before, after = (found.tree.of(found.beside(by)) for by in (-1, 1))
    is_first = not removed.before and not before
    if not is_first and (not has(before, removed.before) or has(before, removed.name)):
        return False
    is_last = not removed.after and not after
    return is_last or (has(after, removed.after) and not has(after, removed.name))


def _without(found: EntryList) -> Hunk | None:
    """Take an entry out of its list; None where something else stands beside it."""
    tree, start, end = found.tree, found.entry.start_byte, end_of(found.tree, found.entry)
    before, after = found.beside(-1), found.beside(1)
    if after is not None:
        rest, hunk = tree.text[end : after.start_byte], Hunk(start, after.start_byte, "")
    elif before is not None:
        last = end_of(tree, before)
        rest, hunk = tree.text[last:start], without_last(tree.text, last, start, end)
    else:
        return None
    return hunk if found.is_separator(rest) else None


def lacking(
    names: Names, added: Entry, together: Sequence[Entry], importable: Container[str] = ()
) -> Iterator[Consequence]:
    """Return the entries that the lists of a text lack after an entry was added to one of them.

    Args:
        names: The names of the text.
        added: The entry that the one has.
        together: All that were added with it.
        importable: Names that other files of the project define or import.
    """
    yield from _lacking_in_code(names, added, together, importable)
    yield from lacking_in_texts(names.tree, added)


def _lacking_in_code(
    names: Names, added: Entry, together: Sequence[Entry], importable: Container[str] = ()
) -> Iterator[Consequence]:
    for found in _lists_with(names.tree, added.before, added, _is_before):
        if not _is_there(added, found):
            yield from _copied(names, added, together, found, importable)


def _is_before(added: Entry, found: EntryList) -> bool:
    """Tell whether the added entry belongs behind an entry."""
    before, entry, after = (found.tree.of(found.beside(by)) for by in (-1, 0, 1))
    if not added.is_known_at(found.entry.start_byte):
        return False
    if not added.after:
        is_chosen = len(found.entries) <= _CHOSEN < len(added.others) - 1
        is_chosen &= "pattern" not in found.node.type  # a `match` has to name all
        is_last = not is_chosen and _ends(added, found)
        is_last &= has(before, added.further) or _is_told(added, entry)
        return is_last and not (has(entry, added.further) or has(before, added.before))
    # This list may lack some of the later entries.
    name = next((name for name in added.later if has(after, name)), "")
    # Two that are no neighbours were chosen.
    is_chosen = name != added.after and len(found.entries) <= _CHOSEN
    return bool(name) and not (is_chosen or has(entry, name) or has(after, added.before))


def _ends(added: Entry, found: EntryList) -> bool:
    """Tell whether an entry is the last one that corresponds to an entry of the other list."""
    after = found.beside(1)
    if after is None or after.type != found.entry.type:
        return True
    return sum(has(found.tree.of(after), name) for name in {*added.others}) != 1


def _is_there(added: Entry, found: EntryList) -> bool:
    """Tell whether a list has the added entry, or a condition that the list is a part of."""
    above = found.tree.around(found.node)
    around = takewhile(lambda one: _CONDITION.search(one.type), above)
    texts = [found.tree.of(one) for one in (*found.entries, *around)]
    if added.kind == COLUMN:  # the query itself has all
        texts = [one for one in texts if not has(one, added.before)]
    return any(has(one, added.name) for one in texts)


def _copied(
    names: Names,
    added: Entry,
    together: Sequence[Entry],
    found: EntryList,
    importable: Container[str],
) -> Iterator[Consequence]:
    """Return the added entry as the list around another one has it, behind that one."""
    tree, entry = names.tree, found.entry
    every = [found.beside(1), found.beside(-1)] if added.after else [found.beside(-1)]
    beside = next(filter(found.separator, every), None)
    if beside is None:
        return  # a comment, or no list at all
    separator = found.separator(beside)
    is_related = _is_related(added, found)
    is_like = added.after and any(added.is_like) and not _is_of_another(added, found)
    is_same = _is_same_list(added, found) or _is_told(added, tree.of(entry))
    if not (is_related or is_same or (is_like and len(WORD.findall(added.text)) > 1)):
        return
    takes_more = _takes_more(added, found)
    template = template_of(added, found, beside, together) if takes_more else None
    of_type = declared_like(added, found) if takes_more and not (template and added.alike) else ""
    if not of_type and not _is_passed(added, found, entry):
        of_type = accessed_like(added, found)
    if not of_type and (template is None or _is_passed(added, found, template.source)):
        return
    if template and not of_type and _would_be_unbound(names, template, importable):
        return
    if of_type:
        new = aligned(tree.of(entry), of_type, [tree.of(one) for one in found.entries])
    elif is_same_but_form(tree.of(entry), added):
        if _says_more(added):
            return
        new = added.text if "\n" in separator else _BLANKS.sub(" ", added.text)
        if (form := forms(added.before).search(tree.of(entry))) and form[0] != added.before:
            new = renamed(new, added.name, renamed(form[0], added.before, added.name))
    elif template is not None:
        text, others = tree.of(template.source).rstrip(), [tree.of(one) for one in found.entries]
        new = aligned(text, template.filled(text), others)
    new = as_beside(new, added.name, added.others, tree.of(found.node))
    if added.kind == OPTION and re.search(rf"\*,[^)]*\b{added.name}\b", tree.text):
        new = f"{added.name}={new.rpartition('=')[2]}"  # no function takes it by its place
    kind: Kind = "add_entry" if is_related else "add_entry_apart"
    hunk = _as_line(tree.text, end_of(tree, entry), separator, new)
    yield Consequence(hunk, kind, cause=added.cause)


def _is_told(added: Entry, argument: str) -> bool:
    """Tell whether an option like an added one is passed on by its own name."""
    name, _, value = argument.partition("=")
    return added.kind == OPTION and added.is_like[0] and name.strip() == value.strip()


def _says_more(added: Entry) -> bool:
    """Tell whether an entry has a text of its own, which it has in one list alone."""
    texts = (found[0] for found in _QUOTED.finditer(added.text))
    return not all(has(one, added.name) or one in added.text_before for one in texts)


def _would_be_unbound(names: Names, template: Template, importable: Container[str]) -> bool:
    """Tell whether an entry uses a name of its file that has no counterpart for another one yet."""
    entry = template.source
    for found in WORD.finditer(names.tree.text, entry.start_byte, entry.end_byte):
        new = template.filled(found[0])
        one = names.at(found.start()) if new != found[0] else None
        if one is not None and one.role is Role.REFERENCE and names.resolve(one) is not None:
            is_imported = all(each.part.kind == "import" for each in names.meant_by(one))
            if not (names.is_known(one, new) or (is_imported and new in importable)):
                return True
    return False


def _as_line(text: str, at: int, separator: str, new: str) -> Hunk:
    """Put an entry behind another one: as a whole line, where each has its own."""
    end = separator.find("\n") + 1
    if text.startswith(separator[:end], at):
        return Hunk(at + end, at + end, separator[end:] + new + separator[:end])
    return put_behind(text, at, separator, new)


def _is_related(known: Entry, found: EntryList) -> bool:
    """Tell whether the code around an entry names the owner of the known one, or lies in it."""
    if known.kind == SCHEMA:
        return is_of_table(_type_around(found), known.owner)
    if _is_within(known, found.entry):
        return True
    is_named = bool(known.owner) and known.owner in found.tree.text
    return is_named and known.owner in WORD.findall(found.tree.of(_named_around(found)))


def _type_around(found: EntryList) -> str:
    """Return the name of what is around a list; of a constructor's parameters, of the class."""
    called = (found.tree.of(name_of(one)) for one in found.tree.around(found.entry))
    return next((one for one in called if one and one not in CONSTRUCTORS), "")


def _is_within(known: Entry, entry: Node) -> bool:
    """Tell whether an entry is inside the owner of the known list."""
    start, end = known.owner_span
    return start <= entry.start_byte < end


def _named_around(found: EntryList) -> Node | None:
    """Return the node around an entry that has a name, or all of the text."""
    above = found.tree.around(found.entry)
    return next((one for one in above if name_of(one) is not None), above[-1] if above else None)


def _is_same_list(known: Entry, found: EntryList) -> bool:
    """Tell whether a list has the same entries in the same order, and no other owner.

    Such as a class `StationRow` beside `Station`, or one with a field for each member of an
    enumeration, which are written otherwise.
    """
    named = _named_around(found)
    if named is None or named.child_by_field_name("type"):
        return False
    if not _has_all(known, found):
        return _is_wider_type(known, found, named)
    if not _is_of_another(known, found) or known.owner.startswith(found.tree.of(name_of(named))):
        return True
    return set(WORD.findall(found.tree.of(found.node))).isdisjoint(known.others)


def _is_wider_type(known: Entry, found: EntryList, named: Node) -> bool:
    """Tell whether a type has all members of another one side by side, and a like name.

    Such as `ContactRow` those of `ContactInput`.
    """
    name, at = found.tree.of(name_of(named)), found.entries.index(found.entry) + 1
    beside = found.entries[max(0, at - len(known.others)) : at]
    texts = [found.tree.of(one) for one in beside]
    is_alike = parts_of(name)[0] == parts_of(known.owner)[0] and bool(_TYPES.search(named.type))
    is_all = 2 < len(known.others) == len(texts) and all(map(has, texts, known.others))
    return is_alike and is_all and known.is_like[0] and not known.after


def _is_of_another(known: Entry, found: EntryList) -> bool:
    """Tell whether an entry is one of a type whose name does not begin with the known owner's."""
    named = _named_around(found)
    if named is None or not _TYPES.search(named.type):
        return False
    return not (known.owner and found.tree.of(name_of(named)).startswith(known.owner))


def _has_all(known: Entry, found: EntryList) -> bool:
    """Tell whether a list has the other entries of the known list in the same order."""
    texts = [text for one in found.entries if not has(text := found.tree.of(one), known.name)]
    if known.kind == COLUMN:  # values may follow the query that they are for
        texts = texts[-len(known.others) :]
        # One may be made on the spot, as an `id` is.
        missed = len(texts) - sum(map(has, texts, known.others))
        return 1 < len(known.others) == len(texts) > 2 * missed and missed < 2
    is_enough = len(known.others) > (1 if known.kind == OPTION else 2)
    return is_enough and len(known.others) == len(texts) and all(map(has, texts, known.others))


def _takes_more(added: Entry, found: EntryList) -> bool:
    """Tell whether a list may grow: parameters only of functions that create the owner."""
    if "parameter" not in found.node.type:
        return True
    if added.kind == OPTION and _is_within(added, found.entry):
        return True
    called = found.tree.of(name_of(_named_around(found)))
    if added.kind == SCHEMA and called not in CONSTRUCTORS:
        return found.node.parent is not None and _CLASSES.search(found.node.parent.type) is not None
    return called in CONSTRUCTORS or (bool(added.owner) and added.owner in called)


def _is_passed(known: Entry, found: EntryList, entry: Node) -> bool:
    """Tell whether an entry of a list is an argument that is known by its place alone.

    What is called need not take one more, but a constructor does.
    """
    parent = entry.parent
    if parent is None or parent.type not in ("argument_list", "arguments"):
        return False
    called = parent.parent.named_children[0] if parent.parent is not None else parent
    words = WORD.findall(found.tree.of(called))
    is_made = bool(words) and words[-1] in (known.owner, "cls", "super", *CONSTRUCTORS)
    is_whole = _is_within(known, entry) or known.kind == COLUMN
    if known.kind == OPTION and words:  # of what the file defines
        is_whole |= bool(re.search(rf"\b(?:def|func|function) {words[-1]}\(", found.tree.text))
    is_made |= is_whole and _has_all(known, found)
    return entry.child_by_field_name("name") is None and not is_made
