"""The filters, as a table of changes that nobody wants."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.filters import EditContext, reason_against, word_at
from editcast_model.syntax.breaking import breaks

TEXT = "def f(x):\n    return x\n\n\ndef g(y):\n    return y\n"


def reason(after: str, *saves: str, before: str = TEXT) -> str | None:
    """Against turning `before` into `after`; it was reached by these saves."""
    return reason_against(shortest_hunk(before, after), EditContext.of([*saves, before], "python"))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (TEXT.replace("return x", "return x + 1"), None),
        (TEXT, "changes nothing"),
        (TEXT.replace("\n\n\n", "\n\n"), "changes only white space"),
        (TEXT.replace("return x", "return  x"), "changes only white space"),
        (TEXT.replace("return x", "return (x"), "breaks what can be parsed"),
        (TEXT.replace("def g(y):\n", "def g(y)\n"), "breaks what can be parsed"),
    ],
)
def test_reasons(after: str, expected: str | None) -> None:
    assert reason(after) == expected
    assert EditContext(TEXT, "python").accepts(shortest_hunk(TEXT, after)) is (expected is None)


def test_a_replacement_by_the_same_changes_nothing() -> None:
    assert reason_against(Hunk(4, 5, "f"), EditContext(TEXT, "python")) == "changes nothing"


@pytest.mark.parametrize(
    ("opened", "after", "expected"),
    [
        ("print(os.sep, re.I)\n", "import re\n", None),
        ("print(os.sep, re.I)\n", "import os\n", "changes only imports"),
        ("print(sys.path, re.I)\n", "import re\n", "changes only imports"),
        ("print(os.sep, re.I)\n", "import re\nimport sys\n", "changes only imports"),
    ],
)
def test_an_import_goes_with_its_last_use(opened: str, after: str, expected: str | None) -> None:
    head, left = "import os\nimport re\n", "print(re.I)\n"
    assert reason(after + left, head + opened, before=head + left) == expected


def test_one_of_several_imported_names_goes_with_its_last_use() -> None:
    opened = "from os import path, sep\n\n\ndef f(a):\n    yield from path.split(a + sep)\n"
    split = opened.replace("path.split(a + sep)", "a.split(sep)")
    assert reason(split.replace("path, ", ""), opened, before=split) is None
    assert reason(split.replace(", sep", ""), opened, before=split) == "changes only imports"
    saves = [split.replace("f(a)", f"f({at})") for at in "bcdefg"]
    later = saves.pop()
    assert reason(later.replace("path, ", ""), opened, *saves[:2], before=later) is None
    assert reason(later.replace("path, ", ""), opened, split, *saves, before=later) is not None


@pytest.mark.parametrize("path", ["./Old", "./components/Old"])
def test_an_imported_component_goes_with_its_last_use(path: str) -> None:
    head = f"import {{ useState }} from 'react';\nimport {{ Old }} from '{path}';\n"
    opened, text = (f"{head}export const components = {one};\n" for one in ("<Old />", "null"))
    context = EditContext.of([opened, text], "typescriptreact")
    assert reason_against(Hunk(text.index("import { Old"), len(head), ""), context) is None
    assert reason_against(Hunk(0, text.index("import { Old"), ""), context) is not None


def test_an_imported_name_that_begins_as_the_one_before_it_goes_with_its_last_use() -> None:
    opened = "from users import User, UserNotFound, UserId\n\na: User, UserId = UserNotFound\n"
    used = opened.replace("= UserNotFound", "= None")
    assert reason(used.replace(" UserNotFound,", ""), opened, before=used) is None


def test_white_space_is_for_those_who_are_at_it() -> None:
    blanks = "a = 1  \nb = 2  \nc = 3\n"
    tidied = "a = 1\nb = 2  \nc = 3\n"
    after = "a = 1\nb = 2\nc = 3\n"
    assert reason(after, blanks, before=tidied) is None
    assert reason(after, blanks.replace("1  ", "2  "), before=tidied) == "changes only white space"
    assert reason(after, before=tidied) == "changes only white space"


def test_nobody_wants_white_space_on_an_empty_line() -> None:
    code = "if a:\n  b = 2\n\n  c = 3\n"
    indented = code.replace("  b", "    b")
    padded = indented.replace("\n\n", "\n    \n")
    assert reason(indented.replace("  c", "    c"), code, before=indented) is None
    assert reason(padded, code, before=indented) == "changes only white space"


def test_what_breaks_elsewhere_after_a_save() -> None:
    mended = TEXT.replace("return x", "return (x)")
    broken = mended.replace("return y", "return (y")
    assert reason(broken, TEXT, before=mended) == "breaks what can be parsed"


@pytest.mark.parametrize(
    ("saved_before", "after", "undoes"),
    [
        # The last save wrote `y` where `z` was.
        (TEXT.replace("return y", "return z"), TEXT.replace("return y", "return z"), True),
        (TEXT.replace("return y", "return z"), TEXT.replace("return y", "return w"), False),
        (TEXT.replace("return y", "return z"), TEXT.replace("(y)", "(z)"), False),
        # It changed two places; one of them would go back.
        (
            TEXT.replace("return", "yield"),
            TEXT.replace("return x", "yield x"),
            True,
        ),
        # It inserted lines; deleting some of them is no undoing, deleting all of them is.
        ("def g(y):\n    return y\n", "def g(y):\n    return y\n", True),
        ("def g(y):\n    return y\n", TEXT.replace("def f(x)", "def f()"), False),
        (None, TEXT.replace("return x", "return y"), False),
    ],
)
def test_what_undoes_the_last_save(saved_before: str | None, after: str, undoes: bool) -> None:
    saves = [] if saved_before is None else [saved_before]
    assert reason(after, *saves) == ("undoes the last save" if undoes else None)


CLASS = "class A:\n    def f(self):\n        return (1,\n                2)\n\n    x = 1\n"


SENDS = "class A {\n  async Task Go() {\n    Send();\n  }\n}\n"
LOADS = "function all() {\n  return [load()];\n}\n"


@pytest.mark.parametrize(
    ("language", "before", "after", "broken"),
    [
        ("python", TEXT, TEXT.replace("x):", "x:"), True),
        ("python", TEXT, TEXT.replace("x):", "x, z):"), False),
        ("python", TEXT + "\ndef h(:\n", TEXT.replace("x):", "x:") + "\ndef h(:\n", True),
        ("python", "def h(:\n", "def i(:\n", False),  # it did not parse before
        ("python", CLASS, CLASS.replace("2)", "2"), True),
        ("python", CLASS, CLASS.replace("(1,", "(1, 3,"), False),
        ("python", CLASS, CLASS.replace("    x = 1", "  x = 1"), True),
        ("python", '"""\nprose here\n"""\n', '"""\nprose is here\n"""\n', False),
        ("python", "@deco\ndef f():\n    pass\n", "@deco(\ndef f():\n    pass\n", True),
        ("python", "if x:\n    a()\nelse:\n    b()\n", "if x:\n    a()\nelse\n    b()\n", True),
        ("python", "if x:\n    a()\nelse:\n    b()\n", "if x:\n    a()\nelse:\n    c()\n", False),
        ("python", "a = 1\n", "a = '\\d'\n", False),  # a warning at most
        ("python", "a = 1\n", "a = '\x00'\n", True),
        ("python", "a = (1)\n", "a = " + "(" * 5000 + "1" + ")" * 5000 + "\n", True),
        ("python", TEXT, TEXT.replace("return x", "return await x"), True),
        ("python", f"async {TEXT}", f"async {TEXT}".replace("return x", "return await x"), False),
        ("python", "a = f()\n", "a = await f()\n", False),  # as in a notebook
        ("python", "for a in b:\n    break\n", "if a in b:\n    break\n", True),
        ("python", TEXT, TEXT.replace("(x)", "(x, x)"), True),
        ("python", TEXT.replace("x\n", "await x\n"), TEXT.replace("x\n", "await (x\n"), True),
        ("typescript", LOADS, LOADS.replace("load()", "await load()"), True),
        ("typescript", f"async {LOADS}", f"async {LOADS}".replace("load()", "await load()"), False),
        ("csharp", SENDS, SENDS.replace("Send()", "await Send()"), False),
        ("rust", "async fn f() { g(); }\n", "async fn f() { g().await; }\n", False),
        ("typescript", "const a = f();\n", "const a = await f();\n", False),
        ("typescript", "// await it\n" + LOADS, "// do await it\n" + LOADS, False),
        ("c", "int f(int x) { return x; }", "int f(int x { return x; }", True),
        ("c", "int f(int x) { return x; }", "int f(int y) { return y; }", False),
        ("c", "int f(int x { return x; }", "int f(int y { return y; }", False),
        ("json", '{"a": [1, 2]}', '{"a": [1, 2}', True),
        ("json", '{"a": 2000}\n', '{"a": 2_000}\n', True),
        ("json", '{"a": 1}\n', '{"a": 1,}\n', True),
        ("json", '{"a": 1}\n', '{"b": 1}\n', False),
        ("json", '{"a": 1} // as in tsconfig\n', '{"a": 1,} // as in tsconfig\n', False),
        ("json", "[" * 100_000, "[" * 100_001, False),
        ("toml", "a = 2000\n", "a = 2_000\n", False),
        ("toml", 'a = "b"\n', "a = b\n", True),
        ("toml", "a = 1\nb = 2\n", "a = 1\na = 2\n", True),
        ("markdown", "1) one", "1) one (and", False),
        ("plaintext", "(a)", "(a", False),
    ],
)
def test_what_breaks_code(language: str, before: str, after: str, broken: bool) -> None:
    assert breaks(before, shortest_hunk(before, after), language) is broken


METHODS = """import os

