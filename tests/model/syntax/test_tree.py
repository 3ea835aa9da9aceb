import gc
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import Hunk
from editcast_model.syntax.breaking import breaking, breaks_syntax
from editcast_model.syntax.languages import _GRAMMARS, language_of, parser
from editcast_model.syntax.tree import MOST_CHARACTERS, parse

SAMPLES = {
    "c": "int f(int a) { return a; }\n",
    "cpp": "class A { int f() const; };\n",
    "csharp": "class A { int F(int a) => a; }\n",
    "go": "package p\n\nfunc f(a int) int { return a }\n",
    "java": "class A { int f(int a) { return a; } }\n",
    "javascript": "const f = (a) => a;\n",
    "javascriptreact": "const f = (a) => <p>{a}</p>;\n",
    "php": "<?php function f($a) { return $a; }\n",
    "python": "def f(a):\n    return a\n",
    "ruby": "def f(a)\n  a\nend\n",
    "rust": "fn f(a: i32) -> i32 { a }\n",
    "typescript": "const f = (a: number): number => a;\n",
    "typescriptreact": "const f = (a: number) => <p>{a}</p>;\n",
    "vue": "<script>\nconst f = (a) => { return a; }\n",
}


@pytest.mark.parametrize("language", _GRAMMARS)
def test_every_grammar_loads_and_tells_what_parses(language: str) -> None:
    assert parser(language) is not None
    whole, cut = parse(SAMPLES[language], language), parse(SAMPLES[language][:-4], language)
    assert whole is not None and whole.parses
    if language != "python":
        assert cut is not None and not cut.parses


def test_the_language_of_a_file() -> None:
    assert language_of("python") == "python"
    assert language_of("", "/a/b.TSX") == "typescriptreact"
    assert language_of("plaintext", "a.go") == "go"
    assert language_of("plaintext", "a.txt") is None
    assert parse("a", None) is None


@given(st.text(max_size=60))
def test_offsets_are_code_points(text: str) -> None:
    found = parse(f"# {text!r}\r\nx = {text!r}\r\nnäme = 1\r\n", "python")
    assert found is not None
    at = found.text.index("näme =")
    assert found.of(found.path(at)[-1].node) == "näme"


def test_surrogates_and_zeros() -> None:
    found = parse("x = '\ud800😀' + name\n", "python")
    assert found is not None and found.parses
    assert found.of(found.path(found.text.index("name"))[-1].node) == "name"
    zeros = parse("a\0b", "python")
    assert zeros is not None and not zeros.parses


@given(
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 9), st.text("af( :\n\t=é😀}", max_size=9))
    )
)
def test_reparsed_is_as_parsed(changes: list[tuple[int, int, str]]) -> None:
    found = parse(
        "def f(a):\n    return [a for b in a if b]\n\n\nclass A:\n    x = f(1)\n", "python"
    )
    for start, size, new in changes:
        assert found is not None
        text = found.text[:start] + new + found.text[start + size :]
        found = found.reparsed(text)
        fresh = parse(text, "python")
        assert found is not None and fresh is not None
        assert str(found.root) == str(fresh.root)


def test_too_long_or_too_slow() -> None:
    assert parse("x = 1\n" * 20_000, "python", seconds=0) is None
    assert parse("x" * (MOST_CHARACTERS + 1), "python") is None


BREAKS = [
    ("python", "f(«a»)\n", "a, b", False),
    ("python", "f(«a»)\n", "a, (b", True),
    ("python", "def f():\n    «return 1»\n", "", True),
    ("python", "class A:\n    def f(self):\n        «x = 1»\n\n    y = 2\n", "x =", True),
    ("python", "class A:\n    def f(self):\n        «x = 1»\n\n    y = 2\n", "x = 2", False),
    ("python", "x = 1\n«»y = 2\n", "    z = 3\n", True),
    ("python", "f(a=1«»)\n", ", b", True),
    ("python", "print 'x'\nf(«a»)\n", "b", False),
    ("python", "def f(«a»=1):\n    pass\n", "b=2, c", False),
    ("python", "def f(a=1«»):\n    pass\n", ", c", True),
    ("typescript", "function settings(id: «number», name: string) {}\n", "Promise<string", True),
    ("typescript", "function settings(id: «number») {}\n", "Promise<string>", False),
    ("javascript", "if (a) { «b();» }\n", "b(", True),
    ("go", "package p\n\nfunc f() { «a()» }\n", "a(); }", True),
    ("rust", "fn f() { «a()» }\n", "a(", True),
    ("java", "class A { «int a;» }\n", "int a", True),
    ("python", "f(((«a»)\n", "b", False),
]


@pytest.mark.parametrize(("language", "marked", "new", "expected"), BREAKS)
def test_breaks_syntax(language: str, marked: str, new: str, expected: bool) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    found = parse(marked.replace("«", "").replace("»", ""), language)
    assert found is not None
    assert breaks_syntax(found, Hunk(start, end, new)) is expected


def test_several_hunks_break_one_by_one() -> None:
    found = parse("f(a)\ng(b)\nh(c)\n", "python")
    assert found is not None
    right, wrong = Hunk(2, 3, "a,\n1"), Hunk(7, 8, "b, (")
    last = Hunk(12, 13, "c, 2")
    assert breaking(found, []) == []
    assert breaking(found, [right, last]) == []
    assert breaking(found, [right, wrong, last]) == [wrong]


def test_the_nodes_around_one_are_found_up_to_some_depth() -> None:
    found = parse("def f():\n    return " + " + ".join("a" * 2_000) + "\n", "python")
    assert found is not None
    leaf = found.path(len(found.text) - 2)[-1].node
    assert [one.type for one in found.around(leaf)][-3:] == [
        "block",
        "function_definition",
        "module",
    ]
    assert found.around(found.root) == []
    assert [step.type for step in found.path(found.text.index("a"))] == ["module"]


def test_parsing_again_and_again_keeps_nothing() -> None:
    texts = [f"value_{number} = 1\n" + "other = 2\n" * 500 for number in range(100)]
    tree = parse(texts[0], "python")
    assert tree is not None
    tracemalloc.start()
    try:
        for text in texts[1:]:
            assert parse(text, "python") and tree.reparsed(text)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 20 * len(texts[0])
