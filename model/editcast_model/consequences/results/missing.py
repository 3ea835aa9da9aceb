"""Results that may be missing since a change, or no longer can.

A function that returns `None` for the first time lacks `| None` in its type. If it raised an error
before, callers still catch the error, and not all of them check the result. A function whose last
`return None` became an exception still has `| None`, and callers still check the result. For
Python, TypeScript and JavaScript.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.caught import with_error, without_error
from editcast_model.consequences.results.further import nodes_of, returns_in
from editcast_model.consequences.rewrites.rule import indent_at, reindented
from editcast_model.consequences.unused.removal import without_lines
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, Function, calls_of, function_node_around
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

#: By language, what is returned for nothing.
_NOTHING: Final = {
    "python": ("None",),
    **dict.fromkeys(SCRIPTS, ("null", "undefined")),
}
#: Types that a missing result has as well, or that say something else.
_OPEN: Final = re.compile(
    r"\b(None|Optional|Any|object|null|undefined|void|any|unknown|never|is|asserts"
    r"|Iterator|Iterable|Generator|AsyncIterator|AsyncGenerator)\b|=>|^['\"]"
)
_THROWN: Final = re.compile(r"\b(raise|throw)\b")
_ERROR: Final = re.compile(r"\b(?:raise|throw new)[ \t]+(?:\w+\.)*([A-Z]\w*)")
#: Errors that say that there is nothing.
_FOR_NOTHING: Final = re.compile(
    r"(?:raise|throw new)[ \t]+(?:\w+\.)*(?:\w*(?:NotFound|Missing|DoesNotExist|Unknown)|No[A-Z]\w*"
    r"|(?:Key|Lookup)Error)"
)
_PROMISE: Final = re.compile(r"\b(Promise<)(.*)>", re.DOTALL)
#: What returns nothing in the end, or may.
_MAY_BE_NOTHING: Final = re.compile(
    r"\bNone\b|\bnull\b|\bundefined\b|\?\.|\.(get|find|pop)\(|\bnext\("
)
_LAST: Final = ("return_statement", "raise_statement", "throw_statement")
_HANDLERS: Final = ("except_clause", "catch_clause", "else_clause")
#: A look-up in a dictionary of Python that returns nothing for what is not there.
_LOOKUP: Final = re.compile(r"[\w.]+\.get\([^,()]+\)")
#: A lookup that fails for an unknown key, and the lookup that returns `None` for it.
_ITEM: Final = re.compile(r"(?<=return )([\w.]+)\[([^\[\]:,()\n]+)\](?=\r?$)", re.MULTILINE)
_GET: Final = r"\1.get(\2)"
_DICTIONARY: Final = r"\bNAME(: (typing\.)?([dD]ict|(Mutable)?Mapping)\b|(: .*)? = (\{|dict\())"
#: How callers ask whether a name means nothing, with the name in the place of `NAME`.
_ASKED: Final = r"\(?(NAME is None|not NAME|!NAME|NAME ={2,3} (null|undefined))\)?"
_FAILING: Final = rf"{_ASKED}[:)\s{{]+(raise|throw)\b"
#: How callers say of a name that it may mean nothing, in any other way as well.
_DOUBTED: Final = (
    r"\bNAME(\?\.|\s*(\?|\|\||&&|[!=]=|is\b|or\b|and\b))"
    r"|(!|(\b(not|if|assert)\b ?\(?))NAME\b(?!\.)"
)
_LEAVING: Final = re.compile(r"(return|raise|throw|continue|break)\b")
_FAILING_ITSELF: Final = re.compile(r"\b(raise|throw)\b|\breturn( None| null| undefined)?[;\s}]*$")
_MOST_LINES: Final = 5  # of what is done if nothing was returned
_STATEMENTS: Final = ("expression_statement", "lexical_declaration", "variable_declaration")


class _Changed(NamedTuple):
    """A function, a word for nothing, if it returns that now, and the error in its place if one."""

    function: Function
    word: str
    is_new: bool
    error: str


def after_nothing(change: Change) -> Iterator[Consequence]:
    """Return what follows from returns of nothing that a change added, or took away."""
    tree = change.after.tree
    yield from _promised(change)
    for function, word, is_new, error in _changed(change):
        kind = field(function.node, "return_type")
        if is_new and error:
            calls = list(calls_of(change.after, function))
            for call in calls:
                yield from without_error(change.after, call, word, error)
            yield from with_checks(change.after, calls)
        if is_new and kind is not None:
            yield from _opened(tree, function.node, kind, word)
        elif not is_new:
            if kind is not None:
                yield from _closed(tree, kind, word)
            for call in calls_of(change.after, function):
                yield from without_check(change.after, call, error)
                yield from with_error(change.after, call, error)


def newly_certain(change: Change) -> Iterator[tuple[Function, str]]:
    """Return the functions that fail where they returned nothing before, with the error."""
    return ((one.function, one.error) for one in _changed(change) if not one.is_new)


def newly_missing(change: Change) -> Iterator[tuple[Function, str, str]]:
    """Return the functions that return nothing where they failed before, the word and the error."""
    found = (one for one in _changed(change) if one.is_new and one.error)
    return ((one.function, one.word, one.error) for one in found)


def without_check(names: Names, call: Call, error: str) -> Iterator[Consequence]:
    """Take away the statement that leaves a caller if a call returned nothing.

    Where it does more than to fail or to return nothing itself, code of Python does it if there is
    the error; other code is left alone.
    """
    tree, hunk = names.tree, None
    statement, target = _assignment(tree, call)
    check = statement.next_named_sibling if statement is not None else None
    if statement is None or check is None or not _leaves(tree, check, target):
        return
    done = field(check, "consequence")
    if _FAILING_ITSELF.search(tree.of(done)):
        hunk = without_lines(tree, check)
    elif error and tree.language == "python" and done is not None:
        hunk = _caught(tree, statement, done, error)
    if hunk is not None:
        yield Consequence(hunk, "remove_check", cause=f"{call.called.name} nothing")


def _caught(tree: Tree, statement: Node, done: Node, error: str) -> Hunk:
    """Return a statement, up to what is done if it returns nothing, that waits for an error."""
    indent = indent_at(tree, statement.start_byte)
    inner = indent_at(tree, done.start_byte)
    inner = inner if inner != indent else f"{indent}    "
    tried, excepted = reindented(tree.of(statement), indent, inner), tree.of(done)
    text = f"try:\n{inner}{tried}\n{indent}except {error}:\n{inner}{excepted}"
    return Hunk(statement.start_byte, done.end_byte, text)


def with_checks(names: Names, calls: Iterable[Call]) -> Iterator[Consequence]:
    """Copy the statement that leaves a caller if it got nothing to callers that do not ask."""
    tree, found = names.tree, [(call, *_assignment(names.tree, call)) for call in calls]
    checks, unchecked = list[tuple[Call, str, Node]](), list[tuple[Call, Node, str]]()
    for call, statement, target in found:
        if statement is None or statement.parent is None:
            continue
        check, around = statement.next_named_sibling, statement.parent.parent
        if around is not None and around.type == "try_statement":
            continue  # it may wait for an error
        if check is not None and _leaves(tree, check, target):
            checks.append((call, target, check))
        rest = tree.text[statement.end_byte : statement.parent.end_byte]
        if not re.search(_DOUBTED.replace("NAME", re.escape(target)), rest):
            unchecked.append((call, statement, target))
    for call, statement, target in unchecked if checks else ():
        example, asked, check = min(checks, key=lambda one: abs(one[0].start - call.start))
        given, theirs = ([tree.text[a.start : a.end] for a in c.arguments] for c in (example, call))
        instead = dict(zip(given, theirs, strict=True)) if len(given) == len(theirs) else {}
        text = _copied(names, call, check, {**instead, asked: target})
        if text:
            indents = indent_at(tree, check.start_byte), indent_at(tree, statement.start_byte)
            line = f"\n{indents[1]}{reindented(text, *indents)}"
            hunk = Hunk(statement.end_byte, statement.end_byte, line)
            yield Consequence(hunk, "add_check", cause=f"{call.called.name} nothing")


def _copied(names: Names, call: Call, check: Node, instead: Mapping[str, str]) -> str:
    """Return a check about other names; empty where a name in it means nothing there."""
    tree, start = names.tree, check.start_byte
    functions = (function_node_around(tree, one) for one in (check, call.node))
    promised = {tree.of(field(one, "return_type")) for one in functions}
    if len(promised) > 1 and re.search(r"return\b[ \t]*\w", tree.of(check)):
        return ""
    text = tree.of(check)
    for one in sorted(names.between(start, check.end_byte), key=lambda one: -one.start):
        if one.role is not Role.REFERENCE:
            continue
        if one.name in instead:
            text = text[: one.start - start] + instead[one.name] + text[one.end - start :]
        elif names.is_known(one, one.name) and not names.is_known(call.called, one.name):
            return ""
    return text


def _assignment(tree: Tree, call: Call) -> tuple[Node | None, str]:
    """Return the statement that gives a call's result a name, and the name; None for another."""
    statement = next((one for one in tree.around(call.node) if one.type in _STATEMENTS), None)
    declared = first_child(statement)
    value = tree.of(field(declared, "right", "value")).removeprefix("await ")
    is_whole = statement is not None and value == tree.of(call.node)
    return (statement if is_whole else None), tree.of(field(declared, "left", "name"))


