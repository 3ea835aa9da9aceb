"""Calls of standard libraries that take a means of cancelling: a token, a context, a signal.

Or in C the size of what they write into.

A function that has one passes it on to each of them, as linters of C#, Go and JavaScript ask for.
"""

import re
from collections.abc import Callable, Iterator

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import inserted
from editcast_model.consequences.parameters import size_given, with_argument
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Argument,
    Call,
    Function,
    call_of,
    function_around,
    function_node_around,
    functions_named,
)
from editcast_model.syntax.members import object_of
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field

_TOKEN, _SIGNAL = "CancellationToken", "AbortSignal"
#: Functions of Go, and their variants that take a context first.
_TWINS = {"http.NewRequest": "NewRequestWithContext", "exec.Command": "CommandContext"}
#: Methods of databases; the variants that take a context end with `Context`.
_QUERIES = frozenset({"Exec", "Query", "QueryRow", "Prepare"})
_EMPTY_CONTEXTS = ("context.Background()", "context.TODO()")


def is_means(parameter: Parameter) -> bool:
    """Tell whether a parameter is one that these calls take."""
    return parameter.type.strip("?: ") in _TAKERS


def taking(names: Names, function: Function, parameter: Parameter) -> Iterator[Consequence]:
    """Return the calls in a function's body that take a parameter of the function, with it."""
    body = function.node.child_by_field_name("body")
    if body is None or not is_means(parameter):
        return
    named, with_means = _TAKERS[parameter.type.strip("?: ")]
    for word in WORD.finditer(names.tree.text, body.start_byte, body.end_byte):
        called = names.at(word.start()) if named.fullmatch(word[0]) else None
        call = call_of(names.tree, called) if called is not None else None
        if call is not None and not call.spreads:
            hunk = with_means(names, call, parameter.name)
            if hunk is not None:
                yield Consequence(hunk, "pass_to_taker")


def signal_around(names: Names, call: Call, parameter: Parameter) -> str:
    """Return the signal of the only controller that is known at a call; empty for none."""
    if parameter.type.strip("?: ") != _SIGNAL:
        return ""
    makers = (one.path[-3].node for one in names.of("AbortController") if len(one.path) > 2)
    made = (names.of_node(named) for one in makers if (named := field(one, "name")) is not None)
    known = {
        one.name for one in made if one and names.home(one) == names.resolve(call.called, one.name)
    }
    return f"{known.pop()}.signal" if len(known) == 1 else ""


def hands_down_signal(names: Names, call: Call, parameter: Parameter) -> Function | None:
    """Return the function that returns a call as it is, so that it may take a signal as well."""
    if parameter.type.strip("?: ") != _SIGNAL or not names.tree.language.startswith("typescript"):
        return None
    caller = function_around(names, call.called.start)
    if caller is None or function_node_around(names.tree, call.node) != caller.node:
        return None
    are_plain = all(one.name and not one.is_rest for one in caller.parameters)
    above = next(
        (one for one in names.tree.around(call.node) if one.type != "await_expression"), None
    )
    is_returned = above is not None and above.type in ("return_statement", "arrow_function")
    known = {one.name for one in caller.parameters}
    return caller if are_plain and is_returned and parameter.name not in known else None


def takes(names: Names, function: Function, parameter: Parameter) -> bool:
    """Tell whether a call in a function's body takes such a parameter, and nothing instead of it.

    What begins with an empty context may go on after all that has one.
    """
    found = taking(names, function, parameter)
    hunks = (one.hunk for one in found)
    return any(hunk.start == hunk.end or hunk.text != parameter.name for hunk in hunks)


def _with_token(names: Names, call: Call, name: str) -> Hunk | None:
    """Return an asynchronous call of C# with a token."""
    text = names.tree.text
    given = (text[one.start : one.end] for one in call.arguments)
    is_awaited = call.node.parent is not None and call.node.parent.type == "await_expression"
    functions = functions_named(names, call.called)
    takes = all(any(one.type == _TOKEN for one in each.parameters) for each in functions)
    if not is_awaited or not takes or any("oken" in one for one in given):
        return None
    return with_argument(names, call, len(call.arguments), name)


def _with_signal(names: Names, call: Call, name: str) -> Hunk | None:
    """Return a request with a signal among its options."""
    text, given = names.tree.text, call.arguments
    written = name if name == "signal" else f"signal: {name}"
    if call.called.role is not Role.REFERENCE or names.resolve(call.called) is not None:
        return None
    if len(given) == 1:
        return with_argument(names, call, 1, f"{{ {written} }}")
    if len(given) != 2:
        return None
    options = call.node.named_descendant_for_byte_range(given[1].start, given[1].end)
    if options is None or options.type != "object":
        return None
    entries = [one for one in options.named_children if one.type != "comment"]
    keys = [WORD.match(text, one.start_byte, one.end_byte) for one in entries]
    if not entries or any(one is None or one[0] == "signal" for one in keys):
        return None
    listed = [Argument(one.start_byte, one.end_byte) for one in entries]
    span = options.start_byte + 1, options.end_byte - 1
    return inserted(text, span, listed, len(listed), written)


def _with_context(names: Names, call: Call, name: str) -> Hunk | None:
    """Return the call of the twin in Go that takes a context, or it instead of an empty one."""
    called = call.called
    if names.tree.of(call.node) in _EMPTY_CONTEXTS:
        return Hunk(call.node.start_byte, call.node.end_byte, name)
    package = names.tree.of(object_of(called.path[-2].node))
    twin = _TWINS.get(f"{package}.{called.name}")
    if called.name in _QUERIES and '"database/sql"' in names.tree.text and call.arguments:
        twin = called.name + "Context"
    if twin is None:
        return None
    is_wrapped = (
        bool(call.arguments) and "\n" in names.tree.text[called.end : call.arguments[0].start]
    )
    given = f"{name}," if is_wrapped else f"{name}, " if call.arguments else name
    return Hunk(called.start, call.start, f"{twin}({given}")


def _with_size(names: Names, call: Call, name: str) -> Hunk | None:
    """Return the call of C that writes a text into an array with the size of the array."""
    function, given = function_around(names, call.start), call.arguments
    listed = [one.name for one in function.parameters] if function is not None else []
    first = names.tree.text[given[0].start : given[0].end] if given else ""
    is_own = first in listed and listed[listed.index(first) + 1 :][:1] == [name]
    size = name if is_own else size_given(names, call, 1) if first else None
    if size is None:
        return None
    called = f"{call.called.name.replace('s', 'sn', 1)}({first}, {size}"
    return Hunk(call.called.start, given[0].end, called)


#: By the type of a means of cancelling, the names of functions that may take it, and their calls
#: with it.
_TAKERS: dict[str, tuple[re.Pattern[str], Callable[[Names, Call, str], Hunk | None]]] = {
    _TOKEN: (re.compile(r".*Async"), _with_token),
    "size_t": (re.compile("v?sprintf"), _with_size),
    _SIGNAL: (re.compile("fetch"), _with_signal),
    "context.Context": (
        re.compile("|".join(_QUERIES | {"Background", "TODO", "NewRequest", "Command"})),
        _with_context,
    ),
}
