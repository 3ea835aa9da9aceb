"""Words that take others' places in texts without scopes."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.candidates import Candidate, Situation
from editcast_model.forecasting.interface import OtherSave, PredictionOptions, other_save
from editcast_model.forecasting.replacements import KnownReplacements
from editcast_model.forecasting.sources.replaced_words import ReplacedWord, ReplacedWords
from editcast_model.history import EditHistory

MANUAL = "Set DB_URL first.\n\nDB_URL is an address.\n\nMY_DB_URL, DB_URLS and DB-URL are not.\n"


def proposed(
    texts: list[str],
    others: list[OtherSave] | None = None,
    *,
    path: str = "README.md",
    options: PredictionOptions | None = None,
) -> list[Candidate]:
    history = EditHistory(texts[0], path=path)
    for text in texts[1:]:
        history.update(text, saved=True)
    replacements = KnownReplacements(history)
    for one in others or ():
        replacements.add_other_save(one)
    consequences = Consequences("", path)
    given = options or PredictionOptions()
    situation = Situation(history, replacements, [], consequences, None, 1, given)
    return list(ReplacedWords().propose(situation))


def in_file(name: str, before: str = "DB_URL=a\n", after: str = "DATABASE_URL=a\n") -> OtherSave:
    return other_save(name, before, after)


def test_the_next_place_below_comes_first() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    (one,) = proposed([MANUAL, text], [in_file("run.sh")])
    assert apply_hunks(text, [one.hunk]) == text.replace("\nDB_URL is", "\nDATABASE_URL is")
    assert one.prior == 0.7 and one.everywhere == ()


def test_what_was_replaced_in_this_file_alone_is_a_repeated_edit() -> None:
    assert proposed([MANUAL, MANUAL.replace("Set DB_URL", "Set DATABASE_URL")]) == []


def test_then_what_is_above() -> None:
    text = MANUAL.replace("\nDB_URL is", "\nDATABASE_URL is")
    (one,) = proposed([MANUAL, text], [in_file("run.sh")])
    assert apply_hunks(text, [one.hunk]) == text.replace("Set DB_URL", "Set DATABASE_URL")


def test_other_files_say_so_as_well() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    (one,) = proposed([MANUAL + "DB_URL\n", text + "DB_URL\n"], [in_file("run.sh")])
    assert one.prior == 0.7
    assert len(one.everywhere) == 2 and one.cause == "DB_URL DATABASE_URL"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([in_file("run.sh")], None),
        ([in_file(f"{name}.sh", "url=a\n", "address=a\n") for name in "abc"], None),
        ([in_file("run.sh", "DB_URL=a\nDB_URL\n", "DATABASE_URL=a\nDB_URL\n")], None),
        ([in_file(f"{name}.sh") for name in "abc"], 0.5),
        ([in_file("run.sh", "here DB_URL\n", "here connection\n")], None),
        ([in_file("run.sh", "DB_URL=a\n", "DB_URL=b\n")], None),
    ],
)
def test_in_a_file_that_is_just_opened(others: list[OtherSave], expected: float | None) -> None:
    found = proposed([MANUAL], others)
    assert [one.prior for one in found] == ([expected] if expected else [])


def test_the_more_often_the_surer() -> None:
    known = [ReplacedWord("url", "address", own, 1, True).probability for own in range(4)]
    assert known == [0.0, 0.7, 0.7, 0.85]
    assert ReplacedWord("url", "address", 3, 1, is_gone=False).probability == 0.0


def test_what_was_taken_back_is_none() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL")
    assert proposed([MANUAL, text, MANUAL], [in_file("run.sh")]) == []


def test_names_in_code_are_left_to_consequences() -> None:
    code = 'def db_url():\n    """Return db_url."""\n    return db_url\n\n\nprint("db_url")\n'
    text = code.replace('"db_url"', '"database_url"')
    others = [in_file("run.sh", "db_url=a\n", "database_url=a\n")]
    (one,) = proposed([code, text], others, path="a.py")
    assert apply_hunks(text, [one.hunk]) == text.replace("Return db_url", "Return database_url")


def test_a_builtin_is_any_word() -> None:
    code = "from errors import ScheduleError\n\n\n"
    code += "def f():\n    raise ValueError(1)\n\n\ndef g():\n    raise ValueError(2)\n"
    text = code.replace("ValueError(1)", "ScheduleError(1)")
    others = [in_file("b.py", "raise ValueError(3)\n", "raise ScheduleError(3)\n")]
    (one,) = proposed([code, text], others, path="a.py")
    assert apply_hunks(text, [one.hunk]) == text.replace("ValueError", "ScheduleError")


def test_what_does_not_fit_is_passed_over() -> None:
    text = MANUAL.replace("Set DB_URL", "Set DATABASE_URL") + "DB_URL\n"
    at = text.index("DB_URL is")

    def fits(hunks: tuple[Hunk, ...]) -> bool:
        return hunks[0].start != at

    given = PredictionOptions(fits=fits)
    (one,) = proposed([MANUAL + "DB_URL\n", text], [in_file("run.sh")], options=given)
    assert one.hunk.start == text.rindex("DB_URL")


def test_a_word_that_stands_everywhere_is_none_to_replace() -> None:
    before = "DB_URL\n" * 70
    text = before.replace("DB_URL", "DATABASE_URL", 3)
    assert proposed([before, text], [in_file("run.sh")]) == []
