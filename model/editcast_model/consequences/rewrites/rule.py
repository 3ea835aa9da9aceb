"""A rule: code with holes, and what is written in its place.

A rule applies where the same code stands, node by node, whatever stands in its holes. A hole takes
in a part of the syntax tree, the words of a string between its placeholders, or the name of the
function around the code. The code is one expression, or statements that follow each other.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.kinds import Kind
from editcast_model.consequences.lists.word_forms import renamed
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.tree import Tree, field, outermost

#: The hole for the name of the enclosing function.
AROUND = "\0"
#: The prefix of holes for strings that the rewrite drops.
GONE = "\2"
#: The prefix of holes for the method of a log that is named as a level, and the levels.
LEVEL = "\3"
LEVELS = frozenset("trace debug info notice warn warning error critical fatal".split())
#: Types of leaves that contain the text of a string.
TEXT = re.compile("string|content|fragment|chars")
#: The placeholders of a format.
PLACEHOLDER = re.compile(r"(%[-+#0 ]*+[\d.*]*+[a-zA-Z]|\{[^{}]*\}|%%|\{\{|\}\})")
#: Types of nodes that may need parentheses in the place of another node.
LOOSE = re.compile("operator|binary|unary|boolean|compar|conditional|ternary|lambda|arrow|await")
ENCLOSED = "parenthesized_expression"
#: Types of nodes for values with keys.
KEYED = re.compile("keyword_argument|pair|named_argument")
#: Types of nodes for several things that are given values, and words for changes of one.
_TARGETS = frozenset(
    {"expression_list", "pattern_list", "tuple_pattern", "array_pattern", "list_literal"}
    | {"left_assignment_list"}
)
_CHANGING = ("++", "--", "del", "delete", "unset")
#: The fields that contain the name of a method.
_METHODS = ("attribute", "property", "field")
#: Types of calls that contain the name of a method directly.
_NAMED_CALLS = frozenset(
    {"method_invocation", "member_call_expression", "nullsafe_member_call_expression"}
    | {"scoped_call_expression"}
)
_FUNCTION = re.compile("(function|method)_(definition|declaration)$|^(singleton_)?method$")
#: Words by which a call is to fail, or may.
_FAILS = re.compile(r"\b(raises|assertRaises|rejects|toThrow|except|suppress)\b")
#: Types of nodes that make an object.
_MADE = ("new_expression", "object_creation_expression")
#: The beginnings of statements that leave a function, with a value or without.
_LEAVING = re.compile(r"(return)\b|(?:raise|throw|panic)\b")


class Span(NamedTuple):
    """A range of a text, in code points."""

    start: int
    end: int

    def touches(self, spans: Collection["Span"]) -> bool:
        """Tell whether it shares a character with one of them."""
        return any(one.start < self.end and self.start < one.end for one in spans)

    def is_within(self, spans: Collection["Span"]) -> bool:
        """Tell whether one of them contains it."""
        return any(one.start <= self.start and self.end <= one.end for one in spans)


#: What stands in holes, by their names.
_Bound = dict[str, tuple[str, Span]]


class Part(NamedTuple):
    """A part of a node that may be kept: a node inside it, or words of a string."""

    span: Span
    text: str
    node: Node


class Kept(NamedTuple):
    """A part of what was written that was kept.

    Attributes:
        hole: The name of its hole.
        text: It, as it was written.
        indents: The indentation of its line before and now, beyond that of the first line that was
            rewritten.
    """

    hole: str
    text: str
    indents: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite that was made.

    Attributes:
        tree: The text before it.
        old: What was rewritten: an expression of `tree`, or statements that follow each other.
        holes: What was kept, by its range in `tree`, with its name.
        new: What was written, in pieces between holes.
        kept: The holes behind each piece but the last.
        anchor: The longest word of `old` outside its holes; of those that are gone, if any is.
        added: The words of `new` that `old` does not have.
        around: The name of the function around `old`.
        local: The names that `new` uses and that are defined in a function.
        kind: That of its consequences.
        open: The names of holes that nothing encloses, so that they take no looser code in.
        typed: The names of holes that only take nodes of the type that was kept.
        tied: The name of a hole that only takes in what was kept; empty for none.
        is_loose: Whether what is written is an operation, which an operator before it would take
            apart.
        is_tight: Whether it takes the place of an operation and is none, so that it needs no
            parentheses.
        is_value: Whether it takes the place of something else that is not called: it may give no
            function.
        behind: What stands behind it; empty for anything.
    """

    tree: Tree
    old: tuple[Node, ...]
    holes: dict[Span, str]
    new: tuple[str, ...]
    kept: tuple[Kept, ...]
    anchor: str
    added: frozenset[str]
    around: str
    local: frozenset[str]
    kind: Kind
    open: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()
    tied: str = ""
    is_loose: bool = False
    is_tight: bool = False
    is_value: bool = False
    behind: str = ""

    @property
    def cause(self) -> str:
        """Return the name of the rule."""
        return f"{self.anchor} {'…'.join(self.new)}"

    def written(self, tree: Tree, nodes: Sequence[Node]) -> str | None:
        """Return what nodes become by the rule; None where it does not fit."""
        bound: _Bound = {}
        if not tree.is_code(*span_of(*nodes)) or (self.is_value and is_called(nodes[0])):
            return None
        if not tree.text.startswith(self.behind, nodes[-1].end_byte):
            return None
        if not (self._all_fit(self.old, tree, nodes, bound) and self._is_promised(tree, nodes[0])):
            return None
        indent = indent_at(self.tree, self.old[0].start_byte)
        indent_here = indent_at(tree, nodes[0].start_byte)
        pieces = [reindented(self.new[0], indent, indent_here)]
        following = [*self.kept, Kept("", "")][1:]
        for kept, piece, behind in zip(self.kept, self.new[1:], following, strict=True):
            name, (was, now) = kept.hole, kept.indents
            piece = reindented(piece, indent, indent_here)
            is_moved = was != now or behind.indents[0] != behind.indents[1]
            if name in bound and behind.hole in bound and piece.strip() and not is_moved:
                here = tree.text[bound[name][1].end : bound[behind.hole][1].start]
                if here.split() == piece.split():
                    piece = here  # with its own line ends
            if name == AROUND:
                around = function_around(tree, nodes[0].start_byte)
                if not around:
                    return None
                pieces += [renamed(kept.text, self.around, around), piece]
            elif pieces[-1].endswith(".") and not bound[name][0].isidentifier():
                return None  # the name of a member was kept
            else:
                text, span = bound[name]
                if indent_at(tree, span.start) == indent_here + was:
                    text = reindented(text, indent_here + was, indent_here + now)
                pieces += [_quoted_as(kept.text, name, text), piece]
        return "".join(pieces)

    def _is_promised(self, tree: Tree, node: Node) -> bool:
        """Tell whether a function may fail or return where that of the rewrite now does.

        To return what was an error, or the reverse, is another promise. It holds for the function
        that was changed, and for others that say in their type that they return such a value.
        """
        ends = [_LEAVING.match(one) for one in (self.tree.of(self.old[0]), self.new[0])]
        if len({bool(one[1]) for one in ends if one}) < len(ends):
            return True
        (own, _), (name, promised) = _named(self.tree, self.old[0]), _named(tree, node)
        value = "".join(self.new).removeprefix("return").strip(" ;")
        others = re.findall(r"\w+", promised.replace("Optional", "None"))
        return name == own or (value in others and others != [value])

    def _fits(self, old: Node, tree: Tree, node: Node, bound: _Bound) -> bool:
        """Tell whether a node reads as what was rewritten, and bind what stands in its holes."""
        name = self.holes.get(span_of(old))
        if name is not None:
            is_bound = self._takes(name, old, tree, node)
            if name.startswith(GONE) or not is_bound:
                return is_bound
            text = tree.of(node)
            return bound.setdefault(name, (text, span_of(node)))[0] == text
        if old.type != node.type:
            return False
        mine, theirs = _children(old), _children(node)
        if not mine and not theirs:
            return self._reads_as(old, tree, node, bound)
        return self._all_fit(mine, tree, theirs, bound)

    def _takes(self, name: str, old: Node, tree: Tree, node: Node) -> bool:
        """Tell whether a hole takes a node in the place of the one that was kept."""
        if node.type != old.type:
            if name in self.typed or name.startswith(GONE) or KEYED.search(node.type):
                return False
            if LOOSE.search(node.type) and (name in self.open or is_chained(node)):
                return False
        text = tree.of(node)
        if name == "()" and self.old[0].type in _MADE and not self.new[0].startswith("new "):
            return text == name  # what is made without arguments is another thing with some
        if name.startswith(LEVEL) and text.lower() not in LEVELS:
            return False
        called, ours = (one.replace("()", "").partition("(") for one in (text, name))
        if ours[1] and called[0] != ours[0]:
            was, now = self.tree.text[slice(*span_of(*self.old))], "".join(self.new)
            if _FAILS.search(was) and not _FAILS.search(now):
                return False  # another function may fail as before
        return node.is_named and (name != self.tied or text == name)

    def _all_fit(
        self, old: Sequence[Node], tree: Tree, nodes: Sequence[Node], bound: _Bound
    ) -> bool:
        """Tell whether nodes read as those that were rewritten, one by one."""
        pairs = zip(old, nodes, strict=False)
        is_alike = (self._fits(one, tree, other, bound) for one, other in pairs)
        return len(old) == len(nodes) and all(is_alike)

    def _reads_as(self, old: Node, tree: Tree, node: Node, bound: _Bound) -> bool:
        """Tell whether two leaves are the same, but for words of strings that are holes."""
        mine, theirs = list(pieces_of(self.tree, old)), list(pieces_of(tree, node))
        if not any(span in self.holes for span, *_ in mine):
            return self.tree.of(old) == tree.of(node)
        if len(mine) != len(theirs):
            return False
        for (span, text, is_words), (there, other, is_words_too) in zip(mine, theirs, strict=True):
            name = self.holes.get(span)
            if is_words != is_words_too or (name is None and text != other):
                return False
            if name is not None and bound.setdefault(name, (other, there))[0] != other:
                return False
        return True


