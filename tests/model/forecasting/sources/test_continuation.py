"""Continuations of what is typed: where they end, and what they do not repeat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.card import CONTINUATION_FEATURES
from editcast_model.diff import Hunk
from editcast_model.forecasting.filters import EditContext, cursor_after
from editcast_model.forecasting.line_spans import contradicted, moved
from editcast_model.forecasting.sources.continuation import (
    LEAST,
    Continuation,
    Continuer,
    _is_in_string,
    value_of_field,
)
from editcast_model.memory.project_memory import ProjectMemory

LINES = "".join(f"    total = add(total, price)\n    show({number})\n" for number in range(3))


def found_at(text: str, memory: ProjectMemory | None = None) -> list[Continuation]:
    """The continuations where a text is marked."""
    continuer = Continuer(memory or ProjectMemory(), "a.py")
    return list(continuer.continuations(text.replace("|", "", 1), text.index("|")))


def continued(text: str, memory: ProjectMemory | None = None) -> list[str]:
    """Their texts."""
    return [one.text for one in found_at(text, memory)]


def test_a_line_is_continued_to_its_end_and_no_further() -> None:
    assert continued(f"{LINES}    total = |\n")[-1] == "add(total, price)"
    assert continued(f"{LINES}    total =|\n")[-1] == " add(total, price)"
    assert continued(f"{LINES}    tot|\n")[-1] == "al = add(total, price)"


def test_it_ends_where_places_disagree() -> None:
    assert all("show(1)" not in one for one in continued(f"{LINES}    total = add(total, |"))
    assert continued(f"{LINES}    show(|\n") == []


def test_what_stands_behind_the_cursor_is_not_repeated() -> None:
    assert continued(f"{LINES}    total = add(|)\n")[-1] == "total, price"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The brackets behind the cursor, or on another line, close what is opened.
        ("show(number, size)\nshow(number, |)\n", ["size"]),
        ("show(number, size) -> None:\nshow(\n    number, |\n) -> None:\n", ["size"]),
        ("\nlast = old(items))\nlast = ol|\n", ["d(items", "d(items)"]),
        # So does one that a statement before left there.
        ("\n    next(error);\n    ne|);\n", ["xt(error"]),
        ("\n    a(one(error));\n    a|);\n", ["(one", "(one(", "(one(error", "(one(error)"]),
    ],
)
def test_what_is_opened_is_closed_once(text: str, expected: list[str]) -> None:
    assert continued(text) == expected


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ('run(show("red paint"))\nrun(sh|\n', ['ow("red', 'ow("red paint']),
        ('run(show("red paint"))\nrun(sh|)\n', ['ow("', 'ow("red', 'ow("red paint']),
        ('run("red paint")\nrun("r|")\n', []),  # the user has opened it
        ("run(it's, name)\nrun(it|\n", []),
    ],
)
def test_of_a_string_that_is_left_open_more_must_be_known(text: str, halves: list[str]) -> None:
    usual = Continuation("", ()).least
    assert [one.text for one in found_at(text) if one.least > usual] == halves


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("'a' + \"b\" + `c`", False),
        ("'a' + \"b", True),
        ('it\'s "a\\""', False),
        ('"""', False),
        ("'a\\", True),
        ('x = "' + '\\"a' * 100_000, True),
        ('x = "' + '\\"a' * 100_000 + '"', False),
    ],
)
def test_a_string_is_open_or_closed_however_long_its_line(line: str, expected: bool) -> None:
    assert _is_in_string(line) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A name is not given again to the next one.
        ("    height: number;\n    width: number;\n    wi|\n", []),
        ("    height: number;\n    width: number;\n    depth: number;\n    wi|\n", ["dth:"]),
        # Nor is an item of a list.
        ("from shapes import (\n    Circle,\n    Square,\n    S|\n)\n", []),
        ('__all__ = [\n    "Circle",\n    "Square",\n    "C|"\n]\n', []),
        # Nor a whole line; what it begins with is.
        ("    self._prepare()\n    self._pr|\n", ["epare", "epare("]),
        ("    check(error)\n    rows = load(path)\n    check(|\n", ["error", "error)"]),
    ],
)
def test_what_the_lines_above_say_is_not_said_again(text: str, expected: list[str]) -> None:
    assert continued(text) == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("def __init__(self, database, limit=3):\n    self.database = |\n", "database"),
        ("def __init__(self, database, limit=3):\n    self._limit = li|\n", "mit"),
        ("def __init__(self, database, limited: bool):\n    self._limited = li|\n", "mited"),
        ("constructor(database: Database) {\n  this.database = |\n}", "database"),
        ("Shop(Database database) {\n  this.database = |;\n}", ""),
        ("function __construct($database) {\n  $this->database = |\n}", "$database"),
        ("function __construct($database) {\n  $this->database = $data|\n}", "base"),
        ("def set(self, database):\n    self.database = database\n    self.database = |\n", ""),
        ("def __init__(self, path):\n    self.database = |\n", ""),
        ("def __init__(self, database):\n    self.database = o|\n", ""),
        ("def __init__(self, database):\n    self.database = |open()\n", ""),
        ("def __init__(self, database):\n    database = |\n", ""),
    ],
)
def test_a_field_gets_the_parameter_of_its_name(text: str, left: str) -> None:
    expected = "" if len(left) < LEAST else left
    assert value_of_field(text.replace("|", ""), text.index("|")) == expected


