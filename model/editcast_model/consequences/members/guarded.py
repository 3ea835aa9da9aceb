"""Methods that use what a lock guards since another method of their class takes it for that.

After `with self._lock:` was put around statements of a method that use `self._items`, the other
methods that use it get the same, if some method writes it. So it is with `mu.Lock()` at the
beginning of methods of Go, where a new lock of a struct guards the fields beneath it.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.locks import methods_of
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.tree import Tree, field


class _Syntax(NamedTuple):
    """Patterns of a language: OWN stands for what is before a member, such as `self.`.

    Attributes:
        takes: The beginning of what takes a lock, whose name is the group.
        lock: Declares a lock, NAME; what matches the group may be taken again by who has it.
        hidden: The beginning of methods that only others of the class call.
    """

    takes: str
    lock: str
    hidden: str


_LANGUAGES: Final = {
    "python": _Syntax(
        r"(?:async )?with OWN(\w+):[ \t]*\r?\n\s*",
        r"\bNAME\b[^=\n]*=.*\b(?:Lock|(RLock))\b",
        r"(?:async )?def _(?!_)",
    ),
    "go": _Syntax(
        r"OWN(\w+)\.R?Lock\(\)\s+defer OWN\1\.R?Unlock\(\)\s*",
        r"\bNAME\s+sync\.(?:RW)?Mutex\b",
        r"func \([^)]*\) [a-z]",
    ),
}
_WRITES: Final = r"""(?x)
    OWN(\w+)(?:\[[^\n]*?\]|\.\w+)*(?:\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>)?=(?!=)|\+\+|--)
    | (?:\bdel\ |\b(?:delete|clear|append|heap\.?\w+)\(&?)OWN(\w+)
    | OWN(\w+)(?:\[[^\n]*?\])?\.(?i:(?:append|extend|pop|add|remove|push|put|discard|insert|update
      |setdefault|clear|move_to|sort|reverse|rotate|subtract|write|reset)\w*)\("""
#: Declares a member that needs no lock.
_SAFE: Final = (
    r"\bNAME\b[^\n]*\b(?:(?:threading|queue|asyncio|multiprocessing|logging|atomic)\.|chan\b"
    r"|sync\.)"
)
#: Methods that no other thread calls yet, or that show an object wherever it is.
_APART: Final = re.compile(r"__(?!(len|contains|getitem|setitem|delitem|call|bool|i?add)__)\w+__")
#: What waits, runs later or by pieces, or takes another lock.
_WAITS: Final = re.compile(
    r"\byield\b|\b[sS]leep\(|\.(?:wait|Wait|join|acquire)\(\)|\bwhile True\b|\bfor \{"
    r"|<-|\bgo (?:func|\w+\.)|\bdef |\bwith self\.\w*(?:[lL]ock|cond|mutex)|\w\.R?Lock\(\)"
    r"|\bThread\b"
)
_NEW: Final = re.compile(r"^[ \t]*(\w+)[ \t]+sync\.(?:RW)?Mutex\b", re.MULTILINE)
_TAKEN: Final = re.compile(r"\.R?Lock\(\)\n\tdefer [\w.]+\.R?Unlock\(\)\n(\n?)")
_FIELD: Final = re.compile(r"^\t(\w+)[ \t]", re.MULTILINE)
_OWNERS: Final = ("class_definition", "type_spec")
_RECEIVER: Final = re.compile(r"^func \((\w+)")
_RETURN: Final = re.compile(r"return \w+;?")
#: The most lines of statements, and of a class: a lock of a longer one is for some of its members.
_LONGEST, _LARGEST = 25, 200


class _Method:
    """A method of a class.

    Attributes:
        own: Matches what is before a member of its object.
        is_hidden: Whether only other methods of the class call it.
    """

    def __init__(self, tree: Tree, node: Node) -> None:
        syntax, self.node, self.text = _LANGUAGES[tree.language], node, tree.of(node)
        self.name, self.body = tree.of(field(node, "name")), tree.of(field(node, "body"))
        receiver = _RECEIVER.match(self.text)
        self.own = rf"\b{receiver[1] if receiver else 'self'}\."
        self.is_hidden = re.match(syntax.hidden, self.text) is not None

    @property
    def statements(self) -> list[Node]:
        """Its statements and comments, without what documents it."""
        body = field(self.node, "body")
        nodes = body.named_children if body is not None and body.type == "block" else []
        lists = (one.named_children if one.type == "statement_list" else [one] for one in nodes)
        found = [one for some in lists for one in some]
        is_documented = bool(found) and [one.type for one in found[0].named_children] == ["string"]
        return found[is_documented:]

    def uses(self, text: str) -> set[str]:
        """Return the members that a part of it uses."""
        return set(re.findall(rf"{self.own}(\w+)", text))


class _Example(NamedTuple):
    """A part of a method that takes a lock, and what is around it."""

    lock: str
    opening: str
    indent: str
    inner: str
    is_led: bool  # statements stand before it
    is_followed: bool


def after_guard(change: Change) -> Iterator[Consequence]:
    """Return the methods that are to take the lock that another one takes since a change."""
    tree = change.after.tree
    methods = change.functions if tree.language in _LANGUAGES else ()
    for was, now in (each for each in methods if each[1].owner and not each[1].is_constructor):
        method, before = _Method(tree, now.node), change.before.tree.of(was.node)
        found, (_, _, at) = _example(tree, method), (now.owner or "").partition("@")
        is_new = found is not None and not re.search(rf"\b{found.lock}\b", before)
        if found is not None and is_new and _squeezed(found.inner) in _squeezed(before):
            owners = (one.node for one in (tree.path(int(at)) if at else ()) if one.type in _OWNERS)
            for owner in (one for one in owners if one.start_byte == int(at)):
                for hunk in _Owner(tree, owner).left(found):
                    yield Consequence(hunk, "migrate", cause=f"guard {found.lock}")


def after_new_lock(change: Change) -> Iterator[Consequence]:
    """Return the methods of Go that are to take a lock of their struct, once it is imported."""
    tree = change.after.tree
    is_ready = tree.language == "go" and '"sync"' in tree.text
    for hunk, start, end in change.finished() if is_ready else ():
        found = _NEW.search(tree.text, *line_around(tree.text, start, end))
        path = tree.path(found.start(1)) if found is not None and "Mutex" in hunk.text else ()
        spec = next((one.node for one in path if one.type == "type_spec"), None)
        if found is None or spec is None:
            continue
        beneath = tree.text[found.end() : spec.end_byte].partition("\n")[2].partition("\n\n")[0]
        taken, lock = _TAKEN.search(tree.text), f"x.{found[1]}"
        blank = taken[1] if taken is not None else ""
        opening = f"{lock}.Lock()\n\tdefer {lock}.Unlock()\n{blank}\t"
        example = _Example(found[1], opening, "\t", "", False, False)
        for one in _Owner(tree, spec).left(example, {*_FIELD.findall(beneath)}):
            yield Consequence(one, "migrate", cause=f"guard {found[1]}")


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def _example(tree: Tree, method: _Method) -> _Example | None:
    """Return the first statements of a method that take a lock."""
    takes = re.compile(_LANGUAGES[tree.language].takes.replace("OWN", method.own))
    nodes = method.statements
    for one in nodes:
        if found := takes.match(tree.text, one.start_byte):
            end = nodes[-1].end_byte if tree.language == "go" else one.end_byte
            places = (each.start_byte for each in nodes if each.type != "comment")
            behind = {place >= end for place in places if not one.start_byte <= place < end}
            indent, inner = indent_at(tree, one.start_byte), tree.text[found.end() : end]
            return _Example(found[1], found[0], indent, inner, False in behind, True in behind)
    return None


class _Owner:
    """A class, or a type of Go, with its methods."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self._tree, self._syntax = tree, _LANGUAGES[tree.language]
        self._readers = methods_of(tree, node) if tree.language == "go" else {}
        body, nodes = field(node, "body"), [one.node for one in self._readers.values()]
        inner = body.named_children if body is not None else nodes
        inner = [field(one, "definition") or one for one in inner]
        self._text = tree.of(node)
        self._methods = [_Method(tree, one) for one in inner if field(one, "parameters")]

    def left(self, example: _Example, beneath: Collection[str] = ()) -> Iterator[Hunk]:
        """Yield what makes the methods that are left take the lock, which has fields beneath it."""
        lock = re.search(self._syntax.lock.replace("NAME", example.lock), self._text)
        name = rf"{example.lock}\b"
        taking = [one for one in self._methods if re.search(one.own + name, one.text)]
        parts = [(one, _example(self._tree, one)) for one in taking]
        alike = [(one, part) for one, part in parts if part and part.lock == example.lock]
        used = (self._reached(method, part.inner) for method, part in alike)
        is_large = sum(one.text.count("\n") for one in self._methods) > _LARGEST
        if lock is None or is_large:
            return
        guarded = set(beneath).union(*used) & self._written()
        example = example._replace(
            is_led=any(part.is_led for _, part in alike),
            is_followed=any(part.is_followed for _, part in alike),
        )
        shut = [] if any(lock.groups()) else taking
        called = set[str]().union(*(self._reached(one, one.body, is_deep=True) for one in shut))
        visible = [one for one in self._methods if not one.is_hidden]
        public = (one for one in visible if one.uses(one.body) & guarded)
        locked = [*shut, *public] if shut else []
        for method in self._methods:
            used_by = (one.uses(one.body) for one in self._methods if one.node != method.node)
            is_helper = method.is_hidden and any(method.name in each for each in used_by)
            if method in taking or is_helper or method.name in called or _APART.match(method.name):
                continue
            part = self._part(method, example, guarded)
            names = self._reached(method, "".join(map(self._tree.of, part)), is_deep=True)
            if part and not any(one.name in names for one in locked):
                yield from self._put(method, part, example)

    def _written(self) -> set[str]:
        """Return the members that methods write, without what needs no lock."""
        names = set[str]()
        for one in self._methods:
            if not _APART.match(one.name):
                found = re.finditer(_WRITES.replace("OWN", one.own), one.body)
                names |= {"".join(each.groups("")) for each in found}
        return {one for one in names if not re.search(_SAFE.replace("NAME", one), self._text)}

    def _reached(self, method: _Method, text: str, is_deep: bool = False) -> set[str]:
        """Return the members that a part of a method uses, by its helpers or all methods too."""
        names, left = method.uses(text), [one for one in self._methods if is_deep or one.is_hidden]
        while called := [one for one in left if one.name in names]:
            left = [one for one in left if one not in called]
            names = names.union(*(one.uses(one.body) for one in called))
        return names

    def _part(self, method: _Method, example: _Example, guarded: set[str]) -> list[Node]:
        """Return the statements of a method that need a lock; none if it may be in the way."""
        nodes, held, touched = method.statements, set[str](), list[int]()
        item = re.compile(rf"(\w+)\b[^=\n]*= (?:await )?{method.own}\w+(?:[\[(]|\.get|\.setd)")
        for at, one in enumerate(nodes):
            text = self._tree.of(one)
            is_held = not (held.isdisjoint(re.findall(r"\w+", text)) or _RETURN.fullmatch(text))
            if one.type != "comment" and (is_held or self._reached(method, text) & guarded):
                touched.append(at)
                held.update(item.findall(text))
        if not touched:
            return []
        first = touched[0] if example.is_led else 0
        while first and nodes[first - 1].type == "comment":
            first -= 1
        part = nodes[first : touched[-1] + 1 if example.is_followed else None]
        text, is_async = self._tree.text[part[0].start_byte : part[-1].end_byte], "async "
        is_plain = re.fullmatch(r"return self\.\w+", text)
        awaits = example.opening.startswith(is_async)
        if awaits and not method.text.startswith(is_async) or not awaits and "await " in text:
            return []
        is_whole = not self._tree.text[: part[0].start_byte].rpartition("\n")[2].strip()
        is_fit = is_whole and text.count("\n") <= _LONGEST
        return part if is_fit and not is_plain and not _WAITS.search(text) else []

    def _put(self, method: _Method, part: list[Node], example: _Example) -> Iterator[Hunk]:
        """Yield what makes a method take the lock for some of its statements."""
        tree, start, end = self._tree, part[0].start_byte, part[-1].end_byte
        indent = indent_at(tree, start)
        opening = example.opening.replace(f"\n{example.indent}", f"\n{indent}")
        if tree.language == "go":
            reader = "R" if self._reads(method, example.lock) else ""
            opening = re.sub(r"\w+(\.\w+\.)R?(\w+\()", rf"{method.own[2:-2]}\1{reader}\2", opening)
            yield Hunk(start, start, opening)
            return
        deeper = opening.rpartition("\n")[2].removeprefix(indent)
        lines = tree.text[start:end].splitlines(keepends=True)
        text, at = lines[0], start + len(lines[0])
        for line in lines[1:]:
            above = tree.path(at)
            is_kept = any("string" in one.type and one.node.start_byte < at for one in above)
            text += line if is_kept or not line.strip() else deeper + line
            at += len(line)
        yield Hunk(start, end, opening + text)

    def _reads(self, method: _Method, lock: str) -> bool:
        """Tell whether a method of Go needs the lock for reading only, and may have it so."""
        is_shared = re.search(rf"\b{lock}\s+sync\.RW", self._text)
        return is_shared is not None and self._readers[method.name].only_reads(self._readers)
