"""The project memory: it says what a search of all the texts finds, and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.memory import project_memory, units
from editcast_model.memory.project_memory import AHEAD, LONGEST, Places, ProjectMemory, own_places
from editcast_model.memory.units import LineUnits, Vocabulary, begun
from editcast_model.tokenizer import lex

TEXTS = st.text("ab .(\n", max_size=60)
ANY = st.text(max_size=40)
FILES = st.dictionaries(st.sampled_from("pqrs"), TEXTS, max_size=4)


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_memory, "BLOCK", 16)
        patch.setattr(project_memory, "MOST_UNITS", 2_000)
        patch.setattr(project_memory, "MOST_FILES", 50)
        patch.setattr(project_memory, "RECENT", 2)
        yield


def found(memory: ProjectMemory, before: str, file: str = "") -> list[tuple[str, int]]:
    """Return the text that follows on some units, and how many units agree."""
    places = memory.occurrences(memory.vocabulary.known_ids(before), file)
    return written(memory.vocabulary, places)


def written(vocabulary: Vocabulary, places: Places) -> list[tuple[str, int]]:
    out = []
    for row, length in zip(places.ahead.tolist(), places.length.tolist(), strict=True):
        end = row.index(units.END) if units.END in row else len(row)
        out.append(("".join(map(vocabulary.text, row[:end])), length))
    return sorted(out)


def test_blanks_make_no_difference_before_a_place() -> None:
    memory = ProjectMemory()
    memory.put("a.py", "\n    order.validate(strict)\n" * 3)
    places = found(memory, "x = (order.validate")
    assert [text.partition("\n")[0] for text, _ in places] == ["(strict)"] * 3


def searched(texts: list[str], before: str, least: int) -> list[tuple[str, int]]:
    """Return the same as `found`, by looking at all texts."""
    wanted, out = spelled(before), []
    for text in texts:
        tokens = spelled(text)
        for place in range(1, len(tokens) + 1):
            length = 0
            while length < min(place, len(wanted), LONGEST):
                pair = tokens[place - 1 - length], wanted[-1 - length]
                if len({one.removeprefix(" ") for one in pair}) > 1:
                    break
                length += 1
            if length >= least:
                out.append(("".join(tokens[place : place + AHEAD]), length))
    return sorted(out)


def spelled(text: str) -> list[str]:
    """The units of a text, as they are written."""
    out, blank = [], ""
    for token in lex(text):
        if token == " ":
            blank = token
        else:
            out.append(blank + token)
            blank = ""
    return out


@given(ANY | TEXTS)
def test_units_are_the_text_without_a_last_blank(text: str) -> None:
    vocabulary = Vocabulary()
    ids = vocabulary.ids(text)
    assert [vocabulary.text(one) for one in ids.tolist()] == spelled(text)
    assert vocabulary.known_ids(text).tolist() == ids.tolist()


@given(TEXTS, TEXTS)
def test_lines_that_are_known_have_the_same_units(before: str, after: str) -> None:
    lines = LineUnits(Vocabulary())
    for text in (before, after):
        (ids,) = lines.ids(text)
        assert "".join(map(lines.vocabulary.text, ids.tolist())) == "".join(
            "".join(spelled(line)) for line in text.splitlines(keepends=True)
        )


@given(ANY | TEXTS)
def test_what_is_begun_is_at_most_one_unit(text: str) -> None:
    complete, partial = begun(text)
    assert complete + partial == text
    assert len(spelled(partial)) <= 1
    assert not complete.endswith(" ") or complete.endswith("  ") or not partial


@given(FILES, TEXTS, st.data())
def test_the_memory_finds_what_a_search_finds(
    files: dict[str, str], asked: str, data: st.DataObject
) -> None:
    memory = ProjectMemory()
    for file, text in files.items():
        memory.put(file, text)
        if data.draw(st.booleans()):
            memory.settle()
    own = data.draw(st.sampled_from("pqrs"))
    others = [text for file, text in files.items() if file != own]
    assert found(memory, asked, own) == searched(others, asked, 3)


@given(st.lists(st.tuples(st.sampled_from("pqrs"), TEXTS), max_size=30), TEXTS)
def test_a_memory_that_followed_is_one_that_is_made_anew(
    saves: list[tuple[str, str]], asked: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project_memory, "MOST_REMOVED", 0)
        followed, fresh = ProjectMemory(), ProjectMemory()
    for file, text in saves:
        followed.update(file, text)
        followed.read()
        followed.settle()
    for file, text in dict(saves).items():
        fresh.put(file, text)
    assert found(followed, asked) == found(fresh, asked)
    assert followed._size == fresh._size


def test_lines_that_are_gone_are_known_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_memory, "MOST_REMOVED", 2)
    memory = ProjectMemory()
    memory.put("p", "first = one(1)\nkept\nsecond = two(2)\n")
    memory.put("p", "kept\n")
    assert [text for text, _ in found(memory, "first = one(")] == ["1)\nsecond = two(2)\n"]
    memory.put("p", "third = three(3)\n\n\n")
    memory.put("p", "kept\n")
    assert not found(memory, "first = one(")
    assert len(found(memory, "third = three(")) == len(found(memory, "second = two(")) == 1
    memory.forget_removed()
    assert not found(memory, "third = three(") and not found(memory, "second = two(")
    memory.put("p", "second = two(2)\n")
    assert [text for text, _ in found(memory, "second = two(")] == ["2)\n"]


def test_a_very_long_line_that_is_gone_is_not_kept() -> None:
    memory = ProjectMemory()
    for number in range(20):
        memory.put("p", f"{number} " + "a, " * 700 + "\n")
    assert not memory._removed


def test_lines_that_a_save_has_removed_are_forgotten_before_it_is_read() -> None:
    memory = ProjectMemory()
    memory.put("p", "first = one(1)\nkept\n")
    memory.update("p", "kept\n")
    memory.forget_removed()
    memory.read()
    assert not found(memory, "first = one(")


def test_what_is_read_from_the_disk_was_not_removed_by_anybody() -> None:
    memory = ProjectMemory()
    memory.put("p", "first = one(1)\n", lambda: True)
    memory.put("p", "second\n", lambda: True)
    assert [text for text, _ in found(memory, "first = one(")] == ["1)\n"]


@given(TEXTS, TEXTS, TEXTS)
def test_the_file_itself_is_searched_above_and_below_the_cursor(
    above: str, below: str, asked: str
) -> None:
    vocabulary = Vocabulary()
    ids = vocabulary.ids(above), vocabulary.ids(below)
    places = own_places(*ids, vocabulary.known_ids(asked))
    assert written(vocabulary, places) == searched([above, below], asked, 2)


def test_what_is_on_the_disk_is_older_than_what_the_editor_has() -> None:
    memory = ProjectMemory()
    memory.put("p", "a.b.c(new")
    memory.put("p", "a.b.c(old", lambda: True)
    memory.put("q", "a.b.c(left", lambda: False)
    assert found(memory, "a.b.c(") == [("new", LONGEST - 2)]


def test_nothing_is_left_of_what_is_forgotten() -> None:
    memory = ProjectMemory()
    memory.update("p", "a.b.c(secret")
    memory.put("q", "a.b.c(secret")
    memory.forget()
    memory.read()
    assert not found(memory, "a.b.c(") and not memory._numbers
    assert len(memory.vocabulary) == len(Vocabulary())


def test_bounds_hold() -> None:
    memory = ProjectMemory()
    for number in range(200):
        memory.put(f"{number % 60}", "a.b.c(" * (number % 20))
        memory.settle()
    assert memory._used <= LONGEST + 2_000
    assert memory._count <= 50 and len(memory._recent) == 2
    found(memory, "a.b.c(")
    memory.put("long", "a.b.c(" * 2_000)
    assert memory._used <= LONGEST + 2_000


def test_a_full_memory_keeps_what_is_saved_and_seldom_moves_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, moves = ProjectMemory(), list[int]()
    make_room = memory._make_room

    def moved() -> None:
        moves.append(memory._used)
        make_room()

    monkeypatch.setattr(memory, "_make_room", moved)
    for number in range(40):  # more than fits
        memory.put(f"disk {number}", f"old{number}.b.c(" * 20, lambda: True)
    for number in range(60):
        memory.put(f"{number % 2}", f"one.two.three{number}(" * 5)
        memory.settle()
        assert any(f"three{number}" in text for text, _ in found(memory, "(one.two."))
    assert 0 < len(moves) < 20
    assert sum(name.startswith("disk") for name in memory._numbers) > 10  # of some 20 that fit


def test_what_is_saved_takes_the_place_of_what_was_read_first() -> None:
    memory = ProjectMemory()
    for number in range(40):
        memory.put(f"disk {number}", f"old{number}.b.c(" * 20, lambda: True)
    for number in range(30):
        memory.put(f"saved {number}", f"new{number}.b.c(" * 20)
        memory.settle()
    assert found(memory, "new29.b.c") and found(memory, "new20.b.c")
    assert "disk 0" not in memory._numbers and "saved 29" in memory._numbers
    assert memory._used <= LONGEST + 2_000 and memory._count <= 50


def test_words_beyond_the_bound_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "MOST_TOKENS", 5)
    vocabulary = Vocabulary()
    ids = vocabulary.ids("a b c")
    assert [vocabulary.text(one) for one in ids.tolist()] == ["a", " b", ""]
    assert ids.dtype == np.int32
