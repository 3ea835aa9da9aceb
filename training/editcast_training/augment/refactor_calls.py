"""Refactorings of calls: parameters with what is given for them, arguments, and wrapped values.

Each function yields what it changes, and nothing where it does not apply.
"""

from collections.abc import Iterator
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import field
from editcast_training.augment.syntax_tree import (
    CONSTANTS,
    MOST_PLACES,
    PLAIN_VALUES,
    Source,
    calls_of,
    fresh_name,
    is_in_f_string,
    items,
    parameter_name,
    parameters_of,
    pick,
    positional,
    repeated,
    repeated_calls,
    wrapper_name,
)


def add_parameter(source: Source, rng: Random) -> Iterator[Hunk]:
    """Add a parameter, and an argument for it to every call."""
    for function, parameters, calls in _with_calls(source, rng):
        name = fresh_name(source, rng, rng.choice(sorted(source.words)))
        value = rng.choice((name, *_constants(calls)))
        last = parameters[-1] if parameters else None
        if last is not None and parameter_name(source, last) is None:
            return
        needed = field(last, "value") is not None  # what follows a default has one
        default = f"={rng.choice(CONSTANTS)}" if needed or rng.random() < 0.5 else ""
        yield _appended(source, function, "parameters", f"{name}{default}")
        for call in calls:
            given = items(field(call, "arguments"))
            is_named = bool(given) and given[-1].type in ("keyword_argument", "dictionary_splat")
            text = f"{name}={value}" if is_named or default and rng.random() < 0.5 else value
            yield _appended(source, call, "arguments", text)


def _appended(source: Source, node: Node, name: str, text: str) -> Hunk:
    """Add an item to a list in parentheses, which is a child of the node."""
    inner = field(node, name)
    assert inner is not None
    given = items(inner)
    return source.behind(given[-1], f", {text}") if given else source.replace(inner, f"({text})")


def _constants(calls: list[Node]) -> tuple[str, ...]:
    """Return values that may stand in all of these calls: no quotes where one is in an f-string."""
    in_f_string = any(is_in_f_string(call) for call in calls)
    return tuple(one for one in CONSTANTS if not in_f_string or '"' not in one)


def remove_parameter(source: Source, rng: Random) -> Iterator[Hunk]:
    """Remove a parameter, and its arguments from the calls."""
    for function, parameters, calls in _with_calls(source, rng):
        for place in pick(rng, range(len(parameters))):
            name = parameter_name(source, parameters[place])
            every = parameters_of(function)
            at = every.index(parameters[place])
            is_last = at == len(every) - 1
            # `*` must not be the last
            if name is None or (is_last and every[at - 1].type == "keyword_separator"):
                return
            out = []
            for call in calls:
                given = items(field(call, "arguments"))
                named = [source.of(field(one, "name")) for one in given]
                hits = [index for index, one in enumerate(named) if one == name]
                if not hits and place < len(positional(call)):
                    hits = [place]
                out += [source.without(given, index) for index in hits[:1]]
            if out:
                yield source.without(every, at)
                yield from out


def reorder_parameters(source: Source, rng: Random) -> Iterator[Hunk]:
    """Swap two parameters, and their arguments."""
    for _, parameters, calls in _with_calls(source, rng):
        plain = [
            one
            for one in parameters
            if one.type in ("identifier", "typed_parameter") and parameter_name(source, one)
        ]
        if len(plain) < 2 or plain != parameters[: len(plain)]:
            return
        place = rng.randrange(len(plain) - 1)
        for nodes in (plain, *map(positional, calls)):
            if len(nodes) > place + 1:
                yield from _swapped(source, nodes, place)


def swap_arguments(source: Source, rng: Random) -> Iterator[Hunk]:
    """Swap two arguments of all the calls of one function."""
    for _, calls in pick(rng, repeated_calls(source)):
        given = [positional(call) for call in calls]
        if min(map(len, given)) >= 2:
            place = rng.randrange(min(map(len, given)) - 1)
            for nodes in given:
                yield from _swapped(source, nodes, place)


def add_argument(source: Source, rng: Random) -> Iterator[Hunk]:
    """Add a keyword argument to all the calls of one function."""
    for _, calls in pick(rng, repeated_calls(source)):
        name = rng.choice(sorted(source.words))
        text = f"{name}={rng.choice((name, *_constants(calls)))}"
        given = [one for call in calls if (one := items(field(call, "arguments")))]
        if len(given) > 1:
            yield from (source.behind(one[-1], f", {text}") for one in given)


def wrap(source: Source, rng: Random) -> Iterator[Hunk]:
    """Wrap an expression into a call, wherever it stands as a value."""
    values = []
    for node in source.all(*PLAIN_VALUES):
        parent = node.parent
        if parent is None or "\n" in source.of(node):
            continue
        is_value = parent.type in ("argument_list", "return_statement", "list", "tuple")
        is_value |= parent.type in ("assignment", "pair", "keyword_argument") and node in (
            field(parent, "right"),
            field(parent, "value"),
        )
        if is_value:
            values.append(node)
    for text, nodes in pick(rng, repeated(source, values)):
        name = wrapper_name(source, rng)
        yield from (source.replace(node, f"{name}({text})") for node in nodes)


def unwrap(source: Source, rng: Random) -> Iterator[Hunk]:
    """Replace the calls of one function by their only argument."""
    for _, calls in pick(rng, repeated_calls(source)):
        given = [items(field(call, "arguments")) for call in calls]
        if all(len(one) == 1 and one[0].type in PLAIN_VALUES for one in given):
            pairs = zip(calls, given, strict=True)
            yield from (source.replace(call, source.of(one[0])) for call, one in pairs)


def _with_calls(source: Source, rng: Random) -> Iterator[tuple[Node, list[Node], list[Node]]]:
    """Return a function that the file calls: it, its parameters but self, and the calls."""
    found = []
    for function in source.all("function_definition"):
        calls = calls_of(source, source.of(field(function, "name")))
        if 0 < len(calls) < MOST_PLACES:
            found.append((function, calls))
    for function, calls in pick(rng, found):
        parameters = parameters_of(function)
        if parameters and source.of(parameters[0]) in ("self", "cls"):
            del parameters[0]
        yield function, parameters, calls


def _swapped(source: Source, nodes: list[Node], place: int) -> Iterator[Hunk]:
    one, two = nodes[place], nodes[place + 1]
    yield source.replace(one, source.of(two))
    yield source.replace(two, source.of(one))
