"""Values that loggers of Go take with their names, instead of a message that contains them.

After `log.Printf("save failed: feed=%s err=%v", url, err)` has become
`slog.Error("save failed", "feed", url, "err", err)`, so do the other calls of `log.Printf` all of
whose values have a name: in the message, or the one that the same value was given before.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.formats.calls import Called, calls_of
from editcast_model.syntax.tree import Tree

#: A placeholder with the name before it, and what separates it from the next one.
_NAMED = re.compile(r"[\s,;:(\[]*(?:([A-Za-z_][\w.-]*)=)?%[+#]?[vsdqtf]\b[)\],;\s]*")
_STRING = "interpreted_string_literal"


class Pairs(NamedTuple):
    """A call of `was` since whose change the values of its message have names in `function`."""

    was: str
    function: str
    names: tuple[tuple[str, str], ...]


def paired(tree: Tree, before: Called, now: Tree, after: Called) -> Pairs | None:
    """Return what a change of a call shows, if its values have names since."""
    message, *given = after.given
    keys, values = given[::2], given[1::2]
    if len(keys) != len(values) or any(one.type != _STRING for one in (message, *keys)):
        return None
    named = zip(values, keys, strict=True)
    names = tuple((now.of(value), now.of(key)[1:-1]) for value, key in named)
    is_same = bool(names) and _named(tree, before, dict(names)) == (now.of(message)[1:-1], names)
    return Pairs(before.function, after.function, names) if is_same else None


def paired_left(tree: Tree, example: Pairs) -> Iterator[tuple[Node, str]]:
    """Yield the calls that are left to be changed as one was, each with what it becomes.

    How grave a message is depends on whether it has an error.
    """
    thing, _, method = example.was.rpartition(".")
    is_same = example.function.startswith(f"{thing}.")
    logger = rf"(?:\w+\.)*{re.escape(thing.rpartition('.')[2])}" if is_same else re.escape(thing)
    for call in calls_of(tree, rf"(?<![\w.]){logger}\.{re.escape(method)}(?=\s*\()"):
        named = _named(tree, call, dict(example.names))
        if named is not None and _has_error(named[1]) == _has_error(example.names):
            thing = call.function.rpartition(".")[0]
            called = f"{thing}.{example.function.rpartition('.')[2]}"
            pairs = (f', "{name}", {value}' for value, name in named[1])
            written = f'"{named[0]}"{"".join(pairs)}'
            yield call.node, f"{called if is_same else example.function}({written})"


def _has_error(names: tuple[tuple[str, str], ...]) -> bool:
    return any(value == "err" for value, _ in names)


def _named(
    tree: Tree, call: Called, known: dict[str, str]
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return the message of a call without its values, and those with their names."""
    first, *values = call.given
    text = tree.of(first)[1:-1] if first.type == _STRING else ""
    found = list(_NAMED.finditer(text))
    if not found or len(found) != len(values) or text.count("%") != len(values):
        return None
    if any(one.end() != other.start() for one, other in zip(found, found[1:], strict=False)):
        return None
    codes = [tree.of(one) for one in values]
    pairs = zip(codes, found, strict=True)
    names = tuple((code, one[1] or known.get(code, "")) for code, one in pairs)
    if found[-1].end() != len(text) or not all(name for _, name in names):
        return None
    return text[: found[0].start()], names
