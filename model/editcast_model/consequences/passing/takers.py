"""Calls of standard libraries that take a means of cancelling: a token, a context, a signal.

A function that has one passes it on to each of them, as linters of C#, Go and JavaScript ask for.
"""

from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import inserted
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Argument, Call, Function, call_of, functions_named
from editcast_model.syntax.members import object_of
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role

_TOKEN, _CONTEXT, _SIGNAL = "CancellationToken", "context.Context", "AbortSignal"
_ENDING = "Async"
#: By package, functions of Go and their variants that take a context first.
_TWINS = {
    "http": {"NewRequest": "NewRequestWithContext"},
    "exec": {"Command": "CommandContext"},
}
#: Methods of databases; the variants that take a context end with `Context`.
_QUERIES = frozenset({"Exec", "Query", "QueryRow", "Prepare"})
_EMPTY_CONTEXTS = frozenset({"Background", "TODO"})


def is_means(parameter: Parameter) -> bool:
    """Tell whether a parameter is one that these calls take."""
    return parameter.type.strip("?: ") in (_TOKEN, _CONTEXT, _SIGNAL)


def taking(names: Names, function: Function, parameter: Parameter) -> Iterator[Consequence]:
    """Return the calls in a function's body that take a parameter of the function, with it."""
    body = function.node.child_by_field_name("body")
    kind = parameter.type.strip("?: ")
    if body is None or not is_means(parameter):
        return
    for word in WORD.finditer(names.tree.text, body.start_byte, body.end_byte):
        if not _is_taker(word[0], kind):
            continue
        called = names.at(word.start())
        call = call_of(names.tree, called) if called is not None else None
        if call is None or call.spreads:
            continue
        if kind == _TOKEN:
            yield from _with_token(names, call, parameter.name)
        elif kind == _SIGNAL:
            yield from _with_signal(names, call, parameter.name)
        else:
            yield from _with_context(names, call, parameter.name)


def takes(names: Names, function: Function, parameter: Parameter) -> bool:
    """Tell whether a call in a function's body takes such a parameter, and nothing instead of it.

    What begins with an empty context may go on after all that has one.
    """
    found = taking(names, function, parameter)
    hunks = (one.hunk for one in found)
    return any(hunk.start == hunk.end or hunk.text != parameter.name for hunk in hunks)


def _is_taker(word: str, kind: str) -> bool:
    """Tell whether a function of a name may take a means of cancelling."""
    if kind == _TOKEN:
        return word.endswith(_ENDING)
    if kind == _SIGNAL:
        return word == "fetch"
    return word in _QUERIES | _EMPTY_CONTEXTS or any(word in one for one in _TWINS.values())


def _with_token(names: Names, call: Call, name: str) -> Iterator[Consequence]:
    """Return an asynchronous call of C# with a token."""
    text = names.tree.text
    given = (text[one.start : one.end] for one in call.arguments)
    is_awaited = call.node.parent is not None and call.node.parent.type == "await_expression"
    functions = functions_named(names, call.called)
    takes = all(any(one.type == _TOKEN for one in each.parameters) for each in functions)
    if is_awaited and takes and not any("oken" in one for one in given):
        span = call.start, call.end
        yield _added(inserted(text, span, call.arguments, len(call.arguments), name))


def _with_signal(names: Names, call: Call, name: str) -> Iterator[Consequence]:
    """Return a request with a signal among its options."""
    text, given = names.tree.text, call.arguments
    written = name if name == "signal" else f"signal: {name}"
    if call.called.role is not Role.REFERENCE or names.resolve(call.called) is not None:
        return
    if len(given) == 1:
        yield _added(inserted(text, (call.start, call.end), given, 1, f"{{ {written} }}"))
    options = _argument(call, 1) if len(given) == 2 else None
    if options is None or options.type != "object":
        return
    entries = [one for one in options.named_children if one.type != "comment"]
    if not any(WORD.match(text, one.start_byte, one.end_byte) is None for one in entries):
        keys = [WORD.match(text, one.start_byte) for one in entries]
        if entries and "signal" not in {one[0] for one in keys if one}:
            listed = [Argument(one.start_byte, one.end_byte) for one in entries]
            span = options.start_byte + 1, options.end_byte - 1
            yield _added(inserted(text, span, listed, len(listed), written))


def _with_context(names: Names, call: Call, name: str) -> Iterator[Consequence]:
    """Return the call of the twin in Go that takes a context, or it instead of an empty one."""
    text, called = names.tree.text, call.called
    package = names.tree.of(object_of(called.path[-2].node))
    if called.name in _EMPTY_CONTEXTS:
        if package == "context" and not call.arguments:
            yield _added(Hunk(call.node.start_byte, call.node.end_byte, name))
        return
    twin = _TWINS.get(package, {}).get(called.name)
    if twin is None and called.name in _QUERIES and '"database/sql"' in text and call.arguments:
        twin = called.name + "Context"
    if twin is not None:
        given = f"{name}, " if call.arguments else name
        yield _added(Hunk(called.start, call.start, f"{twin}({given}"))


def _argument(call: Call, index: int) -> Node | None:
    """Return the node of an argument."""
    one = call.arguments[index]
    return call.node.named_descendant_for_byte_range(one.start, one.end)


def _added(hunk: Hunk) -> Consequence:
    return Consequence(hunk, "pass_to_taker")
