"""Names that are replaced by others, and what that leaves without a meaning."""

import pytest

from editcast_model.diff import Hunk
from editcast_model.syntax.binding import (
    assigns_for_nothing,
    defines_by_itself,
    is_of_language,
    renames_definition,
    renames_string,
    unbinds,
    uses_unknown_member,
)
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import parse

PYTHON = """\
class Cart:
    def __init__(self):
        self.items = []

    def count(self):
        return len(self.items) + self.size


class Order:
    def __init__(self):
        self.its = []

    def count(self):
        return len(self.its)


def area(breadth):
    return width * breadth


def half(width):
    return width / 2
"""
TYPESCRIPT = """\
function area(breadth: number): number {
  return { width: breadth }.width;
}
"""
PHP = """\
<?php
class Shop
{
    private $items;
    public function count($size)
    {
        $width = count($this->items);
        return $width;
    }
}
"""
GO = """\
package shape

func Half(width int) int {
	return width / 2
}
"""


@pytest.mark.parametrize(
    ("language", "text", "marked", "new", "expected"),
    [
        ("python", PYTHON, "return |width| * breadth", "breadth", False),  # gives it a meaning
        ("python", PYTHON, "return |width| / 2", "breadth", True),
        # An import may follow, where a name was written more than once.
        ("python", "def f(a):\n    b(x)\n    g(a)\n    h(a)\n", "g(|a|", "b", True),
        ("python", "def f(a):\n    b(b)\n    g(a)\n    h(a)\n", "g(|a|", "b", False),
        ("python", PYTHON, "return w|idth| / 2", "hole", True),  # part of the name
        ("python", PYTHON, "return |width| / 2", "len", False),
        ("python", PYTHON, "return |width| / 2", "len(x)", False),  # more than a name
        ("python", PYTHON, "half(|width|)", "breadth", False),  # a definition
        ("python", PYTHON, "len(self.|its|)", "items", True),
        ("python", PYTHON, "self.|its| = []", "items", False),  # a definition
        ("python", PYTHON, "len(self.|items|)", "its", True),
        ("python", PYTHON, "self.|size|", "items", False),
        ("python", "def f(to):\n    g(at=to)\n", "g(|at|", "to", True),
        ("python", "def f(to):\n    g(at=to)\n", "g(|at|", "by", False),  # not of the file
        ("python", "def f(to):\n    g(at=to)\n    h(to=1)\n", "g(|at|", "to", False),
        ("python", "def f(to):\n    f(at=to)\n", "f(|at|", "to", False),  # its own function
        ("typescript", TYPESCRIPT, ".|width|;", "breadth", True),
        ("go", GO, "return |width| / 2", "breadth", True),
        ("go", GO, "Half(|width| int)", "breadth", False),
        ("php", PHP, "return $|width|;", "breadth", True),
        ("php", PHP, "return |$width|;", "$size", False),
        ("php", PHP, "this->|items|", "its", True),
        ("php", PHP, "private $|items|", "its", False),  # a definition
        ("php", PHP, "private |$items|", "$its", False),
    ],
)
def test_unbinds(language: str, text: str, marked: str, new: str, expected: bool) -> None:
    head, old, tail = marked.split("|")
    start = text.index(head + old + tail) + len(head)
    tree = parse(text, language)
    assert tree is not None
    assert unbinds(Names(tree), Hunk(start, start + len(old), new)) is expected


@pytest.mark.parametrize(
    ("marked", "new", "expected"),
    [
        ("half(|width|)", "breadth", True),
        ("self.|its| = []", "items", True),
        ("len(self.|its|)", "items", False),
        ("return |width| / 2", "breadth", False),
        ("half(|width|)", "breadth=1", False),  # more than a name
    ],
)
def test_renames_definition(marked: str, new: str, expected: bool) -> None:
    head, old, tail = marked.split("|")
    start = PYTHON.index(head + old + tail) + len(head)
    tree = parse(PYTHON, "python")
    assert tree is not None
    assert renames_definition(Names(tree), Hunk(start, start + len(old), new)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('breadth = 1\nprint("width", breadth)\n', True),
        ('breadth = 1\nprint("width", "breadth")\n', False),  # strings are renamed, too
        ('print("width")\n', False),  # no name of the file
        ('breadth = 1\nprint("the width")\n', False),  # a sentence about it
    ],
)
def test_a_string_of_one_word_is_not_renamed_with_a_name(text: str, expected: bool) -> None:
    start, tree = text.index("width"), parse(text, "python")
    assert tree is not None
    assert renames_string(Names(tree), Hunk(start, start + 5, "breadth")) is expected


