"""Columns of tables of SQL: those that were added, as entries that types for their rows have, too.

And those that the tables lack for fields that were added to types, such as `phone TEXT NOT NULL`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from editcast_model.consequences.lists.entries import SCHEMA, Entry, among
from editcast_model.consequences.lists.templates import aligned
from editcast_model.consequences.lists.word_forms import as_in, forms, has, parts_of, renamed
from editcast_model.diff import Hunk

_TABLE: Final = re.compile(
    r"""\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:["`\w\[\]]+\.)?["`\[]?(?P<name>\w+)["`\]]?\s*
    \((?P<columns>.*?)^\s*\)""",
    re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_COLUMN: Final = re.compile(
    r"^[ \t]*(?!(?:PRIMARY|UNIQUE|CONSTRAINT|CHECK|FOREIGN|KEY|INDEX|EXCLUDE|LIKE)\b)"
    r"[\"`\[]?(?P<name>\w+)[\"`\]]?[ \t]+(?P<type>[a-z]\w*)(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
#: Types that most dialects of SQL have one type for.
_SAME: Final = {
    **dict.fromkeys("varchar char character nvarchar citext clob".split(), "text"),
    **dict.fromkeys("timestamptz datetime datetimeoffset datetime2".split(), "timestamp"),
    **dict.fromkeys("int serial int4".split(), "integer"),
    **dict.fromkeys("int8 bigserial".split(), "bigint"),
    **dict.fromkeys("real float float8".split(), "double"),
    **dict.fromkeys("bool bit".split(), "boolean"),
    "uniqueidentifier": "uuid",
    "decimal": "numeric",
}
_NEVER_NULL: Final = re.compile(r"\bNOT\s+NULL\b|\bPRIMARY\s+KEY\b|serial", re.IGNORECASE)
_LEAST: Final = 3  # columns with names of fields
#: What is said of one column, and need not hold for others of its type.
_OWN: Final = re.compile(
    r",?\s*(?:--|\b(?:UNIQUE|PRIMARY|REFERENCES|CHECK|DEFAULT|GENERATED|AUTO|CONSTRAINT)).*$",
    re.IGNORECASE,
)
_NEVER_LIKE: Final = re.compile(_OWN.pattern.replace("DEFAULT|", ""), re.IGNORECASE)


class _Column(NamedTuple):
    """A column: its name, its type with whether it may be null, and how it is written."""

    name: str
    kind: tuple[str, bool, bool]
    text: str


def is_schema(file: str) -> bool:
    """Tell whether a file may define tables."""
    return file.endswith(".sql")


def is_of_table(name: str, table: str) -> bool:
    """Tell whether a type or a function is named after the rows of a table, which is a plural."""
    rows = parts_of(table)[-1]
    return any(rows in (one, f"{one}s", f"{one}es", f"{one[:-1]}ies") for one in parts_of(name))


def added_table_columns(before: str, after: str) -> Iterator[Entry]:
    """Yield the columns that tables have in a text and had not in the one before."""
    known = dict(_tables(before))
    for table, columns in _tables(after):
        old = {one.name for one in known.get(table, columns)}
        for at, one in enumerate(columns):
            if at and one.name not in old:
                yield _entry(table, columns, at)


def _tables(text: str) -> Iterator[tuple[str, list[_Column]]]:
    for table in _TABLE.finditer(text):
        found = _COLUMN.finditer(text, table.start("columns"), table.end("columns"))
        yield table["name"], [_column(one) for one in found]


def _column(found: re.Match[str]) -> _Column:
    kind, text = found["type"], found[0].strip()
    is_list = "[]" in found["rest"]
    may_be_null = _NEVER_NULL.search(text) is None
    return _Column(
        found["name"], (_SAME.get(kind.lower(), kind.lower()), is_list, may_be_null), text
    )


def _entry(table: str, columns: list[_Column], at: int) -> Entry:
    new, before, behind = columns[at], columns[at - 1], columns[at + 1 : at + 2]
    near = sorted(range(len(columns)), key=lambda other: abs(other - at))[1:]
    return Entry(
        *among([one.name for one in columns], at),
        new.text,
        before.text,
        (before.kind == new.kind, any(one.kind == new.kind for one in behind)),
        table,
        kind=SCHEMA,
        all_alike=tuple(columns[one].name for one in near if columns[one].kind == new.kind),
    )


def lacking_in_tables(text: str, added: Entry) -> Iterator[Hunk]:
    """Return the columns that the tables of a schema lack after a field was added to a type."""
    first, second = added.neighbours
    is_known = bool(first and second and added.alike)
    for table in _TABLE.finditer(text) if is_known else ():
        lines = table["columns"].splitlines(keepends=True)
        names = [found["name"] if (found := _COLUMN.match(line)) else "" for line in lines]
        rows, listed = [row for row, name in enumerate(names) if has(name, first)], "\n".join(names)
        is_table = sum(any(has(name, one) for one in added.others) for name in names) >= _LEAST
        if not is_table or len(rows) != 1 or has(listed, added.name):
            continue
        row = rows[0] + 1
        if row < len(lines) and has(names[row], second):
            name = as_in(listed, added.others, added.name)
            name = name or renamed(names[row - 1], first, added.name)
            column = _column_like(added, name, lines, names)
            start = table.start("columns") + sum(map(len, lines[:row]))
            above = "" if added.after else lines[row]
            if column and (not above or above.rstrip().endswith(",")):
                yield Hunk(start + len(above), start + len(above), f"{column},\n")
            elif column:  # behind the last one
                at = start + len(above.rstrip())
                yield Hunk(at, at, f",\n{column}")


def _column_like(added: Entry, name: str, lines: list[str], names: list[str]) -> str:
    """Return a column like those of fields of the same type: all that is said of several of them.

    Of one, what it alone may be told is left out, but for the default that the field has, too.
    """
    like = [
        (line.rstrip().removesuffix(","), forms(one))
        for one in added.all_alike
        for line, other in zip(lines, names, strict=True)
        if has(other, one)
    ]
    kinds = {_column(found).kind[0] for line, _ in like if (found := _COLUMN.match(line))}
    if len(kinds) != 1:  # none, or those of fields whose types nobody knows
        return ""
    written = [form.sub(name, line) for line, form in like]
    source, column = like[0][0], written[0]
    if len(like) == 1 or len({" ".join(one.split()) for one in written}) > 1:
        has_default = "=" in added.text and added.is_like[0] and added.alike == added.before
        column = like[0][1].sub(name, (_NEVER_LIKE if has_default else _OWN).sub("", source), 1)
    return aligned(source, column, lines)
