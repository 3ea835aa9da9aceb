"""Refactorings of calls: parameters with what is given for them, arguments, and wrapped values.

Each function returns what it changes, or nothing where it does not apply.
"""

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_training.augment.syntax_tree import (
    CONSTANTS,
    MOST_PLACES,
    PLAIN_VALUES,
    Source,
    by_callee,
    calls_of,
    field,
    fresh_name,
    is_in_f_string,
    items,
    parameter_name,
    parameters_of,
    pick,
    positional,
    repeated,
    wrapper_name,
)


def add_parameter(source: Source, rng: Random) -> list[Hunk]:
    """Add a parameter, and an argument for it to every call."""
    for function, parameters, calls in _with_calls(source, rng):
        name = fresh_name(source, rng, rng.choice(sorted(source.words)))
        value = rng.choice((name, *_constants(calls)))
        if parameters and parameter_name(source, parameters[-1]) is None:
            return []
        last = parameters[-1] if parameters else None
        needed = field(last, "value") is not None  # what follows a default has one
        default = f"={rng.choice(CONSTANTS)}" if needed or rng.random() < 0.5 else ""
        inner = field(function, "parameters")
        assert inner is not None
        if last is not None:
            out = [source.behind(last, f", {name}{default}")]
        else:
            first = items(inner)
            out = [
                source.behind(first[0], f", {name}{default}")
                if first
                else source.replace(inner, f"({name}{default})")
            ]
        for call in calls:
            given = items(field(call, "arguments"))
            is_named = bool(given) and given[-1].type in ("keyword_argument", "dictionary_splat")
            text = f"{name}={value}" if is_named or default and rng.random() < 0.5 else value
            arguments = field(call, "arguments")
            assert arguments is not None
            if given:
                out.append(source.behind(given[-1], f", {text}"))
            else:
                out.append(source.replace(arguments, f"({text})"))
        return out
    return []


def _constants(calls: list[Node]) -> tuple[str, ...]:
    """Return values that may stand in all of these calls: no quotes where one is in an f-string."""
    in_f_string = any(is_in_f_string(call) for call in calls)
    return tuple(one for one in CONSTANTS if not in_f_string or '"' not in one)


def remove_parameter(source: Source, rng: Random) -> list[Hunk]:
    """Remove a parameter, and its arguments from the calls."""
    for function, parameters, calls in _with_calls(source, rng):
        for place in pick(rng, range(len(parameters))):
            name = parameter_name(source, parameters[place])
            if name is None:
                return []
            every = parameters_of(function)
            at = every.index(parameters[place])
            if at == len(every) - 1 and every[at - 1].type == "keyword_separator":
                continue  # `*` must not be the last
            out = [source.without(every, at)]
            for call in calls:
                given = items(field(call, "arguments"))
                named = [field(one, "name") for one in given]
                hits = [
                    index
                    for index, one in enumerate(named)
                    if one is not None and source.of(one) == name
                ]
                if not hits and place < len(positional(call)):
                    hits = [place]
                out += [source.without(given, index) for index in hits[:1]]
            return out if len(out) > 1 else []
    return []


def reorder_parameters(source: Source, rng: Random) -> list[Hunk]:
    """Swap two parameters, and their arguments."""
    for _, parameters, calls in _with_calls(source, rng):
        plain = [one for one in parameters if one.type in ("identifier", "typed_parameter")]
        if len(plain) < 2 or plain != parameters[: len(plain)]:
            return []
        place = rng.randrange(len(plain) - 1)
        out = _swapped(source, plain, place)
        for call in calls:
            given = positional(call)
            if len(given) > place + 1:
                out += _swapped(source, given, place)
        return out
    return []


def swap_arguments(source: Source, rng: Random) -> list[Hunk]:
    """Swap two arguments of all the calls of one function."""
    for _, calls in pick(rng, repeated(by_callee(source))):
        given = [positional(call) for call in calls]
        if min(map(len, given)) >= 2:
            place = rng.randrange(min(map(len, given)) - 1)
            return [hunk for nodes in given for hunk in _swapped(source, nodes, place)]
    return []


def add_argument(source: Source, rng: Random) -> list[Hunk]:
    """Add a keyword argument to all the calls of one function."""
    for _, calls in pick(rng, repeated(by_callee(source))):
        name = rng.choice(sorted(source.words))
        text = f"{name}={rng.choice((name, *_constants(calls)))}"
        out = []
        for call in calls:
            given = items(field(call, "arguments"))
            if given:
                out.append(source.behind(given[-1], f", {text}"))
        return out if len(out) > 1 else []
    return []


def wrap(source: Source, rng: Random) -> list[Hunk]:
    """Wrap an expression into a call, wherever it stands as a value."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
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
            groups[source.of(node)].append(node)
    for text, nodes in pick(rng, repeated(groups)):
        name = wrapper_name(source, rng)
        return [source.replace(node, f"{name}({text})") for node in nodes]
    return []


def unwrap(source: Source, rng: Random) -> list[Hunk]:
    """Replace the calls of one function by their only argument."""
    for _, calls in pick(rng, repeated(by_callee(source))):
        given = [items(field(call, "arguments")) for call in calls]
        if all(len(one) == 1 and one[0].type in PLAIN_VALUES for one in given):
            pairs = zip(calls, given, strict=True)
            return [source.replace(call, source.of(one[0])) for call, one in pairs]
    return []


def _with_calls(source: Source, rng: Random) -> Iterator[tuple[Node, list[Node], list[Node]]]:
    """Return a function that the file calls: it, its parameters but self, and the calls."""
    found = []
    for function in source.all("function_definition"):
        own = field(function, "name")
        calls = calls_of(source, source.of(own)) if own is not None else []
        if 0 < len(calls) < MOST_PLACES:
            found.append((function, calls))
    for function, calls in pick(rng, found):
        parameters = parameters_of(function)
        if parameters and source.of(parameters[0]) in ("self", "cls"):
            del parameters[0]
        yield function, parameters, calls


def _swapped(source: Source, nodes: list[Node], place: int) -> list[Hunk]:
    one, two = nodes[place], nodes[place + 1]
    return [source.replace(one, source.of(two)), source.replace(two, source.of(one))]