@pytest.mark.parametrize(
    ("language", "marked", "new", "expected"),
    [
        ("python", "SIZE = |50|\n", "SIZE", True),
        ("python", "SIZE: int = |50|\n", "SIZE", True),
        ("python", "SIZE = |50| + 1\n", "SIZE", False),
        ("python", "OTHER = |50|\n", "SIZE", False),
        ("python", "page(size=|50|)\n", "size", False),
        ("python", "def page(size=|50|):\n    pass\n", "size", False),
        ("typescript", "const KEY = |'session'|;\n", "KEY", True),
        ("typescript", "store.get(|'session'|);\n", "KEY", False),
        ("typescript", "const KIND = freeze({ main: |'main'| });\n", "KIND.main", True),
        ("typescript", "enum Kind { Main = |'main'| }\n", "Kind.Main", True),
        ("typescript", "const shown = view.|visible|();\n", "shown", False),
        ("typescript", "const OTHER = { main: |'main'| };\n", "KIND.main", False),
        ("typescript", "const run = () => send(|'run'|);\n", "run.name", False),
        ("python", "node = |step|\n", "node.parent", False),
        ("go", 'package p\n\nconst header = |"X-Id"|\n', "header", True),
        ("go", 'package p\n\nfunc f() {\n\theader := |"X-Id"|\n}\n', "name", False),
    ],
)
def test_a_name_is_not_defined_by_itself(
    language: str, marked: str, new: str, expected: bool
) -> None:
    start, end = marked.index("|"), marked.rindex("|") - 1
    tree = parse(marked.replace("|", ""), language)
    assert tree is not None
    assert defines_by_itself(Names(tree), Hunk(start, end, new)) is expected


@pytest.mark.parametrize(
    ("language", "marked", "new", "expected"),
    [
        ("python", "def f(a):\n    |return| g(a)\n", "found =", True),
        ("python", "def f(a):\n    |return| g(a)\n\n\nfound = 1\n", "found =", True),
        ("python", "def f(a):\n    |return| g(a)\n    return found\n", "found =", False),
        ("python", "def f(a):\n    ||g(a)\n", "found = ", True),
        ("python", "||g(a)\nprint(found)\n", "found = ", False),
        ("python", "g(||a)\n", "found=", False),
        ("python", "def f(a):\n    |b = |g(a)\n", "found = ", False),
        ("python", "def f(a):\n    |return| g(a)\n", "yield", False),
        ("typescript", "function f() {\n    |return| g();\n}\n", "const found =", True),
        ("go", "package p\n\nfunc f() int {\n\t|return| g()\n}\n", "found :=", True),
    ],
)
def test_a_value_goes_to_a_name_that_is_read(
    language: str, marked: str, new: str, expected: bool
) -> None:
    start, end = marked.index("|"), marked.rindex("|") - 1
    tree = parse(marked.replace("|", ""), language)
    assert tree is not None
    assert assigns_for_nothing(Names(tree), Hunk(start, end, new)) is expected


@pytest.mark.parametrize(
    ("language", "text", "word", "expected"),
    [
        ("go", "package p\n\nfunc f() (Cart, bool)\n", "bool", True),
        ("go", "package p\n\nfunc f() (Cart, bool)\n", "Cart", False),
        ("rust", "fn f(a: u64, b: Cart) {}\n", "u64", True),
        ("rust", "fn f(a: u64, b: Cart) {}\n", "Cart", False),
    ],
)
def test_types_of_the_language(language: str, text: str, word: str, expected: bool) -> None:
    tree = parse(text, language)
    assert tree is not None
    assert is_of_language(Names(tree), text.index(word)) is expected


@pytest.mark.parametrize(
    ("language", "text", "new", "expected"),
    [
        ("python", "class A:\n    def f(self):\n        return OLD\n", "self.clock()", True),
        ("python", "class A(B):\n    def f(self):\n        return OLD\n", "self.clock()", False),
        ("python", "class A:\n    def f(self):\n        OLD\n", "self.clock = 1", False),
        (
            "python",
            "class A:\n    clock = 1\n\n    def f(self):\n        OLD\n",
            "self.clock",
            False,
        ),
        ("python", "def f():\n    return OLD\n", "self.clock", True),
        ("python", "class A:\n    clock = 1\n\n    def f(self, a=OLD): ...\n", "self.clock", True),
        ("typescript", "class A {\n  f() { return OLD; }\n}\n", "this.clock", True),
        ("typescript", "class A extends B {\n  f() { return OLD; }\n}\n", "this.clock", False),
        ("typescript", "const f = function () { return OLD; };\n", "this.clock", False),
        ("typescript", "const f = { g: () => OLD };\n", "this.clock", False),
        ("typescript", "const a: number = OLD;\n", "this.clock", True),
        ("typescript", "const f = () => OLD;\n", "this.clock", True),
        ("go", "func (a A) f() int { return OLD }\n", "self.clock", False),
    ],
)
def test_members_that_the_class_does_not_name(
    language: str, text: str, new: str, expected: bool
) -> None:
    tree = parse(text, language)
    assert tree is not None
    start = text.index("OLD")
    assert uses_unknown_member(Names(tree), Hunk(start, start + 3, new)) is expected
