"""Words that take others' places in texts without scopes."""

import gc
import tracemalloc

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import STRENGTHS, Consequence, Kind
from editcast_model.consequences.replaced.words import kind_of
from editcast_model.diff import apply_hunks

MANUAL = "Set DB_URL first.\n\nDB_URL is an address.\n\nMY_DB_URL, DB_URLS and DB-URL are not.\n"
OLD, NEW = "DB_URL=a\n", "DATABASE_URL=a\n"
Other = tuple[str, str, str]


def proposed(
    texts: list[str], *others: Other, path: str = "README.md", active: range | None = None
) -> list[Consequence]:
    """Return what follows in a file of some texts, from the saves of others."""
    consequences = Consequences("", path)
    for number, (file, before, after) in enumerate(others):
        consequences.add_other_save(file, number, before, after)
    text = texts[-1]
    cursor = len(text)
    if len(texts) > 1:
        cursor = next(i for i, (a, b) in enumerate(zip(*texts[-2:], strict=False)) if a != b)
    return consequences.propose(texts[:-1], text, active=active, cursor=cursor)


@pytest.mark.parametrize("path", ["README.md", "run.sh", "a.yaml", "notes.txt", ""])
def test_what_another_file_and_this_one_replaced(path: str) -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    (one,) = proposed([MANUAL, text], ("run.sh", OLD, NEW), path=path)
    assert apply_hunks(text, [one.hunk]) == text.replace("\nDB_URL is", "\nDATABASE_URL is")
    assert (one.kind, one.cause) == ("replace_word", "DB_URL DATABASE_URL")


def test_what_was_replaced_in_this_file_alone_is_a_repeated_edit() -> None:
    assert proposed([MANUAL, MANUAL.replace("Set DB_URL", "Set DATABASE_URL")]) == []


def test_below_the_last_change_first() -> None:
    text = f"DB_URL\n{MANUAL}DB_URL\n"
    changed = text.replace("\nDB_URL is", "\nDATABASE_URL is")
    found = proposed([text, changed], ("run.sh", OLD, NEW))
    lines = [changed.count("\n", 0, one.hunk.start) for one in found]
    assert lines == [6, 1, 0]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([("run.sh", OLD, NEW)], None),
        ([(f"{name}.sh", OLD, NEW) for name in "abc"], "replace_word_everywhere"),
        ([(f"{name}.sh", "first=a\n", "other=a\n") for name in "abc"], None),
        ([(f"{name}.sh", OLD, "DB_URL=b\n") for name in "abc"], None),
        ([*((f"{name}.sh", OLD, NEW) for name in "abc"), ("a.sh", NEW, OLD)], None),
    ],
)
def test_in_a_file_that_is_just_opened(others: list[Other], expected: Kind | None) -> None:
    found = {one.kind for one in proposed([MANUAL], *others)}
    assert found == ({expected} if expected else set())


def test_a_later_save_of_the_same_number_takes_the_place_of_the_first() -> None:
    consequences = Consequences("", "README.md")
    consequences.add_other_save("a.sh", 1, OLD, NEW)
    consequences.add_other_save("a.sh", 1, OLD, "CONNECTION=a\n")
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    assert consequences.propose([MANUAL], text) == []


def test_where_the_word_is_still_used_elsewhere_it_is_not_gone() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    assert proposed([MANUAL, text], ("run.sh", OLD + "DB_URL\n", NEW + "DB_URL\n")) == []


def test_what_was_put_back_is_left_alone() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    assert proposed([MANUAL, text, MANUAL], ("run.sh", OLD, NEW)) == []


def test_what_is_being_typed_is_left_alone() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    at = text.index("DB_URL is")
    assert proposed([MANUAL, text], ("run.sh", OLD, NEW), active=range(at, at + 6)) == []


def test_names_in_code_are_left_to_their_scopes() -> None:
    code = 'def db_url():\n    """Return db_url."""\n    return db_url\n\n\nprint("db_url")\n'
    text = code.replace('"db_url"', '"database_url"')
    other = "run.sh", "db_url=a\n", "database_url=a\n"
    (one,) = proposed([code, text], other, path="a.py")
    assert apply_hunks(text, [one.hunk]) == text.replace("Return db_url", "Return database_url")


def test_a_comment_may_mean_what_the_code_still_calls_so() -> None:
    before = "# Initialize callbacks.\ncallbacks = []\nrun(request.callbacks)\n"
    text = before.replace("request.callbacks", "request.observer")
    other = "a.py", "one.callbacks\n", "one.observer\n"
    assert proposed([before, text], other, path="b.py") == []


def test_a_builtin_is_any_word_if_the_other_one_is_known() -> None:
    code = "def f():\n    raise ValueError(1)\n\n\ndef g():\n    raise ValueError(2)\n"
    other = "b.py", "raise ValueError(3)\n", "raise ScheduleError(3)\n"
    text = code.replace("ValueError(1)", "ScheduleError(1)")
    assert proposed([code, text], other, path="a.py") == []
    code = f"from errors import ScheduleError\n\n\n{code}"
    text = code.replace("ValueError(1)", "ScheduleError(1)")
    (one,) = proposed([code, text], other, path="a.py")
    assert apply_hunks(text, [one.hunk]) == text.replace("ValueError", "ScheduleError")


def test_a_word_that_stands_everywhere_is_none_to_replace() -> None:
    before = "DB_URL\n" * 70
    text = before.replace("DB_URL", "DATABASE_URL", 3)
    assert proposed([before, text], ("run.sh", OLD, NEW)) == []


def test_the_more_often_the_surer() -> None:
    known = [kind_of("url", own, 1, is_gone=True) for own in range(-1, 4)]
    assert known == [None, None, "replace_word", "replace_word", "replace_word_again"]
    assert STRENGTHS["replace_word"] < STRENGTHS["replace_word_again"]


def test_a_type_of_the_language_is_no_word() -> None:
    before = "const a: any = 1;\nfunction f(b: any, c: Promise<any>) {}\n"
    text = before.replace("a: any", "a: Socket")
    other = ("other.ts", "let io: any;\n", "let io: Socket;\n")
    assert proposed([before, text], other, path="app.ts") == []


def test_texts_that_are_gone_are_forgotten() -> None:
    made, text = Consequences("", "README.md"), MANUAL + "Some other line.\n" * 1_000
    made.add_other_save("run.sh", 1, OLD, NEW)
    history, sizes = [text], []
    tracemalloc.start()
    try:
        for number in range(240):
            text = text.replace("Some", f"{number}", 1)
            made.propose(history[-3:], text)
            history = [*history[-3:], text]
            if number in (119, 239):  # by then what is kept of differences is full
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[1] - sizes[0] < 20 * len(text)