def test_a_word_whose_end_stands_behind_the_cursor_is_not_continued() -> None:
    assert continued(f"{LINES}    to|al = 1\n") == []
    assert continued(f"{LINES}    to|\n")


def test_nothing_is_continued_in_front_of_code() -> None:
    assert continued(f"{LINES}    show(3)\n    |\n    return total\n")
    assert continued(f"{LINES}    show(3)\n    |return total\n") == []


def test_other_files_are_continued_as_well() -> None:
    memory = ProjectMemory()
    memory.put("b.py", LINES)
    assert continued("    total = |", memory=memory)[-1] == "add(total, price)"
    memory.put("a.py", "    total = other(place, and, another)\n" * 9)  # as it was saved
    assert continued("    total = |", memory=memory)[-1] == "add(total, price)"


@given(st.text("ab (.,)\n", max_size=80), st.data())
def test_each_is_long_enough_within_the_line_and_longer_than_the_last(
    text: str, data: st.DataObject
) -> None:
    cursor = data.draw(st.integers(0, len(text)))
    found = [one.text for one in Continuer(ProjectMemory(), "").continuations(text, cursor)]
    assert all("\n" not in one and len(one.strip()) >= LEAST for one in found)
    assert all(after.startswith(before) for before, after in zip(found, found[1:], strict=False))


def test_where_the_cursor_is() -> None:
    assert cursor_after(Hunk(3, 3, "ab")) == 5
    assert cursor_after(Hunk(3, 3, "()")) == 4  # the editor closed it
    assert cursor_after(Hunk(3, 4, "ab")) is None and cursor_after(Hunk(3, 3, "")) is None


def test_what_goes_on_with_the_line_need_not_parse() -> None:
    text = "name = first\n"
    opened = Hunk(12, 12, "(second, [third")
    assert not EditContext(text, "python").accepts(opened)
    assert EditContext(text, "python", cursor=12).accepts(opened)


def test_a_line_begun_behind_one_that_is_left_alone_is_another() -> None:
    assert moved((0, 5), Hunk(5, 5, "\n    ")) == (0, 5)
    assert moved((0, 5), Hunk(5, 5, "x")) == (0, 6)
    assert moved((0, 5), Hunk(3, 3, "\n")) == (0, 6)
    offer = Hunk(5, 5, "(a)")
    assert contradicted(offer, Hunk(5, 5, "\n    "), "value\n    \nnext\n") == ((0, 5),)


def test_the_bundled_weights_know_of_files_saved_lately() -> None:
    """A card fitted again from an older one once lost them, and half of the offers with them."""
    card = Bundle.open(bundled_path()).card
    weights = dict(zip(CONTINUATION_FEATURES, card.continuation[1:], strict=True))
    assert weights["recent"] > 0.5
