"""Renames after which a value means something else: its unit, its sense, or what a flag is now.

Where `timeout_seconds` becomes `timeout_ms`, what is put into it is multiplied by a thousand, and
what reads it loses a factor of a thousand. Where `disabled` becomes `enabled`, `False` becomes
`True`, and the condition `not plugin.enabled`. Where the flag `cancelled` becomes the time
`cancelled_at`, the condition `not booking.cancelled` becomes `booking.cancelled_at is None`, if the
file compares with `None` elsewhere. The change is read from a value that was written
with the new name, from the two names, or from the types.
"""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.durations import (
    UNITS,
    as_duration,
    is_grouped,
    number_of,
    read_as_duration,
    unit_before,
)
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import has, parts_of, renamed
from editcast_model.diff import Hunk
from editcast_model.syntax.breaking import breaks_syntax
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import WORD, Occurrence
from editcast_model.syntax.tree import Tree, field, first_child

#: The words for units, each with what it measures, and how many seconds or bytes it is.
_OF_UNIT: Final = {
    word: (kind, factor)
    for kind, factor, words in (
        *(("time", seconds, words) for seconds, words in UNITS.values()),
        ("size", Fraction(1), "byte bytes"),
        ("size", Fraction(1024), "kb kib kilobytes"),
        ("size", Fraction(1024**2), "mb mib megabytes"),
        ("size", Fraction(1024**3), "gb gib gigabytes"),
    )
    for word in words.split()
}
_OPPOSITES: Final = [
    frozenset(pair.split("/"))
    for pair in """enabled/disabled enable/disable visible/hidden show/hide allow/deny
    allowed/denied include/exclude included/excluded active/inactive valid/invalid open/closed
    on/off public/private online/offline read/unread required/optional success/failure
    mutable/immutable known/unknown locked/unlocked""".split()
]
_NEGATING: Final = frozenset({"no", "not", "non", "without"})
#: Factors between units that mean nothing else.
_FACTORS: Final = {24, 60, 100, 1000, 1024, 3600, 86400, 10**6, 10**9, 1024**2, 1024**3}
#: Bytes of a kilobyte, a megabyte and a gigabyte, each with what else it may have.
_THOUSANDS: Final = {Fraction(1024**each): Fraction(1000**each) for each in (1, 2, 3)}
_NUMBER: Final = re.compile(r"\d[\d_]*(?:\.\d+)?")
#: What stands for nothing at the end of an expression that reads a value, if it is a number.
_DEFAULT: Final = re.compile(
    r"(?:,|\?\?|\|\||\bor\b)\s*[\"']?(\d[\d_]*(?:\.\d+)?)[\"']?\s*\)*(?:\.to_[if])?$"
)
#: A call that calculates nothing.
_READING: Final = re.compile(r"[A-Za-z][\w.:\[\]]*\((?!.*\s[-+*/]\s).*", re.DOTALL)
_OPPOSITE: Final = {"True": "False", "False": "True", "true": "false", "false": "true"}
#: The name of a flag or of its opposite; not a count, or a word for nothing.
_FLAG: Final = re.compile(r"(not |!)?(?!(?:None|nil|null|undefined)\b)[^\W\d][\w.$]*")
_QUOTED: Final = re.compile(r"'[^'\"\n]*'|\"[^'\"\n]*\"")
_MEMBER: Final = re.compile("attribute|member_|selector_|field_(access|expression)|scoped")
_WRAPPERS: Final = ("expression_list", "literal_element")  # of one expression, in Go
_NOT: Final = re.compile("not_operator|unary_expression|unary_op|prefix_unary")
_ASKED: Final = re.compile(
    "^(if|while|elif|return|assert)|boolean_|logical|conditional|ternary|argument|not_operator"
    "|parenthesized|if_clause|jsx_expression|pair|assignment|declarator"
)
_BOOLEAN: Final = re.compile(r"\b[Bb]ool(ean)?\b")
#: By language, how a value is compared with nothing; other languages compare with `== null`.
_COMPARED: Final = {
    "python": ("is not None", "is None"),
    **dict.fromkeys(SCRIPTS, ("!== null", "=== null")),
}
_WAITING: Final = re.compile(r"sleep|delay|wait")


class ValueChange(NamedTuple):
    """A change of the values of something that has another name.

    Attributes:
        factor: The number that numbers are multiplied by.
        is_negated: Whether true is false now.
        is_moment: Whether it is a time, or nothing, that was true or false.
        literals: Old literals, each with the new one.
        units: The words for the unit in the old name and in the new one, if they have any.
        unit_before: The unit of a number that is a duration now.
        type: The type of its numbers, `int` or `float`, if that was the other one.
        is_grouped: Whether digits are grouped in what was written; None where none could be.
    """

    factor: Fraction = Fraction(1)
    is_negated: bool = False
    is_moment: bool = False
    literals: tuple[tuple[str, str], ...] = ()
    units: tuple[str, str] = ("", "")
    unit_before: str = ""
    type: str = ""
    is_grouped: bool | None = None

    def scaled(self, number: str, text: str) -> str:
        """Return what is written for a number of a text now."""
        new = _product(Fraction(number.replace("_", "")), self.factor)
        if not new.isdigit() or new == "0":
            return new
        grouped = is_grouped(text, len(new)) if self.is_grouped is None else self.is_grouped
        return (f"{int(new):_}" if grouped else new) + ".0" * (self.type == "float")


