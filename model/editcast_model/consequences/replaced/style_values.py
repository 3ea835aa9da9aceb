"""Values of style sheets that a new variable stands for, in CSS, SCSS and Less.

Style sheets have no rules for names. Their declarations are read by their punctuation.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk

_SHEET: Final = re.compile(r"\.(?:(?P<plain>p?css)|scss|less)$", re.IGNORECASE)
#: Comments, addresses and strings. Nothing in them is a value.
_APART: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|url\([^)\n]*+\)?|(?<!:)//[^\n]*"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_DECLARATION: Final = re.compile(
    r"(?<![^\s;{}\0])(?P<name>(?:--|[$@])?[\w-]++)\s*+:\s*+(?P<value>[^;{}]*+)(?P<end>[;{}])"
)
#: Values that say what they are: colours, lengths, calls; no shares, and none of another variable.
_VALUE: Final = re.compile(r"(?=.*[\d#(])(?!\d+%$|var\()[^\0$@]{4,}", re.DOTALL)
#: Numbers stand for many things. A variable means those of properties that its name has.
_NUMBER: Final = re.compile(r"[+-]?[\d.]+[a-z%]*", re.IGNORECASE)
#: More new variables are the palette of a theme, which has several of one colour.
_MOST_NEW: Final = 12
#: Selectors of rules whose properties every other rule sees.
_FOR_ALL: Final = re.compile(r"(?:^|,)[\s\0]*(?:(?::root|:host|html|body)\b|\*)")
#: A value that stands at more places is more than one thing.
_MOST_PLACES: Final = 60
_LONGEST: Final = 300_000


class _Declaration(NamedTuple):
    """A property or a variable and its value, with their places."""

    name: str
    value: str
    at: int
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.value)

    @property
    def is_variable(self) -> bool:
        return self.name.startswith(("--", "$", "@"))


def values_left_in(
    earlier: Iterable[str], text: str, path: str, active: range | None
) -> Iterator[Consequence]:
    """Return the values of a style sheet in whose place a new variable can be used."""
    sheet = _SHEET.search(path)
    if sheet is None or len(text) > _LONGEST:
        return
    code = _without_texts(text)
    declared = list(_declarations(code))
    first = {one.name: one for one in reversed(declared) if one.is_variable}
    times = Counter(one.value for one in first.values())
    variables = [
        one
        for one in first.values()
        if times[one.value] == 1 and _VALUE.fullmatch(one.value) and _is_for_all(code, one)
        if active is None or one.end < active.start or active.stop < one.at
    ]
    found = dict[int, Consequence]()
    for before in earlier:
        if all(f"{one.name}:" in before for one in variables):
            continue
        known = {one[:2] for one in _declarations(_without_texts(before))}
        names = {name for name, _ in known}
        if len(first.keys() - names) > _MOST_NEW:
            continue
        old = [one for one in declared if not one.is_variable and one[:2] in known]
        for variable in variables:
            if variable.name not in names:
                uses = _uses(code, old, variable, is_plain=sheet["plain"] is not None)
                found |= {one.hunk.start: one for one in uses}
    yield from found.values()


def _without_texts(text: str) -> str:
    """Return a style sheet of the same length, without what has no values."""
    return _APART.sub(lambda found: "\0" * len(found[0]), text)


def _declarations(code: str) -> Iterator[_Declaration]:
    for found in _DECLARATION.finditer(code):
        if found["end"] != "{":  # else it is a selector
            value = found["value"].partition("!")[0].rstrip()  # without `!default`
            yield _Declaration(found["name"], value, found.start(), found.start("value"))


def _is_for_all(code: str, one: _Declaration) -> bool:
    """Tell whether a variable is declared for the whole file, not for some rules."""
    if not one.name.startswith("--"):
        return code.count("{", 0, one.at) == code.count("}", 0, one.at)
    selector, opened, inside = code[: one.at].rpartition("{")
    selector = re.split("[;{}]", selector)[-1]
    return bool(opened) and "}" not in inside and _FOR_ALL.search(selector) is not None


def _uses(
    code: str, declared: Iterable[_Declaration], variable: _Declaration, *, is_plain: bool
) -> Iterator[Consequence]:
    """Return the uses of a variable in some declarations; in plain CSS all functions know it."""
    name, value = variable.name, variable.value
    is_property = name.startswith("--")
    is_number = _NUMBER.fullmatch(value) is not None
    flags = re.IGNORECASE if value.startswith("#") else 0
    pattern = re.compile(rf"(?<![\w.#%$@-]){re.escape(value)}(?![\w.%(-])", flags)
    places = [
        found.start()
        for one in declared
        if variable.end < one.at or not name.startswith("$")
        if not is_number or one.name.rpartition("-")[2] in name.lower()
        for found in pattern.finditer(code, one.start, one.end)
        if is_plain or not is_property or _is_balanced(code[one.start : found.start()])
    ]
    for place in places if len(places) <= _MOST_PLACES else ():
        hunk = Hunk(place, place + len(value), f"var({name})" if is_property else name)
        yield Consequence(hunk, "use_property", cause=f"{value} {name}")


def _is_balanced(code: str) -> bool:
    """Tell whether all brackets are closed."""
    return code.count("(") == code.count(")")
