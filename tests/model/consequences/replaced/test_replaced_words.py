"""Words that many other files replaced, in texts without scopes."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

MANUAL = "Set DB_URL first.\n\nDB_URL is an address.\n\nMY_DB_URL, DB_URLS and DB-URL are not.\n"
OLD, NEW = "DB_URL=a\n", "DATABASE_URL=a\n"
EVERYWHERE = [(f"{name}.sh", OLD, NEW) for name in "abc"]


def followed(
    text: str, others: list[tuple[str, str, str]], path: str = "README.md", active: int = -1
) -> str:
    """Return a text after all that the saves of other files ask for."""
    consequences = Consequences("", path)
    for number, (file, before, after) in enumerate(others):
        consequences.add_other_save(file, number, before, after)
    typed = range(active, active) if active >= 0 else None
    found = consequences.propose([], text, active=typed)
    assert {(one.kind, one.cause) for one in found} <= {("replace_word", "DB_URL DATABASE_URL")}
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize("path", ["README.md", "run.sh", "a.yaml", "notes.txt", ""])
def test_a_word_that_was_replaced_everywhere_else(path: str) -> None:
    expected = MANUAL.replace("Set DB_URL", "Set DATABASE_URL").replace("\nDB_", "\nDATABASE_")
    assert followed(MANUAL, EVERYWHERE, path) == expected


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (MANUAL, EVERYWHERE[:2]),
        (MANUAL, [*EVERYWHERE, ("a.sh", NEW, OLD)]),
        (MANUAL, [(file, OLD, "DB_URL=b\n") for file, *_ in EVERYWHERE]),
        ("first\n", [(file, "first=a\n", "other=a\n") for file, *_ in EVERYWHERE]),
        (MANUAL + NEW, EVERYWHERE),
        ("DB_URL\n" * 70, EVERYWHERE),
    ],
)
def test_a_word_that_may_stay(text: str, others: list[tuple[str, str, str]]) -> None:
    assert followed(text, others) == text


def test_what_is_being_typed_is_left_alone() -> None:
    at = MANUAL.index("DB_URL is") + 3
    text = followed(MANUAL, EVERYWHERE, active=at)
    assert text == MANUAL.replace("Set DB_URL", "Set DATABASE_URL")


def test_names_in_code_are_left_to_their_scopes() -> None:
    code = 'def f(DB_URL):\n    """Read DB_URL."""\n    return DB_URL, "DB_URL"\n'
    expected = code.replace("Read DB_URL", "Read DATABASE_URL").replace(
        '"DB_URL"', '"DATABASE_URL"'
    )
    assert followed(code, EVERYWHERE, "a.py") == expected