SAME: Final = ValueChange()


def value_change(change: Change, renamed: Renamed) -> ValueChange:
    """Return what a rename did to values, by what was written with it and by the names."""
    old, new = renamed.before.name, renamed.after.name
    if unit := unit_before(change.before.tree, change.after.tree, renamed):
        return ValueChange(unit_before=unit)
    if _is_moment(change, renamed):
        return ValueChange(is_moment=True, literals=(("False", "None"), ("false", "null")))
    of_names = by_names(old, new)
    was, now = (
        _literal_of(names.tree, one)
        for names, one in ((change.before, renamed.before), (change.after, renamed.after))
    )
    if was and now and was != now:
        if _NUMBER.fullmatch(was) and _NUMBER.fullmatch(now):
            factor = Fraction(now.replace("_", "")) / (Fraction(was.replace("_", "")) or 1)
            if factor in _FACTORS or 1 / (factor or 1) in _FACTORS:
                points = "." in was, "." in now
                kind = {(True, False): "int", (False, True): "float"}.get(points, "")
                grouped = is_grouped(now, 4) if len(now) > 3 and "." not in now else None
                units = of_names.units if any(of_names.units) else _units(new, factor)
                return ValueChange(factor, units=units, type=kind, is_grouped=grouped)
        elif was in _OPPOSITE and now in _OPPOSITE:
            return ValueChange(is_negated=True)
        elif was in _OPPOSITE and _QUOTED.fullmatch(now):
            return ValueChange(literals=((was, now), (_OPPOSITE[was], f"{now[0]}{old}{now[0]}")))
    return of_names


def _units(name: str, factor: Fraction) -> tuple[str, str]:
    """Return the words for the unit before and now, if the new name alone has one."""
    for word in parts_of(name)[-1:]:
        kind, now = _OF_UNIT.get(word, ("", Fraction(0)))
        found = (f"{one}s" for one, (seconds, _) in UNITS.items() if seconds == now * factor)
        return next(found, "") if kind == "time" else "", word
    return "", ""


def _is_moment(change: Change, renamed: Renamed) -> bool:
    """Tell whether a flag became the time since when it is set."""
    old, new = parts_of(renamed.before.name), parts_of(renamed.after.name)
    was, now = (
        names.tree.of(one.path[-2].node)
        for names, one in ((change.before, renamed.before), (change.after, renamed.after))
    )
    is_named = new[-1] in ("at", "on", "since") and new[:-1] in (old, old[1:])
    return is_named and bool(_BOOLEAN.search(was)) and not _BOOLEAN.search(now)


