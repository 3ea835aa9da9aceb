"""Everyday edits and what follows from them, as marked texts in *.cases.

`[[old=>new]]` is what was typed, `{{2:old=>new}}` the second edit that follows from it, and nothing
else does. A case begins with `-- language: name`. In *.chains each edit follows from those
before it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.consequences.consequences import MOST_CHARACTERS, Consequences
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import parse

_HEAD = re.compile(r"^-- (\w+): (.*)\n", re.MULTILINE)
_MARK = re.compile(r"\[\[(?P<typed>.*?)\]\]|\{\{(?P<order>\d+):(?P<follows>.*?)\}\}", re.DOTALL)


@dataclass(frozen=True)
class Case:
    name: str
    language: str
    marked: str

    def text(self, *, typed: bool, follows: frozenset[int] = frozenset()) -> str:
        def chosen(found: re.Match[str]) -> str:
            old, new = (found["typed"] or found["follows"]).rsplit("=>", 1)
            is_new = typed if found["order"] is None else int(found["order"]) in follows
            return new if is_new else old

        return _MARK.sub(chosen, self.marked)

    @property
    def numbers(self) -> list[int]:
        return sorted({int(one["order"]) for one in _MARK.finditer(self.marked) if one["order"]})


def _cases(suffix: str) -> list[Case]:
    found = []
    for path in sorted(Path(__file__).parent.glob(f"*.{suffix}")):
        parts = _HEAD.split(path.read_text(encoding="utf-8"))[1:]
        found += [
            Case(name, language, marked.rstrip("\n") + "\n")
            for language, name, marked in zip(*[iter(parts)] * 3, strict=True)
        ]
    return found


CASES, CHAINS = _cases("cases"), _cases("chains")
every_case = pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.language}: {one.name}")


def propose(
    case: Case, *history: str, source: Consequences | None = None, **others: object
) -> list[Consequence]:
    source, entries = source or Consequences(case.language), EntryIndex()
    entries.put("a", case.language, history[-1])
    return source.propose(history[:-1], history[-1], entries=entries, **others)  # type: ignore[arg-type]


@every_case
def test_follows_in_order_and_nothing_else(case: Case) -> None:
    before, typed = case.text(typed=False), case.text(typed=True)
    found = propose(case, before, typed)
    expected = [case.text(typed=True, follows=frozenset({number})) for number in case.numbers]
    assert [apply_hunks(typed, [one.hunk]) for one in found] == expected


@every_case
def test_after_all_nothing_is_left(case: Case) -> None:
    before, typed = case.text(typed=False), case.text(typed=True)
    done = case.text(typed=True, follows=frozenset(case.numbers))
    assert propose(case, before, typed, done) == []
    assert propose(case, before, done) == []


@every_case
def test_one_by_one_comes_to_the_same(case: Case) -> None:
    before, text = case.text(typed=False), case.text(typed=True)
    made = Consequences(case.language)
    for _ in case.numbers:
        found = propose(case, before, text, source=made)
        assert found
        text = apply_hunks(text, [found[0].hunk])
    assert text == case.text(typed=True, follows=frozenset(case.numbers))
    assert propose(case, before, text, source=made) == []


@pytest.mark.parametrize("case", CHAINS, ids=lambda one: f"{one.language}: {one.name}")
def test_one_follows_from_those_before(case: Case) -> None:
    before, text = case.text(typed=False), case.text(typed=True)
    made = Consequences(case.language)
    cursor = None
    for number in case.numbers:
        found = propose(case, before, text, source=made, cursor=cursor)
        assert found
        text = apply_hunks(text, [found[0].hunk])
        cursor = found[0].hunk.start + len(found[0].hunk.text)
        assert text == case.text(typed=True, follows=frozenset(range(1, number + 1)))
    assert propose(case, before, text, source=made) == []


@every_case
def test_what_parses_does_so_with_each_and_with_all(case: Case) -> None:
    before, typed = case.text(typed=False), case.text(typed=True)
    found = propose(case, before, typed)
    for hunks in [[one.hunk] for one in found] + [sorted((one.hunk for one in found), key=_start)]:
        tree = parse(apply_hunks(typed, hunks), case.language)
        assert tree is not None and tree.parses


@every_case
def test_undone_proposes_nothing(case: Case) -> None:
    before, typed = case.text(typed=False), case.text(typed=True)
    assert propose(case, before, typed, before) == []
    assert propose(case, before, before) == []


@every_case
def test_what_is_being_typed_is_not_copied(case: Case) -> None:
    before, typed = case.text(typed=False), case.text(typed=True)
    found = propose(case, before, typed, active=range(0, len(typed)))
    assert found == []


@every_case
def test_crlf(case: Case) -> None:
    before, typed = (case.text(typed=new).replace("\n", "\r\n") for new in (False, True))
    found = propose(case, before, typed)
    assert len(found) == len(case.numbers)


def _start(hunk: Hunk) -> int:
    return hunk.start


def test_a_name_typed_in_several_small_changes_is_one_rename() -> None:
    texts = [
        f"def f({name}):\n    return width\n" for name in ("width", "widt", "", "b", "breadth")
    ]
    (found,) = Consequences("python").propose(texts[:-1], texts[-1])
    assert apply_hunks(texts[-1], [found.hunk]) == "def f(breadth):\n    return breadth\n"


def test_a_rename_that_was_saved_half_done_is_finished() -> None:
    texts = [
        "x = 1\nprint(x)\nuse(x)\n",
        "size = 1\nprint(x)\nuse(x)\n",
        "size = 1\nprint(size)\nuse(x)\n",
        "size = 1\nprint(size)\nuse(x)\n\n\nmore()\n",
    ]
    (found,) = Consequences("python").propose(texts[:-1], texts[-1])
    assert (found.hunk, found.kind) == (Hunk(25, 26, "size"), "rename_use")


def test_an_error_that_a_function_of_a_test_no_longer_throws() -> None:
    text = (
        "function find(id) {\n  if (!rows[id]) {\n    throw new Missing(id);\n  }\n"
        "  return rows[id];\n}\n\nexpect(() => find(3)).toThrow(Missing);\n"
    )
    after = text.replace("throw new Missing(id)", "return null")
    (found,) = Consequences("javascript").propose([text], after)
    assert "expect(find(3)).toBeNull();" in apply_hunks(after, [found.hunk])


def test_a_half_typed_text_that_does_not_parse_proposes_nothing() -> None:
    before = "def f(a):\n    return a\n"
    assert Consequences("python").propose([before], "def f(b:\n    return a\n") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("found = any(one.start for one in )\n", "found = any(.start for one in )\n"),
        ("others[-].forget()\n", "[-].()\n"),
    ],
)
def test_a_rewrite_around_something_that_is_not_written_yet(before: str, after: str) -> None:
    rest = "more()\n" + before
    assert Consequences("python").propose([before + rest], after + rest) is not None


def test_the_definition_comes_first_then_below_then_above() -> None:
    before = "a = 1\nf(a)\ng(a)\nh(a)\ni(a)\n"
    after = before.replace("h(a)", "h(b)")
    found = Consequences("python").propose([before], after)
    assert [one.hunk.start for one in found] == [0, before.index("i(") + 2, 13, 8]
    assert [one.kind for one in found] == 4 * ["rename_definition"]


def test_an_import_that_another_file_has() -> None:
    before = "import os\n\nx = 1\n"
    after = before + "y = Path(x)\n"
    imports = {"Path": "from pathlib import Path", "os": "import os"}
    (found,) = Consequences("python").propose([before], after, imports=imports)
    assert apply_hunks(after, [found.hunk]).startswith("import os\nfrom pathlib import Path\n\n")
    assert found.kind == "import_missing"


@pytest.mark.parametrize("language", ["plaintext", "php", "markdown", "nothing"])
def test_languages_without_rules(language: str) -> None:
    assert Consequences(language).propose(["let a = 1; a"], "let b = 1; a") == []


def test_the_suffix_says_the_language() -> None:
    before = "a = 1\nprint(a)\n"
    after = "b = 1\nprint(a)\n"
    assert Consequences("", "x.py").propose([before], after)


def test_too_long() -> None:
    rest = f"print(a)\n# {'x' * MOST_CHARACTERS}\n"
    assert Consequences("python").propose(["a = 1\n" + rest], "b = 1\n" + rest) == []


@given(st.sampled_from(CASES), st.data())
def test_odd_texts_raise_nothing_and_proposals_parse(case: Case, data: st.DataObject) -> None:
    before, text = case.text(typed=False), case.text(typed=True)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        new = data.draw(st.text("ab_x.,(){}[]=:\n \t\"'\\#é😀\ud800\r0", max_size=5))
        text = text[:start] + new + text[end:]
    found = Consequences(case.language).propose([before], text)
    tree = parse(text, case.language)
    assert tree is not None
    for one in found:
        after = tree.reparsed(apply_hunks(text, [one.hunk]))
        assert after is not None and (after.parses or not tree.parses)


@given(st.sampled_from(CASES), st.data())
def test_a_rename_in_what_does_not_parse_raises_nothing(case: Case, data: st.DataObject) -> None:
    text = case.text(typed=False)
    text = text[data.draw(st.integers(0, len(text) // 2)) :]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 20)))
        new = data.draw(st.sampled_from(list("(){}[]\n :=,.'\"`") + ["func", "class", "=>"]))
        text = text[:start] + new + text[end:]
    words = re.findall(r"[a-z]\w*", text)
    if words:
        word = data.draw(st.sampled_from(words))
        Consequences(case.language).propose([text], text.replace(word, f"{word}z", 1))


@every_case
def test_empty_brackets_raise_nothing(case: Case) -> None:
    """As in Go's `func () Get`, whose receiver is about to be typed."""
    before = case.text(typed=True)
    made = Consequences(case.language)
    for found in re.finditer(r"\([^()]+\)", before):
        made.propose([before], before[: found.start() + 1] + before[found.end() - 1 :])


