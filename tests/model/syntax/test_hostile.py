"""Code that nobody writes by hand: deep, long or never closed. It must stay cheap."""

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial

import pytest

from editcast_model.syntax.members import owner
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import parse
from editcast_model.syntax.vue import script_of


def calls_of(function: Callable[[], object], called: str = "") -> int:
    """Count the calls that a function makes, or those of one function: its work on any machine."""
    calls = 0

    def count(_frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += not called or (event == "c_call" and getattr(arg, "__name__", "") == called)

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def names_in(text: str, language: str) -> Names:
    tree = parse(text, language, seconds=10)
    assert tree is not None
    return Names(tree)


@pytest.mark.parametrize(
    ("language", "before", "opening", "used", "closing", "after"),
    [
        ("javascript", "let x = 1\n", "{", "x;", "}", "\n"),
        ("c", "int f() { int x = 1; ", "{", "x;", "}", "}\n"),
        ("python", "x = 1\ny = ", "[", "x, ", "]", "\n"),
    ],
)
def test_names_in_thousands_of_brackets_cost_little(
    language: str, before: str, opening: str, used: str, closing: str, after: str
) -> None:
    text = before + opening * 5_000 + used * 300 + closing * 5_000 + after
    names = names_in(text, language)
    tracemalloc.start()
    try:
        found = names.of("x")
        assert {names.resolve(one) for one in found} == {found[0].scope}
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 2_000_000  # 300 MB when each name had all that is around it


@pytest.mark.parametrize("unit", [".a{}", ".a{}(1)", "\ny{} = y.a{}\ny = y{}"])
def test_members_of_members_of_members(unit: str) -> None:
    text = "y = make()\ny = y" + "".join(unit.replace("{}", str(n)) for n in range(400)) + "\n"
    names = names_in(text, "python")
    assert [owner(names, one) for one in names.of("a399")] == [None]


def test_a_field_of_a_field_still_has_a_class() -> None:
    text = "class A:\n    def __init__(self):\n        self.next = A()\n\n"
    names = names_in(text + "a = A()\n" + "a" + ".next" * 20 + ".last\n", "python")
    whose = {owner(names, one) for one in (*names.of("next"), *names.of("last"))}
    assert len(whose) == 1 and None not in whose


def test_names_that_nothing_defines_do_not_each_search_the_text_for_an_import() -> None:
    text = "".join(f"v{number} = undefined{number}(1)\n" for number in range(100))
    names, words = names_in(text, "python"), {f"undefined{number}" for number in range(100)}
    assert calls_of(lambda: names.unbound(0, len(text), words), "search") == 1
    assert len(names.unbound(0, len(text), words)) == 100


def test_elements_of_vue_that_are_never_closed() -> None:
    head, element = "<script setup>\n</script>\n", '<li :a="b">x</b>\n'
    few, many = (calls_of(partial(script_of, head + element * count)) for count in (200, 800))
    assert many < 5 * few  # 16 times as many when each tag looked at all that are open
