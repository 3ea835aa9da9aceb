"""`async` and `await` that are lacking once what others call as well has become a coroutine.

Of Python, JavaScript, TypeScript and C#. A call whose result goes to something that takes
coroutines, such as `asyncio.gather` or `Promise.all`, is left alone. In Python a coroutine sleeps
by `asyncio` and is given to no thread. In JavaScript, `readFile` is waited for where it was
`readFileSync`; in C#, `LoadAsync` where it was `Load`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.imports import family_of
from editcast_model.consequences.passing.overrides import class_name, methods_like
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Call,
    Function,
    call_of,
    called_by,
    function_node_around,
    is_async,
    uses_of,
)
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

_AWAIT = frozenset({"await", "await_expression"})
#: Functions that take coroutines or promises without `await`.
_TAKERS = frozenset(
    {"gather", "create_task", "ensure_future", "run", "run_until_complete", "wait", "wait_for"}
    | {"as_completed", "shield", "all", "allSettled", "race", "any", "start_soon", "then"}
    | {"catch", "finally", "WhenAll", "WhenAny", "Run", "FromResult", "ContinueWith"}
    | {"Result", "GetAwaiter", "ConfigureAwait", "Wait"}
)
#: What accesses a part of a result, so that `await` needs parentheses: `(await f()).name`.
_PARTS = frozenset(
    {"attribute", "subscript", "member_expression", "subscript_expression"}
    | {"member_access_expression", "element_access_expression", "conditional_access_expression"}
)
_STANDS_IN = re.compile("Fake|Stub|Dummy|Mock|InMemory")
#: Types of C# whose values are awaited.
_TASKS = ("Task", "ValueTask", "IAsyncEnumerable")
#: What runs a function in a thread.
_THREADS = re.compile(
    r"\b(?:to_thread|to_thread\.run_sync|run_in_threadpool|run_sync_in_worker_thread)$"
)
#: Libraries that run coroutines, of which a file uses one.
_LOOPS = ("asyncio", "anyio", "trio")
#: Types of functions that others call by their names, and so no handlers of events.
_NAMED = ("function_declaration", "method_definition")
#: A module of JavaScript that may wait outside of functions, and one that does.
_MODULE = re.compile(r"^(?:import|export)\b", re.MULTILINE)
_AT_TOP = re.compile(r"^(?:(?:export )?(?:const|let|var) [^\n=]*= )?await \w", re.MULTILINE)
#: Types of nodes in a function that the function does not run, or not at once.
_APART = re.compile("parameters$|^class_|^generator_expression$|^lambda_expr|^anonymous_")


def after_coroutine(change: Change) -> Iterator[Consequence]:
    """Return what is lacking after a function became a coroutine, or began to await something."""
    names = change.after
    for function in new_coroutines(change):
        if (hunk := _promise(names, function.node)) is not None:
            yield Consequence(hunk, "make_async", is_first=True)
        yield from _asleep(names, function.node)
        yield from made_alike(names, function.name, function.owner or "")
        for one in uses_of(names, function):
            yield from used_awaited(names, one)
    yield from _no_longer_blocking(change)
    is_known = family_of(names.tree.language) in ("python", "script", "csharp")
    for hunk, start, end in change.finished() if is_known else ():
        for word in WORD.finditer(names.tree.text, start, end):
            if word[0] == "await":
                path = names.tree.path(word.start())
                if len(path) > 1 and path[-2].type in _AWAIT:
                    yield from made_async(names, path[-2].node, is_first=True)
                    yield from _awaited_alike(change, hunk, path[-2].node)


def _awaited_alike(change: Change, hunk: Hunk, waiting: Node) -> Iterator[Consequence]:
    """Return what other calls of the same lack once a call that stood there is awaited."""
    names, called = change.after, called_by(first_child(waiting) or waiting)
    written = names.tree.of(called)
    was = change.before.tree.text[hunk.start : hunk.end]
    stood_there = "await" not in was and (written in was or written not in hunk.text)
    name = names.of_node(field(called, "attribute", "property") or called) if called else None
    for one in names.of(name.name) if name is not None and stood_there else ():
        call = call_of(names.tree, one)
        if call is not None and names.tree.of(called_by(call.node)) == written:
            yield from awaited(names, call)


def made_alike(names: Names, name: str, owner: str, new: str = "") -> Iterator[Consequence]:
    """Return the `async` of methods that implement or override a method that became a coroutine.

    Those that have its former name get the `new` one with it. One that returns a promise or a task
    already need not be `async`, and what stands in for another class in C#, or calls nothing, waits
    for nothing.
    """
    for method in methods_like(names, name, owner.partition("@")[0]):
        called, body = field(method, "name"), field(method, "body")
        if body is None or _is_awaited(method, names.tree):
            continue
        for one in made_async(names, body, is_first=True):
            hunk = one.hunk
            calls = "(" in names.tree.of(body)
            stands_in = not calls or _STANDS_IN.search(class_name(names, method))
            if names.tree.language == "csharp" and stands_in:
                hunk = replace(hunk, text=hunk.text.removeprefix("async "))
            if new and called is not None:
                between = names.tree.text[hunk.end : called.start_byte]
                hunk = Hunk(hunk.start, called.end_byte, f"{hunk.text}{between}{new}")
            yield replace(one, hunk=hunk)


def new_coroutines(change: Change) -> Iterator[Function]:
    """Return the functions with a name that a change made coroutines, or return a promise now."""
    before, after = change.before.tree, change.after.tree
    for was, function in change.functions:
        if _is_awaited(function.node, after) and not _is_awaited(was.node, before):
            yield function


def _is_awaited(function: Node, tree: Tree) -> bool:
    """Tell whether calls of a function are to be awaited."""
    result = tree.of(field(function, "return_type", "returns")).lstrip(": ")
    is_task = tree.language == "csharp" and result.startswith(_TASKS)
    return is_async(function) or is_task or result.startswith("Promise<")


def used_awaited(names: Names, one: Occurrence) -> Iterator[Consequence]:
    """Return what a use of a coroutine lacks: a call is awaited, and no thread has to run it."""
    call = call_of(names.tree, one)
    given = one.path[-1 if one.role is Role.REFERENCE else -2].node
    yield from _gathered(names, given if call is None else call.node)
    if call is not None:
        yield from awaited(names, call)
        return
    listed = given.parent
    threaded = listed.parent if listed is not None and listed.type == "argument_list" else None
    to, written = names.tree.of(field(threaded, "function")), names.tree.of(given)
    if listed is None or threaded is None or not _THREADS.search(to):
        return
    first, *others = [one for one in listed.named_children if one.type != "comment"]
    if first == given:
        text = f"{written}({', '.join(map(names.tree.of, others))})"
        yield Consequence(Hunk(threaded.start_byte, threaded.end_byte, text), "await_call")


def _gathered(names: Names, node: Node) -> Iterator[Consequence]:
    """Return the `await Promise.all` around a `map` by a coroutine, or by calls of it alone."""
    above = node.parent
    mapped = node if above is None or above.type != "arrow_function" else above
    call = mapped.parent.parent if mapped.parent is not None else None
    method = names.tree.of(field(called_by(call), "property")) if call is not None else ""
    if call is None or method != "map" or first_child(mapped.parent) != mapped:
        return
    if _may_await(names, call):
        yield from made_async(names, call, is_first=False)
        text = f"await Promise.all({names.tree.of(call)})"
        if call.parent is not None and call.parent.type in _PARTS:
            text = f"({text})"
        yield Consequence(Hunk(call.start_byte, call.end_byte, text), "await_call")


def _asleep(names: Names, function: Node) -> Iterator[Consequence]:
    """Return the pauses of a coroutine of Python in which nothing else can run."""
    loop = next((one for one in _LOOPS if any(names.of(one))), _LOOPS[0])
    for one in names.between(function.start_byte, function.end_byte):
        called = one.path[-2].node
        is_sleep = one.name == "sleep" and names.tree.of(called) == "time.sleep"
        if is_sleep and coroutine_around(names, called) == function:
            hunk = Hunk(called.start_byte, called.end_byte, f"await {loop}.sleep")
            yield Consequence(hunk, "await_call")


def with_await(names: Names, one: Consequence, old: str, *, is_task: bool) -> Consequence:
    """Return the new name of a call that was synchronous with the `await` that it needs.

    Such as `await readFile` where `readFileSync` is left, or `await LoadAsync` where it was `Load`,
    if that `is_task` of C# now.
    """
    new, is_task = one.hunk.text, is_task and names.tree.language == "csharp"
    name = names.at(one.hunk.start) if is_task or old == f"{new}Sync" else None
    call = call_of(names.tree, name) if name is not None else None
    if call is None or not _may_await(names, call.node, was_blocking=True):
        return one
    start, end, tree = call.node.start_byte, one.hunk.end, names.tree
    new = f"await {tree.text[start : one.hunk.start]}{one.hunk.text}"
    if call.node.parent is not None and call.node.parent.type in _PARTS:
        end, new = call.node.end_byte, f"({new}{tree.text[end : call.node.end_byte]})"
    return replace(one, hunk=Hunk(start, end, new))


def _no_longer_blocking(change: Change) -> Iterator[Consequence]:
    """Return what is to be awaited of calls of Node that were synchronous, as `readFileSync`."""
    names = change.after
    new = {one.after.name for one in change.renamed if one.before.name == f"{one.after.name}Sync"}
    for one in (each for name in sorted(new) for each in names.of(name)):
        if (call := call_of(names.tree, one)) is not None:
            yield from awaited(names, call)
    for one in (each for name in sorted(new) for each in names.of(f"{name}Sync")):
        call = call_of(names.tree, one)
        if call is not None and _may_await(names, call.node, was_blocking=True):
            yield from made_async(names, call.node, is_first=False)


def _may_await(names: Names, node: Node, *, was_blocking: bool = False) -> bool:
    """Tell whether a call lacks an `await`, and can have it."""
    function, parent = coroutine_around(names, node), node.parent
    if parent is None or parent.type in _AWAIT or _is_taken(names, node):
        return False
    if function is None:
        is_top = function_node_around(names.tree, node) is None
        return is_top and (_MODULE if was_blocking else _AT_TOP).search(names.tree.text) is not None
    if names.tree.language == "python":
        return True
    if names.tree.language == "csharp":  # a task is returned as it is
        is_returned = parent.type in ("return_statement", "arrow_expression_clause")
        is_event = "EventArgs" in names.tree.of(field(function, "parameters"))
        is_task = _promise(names, function) is None
        return not is_event and (is_async(function) or not (is_returned and is_task))
    # A promise is returned as it is, and nobody waits for the end of an event handler.
    is_handler = parent.type == "expression_statement" and not is_async(function)
    is_handler &= not (was_blocking and function.type in _NAMED)
    return not is_handler and parent.type not in ("return_statement", "arrow_function")


def awaited(names: Names, call: Call) -> Iterator[Consequence]:
    """Return the `await` that a call of a coroutine lacks, and the `async` around it."""
    node, parent = call.node, call.node.parent
    if _begins_loop(names, node):
        text = f"asyncio.run({names.tree.of(node)})"
        yield Consequence(Hunk(node.start_byte, node.end_byte, text), "await_call")
        return
    if parent is None or not _may_await(names, node):
        function = coroutine_around(names, node)
        if function is not None and parent is not None and parent.type == "return_statement":
            if _promise(names, function) is not None:
                yield from made_async(names, node, is_first=False)
        return
    cause = f"await {call.called.name}"
    for one in made_async(names, node, is_first=False):
        yield replace(one, cause=cause)
    hunk = Hunk(node.start_byte, node.start_byte, "await ")
    if parent.type in _PARTS:
        hunk = Hunk(node.start_byte, node.end_byte, f"(await {names.tree.of(node)})")
    yield Consequence(hunk, "await_call", cause=cause)


def _begins_loop(names: Names, node: Node) -> bool:
    """Tell whether a call is where a program of Python begins, which runs its coroutines."""
    tree, function = names.tree, function_node_around(names.tree, node)
    above = node.parent
    if tree.language != "python" or above is None or above.type in _AWAIT:
        return False
    if _is_taken(names, node) or any(each in tree.text for each in ("import anyio", "import trio")):
        return False
    if function is not None:
        return tree.of(field(function, "name")) == "main" and not is_async(function)
    around = (one for one in tree.around(node) if one.type == "if_statement")
    return any("__name__" in tree.of(field(one, "condition")) for one in around)


def made_async(names: Names, node: Node, *, is_first: bool) -> Iterator[Consequence]:
    """Return the `async` of the function around a node, if it lacks one."""
    function = coroutine_around(names, node)
    if function is None or is_async(function):
        return
    at = function.start_byte
    if function.type == "method_definition":  # behind `static` and the like
        name = function.child_by_field_name("name")
        at = next(one.start_byte for one in function.children if one == name or one.type == "*")
    elif (kind := field(function, "returns")) is not None:
        at = kind.start_byte
    hunk, result = Hunk(at, at, "async "), _promise(names, function)
    if result is not None:  # its type is another one as well
        hunk = Hunk(at, result.end, f"async {names.tree.text[at : result.start]}{result.text}")
    yield Consequence(hunk, "make_async", is_first)


def coroutine_around(names: Names, node: Node) -> Node | None:
    """Return the function whose code a node is; None if it is no coroutine and cannot become one.

    Neither can the code of its parameters wait, nor that of a class in it; a generator that waits
    is another thing to what takes it.
    """
    function = function_node_around(names.tree, node)
    if function is None or function.type == "lambda":
        return None
    within = takewhile(lambda one: one != function, names.tree.around(node))
    if any(_APART.search(one.type) for one in within):
        return None
    if names.tree.language == "csharp" and field(function, "returns") is None:
        return None
    called = names.tree.of(function.child_by_field_name("name"))
    is_fixed = called.startswith("__") or called == "constructor"
    is_fixed |= any(child.type in ("get", "set") for child in function.children)
    return None if is_fixed and not is_async(function) else function


def _promise(names: Names, function: Node) -> Hunk | None:
    """Return the type that a coroutine's result has in TypeScript; None if it is written so."""
    result = field(function, "return_type", "returns")
    if result is not None and names.tree.language == "csharp":
        written = names.tree.of(result)
        task = "Task" if written == "void" else f"Task<{written}>"
        is_task = written.startswith(_TASKS)
        return None if is_task else Hunk(result.start_byte, result.end_byte, task)
    if result is None or not names.tree.language.startswith(("typescript", "vue")):
        return None
    if any(child.type == "*" for child in function.children):
        return None  # a generator
    written = names.tree.of(result).lstrip(": ")
    if written.startswith("Promise"):
        return None
    return Hunk(result.end_byte - len(written), result.end_byte, f"Promise<{written}>")


def _is_taken(names: Names, node: Node) -> bool:
    """Tell whether something around a call takes its coroutine as it is."""
    function = function_node_around(names.tree, node)
    for one in takewhile(lambda one: one != function, names.tree.around(node)):
        called = field(one, "function", "property") or (
            field(one, "name") if _is_part(one) else None
        )
        if called is not None:
            called = field(called, "property", "attribute", "name") or called
        if names.tree.of(called) in _TAKERS:
            return True
    return False


def _is_part(node: Node) -> bool:
    """Tell whether a node takes a part of an object, in C#."""
    return node.type == "member_access_expression"
