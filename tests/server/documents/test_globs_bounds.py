"""`exclude`: no glob that the settings let through takes work without bound, whatever the path."""

import multiprocessing
import sys
from collections.abc import Iterator
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editcast_server.documents.globs import (
    MOST_ALTERNATIVES,
    MOST_CHARACTERS,
    MOST_CHARACTERS_TOGETHER,
    MOST_FOLDERS,
    MOST_GLOBS,
    MOST_PATH_CHARACTERS,
    matches_any,
)
from editcast_server.settings import read_settings

DEADLINE = 60  # seconds; each of these takes milliseconds, or would never end

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Pool]:
    """A process that can be ended whatever it does."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


def is_excluded(elsewhere: Pool, globs: list[str], path: str) -> bool:
    exclude = read_settings({"exclude": globs})[0].exclude
    return elsewhere.apply_async(matches_any, (Path(path), exclude)).get(DEADLINE)


DEEP = "/" + "a/" * 40 + "a"
LONG = "/" + "a" * 250


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/" * 25 + "zzz", DEEP, False),
        ("**/" * 25 + "a", DEEP, True),
        ("**/a*/" * 40 + "zzz", DEEP, False),
        ("**/a*/" * 40 + "a", DEEP, True),
        ("*a*a*a*a*a*b", LONG, False),
        ("*a" * 100 + "b", LONG, False),
        ("*a" * 100, LONG, True),
        ("*?" * 100 + "b", LONG, False),
        ("*[a-b]" * 40 + "c", LONG, False),
        ("{*a,*aa}" * 7 + "b", LONG, False),
    ],
)
def test_globs_that_invite_to_try_all_ways(
    elsewhere: Pool, glob: str, path: str, expected: bool
) -> None:
    assert is_excluded(elsewhere, [glob], path) is expected


PIECES = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "*",
        "?",
        "/",
        "**",
        "**/",
        "*a",
        "a*",
        "[ab]",
        "[!a]",
        "[",
        "{",
        "}",
        ",",
        "!",
    ]
)
GLOBS = st.builds(
    lambda pieces, times: ("".join(pieces) * times)[:MOST_CHARACTERS],
    st.lists(PIECES, min_size=1, max_size=12),
    st.integers(1, MOST_CHARACTERS),
)
PATHS = st.builds(
    lambda parts, times: "/" + "/".join((parts * times)[:MOST_FOLDERS]),
    st.lists(st.builds(str.__mul__, st.sampled_from("ab"), st.integers(1, 255)), min_size=1),
    st.integers(1, 500),
)


@given(st.lists(GLOBS, min_size=1, max_size=10), PATHS)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_globs_within_the_bounds(elsewhere: Pool, globs: list[str], path: str) -> None:
    is_excluded(elsewhere, globs, path)


@pytest.mark.parametrize(
    ("globs", "kept", "complaint"),
    [
        (
            ["*.c", "x" * (MOST_CHARACTERS + 1), "*.h"],
            ("*.c", "*.h"),
            f"The setting editcast.exclude[1] must be a glob of at most {MOST_CHARACTERS} "
            'characters, not "' + "x" * 56 + "...; it is ignored.",
        ),
        (
            ["{a,b}" * 10, "*.h"],
            ("*.h",),
            f"The setting editcast.exclude[0] must be a glob of at most {MOST_ALTERNATIVES} "
            'alternatives, not "' + "{a,b}" * 10 + '"; it is ignored.',
        ),
        (
            ["*.c"] + ["x" * 200] * 100_000,
            ("*.c",) + ("x" * 200,) * 14,
            "The setting editcast.exclude[15] and those after it are ignored: at most "
            f"{MOST_GLOBS} globs of {MOST_CHARACTERS_TOGETHER:,} characters in total are matched, "
            "with braces expanded.",
        ),
        (
            ["{a,b}*"] * 100_000,
            ("{a,b}*",) * (MOST_GLOBS // 2),
            f"The setting editcast.exclude[{MOST_GLOBS // 2}] and those after it are ignored: at "
            f"most {MOST_GLOBS} globs of {MOST_CHARACTERS_TOGETHER:,} characters in total are "
            "matched, with braces expanded.",
        ),
    ],
)
def test_globs_beyond_the_bounds_are_left_out_and_reported_by_path(
    globs: list[str], kept: tuple[str, ...], complaint: str
) -> None:
    found, complaints = read_settings({"exclude": globs})
    assert complaints == [complaint]
    assert found.exclude == kept


def test_a_path_beyond_the_bounds_is_excluded_by_any_glob() -> None:
    deep, long = "/a" * MOST_FOLDERS, "/" + "a" * (MOST_PATH_CHARACTERS - 1)
    for path in (deep, long):
        assert not matches_any(Path(path), ("*.min.js",))
        assert matches_any(Path(path + "/b"), ("*.min.js",))
        assert not matches_any(Path(path + "/b"), ())


@pytest.mark.parametrize(
    ("globs", "path"),
    [
        ([f"**/{'a/' * 40}b/**/{number}" for number in range(10_000)], "/a" * 50_000),
        ([f"**/{'a/' * 40}b/**/{number}" for number in range(10_000)], "/a" * MOST_FOLDERS),
        ([f"x/**/{number}" for number in range(10_000)], "/a" * 50_000),
        ([f"*a{number}" for number in range(10_000)], "/a" * MOST_FOLDERS),
        (["?" * 240 + str(number) for number in range(10_000)], "/a" * MOST_FOLDERS),
        ([f"**/*[ab]*{number}/**" for number in range(10_000)], "/a" * MOST_FOLDERS),
    ],
)
def test_a_path_takes_little_work_for_any_settings(globs: list[str], path: str) -> None:
    # 3 s before there were bounds; what is counted is calls, about 10 million a second.
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    exclude = read_settings({"exclude": globs})[0].exclude
    matches_any(Path("/b"), exclude)  # compiles them
    file = Path(path)
    hash(file)  # pathlib parses it, once for each document
    sys.setprofile(count)
    try:
        matches_any(file, exclude)
    finally:
        sys.setprofile(None)
    assert calls < 250_000


async def test_the_server_answers_whatever_is_excluded(start: Any) -> None:
    async with start({"exclude": ["**/" * 25 + "zzz", "*a*a*a*a*a*a*a*b", "secret/"]}) as editor:
        uri = editor.open("a/" * 40 + "a" * 60, CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.best(uri)
        hidden = editor.open("secret/" + "a/" * 40 + "a" * 60, CALLS)
        editor.type(hidden, "render", "draw")
        assert await editor.next_edit(hidden) is None
