"""Replaced versions: numbers that are replaced at each place where they stand for the same thing.

A number alone says nothing: of the places in other files where a replaced one stood as well,
hardly one in a hundred was replaced in the same commit. Where it stood in the same line, three of
four were; in the same word (`actions/checkout@v3`), or of three parts behind the same name, even
more. Behind the same name alone, as `18` in `node: 18` and `node:18-alpine`, it is one in five
until a second file has followed, and every other one then.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from editcast_model.consequences.changes import Consequence
from editcast_model.diff import Hunk, diff, shortest_hunk
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import has_rules

_VERSION: Final = re.compile(
    r"""(?<!\w)(?<!\d\.)[^\W\d]*
        (\d+(?:\.\d+)*(?:\.x\b|-[a-z]+(?:[.-][a-z]+)*\.?\d+|(?:a|b|rc|\.?dev|\.?post)\d+)?)
        (?!\w|\.\d)""",
    re.VERBOSE,
)
_THREE_PARTS: Final = re.compile(r"\d+\.\d+\.\d+(?!\.\d)")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NO_NAMES: Final = frozenset(
    "a an and as at be by for from if in is it of on or the to with".split()
)
_GENERAL: Final = frozenset("v version versions x release requires rev ref tag".split())
_NEAR: Final = 3  # words before a version that may name it
#: What belongs to the same word, before and behind.
_BEFORE: Final = re.compile(r"[^\s\"'`,()\[\]{}<>=;|]*$")
_BEHIND: Final = re.compile(r"[^\s\"'`,()\[\]{}<>=;|]*")
_LETTERS: Final = re.compile(r"[A-Za-z]{2}")
_LEAST: Final = re.compile(
    r">=?[\s\"'v]*#|#[\"'`]?(?:\+|\s*(?:or|and)\s+(?:newer|higher|later|above|better|greater))"
)
_TOLD: Final = re.compile(r"\.(?:md|mdx|rst|txt|adoc|html)$")
#: What says what was, and says so for ever.
_LOG: Final = re.compile(r"(?i)(?:change|history|news|release|upgrad|migrat)[^.]*(?:\.\w*)?$")
_MOST_PLACES: Final = 60  # a number that stands more often is of many things
_MOST_TEXTS: Final = 6
_MOST_SAVES: Final = 30
_LONGEST_LINE: Final = 1_000


class Place(NamedTuple):
    """A version in a text.

    Attributes:
        start: Where it begins.
        version: Its text.
        name: The word before it that tells of what; empty if there is none.
        word: What belongs to the same word, with `#` for the version; empty without letters.
        line: Its line, without the blanks around.
        is_listed: Whether others like it stand beside it or on the lines next to it.
        is_least: Whether it says that it, or a later one, will do.
    """

    start: int
    version: str
    name: str
    word: str
    line: str
    is_listed: bool
    is_least: bool


class Replaced(NamedTuple):
    """A version that another one replaced, and where that one stands now."""

    place: Place
    new: str
    at: int


class _Save(NamedTuple):
    file: str
    number: int | None
    replaced: list[Replaced]


class ReplacedVersions:
    """The versions that the last saves of other files replaced.

    Args:
        path: Of the file that they may be left in.
        is_code: Whether its language has rules.
    """

    def __init__(self, path: str, *, is_code: bool) -> None:
        self._path, self._is_code = path, is_code
        self._is_told = _TOLD.search(path) is not None and "requirements" not in path
        name = path.rpartition("/")[2]
        self._is_log = _LOG.search(name) is not None and (self._is_told or "." not in name)
        self._saves: deque[_Save] = deque(maxlen=_MOST_SAVES)

    def add(self, file: str, number: int | None, before: str, after: str) -> None:
        """Take in a save of another file, in the place of an earlier one of the same number."""
        for one in [each for each in self._saves if number is not None and each.file == file]:
            if one.number == number:
                self._saves.remove(one)
        self._saves.append(_Save(file, number, list(replaced(before, after))))

    def left_in(
        self, history: Sequence[str], text: str, active: range | None
    ) -> Iterator[Consequence]:
        """Return the places where such versions, and those that the file itself had, are left.

        Args:
            history: The texts that the file had, the oldest first.
            text: The text now.
            active: What is being typed.
        """
        known: dict[tuple[str, str], dict[str, list[Place]]] = defaultdict(dict)
        own = (
            _Save("", None, [one for one in replaced(before, text) if not _is_at(active, one)])
            for before in dict.fromkeys(history[-_MOST_TEXTS:])
        )
        for file, _, found in () if self._is_log else chain(self._saves, own):
            for place, new, _ in found:
                if known[new, place.version].pop(file, None) is None and not place.is_listed:
                    known[place.version, new].setdefault(file, []).append(place)
        for (old, new), files in known.items():
            left = list(_places(text, old)) if files and old in text else []
            for place in left if len(left) <= _MOST_PLACES else ():
                strength = self._strength(place, files)
                if strength:
                    hunk = Hunk(place.start, place.start + len(old), new)
                    yield Consequence(hunk, "replace_version", strength, cause=f"{old} {new}")

    def _strength(self, place: Place, files: dict[str, list[Place]]) -> float:
        """Return the share of such places that were replaced; 0 if they are left alone."""
        named = {
            file
            for file, others in files.items()
            if any(place.name and place.name == one.name for one in others)
        }
        if named and _THREE_PARTS.match(place.version) and not place.is_listed:
            return 0.85
        texts = {file for file in files if not (self._is_code if not file else _is_code(file))}
        if self._is_code or place.is_listed or not texts:
            return 0.0
        others = [one for file in texts for one in files[file]]
        if any(place.word and place.word == one.word for one in others):
            return 0.85
        if len(place.version) == 1:
            return 0.0
        if any(place.line == one.line for one in others) and _LETTERS.search(place.line):
            return 0.75
        is_said = self._is_told and not place.is_least
        return 0.5 if len(named & texts) > 1 and not is_said else 0.0


def replaced(before: str, after: str) -> Iterator[Replaced]:
    """Yield the versions that a change replaced by one other version each."""
    grown = 0
    seen = -1
    for hunk in diff(before, after):
        one = shortest_hunk(before[hunk.start : hunk.end], hunk.text, hunk.start)
        if "\n" not in before[one.start : one.end] and "\n" not in one.text:
            for old in _VERSION.finditer(before, *_line(before, one.start)):
                start, end = old.span(1)
                if seen < start <= one.start and one.end <= end:
                    new = _VERSION.search(after, max(0, start + grown - len(old[0])))
                    if new and new.start(1) == start + grown and new[1] != old[1]:
                        yield Replaced(_place(before, start, old[1]), new[1], new.start(1))
                        seen = start
        grown += hunk.growth


def _places(text: str, version: str) -> Iterator[Place]:
    """Yield the places of a version in a text."""
    for found in re.finditer(rf"(?<!\d){re.escape(version)}(?!\w)", text):
        first, last = _line(text, found.start())
        every = _VERSION.finditer(text, first, last) if last - first <= _LONGEST_LINE else ()
        if any(one.span(1) == found.span() for one in every):
            yield _place(text, found.start(), version)


def _place(text: str, start: int, version: str) -> Place:
    first, last = _line(text, start)
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
        _is_listed(text, first, last, version),
        _LEAST.search(f"{before[-5:]}#{behind[:20]}") is not None,
    )


def _line(text: str, at: int) -> tuple[int, int]:
    """Return where the line of a place begins and ends."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _name(words: str) -> str:
    """Return the last word that tells of what a version is; a general one without any."""
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
    """Tell whether other numbers like a version stand on its line, or on lines like it."""
    line = text[first:last]
    dots = version.count(".")
    for one in _NUMBER.findall(line):
        if one not in version and one.count(".") == dots and (dots or len(one) == len(version)):
            return True
    around = (text[slice(*_line(text, at))] for at in (first - 1, last + 1) if 0 <= at < len(text))
    form = _NUMBER.sub("#", line).strip()
    return any(
        other.strip() != line.strip() and _NUMBER.sub("#", other).strip() == form
        for other in around
    )


def _is_code(file: str) -> bool:
    return has_rules(language_of("", file))


def _is_at(active: range | None, one: Replaced) -> bool:
    """Tell whether the version that took the place of another is being typed."""
    return active is not None and one.at <= active.stop and active.start <= one.at + len(one.new)
