"""Tests of values that are passed on, whose texts the marks of cases cannot hold."""

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks


def test_a_request_without_options_gets_them_for_a_signal() -> None:
    before = "async function load(path: string) {\n  return fetch(path);\n}\n"
    after = before.replace("path: string", "path: string, abort: AbortSignal")
    (found,) = Consequences("typescript").propose([before], after)
    expected = after.replace("fetch(path)", "fetch(path, { signal: abort })")
    assert apply_hunks(after, [found.hunk]) == expected
