"""Fields of Java that methods set and get by type, as `statement.setString(4, order.name())`."""

import re
from typing import Final

from editcast_model.consequences.lists.entries import Entry, EntryList
from editcast_model.consequences.lists.templates import only_name
from editcast_model.consequences.lists.word_forms import has, renamed
from editcast_model.diff import Hunk

_ACCESSOR: Final = re.compile(r"\b[gs]et(?P<kind>[A-Z][\w<>]*)\((?P<number>\d*)")
#: What the methods for values of a type are called after.
_CALLED: Final = {
    **{one: one for one in "String Boolean Long Double BigDecimal".split()},
    **{"boolean": "Boolean", "int": "Int", "long": "Long", "double": "Double"},
}


def accessed_like(added: Entry, found: EntryList) -> str:
    """Return a field as a list gets or sets others, by the method for its type; or nothing.

    Such as `statement.setString(4, order.customer())`, with the number behind the one before.
    """
    types = dict(zip(added.others, added.types, strict=False))
    last = _ACCESSOR.search(found.tree.of(found.entry))
    others = sorted(found.entries, key=lambda one: not has(found.tree.of(one), added.alike))
    is_known = last and added.type and found.tree.language == "java"
    for text in map(found.tree.of, others if is_known else ()):
        own, called = only_name(text, added.others), _ACCESSOR.search(text)
        if not (last and own and called) or bool(last["number"]) != bool(called["number"]):
            continue
        kind = _accessor(called["kind"], types[own], added.type)
        if not kind or has(called["kind"], own):  # not of a type, but of a name
            continue
        number = str(int(last["number"]) + 1) if last["number"] else ""
        start, end = called.start("kind"), called.end()
        rest = renamed(text[end:], own, added.name)
        rest = _as_getter(rest, added.name, added.type)
        return f"{renamed(text[:start], own, added.name)}{kind}({number}{rest}"
    return ""


def counted_on(found: EntryList, hunk: Hunk) -> Hunk:
    """Count on from the number of an inserted entry in those behind it, as they did so far."""
    tree, new, end = found.tree, _ACCESSOR.search(hunk.text), hunk.end
    following = int(new["number"]) if new and new["number"] else -1
    text = hunk.text
    for one in found.entries[found.entries.index(found.entry) + 1 :]:
        at = _ACCESSOR.search(tree.text, one.start_byte, one.end_byte)
        if not at or at["number"] != str(following):
            break
        following += 1
        text += f"{tree.text[end : at.start('number')]}{following}"
        end = at.end()
    return Hunk(hunk.start, end, text)


def _accessor(word: str, other: str, kind: str) -> str:
    """Return what gets or sets a value of a type, where `word` does of another one; or nothing."""
    if kind == other:
        return word
    return _CALLED.get(kind, "") if _CALLED.get(other) == word else ""


def _as_getter(text: str, name: str, kind: str) -> str:
    """Call a field's method after its type, as Java does: `isPaid` of a flag, else `getPaid`."""
    verb = "is" if kind == "boolean" else "get"
    return re.sub(rf"\b(?:is|get)(?={name[:1].upper()}{name[1:]}\b)", verb, text)
