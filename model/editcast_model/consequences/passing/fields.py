"""Parameters of constructors for new fields, which are declared as fields with one are.

After `private final Clock clock;` came below `private final Fines fines;`, the constructor that has
the parameter `Fines fines` gets `Clock clock` as well.
"""

import re
from collections.abc import Iterator
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import CONSTRUCTORS
from editcast_model.consequences.lists.placing import inserted
from editcast_model.consequences.lists.word_forms import renamed
from editcast_model.diff import line_around
from editcast_model.syntax.calls import Function, function_of
from editcast_model.syntax.members import is_declared_member, owner
from editcast_model.syntax.names import Names, Occurrence

_NEAR: Final = 300  # characters above a field in which others are looked for
#: Says that a constructor gives a field its value.
_GIVEN: Final = re.compile(r"\b(?:final|readonly)\b")
#: A type of parts that others make; a field of any other type may have a value from the start.
_PART: Final = re.compile(r"[*?]?(?!sync\.|atomic\.)(?:\w+[.\\])*[A-Z]\w*\??")


def after_field(change: Change) -> Iterator[Consequence]:
    """Return the parameters that constructors lack for the fields that a change added."""
    names, known = change.after, {one.after.start for one in change.renamed}
    for new in change.new_names():
        is_field = is_declared_member(new) and new.part.kind != "method"
        if not is_field or new.start in known or change.same_before(new) is not None:
            continue
        functions = _constructors(names, owner(names, new))
        words = {new.name, _bare(new.name), names.rules.sigil + _bare(new.name)}
        named = [each.start for word in words for each in names.of(word)]
        if len(functions) == 1 and not any(map(functions[0].has, named)):
            yield from _parameter_for(names, functions[0], new)


def _bare(field: str) -> str:
    """Return what the parameter for a field is called."""
    return field.strip("_")


def _constructors(names: Names, whose: str | None) -> list[Function]:
    """Return the constructors of a class, in Go the functions that are called so."""
    name = (whose or "").partition("@")[0]
    go = {f"New{name}", "New"} if names.tree.language == "go" else set[str]()
    words = {name, *CONSTRUCTORS, *go} if name else ()
    found = (function_of(names, one) for word in words for one in names.of(word))
    return [
        one
        for one in found
        if one is not None
        and (one.owner == whose or one.defined.name in go)
        and (one.is_constructor or one.defined.name in {*CONSTRUCTORS, *go})
    ]


def _parameter_for(names: Names, function: Function, new: Occurrence) -> Iterator[Consequence]:
    """Return the parameter for a field, behind that of the nearest field above that has one."""
    text, listed = names.tree.text, function.parameters
    start, end = line_around(text, new.start, new.end)
    above = [
        one
        for one in names.between(max(0, start - _NEAR), start)
        if is_declared_member(one) and owner(names, one) == owner(names, new)
    ]
    for like in reversed(above):
        pair = _bare(like.name), _bare(new.name)
        given = [one for one in listed if one.name.removeprefix(names.rules.sigil) == pair[0]]
        if not given or not given[0].type or not given[0].is_required:
            continue
        parameter = given[0]
        line = text[slice(*line_around(text, like.start, like.end))]
        head, kind, tail = line.partition(parameter.type)
        parts = [renamed(part, like.name, new.name, within=True).split() for part in (head, tail)]
        pattern = r"\s*(?P<type>\S.*?)\s*".join(r"\s+".join(map(re.escape, part)) for part in parts)
        written = re.fullmatch(rf"\s*{pattern}\s*", text[start:end])
        if not kind or written is None:
            return
        if not _GIVEN.search(line) and not _PART.fullmatch(written["type"]):
            return
        head, _, tail = text[parameter.start : parameter.end].partition(parameter.type)
        declared = written["type"].join(renamed(one, *pair, within=True) for one in (head, tail))
        hunk = inserted(text, function.span, listed, listed.index(parameter) + 1, declared)
        yield Consequence(hunk, "add_parameter", is_first=True)
        return
