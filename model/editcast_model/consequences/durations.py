"""Units of numbers, and numbers of Go that become durations.

Where `TimeoutSeconds int` is a `Timeout time.Duration` now, a number is multiplied by its unit.
"""

import re
from fractions import Fraction
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Renamed
from editcast_model.consequences.lists.word_forms import forms, parts_of, renamed
from editcast_model.consequences.replaced.duration_types import is_duration
from editcast_model.syntax.tree import Tree, type_declared

#: The units of times: how many seconds they are, and the parts of names that say them.
UNITS: Final = {
    "nanosecond": (Fraction(1, 10**9), "ns nanos nanoseconds"),
    "microsecond": (Fraction(1, 10**6), "us micros microseconds"),
    "millisecond": (Fraction(1, 1000), "ms msec millis milliseconds"),
    "second": (Fraction(1), "s sec secs second seconds"),
    "minute": (Fraction(60), "min mins minute minutes"),
    "hour": (Fraction(3600), "hour hours"),
    "day": (Fraction(86400), "day days"),
}
#: The words for units, each with what it measures, and how many of a common unit it is.
OF_UNIT: Final = {
    word: (kind, factor)
    for kind, factor, words in (
        *(("time", seconds, words) for seconds, words in UNITS.values()),
        ("size", Fraction(1), "byte bytes"),
        ("size", Fraction(1024), "kb kib kilobytes"),
        ("size", Fraction(1024**2), "mb mib megabytes"),
        ("size", Fraction(1024**3), "gb gib gigabytes"),
        ("length", Fraction(1), "mm millimeters millimetres"),
        ("length", Fraction(10), "cm centimeters centimetres"),
        ("length", Fraction(1000), "m meters metres"),
        ("length", Fraction(10**6), "km kilometers kilometres"),
        ("mass", Fraction(1), "mg milligrams"),
        ("mass", Fraction(1000), "g grams"),
        ("mass", Fraction(10**6), "kg kilograms"),
        ("money", Fraction(1), "cent cents"),
        ("money", Fraction(100), "eur euro euros usd dollar dollars"),
    )
    for word in words.split()
}
#: Factors between units that mean nothing else.
FACTORS: Final = {24, 60, 100, 1000, 1024, 3600, 86400, 10**6, 10**9, 1024**2, 1024**3}
#: Bytes of a kilobyte, a megabyte and a gigabyte, each with what else it may have.
_THOUSANDS: Final = {Fraction(1024**each): Fraction(1000**each) for each in (1, 2, 3)}
UNIT_OF: Final = {part: unit for unit, (_, parts) in UNITS.items() for part in parts.split()}
#: Numbers whose digits are grouped, and those that could be: no ports, and none in addresses.
_GROUPED: Final = re.compile(r"\b\d{1,3}(?:_\d{3})+\b")
_UNGROUPED: Final = r"(?<![\w.:/#])(?<![pP][oO][rR][tT][ =:])(?<![pP][oO][rR][tT][,:] )\d{%d,}\b"
#: What formats a value in Go, with the unit of a number behind it.
_VERB: Final = re.compile(
    r"(%[-+# \d.]*(?!%)[A-Za-z])"
    r"(?:(?<=d)(?:s|ms| ?(?:milli)?sec(?:ond)?s?| minutes?| hours?| days?)\b)?"
)
_NUMBER: Final = re.compile(r"u?int(8|16|32|64)?|float(32|64)?")
_WRITTEN: Final = re.compile(r"\d[\d_]*(\.\d+)?")


def unit_before(before: Tree, after: Tree, renamed: Renamed) -> str:
    """Return the unit of a number that is a duration under its new name; empty for anything else.

    Args:
        before: The text before.
        after: The text now.
        renamed: The definition that has another name.
    """
    was = before.of(type_declared(renamed.before.path[-2].node))
    now = after.of(type_declared(renamed.after.path[-2].node))
    is_of_go = after.language == "go" and now == "time.Duration" and _NUMBER.fullmatch(was)
    if not is_of_go and not is_duration(after.language, was, now):
        return ""
    kept = parts_of(renamed.after.name)
    units = [UNIT_OF[one] for one in parts_of(renamed.before.name) if one in UNIT_OF]
    is_known = len(units) == 1 and not any(one in UNIT_OF for one in kept)
    return units[0] if is_known else ""


def as_duration(number: str, unit: str) -> str | None:
    """Write a number as a duration; None for what is no literal."""
    if not _WRITTEN.fullmatch(number):
        return None
    if number == "1":
        return _in_go(unit)
    return f"{number} * {_in_go(unit)}" if number.isdigit() and number != "0" else number


def _in_go(unit: str) -> str:
    """Return a unit as Go writes it, which has none for a day."""
    return "24 * time.Hour" if unit == "day" else f"time.{unit.capitalize()}"


