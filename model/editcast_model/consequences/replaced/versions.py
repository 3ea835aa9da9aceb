"""Replaced versions: other occurrences of a version that was replaced, if they mean the same thing.

The number alone is not enough: among its occurrences in other files, hardly one in a hundred was
replaced in the same commit. The context decides. In an identical line, three of four were replaced.
In an identical word (`actions/checkout@v3`), or for three parts after the same name, even more
were. After the same name only (`18` in `node: 18` and `node:18-alpine`), one in five was, and half
of them once a second file had followed. Within three lines of the file, four of five were if the
version has a dot (`Setup Node.js 12.x` above `node-version: 12.x`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk, diff, line_around, shortest_hunk
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import has_rules

_VERSION: Final = re.compile(
    r"""(?<!\w)(?<!\d\.)[^\W\d]*
        (\d+(?:\.\d+)*(?:
            (?:\.(?:[xX]|\*(?!\*)))+|-[a-z]+(?:[.-][a-z]+)*\.?\d+|(?:a|b|rc|\.?dev|\.?post)\d+
        )?)
        (?!\w|\.\d)""",
    re.VERBOSE,
)
_THREE_PARTS: Final = re.compile(r"\d+\.\d+\.\d+(?!\.\d)")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NO_NAMES: Final = frozenset(
    "a an and as at be by for from if in is it of on or the to with".split()
)
_GENERAL: Final = frozenset("v version versions x release requires rev ref tag js".split())
_NEAR: Final = 3  # words before a version that may name it
_BESIDE: Final = 3  # lines between two places in one entry, such as a step and its settings
#: The rest of the word before a version, and after it.
_BEFORE: Final = re.compile(r"[^\s\"'`,()\[\]{}<>=;|]*$")
_BEHIND: Final = re.compile(r"[^\s\"'`,()\[\]{}<>=;|]*")
_LETTERS: Final = re.compile(r"[A-Za-z]{2}")
_LEAST: Final = re.compile(
    r">=?[\s\"'v]*#|#[\"'`]?(?:\+|\s*(?:or|and)\s+(?:newer|higher|later|above|better|greater))"
)
_TOLD: Final = re.compile(r"\.(?:md|mdx|rst|txt|adoc|html)$")
#: The names of change logs, in which old versions stay.
_LOG: Final = re.compile(r"(?i)(?:change|history|news|release|upgrad|migrat)[^.]*(?:\.\w*)?$")
_MOST_PLACES: Final = 60  # a number that stands more often is of many things
_MOST_TEXTS: Final = 6
_LONGEST_LINE: Final = 1_000


class Place(NamedTuple):
    """An occurrence of a version in a text.

    Attributes:
        start: Where it begins.
        version: Its text.
        name: The word before it that names the versioned thing; empty if there is none.
        word: The whole word, with `#` in place of the version; empty without letters.
        line: Its line, without surrounding blanks.
        row: The number of its line.
        is_listed: Whether similar numbers are on the same line or on similar adjacent lines.
        is_least: Whether the text calls it a minimum.
    """

    start: int
    version: str
    name: str
    word: str
    line: str
    row: int
    is_listed: bool
    is_least: bool


class Replaced(NamedTuple):
    """A version that was replaced, with the new version and its place."""

    place: Place
    new: str
    at: int


def versions_left_in(
    saves: Iterable[Save],
    history: Sequence[str],
    text: str,
    path: str,
    *,
    is_code: bool,
    active: range | None,
) -> Iterator[Consequence]:
    """Return the remaining occurrences of versions replaced in other files or in this one.

    Its history are the texts that it had, the oldest first; it is code if its language has rules.
    """
    told = _TOLD.search(path) is not None and "requirements" not in path
    name = path.rpartition("/")[2]
    if _LOG.search(name) and (told or "." not in name):
        return
    known: dict[tuple[str, str], dict[str, list[Place]]] = defaultdict(dict)
    others = ((one.file, replaced(one.before, one.after)) for one in saves)
    own = (
        ("", [one for one in _replaced(before, text) if not _is_at(active, one)])
        for before in dict.fromkeys(history[-_MOST_TEXTS:])
    )
    for file, found in chain(others, own):
        for place, new, _ in found:
            if known[new, place.version].pop(file, None) is None and not place.is_listed:
                known[place.version, new].setdefault(file, []).append(place)
    for (old, new), files in known.items():
        left = list(_places(text, old)) if files and old in text else []
        for place in left if len(left) <= _MOST_PLACES else ():
            kind = _kind(place, files, is_code)
            if kind and not (kind == "replace_version_said" and told and not place.is_least):
                hunk = Hunk(place.start, place.start + len(old), new)
                yield Consequence(hunk, kind, cause=f"{old} {new}")


def _kind(place: Place, files: dict[str, list[Place]], is_code: bool) -> Kind | None:
    """Return the kind of the replacement of a version; None where it is not proposed."""
    named = {
        file for file, others in files.items() if place.name in {one.name for one in others} - {""}
    }
    if named and _THREE_PARTS.match(place.version) and not place.is_listed:
        return "replace_version"
    texts = {file for file in files if not (_is_code(file) if file else is_code)}
    if is_code or place.is_listed or not texts:
        return None
    others = [one for file in texts for one in files[file]]
    if any(place.word and place.word == one.word for one in others):
        return "replace_version"
    if len(place.version) == 1:
        return None
    if any(place.line == one.line for one in others) and _LETTERS.search(place.line):
        return "replace_version_in_line"
    own = [one for one in files.get("", ()) if one.name and one.name == place.name]
    if "." in place.version and any(abs(place.row - one.row) <= _BESIDE for one in own):
        return "replace_version_beside"
    return "replace_version_said" if len(named & texts) > 1 else None


def _replaced(before: str, after: str) -> tuple[Replaced, ...]:
    """Return the versions that a change replaced with another version."""
    found = []
    grown = 0
    seen = -1
    for hunk in diff(before, after):
        one = shortest_hunk(before[hunk.start : hunk.end], hunk.text, hunk.start)
        if "\n" not in before[one.start : one.end] + one.text:
            for old in _VERSION.finditer(before, *line_around(before, one.start)):
                start, end = old.span(1)
                if seen < start <= one.start and one.end <= end:
                    new = _VERSION.search(after, max(0, start + grown - len(old[0])))
                    is_whole = new is not None and after[new.end() :][:1] == before[old.end() :][:1]
                    if new and is_whole and new.start(1) == start + grown and new[1] != old[1]:
                        place = _place(before, start, old[1])
                        found.append(Replaced(place, new[1], new.start(1)))
                        seen = start
        grown += hunk.growth
    return tuple(found)


#: The same, cached for the changed lines of other files, which every open file asks for.
replaced = lru_cache(maxsize=256)(_replaced)


def _places(text: str, version: str) -> Iterator[Place]:
    """Yield the places of a version in a text."""
    for found in re.finditer(rf"(?<!\d){re.escape(version)}(?!\w)", text):
        first, last = line_around(text, found.start())
        every = _VERSION.finditer(text, first, last) if last - first <= _LONGEST_LINE else ()
        if any(one.span(1) == found.span() for one in every):
            yield _place(text, found.start(), version)


def _place(text: str, start: int, version: str) -> Place:
    first, last = line_around(text, start)
    line, end = text[first:last], start + len(version)
    before, behind = text[first:start], text[end:last]
    head, tail = _BEFORE.search(before), _BEHIND.match(behind)
    word = f"{head[0] if head else ''}#{tail[0] if tail else ''}".strip(".:*_")
    return Place(
        start,
        version,
        _name(before) or _name(_above(text, first, before)),
        word if _LETTERS.search(word) else "",
        line.strip(),
        text.count("\n", 0, first),
        _is_listed(text, first, last, version),
        _LEAST.search(f"{before[-5:]}#{behind[:20]}") is not None,
    )


def _name(words: str) -> str:
    """Return the last word that names the versioned thing; without one, a general word."""
    near = [one.lower() for one in _NAME.findall(words)]
    near = [one for one in near if one not in _NO_NAMES][-_NEAR:]
    return next((one for one in reversed(near) if one not in _GENERAL), near[-1] if near else "")


def _above(text: str, first: int, before: str) -> str:
    """Return the nearest line above that is less indented."""
    indent = len(before) - len(before.lstrip())
    for line in reversed(text[max(0, first - 2 * _LONGEST_LINE) : first].split("\n")):
        if line.strip() and len(line) - len(line.lstrip()) < max(indent, 1):
            return line
    return ""


def _is_listed(text: str, first: int, last: int, version: str) -> bool:
    """Tell whether similar numbers are on the same line, or similar lines are next to it."""
    line = text[first:last]
    own = _NUMBER.findall(version)[0]
    dots = own.count(".")
    for one in _NUMBER.findall(line):
        if one not in version and one.count(".") == dots and (dots or len(one) == len(own)):
            return True
    beside = (at for at in (first - 1, last + 1) if 0 <= at < len(text))
    others = {text[slice(*line_around(text, at))].strip() for at in beside} - {line.strip()}
    return _NUMBER.sub("#", line.strip()) in {_NUMBER.sub("#", other) for other in others}


def _is_code(file: str) -> bool:
    return has_rules(language_of("", file))


def _is_at(active: range | None, one: Replaced) -> bool:
    """Tell whether the new version is still being typed."""
    return active is not None and one.at <= active.stop and active.start <= one.at + len(one.new)
