"""What was replaced in other files: kept, heard, and made again here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import apply_hunks, diff
from editcast_model.forecasting.cross_file import Heard, OtherSave, other_save
from editcast_model.forecasting.repeated_edits import RepeatBest

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


def test_nothing_is_heard_at_first() -> None:
    session = RepeatBest().open(OTHER)
    assert session.predict() == [] and list(session.elsewhere(1)) == []


def test_what_another_file_replaced_is_made_again() -> None:
    session = RepeatBest().open(OTHER)
    session.hear(RENAME)
    ((prediction, heard),) = session.elsewhere(2)
    assert prediction.apply(OTHER) == OTHER.replace("render", "draw")
    assert session.predict()[0].hunks == prediction.hunks
    assert session.own(1) == []
    assert heard == Heard(times=4, files=1, ago=0, places=1)


def test_files_are_counted() -> None:
    session = RepeatBest().open(OTHER)
    session.hear(RENAME)
    session.hear(RENAME._replace(file="second.py"))
    session.hear(other_save("third.py", "x = 1\n", "x = 2\n"))
    session.update(OTHER.replace("One", "A"), saved=True)
    ((_, heard),) = session.elsewhere(1)
    assert (heard.times, heard.files, heard.ago) == (8, 2, 1)


def test_what_does_not_fit_is_passed_over() -> None:
    session = RepeatBest().open(OTHER + OTHER)
    session.hear(RENAME)
    first = next(session.elsewhere(1))[0].hunks
    ((second, _),) = session.elsewhere(1, fits=lambda hunks: hunks != first)
    assert second.hunks != first
    assert second.apply(OTHER + OTHER).count("draw") == 1


@pytest.mark.parametrize("save", [OtherSave("a.py", "", ""), OtherSave("a.py", "x", "x")])
def test_a_save_that_changed_nothing_is_heard_in_silence(save: OtherSave) -> None:
    session = RepeatBest().open(OTHER)
    session.hear(save)
    assert list(session.elsewhere(3)) == []


def test_own_replacements_are_told_from_those_heard() -> None:
    session = RepeatBest().open(CALLS)
    session.hear(other_save("a.py", "part_1(a)\n", "chapter_1(a)\n"))
    once = CALLS.replace("render", "draw", 1)
    session.update(once, saved=True)
    own = apply_hunks(once, session.own(1)[0].hunks)
    assert own == CALLS.replace("render", "draw", 2)
    ((heard, _),) = session.elsewhere(1)
    assert diff(once, heard.apply(once))[0].text == "chapter_1"


def test_what_the_other_file_took_back_is_forgotten() -> None:
    session = RepeatBest().open(OTHER)
    session.hear(other_save("first.py", "render(x)\nload(x)\n", "draw(x)\nread(x)\n"))
    session.hear(other_save("other.py", "draw(x)\n", "render(x)\n"))  # elsewhere it means nothing
    assert session.predict()[0].apply(OTHER) == OTHER.replace("render", "draw")
    session.hear(other_save("first.py", "draw(x)\nread(x)\n", "render(x)\nread(x)\n"))
    assert session.predict() == []
    read = RepeatBest().open("load(y)\n")
    read.hear(other_save("first.py", "load(x)\n", "read(x)\n"))
    read.hear(other_save("first.py", "read(x)\n", "load(x)\n"))
    read.hear(other_save("first.py", "load(x)\n", "read(x)\n"))  # and once more
    assert read.predict()[0].apply("load(y)\n") == "read(y)\n"
