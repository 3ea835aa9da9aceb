"""What is held back, as a table; and how a rejection is recognised after later edits."""

import pytest

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.forecast import Prediction
from editcast_server.filters import REMEMBERED, Rejections, Situation, reason_to_hold_back
from editcast_server.suggestions import Suggestion
from editcast_server.syntax import breaks

TEXT = "def f(x):\n    return x\n\n\ndef g(y):\n    return y\n"


def predicted(after: str, before: str = TEXT, confidence: float = 0.9) -> Prediction:
    return Prediction(diff(before, after), -0.1, confidence, 1)


def situation(saved_before: str | None = None, language: str = "python") -> Situation:
    return Situation(TEXT, saved_before, language, 0.5)


@pytest.mark.parametrize(
    ("after", "confidence", "reason"),
    [
        (TEXT.replace("return x", "return x + 1"), 0.9, None),
        (TEXT.replace("return x", "return x + 1"), 0.5, None),
        (TEXT.replace("return x", "return x + 1"), 0.49, "not sure enough"),
        (TEXT, 0.9, "changes nothing"),
        (TEXT.replace("\n\n\n", "\n\n"), 0.9, "changes only white space"),
        (TEXT.replace("return x", "return  x"), 0.9, "changes only white space"),
        (TEXT.replace("return x", "return (x"), 0.9, "breaks what can be parsed"),
        (TEXT.replace("def g(y):\n", "def g(y)\n"), 0.9, "breaks what can be parsed"),
    ],
)
def test_reasons(after: str, confidence: float, reason: str | None) -> None:
    assert reason_to_hold_back(predicted(after, confidence=confidence), situation()) == reason


def test_a_replacement_by_the_same_changes_nothing() -> None:
    prediction = Prediction((Hunk(4, 5, "f"),), 0.0, 1.0, 1)
    assert reason_to_hold_back(prediction, situation()) == "changes nothing"


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
    reason = reason_to_hold_back(predicted(after), situation(saved_before))
    assert reason == ("undoes the last save" if undoes else None)


CLASS = "class A:\n    def f(self):\n        return (1,\n                2)\n\n    x = 1\n"


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
        ("c", "int f(int x) { return x; }", "int f(int x { return x; }", True),
        ("c", "int f(int x) { return x; }", "int f(int y) { return y; }", False),
        ("c", "int f(int x { return x; }", "int f(int y { return y; }", False),
        ("json", '{"a": [1, 2]}', '{"a": [1, 2}', True),
        ("markdown", "1) one", "1) one (and", False),
        ("plaintext", "(a)", "(a", False),
    ],
)
def test_what_breaks_code(language: str, before: str, after: str, broken: bool) -> None:
    hunks = diff(before, after)
    assert apply_hunks(before, hunks) == after
    assert breaks(before, hunks, language) is broken


@pytest.mark.filterwarnings("error")
def test_code_is_parsed_without_warnings() -> None:
    assert not breaks("a = '\\d'\n", diff("a = '\\d'\n", "b = '\\d'\n"), "python")


LINES = "".join(f"value_{i} = compute({i})\n" for i in range(40))


def rejected(text: str, prediction: Prediction, rejections: Rejections) -> str | None:
    return reason_to_hold_back(prediction, Situation(text, None, "python", 0.5, rejections.now()))


def insertion(text: str, number: int) -> Prediction:
    """`, True` behind the argument of one of the calls."""
    place = text.index(f"compute({number}") + len(f"compute({number}")
    return Prediction((Hunk(place, place, ", True"),), 0.0, 0.9, 1)


def test_a_rejection_moves_with_the_text() -> None:
    rejections = Rejections()
    one = insertion(LINES, 7)
    rejections.add(Suggestion.of(one, LINES, "1"), LINES)
    assert rejected(LINES, one, rejections) == "was rejected"
    assert rejected(LINES, insertion(LINES, 8), rejections) is None
    # Lines above it, then something on its very line, come and go.
    for change in (Hunk(0, 0, "import os\n"), Hunk(0, 6, "from"), Hunk(10, 14, "")):
        rejections.move(change)
    text = apply_hunks(LINES, [Hunk(0, 0, "import os\n")])
    text = apply_hunks(apply_hunks(text, [Hunk(0, 6, "from")]), [Hunk(10, 14, "")])
    assert rejected(text, insertion(text, 7), rejections) == "was rejected"
    assert rejected(text, insertion(text, 6), rejections) is None


