"""Placeholders of INSERT statements."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.lists.in_texts import with_column
from editcast_model.diff import Hunk, apply_hunks


@pytest.mark.parametrize(
    ("before", "column", "expected"),
    [
        ("(a, b) VALUES (?, ?)", ", c", "(a, b, c) VALUES (?, ?, ?)"),
        ("(a, b) values (%s, %s)", ", c", "(a, b, c) values (%s, %s, %s)"),
        ("(a, b)\n VALUES ($1, $2 )", ", c", "(a, b, c)\n VALUES ($1, $2, $3 )"),
        ("(a, b) VALUES (:a, :b)", ", c", "(a, b, c) VALUES (:a, :b, :c)"),
        ("(a, b) VALUES (${x.a}, ${x.b})", ", c", "(a, b, c) VALUES (${x.a}, ${x.b}, ${x.c})"),
        ("(a, b) VALUES (1, ?)", ", c", "(a, b, c) VALUES (1, ?)"),
        ('(a, b)"\n    " VALUES (?, ?)', ", c", '(a, b, c)"\n    " VALUES (?, ?, ?)'),
        ('(a, b) " +\n    "VALUES (?, ?)', ", c", '(a, b, c) " +\n    "VALUES (?, ?, ?)'),
        ("(id, a_b) VALUES (@id, @aB)", ", c_d", "(id, a_b, c_d) VALUES (@id, @aB, @cD)"),
        ("(a, b) VALUES (?, ?, ?)", ", c", "(a, b, c) VALUES (?, ?, ?)"),
        ("(a, b) FROM (?, ?)", ", c", "(a, b, c) FROM (?, ?)"),
    ],
)
def test_a_column_with_its_placeholder(before: str, column: str, expected: str) -> None:
    text = f'run("INSERT INTO t {before}", 1)\n'
    at = text.index(")")
    hunk = with_column(text, Hunk(at, at, column))
    assert apply_hunks(text, [hunk]) == f'run("INSERT INTO t {expected}", 1)\n'


def test_the_name_tells_where_a_placeholder_is_lacking() -> None:
    before = 'run("INSERT INTO t (a, c) VALUES (:a, :c)")\n'
    text = before.replace("(a, c)", "(a, b, c)")
    (one,) = Consequences("python").propose([before], text)
    assert apply_hunks(text, [one.hunk]) == before.replace("a, c", "a, b, c").replace(
        ":a, :c", ":a, :b, :c"
    )


def test_nothing_is_lacking() -> None:
    before = 'run("INSERT INTO t (a, b) VALUES (?, ?)")\n'
    both = before.replace("a, b", "a, b, c").replace("?, ?", "?, ?, ?")
    assert Consequences("python").propose([before], both) == []
    assert Consequences("python").propose([before], before.replace("a, b", "a, d")) == []


def test_a_constant_of_columns_has_placeholders_elsewhere() -> None:
    before = 'ALL = "id, name, age"\nrun(f"INSERT INTO t ({ALL}) VALUES (?, ?, ?)")\n'
    text = before.replace("name, age", "name, age, city")
    (one,) = Consequences("python").propose([before], text)
    assert apply_hunks(text, [one.hunk]) == text.replace("?, ?, ?", "?, ?, ?, ?")
    other = before.replace("?, ?, ?", "?, ?")
    assert Consequences("python").propose([other], other.replace("name, age", "name, age, x")) == []
