"""Prototypes and definitions of C and C++: each has the parameters and the result of the other.

A method of C++ that overrides another one follows it as well. Names of parameters may differ, and
only a prototype has defaults.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from posixpath import basename
from typing import NamedTuple

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.calls import Function, function_of, is_same_owner
from editcast_model.syntax.declarators import declared_name, function_declarator, is_own
from editcast_model.syntax.members import class_of_method
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import field
from editcast_model.syntax.types import bases_of

#: What may stand before the type of a result in one of the two alone.
_SPECIFIERS = re.compile(
    r"(\s*(\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)|(static|inline|virtual|explicit|extern|friend"
    r"|constexpr)\b))*\s*",
    re.DOTALL,
)
#: What follows on the parameters of both.
_QUALIFIERS = re.compile(r"(?:\s*\b(?:const|volatile|noexcept)\b)*")
_DEFAULT = re.compile(r"\s*=(?!=).*", re.DOTALL)
_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)', re.MULTILINE)
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl")
_FAMILY = ("c", "cpp")


class _Item(NamedTuple):
    """A parameter as it is written, its name if it has one, and the rest of it without default."""

    text: str
    name: str
    type: str

    @property
    def plain(self) -> str:
        return _DEFAULT.sub("", self.text)


class _Written(NamedTuple):
    """The common part of a prototype and a definition; offsets mean nothing in other texts."""

    result: str
    start: int
    items: tuple[_Item, ...]
    separators: tuple[str, ...]
    span: tuple[int, int]
    inside: str
    qualifiers: str

    @property
    def types(self) -> list[str]:
        return [one.type for one in self.items]


@dataclass(frozen=True, slots=True)
class NewPrototype:
    """A function that is declared otherwise now, in a prototype or where it is defined."""

    name: str
    owner: str
    before: _Written
    after: _Written
    is_prototype: bool


def after_prototype(change: Change) -> Iterator[Consequence]:
    """Return the prototypes, definitions and overriding methods that a changed one disagrees with.

    Those of this file.
    """
    for new in new_prototypes(change, with_own=True):
        yield from declared_alike(change.after, new)


def new_prototypes(change: Change, *, with_own: bool = False) -> Iterator[NewPrototype]:
    """Return the functions that are declared otherwise, perhaps with those of this file alone."""
    for was, now in change.functions if change.after.tree.language in _FAMILY else ():
        if was.name != now.name or (not with_own and is_own(change.after, now.defined)):
            continue
        before, after = _written(change.before, was), _written(change.after, now)
        if before and after and before[0::2] != after[0::2]:
            owner = (now.owner or "").split("@")[0]
            yield NewPrototype(now.name, owner, before, after, now.is_prototype)


def declared_alike(names: Names, new: NewPrototype) -> Iterator[Consequence]:
    """Return the declarations of a function of a text that are as it was before, as it is now."""
    found = [one for each in names.of(new.name) if (one := function_of(names, each))]
    pairs = [(one, written) for one in found if (written := _written(names, one))]
    cause = f"{new.name} {new.after.inside} {new.after.result}"
    for function, theirs in pairs:
        if theirs.types != new.before.types or not _is_related(names, function, new):
            continue
        hunks = [_with_items(names, function, theirs, new), *_with_result(theirs, new)]
        for hunk in hunks:
            if hunk is not None and names.tree.text[hunk.start : hunk.end] != hunk.text:
                yield Consequence(hunk, "follow_signature", is_first=True, cause=cause)


def includes(names: Names) -> set[str]:
    """Return the names of the files that a file includes, without their folders."""
    return {basename(one) for one in _INCLUDES.findall(names.tree.text)}


def is_header(file: str) -> bool:
    """Tell whether a file of C or C++ is one that others include."""
    return file.endswith(_HEADERS)


def _written(names: Names, function: Function) -> _Written | None:
    """Return a function as it is declared."""
    tree, declarator = names.tree, function_declarator(function.node)
    listed = field(declarator, "parameters")
    if declarator is None or listed is None:
        return None
    lead = _SPECIFIERS.match(tree.text, function.start, declarator.start_byte)
    start = lead.end() if lead else function.start
    nodes = [one for one in listed.named_children if tree.of(one) != "void"]
    if any("comment" in one.type for one in nodes):
        return None
    items = []
    for one in nodes:
        text, name = tree.of(one), declared_name(one)
        at = name.start_byte - one.start_byte if name is not None else len(text)
        kind = _DEFAULT.sub("", text[:at]) + _DEFAULT.sub("", text[at + len(tree.of(name)) :])
        items.append(_Item(text, tree.of(name), re.sub(r"\s+", "", kind)))
    ends = zip(nodes, nodes[1:], strict=False)
    between = tuple(tree.text[one.end_byte : other.start_byte] for one, other in ends)
    inside = tree.text[slice(*function.span)]
    tail = _QUALIFIERS.match(tree.text, listed.end_byte, declarator.end_byte)
    result, qualifiers = tree.text[start : declarator.start_byte], tail[0] if tail else ""
    return _Written(result, start, tuple(items), between, function.span, inside, qualifiers)


def _is_related(names: Names, function: Function, new: NewPrototype) -> bool:
    """Tell whether a function is a changed one, or a method that overrides it."""
    if is_same_owner(function.owner, new.owner):
        return True
    found = class_of_method(function.defined.path[: -len(("declarator", "name"))])
    return bool(new.owner) and found is not None and new.owner in bases_of(names, found)


def _with_items(
    names: Names, function: Function, theirs: _Written, new: NewPrototype
) -> Hunk | None:
    """Return what makes the parameters of a function those of a changed one."""
    items, old, now = [], new.before.items, new.after.items
    if not (old or now):  # `()` or `(void)`
        return None
    is_bare = bool(old) and not any(one.name for one in theirs.items)
    for at, one in enumerate(now):
        was = _index_before(at, old, now)
        if was is None:
            items.append(_named(one, "") if is_bare else one.plain)
        else:
            items.append(_item(old[was], one, theirs.items[was], function.is_prototype))
    text = "".join(items[:1]) if items or not theirs.items else new.after.inside
    between = [*theirs.separators, *[(*theirs.separators, ", ")[-1]] * len(items)]
    text += "".join(f"{mark}{one}" for mark, one in zip(between, items[1:], strict=False))
    if theirs.items:
        text = theirs.inside[: len(theirs.inside) - len(theirs.inside.lstrip())] + text
    return shortest_hunk(theirs.inside, text, theirs.span[0]) if text != theirs.inside else None


def _index_before(at: int, old: Sequence[_Item], now: Sequence[_Item]) -> int | None:
    """Find where a parameter was before; None for a new one."""
    one, known = now[at], [each.name for each in old]
    if one.name and one.name in known:
        return known.index(one.name)
    if len(old) == len(now):
        is_gone = not old[at].name or old[at].name not in {each.name for each in now}
        return at if is_gone else None
    types = [each.type for each in old]
    return types.index(one.type) if not one.name and one.type in types else None


def _item(old: _Item, now: _Item, theirs: _Item, is_prototype: bool) -> str:
    """Return a parameter of another declaration as it follows one that was changed."""
    is_renamed = is_prototype and theirs.name == old.name != now.name and bool(now.name)
    if old.type == now.type and not is_renamed:
        return theirs.text
    default = _DEFAULT.search(theirs.text)
    text = _named(now, now.name if is_renamed else theirs.name)
    return text + (default[0] if default else "")


def _named(one: _Item, name: str) -> str:
    """Return a parameter without its default, under another name, or without one."""
    written = rf"\s*\b{re.escape(one.name)}\b" if not name else rf"\b{re.escape(one.name)}\b"
    if not one.name:
        return f"{one.plain}{'' if one.plain[-1:] in '*&' else ' '}{name}" if name else one.plain
    *_, last = re.finditer(written, one.plain)
    return one.plain[: last.start()] + name + one.plain[last.end() :]


def _with_result(theirs: _Written, new: NewPrototype) -> Iterator[Hunk]:
    """Yield what makes the result and the qualifiers of a function those of a changed one."""
    old, now = (" ".join(one.result.split()) for one in (new.before, new.after))
    if old != now and now and " ".join(theirs.result.split()) == old:
        blank = theirs.result[len(theirs.result.rstrip()) :]
        if "\n" not in blank:
            blank = new.after.result[len(new.after.result.rstrip()) :]
        yield Hunk(theirs.start, theirs.start + len(theirs.result), now + blank)
    if theirs.qualifiers == new.before.qualifiers:
        start = theirs.span[1] + 1
        yield Hunk(start, start + len(theirs.qualifiers), new.after.qualifiers)