def span_of(*nodes: Node) -> Span:
    """Return the range of a node, or of nodes that follow each other."""
    return Span(nodes[0].start_byte, nodes[-1].end_byte)


def indent_at(tree: Tree, offset: int) -> str:
    """Return the indentation of the line of a place."""
    line = tree.text[tree.text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]


def reindented(text: str, indent: str, other: str) -> str:
    """Return code with another indentation of all of its lines but the first."""
    return text.replace("\n" + indent, "\n" + other) if indent != other else text


def _children(node: Node) -> list[Node]:
    """Return the children of a node, without the comma behind the last entry of a list."""
    children = node.children
    ends_with_comma = len(children) > 1 and children[-2].type == ","
    return [*children[:-2], children[-1]] if ends_with_comma else children


def parts_of(tree: Tree, node: Node) -> Iterator[Part]:
    """Return a node, all that is named inside it, and the words of its strings."""
    yield Part(span_of(node), tree.of(node), node)
    if not node.child_count and TEXT.search(node.type):
        for span, text, is_words in pieces_of(tree, node):
            if is_words and span != span_of(node):
                yield Part(span, text, node)
    # A variable of PHP is one word.
    for child in node.named_children if node.type != "variable_name" else ():
        yield from parts_of(tree, child)


def pieces_of(tree: Tree, node: Node) -> Iterator[tuple[Span, str, bool]]:
    """Return the words and the placeholders of a string, and whether it is words."""
    at = node.start_byte
    for index, piece in enumerate(PLACEHOLDER.split(tree.of(node))):
        if piece:
            yield Span(at, at + len(piece)), piece, index % 2 == 0
        at += len(piece)


