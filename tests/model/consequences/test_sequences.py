"""Elements of sequences in settings that one of the same key has got."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

BEFORE = """\
jobs:
  unit:
    python-version: ['3.10', '3.11', '3.12', 'pypy-3.10']
  smoke:
    python-version: ['3.11', '3.12']
  lint:
    python: ['3.12']
  old:
    python-version: ['3.10']
"""
NEW = "'3.12', '3.13', 'pypy"


def after(before: str, typed: str, path: str = "a/ci.yml", active: range | None = None) -> str:
    found = Consequences("", path).propose([before], typed, active=active)
    return apply_hunks(typed, [one.hunk for one in found])


def test_a_list_of_the_same_key_that_ends_with_the_element_before() -> None:
    typed = BEFORE.replace("'3.12', 'pypy", NEW)
    assert after(BEFORE, typed) == typed.replace("['3.11', '3.12']", "['3.11', '3.12', '3.13']")


@pytest.mark.parametrize("path", ["a/ci.md", ""])
def test_only_in_settings(path: str) -> None:
    typed = BEFORE.replace("'3.12', 'pypy", NEW)
    assert after(BEFORE, typed, path) == typed


def test_not_while_it_is_typed() -> None:
    typed = BEFORE.replace("'3.12', 'pypy", NEW)
    place = typed.index(NEW)
    assert after(BEFORE, typed, active=range(place, place + 12)) == typed


def test_lists_that_differ_in_it_are_chosen_one_by_one() -> None:
    before = BEFORE.replace("python-version: ['3.10']", "python-version: ['3.13']")
    typed = before.replace("'3.12', 'pypy", NEW)
    assert after(before, typed) == typed


def test_a_list_on_several_lines() -> None:
    one = '"targets": [\n    "es2020",\n    "es2022"\n  ]'
    before = f'{{\n  {one},\n  "web": {{ {one} }}\n}}\n'
    new = one.replace('2"', '2",\n    "es2024"')
    typed = before.replace(one, new, 1)
    assert after(before, typed, "a.json") == before.replace(one, new)


def test_the_same_list_of_another_file() -> None:
    consequences = Consequences("", ".github/workflows/docs.yml")
    line = "python-version: ['3.11', '3.12']\n"
    new = line.replace("]", ", '3.13']")
    consequences.add_other_save(".github/workflows/ci.yml", 1, line, new)
    (found,) = consequences.propose([], f"a: 1\n{line}")
    assert apply_hunks(f"a: 1\n{line}", [found.hunk]) == f"a: 1\n{new}"
