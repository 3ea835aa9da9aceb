"""Texts that become members of an enum, since what they are given to is of its type now.

After a field `state: str` has become `state: State`, or `self.state == "open"` has become
`self.state == State.OPEN`, the same is due for the other texts that the state is given or compared
with. In PHP and Python, what is read from a row is made a member, and in PHP a member is written as
its value.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.entry_references import is_apart, literals, path_of, placed
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.consequences.members.operands import Operand, last_word, name_at, operand
from editcast_model.consequences.other_files.entry_index import EntryIndex, Place, literal_text
from editcast_model.consequences.other_files.imports import package_of
from editcast_model.consequences.rewrites.retyped import RESULTS, declared_anew, type_of
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import function_at
from editcast_model.syntax.members import is_declared_member, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role, Scope
from editcast_model.syntax.tree import Path, Tree, field, first_child

_TEXTS = frozenset({"str", "string", "String"})
_TEXT_TYPE = re.compile(rf"\b(?:{'|'.join(_TEXTS)})\b")
_TYPE = re.compile(r"[^\W\d][\w.\\]*")
_NOTHING = frozenset({"null", "None", "undefined"})
_NULLABLE = re.compile(r"\?|\b(?:null|None|Optional|undefined)\b")
_KEY = re.compile(r"[\w-]+")
_TEXT = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")
#: What stores what it is given, in PHP, and types of nodes between the two.
_STORING = ("execute", "bindValue", "bindParam")
_PLACED = re.compile("argument|array_")
_AFFIXES = ("get", "set")
_OWN_CLASS = ("self", "static", "cls")
_DECLARING = (Role.DEFINITION, Role.MEMBER_DEFINITION)
#: By language, what makes a member of a text that is read, and the key of what is read.
_READ = {"php": "{}::from({})", "python": "{}({})"}
_ROW = re.compile(r"(?<![$\w>.-])[$\w>.-]+\[\s*([\"'])(\w+)\1\s*\]")


@dataclass(frozen=True)
class Typed:
    """A thing that is a member of an enum now, and was a text.

    Attributes:
        name: Its name.
        enum: The enum, as the code writes it.
        called: The function that it is a parameter of, or the class that it is a member of.
        is_member: Whether it is a member, and not a parameter or a variable.
        is_converted: Whether it is made from the texts of rows, and a text of it again: it is a
            member that cannot be nothing.
        scope: That of a parameter or variable; None for what is known by its name.
        index: Which parameter of the function or the constructor it is; -1 if it may be any.
    """

    name: str
    enum: str
    called: str = ""
    is_member: bool = False
    is_converted: bool = False
    scope: Scope | None = None
    index: int = -1


def newly_typed(change: Change) -> Iterator[Typed]:
    """Yield what was declared to be a text, and is declared to be something with a name now."""
    for one, before, kind in declared_anew(change):
        now = change.after.tree.of(kind)
        old, new = ({*_TYPE.findall(each)} - _NOTHING for each in (before, now))
        if len(new - old) == 1 and len(old - new) == 1 and old - new <= _TEXTS:
            typed = _typed(change.after, one, (new - old).pop())
            is_sure = typed.is_member and not _NULLABLE.search(now)
            yield replace(typed, is_converted=is_sure)


def _typed(names: Names, one: Occurrence, enum: str) -> Typed:
    name, function = one.name.lstrip("$"), function_at(names, one.start)
    given = [each.name.lstrip("$") for each in function.parameters] if function else []
    index = given.index(name) if name in given else -1
    if is_declared_member(one):
        whose = (owner(names, one) or "").split("@")[0]
        return Typed(name, enum, whose, is_member=True, index=index)
    if index < 0 or function is None:
        return Typed(name, enum, scope=names.home(one))
    scope = None if function.is_constructor else names.home(one)
    return Typed(name, enum, function.name, function.is_constructor, scope=scope, index=index)


def after_enum(change: Change, entries: EntryIndex) -> Iterator[Consequence]:
    """Return what follows in a file from the new types and members in it."""
    names = change.after
    found = dict.fromkeys((*newly_typed(change), *exemplified(change, entries)))
    left = [typed_left_in(names, found, entries)]
    if unsaved := [one for one in found if not entries.of(f"{_base(one.enum)}.")]:
        own = EntryIndex()
        own.put("", names.tree.language, names.tree.text)
        left.append(typed_left_in(names, unsaved, own))
    for one in chain.from_iterable(left):
        if not change.wrote(one.hunk.start, one.hunk.end):
            yield one


def enums_left_in(
    names: Names, typed: Iterable[Typed], saves: Iterable[Change | None], entries: EntryIndex
) -> Iterator[Consequence]:
    """Return what follows in a file from the new types, and the members, of other files."""
    examples = (one for change in saves if change for one in exemplified(change, entries))
    own = f"{package_of(names)}."
    tied = (
        replace(one, enum=one.enum.removeprefix(own))
        for one in typed
        if re.search(one.called, names.tree.text, re.IGNORECASE)
    )
    known = (one for one in examples if one.scope is None and "." not in one.enum)
    found = dict.fromkeys((*tied, *known))
    yield from typed_left_in(names, found, entries)


def exemplified(change: Change, entries: EntryIndex) -> Iterator[Typed]:
    """Yield what had a text beside it in whose place a member of an enum stands now."""
    tree, now = change.before.tree, change.after.tree.text
    for hunk, start, end in change.finished():
        path = path_of(tree, hunk.start)
        text = literal_text(tree, path[-1].node)
        thing = operand(tree, path) if text and len(path) > 1 else None
        line = now[now.rfind("\n", 0, start) + 1 : now.find("\n", end) % (len(now) + 1)]
        if thing is None or not _KEY.fullmatch(text or "") or text in _TEXT.findall(line):
            continue
        word = last_word(tree, thing.node)
        one = change.before.at(word.start()) if word else None
        is_local = one is not None and one.role is Role.REFERENCE and not thing.is_called
        same = change.same_now(one) if one is not None and is_local else None
        scope = change.after.resolve(same) if same is not None else None
        for enum in {_enum_in(line, place) for place in entries.of(text or "")} - {None}:
            if word and thing.is_called:
                yield Typed("", enum or "", word[0], index=thing.place)
            elif word and (scope is not None or not is_local):
                yield Typed(name_at(tree, word), enum or "", scope=scope)


def _enum_in(line: str, place: Place) -> str | None:
    """Return how a line writes the enum of an entry, if it writes the entry."""
    *_, enum, key = ("", *place.keys)
    is_go = place.file.endswith(".go")
    written = r"(?:\w+\.)?" if is_go else rf"(?:[\w\\]+\.)*{enum}"
    sign = "" if is_go else r"(?:::|\.)"
    pattern = rf"(?<![\w\"'`.])({written}){sign}{re.escape(key)}(?![\w.(]|->)"
    found = re.search(pattern, line) if enum else None
    return found and found[1] + (enum if is_go else "")


def typed_left_in(
    names: Names, found: Iterable[Typed], entries: EntryIndex
) -> Iterator[Consequence]:
    """Return the edits that are left to make of what some things are given and give.

    Args:
        names: The names of the text.
        found: The things.
        entries: The texts that files of the project give names to.
    """
    known = [one for one in found if entries.of(f"{_base(one.enum)}.")]
    for node in literals(names.tree) if known else ():
        places = entries.of(literal_text(names.tree, node) or "")
        path = path_of(names.tree, node.start_byte) if places else ()
        thing = operand(names.tree, path) if path and not is_apart(names.tree, path) else None
        for one in known if thing is not None else ():
            keys = {each.keys[-1] for each in places if each.keys[-2:-1] == (_base(one.enum),)}
            if len(keys) == 1 and thing and _takes(names, one, thing):
                hunk = _put(names.tree, one.enum, keys.pop(), path, thing)
                yield Consequence(hunk, "use_entry", cause=f"{one.enum}.*")
                break
    for one in known:
        for hunk in chain(_reads(names, one), _values(names, one), _results(names, one)):
            yield Consequence(hunk, "use_entry", cause=one.enum)


def _base(enum: str) -> str:
    return re.split(r"[.\\]", enum)[-1]


def _code(tree: Tree, enum: str, key: str) -> str:
    if tree.language == "go":
        return enum.removesuffix(_base(enum)) + key
    return f"{enum}{'::' if tree.language in ('php', 'rust') else '.'}{key}"


def _put(tree: Tree, enum: str, key: str, path: Path, thing: Operand) -> Hunk:
    """Put a member in the place of the text at the end of a path."""
    node, code = path[-1].node, _code(tree, enum, key)
    is_java = tree.language == "java"
    call = thing.call if is_java else None
    if call is not None and tree.of(field(call, "name")).startswith("equals"):
        start, end = call.start_byte, call.end_byte
        is_not = tree.text[start - 1] == "!"
        return Hunk(start - is_not, end, f"{tree.of(thing.node)} {'!=' if is_not else '=='} {code}")
    if is_java and path[-2].type == "switch_label":
        code = key
    return Hunk(node.start_byte, node.end_byte, placed(code, path) or code)


def _is_called(name: str, written: str) -> bool:
    """Tell whether code that is written so is something of a name, or the method that gives it."""
    parts, wanted = parts_of(written), parts_of(name)
    is_key, is_wanted = (one.endswith(("'", '"')) for one in (written, name))
    return is_key == is_wanted and wanted in (parts, parts[1:] if parts[0] in _AFFIXES else parts)


def _takes(names: Names, typed: Typed, thing: Operand) -> bool:
    """Tell whether what goes with a value is what has a type now, or takes it."""
    word = last_word(names.tree, thing.node)
    if word is None:
        return False
    written = name_at(names.tree, word)
    if thing.is_called:
        is_own = typed.is_member and written in _OWN_CLASS
        is_made = is_own or (written == typed.called != "")
        is_setter = typed.is_member and parts_of(written) == ("set", *parts_of(typed.name))
        return is_setter or (is_made and typed.index in (-1, thing.place))
    one = names.at(word.start())
    if not typed.name or one is None or not _is_called(typed.name, written):
        return one is None and bool(typed.name) and typed.name == written  # a key in quotes
    if one.role is Role.MEMBER and typed.called:
        whose = owner(names, one)
        return whose is None or _base(whose.split("@")[0]) == typed.called
    if typed.scope is not None and one.role is not Role.KEYWORD:
        return one.role in (*_DECLARING, Role.REFERENCE) and names.resolve(one) == typed.scope
    meant = names.meant_by(one) if one.role in (*_DECLARING, Role.REFERENCE) else ()
    kinds = (type_of(names, each) for each in meant)
    return not any(_is_text(names.tree, kind) for kind in kinds)


def _is_text(tree: Tree, kind: Node | None) -> bool:
    return kind is not None and {*_TYPE.findall(tree.of(kind))} - _NOTHING <= _TEXTS


def _reads(names: Names, typed: Typed) -> Iterator[Hunk]:
    """Yield what makes members of the values of rows that are given to a member."""
    tree = names.tree
    wanted = _READ.get(tree.language) if typed.is_converted and typed.name else None
    for found in _ROW.finditer(tree.text) if wanted else ():
        path = tree.path(found.start())
        at = next((at for at, one in enumerate(path) if one.node.byte_range == found.span()), 0)
        if not at or parts_of(found[2]) != parts_of(typed.name) or "binary" in path[at - 1].type:
            continue
        thing = operand(tree, path[: at + 1])
        if wanted and thing is not None and _takes(names, typed, thing):
            yield Hunk(*found.span(), wanted.format(typed.enum, found[0]))


def _results(names: Names, typed: Typed) -> Iterator[Hunk]:
    """Yield the types of functions that only return what has another type now."""
    for one in names.of(typed.name) if typed.name else ():
        at = next((at for at, step in enumerate(one.path) if step.type == "return_statement"), 0)
        value = first_child(one.path[at].node)
        if value is None or value.end_byte != one.end or not _takes(names, typed, Operand(value)):
            continue
        for step in reversed(one.path[:at]):
            is_function = field(step.node, "body") is not None
            kind = field(step.node, *RESULTS) if is_function else None
            if kind is not None and _is_text(names.tree, kind):
                for found in _TEXT_TYPE.finditer(names.tree.text, kind.start_byte, kind.end_byte):
                    yield Hunk(*found.span(), typed.enum)
            if step.node.named_child_count != 1:
                break


def _values(names: Names, typed: Typed) -> Iterator[Hunk]:
    """Yield the values of members, in the place of these, where PHP stores them."""
    for one in names.of(typed.name) if typed.is_converted and typed.name else ():
        node = one.path[-2].node
        is_member = one.role is Role.MEMBER and _takes(names, typed, Operand(node))
        if is_member and _is_stored(names.tree, one.path[:-1], typed.name):
            yield Hunk(node.end_byte, node.end_byte, "->value")


def _is_stored(tree: Tree, path: Path, name: str) -> bool:
    """Tell whether the last node of a path is put in a row, in PHP."""
    above, node = path[-2:][0].node, path[-1].node
    if tree.language != "php" or tree.text.startswith("->", node.end_byte):
        return False
    if above.type == "array_element_initializer" and above.named_child_count > 1:
        key = first_child(above)
        return key != node and parts_of(tree.of(key)) == parts_of(name)
    outer = next((one for one in reversed(path[:-1]) if not _PLACED.match(one.type)), path[0])
    return tree.of(field(outer.node, "name")) in _STORING and "call" in outer.type


def newly_typed_for_others(change: Change) -> Iterator[Typed]:
    """Yield what other files have to follow, without local names.

    In Go, enums of this package are written with its name.
    """
    package = f"{name}." if (name := package_of(change.after)) else ""
    for one in newly_typed(change):
        if one.called:
            enum = one.enum if "." in one.enum else package + one.enum
            yield replace(one, enum=enum, name=one.name if one.is_member else "", scope=None)
