"""Columns that were added to tables of SQL, as entries that types for their rows have, too."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from editcast_model.consequences.lists.entries import SCHEMA, Entry
from editcast_model.consequences.lists.word_forms import parts_of

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
_NEVER_NULL: Final = re.compile(r"\bNOT\s+NULL\b|\bPRIMARY\s+KEY\b|serial", re.IGNORECASE)
#: A part of a name with fewer letters may be one of another plural; how many a plural adds.
_SHORTEST: Final = 3
_PLURAL: Final = 5
#: Types that most languages have one type for.
_SAME: Final = {
    **dict.fromkeys("varchar char character nvarchar citext clob".split(), "text"),
    **dict.fromkeys("timestamptz datetime".split(), "timestamp"),
    **dict.fromkeys("int serial int4".split(), "integer"),
    **dict.fromkeys("int8 bigserial".split(), "bigint"),
    "bool": "boolean",
    "decimal": "numeric",
}


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
    ends = (one[:-1] for one in parts_of(name) if len(one) > _SHORTEST)
    return any(rows.startswith(one) and len(rows) - len(one) < _PLURAL for one in ends)


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
    kind, text = found["type"].lower(), found[0].strip()
    is_list = "[]" in found["rest"]
    may_be_null = _NEVER_NULL.search(text) is None
    return _Column(found["name"], (_SAME.get(kind, kind), is_list, may_be_null), text)


def _entry(table: str, columns: list[_Column], at: int) -> Entry:
    new, before, names = columns[at], columns[at - 1], [one.name for one in columns]
    others = [*columns[:at], *columns[at + 1 :]]
    near = sorted(others, key=lambda one: abs(names.index(one.name) - at))
    alike = tuple(one.name for one in near if one.kind == new.kind)
    after = "".join(names[at + 1 : at + 2])
    return Entry(
        new.name,
        before.name,
        names[at - 2] if at > 1 else "",
        after,
        tuple(one.name for one in others),
        new.text,
        before.text,
        (before.kind == new.kind, bool(after) and columns[at + 1].kind == new.kind),
        next(iter(alike), ""),
        table,
        kind=SCHEMA,
        all_alike=alike,
    )
