"""Names that a function treats alike: a new one is treated as they are.

A constructor assigns its parameters to fields; a setup function, a hook or a factory ends with
`return { count, double, increment }`.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import CONSTRUCTORS
from editcast_model.consequences.lists.placing import inserted
from editcast_model.consequences.lists.word_forms import renamed
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Argument, Function
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.members import is_declared_member, owner
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

#: Types of nodes in which an assignment runs in some cases only.
_NESTED = re.compile("^(if|else|for|while|try|catch|switch|match|case)|lambda|closure|anonymous")
_VALUES = re.compile("^(expression_list|tuple)$")
_ASSIGNMENT = re.compile("assignment|field_initializer|keyed_element")
#: Names of functions that make an object.
_MAKES = re.compile("|".join((*CONSTRUCTORS, r"New([A-Z]\w*)?")))
#: Names that a function returns at least; of more than as many, one other may be its own.
_LEAST = 2


def after_constructor(change: Change) -> Iterator[Consequence]:
    """Return the assignments that constructors lack whose class has fields for new parameters."""
    for was, function in change.functions:
        known, now = ({one.name for one in each.parameters} for each in (was, function))
        is_constructor = function.is_constructor or _MAKES.fullmatch(function.name)
        if is_constructor and known < now and "" not in now:  # else one took another's place
            for one in function.parameters:
                if one.name not in known:
                    yield from _assigned(change.after, function, one)


def _assigned(names: Names, function: Function, new: Parameter) -> Iterator[Consequence]:
    """Return the assignment of a parameter, behind the last one, or the nearest before it."""
    at, listed, text = function.parameters.index(new), function.parameters, names.tree.text
    if any(_uses(names, function, new.name)):
        return
    others = (*reversed(listed[:at]), *listed[at + 1 :])
    uses = [use for other in others for use in _uses(names, function, other.name)]
    if (hunk := _callable_kept(names, function, new)) is not None:
        yield Consequence(hunk, "assign_parameter", cause=f"keep {new.name}")
        return
    if new is listed[-1]:
        uses.sort(key=lambda use: -use.start)
    for use in uses:
        start, end = _line(names, function, use)
        like, written = text[start:end], _renamed(names, text[start:end], use.name, new.name)
        hunk = Hunk(end, end, written)
        if not any(_fields(names, {*WORD.findall(written)} - {*WORD.findall(like)})):
            old = next(one for one in others if one.name == use.name)
            hunk = _field_beside(names, function, like, old, new)
        if start < end and hunk is not None:
            yield Consequence(hunk, "assign_parameter", cause=f"{use.name} {new.name}")
            return


def _callable_kept(names: Names, function: Function, new: Parameter) -> Hunk | None:
    """Return the field of a clock or a callback of Python, behind the last field of a parameter.

    Of other parameters of such constructors, commits keep half otherwise, or not at all.
    """
    tree, body = names.tree, field(function.node, "body")
    is_alias = re.search(rf"^{re.escape(new.type)} = Callable\b", tree.text, re.MULTILINE)
    is_callable = new.type.startswith("Callable[") or (new.type.isidentifier() and is_alias)
    if tree.language != "python" or not is_callable or body is None:
        return None
    others = "|".join(one.name for one in function.parameters if one.name and one is not new)
    given = (
        re.compile(rf"self\.\w+(?:: [^=\n]+)? = ([^\n]*?\b(?:{others})\b.*)") if others else None
    )
    found = [(one, given.match(tree.of(one))) for one in body.named_children if given]
    lines = [(one, each[1]) for one, each in found if each is not None]
    plain = [one for one, value in lines if value in others.split("|")]
    if not lines:
        return None
    last = plain[-1] if plain else lines[-1][0]
    start, end = tree.text.rfind("\n", 0, last.start_byte) + 1, last.end_byte
    mark = "_" if re.search(r"\bself\._\w+(?:: [^=\n]+)? = ", tree.of(body)) else ""
    written = f"\n{tree.text[start : last.start_byte]}self.{mark}{new.name} = {new.name}"
    return Hunk(end, end, written)


def _uses(names: Names, function: Function, name: str) -> Iterator[Occurrence]:
    """Return where a function's body uses a parameter."""
    body = function.node.child_by_field_name("body")
    start, end = (body.start_byte, body.end_byte) if body is not None else (0, 0)
    return (
        one for one in names.of(name) if start <= one.start < end and one.role is Role.REFERENCE
    )


