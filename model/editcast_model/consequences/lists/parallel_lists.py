"""Entries that lists lack, or have too many, beside the neighbours of one that came or went.

A field that is added to a class is added to the constructor, to the JSON form and to the table of
columns, too, and removed from all of them. There the entries of its neighbours stand side by
side in the same order, and what belongs between them reads like theirs but for the name.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.lists.accessors import accessed_like, counted_on
from editcast_model.consequences.lists.entries import (
    COLUMN,
    LONGEST,
    MOST_PLACES,
    Entry,
    EntryList,
    end_of,
    entry_between,
    kind_of,
    lists_around,
)
from editcast_model.consequences.lists.in_texts import added_columns, after_column, lacking_in_texts
from editcast_model.consequences.lists.placing import as_line, without, without_node
from editcast_model.consequences.lists.related import (
    is_of_another,
    is_passed,
    is_related,
    is_same_list,
    takes_more,
)
from editcast_model.consequences.lists.templates import (
    Template,
    aligned,
    is_same_but_form,
    template_of,
)
from editcast_model.consequences.lists.word_forms import as_beside, forms, has, renamed
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, first_child

_MOST_SLIDES = 20  # characters that a diff may have moved a range by
_QUOTED = re.compile(r"""(["'`])(?=[^"'`]*\w)[^"'`]*\1""")
_BLANKS = re.compile(r"[ \t]+")
_CHOSEN = 2  # entries of a list that does not have all
_CONDITION = re.compile("binary|boolean|parenthesized")


def after_entry(change: Change) -> Iterator[Consequence]:
    """Return the entries that lists lack since one was added, and those to remove since one was."""
    entries = list(added_entries(change))
    for added in entries:
        yield from lacking(change.after, added, entries)
    for removed in removed_entries(change):
        yield from surplus(change.after.tree, removed)
    yield from after_column(change)
    for one in added_columns(change):
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
    """Return the entries that a change added, as far as other files may know them."""
    return (one.for_other_files for one in added_entries(change) if one.owner)


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
        if is_related(removed, found) and not is_passed(removed, found, found.entry):
            hunk = _without(found)
            if hunk is not None:
                yield Consequence(hunk, "remove_entry", cause=removed.cause)
    for one in forms(removed.name).finditer(tree.text) if removed.owner in tree.text else ():
        if (hunk := _argument_by_name(tree, one.start(), removed.owner)) is not None:
            yield Consequence(hunk, "remove_argument", cause=removed.cause)


def _argument_by_name(tree: Tree, place: int, called: str) -> Hunk | None:
    """Take an argument that is given by a name at a place out of a call, wherever it stands."""
    path = [step.node for step in tree.path(place)]
    if len(path) < 4 or path[-2].type != "keyword_argument" or path[-2].start_byte != place:
        return None
    call, listed, argument, _ = path[-4:]
    if not called or tree.of(first_child(call)).rpartition(".")[2] != called:
        return None
    if listed.named_child_count == 1:
        return Hunk(listed.start_byte + 1, listed.end_byte - 1, "")
    return without_node(tree.text, argument)


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
    last = end_of(tree, before) if before is not None else None
    following = after.start_byte if after is not None else None
    if last is None and following is None:
        return None
    rest = tree.text[end:following] if following is not None else tree.text[last:start]
    hunk = without(tree.text, start, end, last, following)
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
        is_last &= has(before, added.further)
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
    named = [name for name in dict.fromkeys(added.others) if has(found.tree.of(after), name)]
    return len(named) != 1 or named == [*added.others[:1]]  # the key may come last


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
    related = is_related(added, found)
    is_like = added.after and any(added.is_like) and not is_of_another(added, found)
    is_same = is_same_list(added, found)
    if not (related or is_same or (is_like and len(WORD.findall(added.text)) > 1)):
        return
    template = template_of(added, found, beside, together) if takes_more(added, found) else None
    of_type = "" if is_passed(added, found, entry) else accessed_like(added, found)
    if not of_type and (template is None or is_passed(added, found, template.source)):
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
    kind: Kind = "add_entry" if related else "add_entry_apart"
    hunk = as_line(tree.text, end_of(tree, entry), separator, new)
    hunk = counted_on(found, hunk)
    yield Consequence(hunk, kind, cause=added.cause)


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