def by_names(old: str, new: str) -> ValueChange:
    """Return what the difference of two names says about values."""
    parts, others = parts_of(old), parts_of(new)
    gone = [one for one in parts if one not in others]
    come = [one for one in others if one not in parts]
    if len(gone) == len(come) == 1:
        (left,), (right,) = gone, come
        if frozenset((left, right)) in _OPPOSITES:
            return ValueChange(is_negated=True)
        if left in _OF_UNIT and right in _OF_UNIT:
            (kind, per_old), (other, per_new) = _OF_UNIT[left], _OF_UNIT[right]
            if kind == other and per_old != per_new:
                return ValueChange(per_old / per_new, units=(left, right))
    is_negated = len(gone + come) == 1 and _NEGATING.issuperset(gone + come)
    return ValueChange(is_negated=True) if is_negated else SAME


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
        while self._above and self._above[0].type in _WRAPPERS:
            self._above = self._above[1:]

    def hunk(self) -> Hunk | None:
        """Return the replacement of the name with its value, or of the whole expression."""
        if not self._above:
            return None
        written = _value_beside(self._above[0], self._hunk.start)
        if written is not None or self._above[0].type == "jsx_attribute":
            return self._written(written)
        if whole := self._handed_on():
            return whole
        new = self._renamed(self._node.start_byte, self._node.end_byte)
        if self._value.is_negated:
            return self._asked(self._sign + new, new)
        if unit := self._value.unit_before:
            read = read_as_duration(self._tree, self._node, new, unit)
            return Hunk(*read) if read else None
        if self._value.is_moment:
            compared = _COMPARED.get(self._tree.language, ("!= null", "== null"))
            is_usual = any(one in self._tree.text for one in compared)
            return self._asked(*(f"{new} {one}" for one in compared)) if is_usual else None
        if not self._value.literals:
            return self._scaled(new)
        true, equal = self._true(), "==" if self._tree.language == "python" else "==="
        return self._asked(f"{new} {equal} {true}", f"{new} !{equal[1:]} {true}") if true else None

    def _renamed(self, start: int, end: int) -> str:
        """Return a part of the text with the new name."""
        text, hunk = self._tree.text, self._hunk
        return text[start : hunk.start] + hunk.text + text[hunk.end : end]

    def _written(self, written: Node | None) -> Hunk | None:
        if written is None:
            true, hunk = self._true(), self._hunk  # of JSX, where a name alone is true
            return replace(hunk, text=f"{hunk.text}={_in_braces(true)}") if true else None
        is_braced = written.type == "jsx_expression"
        old = self._tree.of(written)[1:-1] if is_braced else self._tree.of(written)
        new = self._literal(old) or self._read(old)
        if new is None and self._value.is_negated:
            new = self._negated(old)
        if new is None:
            return None
        head = self._renamed(self._hunk.start, written.start_byte)
        new = head + (_in_braces(new) if is_braced else new)
        return Hunk(self._hunk.start, written.end_byte, new)

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
            value, named = _value_beside(one, one.start_byte), field(one, "name", "key")
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

    def _true(self) -> str | None:
        """Return what is written for true now."""
        return self._literal("true") or self._literal("True")

    def _literal(self, old: str) -> str | None:
        """Return what is written for a literal now."""
        value = self._value
        if value.unit_before:
            return as_duration(self._tree.language, old, value.unit_before)
        if value.literals:
            return dict(value.literals).get(old)
        if value.is_negated and old in _OPPOSITE:
            return _OPPOSITE[old]
        if value.factor != 1 and _NUMBER.fullmatch(old):
            return value.scaled(old, self._tree.text)
        return None

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
        node, above = self._node, self._above[0]
        inner, factor = node, Fraction(1)
        for one in self._above:
            sign, other = self._operation(one, inner)
            number = self._tree.of(other)
            if sign not in ("*", "/") or not _NUMBER.fullmatch(number):
                break
            literal = Fraction(number.replace("_", ""))
            factor = factor * literal if sign == "*" else factor / (literal or 1)
            inner = one
            if _is_same(factor, self._value.factor):
                return Hunk(one.start_byte, one.end_byte, new)
        if inner != node:
            return None
        sign, other = self._operation(above, node)
        if sign in ("<", ">", "<=", ">=", "==", "!=", "===", "!==") and other is not None:
            scaled = self._literal(self._tree.of(other))
            if scaled and other.start_byte > node.start_byte:
                between = self._tree.text[node.end_byte : other.start_byte]
                return Hunk(node.start_byte, other.end_byte, new + between + scaled)
            return None
        return self._said() or self._waited(new)

    def _said(self) -> Hunk | None:
        """Return a value in a text with the unit behind it."""
        above, (old, unit) = self._above[0], self._value.units
        if above.type not in ("interpolation", "template_substitution") or not unit:
            return None
        behind = re.match(r"[ ]?([A-Za-z]+)\b", self._tree.text[above.end_byte :][:20])
        if behind is None or _OF_UNIT.get(behind[1].lower()) != _OF_UNIT.get(old):
            return None
        start, end = self._hunk.start, above.end_byte + behind.end(1)
        return Hunk(start, end, self._renamed(start, above.end_byte + behind.start(1)) + unit)

    def _waited(self, new: str) -> Hunk | None:
        """Return a time that is waited for in the unit that the function takes."""
        if len(self._above) < 2 or "argument" not in self._above[0].type:
            return None
        called = first_child(self._above[1])
        if not _WAITING.search(self._tree.of(called)):
            return None
        node, factor = self._node, self._value.factor
        sign, other = ("/", factor) if factor > 1 else ("*", 1 / factor)
        return Hunk(node.start_byte, node.end_byte, f"{new} {sign} {number_of(other)}")


def _literal_of(tree: Tree, one: Occurrence) -> str:
    """Return the literal that is written beside a name; empty for none."""
    for step in one.path[-2:-4:-1]:
        value = _value_beside(step.node, one.start)
        if value is not None:
            return tree.of(value).strip("{}")
    return ""


def _value_beside(above: Node, start: int) -> Node | None:
    """Return the value that a node gives to what is named in it, from an offset on."""
    found = above.child_by_field_name("value")
    if "assign" in above.type:
        found = above.child_by_field_name("right") or found
    if found is None and above.type in ("jsx_attribute", "keyed_element"):
        found = above.named_children[-1] if above.named_child_count > 1 else None
    if found is None or found.start_byte <= start:
        return None
    while found.type in _WRAPPERS and found.named_child_count == 1:
        found = found.named_children[0]
    return found


def _ends_alike(above: Node, node: Node) -> bool:
    return above.end_byte == node.end_byte and above.named_child_count > 1


def _in_braces(value: str) -> str:
    """Return a value of JSX; only a string needs no braces."""
    return value if value[0] in "'\"" else f"{{{value}}}"


def _is_same(factor: Fraction, wanted: Fraction) -> bool:
    """Tell whether two factors are the same; a kilobyte may be of 1,000 bytes or of 1,024."""
    return factor in (wanted, _THOUSANDS.get(wanted))


def _product(number: Fraction, factor: Fraction) -> str:
    """Write a product; bytes as people write them."""
    for power in (2, 3):
        if factor == 1024**power:
            parts = [number_of(number)] if number != 1 else []
            return " * ".join([*parts, *["1024"] * power])
    return number_of(number * factor)
