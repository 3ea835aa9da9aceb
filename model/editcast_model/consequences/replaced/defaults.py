"""Numbers that say what the default of an option is, after the default was changed.

In usage texts, comments and manuals that speak of a default, in tables with a column for it, and in
tests that expect it. The option and the number stand on one line there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, parts_of
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk, diff, line_around
from editcast_model.syntax.names import Names

_NUMBER: Final = re.compile(r"(?<![\w.$-])\d[\d_]*(?:\.\d+)?(?:ms|[smhd]|[kKMG]i?B|%)?(?![\w.]\w)")
#: What stands between the name of an option and its value; the call or the key that gives it one.
_NAMED: Final = re.compile(
    r"([\w$-]*[A-Za-z])[\"'`]?\]?\s*"
    r"(?:(?::\s*[\w.\[\]| *<>]+)?\s*(?::?=|:)|(?<=[\"']),)\s*[\"'`(]*$"
)
_GIVEN: Final = re.compile(r"(?:default|fallback)?(?:_?value)?|initial", re.IGNORECASE)
_FIRST: Final = re.compile(r"--(\w[\w-]+)|^\W*(\w[\w-]*)[\"']?\s*[:=]")
_DEFAULT: Final = re.compile(r"default", re.IGNORECASE)
_EXPECTED: Final = re.compile(r"\b(?:self\.)?assert|\bexpect\(|\brequire\.|\bshould\b")
TESTS: Final = re.compile(
    r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)|[a-z](?:Tests?|Spec)\.\w+$"
)
_TEXT: Final = re.compile("string|template|fragment|content|comment|heredoc")
_LONGEST_LINE: Final = 300
_MOST_PLACES: Final = 60
_MOST_TEXTS: Final = 6


class _Default(NamedTuple):
    """An option, without the word for a default, and its default before and now."""

    name: str
    old: str
    new: str


def defaults_left_in(
    saves: Iterable[Save],
    history: Sequence[str],
    text: str,
    path: str,
    names: Names | None,
    active: range | None,
) -> Iterator[Consequence]:
    """Return the places that still have the old default of an option.

    The history are the texts that this one had; it has names in a language with rules.
    """
    others = (_changed(*one[2:], None) for one in saves if not TESTS.search(one.file))
    earlier = () if TESTS.search(path) else dict.fromkeys(history[-_MOST_TEXTS:])
    own = (_changed(before, text, active) for before in earlier)
    found = dict.fromkeys(one for each in chain(others, own) for one in each)
    for one in found:
        if (one.name, one.new, one.old) not in found:
            for hunk in _left(one, text, path, names):
                yield Consequence(hunk, "replace_default", cause=" ".join(one))


def _changed(before: str, after: str, active: range | None) -> Iterator[_Default]:
    """Yield the defaults that a change replaced."""
    grown = 0
    for hunk in diff(before, after):
        start = hunk.start + grown
        grown += hunk.growth
        is_typed = active and start <= active.stop and active.start <= start + len(hunk.text)
        first, last = line_around(before, hunk.start)
        if is_typed or "\n" in before[hunk.start : hunk.end] + hunk.text:
            continue
        for old in _NUMBER.finditer(before, first, last):
            if old.start() <= hunk.start and hunk.end <= old.end():
                new = _NUMBER.match(after, old.start() + start - hunk.start)
                name = _option(before[first : old.start()], before[first:last])
                if new is not None and new[0] != old[0] and name:
                    yield _Default(name, old[0], new[0])


def _option(head: str, line: str) -> str:
    """Return what the number behind a part of a line is the default of; empty for nothing."""
    found = _NAMED.search(head)
    name = found[1] if found else ""
    if _GIVEN.fullmatch(name) and _DEFAULT.search(line):
        first = _FIRST.search(line)
        name = (first[1] or first[2]) if first else ""
    parts = [one for one in parts_of(name) if one not in ("default", "defaults")]
    return "_".join(parts) if name and len("".join(parts)) > 2 else ""


def _left(one: _Default, text: str, path: str, names: Names | None) -> Iterator[Hunk]:
    written = "|".join(forms(each).pattern for each in (one.name, f"default_{one.name}"))
    lines = {line_around(text, found.start()) for found in re.finditer(written, text)}
    for first, last in sorted(lines) if len(lines) <= _MOST_PLACES else ():
        numbers = list(_NUMBER.finditer(text, first, last))
        same, there = (
            [found for found in numbers if found[0].replace("_", "") == each.replace("_", "")]
            for each in (one.old, one.new)
        )
        if len(same) != 1 or there or last - first > _LONGEST_LINE:
            continue
        place = same[0]
        if _is_default(text, path, (first, last), place, names):
            new = one.new if "_" in place[0] else one.new.replace("_", "")
            yield Hunk(place.start(), place.end(), new)


def _is_default(
    text: str, path: str, span: tuple[int, int], place: re.Match[str], names: Names | None
) -> bool:
    """Tell whether a number of a line that names an option is said to be its default."""
    line = text[slice(*span)]
    if names is not None and not _TEXT.search(names.tree.path(place.start())[-1].type):
        block = text[text.rfind("\n\n", 0, span[0]) + 1 : span[0]]
        is_given = any(one[0] == place[0] for one in _NUMBER.finditer(block))
        return bool(TESTS.search(path) and _EXPECTED.search(line)) and not is_given
    if names is None and line.lstrip().startswith("|"):
        above = text[: span[0]].rstrip("\n").split("\n\n")[-1]
        row = text[place.start() : span[1]]
        is_cell = text[span[0] : place.start()].rstrip(" `\"'").endswith("|")
        return is_cell and "|" in row and _DEFAULT.search(above.partition("\n")[0]) is not None
    return _DEFAULT.search(line) is not None
