"""Lines of Django: nothing is lost between a line and its words."""

from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.errors import ReproductionError
from editcast_papers.django import canonical, make_example, read_django

_DESCRIPTIONS = (
    """return x.
if a's name is 'it', try again with "don't".
do nothing.
"""
    * 20
)
_LINES = (
    """ return x
  if name == 'it' :
pass
"""
    * 20
)


def _clone(folder: Path) -> Path:
    (folder / "django").mkdir(parents=True)
    (folder / "django" / "all.anno").write_text(_DESCRIPTIONS, "utf-8")
    (folder / "django" / "all.code").write_text(_LINES, "utf-8")
    return folder


def test_a_string_that_is_quoted_is_one_word_on_both_sides() -> None:
    example = make_example("if a's b is 'it is', or \"don't\", raise.", 'if (b == "it is") :')
    assert example is not None
    assert example.description[:9] == ("if", "a", "'", "s", "b", "is", "_STR:0_", ",", "or")
    assert example.code == ("if", "b", "==", "_STR:0_", ":")
    assert example.strings == ("it is", "don't")
    assert example.write(example.code) == "if b == 'it is' :"


def test_another_string_is_spelled_out() -> None:
    example = make_example("return it.", "return 'it \\n', b''")
    assert example is not None
    assert example.code == tuple("return ( ' it \\x20 \\n ' , b' ' )".split())
    assert example.write(example.code) == "return ( 'it\\x20\\n' , b'' )"


@given(st.text(), st.binary(), st.booleans())
def test_every_string_is_written_again(text: str, data: bytes, quoted: bool) -> None:
    line = f"f({text!r}, {data!r})"
    example = make_example(f"call f with {text!r}." if quoted else "call f.", line)
    assert example is not None
    assert canonical(example.write(example.code)) == canonical(line)
    assert example.is_right(example.code)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("else :", "else:"),
        ("elif (a) :", "elif a:"),
        ("try :", "try:"),
        ("except A as e :", "except (A) as e:"),
        ("finally :", "finally :"),
        ("@a . b", "@a.b"),
        ("def f ( a , ) :", "def f(a):"),
        ("from a import ( b , c , )", "from a import b, c"),
        ("x = [ 'a' , \"b\" , ]", "x = ['a', 'b']"),
        ("for a , b in c :", "for (a, b) in c:"),
        ("'''a'''", '"a"'),
    ],
)
def test_ways_to_write_a_line_have_one_form(line: str, other: str) -> None:
    assert canonical(line) == canonical(other) is not None


def test_another_way_to_write_a_line_is_right_and_another_line_is_not() -> None:
    example = make_example("call f with a.", "f ( a )")
    assert example is not None
    assert example.is_right(["f", "(", "a", ")"])
    assert example.is_right(["f", "(", "a", ",", ")"])
    assert not example.is_right(["f", "(", "b", ")"])
    assert not example.is_right(["f", "(", "'", "a", ")"])
    assert not example.is_right([])


def test_a_clone_is_read_with_and_without_a_work_tree(tmp_path: Path) -> None:
    folder = _clone(tmp_path / "clone")
    plain = read_django(folder)
    assert [len(part) for part in (plain.train, plain.dev, plain.test)] == [51, 3, 6]
    repository = pygit2.init_repository(tmp_path / "other")
    (tmp_path / "other" / "django").mkdir()
    for name in ("all.anno", "all.code"):
        data = (folder / "django" / name).read_bytes()
        (tmp_path / "other" / "django" / name).write_bytes(data)
    repository.index.add_all()
    author = pygit2.Signature("somebody", "somebody@example.org", 1_600_000_000, 0)
    tree = repository.index.write_tree()
    repository.create_commit("HEAD", author, author, "all", tree, [])
    assert read_django(tmp_path / "other" / ".git") == plain


def test_broken_data_are_said(tmp_path: Path) -> None:
    with pytest.raises(ReproductionError, match="all.anno.*ase15-django-dataset"):
        read_django(tmp_path)
    folder = _clone(tmp_path / "clone")
    path = folder / "django" / "all.code"
    path.write_text(_LINES + "pass\n")
    with pytest.raises(ReproductionError, match="not as many lines"):
        read_django(folder)
    path.write_text(_LINES.replace("pass", "x = (", 1))
    with pytest.raises(ReproductionError, match="Line 3 .* no Python"):
        read_django(folder)
