"""Conditions that are still tested after one of them was settled.

Retiring a flag removes `if flag:` and keeps what it guarded, or removes that, too. The same is left
to do wherever else the flag is tested.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import without_node
from editcast_model.consequences.rewrites.rule import indent_at, reindented
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, field, first_child

#: A condition that occurs more often is not a flag.
_MOST_PLACES = 30
#: Conditions that mean the same everywhere: a call, a member, a constant. A local name or a
#: comparison may mean something else at another place.
_LASTING = re.compile(r"[A-Z][A-Z0-9_]+|[\w$]+(?:\.[\w$]+)+(?:\([^()]*\))?|[\w$]+\([^()]*\)")
#: What may ask for a flag; calls and lists by which something is done only with a flag.
_ASKING = re.compile(
    r"[\w$]+(?:(?:\.|::)[\w$]+)*\??(?:\[[\"'][\w.-]+[\"']\])?"
    r"(?:\((?:[\w$.]+, *)*(?:[\"'`][\w.:-]+[\"'`]|:\w+|[\w$]+\.[\w$.]+|[A-Z\d_]+)?"
    r"(?:, *[\w$.]+)*\))?"
)
#: What is gone together with all that it guarded is settled if it is named so.
_FLAG = re.compile("flag|feature|toggle|experiment", re.IGNORECASE)
_GUARD = re.compile(r"\w*(?:flag|feature|toggle|gate|experiment)\w*\(", re.IGNORECASE)
_LIST = re.compile("argument|pattern")
#: The last one of some lines, if nothing is done behind it.
_LEAVES = re.compile(r"(?:^|\n)[ \t]*(?:return|raise|throw)\b[^\n]*\n$")
_BEHIND = 20  # characters behind an expression that stay as they are
_NOT = re.compile(r"not\s+|!\s*")
#: Types of leaves that contain the text of a string; its lines are not indented.
_TEXT = re.compile("string|template|content|fragment|heredoc")
_AND = ("and", "&&")
_IFS = ("if_statement", "if")
_EXPRESSIONS = ("conditional_expression", "ternary_expression")
_MARKUP = re.compile("jsx_(element|fragment|self_closing_element)")
#: Values in braces that markup shows nothing of.
_NOTHING = ("null", "undefined", "false", "true", "''", '""')


class _Choice(NamedTuple):
    """A statement or an expression that asks something that can be settled.

    Attributes:
        core: What it asks, without a negation.
        start: Where it begins; a statement has whole lines.
        end: Where it ends.
        left: What is left of it once its core is always true, and once it never is; None for what
            is unknown.
    """

    core: str
    start: int
    end: int
    left: tuple[str | None, str | None]


def after_condition(change: Change) -> Iterator[Consequence]:
    """Return what is left of the statements and expressions that ask what a change settled."""
    for core, is_true in dict.fromkeys(_settled(change)):
        yield from _still_asked(change.after.tree, core, is_true)


def _settled(change: Change) -> Iterator[tuple[str, bool]]:
    """Yield the conditions that a change took away, and whether it kept what is done if true."""
    tree, now = change.before.tree, change.after.tree.text
    for hunk, start, _ in change.finished():
        removed = tree.text[hunk.start : hunk.end]
        for step in reversed(tree.path(hunk.start + len(removed) - len(removed.lstrip()))):
            choice = _choice(tree, step.node)
            if choice is None or tree.text[choice.end : hunk.end].strip():
                continue
            before = tree.text[choice.start : hunk.start].strip()
            is_gone = not before and choice.end <= hunk.end and not hunk.text
            if is_gone and _FLAG.search(choice.core):
                yield choice.core, choice.left[0] == ""
                break
            first = start if hunk.start <= choice.start else change.is_now_at(choice.start)
            is_now = now[first:].lstrip() + "\n" if first is not None else ""
            for is_true, left in zip((True, False), choice.left, strict=True):
                behind = 0 if left and left.endswith("\n") else _BEHIND  # whole lines say enough
                rest = tree.text[choice.end : choice.end + behind]
                if left and is_now.startswith(left.lstrip() + rest):
                    yield choice.core, is_true
                    break


def _still_asked(tree: Tree, core: str, is_true: bool) -> Iterator[Consequence]:
    places = [one.start() for one in re.finditer(re.escape(core), tree.text)]
    found = (
        _left_at(tree, place, core, is_true)
        for place in (places if len(places) <= _MOST_PLACES else ())
    )
    for hunk in dict.fromkeys(found):
        if hunk is not None:
            yield Consequence(hunk, "settle_condition", cause=f"if {core}")


def _left_at(tree: Tree, place: int, core: str, is_true: bool) -> Hunk | None:
    """Return what is left of the innermost thing around an offset that asks a condition."""
    for step in reversed(tree.path(place)):
        choice = _choice(tree, step.node, core)
        if choice is not None and choice.core == core:
            left = choice.left[0 if is_true else 1]
            if left is None:
                return None
            end = _end_of_block(tree, step.node) if _LEAVES.search(left) else choice.end
            return _without_braces(tree, Hunk(choice.start, end or choice.end, left))
        if is_true and (hunk := _without_part(tree, step.node, core)):
            return hunk
        if step.type in _IFS:
            break
    return None


def _without_braces(tree: Tree, hunk: Hunk) -> Hunk:
    """Take the braces around a string away that is the value of an attribute of JSX."""
    text, start, end = tree.text, hunk.start - 1, hunk.end + 1
    is_string = re.fullmatch(r"""(["'])[^"'\\]*\1""", hunk.text) is not None
    is_braced = text[max(0, start - 1) : start + 1] == "={" and text[hunk.end : end] == "}"
    is_value = is_string and is_braced and tree.language in SCRIPTS
    return Hunk(start, end, hunk.text) if is_value else hunk


def _end_of_block(tree: Tree, node: Node) -> int:
    """Return the end of the last line of a statement's block; 0 for none."""
    above = tree.around(node)[:1]
    is_block = above and re.search("block|statement_list", above[0].type)
    return tree.text.find("\n", above[0].named_children[-1].end_byte) + 1 if is_block else 0


def once_settled(tree: Tree, place: int, *, is_alone: bool) -> Iterator[Hunk]:
    """Return what is left of a condition, or of a guard, that asks for a flag which is always on.

    Args:
        tree: The text.
        place: Where the flag is named.
        is_alone: Whether it is named nowhere else.
    """
    node = _asking(tree, place)
    if node is None:
        return
    hunk, above = _left_at(tree, place, tree.of(node), True), tree.around(node)[:1]
    is_guard = _GUARD.match(tree.of(node)) or (is_alone and node.type.endswith("pattern"))
    if hunk is None and above and _LIST.search(above[0].type) and is_guard:
        if node.prev_named_sibling or node.next_named_sibling:
            hunk = without_node(tree.text, node)
    if hunk is not None:
        yield hunk


def variable_of(tree: Tree, place: int) -> str | None:
    """Return the variable that is given what asks for a flag at an offset."""
    node = _asking(tree, place)
    above = tree.around(node)[0] if node is not None and "(" in tree.of(node) else None
    target = field(above, "name", "left")
    return tree.of(target) if target is not None and target.type == "identifier" else None


def _asking(tree: Tree, place: int) -> Node | None:
    """Return the widest expression around an offset that asks for one thing."""
    nodes = [step.node for step in tree.path(place)[1:]]
    asking = (one for one in nodes if _ASKING.fullmatch(tree.of(one)))
    return next((one for one in asking if "statement" not in one.type), None)


def _without_part(tree: Tree, node: Node, core: str) -> Hunk | None:
    """Take what is always true out of a condition that asks something else as well."""
    condition = _condition(node) if node.type in _IFS else node
    operator = condition.child_by_field_name("operator") if condition is not None else None
    if condition is None or operator is None or tree.of(operator) not in _AND:
        return None
    left, right = (condition.child_by_field_name(side) for side in ("left", "right"))
    if left is None or right is None:
        return None
    if tree.of(left) == core:
        return Hunk(left.start_byte, right.start_byte, "")
    if tree.of(right) == core:
        return Hunk(left.end_byte, right.end_byte, "")
    return None


def _condition(node: Node) -> Node | None:
    """Return the condition of a statement or an expression without the brackets around it."""
    condition = field(node, "condition", "left")
    if condition is None and node.type in _EXPRESSIONS and node.named_child_count == 3:
        condition = node.named_children[1]  # of Python
    while condition is not None and condition.type == "parenthesized_expression":
        condition = first_child(condition)
    return condition


def _choice(tree: Tree, node: Node, known: str = "") -> _Choice | None:
    """Return what asks something, if that can be settled or is known; None for all else."""
    while node.type in ("jsx_expression", "parenthesized_expression"):
        node = first_child(node) or node.children[0]
    braces = _braces_of_markup(tree, node)
    is_asking = node.type in (*_IFS, *_EXPRESSIONS) or (
        braces is not None and tree.of(node.child_by_field_name("operator")) == "&&"
    )
    condition = _condition(node) if is_asking else None
    if condition is None or node.child_by_field_name("initializer") is not None:
        return None
    text = tree.of(condition)
    negated = _NOT.match(text)
    core = text[negated.end() :] if negated else text
    if core != known and not _LASTING.fullmatch(core):
        return None
    if node.type in _IFS:
        start, end = _whole_lines(tree, node)
        if not end:
            return None  # `else if`, or something else on the line
        has_other = node.child_by_field_name("alternative") is not None
        other_lines = _lines(tree, node, "alternative") if has_other else ""
        left = _lines(tree, node, "consequence"), other_lines
    else:
        value, other = field(node, "consequence", "body", "right"), field(node, "alternative")
        if value is None and node.named_child_count == 3:  # of Python
            value, _, other = node.named_children
        if value is None or (other is None and braces is None):
            return None
        if braces is not None:
            start, end, left = _in_markup(tree, braces, value, other)
        else:
            start, end, left = node.start_byte, node.end_byte, (tree.of(value), tree.of(other))
    return _Choice(core, start, end, left[::-1] if negated else left)


def _whole_lines(tree: Tree, node: Node) -> tuple[int, int]:
    """Return where the lines of a node begin and end; zeros if there is more on them."""
    start = tree.text.rfind("\n", 0, node.start_byte) + 1
    end = tree.text.find("\n", node.end_byte) + 1 or len(tree.text)
    around = tree.text[start : node.start_byte] + tree.text[node.end_byte : end]
    return (0, 0) if around.strip() else (start, end)


def _braces_of_markup(tree: Tree, node: Node) -> Node | None:
    """Return the braces that contain an expression among the elements of JSX."""
    above = [one for one in tree.around(node) if one.type != "parenthesized_expression"][:2]
    is_within = len(above) > 1 and above[0].type == "jsx_expression"
    return above[0] if is_within and _MARKUP.match(above[1].type) else None


def _in_markup(
    tree: Tree, braces: Node, value: Node, other: Node | None
) -> tuple[int, int, tuple[str | None, str | None]]:
    """Return where braces of JSX begin and end, and what is left of them for each of two values."""
    start, end = _whole_lines(tree, braces)
    head, tail = tree.text[start : braces.start_byte], tree.text[braces.end_byte : end]
    indent, line_end = (head, tail) if end else ("", "")

    def left(node: Node | None) -> str:
        while node is not None and node.type == "parenthesized_expression":
            node = first_child(node)
        if node is None or tree.of(node) in _NOTHING:
            return ""
        text = tree.of(node)
        if not _MARKUP.match(node.type):
            text = f"{{{text}}}"
        return indent + reindented(text, indent_at(tree, node.start_byte), indent) + line_end

    span = (start, end) if end else (braces.start_byte, braces.end_byte)
    return *span, (left(value), left(other))


def _lines(tree: Tree, node: Node, branch: str) -> str | None:
    """Return the lines of a branch, indented as the statement; None where they are no lines."""
    block = node.child_by_field_name(branch)
    if block is not None and block.type == "else_clause":
        block = block.child_by_field_name("body") or first_child(block)
    if block is None or not re.search("block|^then$|^else$", block.type):
        return None  # also of `elif`
    statements = block.named_children
    if block.type == "block" and len(statements) == 1 and statements[0].type == "statement_list":
        statements = statements[0].named_children
    if not statements:
        return None
    start = tree.text.rfind("\n", 0, statements[0].start_byte) + 1
    end = statements[-1].end_byte
    if start <= node.start_byte or tree.text[start : statements[0].start_byte].strip():
        return None
    inner = tree.text[start : statements[0].start_byte]
    outer = indent_at(tree, node.start_byte)
    behind = tree.text[end : tree.text.find("\n", end) + 1 or len(tree.text)]
    text, out = tree.text[start:end] + ("\n" if behind.strip() else behind), ""
    for line in text.splitlines(keepends=True):
        leaf = tree.path(start)[-1].node
        is_within = leaf.start_byte < start and _TEXT.search(leaf.type) is not None
        if line.strip() and not is_within:
            if not line.startswith(inner):
                return None  # it is indented less
            out += outer + line[len(inner) :]
        else:
            out += line
        start += len(line)
    return out
