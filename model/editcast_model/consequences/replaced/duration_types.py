"""Numbers that are durations since their names lost their units, in Rust, Java and C++.

Where `timeout_ms: u64` is a `timeout: Duration` now, a number is made a duration, what makes one of
it is gone, and what needs the number asks the duration for it.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.syntax.tree import Tree


class _Durations(NamedTuple):
    """Durations of a language.

    Attributes:
        type: Matches their type.
        number: Matches the types of numbers.
        makes: By unit, what makes a duration of a number, which stands for `{}`.
        reads: By unit, what asks a duration for a number.
    """

    type: str
    number: str
    makes: Mapping[str, str]
    reads: Mapping[str, str]


def _by_unit(form: str, words: str) -> dict[str, str]:
    """Put words into a form, by the units that they stand for."""
    pairs = (one.split("=") for one in words.split())
    return {unit: form.replace("UNIT", word) for unit, word in pairs}


_JAVA: Final = "millisecond=Millis second=Seconds minute=Minutes hour=Hours day=Days"
_RUST: Final = "nanosecond=nanos microsecond=micros millisecond=millis second=secs"
_CPP: Final = (
    "nanosecond=nanoseconds microsecond=microseconds millisecond=milliseconds second=seconds"
    " minute=minutes hour=hours"
)
_LANGUAGES: Final = {
    "rust": _Durations(
        "Duration",
        r"[uif](?:8|16|32|64|128|size)",
        _by_unit("Duration::from_UNIT({})", _RUST),
        _by_unit(".as_UNIT()", _RUST),
    ),
    "java": _Durations(
        "Duration",
        "int|long|Integer|Long",
        _by_unit("Duration.ofUNIT({})", _JAVA),
        _by_unit(".toUNIT()", _JAVA),
    ),
    "cpp": _Durations(
        r"std::chrono::\w+seconds|std::chrono::(?:minutes|hours)",
        r"(?:unsigned )?(?:int|long)|std::size_t|u?int(?:32|64)_t",
        _by_unit("std::chrono::UNIT({})", _CPP),
        _by_unit(".count()", _CPP),
    ),
}


def is_duration(language: str, was: str, now: str) -> bool:
    """Tell whether a type of numbers became the type of durations of a language."""
    known = _LANGUAGES.get(language)
    if known is None or not re.fullmatch(known.number, was):
        return False
    return re.fullmatch(known.type, now) is not None


def made(language: str, code: str, unit: str) -> str | None:
    """Write a number as a duration; None where that is not possible, or where it is one."""
    known = _LANGUAGES.get(language)
    form = known.makes.get(unit, "") if known is not None else ""
    is_made = known is None or re.match(rf"(?:{known.type})\b", code) is not None
    return None if is_made or not form else form.format(code)


def read(tree: Tree, node: Node, new: str, unit: str) -> tuple[int, int, str] | None:
    """Return the start, the end and the text of what a place becomes that reads a number.

    Args:
        tree: The text.
        node: Where the number is read.
        new: What is written there now.
        unit: Its unit.
    """
    known = _LANGUAGES.get(tree.language)
    if known is None:
        return None
    start, end = node.start_byte, node.end_byte
    head, _, tail = known.makes.get(unit, "").partition("{}")
    if head and tree.text.endswith(head, 0, start) and tree.text.startswith(tail, end):
        return start - len(head), end + len(tail), new
    asked = known.reads.get(unit)
    return None if asked is None else (start, end, new + asked)


def typed(tree: Tree, kind: Node, name: Node, new: str, was: str) -> tuple[int, int, str] | None:
    """Return what a declaration of a number becomes, given the type of the duration."""
    known = _LANGUAGES.get(tree.language)
    if known is None or not re.fullmatch(known.number, tree.of(kind)):
        return None
    if kind.start_byte < name.start_byte:
        between = tree.text[kind.end_byte : name.start_byte]
        return kind.start_byte, name.end_byte, f"{was}{between}{new}"
    between = tree.text[name.end_byte : kind.start_byte]
    return name.start_byte, kind.end_byte, f"{new}{between}{was}"