def test_a_rejection_is_known_by_its_surroundings_when_its_place_is_gone() -> None:
    rejections = Rejections()
    rejections.add(Suggestion.of(insertion(LINES, 7), LINES, "1"), None)
    text = LINES.replace("value_8", "other")
    assert rejected(text, insertion(text, 7), rejections) == "was rejected"
    rejections.move(Hunk(0, len(LINES), LINES))
    assert rejected(text, insertion(text, 7), rejections) == "was rejected"
    assert rejected(text, insertion(text, 9), rejections) is None
    other = Prediction((Hunk(0, 0, ", True"),), 0.0, 0.9, 1)
    assert rejected("x = (1\n)", other, rejections) != "was rejected"


def test_the_last_rejections_are_kept() -> None:
    rejections = Rejections()
    for number in range(REMEMBERED + 1):
        rejections.add(Suggestion.of(insertion(LINES, number), LINES, "1"), LINES)
    assert len(rejections) == REMEMBERED
    assert rejected(LINES, insertion(LINES, 0), rejections) is None
    assert rejected(LINES, insertion(LINES, 1), rejections) == "was rejected"


def test_nothing_else_is_shown_where_something_was_just_rejected() -> None:
    rejections = Rejections()
    rejections.add(Suggestion.of(insertion(LINES, 7), LINES, "1"), LINES)

    def reason(prediction: Prediction, text: str) -> str | None:
        it = Situation(text, None, "python", 0.5, rejections.now(), rejections.fresh)
        return reason_to_hold_back(prediction, it)

    start = LINES.index("value_7")
    second_best = Prediction((Hunk(start, start + 5, "result"),), 0.0, 0.9, 1)
    assert reason(second_best, LINES) == "beside a rejected"
    assert reason(insertion(LINES, 6), LINES) is None
    rejections.move(Hunk(0, 0, "x = 1\n"))
    text, start = "x = 1\n" + LINES, start + 6
    assert reason(Prediction((Hunk(start, start + 5, "result"),), 0.0, 0.9, 1), text) is None
    assert reason(insertion(text, 7), text) == "was rejected"


def test_a_line_where_the_user_typed_something_else_is_left_alone_until_the_save() -> None:
    rejections = Rejections()
    start = LINES.index("value_7")
    suggestion = [Hunk(start, start + 5, "result")]
    far, near = Hunk(0, 0, "x"), Hunk(start, start, "x")
    rejections.disagree(suggestion, far, "x" + LINES)
    assert rejections.disagreed == ()
    text = LINES[:start] + "x" + LINES[start:]
    rejections.disagree(suggestion, near, text)
    rejections.move(Hunk(0, 0, "new = 1\n"))
    text = "new = 1\n" + text
    ((first, last),) = rejections.disagreed
    assert text[first:last] == "xvalue_7 = compute(7)"
    rejections.move(Hunk(last, last, "  # why\nmore = 2"))
    text = text[:last] + "  # why\nmore = 2" + text[last:]
    ((first, last),) = rejections.disagreed
    assert text[first:last] == "xvalue_7 = compute(7)  # why\nmore = 2"
    rejections.move(Hunk(last + 1, last + 1, "below"))
    assert rejections.disagreed == ((first, last),)
    rejections.saved()
    assert rejections.disagreed == ()


IMPORTS = "import os\nimport re\n\n\ndef f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("after", "on_imports", "reason"),
    [
        (IMPORTS.replace("import re\n", "import re\nimport sys\n"), False, "changes only imports"),
        (IMPORTS.replace("import re\n", "import re\nimport sys\n"), True, None),
        (IMPORTS.replace("import re\n", ""), False, "changes only imports"),
        (IMPORTS.replace("import re", "import math").replace("x", "y"), False, None),
        (IMPORTS.replace("return x", "return x + 1"), False, None),
    ],
)
def test_changes_of_imports_alone(after: str, on_imports: bool, reason: str | None) -> None:
    it = Situation(IMPORTS, None, "python", 0.5, on_imports=on_imports)
    assert reason_to_hold_back(predicted(after, IMPORTS), it) == reason


def test_what_would_bring_back_an_earlier_text() -> None:
    earlier = TEXT.replace("return x", "return x + 1")
    it = Situation(TEXT, None, "python", 0.5, texts={hash(earlier)})
    assert reason_to_hold_back(predicted(earlier), it) == "undoes an edit"
    other = TEXT.replace("return x", "return x + 2")
    assert reason_to_hold_back(predicted(other), it) is None