def _leaves(tree: Tree, check: Node, target: str) -> bool:
    """Tell whether a short statement leaves a caller if a name means nothing."""
    form, done = _ASKED.replace("NAME", re.escape(target)), field(check, "consequence")
    is_asked = re.fullmatch(form, tree.of(field(check, "condition"))) is not None
    if not is_asked or done is None or field(check, "alternative"):
        return False
    last = done.named_children[-1] if done.type.endswith("block") and done.named_children else done
    return bool(_LEAVING.match(tree.of(last))) and tree.of(check).count("\n") < _MOST_LINES


def _changed(change: Change) -> Iterator[_Changed]:
    """Yield the functions that return nothing since a change, or fail instead."""
    before, after = change.before.tree, change.after.tree
    for was, now in change.functions:
        old, new = before.of(was.node), after.of(now.node)
        is_thrown = len(_THROWN.findall(old)) < len(_THROWN.findall(new))
        is_certain = is_thrown and _always_returns(after, now.node)
        errors = {*_ERROR.findall(old)}, {*_ERROR.findall(new)}
        may_be, promised = (
            tree.of(field(one.node, "return_type")) for tree, one in ((before, was), (after, now))
        )
        for word in _NOTHING.get(after.language, ()):
            allowed = re.compile(rf"\b({word}|Optional)\b")
            is_said = allowed.search(may_be) is not None
            asks = word == "None" and _looks_up(old, new)
            had = _returns(before, was.node, word, is_said=is_said)
            has = asks or _returns(after, now.node, word, is_said=is_said)
            if has != had and (has or is_certain):
                error = {"KeyError"} if asks else errors[not has] - errors[has]
                yield _Changed(now, word, has, error.pop() if len(error) == 1 else "")
            elif is_said and promised and not has and not allowed.search(promised):
                error = errors[1] - errors[0]  # its type says so itself
                yield _Changed(now, word, False, error.pop() if len(error) == 1 else "")


