"""Refactorings leave code that parses, are the same by seed, and do what their names say."""

import ast
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from editcast_model.diff import apply_hunks
from editcast_training.augment.refactorings import KINDS, MOST_PLACES, refactorings
from editcast_training.augment.syntax_tree import Source
from editcast_training.data.line_changes import line_changes

_OWN = sorted((Path(__file__).parents[3] / "model").rglob("*.py"))

_CODE = '''\
import os
from shutil import copyfile

WIDTH = 80


def fetch(address, timeout, retries=3):
    """é: offsets are not bytes."""
    result = open_address(address, timeout)
    print("%s: %d" % (address, timeout))
    return wrap_all(result, timeout)


class Client:
    def get(self, address):
        self.count = self.count + 1
        return fetch(address, 10)

    def post(self, address, body):
        self.count += 1
        copyfile(address, body)
        return fetch(address, 20, retries=5)


TABLE = [
    "alpha",
    "beta",
    "gamma",
    "delta",
]
print(os.path.join("a", "b"), os.getcwd())
print(str(WIDTH), str(TABLE))
'''


def _made(kind: str) -> list[str]:
    """Return what a kind makes of the code above, by many seeds."""
    source = Source(_CODE)
    made = []
    for seed in range(60):
        hunks = sorted(set(KINDS[kind][0](source, Random(seed))), key=lambda hunk: hunk.start)
        if hunks:
            made.append(apply_hunks(_CODE, hunks))
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_applies_and_parses(kind: str) -> None:
    made = _made(kind)
    assert made
    for text in made:
        ast.parse(text)
        assert "é: offsets are not bytes." in text


def test_a_parameter_is_renamed_with_its_uses() -> None:
    made = _made("rename in a function")
    renamed = [text for text in made if not re.search(r"\btimeout\b", text)]
    assert renamed
    for text in renamed:
        (name,) = {
            argument.arg
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and node.name == "fetch"
            for argument in node.args.args[1:2]
        }
        assert f"open_address(address, {name})" in text
        assert f"wrap_all(result, {name})" in text
        assert f"(address, {name}))" in text


def test_a_parameter_goes_with_what_was_given_for_it() -> None:
    made = _made("remove a parameter")
    assert any("def fetch(timeout, retries=3)" in text and "fetch(10)" in text for text in made)
    assert any(
        "def fetch(address, timeout)" in text and "fetch(address, 20)\n" in text for text in made
    )


def test_an_import_is_changed_with_its_uses() -> None:
    assert any(
        "import shutil\n" in text and "shutil.copyfile(address, body)" in text
        for text in _made("import the module")
    )
    assert any(
        "from os import getcwd, path\n" in text and '(path.join("a", "b"), getcwd())' in text
        for text in _made("import names")
    )


def test_strings_become_f_strings() -> None:
    assert all('print(f"{address}: {timeout}")' in text for text in _made("f-strings"))


def test_an_argument_in_an_f_string_ends_no_string() -> None:
    code = 'def sized(name):\n    return name\n\nprint(f"/({sized(1)})/", sized(2))\n'
    for seed in range(200):
        for _, after in refactorings(code, Random(seed), 8):
            ast.parse(after)


def test_a_star_is_not_left_behind_without_parameters() -> None:
    code = "def sized(name, *, width):\n    return name\n\n\nsized(1, width=2)\nsized(3, width=4)\n"
    for seed in range(200):
        for _, after in refactorings(code, Random(seed), 8):
            ast.parse(after)


def test_typed_parameters_that_take_all_the_rest_keep_their_place() -> None:
    code = (
        "def sized(name: str, *rest: int, **given: int) -> str:\n    return name\n\n\n"
        "def told(name: str, **given: int) -> str:\n    return name\n\n\n"
        "sized(1, 2, width=2)\nsized(3, 4, width=4)\ntold(1, width=2)\ntold(3, width=4)\n"
    )
    for seed in range(200):
        for _, after in refactorings(code, Random(seed), 8):
            ast.parse(after)


def test_a_name_that_is_bound_elsewhere_is_not_imported_again() -> None:
    code = (
        "import dataclasses\nfrom tree import Tree, field\n\n\n"
        "def sized(name):\n    return dataclasses.field(name), field(name), Tree(name)\n"
    )
    for seed in range(200):
        for kind, _ in refactorings(code, Random(seed), 1):
            assert kind != "import names"


def test_an_import_of_a_name_that_another_import_binds_stays() -> None:
    code = "from a import field\nfrom tree import Tree, field\n\nsized = field(Tree)\n"
    for seed in range(200):
        for _, after in refactorings(code, Random(seed), 8):
            ast.parse(after)


def test_real_files_still_parse_after_many() -> None:
    kinds: Counter[str] = Counter()
    for number, path in enumerate(_OWN):
        before = path.read_text("utf-8")
        for kind, after in refactorings(before, Random(number), 8):
            ast.parse(after)
            changes = line_changes(before, after)
            assert 0 < len(changes) <= MOST_PLACES
            kinds[kind] += 1
            before = after
    assert len(kinds) > 10
    assert kinds.total() > 4 * len(_OWN)


@pytest.mark.parametrize("seed", range(40))
def test_quotes_within_an_f_string_stay(seed: int) -> None:
    text = 'a = \'one\'\nb = f\'import {"type " if a else ""}\'\nc = "two"\n'
    for _, after in refactorings(text, Random(seed), 3):
        ast.parse(after)


def test_the_seed_decides() -> None:
    one, again, other = (list(refactorings(_CODE, Random(seed), 10)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize("text", ["", "\n\n", "def f(:\n", "x = 1\n", "\ud7ff = 'x\n"])
def test_what_cannot_be_refactored_is_left(text: str) -> None:
    assert list(refactorings(text, Random(0), 3)) == []
