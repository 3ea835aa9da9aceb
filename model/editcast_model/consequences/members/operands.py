"""Code that says what a value is for: what it is compared with, given to, or passed to."""

import re
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.syntax.calls import called_by
from editcast_model.syntax.members import object_of
from editcast_model.syntax.tree import Path, Tree, field, first_child

_EQUAL = re.compile(r"\s*(?:[=!]==?|(?:not\s+)?in|is(?:\s+not)?)\s*")
_ELSE = re.compile(r"\s*(?:\|\||\?\?|\?:|or)\s*")
_OPERATION = re.compile("binary|comparison|boolean_operator|concatenat")
#: Types of nodes that contain the values of a case, and of those that contain the cases.
_VALUES = re.compile("^(?:case_pattern|switch_label|constant_pattern|match_condition_list)$")
_CASES = re.compile("^(?:switch_case|expression_case|case_statement)$")
_CHOICE = re.compile("^(?:match|switch|expression_switch|is_pattern)_(?:statement|expression)$")
_CHOSEN = ("subject", "condition", "value", "expression")
#: Fields that contain the name of a value, and types of nodes beyond which nothing names it.
_NAMED = ("left", "name", "key", "pattern")
_FUNCTION = re.compile("function|method|lambda|arrow")
_APART = re.compile("function|method|lambda|arrow|class|block$|body$|statement|subscript|index")
#: Types of nodes whose first child is the name of the second.
_PAIR = re.compile("array_element_initializer|jsx_attribute|variable_declarator|parameter$")
#: Calls that compare their arguments or look one of them up, and those that make a list of them.
_ASKS = re.compile(
    "(?i:in_array|includes|contains?|equals?(?:IgnoreCase)?"
    "|(?:assert_?)?(?:strict_?)?(?:same|equals?|eq)|toBe|toEqual|toStrictEqual)$"
)
_LISTS = frozenset("of asList listOf setOf Set set frozenset tuple list useState ref".split())
_TYPES = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\$?[^\W\d]\w*")


class Operand(NamedTuple):
    """Code that a value goes with.

    Attributes:
        node: The code.
        is_called: Whether the value is an argument of it.
        place: Which of the arguments it is then.
        call: The call that compares the two, if one does.
    """

    node: Node
    is_called: bool = False
    place: int = -1
    call: Node | None = None


def operand(tree: Tree, path: Path) -> Operand | None:
    """Return what the value at the end of a path goes with; None for what nothing says."""
    for at in range(len(path) - 1, 0, -1):
        (kind, part, node), above = path[at], path[at - 1].node
        if _OPERATION.search(above.type):
            other = next((one for one in above.named_children if one != node), node)
            first, last = sorted((node, other), key=lambda one: one.start_byte)
            sign = tree.text[first.end_byte : last.start_byte]
            if _EQUAL.fullmatch(sign):
                return Operand(other)
            if not _ELSE.fullmatch(sign):
                return None
        elif _VALUES.match(kind) or (_CASES.match(above.type) and part == "value"):
            choices = (one.node for one in reversed(path[:at]) if _CHOICE.match(one.type))
            choice = next(choices, None)
            found = field(choice, *_CHOSEN) or first_child(choice)
            return Operand(found) if found is not None else None
        elif (called := called_by(above)) is not None:
            if (given := _of_call(tree, above, called, path[-1].node)) is not None:
                return given
        elif above.type == "return_statement":
            functions = (one.node for one in reversed(path[:at]) if _FUNCTION.search(one.type))
            name = field(next(functions, None), "name")
            return Operand(name) if name is not None else None
        else:
            named = field(above, *_NAMED)
            if _PAIR.match(above.type) and above.named_child_count > 1:
                named = first_child(above)
            if named is not None and named.end_byte <= node.start_byte:
                return Operand(named)
            if _APART.search(above.type):
                return None
    return None


def _of_call(tree: Tree, call: Node, called: Node, value: Node) -> Operand | None:
    """Return what a value in a call goes with; None for a list, which goes with what it does."""
    listed = (one for one in call.named_children if one.type in ("arguments", "argument_list"))
    arguments = field(call, "arguments") or next(listed, None)
    end = arguments.start_byte if arguments is not None else called.end_byte
    words = _WORD.findall(_TYPES.sub("", tree.text[call.start_byte : end]))
    if not words or words[-1] in _LISTS:
        return None
    given = arguments.named_children if arguments is not None else []
    if not _ASKS.match(words[-1]):
        place = next((at for at, one in enumerate(given) if _has(one, value)), -1)
        return Operand(called, is_called=True, place=place)
    thing = field(call, "object", "receiver") or object_of(called)
    others = [one for one in (*given, thing) if one is not None and not _has(one, value)]
    return Operand(others[0], call=call) if others else None


def _has(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def last_word(tree: Tree, node: Node) -> re.Match[str] | None:
    """Return the word of some code that says what it is; of a pattern the first one."""
    while (called := called_by(node)) is not None:
        is_expected = tree.of(called) == "expect"
        node = (first_child(field(node, "arguments")) if is_expected else None) or called
    found = list(_WORD.finditer(tree.text, node.start_byte, node.end_byte))
    return found[0 if "pattern" in node.type else -1] if found else None


def thing_of(tree: Tree, path: Path) -> str:
    """Return the name of what the value at the end of a path goes with; empty for none known."""
    found = operand(tree, path)
    word = last_word(tree, found.node) if found is not None else None
    return f"{name_at(tree, word).lower()} {found.place}" if found and word else ""


def name_at(tree: Tree, word: re.Match[str]) -> str:
    """Return a word without signs, but with the quote behind it: the key of a row is no member."""
    behind = tree.text[word.end() : word.end() + 1]
    return word[0].lstrip("$_") + (behind if behind in "\"'" else "")