def _looks_up(old: str, new: str) -> bool:
    """Tell whether code of Python fails where other code returns nothing for a key."""
    asked = {one.expand(_GET) for one in _ITEM.finditer(old)}
    return "except KeyError" not in old and any(one in new and one not in old for one in asked)


def _returns(tree: Tree, function: Node, word: str, *, is_said: bool) -> bool:
    """Tell whether a function returns nothing, or if its type says so a name that may mean it."""
    returned = {tree.of(first_child(one)) for one in returns_in(function)}
    if word in returned or not is_said:
        return word in returned
    if tree.language == "python" and any(map(_LOOKUP.fullmatch, returned)):
        return True
    names, code = filter(str.isidentifier, returned), tree.of(function)
    return any(not re.search(_FAILING.replace("NAME", one), code) for one in names)


def _promised(change: Change) -> Iterator[Consequence]:
    """Return nothing in the place of the one error for it, once a function's type allows that."""
    tree = change.after.tree
    for was, now in change.functions:
        kinds = [field(one.node, "return_type") for one in (was, now)]
        old, new = change.before.tree.of(kinds[0]), tree.of(kinds[1])
        for word in _NOTHING.get(tree.language, ()):
            allowed = re.compile(rf"\b({word}|Optional)\b")
            returned = [tree.of(first_child(one)) for one in returns_in(now.node)]
            if allowed.search(old) or not allowed.search(new):
                continue
            thrown = [one for one in nodes_of(now.node) if one.type in _LAST[1:]]
            items = [*_ITEM.finditer(tree.text, now.node.start_byte, now.node.end_byte)]
            if word == "None" and not thrown and len(items) == len(returned) == 1:
                name, span = re.escape(items[0][1]), items[0].span()
                if re.search(_DICTIONARY.replace("NAME", name), tree.text):
                    yield Consequence(Hunk(*span, items[0].expand(_GET)), "annotate_result")
            is_certain = not any(map(_MAY_BE_NOTHING.search, returned))
            if is_certain and len(thrown) == 1 and _FOR_NOTHING.search(tree.of(thrown[0])):
                end = thrown[0].end_byte - tree.of(thrown[0]).endswith(";")
                hunk = Hunk(thrown[0].start_byte, end, f"return {word}")
                yield Consequence(hunk, "annotate_result", is_first=True)


