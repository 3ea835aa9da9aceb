"""Places where a renamed thing is written or read whose values mean something else now.

What is written is converted, and what reads it loses or gets a factor, or asks for the opposite.
"""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.durations import (
    OF_UNIT,
    as_duration,
    is_same,
    number_of,
    read_as_duration,
    unit_like,
    verb_of,
)
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import has, renamed
from editcast_model.consequences.replaced.duration_types import made, read, typed
from editcast_model.consequences.value_changes import (
    NUMBER,
    OPPOSITE,
    SAME,
    WRAPPERS,
    ValueChange,
    value_beside,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.breaking import breaks_syntax
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Tree, field, first_child, type_declared

#: What stands for nothing at the end of an expression that reads a value, if it is a number.
_DEFAULT: Final = re.compile(
    r"(?:,|\?\?|\|\||\bor\b)\s*[\"']?(\d[\d_]*(?:\.\d+)?)[\"']?\s*\)*(?:\.to_[if])?$"
)
#: A call that calculates nothing.
_READING: Final = re.compile(r"[A-Za-z][\w.:\[\]]*\((?!.*\s[-+*/]\s).*", re.DOTALL)
#: The name of a flag or of its opposite; not a count, or a word for nothing.
_FLAG: Final = re.compile(r"(not |!)?(?!(?:None|nil|null|undefined)\b)[^\W\d][\w.$]*")
_MEMBER: Final = re.compile("attribute|member_|selector_|field_(access|expression)|scoped")
_NOT: Final = re.compile("not_operator|unary_expression|unary_op|prefix_unary")
_ASKED: Final = re.compile(
    "^(if|while|elif|return|assert)|boolean_|logical|conditional|ternary|argument|not_operator"
    "|parenthesized|if_clause|jsx_expression|pair|assignment|declarator"
)
#: By language, how a value is compared with nothing; other languages compare with `== null`.
_COMPARED: Final = {
    "python": ("is not None", "is None"),
    **dict.fromkeys(SCRIPTS, ("!== null", "=== null")),
}
#: What a time is that was false, as a flag.
_NEVER: Final = {"False": "None", "false": "null"}
_WAITING: Final = re.compile(r"sleep|delay|wait|set(?:Timeout|Interval)|Signal\.timeout")


def adapted(tree: Tree, one: Consequence, value: ValueChange) -> Consequence:
    """Return a rename with what is to become of the value beside it."""
    if value == SAME or one.hunk.start == one.hunk.end or not one.hunk.text.isidentifier():
        return one
    hunk = _Place(tree, one.hunk, value).hunk()
    return one if hunk is None or breaks_syntax(tree, hunk) else replace(one, hunk=hunk)


class _Place:
    """A place where a renamed thing is written or read.

    Args:
        tree: The text.
        hunk: The replacement of its name.
        value: What becomes of its values.
    """

    def __init__(self, tree: Tree, hunk: Hunk, value: ValueChange) -> None:
        self._tree, self._hunk, self._value = tree, hunk, value
        path = [step.node for step in tree.path(hunk.start)]
        at = len(path) - 1
        while at > 1 and path[at].type in ("string_content", "string_fragment", "string"):
            at -= 1
        while at > 0 and _MEMBER.search(path[at - 1].type) and _ends_alike(path[at - 1], path[at]):
            at -= 1
        self._node, self._above = path[at], path[:at][::-1]
        while self._above and self._above[0].type in WRAPPERS:
            self._above = self._above[1:]

    def hunk(self) -> Hunk | None:
        """Return the replacement of the name with its value, or of the whole expression."""
        if not self._above:
            return None
        written = value_beside(self._above[0], self._hunk.start)
        if written is not None:
            return self._written(written)
        whole = self._handed_on()
        if whole is not None:
            return whole
        new = self._renamed(self._node.start_byte, self._node.end_byte)
        if self._value.is_negated:
            return self._asked(self._sign + new, new)
        if self._value.unit_before and self._tree.language != "go":
            return self._of_duration(new)
        if unit := self._value.unit_before:
            read = read_as_duration(self._tree, self._node, new, unit)
            return self._compared(new) or (Hunk(*read) if read else None)
        if self._value.is_moment:
            signs = _COMPARED.get(self._tree.language, ("!= null", "== null"))
            is_usual = any(one in self._tree.text for one in signs)
            return self._asked(*(f"{new} {one}" for one in signs)) if is_usual else None
        return self._scaled(new)

    def _of_duration(self, new: str) -> Hunk | None:
        """Return a declaration with the type of durations, or what asks one for its number."""
        above, node, value = self._above[0], self._node, self._value
        kind = type_declared(above)
        if kind is not None and kind.end_byte != node.end_byte:
            found = typed(self._tree, kind, node, new, value.duration)
            return Hunk(*found) if found is not None else None
        if first_child(above) == node and "call" in above.type + node.type and new.isidentifier():
            return None
        if self._tree.text[node.end_byte : node.end_byte + 2] == "()":  # of a method
            node = next(one for one in self._above if one.end_byte == node.end_byte + 2)
            new = self._renamed(node.start_byte, node.end_byte)
        found = read(self._tree, node, new, value.unit_before)
        return Hunk(*found) if found is not None else None

    def _renamed(self, start: int, end: int) -> str:
        """Return a part of the text with the new name."""
        text, hunk = self._tree.text, self._hunk
        return text[start : hunk.start] + hunk.text + text[hunk.end : end]

    def _written(self, written: Node) -> Hunk | None:
        is_braced = written.type == "jsx_expression"
        old = self._tree.of(written)[1:-1] if is_braced else self._tree.of(written)
        new = self._literal(old) or self._read(old) or self._made(old)
        if new is None and self._value.is_negated:
            new = self._negated(old)
        if new is None:
            return None
        head = self._renamed(self._hunk.start, written.start_byte)
        new = f"{{{new}}}" if is_braced else new
        return Hunk(self._hunk.start, written.end_byte, head + new)

    def _read(self, old: str) -> str | None:
        """Return a call that takes the value by the old name, or else a literal one."""
        name, value = self._tree.text[self._hunk.start : self._hunk.end], self._value
        if value.factor == 1 or not has(old, name, within=True) or not _READING.fullmatch(old):
            return None
        default = _DEFAULT.search(old)
        number = self._literal(default[1]) if default else None
        if default and number:
            old = old[: default.start(1)] + number + old[default.end(1) :]
        new = renamed(old, name, self._hunk.text, within=True)
        return re.sub(r"^(int|float)\(", f"{value.type}(", new) if value.type else new

    def _handed_on(self) -> Hunk | None:
        """Return what puts the value into something of the same name, in another form perhaps."""
        tree, word = self._tree, self._hunk.text
        old = tree.text[self._hunk.start : self._hunk.end]
        for one in self._above[:6]:
            value, named = value_beside(one, one.start_byte), field(one, "name", "key")
            name = tree.of(named)
            if value is None or named is None or not has(name, old):
                continue
            text = tree.of(value)
            new = self._read(text)
            if new is None and name != old and self._value.units != ("", ""):
                new = (
                    self._renamed(value.start_byte, value.end_byte) if value == self._node else None
                )
            head = renamed(name, old, word) + tree.text[named.end_byte : value.start_byte]
            return Hunk(one.start_byte, value.end_byte, head + new) if new else None
        return None

    def _literal(self, old: str) -> str | None:
        """Return what is written for a literal now."""
        value = self._value
        if value.unit_before:
            return as_duration(old, value.unit_before) if self._tree.language == "go" else None
        if value.is_moment:
            return _NEVER.get(old)
        if value.is_negated and old in OPPOSITE:
            return OPPOSITE[old]
        if value.factor != 1 and NUMBER.fullmatch(old):
            return value.scaled(old, self._tree.text)
        return None

    def _made(self, old: str) -> str | None:
        """Return a duration made of an expression, or another thing of the same name."""
        value, name = self._value, self._tree.text[self._hunk.start : self._hunk.end]
        if not value.unit_before or self._tree.language == "go":
            return None
        if re.fullmatch(rf"(?:\w+(?:\.|->))*{re.escape(name)}", old):
            return old.removesuffix(name) + self._hunk.text
        return made(self._tree.language, old, value.unit_before)

    def _negated(self, expression: str) -> str | None:
        """Return the opposite of an expression that says nothing by the old name."""
        old = self._tree.text[self._hunk.start : self._hunk.end]
        flag = _FLAG.fullmatch(expression)
        if flag is None:
            return None
        if old in WORD.findall(expression):  # both sides are negated
            return re.sub(rf"\b{re.escape(old)}\b", self._hunk.text, expression)
        return expression[flag.end(1) :] if flag[1] else self._sign + expression

    @property
    def _sign(self) -> str:
        return "not " if self._tree.language in ("python", "ruby") else "!"

    def _asked(self, is_so: str, is_not: str) -> Hunk | None:
        """Return what says that a flag is set, or is not, where that is asked."""
        node, above = self._node, self._above[0]
        if _NOT.fullmatch(above.type) and self._tree.of(above).startswith(("not ", "!")):
            return Hunk(above.start_byte, above.end_byte, is_not)
        if above.type.startswith("assignment") and above.child_by_field_name("left") == node:
            return None
        is_asked = _ASKED.search(above.type) or (
            above.type == "binary_expression" and self._operation(above, node)[0] in ("&&", "||")
        )
        return Hunk(node.start_byte, node.end_byte, is_so) if is_asked else None

    def _operation(self, above: Node, node: Node) -> tuple[str, Node | None]:
        """Return the operator of an expression of two, and the operand that is not a node."""
        operands = above.named_children
        if len(operands) != 2 or node not in operands:
            return "", None
        sign = self._tree.text[operands[0].end_byte : operands[1].start_byte].strip()
        return sign, operands[operands[0] == node]

    def _scaled(self, new: str) -> Hunk | None:
        """Return an expression without the factor that its value has now, or with it."""
        node = self._node
        inner, factor = node, Fraction(1)
        for one in self._above:
            sign, other = self._operation(one, inner)
            number = self._tree.of(other)
            if sign not in ("*", "/") or not NUMBER.fullmatch(number):
                break
            literal = Fraction(number.replace("_", ""))
            factor = factor * literal if sign == "*" else factor / (literal or 1)
            inner = one
            if is_same(factor, self._value.factor):
                return Hunk(one.start_byte, one.end_byte, new)
        if inner != node:
            return None
        return self._compared(new) or self._said(new) or self._waited(new)

    def _compared(self, new: str) -> Hunk | None:
        """Return a comparison with a number that is another one now."""
        node = self._node
        sign, other = self._operation(self._above[0], node)
        if sign in ("<", ">", "<=", ">=", "==", "!=", "===", "!==") and other is not None:
            scaled = self._literal(self._tree.of(other))
            if scaled and self._tree.language == "go":
                scaled = scaled.replace(" * ", "*")  # as gofmt has products in comparisons
            if scaled and other.start_byte > node.start_byte:
                between = self._tree.text[node.end_byte : other.start_byte]
                return Hunk(node.start_byte, other.end_byte, new + between + scaled)
        return None

    def _said(self, new: str) -> Hunk | None:
        """Return a value that is printed with the unit behind it."""
        above, text, (old, unit) = self._above[0], self._tree.text, self._value.units
        end, is_inside = above.end_byte, above.type in ("interpolation", "template_substitution")
        verb = None if is_inside else verb_of(self._tree, self._node)
        if not unit or not (is_inside or verb):
            return None
        end = verb.start() + len(verb[1]) if verb else end
        behind = re.match(r"[ ]?([A-Za-z]+)\b", text[end : end + 20])
        if behind is None or OF_UNIT.get(behind[1].lower()) != OF_UNIT.get(old):
            return None
        said, last = unit_like(behind[1], unit), end + behind.end(1)
        if verb:
            return Hunk(
                end + behind.start(1),
                self._node.end_byte,
                f"{said}{text[last : self._node.start_byte]}{new}",
            )
        start = self._hunk.start
        return Hunk(start, last, self._renamed(start, end + behind.start(1)) + said)

    def _waited(self, new: str) -> Hunk | None:
        """Return a time that is waited for in the unit that the function takes."""
        node, above, tree = self._node, self._above, self._tree
        if above[0].type == "default_parameter" and self._value.units[0]:
            name = tree.of(field(above[0], "name"))
            given = re.sub(rf"(?<=_){self._value.units[0]}$", self._value.units[1], name)
            head = tree.text[above[0].start_byte + len(name) : node.start_byte]
            return (
                Hunk(above[0].start_byte, node.end_byte, given + head + new)
                if given != name
                else None
            )
        given = tree.of(field(above[0], "name")) if above[0].type == "keyword_argument" else ""
        if given != "timeout" and (len(above) < 2 or "argument" not in above[0].type):
            return None
        if given != "timeout" and not _WAITING.search(tree.of(first_child(above[1]))):
            return None
        factor = self._value.factor
        sign, other = ("/", factor) if factor > 1 else ("*", 1 / factor)
        return Hunk(node.start_byte, node.end_byte, f"{new} {sign} {number_of(other)}")


def _ends_alike(above: Node, node: Node) -> bool:
    return above.end_byte == node.end_byte and above.named_child_count > 1