def read_as_duration(tree: Tree, node: Node, new: str, unit: str) -> tuple[int, int, str] | None:
    """Return what an expression becomes that makes a duration of a number, or needs one.

    Args:
        tree: The text.
        node: Where the number is read.
        new: What is written there now.
        unit: Its unit.

    Returns:
        Start, end and the new text; None where the name alone changes.
    """
    start, end = node.start_byte, node.end_byte
    ahead, behind = tree.text[max(0, start - 80) : start], tree.text[end : end + 80]
    if flag := re.search(r"\b(U?[Ii]nt(64)?|Float64)(VarP?\(&)$", ahead):
        given = re.match(r"((?:, \"[^\"]*\")+, )([1-9]\d*)(?=,)", behind)
        default = f"{given[1]}{given[2]}*{_in_go(unit)}".replace(" * ", "*") if given else ""
        last = end + given.end() if given else end
        return start - len(flag[0]), last, f"Duration{flag[3]}{new}{default}"
    if (verb := verb_of(tree, node)) is not None and verb[1].endswith("d"):
        old, now = (each.rpartition(".")[2] for each in (tree.of(node), new))
        said = forms(old).search(tree.text, verb.pos, verb.start())
        first = said.start() if said else verb.start()
        text = renamed(tree.text[first : verb.start()], old, now)
        return first, end, f"{text}%s{tree.text[verb.end() : start]}{new}"
    dated = re.search(r"\bAddDate\(0, 0, (-?)$", ahead) if unit == "day" else None
    if dated and behind[:1] == ")":
        return start - len(dated[0]), end, f"Add({dated[1]}{new}"
    times = re.escape(_in_go(unit))
    made = re.search(r"\btime\.Duration\($", ahead)
    after = re.match(rf"\)\s*\*\s*{times}\b", behind)
    if made and after:
        return start - len(made[0]), end + after.end(), new
    turned = re.search(rf"\b{times}\s*\*\s*time\.Duration\($", ahead)
    return (start - len(turned[0]), end + 1, new) if turned and behind[:1] == ")" else None


def verb_of(tree: Tree, node: Node) -> re.Match[str] | None:
    """Return the verb by which a call formats a value, with the unit of a whole number in Go."""
    given = node.parent.named_children if node.parent is not None else []
    texts = [at for at, one in enumerate(given) if "string" in one.type]
    if node not in given or not texts:
        return None
    first, place = texts[0], given.index(node)
    text = given[first]
    verbs = list(_VERB.finditer(tree.text, text.start_byte, text.end_byte))
    at = place - first - 1
    return verbs[at] if 0 <= at < len(verbs) else None


def units_of(name: str, factor: Fraction) -> tuple[str, str]:
    """Return the words for the unit before and now, if the new name alone has one."""
    for word in parts_of(name)[-1:]:
        kind, now = OF_UNIT.get(word, ("", Fraction(0)))
        found = (f"{one}s" for one, (seconds, _) in UNITS.items() if seconds == now * factor)
        return next(found, "") if kind == "time" else "", word
    return "", ""


def is_same(factor: Fraction, wanted: Fraction) -> bool:
    """Tell whether two factors are the same; a kilobyte may be of 1,000 bytes or of 1,024."""
    return factor in (wanted, _THOUSANDS.get(wanted))


def unit_like(word: str, new: str) -> str:
    """Write a unit as long as another one is written."""
    unit = UNIT_OF.get(new)
    if unit is None:
        return new
    if len(word) < 4:
        return UNITS[unit][1].split()[0]
    said = unit + "s" * word.endswith("s")
    return said.capitalize() if word[0].isupper() else said


def worded(text: str, units: tuple[str, str]) -> str:
    """Return a text with the word for a new unit in the place of the first for the old one."""
    word = re.compile(rf"\b{UNIT_OF.get(units[0], '-')}s\b", re.IGNORECASE)
    return word.sub(lambda found: unit_like(found[0], units[1]), text, count=1)


def number_of(value: Fraction) -> str:
    """Write a number."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def is_grouped(text: str, digits: int) -> bool:
    """Tell whether a text groups the digits of all numbers that have at least so many.

    Some numbers of four digits are years and the like, which nobody groups.
    """
    least = 4 if digits == 4 else 5
    return bool(_GROUPED.search(text)) and not re.search(_UNGROUPED % least, text)


def product(number: Fraction, factor: Fraction) -> str:
    """Write a product; bytes as people write them."""
    for power in (2, 3):
        if factor == 1024**power:
            parts = [number_of(number)] if number != 1 else []
            return " * ".join([*parts, *["1024"] * power])
    return number_of(number * factor)
