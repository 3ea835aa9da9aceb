"""Calls that go in pairs: what one of them became, the other one becomes as well.

After `mu.Lock()` has become `mu.RLock()`, the `mu.Unlock()` behind it in the function is to be
`mu.RUnlock()`, and after `a.acquire()` has become `b.acquire()`, so does `a.release()`.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.calls import FUNCTION, call_of, called_by
from editcast_model.syntax.names import Names

#: The words of calls that go in pairs, the first one first in the code. Those of the first line say
#: enough alone, those of the second within longer names, such as `startGroup`.
_SURE = "lock:unlock acquire:release subscribe:unsubscribe register:unregister begin:end".split()
_WITHIN = "add:remove set:clear open:close start:end start:stop connect:disconnect".split()
_PAIRS = {(*one.split(":"),): one in _SURE for one in (*_SURE, *_WITHIN)}
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"\w+$")


def after_paired_call(change: Change) -> Iterator[Consequence]:
    """Return what a call needs to become since the one that it goes with was changed."""
    text = change.after.tree.text
    for hunk, start, end in change.finished():
        for step in change.after.tree.path_near(start):
            called = called_by(step.node)
            first = step.node.start_byte
            if called is not None and first <= start and end <= called.end_byte:
                old = change.before.tree.text[hunk.start : hunk.end]
                old = f"{text[first:start]}{old}{text[end : called.end_byte]}"
                for one in paired(change.after, step.node, old, text[first : called.end_byte]):
                    if not change.is_active(one.start, one.end):
                        yield Consequence(one, "rename_pair", is_first=True)


def splits_pair(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk changes one of two calls that go together, or makes it the other."""
    text = names.tree.text
    for step in names.tree.path_near(hunk.start):
        called, start = called_by(step.node), step.node.start_byte
        if called is not None and start <= hunk.start and hunk.end <= called.end_byte:
            old = text[start : called.end_byte]
            new = hunk.shifted(-start).apply(old)
            turned = {pair[::-1] for pair, _ in _opposites(old)}
            if any(paired(names, step.node, old, new)) or turned & dict(_opposites(new)).keys():
                return True
    return False


def paired(names: Names, call: Node, old: str, new: str) -> Iterator[Hunk]:
    """Yield the changes of the calls that go with one, before or after it was changed.

    `old` and `new` are what it called before and calls now, with the object.
    """
    for pair, other in _opposites(old):
        other_new = dict(_opposites(new)).get(pair)
        is_first, is_sure = pair in _PAIRS, _PAIRS.get(pair) or _PAIRS.get(pair[::-1])
        is_named_anew = _NAME.findall(old) != _NAME.findall(new)
        if other_new is None or not (is_sure or (is_named_anew and _is_long(old, new))):
            continue
        for node in names.tree.around(call):
            found = _calls(names, node, other) if FUNCTION.search(node.type) else []
            left = [one for one in _calls(names, node, old) if one != call.start_byte]
            if left:
                # Those on its side, up to the next call of what it was.
                found = [one for one in found if (one > call.start_byte) == is_first]
                found = [one for one in found if not _are_between(left, one, call.start_byte)]
            for start in found:
                yield shortest_hunk(other, other_new, start)
            if found:
                return


def _opposites(called: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what would go with a called function, each by its word and the other's."""
    name = _NAME.search(called)
    for found in _PART.finditer(called, name.start()) if name else ():
        word = found[0].lower()
        for pair in _PAIRS:
            if word in pair:
                other = pair[pair[0] == word]
                written = other.capitalize() if found[0][0].isupper() else other
                yield (word, other), called[: found.start()] + written + called[found.end() :]


def _is_long(*called: str) -> bool:
    """Tell whether functions have names of several words."""
    return all(len(_PART.findall(name)) > 1 for one in called for name in _NAME.findall(one))


def _calls(names: Names, node: Node, called: str) -> list[int]:
    """Return where something is called within a node, as it is written."""
    name = _NAME.findall(called)[0]
    within = (one for one in names.of(name) if node.start_byte <= one.start < node.end_byte)
    calls = ((call_of(names.tree, one), one.end) for one in within)
    found = ((call.node.start_byte, end) for call, end in calls if call is not None)
    return [start for start, end in found if names.tree.text[start:end] == called]


def _are_between(places: list[int], start: int, end: int) -> bool:
    return any(min(start, end) < place < max(start, end) for place in places)
