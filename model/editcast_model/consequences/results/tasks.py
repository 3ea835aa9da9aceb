"""Calls and results in methods of C# that return tasks since a change.

In an `async` method, nothing blocks, and `File.ReadAllText(path)` becomes
`await File.ReadAllTextAsync(path)`, as do the calls of Entity Framework, of Dapper and of
connections. In one without `async`, such as those of fakes, `return plan` becomes
`return Task.FromResult(plan)`.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.coroutines import new_coroutines
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import nodes_of, returns_in
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import is_async
from editcast_model.syntax.tree import Tree, field, first_child

_TAKES_TOKEN: Final = "Microsoft.EntityFrameworkCore"
#: By what a file imports, the methods that have asynchronous twins.
_TWINS: Final = {
    _TAKES_TOKEN: re.compile(
        r"(?:First|Single|Last)(?:OrDefault)?|ToList|ToArray|ToDictionary|Any|All|Count|Sum"
        r"|SaveChanges"
    ),
    "Dapper": re.compile(r"(?:Query|Execute)(?:First|Single|Multiple|Scalar)?(?:OrDefault)?"),
    "": re.compile(r"OpenConnection|ExecuteReader|ExecuteNonQuery|ExecuteScalar|ReadToEnd"),
}
_OF_FILES: Final = re.compile(r"(?:(?:Read|Write)All(?:Text|Lines|Bytes)|AppendAll(?:Text|Lines))")
_TOKEN: Final = re.compile(r"\bCancellationToken (\w+)")
#: What has a part of a result: `await` would need brackets there.
_PARTS: Final = re.compile("_access_expression$|^conditional|^await_")
#: What waits for a task without `await`.
_BLOCKING: Final = re.compile(
    r"\.GetAwaiter\(\)\.GetResult\(\)$|(?<=\))\.Result$|(?<=\))\.Wait\(\)$"
)
_LONGEST_WAIT: Final = 40
_IS_TASK: Final = re.compile(r"Task\b|ValueTask\b|\w*\.Task\b|new (?:Value)?Task\b|throw\b|await\b")


def after_task(change: Change) -> Iterator[Consequence]:
    """Return the calls to be awaited by other names, and the results to be wrapped."""
    tree = change.after.tree
    if tree.language != "csharp":
        return
    for function in new_coroutines(change):
        if is_async(function.node):
            for hunk in _awaited_twins(tree, function.node):
                yield Consequence(hunk, "await_call")
        else:
            yield from _wrapped(tree, function.node)


def _awaited_twins(tree: Tree, function: Node) -> Iterator[Hunk]:
    """Yield what calls become that have asynchronous twins."""
    token = _TOKEN.search(tree.of(field(function, "parameters")))
    for call in nodes_of(function):
        found = _BLOCKING.search(tree.text, *_end_of(call))
        if found is not None and _is_whole(call):
            start = call.start_byte
            yield Hunk(start, call.end_byte, f"await {tree.text[start : found.start()]}")
            continue
        called = field(call, "function") if call.type == "invocation_expression" else None
        if called is None or called.type != "member_access_expression":
            continue
        if call.parent is None or _PARTS.search(call.parent.type):
            continue
        name = field(called, "name")
        bare = first_child(name) if name is not None and name.type == "generic_name" else name
        if name is None or bare is None or not (library := _library(tree, called, bare)):
            continue
        statement = _using(call)
        start = statement.start_byte if statement is not None else call.start_byte
        before = tree.text[start : call.start_byte]
        before = f"await {before}" if statement is not None else before
        called_now = f"await {tree.text[call.start_byte : bare.end_byte]}Async"
        hunk = Hunk(start, bare.end_byte, before + called_now)
        arguments = field(call, "arguments")
        if token and library in (_TAKES_TOKEN, "File") and arguments is not None:
            end = arguments.end_byte - 1
            separator = ", " if arguments.named_children else ""
            given = f"{tree.text[bare.end_byte : end]}{separator}{token[1]}"
            hunk = Hunk(start, end, hunk.text + given)
        yield hunk


def _end_of(node: Node) -> tuple[int, int]:
    """Return the end of an expression, which may wait for a task."""
    return max(node.start_byte, node.end_byte - _LONGEST_WAIT), node.end_byte


def _is_whole(node: Node) -> bool:
    """Tell whether an expression is no part of one of which `await` would take a part."""
    above = node.parent
    kinds = ("invocation_expression", "member_access_expression")
    return node.type in kinds and above is not None and not _PARTS.search(above.type)


def _library(tree: Tree, called: Node, name: Node) -> str:
    """Return the library of a method that has an asynchronous twin; empty for none."""
    method = tree.of(name)
    if tree.of(field(called, "expression")) == "File":
        return "File" if _OF_FILES.fullmatch(method) else ""
    for library, methods in _TWINS.items():
        if f"using {library}" in tree.text and methods.fullmatch(method):
            return library or "connections"
    return ""


def _using(call: Node) -> Node | None:
    """Return the declaration that disposes of what a call returns; None for others."""
    node: Node | None = call
    for _ in range(4):
        node = node.parent if node is not None else None
        if node is not None and node.type == "local_declaration_statement":
            return node if any(one.type == "using" for one in node.children) else None
    return None


def _wrapped(tree: Tree, function: Node) -> Iterator[Consequence]:
    """Return the results that are no tasks yet."""
    body = field(function, "body")
    arrow = first_child(body) if body is not None and "arrow" in body.type else None
    result = tree.of(field(function, "returns"))
    kind = result[result.find("<") + 1 : -1] if result.endswith(">") else ""
    values = [first_child(one) for one in returns_in(function)] if arrow is None else [arrow]
    for value in values:
        if value is not None and not _IS_TASK.match(text := tree.of(value)):
            is_async_call = value.type == "invocation_expression" and "Async" in text.split("(")[0]
            if not is_async_call:
                maker = f"FromResult<{kind}>" if text == "null" else "FromResult"
                hunk = Hunk(value.start_byte, value.end_byte, f"Task.{maker}({text})")
                yield Consequence(hunk, "wrap_result")
