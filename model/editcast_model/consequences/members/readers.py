"""Methods of Go that only read and still lock for writing.

After a mutex has become a `sync.RWMutex`, or one `c.mu.Lock()` has become `c.mu.RLock()`, the other
methods that write nothing while they hold the lock are to lock for reading as well.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Function, called_by, functions_around
from editcast_model.syntax.members import is_declared_member
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field, first_child

_MADE = (("Mutex", "RWMutex"), ("Lock", "RLock"))
_CHANGED = re.compile("^(assignment|inc|dec|send)_statement$")
#: Functions that leave what they are given as it is.
_READING = frozenset("append cap copy float64 int int64 len make max min string".split())
#: Methods that leave a field as it is: those that lock it, and those of logs and times.
_HARMLESS = re.compile("R?(Lock|Unlock)$|(Debug|Info|Warn|Error|Print)|(After|Before|Equal|Sub)$")
#: The value of a variable that nobody else knows yet.
_NEW = r"\b{}\s*:=\s*(make\(|&?(map)?[\w\[\]*.]+\{{)|\bvar {}\b"


def after_read_lock(change: Change) -> Iterator[Consequence]:
    """Return the locks of methods that only read, after a mutex can be locked for reading."""
    names = change.after
    made = {(one.before.name, one.after.name) for one in change.renamed}
    if names.tree.language != "go" or made.isdisjoint(_MADE):
        return
    for one in names.of("Lock"):
        function = next(reversed(functions_around(names, one.start)), None)
        owner = field(one.path[-2].node, "operand")
        if function is None or function.owner is None or owner is None:
            continue
        receiver = first_child(function.node.child_by_field_name("receiver"))
        own, _, mutex = names.tree.of(owner).partition(".")
        if own == names.tree.of(field(receiver, "name")) and _is_for_reading(names, mutex):
            if _only_reads(names, function, own):
                yield Consequence(Hunk(one.start, one.end, "RLock"), "rename_pair", cause="RLock")


def _is_for_reading(names: Names, mutex: str) -> bool:
    """Tell whether a field is a mutex that can be locked for reading."""
    declared = (one.path[-2].node for one in names.of(mutex) if is_declared_member(one))
    return any(names.tree.of(field(one, "type")).endswith("sync.RWMutex") for one in declared)


def _only_reads(names: Names, function: Function, own: str) -> bool:
    """Tell whether a method changes nothing that belongs to its receiver, as far as one sees."""
    nodes, tree = [function.node.child_by_field_name("body")], names.tree
    while nodes:
        node = nodes.pop()
        if node is None or (_CHANGED.search(node.type) and not _is_own(tree, function, node)):
            return False
        if node.type == "identifier" and tree.of(node) == own:
            if node.parent is None or node.parent.type != "selector_expression":
                return False  # another function gets all of it
        called = called_by(node)
        if called is not None and not _leaves(names, called, own):
            return False
        if node.type == "unary_expression" and tree.of(node).startswith(f"&{own}."):
            return False
        nodes += node.named_children
    return True


def _is_own(tree: Tree, function: Function, statement: Node) -> bool:
    """Tell whether a statement changes a variable of its function, or what that has made."""
    written = tree.of(field(statement, "left") or first_child(statement))
    for one in written.split(","):
        root = re.match(r"\s*\*?(\w+)", one)
        is_plain = root is not None and root[1] == one.strip()
        made = root and re.search(_NEW.format(root[1], root[1]), tree.of(function.node))
        if root is None or not (is_plain or made):
            return False
    return True


def _leaves(names: Names, called: Node, own: str) -> bool:
    """Tell whether a call leaves what belongs to a receiver as it is."""
    text = names.tree.of(called)
    if not text.startswith(f"{own}."):
        given = names.tree.of(field(called.parent, "arguments"))
        return f"{own}." not in given or text in _READING
    *_, name = text.split(".")
    if text.count(".") > 1:
        return bool(_HARMLESS.match(name))
    return not any(one.part.kind == "method" for one in names.of(name))
