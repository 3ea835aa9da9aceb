"""Options of command lines, as entries of lists: what gets the values of others gets a new one's.

They go on as arguments, `overwrite=args.overwrite`, and into a class or a function that may be in
another file.
"""

import re
from collections.abc import Iterator

from editcast_model.consequences.changes import Change
from editcast_model.consequences.lists.entries import AS_COLUMNS, LONGEST, OPTION, Entry
from editcast_model.consequences.lists.word_forms import forms, in_camel_case, parts_of
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.tree import field

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
    near = sorted((abs(at - other), other) for other in range(len(group)) if other != at)
    alike = tuple(listed[other] for _, other in near if shapes[other] == shapes[at])
    before = listed[at - 1]
    further, after = listed[at - 2] if at > 1 else "", "".join(listed[at + 1 : at + 2])
    path = names.tree.path(group[at].start("on"))
    decorated = next((step.node for step in path if step.type == "decorated_definition"), None)
    return Entry(
        listed[at],
        before,
        further,
        after,
        (*listed[:at], *listed[at + 1 :]),
        group[at][0],
        group[at - 1][0],
        is_like,
        next(iter(alike), ""),
        _taker(names, before),
        (decorated.start_byte, decorated.end_byte) if decorated else (0, 0),
        kind=OPTION,
        all_alike=alike,
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
