"""Edits that files need after others of their project were changed: texts in *.projects.

`[[old=>new]]` is what was changed in the first file, which was saved then; `{{2:old=>new}}` the
second edit that another file needs, and nothing else does. A case begins with `-- language: name`,
each of its files with `@@ its path`.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.imports import is_module
from editcast_model.consequences.other_files.module_changes import (
    MOST_CHANGES,
    ModuleChange,
    ModuleHistory,
)
from editcast_model.consequences.other_files.origins import origins
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.interface import other_save
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.tree import parse

_HEAD = re.compile(r"^-- \w+: (.*)\n", re.MULTILINE)
_FILE = re.compile(r"^@@ (.*)\n", re.MULTILINE)
_MARK = re.compile(r"\[\[(?P<typed>.*?)\]\]|\{\{(?P<order>\d+):(?P<follows>.*?)\}\}", re.DOTALL)


@dataclass(frozen=True)
class Case:
    name: str
    first: str
    changed: str
    path: str
    marked: str

    @property
    def saves(self) -> tuple[str, str]:
        return _text(self.changed, typed=False), _text(self.changed, typed=True)

    def text(self, *follows: int) -> str:
        return _text(self.marked, follows=follows)

    @property
    def numbers(self) -> list[int]:
        return sorted({int(one["order"]) for one in _MARK.finditer(self.marked) if one["order"]})


def _text(marked: str, *, typed: bool = False, follows: tuple[int, ...] = ()) -> str:
    def chosen(found: re.Match[str]) -> str:
        old, new = (found["typed"] or found["follows"]).split("=>")
        is_new = typed if found["order"] is None else int(found["order"]) in follows
        return new if is_new else old

    return _MARK.sub(chosen, marked)


def _cases() -> list[Case]:
    found = []
    for path in sorted(Path(__file__).parent.glob("*.projects")):
        parts = _HEAD.split(path.read_text(encoding="utf-8"))[1:]
        for name, files in zip(parts[::2], parts[1::2], strict=True):
            split = _FILE.split(files)[1:]
            (first, changed), *others = zip(split[::2], split[1::2], strict=True)
            found += [Case(name, first, changed, *other) for other in others]
    return found


CASES = _cases()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.path}: {one.name}")


def changed(path: str, *texts: str) -> list[ModuleChange]:
    history = ModuleHistory(path, language_of("", path) or "")
    for before, after in zip(texts, texts[1:], strict=False):
        history.save(before, after)
    change = history.change()
    return [change] if change else []


def source_of(case: Case, *saves: str) -> Consequences:
    source = Consequences("", case.path)
    for number, (before, after) in enumerate(pairwise(saves or case.saves), 1):
        save = other_save(case.first, before, after, number)
        source.add_other_save(save.file, number, save.before, save.after)
    return source


def propose(case: Case, text: str, *saves: str) -> list[Consequence]:
    elsewhere = changed(case.first, *(saves or case.saves))
    entries = entries_of(case, *saves)
    return source_of(case, *saves).propose([], text, elsewhere=elsewhere, entries=entries)


def entries_of(case: Case, *saves: str) -> EntryIndex:
    entries = EntryIndex()
    entries.put(case.first, "", (saves or case.saves)[-1])
    return entries


@every_case
def test_follows_in_order_and_nothing_else(case: Case) -> None:
    text = case.text()
    found = propose(case, text)
    assert [apply_hunks(text, [one.hunk]) for one in found] == [
        case.text(number) for number in case.numbers
    ]


@every_case
def test_one_by_one_comes_to_the_same(case: Case) -> None:
    text = case.text()
    history: list[str] = []
    source, entries = source_of(case), entries_of(case)
    elsewhere = changed(case.first, *case.saves)
    for _ in case.numbers:
        found = source.propose(history, text, elsewhere=elsewhere, entries=entries)
        history.append(text)
        text = apply_hunks(text, [found[0].hunk])
    assert text == case.text(*case.numbers)
    assert source.propose(history, text, elsewhere=elsewhere, entries=entries) == []


@every_case
def test_what_parses_does_so_with_each_and_with_all(case: Case) -> None:
    text, language = case.text(), language_of("", case.path)
    hunks = [one.hunk for one in propose(case, text)]
    if language is None:
        return
    tree = parse(text, language)
    assert tree is not None and tree.parses
    for some in [*([one] for one in hunks), sorted(hunks, key=_start)]:
        tree = parse(apply_hunks(text, some), language)
        assert tree is not None and tree.parses


def _start(hunk: Hunk) -> int:
    return hunk.start


@every_case
def test_undone_elsewhere_is_due_no_longer(case: Case) -> None:
    before, after = case.saves
    text = case.text()
    # What a file has by its new name or argument already is due the other way round.
    found = [apply_hunks(text, [one.hunk]) for one in propose(case, text, before, after, before)]
    assert not set(found) & {case.text(number) for number in case.numbers}
    assert found == [] or "by hand" in case.name or "argument" in case.name


@every_case
def test_saved_half_done_and_long_ago_it_is_due_all_the_same(case: Case) -> None:
    before, after = case.saves
    later = [after + "\n" * count for count in range(9)]
    found = propose(case, case.text(), before, after, *later)
    assert len(found) == len(case.numbers)
    if not {one.kind for one in found} & {"add_argument", "remove_argument"}:
        old = re.search(r"\[\[(\w+)=>", case.changed)
        if old:
            half = before.replace(old[1], "halfway")
            assert len(propose(case, case.text(), before, half, after)) == len(case.numbers)


@every_case
def test_what_is_being_typed_is_left_alone(case: Case) -> None:
    text = case.text()
    elsewhere = changed(case.first, *case.saves)
    source = Consequences("", case.path)
    assert source.propose([], text, elsewhere=elsewhere, active=range(0, len(text))) == []


def test_what_follows_here_comes_before_what_follows_from_elsewhere() -> None:
    elsewhere = changed("prices.py", "def tax():\n    pass\n", "def duty():\n    pass\n")
    before = "from prices import tax\n\nsize = tax()\nprint(size)\n"
    after = before.replace("size =", "width =")
    found = Consequences("", "bill.py").propose([before], after, elsewhere=elsewhere)
    assert [one.hunk.text for one in found] == ["width", "duty", "duty"]


def test_a_file_means_nothing_to_itself() -> None:
    elsewhere = changed("a.py", "def f():\n    pass\n", "def g():\n    pass\n")
    assert Consequences("", "a.py").propose([], "from a import f\n", elsewhere=elsewhere) == []


def test_a_class_and_its_member_after_each_other() -> None:
    texts = [
        f"class {name}:\n    def {method}(self):\n        pass\n"
        for name, method in (("A", "f"), ("A", "g"), ("B", "g"))
    ]
    text = "from a import A\n\none = A()\none.f()\n"
    source = Consequences("", "b.py")
    for _ in range(3):
        found = source.propose([], text, elsewhere=changed("a.py", *texts))
        text = apply_hunks(text, [found[0].hunk])
    assert text == "from a import B\n\none = B()\none.g()\n"


@pytest.mark.parametrize(
    "saves",
    [
        ("def f():\n    pass\n\n\ndef g():\n    pass\n", "def g():\n    pass\n"),
        ("def f(a):\n    return a * 2\n", "def g(text, mode):\n    print(text, mode)\n"),
        ("def f(x):\n    pass\n", "class G:\n    pass\n"),
    ],
)
def test_another_thing_in_its_place_is_not_followed(saves: tuple[str, str]) -> None:
    assert changed("a.py", *saves) == []


@pytest.mark.parametrize("text", ["def g(:\n", "\0", "", "class C", "\ud800 = 3\n"])
def test_odd_texts_tell_nothing(text: str) -> None:
    assert changed("a.py", "def f():\n    pass\n", text) == []
    assert changed("a.py", text, "f = 1\n") == []


def test_a_text_that_does_not_parse_leaves_what_was_known() -> None:
    texts = "def f():\n    pass\n", "def g():\n    pass\n", "def g(:\n    pass\n"
    history = ModuleHistory("a.py", "python")
    history.save(*texts[:2])
    known = history.change()
    history.save(*texts[1:])
    assert known is not None and history.change() == known
    history.save(texts[2], texts[0])
    back = history.change()
    assert back is not None and [(one.old, one.new) for one in back.names] == [("g", "f")]


def test_another_file_in_its_place_is_no_change_of_names() -> None:
    def text(name: str) -> str:
        return "".join(f"def {name}{i}():\n    pass\n\n\n" for i in range(MOST_CHANGES + 1))

    assert changed("a.py", text("f"), text("g")) == []


def _typed(text: str, data: st.DataObject) -> str:
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        new = data.draw(st.text("ab_x.,(){}[]=:\n \t\"'\\#*é😀\ud800\r0", max_size=5))
        text = text[:start] + new + text[end:]
    return text


@given(st.sampled_from(CASES), st.data())
def test_odd_texts_raise_nothing_and_proposals_parse(case: Case, data: st.DataObject) -> None:
    saves = [_typed(text, data) for text in case.saves]
    text, language = _typed(case.text(), data), language_of("", case.path)
    elsewhere = changed(case.first, *saves)
    imports = {
        one.bound: statement
        for one in origins(_typed(case.text(), data), "", case.first)
        if (statement := one.statement(case.path))
    }
    found = Consequences("", case.path).propose([""], text, elsewhere=elsewhere, imports=imports)
    tree = parse(text, language)
    for one in found if tree is not None and tree.parses else ():
        after = parse(apply_hunks(text, [one.hunk]), language)
        assert after is not None and after.parses


@pytest.mark.parametrize("language", ["plaintext", "html", ""])
def test_languages_without_rules(language: str) -> None:
    history = ModuleHistory("a", language)
    history.save("fn f() {}\n", "fn g() {}\n")
    assert history.change() is None


@pytest.mark.parametrize(
    ("written", "importer", "file", "language", "expected"),
    [
        (".", "a/b.py", "a/__init__.py", "python", True),
        ("..", "a/b/c.py", "a/__init__.py", "python", True),
        ("....x", "a/b.py", "x.py", "python", False),
        ("a", "b.py", "a/__init__.py", "python", True),
        ("a", "deep/down/b.py", "deep/a.py", "python", True),
        ("a", "b.py", "deep/a.py", "python", False),
        ("a.b", "c.py", "deep/a/b.pyi", "python", True),
        ("./x", "a/b.ts", "a/x.d.ts", "typescript", True),
        ("./x/index", "a/b.ts", "a/x/index.ts", "typescript", True),
        (".", "a/b.ts", "a/index.ts", "typescript", True),
        ("..", "a/b/c.js", "a/index.js", "javascript", True),
        ("../../../x", "a/b.ts", "x.ts", "typescript", False),
        ("./x", "file:///a/b.ts", "file:///a/x.ts", "typescript", True),
        ("..x", "file:///a/b/c.py", "file:///a/x.py", "python", True),
        ("x", "a/b.ts", "a/x.ts", "typescript", False),
        ("~/x", "a/b.ts", "src/x.vue", "typescript", False),
        ("log", "a/b.go", "log/c.go", "go", False),
        ("m/log", "a/b.go", "log/c.go", "go", True),
        ("m/log", "b.go", "c.go", "go", False),
    ],
)
def test_modules(written: str, importer: str, file: str, language: str, expected: bool) -> None:
    assert is_module(written, importer, file, language) is expected


def test_an_error_in_one_file_is_no_error_of_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a rule that is wrong")

    monkeypatch.setattr(ModuleHistory, "_take_names", fail)
    history = ModuleHistory("a.py", "python")
    history.save("def f(): ...\n", "def g(): ...\n")
    assert history.change() is None and history.change() is None
    assert [one.levelname for one in caplog.records] == ["ERROR"]


@pytest.mark.parametrize(("end", "count"), [("", 0), (".decode()", 1)])
def test_a_call_that_was_taken_away_stays_in_other_files(end: str, count: int) -> None:
    before = "def f(a):\n    return as_text(a[0])\n\ndef g(a):\n    return as_text(a[1])\n"
    after = before.replace("as_text(", "").replace("])", f"]{end}")
    source = Consequences("python", "b.py")
    source.add_other_save("a.py", 1, before, after)
    assert len(source.propose([], "print(as_text(name))\n")) == count


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"HookSender": "from senders import HookSender"}, ["        return HookSender()\n"]),
        ({"Hook": "from senders import Hook"}, []),
    ],
)
def test_an_entry_may_use_what_can_be_imported(
    imports: dict[str, str], expected: list[str]
) -> None:
    text = (
        "from channels import Channel\nfrom senders import MailSender, PushSender, TextSender\n\n\n"
        "def sender(channel: Channel):\n    if channel:\n        pass\n    match channel:\n"
        + "".join(
            f"        case Channel.{one.upper()}:\n            return {one}Sender()\n"
            for one in ("Mail", "Text", "Push")
        )
        + "        case _:\n            fail()\n"
    )
    members = 'class Channel(Enum):\n    MAIL = "mail"\n    TEXT = "text"\n    PUSH = "push"\n'
    change = changed("channels.py", members, members + '    HOOK = "hook"\n')
    found = Consequences("python", "a.py").propose([], text, elsewhere=change, imports=imports)
    assert [one.hunk.text.partition("\n    ")[2] for one in found] == expected
