"""Calls that delete, which a dry run is to leave out as it leaves out others in the file.

After `if not dry_run:` was put around one of them, or `if dry_run: continue` before one, or where
a function has just been given such a parameter.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.rule import indent_at, reindented
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import called_by, function_node_around
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Tree, field

_DRY: Final = re.compile(r"dry_?run", re.IGNORECASE)
_CONDITION: Final = re.compile(
    r"\(?(?P<not>not\s+|!)?(?P<flag>(?:\w+(?:\.|\?\.|->))*\w*dry_?run\w*)\)?", re.IGNORECASE
)
_CALLED: Final = re.compile(r"\w*(?:rm|unlink|remove|delete)\w*(?=\()", re.IGNORECASE)
#: What is called to delete files: `remove` alone is for lists as well.
_DELETES: Final = re.compile(
    r"(?:.*[.:>])?(?:rm(?:tree|dir|_rf?)?|unlink|remove_(?:file|dir|dir_all)|RemoveAll)(?:Sync)?"
    r"|(?:os|fs|shutil|FileUtils|Files?|Directory)(?:\.|::)(?:remove|delete)\w*",
    re.IGNORECASE | re.DOTALL,
)
_IF: Final = ("if_statement", "if_expression", "if", "if_modifier", "unless_modifier")
_BLOCK: Final = re.compile("block|body|statement_list|program|compound|then|^do$")
_LOOP: Final = re.compile("^(for|while|loop|foreach|do)")
_USED: Final = re.compile("declar|assign|let|return|function|class")
_CLEANS_UP: Final = re.compile("tmp|temp|finally|defer", re.IGNORECASE)
_ASKS: Final = re.compile(r"(?:return |next )?(?:if|unless)\b.*dry_?run", re.IGNORECASE)
_EXIT: Final = re.compile(r"\b(continue|return)\b(?=[\s;}]*$)")


class _Guard(NamedTuple):
    """Code before and behind a statement that a dry run leaves out."""

    node: Node
    flag: str
    statement: Node
    before: str
    behind: str


def after_dry_run(change: Change) -> Iterator[Consequence]:
    """Return the calls that delete in a dry run, each with a guard as the nearest one that has."""
    tree = change.after.tree
    text = tree.text
    if not any(_DRY.search(text, *_line(text, start, end)) for _, start, end in change.finished()):
        return
    guards = list(_guards(tree))
    for found in _CALLED.finditer(text) if guards else ():
        call = next((one for one in _above(tree, found.start()) if called_by(one)), None)
        is_deleting = call is not None and _DELETES.fullmatch(tree.of(called_by(call)))
        statement = _statement(tree, call) if call is not None and is_deleting else None
        if statement is None or _is_guarded(tree, statement):
            continue
        guard = min(guards, key=lambda one: abs(one.node.start_byte - found.start()))
        if (guarded := _guarded(tree, guard, statement)) is not None:
            span = statement.start_byte, statement.end_byte
            yield Consequence(Hunk(*span, guarded), "add_check", cause=f"guard {guard.flag}")


def _line(text: str, start: int, end: int) -> tuple[int, int]:
    return text.rfind("\n", 0, start) + 1, text.find("\n", end) % (len(text) + 1)


def _above(tree: Tree, offset: int) -> list[Node]:
    return [step.node for step in reversed(tree.path(offset))]


def _guards(tree: Tree) -> Iterator[_Guard]:
    text, done = tree.text, set[int]()
    for found in _DRY.finditer(text):
        node = next((one for one in _above(tree, found.start()) if one.type in _IF), None)
        condition = _CONDITION.fullmatch(tree.of(field(node, "condition")))
        if node is None or condition is None or node.start_byte in done:
            continue
        done.add(node.start_byte)
        start, end = node.start_byte, node.end_byte
        wrapped = _wrapped(tree, node, is_negated=bool(condition["not"]))
        if wrapped is not None:
            before, behind = text[start : wrapped.start_byte], text[wrapped.end_byte : end]
            yield _Guard(node, condition["flag"], wrapped, before, behind)
        elif not condition["not"] and _EXIT.search(text[start:end]):
            is_alone = node.parent is not None and node.parent.type == "expression_statement"
            outer = node.parent if node.parent is not None and is_alone else node  # of Rust
            following = outer.next_named_sibling
            if following is not None and field(node, "alternative") is None:
                before = text[start : following.start_byte]
                yield _Guard(node, condition["flag"], following, before, "")


def _wrapped(tree: Tree, node: Node, *, is_negated: bool) -> Node | None:
    """Return the only statement that is not run in a dry run; None for several, or none."""
    branch = field(node, "body") if "modifier" in node.type else None
    if branch is None or is_negated == node.type.startswith("unless"):
        branch = field(node, "consequence" if is_negated else "alternative")
    elif branch is not None:
        return branch
    while branch is not None and (_BLOCK.search(branch.type) or "else" in branch.type):
        if branch.named_child_count != 1:
            return None
        branch = branch.named_children[0]
    return branch


def _statement(tree: Tree, call: Node) -> Node | None:
    """Return the statement that a call is, or is the most of."""
    below = call
    for above in tree.around(call):
        if _BLOCK.search(above.type):
            is_apart = not _USED.search(below.type) and not _CLEANS_UP.search(tree.of(below))
            return below if is_apart else None
        below = above
    return None


def _is_guarded(tree: Tree, statement: Node) -> bool:
    """Tell whether a statement is not run in a dry run, or only cleans up."""
    function, below = function_node_around(tree, statement), statement
    for above in (statement, *tree.around(statement)):
        if _CLEANS_UP.match(above.type) or (
            above.type in _IF and _DRY.search(tree.of(field(above, "condition")))
        ):
            return True
        beside = below.prev_named_sibling
        while beside is not None:
            head = tree.of(beside)
            if _ASKS.match(head):
                return True
            beside = beside.prev_named_sibling
        if above == function:
            return False
        below = above
    return False


def _guarded(tree: Tree, guard: _Guard, statement: Node) -> str | None:
    """Write a statement with a guard; None where the guard says what only fits its own place."""
    indent = indent_at(tree, guard.node.start_byte)
    here = indent_at(tree, statement.start_byte)
    function, home = (function_node_around(tree, one) for one in (statement, guard.node))
    root = guard.flag.partition(".")[0]
    if function is None or not _is_given(tree, function, home, root):
        return None
    before, written = guard.before, tree.of(statement)
    words = set(WORD.findall(before + guard.behind))
    if words & (set(WORD.findall(tree.of(guard.statement))) - set(WORD.findall(written))) - {root}:
        return None
    if not guard.behind and "\n" in before + "\n" and _EXIT.search(before.rstrip()):
        is_last = statement.next_named_sibling is None
        if not is_last and guard.statement.next_named_sibling is None:
            return None
        around = tree.around(statement)
        inside = around[: around.index(function)]
        leaves = "continue" if any(_LOOP.match(one.type) for one in inside) else "return"
        if leaves == "return" and re.search(r"\breturn\b[ \t]+[^\s;}]", tree.of(function)):
            return None
        before = _EXIT.sub(leaves, before.rstrip()) + before[len(before.rstrip()) :]
    inner = indent_at(tree, guard.statement.start_byte)
    deeper = inner.removeprefix(indent) if inner.startswith(indent) else ""
    written = reindented(written, here, here + deeper)
    return reindented(before, indent, here) + written + reindented(guard.behind, indent, here)


def _is_given(tree: Tree, function: Node, home: Node | None, root: str) -> bool:
    """Tell whether a function knows what the function of a guard asks."""
    if home is not None and home == function:
        return True
    body = field(function, "body")
    head = tree.text[function.start_byte : body.start_byte] if body is not None else ""
    is_alike = root not in ("self", "this") or (home is not None and home.parent == function.parent)
    return is_alike and re.search(rf"\b{root}\b", head) is not None
