"""Refactorings of how something is written: strings, annotations, lines that are alike.

Each function yields what it changes, and nothing where it does not apply.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import field
from editcast_training.augment.syntax_tree import (
    CONSTANTS,
    MOST_PLACES,
    PLAIN_VALUES,
    WORD_PART,
    Source,
    is_in_f_string,
    items,
    parameters_of,
    pick,
    repeated,
    wrapper_name,
)

_TYPES = ("str", "int", "bool", "float", "Any", "list[str]", "str | None", "int | None", "object")
_FORMATTED = re.compile(r"%[srd]|%%")


def format_strings(source: Source, rng: Random) -> Iterator[Hunk]:
    """Replace `"%s" % a` and `"{}".format(a)` by f-strings, throughout the file."""
    yield from islice(_formatted(source), MOST_PLACES)


def _formatted(source: Source) -> Iterator[Hunk]:
    for node in source.all("binary_operator"):
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None or left.type != "string":
            continue
        if source.of(field(node, "operator")) != "%":
            continue
        values = items(right) if right.type == "tuple" else [right]
        yield from _f_string(source, node, source.of(left), _FORMATTED, values)
    for call in source.all("call"):
        callee = field(call, "function")
        owner = field(callee, "object")
        if owner is None or owner.type != "string" or not source.of(callee).endswith(".format"):
            continue
        marks = re.compile(r"\{\}|\{\{|\}\}")
        given = items(field(call, "arguments"))
        yield from _f_string(source, call, source.of(owner), marks, given)


def _f_string(
    source: Source, node: Node, literal: str, marks: re.Pattern[str], values: list[Node]
) -> Iterator[Hunk]:
    """Make the f-string in place of a node, if it is a simple one."""
    found = marks.findall(literal)
    is_plain = len(found) == len(values) and not {"%%", "{{", "}}"}.intersection(found)
    simple = all(value.type in ("identifier", "attribute") for value in values)
    if literal[:1] not in "\"'" or not is_plain or not simple or not values:
        return
    if marks is not _FORMATTED or "{" not in literal:
        left = map(source.of, values)
        ends = {"%r": "!r}"}
        made = marks.sub(lambda mark: "{" + next(left) + ends.get(mark[0], "}"), literal)
        yield source.replace(node, "f" + made)


def quotes(source: Source, rng: Random) -> Iterator[Hunk]:
    """Swap the quotes of some neighbouring strings."""
    nodes = [
        node
        for node in source.all("string")
        if re.fullmatch(r"'[^'\"\\\n]*'|\"[^'\"\\\n]*\"", source.of(node))
        and not is_in_f_string(node)
    ]
    if len(nodes) < 2:
        return
    quote = source.of(rng.choice(nodes))[0]
    alike = [node for node in nodes if source.of(node)[0] == quote]
    first = rng.randrange(len(alike))
    other = '"' if quote == "'" else "'"
    for node in alike[first : first + rng.randint(2, 8)]:
        yield source.replace(node, other + source.of(node)[1:-1] + other)


def annotate(source: Source, rng: Random) -> Iterator[Hunk]:
    """Annotate the same parameter of several functions, or their results."""
    functions = source.all("function_definition")
    if rng.random() < 0.6:
        every = (one for function in functions for one in parameters_of(function))
        bare = [one for one in every if one.type == "identifier"]
        others = [one for one in bare if source.of(one) not in ("self", "cls")]
        for _, nodes in pick(rng, repeated(source, others)):
            name = rng.choice([*_TYPES, *sorted(w for w in source.words if w[:1].isupper())])
            yield from (source.behind(node, f": {name}") for node in nodes)
        return
    untyped = [one for one in functions if field(one, "return_type") is None]
    first = rng.randrange(len(untyped)) if untyped else 0
    returned = rng.choice(("None", "None", *_TYPES))
    for one in untyped[first : first + rng.randint(2, 8)]:
        if (parameters := field(one, "parameters")) is not None:
            yield source.behind(parameters, f" -> {returned}")


def parallel_lines(source: Source, rng: Random) -> Iterator[Hunk]:
    """Change the lines of a list, a dictionary, a call or a block alike."""
    runs: list[list[Node]] = []
    for node in source.all("list", "tuple", "set", "dictionary", "argument_list", "block"):
        kinds: defaultdict[str, list[Node]] = defaultdict(list)
        for child in items(node):
            kinds[child.type].append(_value_of(child))
        for same in kinds.values():
            rows = {one.start_point.row for one in same}
            if 3 <= len(same) == len(rows):
                runs.append(same)
    for run in pick(rng, runs):
        first = rng.randrange(max(1, len(run) - 2))
        some = run[first : first + rng.randint(3, 10)]
        if any("\n" in source.of(node) for node in some):
            return
        make = _line_change(source, rng, {node.type for node in some})
        if make is not None:
            yield from (source.replace(node, make(source.of(node))) for node in some)


def _value_of(node: Node) -> Node:
    """Return the part of an item that changes: a pair's value, an assignment's right side."""
    if node.type == "expression_statement" and node.named_child_count == 1:
        node = node.named_children[0]
    return field(node, "value") or field(node, "right") or node


def _line_change(source: Source, rng: Random, kinds: set[str]) -> Callable[[str], str] | None:
    wrapper, value = wrapper_name(source, rng), rng.choice(CONSTANTS)
    name = rng.choice(sorted(source.words))
    if kinds == {"string"} and rng.random() < 0.6:
        word = rng.choice(WORD_PART.findall(name) or ["new"]).lower()
        if rng.random() < 0.5:
            return lambda text: text[:1] + word + "_" + text[1:] if text[:1] in "\"'" else text
        return lambda text: text[:-1] + "_" + word + text[-1:]
    if kinds == {"call"} and rng.random() < 0.6:
        return lambda text: f"{text[:-1]}, {name}={value})" if text[-2:-1] != "(" else text
    if kinds == {"tuple"} and rng.random() < 0.8:
        return lambda text: f"{text[:-1]}, {value})" if text.startswith("(") else text
    if kinds <= {*PLAIN_VALUES, "integer", "float", "none", "true", "false"}:
        if rng.random() < 0.2:
            return lambda text: f"({text}, {value})"
        return lambda text: f"{wrapper}({text})"
    return None
