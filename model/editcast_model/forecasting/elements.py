"""Elements of brackets: arguments, parameters, items.

Brackets in strings and comments count like all others; a wrong answer costs one candidate.
"""

import re

from editcast_model.diff import Hunk

_OPENED_BY = {")": "(", "]": "[", "}": "{"}
_CLOSED_BY = {opening: closing for closing, opening in _OPENED_BY.items()}
#: How far the ends of brackets are looked for, in characters.
_REACH = 1_000
_NAME_ENDS = re.compile(r"[\s:=]")


def adds_again(text: str, hunk: Hunk) -> bool:
    """Tell whether a change adds an element that the innermost brackets around it hold already.

    A parameter with a type is the same element as its name alone.
    """
    element = hunk.text.strip(" \t,")
    is_added = hunk.start == hunk.end and "," in hunk.text and element and "," not in element
    if not is_added:
        return False
    held = _around(text, hunk.start)
    return any(element in (one, _NAME_ENDS.split(one)[0]) for one in held)


def _around(text: str, place: int) -> list[str]:
    """Return the elements of the innermost brackets around a place; none outside of brackets."""
    before, _ = _level(text[max(place - _REACH, 0) : place][::-1], _OPENED_BY)
    after, closing = _level(text[place : place + _REACH], _CLOSED_BY)
    if not closing:
        return []
    return [one.strip() for one in _split(before[::-1] + after)]


def _level(text: str, matching: dict[str, str]) -> tuple[str, str]:
    """Return a text up to the bracket that ends the level that it begins in, and that bracket."""
    awaited: list[str] = []
    for at, sign in enumerate(text):
        if sign in matching:
            awaited.append(matching[sign])
        elif sign in matching.values():
            if not awaited:
                return text[:at], sign
            awaited.pop()
    return text, ""


def _split(text: str) -> list[str]:
    """Split a text at its commas that are in no brackets of their own."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in _CLOSED_BY) - (sign in _OPENED_BY)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