def _line(names: Names, function: Function, use: Occurrence) -> tuple[int, int]:
    """Return the line in which a field gets a name's value and nothing else is; an empty range."""
    entry: Node | None = None
    for step in reversed(use.path[:-1]):
        has_several = _VALUES.search(step.type) and step.node.named_child_count > 1
        if step.node.end_byte != use.end or has_several:  # several values, of as many fields
            break
        if _ASSIGNMENT.search(step.type):
            entry = step.node
    inside = (step.type for step in use.path if step.node.start_byte > function.start)
    if entry is None or any(map(_NESTED.search, inside)):
        return 0, 0
    text = names.tree.text
    start = text.rfind("\n", 0, entry.start_byte) + 1
    end = text.find("\n", entry.end_byte) + 1
    around = text[start : entry.start_byte] + text[entry.end_byte : end]
    return (start, end) if not around.strip(" \t\r\n,;") else (0, 0)


def _field_beside(
    names: Names, function: Function, like: str, old: Parameter, new: Parameter
) -> Hunk | None:
    """Return the declaration of a field for a parameter, behind that of another one's field.

    One with a default is often an option that the constructor itself reads.
    """
    text, is_typed = names.tree.text, bool(old.type and new.type and new.is_required)
    for one in _fields(names, WORD.findall(like)) if is_typed else ():
        start, end = text.rfind("\n", 0, one.start) + 1, text.find("\n", one.end) + 1
        before, kind, behind = text[start:end].partition(old.type)
        if kind and end <= function.start and owner(names, one) == function.owner:
            parts = (_renamed(names, part, old.name, new.name) for part in (before, behind))
            written = new.type.join(parts)
            return Hunk(end, end, written) if one.name not in WORD.findall(written) else None
    return None


def _renamed(names: Names, text: str, *parameters: str) -> str:
    """Put the second of two parameters in the place of the first."""
    words = (one.removeprefix(names.rules.sigil) for one in parameters)
    return renamed(text, *words, within=True)


def _fields(names: Names, words: Iterable[str]) -> Iterator[Occurrence]:
    """Yield where fields with some names are declared."""
    for one in (one for word in words for one in names.of(word)):
        if is_declared_member(one) and one.part.kind != "method":
            yield one


def after_local(change: Change) -> Iterator[Consequence]:
    """Return the new local functions and values that a function lacks among those it returns."""
    names = change.after
    for one in change.new_names() if names.tree.language in (*SCRIPTS, "vue") else ():
        if one.role is Role.DEFINITION and len(names.of(one.name)) == 1:
            around = names.tree.around(one.path[-1].node)
            body = next((each for each in around if each.type == "statement_block"), None)
            yield from _returned(names.tree, body, one.name) if body is not None else ()


def _returned(tree: Tree, body: Node, name: str) -> Iterator[Consequence]:
    """Put a name into the object that a function returns, with nearly all others of its kind."""
    kinds = dict(chain.from_iterable(_declared(tree, one) for one in body.named_children))
    last, kind = body.named_children[-1], kinds.pop(name, "")
    listed = first_child(last) if last.type == "return_statement" else None
    if not kind or listed is None or listed.type != "object":
        return
    entries = [one for one in listed.named_children if one.type != "comment"]
    returned = [tree.of(one) for one in entries]
    is_plain = all(one.type == "shorthand_property_identifier" for one in entries)
    like = [one in returned for one, other in kinds.items() if other == kind]
    if not is_plain or len(entries) < _LEAST or not {*returned} <= {*kinds}:
        return
    if sum(like) <= _LEAST * like.count(False):
        return
    arguments = [Argument(one.start_byte, one.end_byte) for one in entries]
    span = listed.start_byte + 1, listed.end_byte - 1
    yield Consequence(inserted(tree.text, span, arguments, len(entries), name), "return_local")


def _declared(tree: Tree, statement: Node) -> Iterator[tuple[str, str]]:
    """Yield what a statement declares, each with its kind: a function, who made it, or nothing."""
    if "function" in statement.type:
        yield tree.of(field(statement, "name")), "function"
    for one in statement.named_children if "declaration" in statement.type else ():
        called, value = field(one, "name"), field(one, "value")
        is_function = value is not None and "function" in value.type
        kind = "function" if is_function else tree.of(field(value, "function"))
        for word in WORD.findall(tree.of(called)):
            yield word, kind if word == tree.of(called) else ""