def function_around(tree: Tree, offset: int) -> str:
    """Return the name of the innermost function with a name around a place; empty for none."""
    for step in reversed(tree.path(offset)):
        if _FUNCTION.search(step.type):
            return tree.of(step.node.child_by_field_name("name"))
    return ""


def _named(tree: Tree, node: Node) -> tuple[str, str]:
    """Return the name of the function around a node, and the type of its results."""
    function = function_node_around(tree, node)
    named = field(function, "name") or (field(function.parent, "name") if function else None)
    return tree.of(named), tree.of(field(function, "return_type", "result"))


def within_parentheses(node: Node) -> Node | None:
    """Return what is in parentheses; None for what is in none."""
    is_enclosed = node.type == ENCLOSED and node.named_child_count == 1
    return node.named_children[0] if is_enclosed else None


def is_called(node: Node) -> bool:
    """Tell whether a node is the function of a call, or the name of its method."""
    parent, name = node.parent, _field(node)
    if parent is not None and (name in _METHODS or parent.type == "member_access_expression"):
        return _field(parent) == "function"
    if parent is not None and parent.type in _NAMED_CALLS:
        return name == "name"
    return name == "function" or (name == "method" and parent is not None and parent.type == "call")


def is_written_to(node: Node) -> bool:
    """Tell whether a node is given a value, is deleted, or is counted up or down."""
    node = outermost(node, _TARGETS)
    above = node.parent
    if above is None or "assignment" in above.type:
        return above is not None and _field(node) == "left"
    return any(child.type in _CHANGING for child in above.children)


def _field(node: Node) -> str | None:
    """Return the field of its parent that a node is."""
    for index, one in enumerate(node.parent.children if node.parent else ()):
        if one == node:
            return node.parent.field_name_for_child(index) if node.parent else None
    return None


def is_chained(node: Node) -> bool:
    """Tell whether a node is a part of a longer chain of one operator."""
    chain = node.parent
    return "binary" in node.type and chain is not None and chain.type == node.type


def _quoted_as(now: str, before: str, text: str) -> str:
    """Return a text with the other quotes, if they were changed in what was rewritten."""
    if now == before:
        return text
    return text.replace('"', "'") if "'" in now else text.replace("'", '"')
