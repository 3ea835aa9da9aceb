"""Pointers of C++ that own what they point to since a change.

After `std::vector<Filter*> filters_` has become `std::vector<std::unique_ptr<Filter>> filters_`,
what is put into it is made by `std::make_unique`, or moved there; a loop takes its elements by
reference, others get plain pointers to them, and nothing is deleted. The same goes for what a
function returns, and for its parameters.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.passing.prototypes import new_prototypes
from editcast_model.consequences.unused.removal import without_lines
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.calls import Call, Function, call_of, function_around, function_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field

_OWNER: Final = re.compile(r"(?:std::)?unique_ptr<([\w:]+)>")
_FIELD: Final = re.compile(rf"{_OWNER.pattern}\s*>*\s*(\w+)\s*[;={{]")
_PUT: Final = r"(?:\.|->)(?:push_back|push_front|push|emplace_back|emplace_front|emplace)\(\s*"
_TAKING: Final = r"(?:virtual\s+)?void\s+(?:add|append|attach|insert|push|put|register)\w*"
_POINTER_FIELD: Final = re.compile(r"\w\s*\*\s*\w+\s*[;={]")
_MADE: Final = re.compile(r"new\s+([\w:]+)(?=\s*([({]?))")


class Owner(NamedTuple):
    """An owner, since a change, of the objects that it points to.

    Attributes:
        name: The name of a variable, a field or a function.
        kind: The type of the objects.
        whose: The class that a function is a method of; empty for none.
        place: For a function, the index of the parameter; -1 for what it returns.
    """

    name: str
    kind: str
    whose: str = ""
    place: int | None = None


def after_ownership(change: Change) -> Iterator[Consequence]:
    """Return what is left to do where plain pointers became `std::unique_ptr`."""
    names = change.after
    for one in newly_owning(change):
        if one.place is None:
            yield from _declared(names.tree, one)
            yield from kept(names, one)
            continue
        found = names.of(one.name)
        calls = (call for each in found if (call := call_of(names.tree, each)))
        yield from given(names, one, calls)
        for each in found:
            function = function_of(names, each)
            if function is not None and not function.is_prototype:
                yield from returned(names.tree, one, function)


def newly_owning(change: Change) -> Iterator[Owner]:
    """Yield what became an owner."""
    if change.after.tree.language != "cpp":
        return
    for new in new_prototypes(change, with_own=True):
        old, now = (new.before, new.after)
        kind = _OWNER.fullmatch(now.result.strip())
        if kind is not None and _points(old.result, kind[1]):
            yield Owner(new.name, kind[1], new.owner, -1)
        for at, (was, one) in enumerate(zip(old.items, now.items, strict=False)):
            kind = _OWNER.fullmatch(one.type)
            if kind is not None and _points(was.type, kind[1]):
                yield Owner(new.name, kind[1], new.owner, at)
    text, before = change.after.tree.text, change.before.tree.text
    for hunk, start, end in change.finished():
        line = before[slice(*line_around(before, hunk.start, hunk.end))]
        for found in _FIELD.finditer(text, *line_around(text, start, end)):
            if re.search(rf"\b{found[1]}\s*\*\s*>*\s*{found[2]}\b", line):
                yield Owner(found[2], found[1])


def kept(names: Names, owner: Owner) -> Iterator[Consequence]:
    """Return what a text does with a variable or a field as if it held plain pointers."""
    name, kind, text = owner.name, owner.kind, names.tree.text
    for found in re.finditer(rf"\b{name}(?:{_PUT}|\s*=\s*)(?=new\s)", text):
        yield from _made(text, found.end())
    for found in re.finditer(rf"\b{name}(?:{_PUT}|\s*=\s*)(\w+)(?=\s*[);])", text):
        given, function = found[1], function_around(names, found.start())
        written = names.tree.of(function.node) if function is not None else ""
        pointer = re.search(rf"[(,]\s*({kind}\s*\*\s*){given}\b", written)
        if function is not None and pointer is not None:
            start, end = (function.start + at for at in pointer.span(1))
            yield _rewrite(Hunk(start, end, f"std::unique_ptr<{kind}> "), is_first=True)
        elif re.search(rf"unique_ptr<{kind}>\s+{given}\b", written):
            yield _rewrite(Hunk(*found.span(1), f"std::move({given})"))
    element = rf"(?:const\s+)?(?:{kind}\s*\*\s*(?:const\s+)?|auto\s*[*&]*\s*)"
    loops = list(re.finditer(rf"\bfor\s*\(\s*({element})(\w+)\s*:\s*{name}\)", text))
    elements = {name, f"{name}.back()", f"{name}.front()", *(loop[2] for loop in loops)}
    found_in = rf"\b(\w+)\s*=[^;=]*\b{name}\.(?:begin|find)\("
    places = {f"*{found[1]}" for found in re.finditer(found_in, text)}
    deleted = list(_undeleted(names.tree, elements | places, 0, len(text)))
    yield from (_rewrite(hunk, is_first=True) for hunk in deleted)
    for loop in loops:
        is_kept = all(not one.start <= loop.start() < one.end for one in deleted)
        if is_kept and ("*" in loop[1] or "&" not in loop[1]):
            yield _rewrite(Hunk(*loop.span(1), "const auto& "))
    for one in sorted(elements):
        for found in re.finditer(rf"(\breturn\s+|(\w+)\s*=\s*){re.escape(one)}(?=;)", text):
            if _is_plain(names, found.start(), found[2], kind):
                yield _rewrite(Hunk(found.end(), found.end(), ".get()"))


def _declared(tree: Tree, owner: Owner) -> Iterator[Consequence]:
    """Yield what a class declares, but does not define, as if its field held plain pointers."""
    found = re.search(rf"unique_ptr<{owner.kind}>\s*>*\s*{owner.name}\b", tree.text)
    path = tree.path(found.start()) if found is not None else ()
    body = next((one.node for one in path if one.type == "field_declaration_list"), None)
    for one in body.named_children if body is not None else ():
        taken = re.match(rf"{_TAKING}\(({owner.kind}\s*\*\s*)\w*\);", tree.of(one))
        if taken is not None:
            start, end = (one.start_byte + at for at in taken.span(1))
            yield _rewrite(Hunk(start, end, f"std::unique_ptr<{owner.kind}> "), is_first=True)
        is_last = not _POINTER_FIELD.search(tree.of(body))
        if is_last and re.fullmatch(r"~\w+\(\);", tree.of(one)):
            if (hunk := without_lines(tree, one)) is not None:
                yield _rewrite(hunk, is_first=True)


def given(names: Names, owner: Owner, calls: Iterable[Call]) -> Iterator[Consequence]:
    """Return what calls of a function lack whose parameter, or result, is an owner now."""
    place = owner.place if owner.place is not None else 0
    for call in calls:
        if 0 <= place < len(call.arguments):
            yield from _made(names.tree.text, call.arguments[place].start)
        elif place < 0:
            yield from _owning(names, owner.kind, call)


def _owning(names: Names, kind: str, call: Call) -> Iterator[Consequence]:
    """Return the type of the variable that gets the result of a call, and where it is deleted."""
    line, end = line_around(names.tree.text, call.node.start_byte)
    function = function_around(names, call.node.start_byte)
    declared = re.compile(
        rf"\s*(?:(?P<plain>(?:const\s+)?{kind}\s*\*\s*)|(?:std::)?unique_ptr<{kind}>\s+|auto\s+)"
        r"(?P<name>\w+)\s*=\s*[\w.:>-]*$"
    )
    found = declared.match(names.tree.text, line, call.called.start)
    if found is not None and function is not None:
        if found["plain"]:
            yield _rewrite(Hunk(*found.span("plain"), f"std::unique_ptr<{kind}> "))
        within = end, function.node.end_byte
        yield from map(_rewrite, _undeleted(names.tree, {found["name"]}, *within))


def returned(tree: Tree, owner: Owner, function: Function) -> Iterator[Consequence]:
    """Return what a function that returns an owner makes without one."""
    if owner.place == -1:
        for found in re.finditer(r"\breturn\s+(?=new\s)", tree.of(function.node)):
            yield from _made(tree.text, function.start + found.end())


def _made(text: str, start: int) -> Iterator[Consequence]:
    """Yield what makes an owner in the place of `new`."""
    found = _MADE.match(text, start)
    if found is not None and found[2] != "{":
        made = f"std::make_unique<{found[1]}>"
        hunk = Hunk(*found.span(), made if found[2] else f"{made}()")
        yield Consequence(hunk, "rewrite", cause="new std::make_unique")


def _undeleted(tree: Tree, deleted: set[str], start: int, end: int) -> Iterator[Hunk]:
    """Yield the statements that delete what deletes itself, with the loops and destructors."""
    for found in re.finditer(r"\bdelete\s+([\w.*()]+);", tree.text[start:end]):
        path = tree.path(start + found.start()) if found[1] in deleted else ()
        statement = next((one.node for one in path if one.type == "expression_statement"), None)
        if statement is not None:
            hunk = without_lines(tree, _all_of(tree, statement))
            if hunk is not None:
                yield hunk


def _all_of(tree: Tree, statement: Node) -> Node:
    """Return the loop, and the destructor, of which a statement is all."""
    whole = statement
    for one in tree.around(statement):
        if one.type in ("for_range_loop", "for_statement"):
            whole = one
        elif one.type == "function_definition":
            return one if "~" in tree.of(field(one, "declarator")) else whole
        elif one.type != "compound_statement" or one.named_child_count > 1:
            return whole
    return whole


def _is_plain(names: Names, offset: int, target: str | None, kind: str) -> bool:
    """Tell whether a function returns a plain pointer, or has one of the name of a target."""
    function = function_around(names, offset)
    if function is None:
        return False
    head = names.tree.text[function.start : function.span[0]]
    written = names.tree.of(function.node) if target else head
    return _points(written, kind) and (not target or _points(written, kind, target))


def _points(text: str, kind: str, name: str = "") -> bool:
    """Tell whether a text declares a plain pointer."""
    named = rf"\s*{name}\b" if name else ""
    return re.search(rf"\b{kind}\s*\*{named}", text) is not None


def _rewrite(hunk: Hunk, *, is_first: bool = False) -> Consequence:
    return Consequence(hunk, "rewrite", is_first=is_first)
