"""Routes that write without the guard that a change gave another one of the file.

After `@RequireScope("reports:write")` was put beside `@Post()`, it goes beside `@Patch(":id")`.
"""

import re
from collections.abc import Iterator
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk

_WRITES: Final = re.compile(
    r"[ \t]*(?:(?:@(?:[\w.]+\.)?|\[Http)(?:post|put|patch|delete)(?:Mapping)?\b"
    r"|@.*\bmethods=.*[\"'](?:POST|PUT|PATCH|DELETE)[\"'])",
    re.IGNORECASE,
)
#: A guard, which says nothing that holds for one way to write alone.
_GUARD: Final = re.compile(
    r"[ \t]*[@\[](?P<name>[\w.]*(?:scope|role|permission|authori[sz]e|guard|auth|secured|login"
    r"|policy|policies)\w*)\b(?!.*(?:create|add|update|change|delete|remove|read|view)).*",
    re.IGNORECASE,
)
_DECORATOR: Final = re.compile(r"[ \t]*(?:@|\[\w)")


def after_route_guard(change: Change) -> Iterator[Consequence]:
    """Return the guards that other routes lack, each where the one that was added stands."""
    text = change.after.tree.text
    lines = text.splitlines(keepends=True)
    for hunk, start, end in change.finished():
        added = text[start:end].strip("\r\n")
        guard = _GUARD.fullmatch(added) if hunk.start == hunk.end else None
        lead = len(text[start:end]) - len(text[start:end].lstrip("\r\n"))
        at = text.count("\n", 0, start + lead)
        beside = next((by for by in (-1, 1) if guard and _is_route(lines, at + by)), 0)
        if guard is None or not beside or lines[at].strip("\r\n") != added:
            continue
        for other in range(len(lines)):
            if _is_route(lines, other) and guard["name"] not in "".join(_block(lines, other)):
                place = sum(map(len, lines[: other + (beside < 0)]))
                indent = lines[other][: -len(lines[other].lstrip())]
                line = indent + lines[at].lstrip()
                cause = f"guard {added.strip()}"
                yield Consequence(Hunk(place, place, line), "rewrite_that_adds", cause=cause)


def _is_route(lines: list[str], at: int) -> bool:
    """Tell whether a line is all of a decorator of a route that writes."""
    line = lines[at] if 0 <= at < len(lines) else ""
    return _WRITES.match(line) is not None and line.count("(") == line.count(")")


def _block(lines: list[str], at: int) -> list[str]:
    """Return the decorators that stand together with one."""
    start = end = at
    while start and _DECORATOR.match(lines[start - 1]):
        start -= 1
    while end + 1 < len(lines) and _DECORATOR.match(lines[end + 1]):
        end += 1
    return lines[start : end + 1]
