"""Clients of Python whose methods are coroutines since a change: `AsyncClient` for `Client`.

Their calls are waited for, the files that use such a class of the project make the new client, and
what opens it is `async with`. So it is with `Redis` of `redis.asyncio`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.coroutines import (
    awaited,
    coroutine_around,
    made_async,
    new_coroutines,
)
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, call_of, is_async
from editcast_model.syntax.members import owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field

#: Methods of clients and sessions that are coroutines in their asynchronous twins.
_AWAITED: Final = """get post put patch delete head options request send execute scalar scalars
    commit rollback flush refresh merge""".split()
_CLIENT: Final = re.compile(r"(?:\w+\.)*Async\w+@")
#: Methods that are no coroutines in either.
_PLAIN: Final = re.compile(r"from_|pipeline|pubsub|lock|register_|close")
_IMPORT: Final = re.compile(r"^from (\w+)((?:\.asyncio)?) import \(?([\w, ]+)", re.MULTILINE)


class Twin(NamedTuple):
    """A class whose asynchronous twin has taken its place: `httpx.Client`, `httpx.AsyncClient`."""

    old: str
    new: str

    @property
    def word(self) -> str:
        """Return the word that a file has which uses the class."""
        return self.old.rpartition(".")[2]


def after_async_class(change: Change) -> Iterator[Consequence]:
    """Return what is to be awaited of objects of `AsyncClient` that were of `Client` before."""
    names, tree = change.after, change.after.tree
    if tree.language != "python":
        return
    for function in new_coroutines(change):
        within = names.between(function.node.start_byte, function.node.end_byte)
        for one in within:
            if one.name in _AWAITED and _CLIENT.match(_owner(names, one)):
                yield from _awaited(names, one)
    whole = set(_whole(change))
    owners = {f"{tree.of(one)}@" for one in whole}
    for one in (each for name in (*_AWAITED, "close") for each in names.of(name)) if whole else ():
        if _owner(names, one) in owners:
            yield from _awaited(names, one)
    for node in whole:
        opened = _opened(tree, node)
        if opened is not None:
            at = opened.start_byte
            yield from made_async(names, opened, is_first=False)
            yield Consequence(Hunk(at, at, "async "), "await_call", is_first=True)
    modules = {f"{one}@" for one in _of_other_modules(change)}
    for one in names.between(0, len(tree.text)) if modules else ():
        if not _PLAIN.match(one.name) and _owner(names, one) in modules:
            yield from _awaited(names, one)


def new_async_classes(change: Change) -> Iterator[Twin]:
    """Yield the classes that gave way to their asynchronous twins."""
    tree = change.after.tree
    for node in _whole(change) if tree.language == "python" else ():
        new = tree.of(node)
        yield Twin("".join(new.rsplit("Async", 1)), new)


def made_twins(names: Names, twin: Twin) -> Iterator[Consequence]:
    """Return where a file that uses the changed one makes objects of the old class."""
    tree = names.tree
    for one in names.of(twin.old.rpartition(".")[2]) if tree.language == "python" else ():
        node = one.path[-2 if one.role is Role.MEMBER else -1].node
        call = node.parent
        if tree.of(node) != twin.old or call is None or field(call, "function") != node:
            continue
        opened = _opened(tree, node)
        start = node.start_byte if opened is None else opened.start_byte
        written = "" if opened is None else "async "
        if opened is not None:
            yield from made_async(names, opened, is_first=True)
        written += tree.text[start : node.start_byte] + twin.new
        hunk = Hunk(start, node.end_byte, written)
        yield Consequence(hunk, "migrate", cause=f"{twin.old} {twin.new}")


def _whole(change: Change) -> Iterator[Node]:
    """Yield the names of asynchronous classes that replaced their twins, with their modules."""
    for one in change.renamed:
        if one.after.name == f"Async{one.before.name}":
            yield one.after.path[-2 if one.after.role is Role.MEMBER else -1].node


def _of_other_modules(change: Change) -> set[str]:
    """Return the names that are imported from the asynchronous twin of a module since a change."""
    was, now = (
        {
            (module, name.strip(), bool(twin))
            for module, twin, names in _IMPORT.findall(one.tree.text)
            for name in names.split(",")
        }
        for one in (change.before, change.after)
    )
    return {name for module, name, twin in now - was if twin and (module, name, False) in was}


def _owner(names: Names, one: Occurrence) -> str:
    """Return the class of the object whose method a name is; empty if unknown."""
    return owner(names, one) or "" if one.role is Role.MEMBER else ""


def _awaited(names: Names, one: Occurrence) -> Iterator[Consequence]:
    call = call_of(names.tree, one)
    if call is not None:
        yield from awaited(names, call) if one.name != "close" else _closed(names, call)


def _opened(tree: Tree, node: Node) -> Node | None:
    """Return the `with` that opens what a class makes, and nothing else; None for others."""
    around = (one for one in tree.around(node) if one.type in ("with_clause", "block"))
    clause = next(around, None)
    opened = clause.parent if clause is not None and clause.named_child_count == 1 else None
    is_plain = opened is not None and opened.type == "with_statement" and not is_async(opened)
    return opened if is_plain else None


def _closed(names: Names, call: Call) -> Iterator[Consequence]:
    """Return the end of a client of httpx, which an asynchronous one calls otherwise."""
    if "httpx" not in names.tree.text or coroutine_around(names, call.node) is None:
        return
    yield from made_async(names, call.node, is_first=False)
    start, called = call.node.start_byte, call.called
    hunk = Hunk(start, called.end, f"await {names.tree.text[start : called.start]}aclose")
    yield Consequence(hunk, "await_call")
