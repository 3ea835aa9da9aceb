"""Methods that use what a lock guards since another method of their class takes it for that.

After `with self._lock:` was put around statements of a method that use `self._items`, the other
methods that use it get the same, if some method writes it. So it is with `lock` in C#, with
`mu.Lock()` at the beginning of methods of Go, and with `synchronized` methods of Java.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.locks import methods_of
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree, field


class _Syntax(NamedTuple):
    """Patterns of a language: OWN stands for what is before a member, such as `self.`.

    Attributes:
        own: What is before a member; empty for the receiver of a method.
        takes: The beginning of what takes a lock, whose name is the group.
        lock: Declares a lock, NAME; what matches the group may be taken again by who has it.
        hidden: The beginning of methods that only others of the class call.
    """

    own: str
    takes: str
    lock: str
    hidden: str


_FIELD: Final = r"(?<![\w.])(?:this\.)?"
_LANGUAGES: Final = {
    "python": _Syntax(
        r"\bself\.",
        r"(?:async )?with OWN(\w+):[ \t]*\r?\n\s*",
        r"\bNAME\b[^=\n]*=.*\b(?:Lock|(RLock))\b",
        r"(?:async )?def _(?!_)",
    ),
    "go": _Syntax(
        "",
        r"OWN(\w+)\.R?Lock\(\)\s+defer OWN\1\.R?Unlock\(\)\s*",
        r"\bNAME\s+sync\.(?:RW)?Mutex\b",
        r"func \([^)]*\) [a-z]",
    ),
    "csharp": _Syntax(
        _FIELD, r"lock \(OWN(\w+)\)\s*\{\s*", r"\bNAME( *[=;])", r"(?!.*\b(?:public|internal)\b)"
    ),
    "java": _Syntax(_FIELD, r"(?:@\w+\s+|\w+ )*?synchronized ()", "(.)", r"(?:@\w+\s+)*private\b"),
}
_WRITES: Final = r"""(?x)
    OWN(\w+)(?:\[[^\n]*?\]|\.\w+)*(?:\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>|\?\?)?=(?![=>])|\+\+|--)
    | (?:\+\+|--|\bdel\ |\b(?:delete|clear|append|heap\.?\w+)\(&?)OWN(\w+)
    | OWN(\w+)(?:\[[^\n]*?\])?\.(?i:(?:append|extend|pop|(?:try)?(?:add|remove)|push|put|discard
      |insert|update|setdefault|clear|move_?to|enqueue|(?:try)?dequeue|offer|poll|merge|compute
      |sort|reverse|rotate|subtract|write|reset)\w*)\("""
#: Declares a member that needs no lock.
_SAFE: Final = (
    r"\bNAME\b[^\n]*\b(?:(?:threading|queue|asyncio|multiprocessing|logging|atomic)\.|chan\b"
    r"|sync\.|Concurrent|Atomic|CopyOnWrite|\w*BlockingQueue)|\b(volatile|static)\b.*\bNAME\b"
)
#: Methods that no other thread calls yet, or that show an object wherever it is.
_APART: Final = re.compile(r"__(?!(len|contains|getitem|setitem|delitem|call|bool|i?add)__)\w+__")
#: What waits, runs later or by pieces, or takes another lock.
_WAITS: Final = re.compile(
    r"\byield\b|\b[sS]leep\(|\.(?:wait|Wait|join|acquire)\(\)|\bwhile \(?(?:True|true)\b|\bfor \{"
    r"|<-|\bgo (?:func|\w+\.)|\bdef |\bwith self\.\w*(?:[lL]ock|cond|mutex)|\w\.(?:RL|L|l)ock\(\)"
    r"|\block \(|\bsynchronized \(|\bThread\b|\bTask\.Run\b"
)
#: Names that a declaration of fields declares.
_NAMED: Final = r"(\w+)\s*[=;,]"
_DECLARED: Final = "field_declaration"
_OWNERS: Final = ("class_definition", "class_declaration", "type_spec")
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
        self.name, self.body, given = (
            tree.of(field(node, one)) for one in ("name", "body", "parameters")
        )
        self._given = re.findall(r"\w+", given) if syntax.own == _FIELD else []
        self.own = syntax.own or rf"\b{''.join(_RECEIVER.findall(self.text))}\."
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
        """Return the members that a part of it uses; in Java and C#, methods with a bracket."""
        names = re.findall(rf"{self.own}(\w+(?:\()?)", text)
        if self.own != _FIELD:
            return {one.rstrip("(") for one in names}
        return set(names).difference(self._given).union(re.findall(r"\bthis\.(\w+)", text))

    def calls(self, names: set[str]) -> bool:
        """Tell whether it is among what is used."""
        return self.name in names or f"{self.name}(" in names


class _Example(NamedTuple):
    """A part of a method that takes a lock, and what is around it."""

    lock: str
    opening: str
    closing: str
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
        is_new = found is not None and not re.search(rf"\b{found.lock or 'synchronized'}\b", before)
        if found is not None and is_new and _squeezed(found.inner) in _squeezed(before):
            owners = (one.node for one in (tree.path(int(at)) if at else ()) if one.type in _OWNERS)
            for owner in (one for one in owners if one.start_byte == int(at)):
                for hunk in _Owner(tree, owner).left(found):
                    yield Consequence(hunk, "migrate", cause=f"guard {found.lock}")


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def _example(tree: Tree, method: _Method) -> _Example | None:
    """Return the first statements of a method that take a lock."""
    takes = re.compile(_LANGUAGES[tree.language].takes.replace("OWN", method.own))
    if tree.language == "java":
        is_taken = takes.match(method.text) and " static " not in method.text.partition("(")[0]
        whole = _Example("", "synchronized ", "", "", method.body, False, False)
        return whole if is_taken else None
    nodes = method.statements
    for one in nodes:
        if found := takes.match(tree.text, one.start_byte):
            end = nodes[-1].end_byte if tree.language == "go" else one.end_byte
            inner, brace, _ = tree.text[found.end() : end].rpartition("}")
            if tree.language != "csharp":
                inner, brace = tree.text[found.end() : end], ""
            closing = inner[len(inner.rstrip()) :] + brace
            places = (each.start_byte for each in nodes if each.type != "comment")
            behind = {place >= end for place in places if not one.start_byte <= place < end}
            indent, inner = indent_at(tree, one.start_byte), inner.rstrip()
            return _Example(
                found[1], found[0], closing, indent, inner, False in behind, True in behind
            )
    return None


class _Owner:
    """A class, or a type of Go, with its methods."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self._tree, self._syntax = tree, _LANGUAGES[tree.language]
        self._readers = methods_of(tree, node) if tree.language == "go" else {}
        body, nodes = field(node, "body"), [one.node for one in self._readers.values()]
        inner = body.named_children if body is not None else nodes
        inner = [field(one, "definition") or one for one in inner]
        self._text, self._fields = tree.of(node), [one for one in inner if one.type == _DECLARED]
        found = (one for one in inner if "constructor" not in one.type)
        self._methods = [_Method(tree, one) for one in found if field(one, "parameters")]

    def left(self, example: _Example) -> Iterator[Hunk]:
        """Yield what makes the methods that are left take the lock."""
        lock = re.search(self._syntax.lock.replace("NAME", example.lock), self._text)
        taking = [one for one in self._methods if self._takes(one, example.lock)]
        parts = [(one, _example(self._tree, one)) for one in taking]
        alike = [(one, part) for one, part in parts if part and part.lock == example.lock]
        used = (self._reached(method, part.inner) for method, part in alike)
        is_large = sum(one.text.count("\n") for one in self._methods) > _LARGEST
        if lock is None or is_large:
            return
        guarded = set[str]().union(*used) & self._written()
        example = example._replace(
            is_led=any(part.is_led for _, part in alike),
            is_followed=any(part.is_followed for _, part in alike),
        )
        shut = [] if any(lock.groups()) else taking
        called = set[str]().union(*(self._reached(one, one.body, is_deep=True) for one in shut))
        public = (
            one for one in self._methods if not one.is_hidden and one.uses(one.body) & guarded
        )
        locked = [*shut, *public] if shut else []
        for method in self._methods:
            used_by = (one.uses(one.body) for one in self._methods if one.node != method.node)
            is_helper = method.is_hidden and any(map(method.calls, used_by))
            if method in taking or is_helper or method.calls(called) or _APART.match(method.name):
                continue
            part = self._part(method, example, guarded)
            names = self._reached(method, "".join(map(self._tree.of, part)), is_deep=True)
            if part and not any(one.calls(names) for one in locked):
                yield from self._put(method, part, example)

    def _takes(self, method: _Method, lock: str) -> bool:
        if not lock:
            return re.match(self._syntax.takes, method.text) is not None
        return re.search(rf"{method.own}{lock}\b", method.text) is not None

    def _written(self) -> set[str]:
        """Return the members that methods write, without what needs no lock."""
        names = set[str]()
        for one in self._methods:
            if not _APART.match(one.name):
                found = re.finditer(_WRITES.replace("OWN", one.own), one.body)
                names |= {"".join(each.groups("")) for each in found}
        if self._syntax.own == _FIELD:
            texts = map(self._tree.of, self._fields)
            names &= {name for text in texts for name in re.findall(_NAMED, text)}
        return {one for one in names if not re.search(_SAFE.replace("NAME", one), self._text)}

    def _reached(self, method: _Method, text: str, is_deep: bool = False) -> set[str]:
        """Return the members that a part of a method uses, by its helpers or all methods too."""
        names, left = method.uses(text), [one for one in self._methods if is_deep or one.is_hidden]
        while called := [one for one in left if one.calls(names)]:
            left = [one for one in left if one not in called]
            names = names.union(*(one.uses(one.body) for one in called))
        return names

    def _part(self, method: _Method, example: _Example, guarded: set[str]) -> list[Node]:
        """Return the statements of a method that need a lock; none if it may be in the way."""
        nodes, held, touched = method.statements, set[str](), list[int]()
        item = re.compile(
            rf"(?:var )?(\w+)\b[^=\n]*= (?:await )?{method.own}\w+(?:[\[(]|\.get|\.setd)"
        )
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
        is_plain = self._syntax.own == r"\bself\." and re.fullmatch(r"return self\.\w+", text)
        awaits = example.opening.startswith(is_async)
        if awaits and not method.text.startswith(is_async) or not awaits and "await " in text:
            return []
        is_whole = not self._tree.text[: part[0].start_byte].rpartition("\n")[2].strip()
        is_fit = text.count("\n") <= _LONGEST and (is_whole or not example.lock)
        return part if is_fit and not is_plain and not _WAITS.search(text) else []

    def _put(self, method: _Method, part: list[Node], example: _Example) -> Iterator[Hunk]:
        """Yield what makes a method take the lock for some of its statements."""
        tree, start, end = self._tree, part[0].start_byte, part[-1].end_byte
        if not example.lock:
            head = [one for one in method.node.children if one.type != "modifiers"][0].start_byte
            if "static" not in tree.text[method.node.start_byte : head]:
                yield Hunk(head, head, example.opening)
            return
        indent = indent_at(tree, start)
        opening, closing = (
            one.replace(f"\n{example.indent}", f"\n{indent}")
            for one in (example.opening, example.closing)
        )
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
        yield Hunk(start, end, opening + text + closing)

    def _reads(self, method: _Method, lock: str) -> bool:
        """Tell whether a method of Go needs the lock for reading only, and may have it so."""
        is_shared = re.search(rf"\b{lock}\s+sync\.RW", self._text)
        return is_shared is not None and self._readers[method.name].only_reads(self._readers)