_NAMES = st.sampled_from(["a", "b", "value", "x"])


@st.composite
def _functions(draw: st.DrawFn) -> tuple[str, str, str]:
    """A Python function, one of its names, and a name that is not in it."""
    lines = [f"def f({draw(_NAMES)}, y=1):"]
    for _ in range(draw(st.integers(1, 6))):
        one, two, three = draw(_NAMES), draw(_NAMES), draw(_NAMES)
        kinds = [
            f"{one} = {two} + y",
            f"print({one}, {two}.{three}, '{one}', k={two})",
            f"[{one} for {one} in {two} if {three}]",
            f"(lambda {one}, q={two}: {one} + {three})(1)",
            f"for {one} in {two}: print({three})",
            f"{one} += {two}",
        ]
        lines.append("    " + draw(st.sampled_from(kinds)))
    text = "\n".join(lines) + "\n"
    return text, draw(_NAMES), "renamed"


@given(_functions())
def test_a_rename_leaves_no_more_unresolved_names_than_there_were(
    made: tuple[str, str, str],
) -> None:
    before, old, new = made
    start = before.index("(") + 1
    old = before[start : before.index(",")]
    text = before[:start] + new + before[start + len(old) :]
    found = Consequences("python").propose([before], text)
    after = apply_hunks(text, sorted((one.hunk for one in found), key=_start))
    tree = parse(after, "python")
    assert tree is not None and tree.parses
    assert Consequences("python").propose([before], after) == []
    assert _unresolved(after) <= _unresolved(before)


