"""Entries that lists in files without rules lack: schemas, settings, translations, documents.

After a member was added to an enumeration, the others of it stand side by side in a constraint,
`('queued', 'running', 'done')`, or on lines that read alike but for their names.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import MOST_PLACES, Entry
from editcast_model.consequences.lists.word_forms import (
    as_beside,
    differing,
    forms,
    has,
    renamed,
    written_forms,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD

_BETWEEN = re.compile(r"""(?P<quote>["'`]?)[ \t]*[,|][ \t]*(?P=quote)""")
_NEAR = 100  # characters around two neighbours in which their list may have the new entry
_LONGEST_LINE = 200
_NAME = "\0"


def lacking_in_documents(text: str, entries: Iterable[Entry]) -> Iterator[Consequence]:
    """Return the entries that lists of a text lack after others were added to lists of code."""
    found = dict[Hunk, str]()
    for added in entries:
        for one in (added, _shortened(added)):
            names = (one.before, one.after) if one.after else (one.further, one.before)
            for hunk in chain(_in_line(text, one, *names), _as_line(text, one, *names)):
                found[hunk] = f"{added.before} {added.name}"
    for hunk, cause in found.items():
        yield Consequence(hunk, "add_entry_in_text", cause=cause)


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


def _in_line(text: str, added: Entry, first: str, second: str) -> Iterator[Hunk]:
    """Insert an entry where its neighbours and another name stand on one line.

    Between the two neighbours, or behind them if they are the last ones.
    """
    found = [*forms(first).finditer(text)] if first and second else []
    for one in found if len(found) <= MOST_PLACES else ():
        between = _BETWEEN.match(text, one.end())
        other = forms(second).match(text, between.end()) if between else None
        if between is None or other is None:
            continue
        start, end, quote, separator = one.start(), other.end(), between["quote"], between[0]
        around = text[max(0, start - _NEAR) : end + _NEAR]
        is_whole = text[:start].endswith(quote) and text.startswith(quote, end)
        has_third = any(
            text.startswith(separator + form, end) or text.endswith(form + separator, 0, start)
            for name in added.others
            for form in written_forms(name)
        )
        if is_whole and has_third and not has(around, added.name):
            name = renamed(other[0], second, added.name)
            name = as_beside(name, added.name, added.others, around)
            if added.after:
                yield Hunk(other.start(), other.start(), name + separator)
            elif not text.startswith(separator, end):
                yield Hunk(end, end, separator + name)


def _as_line(text: str, added: Entry, first: str, second: str) -> Iterator[Hunk]:
    """Insert a line where the neighbours and another name have lines that read alike."""
    lines = text.splitlines(keepends=True) if first and second and has(text, first) else []
    at = 0
    for row, line in enumerate(lines[:-1]):
        at += len(line)
        shape, following = _shape(line, first), lines[row + 1]
        if _NAME not in shape or shape != _shape(following, second):
            continue
        near = lines[max(0, row - 1) : row + 3]
        others = [one for one in added.others if one not in (first, second)]
        has_third, is_last = (
            any(_shape(one, name) == shape for one in beside for name in others)
            for beside in (near, lines[row + 2 : row + 3])
        )
        is_known = any(has(one, added.name) for one in near)
        # What else stands there may be of another type.
        is_like = any(added.is_like) or not WORD.search(shape)
        if has_third and is_like and not is_known and len(line) <= _LONGEST_LINE:
            source = line if added.after else following
            new = renamed(source, added.before, added.name)
            new = as_beside(new, added.name, added.others, "".join(near))
            if added.after:
                yield Hunk(at, at, new)
            elif not is_last:
                yield _behind(line, at, following, new)


def _shape(line: str, name: str) -> str:
    return renamed(line, name, _NAME).strip(", \t\r\n") if len(line) <= _LONGEST_LINE else ""


def _behind(before: str, at: int, last: str, new: str) -> Hunk:
    """Put a line behind the last one of a list, which begins at an offset."""
    written = last.rstrip()
    end = at + len(written)
    if before.rstrip().endswith(",") and not written.endswith(","):
        return Hunk(end, end, f",\n{new.rstrip()}")
    return Hunk(end, end, f"\n{new.rstrip()}")