class A:
    x = 1

    @property
    def f(
        self, a=(1,
                 2),
    ):
        if a:
            return [a,
    2]

        def inner():
            pass
        return inner

    async def g(self): return 1
    y = 2

    def h(self):
        return None
# a comment
    z = 3

def top(x):
    return x
"""
HUNKS = st.builds(
    lambda start, size, text: Hunk(start, min(start + size, len(METHODS)), text),
    st.integers(0, len(METHODS)),
    st.integers(0, 12),
    st.text(st.sampled_from("ax =1():,[]\n    "), max_size=6),
)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(hunk=HUNKS)
@example(hunk=Hunk(METHODS.index("def top"), METHODS.index("    return x\n"), ""))
@settings(max_examples=500)
def test_a_function_by_itself_breaks_as_the_whole_text_does(hunk: Hunk) -> None:
    def parses(text: str) -> bool:
        try:
            compile(text, "", "exec")
        except SyntaxError:
            return False
        return True

    assert parses(METHODS)
    assert breaks(METHODS, hunk, "python") is not parses(hunk.apply(METHODS))


@pytest.mark.filterwarnings("error")
def test_code_is_parsed_without_warnings() -> None:
    assert not breaks("a = '\\d'\n", Hunk(0, 1, "b"), "python")


IMPORTS = "import os\nimport re\n\n\ndef f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("after", "saved_before", "expected"),
    [
        (IMPORTS.replace("import re\n", "import re\nimport sys\n"), "", "changes only imports"),
        (IMPORTS.replace("import re\n", "import re\nimport sys\n"), "import os", None),
        (IMPORTS.replace("import re\n", ""), "", "changes only imports"),
        (IMPORTS.replace("import re", "import math").replace("x", "y"), "", None),
        (IMPORTS.replace("return x", "return x + 1"), "", None),
    ],
)
def test_changes_of_imports_alone(after: str, saved_before: str, expected: str | None) -> None:
    before = IMPORTS.replace(saved_before, "") if saved_before else IMPORTS + "x = 1\n"
    assert reason(after, before, before=IMPORTS) == expected


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("f() // why\n", "why", "why;", "spoils a comment"),
        ("f() // why\n", "()", "();", None),
        ("f() // why\n", "why", "why not", None),
        ("// a/b/c.js\nf()\n", "//", "/", "spoils a comment"),
        ("// a/b/c.js\nf()\n", "// a/b/c.js\n", "", None),
        ("// a/b/c.js\nf()\n", "b/", "b", None),
        ("// a / b\nf()\n", "a / b", "a  b", None),
        ("x = a / b\n", " / b", "  b", "breaks what can be parsed"),
    ],
)
def test_a_comment_is_not_spoiled(text: str, old: str, new: str, expected: str | None) -> None:
    after = text.replace(old, new)
    context = EditContext.of([text], "typescript")
    assert reason_against(shortest_hunk(text, after), context) == expected


@pytest.mark.parametrize(
    ("language", "text", "old", "new", "is_refused"),
    [
        ("python", 'log(f"no {name}")\n', 'f"', '"', True),
        ("python", 'log(f"no {name}")\n', 'f"no {name}"', '"no {name}"', True),
        ("python", 'log(f"no {name}")\n', 'f"no {name}"', '"no %s", name', False),
        ("python", 'log(f"no name")\n', 'f"', '"', False),
        ("python", 'log(f"no {{name}}")\n', 'f"', '"', False),
        ("python", 'log(f"no", {name})\n', 'f"', '"', False),
        ("csharp", 'Log($"no {name}");\n', '$"', '"', True),
        ("csharp", 'Log($"no name");\n', '$"', '"', False),
    ],
)
def test_placeholders_keep_their_values(
    language: str, text: str, old: str, new: str, is_refused: bool
) -> None:
    context = EditContext.of([text], language)
    refused = reason_against(shortest_hunk(text, text.replace(old, new)), context)
    assert refused == ("leaves placeholders without their values" if is_refused else None)


@pytest.mark.parametrize(
    ("language", "old", "new", "is_dropped"),
    [
        ("typescript", "  f();\n  g();", "  // f();\n  // g();", True),
        ("typescript", "  // f();\n", "  f();\n", True),
        ("typescript", "  // f();\n", "  /* f(); */\n", True),
        ("typescript", "  f();\n", "  // f();\n  g();\n", False),
        ("typescript", "  // f();\n", "", False),
        ("typescript", "  f();\n", "  f(); // later\n", False),
        ("vue", "  <p>a</p>\n", "  <!-- <p>a</p> -->\n", True),
        ("python", "f()\n", "# f()\n", True),
        ("python", "f()\n", "f()  # pragma: no cover\n", False),
        ("css", "#header {\n", "header {\n", False),
    ],
)
def test_marks_of_comments_alone_are_not_moved(
    language: str, old: str, new: str, is_dropped: bool
) -> None:
    context = EditContext.of([f"a\n{old}b\n"], language)
    hunk = shortest_hunk(context.text, f"a\n{new}b\n")
    assert (reason_against(hunk, context) == "changes only marks of comments") is is_dropped


def test_what_was_imported_is_not_imported_again() -> None:
    before = "import os\nfrom a import b\nimport re\n\nb(os, re)\n"
    text = before.replace("from a import b", "import a")
    again = text.replace("import re", "from a import b\nimport re")
    expected = "imports again what the last save removed"
    assert reason(again, before, before=text) == expected
    other = text.replace("import re", "from c import b\nimport re")
    assert reason(other, before, before=text) is None


def test_what_would_bring_back_an_earlier_text() -> None:
    earlier = TEXT.replace("return x", "return x + 1")
    between = TEXT.replace("return y", "return y + 1")
    assert reason(earlier, earlier, between) == "undoes an edit"
    assert reason(TEXT.replace("return x", "return x + 2"), earlier, between) is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("price", "amount", "undoes an edit"),
        ("price", "amount * 2", "undoes an edit"),
        ("price", "2 * amount", "undoes an edit"),
        ("price", "amounts", None),
        ("price", "(price)", None),
        ("price", "rate", None),
        ("", "amount * ", None),
    ],
)
def test_what_would_bring_back_a_word_with_more(old: str, new: str, expected: str | None) -> None:
    text = "def double(price):\n    return price * 2\n"
    earlier = text.replace("return price", "return amount")
    at = text.rindex("price")
    context = EditContext(text, "python", texts=frozenset({hash(earlier), hash(text)}))
    assert reason_against(Hunk(at, at + len(old), new), context) == expected


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        (Hunk(15, 18, "on"), "copies what is being typed"),
        (Hunk(15, 18, "(on)"), "copies what is being typed"),
        (Hunk(15, 18, "only"), None),
        (Hunk(8, 8, "ion"), None),  # goes on with it
        (Hunk(0, 3, "two"), None),
    ],
)
def test_a_word_that_is_being_typed_is_copied_nowhere(hunk: Hunk, expected: str | None) -> None:
    text = "one = on\ntwo = one\n"
    typed = word_at(text, 8)
    assert text[typed.start : typed.stop] == "on"
    assert reason_against(hunk, EditContext(text, typed=typed)) == expected
    assert reason_against(hunk, EditContext(text)) is None
    assert not word_at("a = (", 5)


@pytest.mark.parametrize(
    ("text", "place", "inserted", "expected"),
    [
        ("a\n{\n\tread(ctx, |\n}\nb\n{\n}\n", "b\n{\n", "\tread(ctx,\n", True),
        ("a\n{\n\tread(ctx)\n\t|\n}\nb\n{\n}\n", "b\n{\n", "\tread(ctx)\n\t\n", True),
        ("a\n{\n\tread(ctx)|\n}\nb\n{\n}\n", "b\n{\n", "\twrite(ctx)\n", False),
        ("a\n{\n\tread(ctx)|\n}\nb\n{\n}\n", "read(ctx)", "\n\tread(ctx)", False),  # goes on
        ("a(x, timeout|)\nb(x)\n", "b(x", ", timeout", False),  # no line
        ("\n|\na\n", "a\n", "\n", False),
    ],
)
def test_a_line_that_is_being_typed_is_copied_nowhere(
    text: str, place: str, inserted: str, expected: bool
) -> None:
    before, after = text.split("|")
    start = (before + after).index(place) + len(place)
    hunk = Hunk(start, start, inserted)
    found = reason_against(hunk, EditContext(before + after, "plaintext", cursor=len(before)))
    assert (found == "copies what is being typed") is expected
    assert reason_against(hunk, EditContext(before + after)) != "copies what is being typed"


@pytest.mark.parametrize(
    ("text", "inserted", "expected"),
    [
        ("def area(width: float|):\n    return width\n", ") -> float", "breaks what can be parsed"),
        ("rows = |one(request)\n", "all(", "breaks what can be parsed"),
        ("@|hook\ndef area():\n    pass\n", "dataclass", "joins what is typed to the next word"),
        ("rows = |one\n", "first_", None),
        ("rows = load|\n", "(request", None),  # the line is not written to its end
        ("rows = load(|)\n", "first(", None),
        ("rows = load(1|)\n", ", 2", None),
        ("rows = load(1|)\n", ": 2", "breaks what can be parsed"),
        # While it is typed nothing can be parsed: what stands there closes the bracket, too.
        ("def area(width: |):\n    return width\n", "float) -> float", "closes a bracket again"),
        (
            "def area(width:|, height):\n    return width\n",
            " float) -> float",
            "closes a bracket again",
        ),
        ("rows = load(first(|)\n", "1)", None),
        ("rows = load(\n    first(|\n", "1))", None),
        (
            "def area(\n    width: |\n):\n    return 1\n",
            "float) -> float:",
            "closes a bracket again",
        ),
        ("rows = load|\n", "(1))", "closes a bracket again"),
    ],
)
def test_what_goes_on_with_the_line_at_the_cursor(
    text: str, inserted: str, expected: str | None
) -> None:
    before, after = text.split("|")
    hunk = Hunk(len(before), len(before), inserted)
    context = EditContext(before + after, "python", cursor=len(before))
    assert reason_against(hunk, context) == expected


@pytest.mark.parametrize(
    ("language", "text", "after", "expected"),
    [
        ("typescript", "const a = 'x';\n", "const a = \"x';\n", True),
        ("typescript", "const a = 'x';\n", 'const a = "x";\n', False),
        ("typescript", "const a = f(1);\n", "const a = f(1;)\n", True),
        ("go", "package a\n\nvar b = 1\n", "package a\n\nvar b 1\n", True),
        ("go", "package a\n\nvar b = \n", "package a\n\nvar b = = \n", False),  # broken before
        ("kotlin", "val a = f(1)\n", "val a = f(1\n", True),  # no grammar: brackets
        ("markdown", "a (b\n", "a (b (\n", False),
    ],
)
def test_what_parses_goes_on_to(language: str, text: str, after: str, expected: bool) -> None:
    assert breaks(text, shortest_hunk(text, after), language) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("err", 'fmt.Errorf("get: %w", err)', "wraps what is wrapped already"),
        (
            ', fmt.Errorf("get: %w", err)',
            ', fmt.Errorf("get: %w", fmt.Errorf("get: %w", err))',
            True,
        ),
        ("err", "wrapped(err)", None),
        ("nil", "(nil)", None),
    ],
)
def test_nothing_is_wrapped_twice(old: str, new: str, expected: str | bool | None) -> None:
    text = '	return nil, fmt.Errorf("get: %w", err)\n'
    hunk = Hunk(text.index(old), text.index(old) + len(old), new)
    found = reason_against(hunk, EditContext(text, "go"))
    assert (found == "wraps what is wrapped already") if expected is True else (found == expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('fmt.Errorf("read %s: %v", path, err)', None),
        ('fmt.Errorf("read %s: %v", path(a, b), readErr)', None),
        ('fmt.Errorf("status %v", resp.StatusCode)', "wraps what is no error"),
        ('log.Printf("failed: %v", err)', "wraps what is no error"),
    ],
)
def test_go_wraps_errors_only(line: str, expected: str | None) -> None:
    text = f"package p\n\nfunc f() error {{\n\treturn {line}\n}}\n"
    start = text.index("%v") + 1
    assert reason_against(Hunk(start, start + 1, "w"), EditContext(text, "go")) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("class A(unittest.TestCase):", "asks a module for what another one has"),
        ('@unittest.skip("later")', "asks a module for what another one has"),
        ("unittest.fail()", None),
    ],
)
def test_pytest_has_no_test_cases(line: str, expected: str | None) -> None:
    text = f"import pytest\n\n{line}\n"
    start = text.index("unittest")
    hunk = Hunk(start, start + len("unittest"), "pytest")
    assert reason_against(hunk, EditContext(text, "python")) == expected


def test_a_package_of_go_is_imported_where_code_uses_it() -> None:
    head, code = 'package p\n\nimport (\n\t"fmt"\n)\n', "\nvar a = errors.New(fmt.Sprint(1))\n"
    start = head.index('"fmt"')
    assert EditContext(head + code, "go").accepts(Hunk(start, start, '"errors"\n\t'))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("secs, 5)", "timeout, 5Duration::from_secs())", "puts a word right behind a number"),
        ("secs, 5)", "timeout, Duration::from_secs(5))", None),
        ("5Duration)", "read(5Duration))", None),
    ],
)
def test_no_word_is_put_behind_a_number(old: str, new: str, expected: str | None) -> None:
    text = f"check({old};\n"
    assert reason_against(Hunk(6, 6 + len(old), new), EditContext(text)) == expected
