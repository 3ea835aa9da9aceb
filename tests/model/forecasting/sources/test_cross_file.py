"""Cross-file edits: kept, taken in, and made again here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import apply_hunks, diff
from editcast_model.forecasting.interface import OtherSave, other_save
from editcast_model.forecasting.replacements import KnownReplacements, Repeat
from editcast_model.forecasting.sources.repeated_edits import RepeatBest
from editcast_model.history import EditHistory

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
OTHER = 'def page(text):\n    """One page."""\n    return render(text, 7)\n'
RENAME = other_save("first.py", CALLS, CALLS.replace("render", "draw"))
line_lists = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c = 1\r\n"]), max_size=30)


@given(line_lists, line_lists, st.booleans())
def test_what_is_kept_changes_as_the_file_did(
    before: list[str], after: list[str], no_end: bool
) -> None:
    old, new = "".join(before), "".join(after) + "x" * no_end
    kept = other_save("a.py", old, new)
    assert kept.before in old and kept.after in new
    grown = len(new) - len(old)
    assert len(kept.after) - len(kept.before) == grown
    # The rest of the file stands around both alike.
    assert any(
        old[:at] + kept.after + old[at + len(kept.before) :] == new
        for at in range(len(old) - len(kept.before) + 1)
    )


def test_far_lines_are_not_kept() -> None:
    text = "".join(f"line {i}\n" for i in range(1000))
    kept = other_save("a.py", text, text.replace("line 500\n", "line five hundred\n"))
    assert kept.before.count("\n") == kept.after.count("\n") == 9
    assert "line five hundred" in kept.after


def repeats_of(text: str, *saves: OtherSave) -> list[Repeat]:
    """Replacements of other files' saves, made again in a text."""
    known = KnownReplacements(EditHistory(text))
    for save in saves:
        known.add_other_save(save)
    return known.best(known.of_other_files, 10)


def test_nothing_is_heard_at_first() -> None:
    assert RepeatBest().resume(EditHistory(OTHER)).predict() == [] and repeats_of(OTHER) == []


def test_what_another_file_replaced_is_made_again() -> None:
    (repeat,) = repeats_of(OTHER, RENAME)
    assert apply_hunks(OTHER, [repeat.hunk]) == OTHER.replace("render", "draw")
    session = RepeatBest().resume(EditHistory(OTHER))
    session.add_other_save(RENAME)
    assert session.predict()[0].hunk == repeat.hunk
    assert (repeat.times, repeat.ago) == (4, 0)


def test_how_long_ago_is_counted_in_replacements() -> None:
    third = other_save("third.py", "x = 1\n", "x = 2\n")
    (repeat,) = repeats_of(OTHER, RENAME, RENAME._replace(file="second.py"), third)
    assert (repeat.times, repeat.ago) == (8, 1)


@pytest.mark.parametrize("save", [OtherSave("a.py", "", ""), OtherSave("a.py", "x", "x")])
def test_a_save_that_changed_nothing_is_heard_in_silence(save: OtherSave) -> None:
    assert repeats_of(OTHER, save) == []


def test_own_replacements_are_told_from_those_heard() -> None:
    history = EditHistory(CALLS)
    known = KnownReplacements(history)
    known.add_other_save(other_save("a.py", "part_1(a)\n", "chapter_1(a)\n"))
    once = CALLS.replace("render", "draw", 1)
    history.update(once, saved=True)
    own = known.best(known.own, 1)[0]
    assert apply_hunks(once, [own.hunk]) == CALLS.replace("render", "draw", 2)
    other = known.best(known.of_other_files, 1)[0]
    assert diff(once, apply_hunks(once, [other.hunk]))[0].text == "chapter_1"


def test_what_the_other_file_took_back_is_forgotten() -> None:
    session = RepeatBest().resume(EditHistory(OTHER))
    session.add_other_save(other_save("first.py", "render(x)\nload(x)\n", "draw(x)\nread(x)\n"))
    session.add_other_save(
        other_save("other.py", "draw(x)\n", "render(x)\n")
    )  # elsewhere it means nothing
    assert session.predict()[0].hunk.apply(OTHER) == OTHER.replace("render", "draw")
    session.add_other_save(other_save("first.py", "draw(x)\nread(x)\n", "render(x)\nread(x)\n"))
    assert session.predict() == []
    read = RepeatBest().resume(EditHistory("load(y)\n"))
    read.add_other_save(other_save("first.py", "load(x)\n", "read(x)\n"))
    read.add_other_save(other_save("first.py", "read(x)\n", "load(x)\n"))
    read.add_other_save(other_save("first.py", "load(x)\n", "read(x)\n"))  # and once more
    assert read.predict()[0].hunk.apply("load(y)\n") == "read(y)\n"


def test_a_save_takes_the_place_of_one_of_the_same_number() -> None:
    known = KnownReplacements(EditHistory(CALLS))
    known.add_other_save(other_save("b.py", "a = 1\n", "a = 2\n", 1))
    known.add_other_save(other_save("a.py", CALLS, CALLS.replace("render", "dr", 1), 1))
    known.add_other_save(other_save("a.py", CALLS, CALLS.replace("render", "draw", 1), 1))
    known.add_other_save(other_save("a.py", "load(x)\n", "read(x)\n", 2))
    assert [one.new for one in known.of_other_files] == ["2", "draw", "read"]
