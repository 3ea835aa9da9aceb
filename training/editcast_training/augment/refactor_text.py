"""Refactorings of how something is written: strings, annotations, lines that are alike.

Each function returns what it changes, or nothing where it does not apply.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_training.augment.syntax_tree import (
    CONSTANTS,
    MOST_PLACES,
    PLAIN_VALUES,
    WORD_PART,
    Source,
    field,
    is_in_f_string,
    items,
    parameters_of,
    pick,
    repeated,
    wrapper_name,
)

_TYPES = ("str", "int", "bool", "float", "Any", "list[str]", "str | None", "int | None", "object")
_FORMATTED = re.compile(r"%[srd]|%%")


def format_strings(source: Source, rng: Random) -> list[Hunk]:
    """Replace `"%s" % a` and `"{}".format(a)` by f-strings, throughout the file."""
    out = []
    for node in source.all("binary_operator"):
        left, sign, right = (field(node, name) for name in ("left", "operator", "right"))
        if left is None or right is None or left.type != "string":
            continue
        if sign is None or source.of(sign) != "%":
            continue
        values = items(right) if right.type == "tuple" else [right]
        out += _f_string(source, node, source.of(left), _FORMATTED, values)
    for call in source.all("call"):
        callee = field(call, "function")
        owner = field(callee, "object")
        if owner is None or owner.type != "string" or not source.of(callee).endswith(".format"):  # type: ignore[arg-type]
            continue
        marks = re.compile(r"\{\}|\{\{|\}\}")
        out += _f_string(source, call, source.of(owner), marks, items(field(call, "arguments")))
    return out[:MOST_PLACES]


def _f_string(
    source: Source, node: Node, literal: str, marks: re.Pattern[str], values: list[Node]
) -> list[Hunk]:
    """Make the f-string in place of a node, if it is a simple one."""
    texts = [source.of(value) for value in values]
    found = [mark for mark in marks.findall(literal) if mark in ("%s", "%r", "%d", "{}")]
    simple = all(value.type in ("identifier", "attribute") for value in values)
    if literal[:1] not in "\"'" or len(found) != len(values) or not simple or not values:
        return []
    if len(found) != len(marks.findall(literal)) or (marks is _FORMATTED and "{" in literal):
        return []
    left = iter(texts)
    ends = {"%r": "!r}"}
    made = marks.sub(lambda mark: "{" + next(left) + ends.get(mark[0], "}"), literal)
    return [source.replace(node, "f" + made)]


def quotes(source: Source, rng: Random) -> list[Hunk]:
    """Swap the quotes of some neighbouring strings."""
    nodes = [
        node
        for node in source.all("string")
        if re.fullmatch(r"'[^'\"\\\n]*'|\"[^'\"\\\n]*\"", source.of(node))
        and not is_in_f_string(node)
    ]
    if len(nodes) < 2:
        return []
    quote = source.of(rng.choice(nodes))[0]
    alike = [node for node in nodes if source.of(node)[0] == quote]
    first = rng.randrange(len(alike))
    other = '"' if quote == "'" else "'"
    some = alike[first : first + rng.randint(2, 8)]
    return [source.replace(node, other + source.of(node)[1:-1] + other) for node in some]


def annotate(source: Source, rng: Random) -> list[Hunk]:
    """Annotate the same parameter of several functions, or their results."""
    functions = source.all("function_definition")
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for function in functions:
        for parameter in parameters_of(function):
            name = source.of(parameter)
            if parameter.type == "identifier" and name not in ("self", "cls"):
                groups[name].append(parameter)
    if rng.random() < 0.6:
        for _, nodes in pick(rng, repeated(groups)):
            name = rng.choice([*_TYPES, *sorted(w for w in source.words if w[:1].isupper())])
            return [source.behind(node, f": {name}") for node in nodes]
        return []
    bare = [one for one in functions if field(one, "return_type") is None]
    first = rng.randrange(len(bare)) if bare else 0
    returned = rng.choice(("None", "None", *_TYPES))
    some = [field(one, "parameters") for one in bare[first : first + rng.randint(2, 8)]]
    return [source.behind(one, f" -> {returned}") for one in some if one is not None]


def parallel_lines(source: Source, rng: Random) -> list[Hunk]:
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
            return []
        make = _line_change(source, rng, {node.type for node in some})
        return [source.replace(node, make(source.of(node))) for node in some] if make else []
    return []


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
