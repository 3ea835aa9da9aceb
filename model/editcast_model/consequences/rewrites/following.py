"""Statements that are to follow on others, as one was just written to.

After `defer rows.Close()` was written behind `rows, err := db.Query(a)` and its check, it is
due behind `found, err := db.Query(b)` as well.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.rewrites.counterparts import BODY
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import called_by
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field

#: Statements that fit their own place only, those that print, and those with a value of their own.
_OWN = re.compile(r"""(return|raise|throw|yield|assert|print|log|console|fmt)\b|.*['"`]|.*\b\d""")
_BODY = re.compile(f"{BODY.pattern}|statement_list")
#: The beginning of a call of what a name means.
_USED = re.compile(r"(?:(?:defer|await) )?([$\w]+)(?:\.|->|\?\.)[^=]*$")
_CHECK = re.compile("^if_")
_LAST = re.compile(r"\w+$")
_MOST_PLACES = 100


class Following(NamedTuple):
    """A statement that was written behind a call.

    Attributes:
        called: The last name of what is called.
        bound: The names that the call's statement gives values to.
        check: The condition between the two statements; empty for none.
        written: The statement.
    """

    called: str
    bound: tuple[str, ...]
    check: str
    written: str


def written_behind(change: Change) -> Iterator[Following]:
    """Return the statements of one line that were added, each behind a call whose result it has."""
    names = change.after
    for hunk, start, _ in change.finished():
        written = hunk.text.strip()
        if hunk.start < hunk.end or not written or "\n" in written or _OWN.match(written):
            continue
        at = start + hunk.text.index(written)
        for step in reversed(names.tree.path(at)):
            if _BODY.search(step.type):
                beside = [one for one in step.node.named_children if one.start_byte <= at]
                if not beside or beside[-1].start_byte != at or beside[-1].end_byte < at + 1:
                    break
                if names.tree.of(beside[-1]).rstrip(";") == written.rstrip(";"):
                    yield from _behind(names, beside[:-1], written)
                break


def _behind(names: Names, above: Sequence[Node], written: str) -> Iterator[Following]:
    """Describe a statement by what is above it in the same block."""
    check = ""
    if above and _CHECK.search(above[-1].type):
        check, above = names.tree.of(above[-1].child_by_field_name("condition")), above[:-1]
    called = _called(names, above[-1]) if above else ""
    bound = _bound(names, above[-1]) if above else ()
    # Other statements than those that call it, such as what stores it, are those of one place.
    used = _USED.match(written)
    if called and used and used[1] in bound:
        yield Following(called, bound, check, written)


def lacking(names: Names, one: Following, kind: Kind) -> Iterator[Consequence]:
    """Return where a statement is not written behind such a call yet."""
    text, places = names.tree.text, names.of(one.called)
    for place in places if len(places) <= _MOST_PLACES else ():
        path = place.path
        at = next((i for i in reversed(range(len(path))) if _BODY.search(path[i].type)), None)
        if at is None or at + 1 >= len(path):
            continue
        first, body = path[at + 1].node, path[at].node
        bound = _bound(names, first)
        if len(bound) != len(one.bound) or _called(names, first) != one.called:
            continue
        words = dict(zip(one.bound, bound, strict=True))
        last = first.next_named_sibling if one.check else first
        check = names.tree.of(field(last, "condition")) if one.check else ""
        if last is None or check != _mapped(one.check, words):
            continue
        line = text.find("\n", last.end_byte) + 1
        rest, written = text[line : body.end_byte], _mapped(one.written, words)
        if not line or text[last.end_byte : line].strip(" ;\r\n") or _has(rest, written):
            continue
        others = set(re.findall(r"(?<![\w.])[^\W\d]\w*", one.written)) - {*one.bound}
        if all(names.is_known(place, each) or not names.of(each) for each in others):
            end = "\r\n" if text.endswith("\r\n", 0, line) else "\n"
            new = f"{indent_at(names.tree, first.start_byte)}{written}{end}"
            yield Consequence(Hunk(line, line, new), kind, cause=f"{one.called} {one.written}")


def _has(rest: str, written: str) -> bool:
    """Tell whether code calls what a statement calls, or returns the object that it calls it of."""
    used = _USED.match(written)
    call = used[0].partition("(")[0].removeprefix("defer ").removeprefix("await ") if used else ""
    name = used[1] if used else ""
    is_returned = re.search(rf"\breturn (?:[^()\n]*, ?)?{re.escape(name)}\b(?![.(\[])", rest)
    return call in rest or bool(is_returned)


def _mapped(code: str, words: dict[str, str]) -> str:
    return WORD.sub(lambda found: words.get(found[0], found[0]), code)


def _bound(names: Names, statement: Node) -> tuple[str, ...]:
    """Return the names that a statement gives values to."""
    value = names.between(statement.start_byte, statement.end_byte)
    return tuple(one.name for one in value if one.role is Role.DEFINITION)


def _called(names: Names, statement: Node) -> str:
    """Return the last name of what a statement's outermost call calls; empty for no call."""
    level = [statement]
    while level:
        for one in level:
            called = called_by(one)
            if called is not None:
                return "".join(_LAST.findall(names.tree.of(called)))
        level = [child for one in level for child in one.named_children]
    return ""


def after_statement(change: Change) -> Iterator[Consequence]:
    """Return the statements that are left to be written in the file of a change."""
    for one in written_behind(change):
        yield from lacking(change.after, one, "rewrite_that_adds")
