"""Entries that lists in files without rules lack: schemas, settings, translations, documents.

After a member was added to an enumeration, the others of it stand side by side in a constraint,
`('queued', 'running', 'done')`, or on lines that read alike but for their names. After a sequence
of settings got an element, so do the others of its key.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import Entry
from editcast_model.consequences.lists.schema import lacking_in_tables
from editcast_model.consequences.lists.word_forms import (
    as_beside,
    as_column,
    differing,
    has,
    renamed,
    written_forms,
)
from editcast_model.consequences.replaced.columns import as_wide
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD

_BETWEEN = re.compile(r"""(?P<quote>["'`]?)[ \t]*[,|][ \t]*(?P=quote)""")
_NEAR = 100  # characters around two neighbours in which their list may have the new entry
_LONGEST_LINE = 200
_QUOTED = re.compile(r"([\"'`])(.*?)\1")
_WHOLE = 4  # other entries of a list
_NAME = "\0"
#: A sequence of YAML, TOML or JSON in brackets with its key, and one of its elements.
_SEQUENCE = re.compile(r"""(?P<key>[\w-]+)["']?[ \t]*[:=][ \t]*\[(?P<listed>[^\[\]{}#]*)\]""")
_ELEMENT = re.compile(r"[^,\s][^,\n]*?(?=\s*(?:,|\Z))")
_FEW = 3  # sequences that one is the model of
_SETTINGS = re.compile(r"\.(?:ya?ml|toml|json)$")


def lacking_in_documents(text: str, entries: Iterable[Entry]) -> Iterator[Consequence]:
    """Return the entries that lists of a text lack after others were added to lists of code."""
    found = dict[Hunk, str]()
    for added in entries:
        added = replace(added, name=as_column(added.name, text))
        for one in (added, _shortened(added)):
            rows = _as_told(text, one), lacking_in_tables(text, one)
            for hunk in chain(*rows, _in_line(text, one), _as_line(text, one)):
                found[hunk] = added.cause
    for hunk, cause in found.items():
        yield Consequence(hunk, "add_entry_in_text", cause=cause)


def lacking_in_whole_lists(text: str, entries: Iterable[Entry]) -> Iterator[Consequence]:
    """Return the lines that code lacks where it has alike ones for all other entries of a list.

    The code need not use the file with the list: the columns of a query, the counts of a report.
    """
    for added in entries:
        for one in dict.fromkeys((added, _shortened(added))) if len(added.others) >= _WHOLE else ():
            if all(has(text, name) for name in one.others):
                for hunk in _as_line(text, one, is_whole=True):
                    yield Consequence(hunk, "add_entry_apart", cause=added.cause)


def lacking_in_sequences(
    pairs: Iterable[tuple[str, str]], text: str, path: str, active: range | None
) -> Iterator[Consequence]:
    """Return the elements that sequences of settings lack after one of the same key got one.

    The pairs are texts before and after a change, of this file or of others.
    """
    for before, after in pairs if _SETTINGS.search(path) else ():
        typed = active if after == text else None
        was, now = ({one for one, _ in _sequences(each, typed)} for each in (before, after))
        for key, *others in now - was:
            known = {one for first, *listed in was if first == key for one in listed}
            for at, new in enumerate(others[1:], 1):
                old = (key, *others[:at], *others[at + 1 :])
                if old in was and new not in known:  # else each list has its own choice
                    due = [*_with_element(text, old, at, new, is_own=after == text)]
                    yield from due if len(due) <= _FEW else ()


def _sequences(
    text: str, active: range | None = None
) -> Iterator[tuple[tuple[str, ...], list[re.Match[str]]]]:
    """Yield the sequences that nobody types, each as its key and elements, and where these are."""
    for found in _SEQUENCE.finditer(text):
        if active is None or found.end() < active.start or active.stop < found.start():
            elements = [*_ELEMENT.finditer(text, *found.span("listed"))]
            yield (found["key"], *(one[0] for one in elements)), elements


def _with_element(
    text: str, old: Sequence[str], at: int, new: str, *, is_own: bool
) -> Iterator[Consequence]:
    """Put an element behind the one of an index, in the same sequences and where it is the last."""
    for one, elements in _sequences(text):
        if one == old or (
            is_own and one[0] == old[0] and one[1:][-1:] == old[at : at + 1] and new not in one
        ):
            place = one.index(old[at], 1)
            last = elements[place - 1]
            between = text[elements[place - 2].end() : last.start()] if place > 1 else ", "
            hunk = Hunk(last.end(), last.end(), between + new)
            yield Consequence(hunk, "add_element", cause=f"{old[at]} {new}")


def _shortened(added: Entry) -> Entry:
    """Return an entry without what the names of its list have in common, as `StatusPaused`."""
    own = differing(added.name, added.before)[0]
    if not own:
        return added

    def short(name: str) -> str:
        return differing(added.name, name)[1] or name

    before, further, after = map(short, (added.before, added.further, added.after))
    others = tuple(map(short, added.others))
    return replace(added, name=own, before=before, further=further, after=after, others=others)


def _in_line(text: str, added: Entry) -> Iterator[Hunk]:
    """Insert an entry where its neighbours and another name stand on one line."""
    for one, between, other in added.neighbours_in(text, _BETWEEN):
        start, end, quote, separator = one.start(), other.end(), between["quote"], between[0]
        around = text[max(0, start - _NEAR) : end + _NEAR]
        is_whole = text[:start].endswith(quote) and text.startswith(quote, end)
        has_third = any(
            text.startswith(separator + form, end) or text.endswith(form + separator, 0, start)
            for name in added.others
            for form in written_forms(name)
        )
        if is_whole and has_third and not has(around, added.name):
            name = renamed(other[0], added.neighbours[1], added.name)
            name = as_beside(name, added.name, added.others, around)
            if added.after:
                yield Hunk(other.start(), other.start(), name + separator)
            elif not text.startswith(separator, end):
                yield Hunk(end, end, separator + name)


def _as_line(text: str, added: Entry, *, is_whole: bool = False) -> Iterator[Hunk]:
    """Insert a line where the neighbours and another name, or all, have lines that read alike."""
    first, second = added.neighbours
    lines = text.splitlines(keepends=True) if first and second and has(text, first) else []
    at = 0
    for row, line in enumerate(lines[:-1]):
        at += len(line)
        shape, following = _shape(line, first), lines[row + 1]
        if _NAME not in shape or shape != _shape(following, second):
            continue
        near = lines[max(0, row - 1) : row + 3]
        if is_whole:
            near = lines[max(0, row + 1 - len(added.others)) : row + 1 + len(added.others)]
        others = [one for one in added.others if one not in (first, second)]
        beside, behind = (
            [any(_shape(one, name) == shape for one in rows) for name in others]
            for rows in (near, lines[row + 2 : row + 3])
        )
        has_third, is_last = all(beside) if is_whole else any(beside), any(behind)
        is_known = any(has(one, added.name) for one in near)
        # What else stands there may be of another type.
        is_like = any(added.is_like) or not WORD.search(shape)
        if has_third and is_like and not is_known and len(line) <= _LONGEST_LINE:
            source = line if added.after else following
            new = renamed(source, added.before, added.name)
            new = as_beside(new, added.name, added.others, "".join(near))
            if _widths(line) == _widths(following):
                new = as_wide(new, source)
            if added.after:
                yield Hunk(at, at, new)
            elif not is_last:
                yield _behind(line, at, following, new)


def _as_told(text: str, added: Entry) -> Iterator[Hunk]:
    """Insert a line below that of the entry before, where that says what its own text does.

    Such as the help of an option in a table of all options.
    """
    was, now = (
        [found[2] for found in _QUOTED.finditer(one) if " " in found[2]]
        for one in (added.text_before, added.text)
    )
    if len(was) != 1 or len(now) != 1 or was == now:
        return
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if was[0] in line and has(line, added.before) and line.endswith("\n"):
            parts = (renamed(one, added.before, added.name) for one in line.split(was[0]))
            new, above = now[0].join(parts), text[:at].splitlines()[-2:-1]
            if any(_widths(one) == _widths(line) for one in above):
                new = as_wide(new, line)
            if not text.startswith(new, at):
                yield Hunk(at, at, new)


def _widths(row: str) -> list[int]:
    """Return how wide the cells of the row of a table are."""
    return [len(one) for one in row.rstrip().split("|")]


def _shape(line: str, name: str) -> str:
    return renamed(line, name, _NAME).strip(", \t\r\n") if len(line) <= _LONGEST_LINE else ""


def _behind(before: str, at: int, last: str, new: str) -> Hunk:
    """Put a line behind the last one of a list, which begins at an offset."""
    written = last.rstrip()
    end = at + len(written)
    lacks_comma = before.rstrip().endswith(",") and not written.endswith(",")
    return Hunk(end, end, f"{',' * lacks_comma}\n{new.rstrip()}")
