"""Columns that tables of a schema lack for fields that were added between or behind others.

Such as `phone TEXT NOT NULL`, like the column of a field of the same type.
"""

import re
from collections.abc import Iterator

from editcast_model.consequences.lists.entries import Entry
from editcast_model.consequences.lists.templates import aligned
from editcast_model.consequences.lists.word_forms import as_in, forms, has
from editcast_model.diff import Hunk

_LEAST = 3  # columns with names of fields
_FLAGS = re.MULTILINE | re.IGNORECASE
_TABLE = re.compile(r"^[ \t]*CREATE\s+TABLE\b[^;()]*\(\n(?P<columns>[^;]*?\n)[ \t]*\)", _FLAGS)
_NAME = re.compile(r"[ \t]*[\"`\[]?(\w+)")
#: What is said of one column, and need not hold for others of its type.
_OWN = re.compile(
    r",?\s*(?:--|\b(?:UNIQUE|PRIMARY|REFERENCES|CHECK|DEFAULT|GENERATED|AUTO|CONSTRAINT)).*$",
    re.IGNORECASE,
)


def lacking_in_tables(text: str, added: Entry) -> Iterator[Hunk]:
    """Return the columns that the tables of a schema lack after a field was added to a type."""
    first, second = added.neighbours
    for table in _TABLE.finditer(text) if first and second and added.alike else ():
        lines = table["columns"].splitlines(keepends=True)
        names = [found[1] if (found := _NAME.match(line)) else "" for line in lines]
        rows, like = (
            [row for row, name in enumerate(names) if has(name, one)]
            for one in (first, added.alike)
        )
        listed = "\n".join(names)
        is_table = sum(any(has(name, one) for one in added.others) for name in names) >= _LEAST
        if not (is_table and len(rows) == len(like) == 1) or has(listed, added.name):
            continue
        row = rows[0] + 1
        if row < len(lines) and has(names[row], second):
            name = as_in(listed, added.others, added.name) or added.name
            source = lines[like[0]].rstrip()
            column = forms(added.alike).sub(name, _OWN.sub("", source).rstrip(","), count=1)
            column = aligned(source, column, lines)
            start = table.start("columns") + sum(map(len, lines[:row]))
            above = "" if added.after else lines[row]
            if not above or above.rstrip().endswith(","):
                at, new = start + len(above), f"{column},\n"
            else:  # behind the last one
                at, new = start + len(above.rstrip()), f",\n{column}"
            yield Hunk(at, at, new)
