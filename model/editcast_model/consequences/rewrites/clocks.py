"""Clocks that a class or a function is given since a change: it asks them for the time.

After a class of C# got a `TimeProvider clock`, `clock.GetUtcNow()` takes the place of
`DateTimeOffset.UtcNow` in it.
"""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.tree import around, field, type_declared

_OF_SCRIPTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "() => number": ((r"\bDate\.now\(\)", "{}()"),),
    "() => Date": ((r"\bnew Date\(\)", "{}()"),),
    "Clock": ((r"\bnew Date\(\)", "{}.now()"), (r"\bDate\.now\(\)", "{}.now().getTime()")),
}
#: What asks a clock for milliseconds, where nobody asks for a date.
_OF_NUMBERS: Final = ((r"\bDate\.now\(\)", "{}.now()"),)
_DATED: Final = re.compile(r"\bnew Date\(\)|\.now\(\)\.")
#: By language and type of a clock, what asks for the time without one, and with it.
_CLOCKS: Final[dict[str, dict[str, tuple[tuple[str, str], ...]]]] = {
    "csharp": {
        "TimeProvider": (
            (r"\bDateTimeOffset\.UtcNow\b", "{}.GetUtcNow()"),
            (r"\bDateTimeOffset\.Now\b", "{}.GetLocalNow()"),
            (r"\bDateTime\.UtcNow\b", "{}.GetUtcNow().UtcDateTime"),
        )
    },
    "java": {
        "Clock": (
            (r"\bInstant\.now\(\)", "{}.instant()"),
            (
                r"\b(Local(?:Date|Time|DateTime)|(?:Offset|Zoned)DateTime|Year)\.now\(\)",
                r"\1.now({})",
            ),
        )
    },
    "go": {
        "func() time.Time": ((r"\btime\.Now\(\)", "{}()"),),
        "clockwork.Clock": ((r"\btime\.Now\(\)", "{}.Now()"),),
        "clock.Clock": ((r"\btime\.Now\(\)", "{}.Now()"),),
    },
    "php": {
        "ClockInterface": ((r"\bnew \\?DateTimeImmutable\((?:'now')?\)", "{}->now()"),),
    },
    "python": {
        "Callable[[], float]": ((r"\btime\.(?:time|monotonic|perf_counter)\(\)", "{}()"),),
        "Callable[[], datetime]": ((r"\bdatetime\.(?:utcnow\(\)|now\((?:tz=)?[\w.]*\))", "{}()"),),
    },
    **dict.fromkeys(SCRIPTS, _OF_SCRIPTS),
}
#: A parameter of a constructor that is a field as well, in TypeScript and PHP.
_FIELD: Final = re.compile(r"(?:private|protected|public|readonly)\b")
_CLASSES: Final = ("class_declaration", "class_definition")
_DOTTED: Final = re.compile(r"[\w.]+")
_METHOD: Final = r"^func \((\w+) \*?TYPE\b.*?\n\}"


def after_clock(change: Change) -> Iterator[Consequence]:
    """Return the questions for the time that a new clock is to answer."""
    names = change.after
    clocks = _CLOCKS.get(names.tree.language, {})
    renamed = {each.after.start for each in change.renamed} if clocks else ()
    texts = names.tree.text, change.before.tree.text
    for one in change.new_names() if clocks else ():
        is_given = one.part.kind in ("parameter", "field") and one.start not in renamed
        questions = clocks.get(_type(names, one), ()) if is_given else ()
        questions = (_by_default(names, one) or questions) if is_given else ()
        default = names.tree.of(field(one.path[-2].node, "value"))
        if _type(names, one).startswith("() =>") and not default.startswith("Date"):
            continue  # it may return any number
        reach = list(_reach(names, one)) if questions else ()
        is_script = names.tree.language in SCRIPTS
        if is_script and questions == _OF_SCRIPTS["Clock"] and not any(map(_DATED.search, texts)):
            questions = _OF_NUMBERS
        for (old, new), (start, end, clock) in product(questions, reach):
            default = names.tree.of(field(one.path[-2].node, "value")) or old
            default = old if _by_default(names, one) else default
            for found in re.compile(old).finditer(names.tree.text, start, end):
                is_asked = default == old or found[0].removesuffix("()") in default
                if is_asked and not change.wrote(found.start(), found.end()):
                    hunk = Hunk(found.start(), found.end(), found.expand(new.format(clock)))
                    yield Consequence(hunk, "migrate", cause=f"clock {clock}")


def _by_default(names: Names, one: Occurrence) -> tuple[tuple[str, str], ...]:
    """Return what a clock of Python is asked in the place of, by the function it is by default."""
    tree, kind = names.tree, _type(names, one)
    default = tree.of(field(one.path[-2].node, "value"))
    is_alias = re.search(rf"^{re.escape(kind)} = Callable\[\[\]", tree.text, re.MULTILINE)
    is_callable = kind.startswith("Callable[[]") or bool(kind.isidentifier() and is_alias)
    if tree.language != "python" or not is_callable or not _DOTTED.fullmatch(default):
        return ()
    if default in names.rules.builtins:
        return ()  # it makes a list or a dictionary, and others are made as well
    asked = [rf"(?<![\w.]){re.escape(default)}\(\)"]
    defined = rf"^def {re.escape(default)}\(\)[^\n]*:\n[ \t]+return ([^\n]+)$"
    if found := re.search(defined, tree.text, re.MULTILINE):
        asked.append(rf"(?<![\w.]){re.escape(found[1])}")
    return tuple((each, "{}()") for each in asked)


def _type(names: Names, one: Occurrence) -> str:
    """Return the type that a name is declared with; empty for none."""
    return names.tree.of(type_declared(one.path[-2].node)).strip(":? ")


def _reach(names: Names, one: Occurrence) -> Iterator[tuple[int, int, str]]:
    """Yield where code may ask a clock, and what the clock is called there."""
    scope, language = one.scopes[0], names.tree.language
    if language == "go" and one.part.kind == "field":
        owner = around(one.path, "type_spec")
        name = names.tree.of(field(one.path[owner].node, "name")) if owner is not None else ""
        pattern = re.compile(_METHOD.replace("TYPE", name), re.MULTILINE | re.DOTALL)
        for method in pattern.finditer(names.tree.text) if name else ():
            yield *method.span(), f"{method[1]}.{one.name}"
    elif language in SCRIPTS:
        is_field = _FIELD.match(names.tree.of(one.path[-2].node)) is not None
        if is_field and len(one.scopes) > 1:
            yield one.scopes[1].start, one.scopes[1].end, f"this.{one.name}"
    elif language in ("php", "python") and (owner := around(one.path, *_CLASSES)) is not None:
        node, name = one.path[owner].node, one.name.lstrip("$")
        start, end = node.start_byte, node.end_byte
        is_set = re.compile(rf"(self\.|\$this->)\w+(?= = \$?{name}\b)")
        kept = is_set.search(names.tree.text, start, end)
        if _FIELD.match(names.tree.of(one.path[-2].node)):
            yield start, end, f"$this->{name}"
        elif kept is not None:
            yield kept.end(), end, kept[0]
    elif one.part.kind == "field" and not re.search(rf"\b{one.name} = ", names.tree.text):
        return  # nobody has set it yet
    elif "constructor" not in scope.type:
        yield scope.start, scope.end, one.name
