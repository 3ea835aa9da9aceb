"""Rows of the table of containers: code that uses one, and what becomes of it.

The table and its form are in `containers.toml`.
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.lists.declarations import inner_of
from editcast_model.consequences.rewrites.counterparts import BODY
from editcast_model.consequences.rewrites.rule import Span, is_written_to, span_of
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, first_child, parse

#: The table, beside this file.
TABLE: Final = Path(__file__).with_name("containers.toml")
#: The languages whose statements end without a sign.
_UNENDED: Final = ("python", "ruby", "go")
_SIGNS: Final = (";", "\n")
_STATEMENT: Final = re.compile("assignment|update")
_GIVES: Final = re.compile("^del | [+]?= ")
_ALONE: Final = re.compile(f"^(expression_statement|statement_list)$|{BODY.pattern}")
_EXPRESSIONS: Final = ("expression_statement", "global_statement")
#: Nodes that may be around a single one, and say nothing by that.
_ENCLOSING: Final = re.compile(
    r"(statement_)?block|(formal|inferred)_parameters|required_parameter|parenthesized_expression"
    r"|global_statement"
)
#: A way from an element to its key, and a value that can be written twice.
_WAY: Final = re.compile(r"(\.\w+(\(\))?)+")
_PLAIN: Final = re.compile(r"[a-zA-Z_@][\w.]*")
#: A letter of a row, which stands for any code.
_LETTER: Final = re.compile("[a-zA-Z]")
#: The types of loops, and of what makes one list of several.
_LOOP: Final = re.compile("for|range|spread|splat|argument")
#: The most nodes around a name that belong to what is done with it.
_MOST_STEPS: Final = 8
#: The most characters before a container that say that it is gone through.
_BESIDE: Final = 20


class Row(NamedTuple):
    """A row: the old code and its nodes, none for a container gone through, and the new text."""

    tree: Tree
    old: tuple[Node, ...]
    new: str


class Found(NamedTuple):
    """Code that a row fits, its new text, and what stands in the places of its letters."""

    span: Span
    new: str
    bound: dict[str, Node]


@cache
def table(language: str) -> Mapping[str, Any]:
    """Return what the table says of a language."""
    tables = tomllib.loads(TABLE.read_text("utf-8"))
    key = "script" if language in (*SCRIPTS, "vue") else language
    found: Mapping[str, Any] = tables.get(key, {})
    return found


@cache
def rows_of(language: str, kinds: str, emptied: str = "") -> tuple[Row, ...]:
    """Return the rows for two kinds; `emptied` is what is written for an empty new value."""
    rows, language = list[Row](), "typescript" if language == "vue" else language
    for pairs, lines in table(language)["rows"].items():
        is_back = " ".join(kinds.split()[::-1]) in pairs.split(", ")
        for line in lines if is_back or kinds in pairs.split(", ") else ():
            old, way, new = re.split(" (<=>|==>) ", line)[:: -1 if is_back else 1]
            if way == "<=>" or not is_back:
                written = emptied if emptied and "x = " in new else new
                rows += (
                    Row(*read, written)
                    for code in _alike(old, table(language)["alike"])
                    if (read := _read(code, language))
                )
    return tuple(rows)


def _alike(code: str, groups: Collection[Sequence[str]]) -> Collection[str]:
    """Return all ways to write a piece of code."""
    found = {code: None}
    for group in groups:
        for text in list(found):
            same = next((one for one in group if one in text), None)
            found |= {text.replace(same, one): None for one in group if same}
    return found


def _read(code: str, language: str) -> tuple[Tree, tuple[Node, ...]] | None:
    """Return the tree of the old code of a row, and the nodes that it fits; None if it is wrong."""
    text = code.removeprefix("each ")
    ending = "" if language in _UNENDED or text[-1] in ";}" else ";"
    for written in (text + ending, f"return {text}{ending}"):  # in C# a value is no statement
        tree = parse(written, language)
        if tree is not None and tree.parses:
            nodes = [_inside(one) for one in tree.root.named_children]
            if len(nodes) == 1:
                is_returned = written.startswith("return ")
                nodes = [first_child(nodes[0]) or nodes[0] if is_returned else inner_of(nodes[0])]
            return tree, () if text != code else tuple(nodes)
    return None


def all_fitting(
    tree: Tree, rows: Collection[Row], uses: Collection[Node], key: str | None
) -> list[Found]:
    """Return the code around the uses of a container that rows fit.

    Args:
        tree: The tree of the text.
        rows: The rows, of which the first that fits counts.
        uses: The nodes that are the container.
        key: The way from an element to its key; empty if there is none, None for any.
    """
    fitting = (_fitting(tree, rows, use, key) for use in uses)
    return list({one.span: one for one in fitting if one is not None}.values())


def _fitting(tree: Tree, rows: Collection[Row], use: Node, key: str | None) -> Found | None:
    """Return the largest code around a use of a container that a row fits."""
    found = None
    for node in (use, *tree.around(use)[:_MOST_STEPS]):
        above = node.parent.type if node.parent is not None else ""
        is_alone = bool(_ALONE.search(above))
        for row in rows if is_alone or not is_written_to(node) else ():
            one = _found(row, tree, node, use, key)
            if one is not None:
                if is_alone or not (_STATEMENT.search(node.type) or _GIVES.search(row.new)):
                    found = one
                break
    return found


def _found(row: Row, tree: Tree, node: Node, use: Node, key: str | None) -> Found | None:
    """Return what a row makes of code that begins with a node; None if it does not fit."""
    bound, last = {"x": use}, node
    if not row.old and (node != use or not _is_each(tree, use)):
        return None
    for index, old in enumerate(row.old):
        following = last.next_named_sibling if index else node
        if following is None or following.type != old.type:
            return None
        if not _fits(row, old, tree, following, bound):
            return None
        last = following
    if row.old and "use" not in bound:
        return None
    if "e" in bound and not ((way := way_to_key(tree, bound)) and key in (None, way)):
        return None
    if "@" in row.new and not (key and _PLAIN.fullmatch(tree.of(bound["v"]))):
        return None
    if "i" in bound and _is_read_below(tree, tree.of(bound["i"]), last):
        return None
    return Found(span_of(node, last), row.new.replace("@", key or ""), bound)


def _fits(row: Row, old: Node, tree: Tree, node: Node, bound: dict[str, Node]) -> bool:
    """Tell whether code reads as that of a row, and bind what stands in the places of letters."""
    name = row.tree.of(old).rstrip(";")
    is_letter = _LETTER.fullmatch(name) and (not old.child_count or old.type in _EXPRESSIONS)
    if node.type != old.type and not (is_letter and old.child_count):
        node = _inside(node)
    if is_letter:
        is_one = node.is_named and not re.search("spread|splat", node.type)
        if name == "x" and node == bound["x"]:
            bound["use"] = node  # else another container of the row is this one
        return is_one and tree.of(bound.setdefault(name, node)) == tree.of(node)
    if old.type != node.type:
        return False
    if not old.child_count:
        return row.tree.of(old) == tree.of(node)
    olds, nodes = ([one for one in each.children if one.type not in _SIGNS] for each in (old, node))
    pairs = zip(olds, nodes, strict=False)
    return len(olds) == len(nodes) and all(_fits(row, one, tree, at, bound) for one, at in pairs)


def _inside(node: Node) -> Node:
    """Return a node without those around it that contain nothing else."""
    while _ENCLOSING.fullmatch(node.type) and node.named_child_count == 1:
        node = first_child(node) or node
    return node


def _is_each(tree: Tree, use: Node) -> bool:
    """Tell whether a container is gone through where it stands."""
    above, behind = use.parent, tree.text[use.end_byte : use.end_byte + 1]
    is_loop = above is not None and _LOOP.search(above.type) and behind not in (*"[.(?",)
    return bool(is_loop and _is_iterated(tree, use.start_byte))


def _is_iterated(tree: Tree, start: int) -> bool:
    """Tell whether what begins at a place is gone through."""
    each = rf"(?:{table(tree.language)['each']})$"
    return re.search(each, tree.text[max(0, start - _BESIDE) : start]) is not None


def _is_read_below(tree: Tree, name: str, last: Node) -> bool:
    """Tell whether a name is used in the statements below one."""
    end = last.parent.end_byte if last.parent is not None else last.end_byte
    return re.search(rf"\b{re.escape(name)}\b", tree.text[last.end_byte : end]) is not None


def way_to_key(tree: Tree, bound: Mapping[str, Node]) -> str:
    """Return the way from the element of a row to its key; empty if it is no short one."""
    element, key, wanted = (tree.of(bound.get(one)) for one in "pek")
    way = key.removeprefix(element)
    is_way = key.startswith(element) and _WAY.fullmatch(way)
    return way if is_way and not re.search(rf"\b{re.escape(element)}\b", wanted) else ""


def written_by(tree: Tree, one: Found, found: Collection[Found]) -> str:
    """Return what a row makes of code, with all that rows make of what is in it."""
    new = one.new
    if re.fullmatch(r"\[\.\.\..*\]", new) and _is_iterated(tree, one.span.start):
        new = new[len("[...") : -1]
    inner = [other for other in found if other is not one]

    def written(letter: re.Match[str]) -> str:
        pieces, (at, end) = list[str](), span_of(one.bound[letter[0]])
        for each in outermost([each for each in inner if each.span.is_within([Span(at, end)])]):
            pieces += [tree.text[at : each.span.start], written_by(tree, each, inner)]
            at = each.span.end
        return "".join([*pieces, tree.text[at:end]])

    return re.sub(rf"\b{_LETTER.pattern}\b", written, new)


def outermost(found: Collection[Found]) -> list[Found]:
    """Return what is within nothing else that was found, in the order of the text."""
    spans = [one.span for one in found]
    first = [one for one in found if not one.span.is_within([s for s in spans if s != one.span])]
    return sorted(first, key=lambda one: one.span)
