"""Locks of Go that readers may share since a change, and the methods that only read.

After `mu sync.Mutex` has become `mu sync.RWMutex`, methods that write nothing of what they belong
to call `mu.RLock()`. A method that may write, by what it calls, keeps its lock.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.tree import Tree, field, first_child

_ALONE: Final = re.compile(r"\w+\s+sync\.Mutex\b")
_SHARED: Final = re.compile(r"(\w+)\s+sync\.RWMutex\b")
_RECEIVER: Final = re.compile(r"\((\w+) \*?(\w+)")
_WRITING: Final = ("assignment_statement", "inc_statement", "dec_statement", "send_statement")
_DECLARING: Final = ("short_var_declaration", "range_clause", "var_spec")
_ELSEWHERE: Final = ("go_statement", "unary_expression")
#: What makes a value that nothing else knows.
_NEW: Final = re.compile(
    r"make\(|new\(|&?[\w.\[\]]+\{|append\(\[\]|(slices|maps)\.(Clone|Sorted\w*|Collect)\(|\d|\""
)
#: Functions that write nothing of what they are given, and methods that write nothing.
_READING: Final = re.compile(
    r"len|cap|min|max|append|panic|string|bool|u?int\d*|float\d+|\[\]\w+|(fmt|errors|strings|strconv"
    r"|math|time|bytes)\.\w+|maps\.(Keys|Values|All|Clone|Equal)|slices\.(All|Clone|Values|Sorted\w*"
    r"|Collect|Contains\w*|Index\w*|Equal|BinarySearch\w*|Min|Max)"
)
_ASKING: Final = re.compile(
    r"(Before|After|Sub|Equal|Is[A-Z]\w*|String|Unix\w*|Format|Load|Len|Error|Name|Has|R?(Unl|L)ock)"
)


def after_lock(change: Change) -> Iterator[Consequence]:
    """Return the locks that are to be taken for reading since readers may share them."""
    tree, was = change.after.tree, change.before.tree.text
    for _, start, end in change.finished() if tree.language == "go" else ():
        for found in _SHARED.finditer(tree.text, *line_around(tree.text, start, end)):
            place = change.was_at(found.start())
            spec = next((one.node for one in tree.path(start) if one.type == "type_spec"), None)
            if spec is not None and place is not None and _ALONE.match(was, place):
                for at in _taken_by_readers(tree, spec, found[1]):
                    yield Consequence(Hunk(at, at, "R"), "rename_pair", cause=f"{found[1]} RLock")


def _taken_by_readers(tree: Tree, spec: Node, lock: str) -> Iterator[int]:
    """Yield where methods of a type say `Lock` that only read."""
    methods = methods_of(tree, spec)
    for method in methods.values():
        taken = re.compile(rf"\b{method.receiver}\.{lock}\.(?=Lock\(\))")
        places = [one.end() for one in taken.finditer(tree.text, *method.span)]
        if places and method.only_reads(methods):
            yield from places


def methods_of(tree: Tree, spec: Node) -> "dict[str, Method]":
    """Return the methods of a type by their names."""
    name, methods = tree.of(field(spec, "name")), dict[str, Method]()
    for one in tree.root.named_children:
        found = _RECEIVER.match(tree.of(field(one, "receiver")))
        if found is not None and found[2] == name:
            methods[tree.of(field(one, "name"))] = Method(tree, spec, one, found[1])
    return methods


class Method:
    """A method, which may write what it belongs to.

    Args:
        tree: The text.
        spec: Declares the type that it belongs to.
        node: All of it.
        receiver: What it calls what it belongs to.
    """

    def __init__(self, tree: Tree, spec: Node, node: Node, receiver: str) -> None:
        self._tree, self._spec, self.node, self.receiver = tree, spec, node, receiver
        self.span = node.start_byte, node.end_byte
        self._shared, self._own = {receiver}, set[str]()

    def only_reads(self, methods: Mapping[str, "Method"], depth: int = 3) -> bool:
        """Tell whether it certainly writes nothing but what it has made itself."""
        waiting = [self.node.child_by_field_name("body")]
        while waiting:
            one = waiting.pop()
            if one is None:
                return False  # it is written in another language
            waiting += reversed(one.named_children)
            if one.type in _DECLARING:
                self._declare(one)
            targets: list[Node] = []
            if one.type in _WRITING:
                left = field(one, "left", "channel") or one
                targets = left.named_children if left.type == "expression_list" else [left]
            elif one.type in _ELSEWHERE and not self._tree.of(one).startswith(("!", "-", "<", "*")):
                targets = [one]
            is_call = one.type == "call_expression"
            if not all(map(self._is_own, targets)) or (
                is_call and not self._is_harmless(one, methods, depth)
            ):
                return False
        return True

    def _declare(self, node: Node) -> None:
        value = self._tree.of(field(node, "right", "value"))
        names = re.findall(r"\w+", self._tree.of(field(node, "left", "name")))
        is_new = _NEW.match(value) or not value
        (self._own if is_new else self._shared).update(names)

    def _root(self, node: Node | None) -> str:
        """Return the name that an expression begins with; empty for one that is made by a call."""
        while node is not None and node.type != "identifier":
            node = None if node.type in ("call_expression", "func_literal") else first_child(node)
        return self._tree.of(node)

    def _is_own(self, node: Node) -> bool:
        return node.type == "identifier" or self._root(node) in self._own

    def _is_harmless(self, call: Node, methods: Mapping[str, "Method"], depth: int) -> bool:
        """Tell whether a call writes nothing that others know."""
        called, given = field(call, "function"), field(call, "arguments")
        name, thing = self._tree.of(called), field(called, "operand")
        arguments = given.named_children if given is not None else []
        method, of = self._tree.of(field(called, "field")), self._tree.of(thing)
        if _ASKING.fullmatch(method) or self._has(of.removeprefix(f"{self.receiver}."), "atomic"):
            return True
        if thing is not None and self._root(thing) in self._shared:
            other = methods.get(method) if depth and of == self.receiver else None
            is_read = other is not None and other.only_reads(methods, depth - 1)
            return is_read or (of == self.receiver and self._has(method, "func"))
        is_filled = re.match(r"(copy|delete|clear|(maps|slices|sort|heap)\.\w+)$", name)
        written = arguments[:1] if is_filled else arguments
        return _READING.fullmatch(name) is not None or not any(
            self._root(one) in self._shared for one in written
        )

    def _has(self, name: str, kind: str) -> bool:
        """Tell whether it belongs to something with a field of a kind of type."""
        declared = rf"^\s*{re.escape(name)}\s+{kind}\b"
        return re.search(declared, self._tree.of(self._spec), re.MULTILINE) is not None
