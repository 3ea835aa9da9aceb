"""Options of command lines, as entries of lists: what gets the values of others gets a new one's.

They go on as arguments, `overwrite=args.overwrite`, as parameters below the decorators that say
them, and into a class or a function that may be in another file.
"""

import re
from collections.abc import Iterator

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import AS_COLUMNS, LONGEST, OPTION, Entry, among
from editcast_model.consequences.lists.word_forms import forms, in_camel_case, parts_of
from editcast_model.consequences.parameters import with_parameter
from editcast_model.syntax.calls import function_of
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.tree import around, field
from editcast_model.syntax.types import type_of_option

_OPTION = re.compile(
    r"(?<![\w$.])(?P<on>[\w$.]*)\b(?:add_argument|add_option|addArgument|addOption|[oO]ption"
    r"|[fF]lags?(?:\(\))?\.\w+)\(\s*(?:new\s+Option\(\s*)?(?:&(?P<to>[\w.]+),\s*)?"
    r"(?:[\"']-\w[\"'],\s*)?[\"'](?:-\w,?\s+)?(?:--)?(?P<name>[a-zA-Z][\w-]*).*",
)
_QUOTED = re.compile(r"([\"'`]).*?\1")
#: Options on both sides are of different functions.
_FUNCTION = re.compile(r"^\s*(?:export\s+)?(?:async\s+)?(?:def|func|function)\b", re.MULTILINE)
_GIVEN = re.compile(r"\s*[:=](?!=)")
_MADE = re.compile("call|composite_literal|creation|new_expression|struct_expression")
_REACH = 4000  # characters around an option in which its neighbours are looked for


def added_options(change: Change) -> Iterator[Entry]:
    """Return the options that a change added behind others, as entries."""
    names, text = change.after, change.after.tree.text
    for hunk, start, end in change.finished():
        if end - start > LONGEST or change.before.tree.text[hunk.start : hunk.end].strip():
            continue
        for new in _OPTION.finditer(text, max(0, start - LONGEST, text.rfind("\n", 0, start)), end):
            group = _group(text, new)
            at = next((at for at, one in enumerate(group) if one.start() == new.start()), 0)
            known = [one["name"] for one in group if one.start() != new.start()]
            is_new = start <= new.start("name") and new["name"] not in known
            stored = parts_of((new["to"] or new["name"]).rpartition(".")[2])
            is_new &= "dest=" not in new[0] and stored == parts_of(new["name"])
            if at and is_new:
                yield _entry(names, group, at)


def after_option(change: Change) -> Iterator[Consequence]:
    """Return the parameter that a function of Click lacks below a new option."""
    names, text = change.after, change.after.tree.text
    for _, start, end in change.finished() if names.tree.language == "python" else ():
        for new in _OPTION.finditer(text, text.rfind("\n", 0, start) + 1, end):
            path = names.tree.path(new.start("on"))
            at = around(path, "decorated_definition")
            node = field(path[at].node, "definition") if at is not None else None
            called = field(node, "name")
            defined = names.of_node(called) if called is not None else None
            function = function_of(names, defined) if defined else None
            name = "_".join(parts_of(new["name"]))
            if function is None or "click." not in new["on"]:
                continue
            if any(one.is_rest or one.name == name for one in function.parameters):
                continue
            are_typed = all(one.type for one in function.parameters)
            kind = type_of_option(text, name) if are_typed else ""
            if kind or not are_typed:
                declared = f"{name}: {kind}" if kind else name
                hunk = with_parameter(text, function, len(function.parameters), declared)
                yield Consequence(hunk, "add_parameter", is_first=True)


def _group(text: str, new: re.Match[str]) -> list[re.Match[str]]:
    """Return the options of one command."""
    group = list[re.Match[str]]()
    low, high = max(0, new.start() - _REACH), new.end() + _REACH
    for one in _OPTION.finditer(text, low, high):
        is_apart = group and _FUNCTION.search(text, group[-1].end(), one.start())
        if is_apart and one.start() > new.start():
            break
        if one["on"] == new["on"]:
            group = [] if is_apart else group
            group.append(one)
    return group


def _entry(names: Names, group: list[re.Match[str]], at: int) -> Entry:
    is_snake = names.tree.language in AS_COLUMNS
    listed = [
        "_".join(parts_of(one["name"])) if is_snake else in_camel_case(one["name"]) for one in group
    ]
    shapes = [_QUOTED.sub("", one[0]) for one in group]
    is_like = shapes[at - 1] == shapes[at], shapes[at] in shapes[at + 1 : at + 2]
    near = sorted(range(len(group)), key=lambda other: abs(other - at))[1:]
    path = names.tree.path(group[at].start("on"))
    decorated = next((step.node for step in path if step.type == "decorated_definition"), None)
    return Entry(
        *among(listed, at),
        group[at][0],
        group[at - 1][0],
        is_like,
        _taker(names, listed[at - 1]),
        (decorated.start_byte, decorated.end_byte) if decorated else (0, 0),
        kind=OPTION,
        all_alike=tuple(listed[other] for other in near if shapes[other] == shapes[at]),
    )


def _taker(names: Names, option: str) -> str:
    """Return the name of what is made or called with the value of an option; empty for nothing."""
    text = names.tree.text
    for found in forms(option).finditer(text):
        if _GIVEN.match(text, found.end()):
            for node in names.tree.around(names.tree.path(found.start())[-1].node):
                if _MADE.search(node.type):
                    called = field(node, "function", "constructor", "type", "name")
                    return "".join(WORD.findall(names.tree.of(called))[-1:])
    return ""