def _unresolved(text: str) -> set[str]:
    tree = parse(text, "python")
    assert tree is not None
    names = Names(tree)
    words = {word for word in re.findall(r"\w+", text)}
    return {
        word
        for word in words
        for one in names.of(word)
        if one.role is Role.REFERENCE and not names.is_known(one, word)
    }


def test_what_was_written_since_is_not_rewritten() -> None:
    first = "const a = f(one.x);\nconst b = f(one.y);\n"
    example = first.replace("f(one.x)", "one.x").replace("f(one.y)", "dark ? 1 : one.y")
    text = example.replace("dark ? 1 : one.y", "f(one.y)")
    assert Consequences("typescript").propose([first, example], text) == []
    assert Consequences("typescript").propose([first], text) != []


def test_a_save_of_another_file_that_only_indents() -> None:
    consequences = Consequences("python")
    before = "def f():\n    if a:\n        b(c)\n        d(e)\n"
    consequences.add_other_save("b.py", 1, before, before.replace("    ", "  "))
    consequences.add_other_save("c.py", 2, "    b(c)\n", "b(c)\n")
    assert consequences.propose(["b(c)\n"], "b(d)\n") == []


def test_calls_of_a_coroutine_in_a_list_are_awaited_at_once() -> None:
    before = (
        "function load(file) {\n  return read(file);\n}\n\n"
        "async function all(files) {\n  return sorted(files.map((file) => load(file)));\n}\n"
    )
    text = f"async {before}"
    (one,) = Consequences("javascript").propose([before], text)
    after = apply_hunks(text, [one.hunk])
    assert "return sorted(await Promise.all(files.map((file) => load(file))));" in after
    assert Consequences("javascript").propose([before], after) == []
