"""New options of a command line of Python: commands take them, and hand them on.

After `@click.option("--dry-run", is_flag=True)` the command gets a `dry_run: bool`, and a call
with `verbose=verbose` gets `dry_run=dry_run`; after `parser.add_argument("--dry-run")` a call with
`args.root` and `args.keep` gets `dry_run=args.dry_run`.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import inserted
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Argument
from editcast_model.syntax.tree import Tree, field, nodes_in

_OPTION: Final = re.compile(r"\b(?:option|add_argument)\((?:\s*[\"']-\w[\"'],)?\s*[\"']--([\w-]+)")
_ANY: Final = re.compile(r"\badd_argument\((?:\s*[\"']-\w[\"'],)?\s*[\"'](?:--)?([\w-]+)")
_FLAG: Final = re.compile(r"is_flag=True|action=[\"']store_(?:true|false)[\"']")
_GIVEN: Final = re.compile(r"(?:(\w+)=)?(?:not )?(?:(\w+)\.)?(\w+)")
#: The types of options, by what is said of them.
_TYPES: Final = (
    (_FLAG, "bool"),
    (re.compile(r"path_type=(?:pathlib\.)?Path|type=(?:pathlib\.)?Path\b"), "Path"),
    (re.compile(r"type=int\b|default=-?\d+\b(?!\.)|type=click\.IntRange"), "int"),
    (re.compile(r"type=float\b|default=-?\d+\.\d"), "float"),
    (re.compile(r"multiple=True|nargs="), ""),
)
#: The fewest of a command's options that a call takes which takes all of them.
_FEWEST: Final = 2


def after_option(change: Change) -> Iterator[Consequence]:
    """Return the parameters for options that a change wrote, and the arguments of calls."""
    tree = change.after.tree
    if tree.language != "python":
        return
    for _, start, end in change.finished():
        for found in _OPTION.finditer(tree.text, start, end + 1) if end > start else ():
            name = found[1].replace("-", "_")
            cause, node = f"option {name}", _statement(tree, found.start())
            is_known = re.search(rf"[\"']--{found[1]}[\"']", change.before.tree.text) is not None
            if node is None or (is_known and node.type != "decorator"):
                continue
            if node.type != "decorator":
                yield from _handed_on(tree, tree.root, name, tree.of(node), cause)
                continue
            function = field(node.parent, "definition")
            if function is not None and function.type == "function_definition":
                yield from _taken(tree, function, name, tree.of(node), cause)


def _statement(tree: Tree, at: int) -> Node | None:
    """Return the decorator or the call that an option is written by."""
    steps = [step.node for step in reversed(tree.path(at))]
    return next((one for kind in ("decorator", "call") for one in steps if one.type == kind), None)


def _taken(tree: Tree, function: Node, name: str, option: str, cause: str) -> Iterator[Consequence]:
    """Return the parameter that a command lacks, and what it hands on."""
    listed = field(function, "parameters")
    if listed is None:
        return
    if name in {_name(tree, one) for one in listed.named_children}:
        yield from _handed_on(tree, function, name, option, cause)
        return
    is_typed = any("type" in one.type for one in listed.named_children)
    kind = next((kind for said, kind in _TYPES if said.search(option)), "str")
    if is_typed and not kind:
        return
    every = [Argument(one.start_byte, one.end_byte) for one in listed.named_children]
    span = listed.start_byte + 1, listed.end_byte - 1
    written = f"{name}: {kind}" if is_typed else name
    hunk = inserted(tree.text, span, every, len(every), written)
    yield Consequence(hunk, "add_parameter", is_first=True, cause=cause)


def _name(tree: Tree, parameter: Node) -> str:
    return re.split(r"[:=\s]", tree.of(parameter))[0]


def _handed_on(
    tree: Tree, within: Node, name: str, option: str, cause: str
) -> Iterator[Consequence]:
    """Return the calls that take other options, and lack a new one."""
    is_command = within.type == "function_definition"
    if is_command:
        listed = field(within, "parameters")
        others = {_name(tree, one) for one in (listed.named_children if listed else ())}
    else:
        others = {one.replace("-", "_") for one in _ANY.findall(tree.text)}
    others.discard(name)
    body = field(within, "body") or within
    calls = [(one, given) for one, given in _calls(tree, body, others, is_command=is_command)]
    keyed = [(one, given) for one, given in calls if any(each[1] == each[3] for each in given)]
    is_used = rf"\b{name}\b" if is_command else rf"\w\.{name}\b"
    if not keyed and re.search(is_used, tree.of(body)):
        return
    for node, given in keyed or calls:
        listed = field(node, "arguments")
        if listed is None or re.search(rf"\b{name}\b", tree.of(listed)):
            continue
        value = name if is_command else f"{given[-1][2]}.{name}"
        is_keyed = bool(keyed) or _is_keyed(tree, node, name, option)
        every = [Argument(one.start_byte, one.end_byte) for one in listed.named_children]
        span = listed.start_byte + 1, listed.end_byte - 1
        written = f"{name}={value}" if is_keyed else value
        hunk: Hunk = inserted(tree.text, span, every, len(every), written)
        yield Consequence(hunk, "pass_parameter", cause=cause)


def _calls(
    tree: Tree, body: Node, others: set[str], *, is_command: bool
) -> Iterator[tuple[Node, list[re.Match[str]]]]:
    """Yield the calls that take several other options, or one by its name, with these."""
    for node in nodes_in(body, "call"):
        listed = field(node, "arguments")
        if listed is None or tree.of(field(node, "function")).startswith("click."):
            continue
        given = (_GIVEN.fullmatch(tree.of(one)) for one in listed.named_children)
        mine = [one for one in given if one and one[3] in others and bool(one[2]) != is_command]
        if len(mine) >= _FEWEST or any(one[1] == one[3] for one in mine):
            yield node, mine


def _is_keyed(tree: Tree, call: Node, name: str, option: str) -> bool:
    """Tell whether an argument is given by its name: as the function asks, or as it is a flag."""
    called = tree.of(field(call, "function"))
    defined = rf"(?ms)^def {re.escape(called)}\((.{{0,600}}?)\)(?: ->[^\n]*)?:$"
    found = re.search(defined, tree.text)
    if found is None or "." in called:
        return _FLAG.search(option) is not None
    return name in found[1] and "*" in found[1].partition(name)[0]
