"""`exclude`: no glob that the settings let through takes work without bound, whatever the path."""

import multiprocessing
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
    lambda parts, times: "/" + "/".join((parts * times)[:1000]),
    st.lists(st.builds(str.__mul__, st.sampled_from("ab"), st.integers(1, 255)), min_size=1),
    st.integers(1, 500),
)


@given(st.lists(GLOBS, min_size=1, max_size=10), PATHS)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_globs_within_the_bounds(elsewhere: Pool, globs: list[str], path: str) -> None:
    is_excluded(elsewhere, globs, path)


@pytest.mark.parametrize(
    ("globs", "kept", "complaint"),
    [
        (
            ["*.c", "x" * (MOST_CHARACTERS + 1), "*.h"],
            ("*.c", "*.h"),
            f"The setting editcast.exclude[1] must be a glob of at most {MOST_CHARACTERS} "
            'characters, not "' + "x" * 56 + "...; it is left out.",
        ),
        (
            ["{a,b}" * 10, "*.h"],
            ("*.h",),
            f"The setting editcast.exclude[0] must be a glob of at most {MOST_ALTERNATIVES} "
            'alternatives, not "' + "{a,b}" * 10 + '"; it is left out.',
        ),
        (
            ["*.c"] + ["x" * 199] * 100_000,
            ("*.c",) + ("x" * 199,) * 49,
            "The setting editcast.exclude[50] and those after it are left out: the globs must have "
            f"at most {MOST_CHARACTERS_TOGETHER:,} characters together, braces multiplied out.",
        ),
    ],
)
def test_globs_beyond_the_bounds_are_left_out_and_reported_by_path(
    globs: list[str], kept: tuple[str, ...], complaint: str
) -> None:
    found, complaints = read_settings({"exclude": globs})
    assert complaints == [complaint]
    assert found.exclude == kept


async def test_the_server_answers_whatever_is_excluded(start: Any) -> None:
    async with start({"exclude": ["**/" * 25 + "zzz", "*a*a*a*a*a*a*a*b", "secret/"]}) as editor:
        uri = editor.open("a/" * 40 + "a" * 60, CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.best(uri)
        hidden = editor.open("secret/" + "a/" * 40 + "a" * 60, CALLS)
        editor.type(hidden, "render", "draw")
        assert await editor.next_edit(hidden) is None