def _opened(tree: Tree, function: Node, kind: Node, word: str) -> Iterator[Consequence]:
    """Add nothing to a type, where something else is returned as well."""
    written = tree.of(kind)
    values = (tree.of(first_child(one)) for one in returns_in(function))
    if _OPEN.search(written) or "yield" in tree.of(function) or all(one == word for one in values):
        return
    start, end = kind.start_byte, kind.end_byte
    if tree.language == "python" and "Optional[" in tree.text and "| None" not in tree.text:
        yield Consequence(Hunk(start, end, f"Optional[{written}]"), "annotate_result")
    else:
        end -= 1 if _PROMISE.search(written) else 0
        yield Consequence(Hunk(end, end, f" | {word}"), "annotate_result")


def _always_returns(tree: Tree, function: Node) -> bool:
    """Tell whether no end of a function may return nothing."""
    returned = [tree.of(one).strip(" ;") for one in returns_in(function)]
    is_certain = bool(returned) and not any(map(_MAY_BE_NOTHING.search, returned))
    return is_certain and "return" not in returned and _leaves_at_end(function)


def _leaves_at_end(node: Node | None) -> bool:
    """Tell whether the last statement of a function or a block returns, or fails."""
    body = field(node, "body") or first_child(node)
    if node is not None and node.type in ("except_clause", "catch_clause"):
        body = node.named_children[-1]
    last = body.named_children[-1] if body is not None and body.named_child_count else None
    if last is None or last.type == "with_statement":
        return last is not None and _leaves_at_end(last)
    if last.type == "try_statement":
        others = [one for one in last.named_children if one.type in _HANDLERS]
        return all(map(_leaves_at_end, [last, *others]))
    return last.type in _LAST


def _closed(tree: Tree, kind: Node, word: str) -> Iterator[Consequence]:
    """Take nothing out of a type."""
    written = tree.of(kind)
    optional = re.search(r"\bOptional\[(.*)\]$", written) if word == "None" else None
    if optional is not None:
        yield Consequence(
            Hunk(kind.start_byte, kind.end_byte, optional[1]), "annotate_result", True
        )
    elif (found := re.search(rf"\s*\|\s*{word}\b", written)) is not None:
        start = kind.start_byte + found.start()
        yield Consequence(Hunk(start, start + len(found[0]), ""), "annotate_result", True)
