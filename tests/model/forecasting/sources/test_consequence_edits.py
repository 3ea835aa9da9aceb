"""Consequences as a candidate source: after a rename the uses that are left, in order."""

import pytest

from editcast_model.bundle import bundled_path
from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import STRENGTHS, Consequence, Kind
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.candidates import CONSEQUENCE
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.forecaster import NeuralForecaster, NeuralSession
from editcast_model.forecasting.interface import OtherSave, Prediction, PredictionOptions
from editcast_model.forecasting.sources.consequence_edits import everywhere, joined_on_lines
from editcast_model.history import EditHistory

PYTHON = """\
def area(width, height):
    size = width * height
    if width > 3:
        print("width", width)
    return size


print(area(width=2, height=3))
"""
TYPESCRIPT = """\
export function area(width: number, height: number): number {
  const size = width * height;
  return width > 3 ? size : draw({ width });
}
"""
GO = """\
package shape

func Area(width int, height int) int {
	size := width * height
	return size + width
}
"""


@pytest.fixture(scope="module")
def forecaster() -> NeuralForecaster:
    return NeuralForecaster.load(bundled_path(), "cpu")


def accepted(session: NeuralSession, text: str) -> list[str]:
    """The texts after each suggestion that is shown by default is taken, one after another."""
    texts: list[str] = []
    known = {hash(one) for one in (*session.history.snapshots, text)}
    shown_from = session._forecaster.bundle.card.calibration.threshold or 0.0
    while len(texts) < 10:
        context = EditContext(text, session.history.language, texts=frozenset(known))
        found = session.predict(1, PredictionOptions(context.accepts))
        if not found or found[0].confidence < shown_from:
            break
        text = found[0].hunk.apply(text)
        session.update(text, saved=False)
        texts.append(text)
        known.add(hash(text))
    return texts


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("python", PYTHON, [1, 2, 3, 7]),
        ("typescript", TYPESCRIPT, [1, 2]),
        ("go", GO, [3, 4]),
    ],
)
def test_after_a_rename_each_use_is_offered_from_the_nearest_on(
    forecaster: NeuralForecaster, language: str, text: str, lines: list[int]
) -> None:
    session = forecaster.resume(EditHistory(text, language=language))
    renamed = text.replace("(width", "(breadth", 1)
    session.update(renamed, saved=True)
    texts = accepted(session, renamed)
    changed = []
    for before, after in zip([renamed, *texts], texts, strict=False):
        pairs = zip(before.splitlines(), after.splitlines(), strict=True)
        changed += [number for number, (old, new) in enumerate(pairs) if old != new]
    assert changed == lines
    assert '"width"' in texts[-1] or language != "python"  # a string is no use


def test_confidence_stays_while_a_rename_goes_on_and_falls_with_each_other_change(
    forecaster: NeuralForecaster,
) -> None:
    session = forecaster.resume(EditHistory(PYTHON, language="python"))
    text = PYTHON.replace("(width", "(breadth", 1)
    session.update(text, saved=True)
    confidences = []
    while found := session.predict(1):
        if found[0].source != "consequence":
            break
        confidences.append(found[0].confidence)
        text = found[0].hunk.apply(text)
        session.update(text, saved=False)
    assert len(confidences) == 4
    assert 0.7 <= confidences[0] == min(confidences) and max(confidences) < 1

    session = forecaster.resume(EditHistory(PYTHON, language="python"))
    text = PYTHON.replace("(width", "(breadth", 1)
    session.update(text, saved=True)
    for changed in (text + "x = 1\n", "y = 1\n" + text + "x = 1\n"):
        session.update(changed, saved=True)
        (best,) = session.predict(1)
        assert best.source == "consequence" and best.confidence < confidences[-1]
        confidences.append(best.confidence)
    assert confidences[-1] < confidences[0] - 0.1


def test_a_rewrite_of_another_file_is_offered_for_a_few_saves(forecaster: NeuralForecaster) -> None:
    text = "def area(name):\n    return as_text(name)\n"
    session = forecaster.resume(EditHistory(text, language="python", path="b.py"))
    before = "def f(a):\n    return as_text(a[0])\n\ndef g(a):\n    return as_text(a[1])\n"
    after = before.replace("as_text(", "").replace("])", "].decode()")
    session.add_other_save(OtherSave("a.py", before, after, number=1))
    count = 0
    while any(one.source == "consequence" for one in session.predict(3)):
        count += 1
        text += f"x = {count}\n"
        session.update(text, saved=True)
    assert count == 4


def test_nothing_that_depends_on_the_word_at_is_proposed(forecaster: NeuralForecaster) -> None:
    session = forecaster.resume(EditHistory(PYTHON, language="python"))
    for word in ("b", "br", "bread", "breadth"):
        session.update(PYTHON.replace("(width", f"({word}", 1), saved=False)
        typed = range(9, 9 + len(word))
        assert not list(
            session._sources[0].propose(session.situation(3, PredictionOptions(typed=typed)))
        )
    # Nothing was typed for a while: the word is whole, and not saved yet.
    assert len(list(session._sources[0].propose(session.situation(3)))) == 4


def test_without_a_language_nothing_is_proposed(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(PYTHON)
    session.update(PYTHON.replace("(width", "(breadth", 1), saved=True)
    assert not list(session._sources[0].propose(session.situation(3)))


CALLS = """\
def fetch(url):
    return url


def read(url, timeout):
    return fetch(url) or fetch(url + "/")


def both(one, other, timeout):
    other, one = one, other
    return fetch(one), read(url=other)
"""


def predicted(forecaster: NeuralForecaster, text: str, old: str, new: str) -> Prediction:
    """The best consequence."""
    session = forecaster.resume(EditHistory(text, language="python"))
    session.update(text.replace(old, new, 1), saved=True)
    return next(one for one in session.predict(8) if one.source == CONSEQUENCE)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        (  # uses and the argument of a call, one group
            PYTHON,
            "(width",
            "(breadth",
            PYTHON.replace("width", "breadth").replace('"breadth"', '"width"'),
        ),
        (
            CALLS,
            "fetch(url)",
            "fetch(url, timeout)",
            CALLS.replace("fetch(url)", "fetch(url, timeout)")
            .replace('"/")', '"/", timeout)')
            .replace("fetch(one)", "fetch(one, timeout)"),
        ),
        (  # two groups: they are told apart
            CALLS,
            "one, other, timeout):\n    other, one",
            "a, b, timeout):\n    other, one",
            None,
        ),
    ],
)
def test_a_prediction_carries_all_places_of_its_cause(
    forecaster: NeuralForecaster, text: str, old: str, new: str, after: str | None
) -> None:
    best = predicted(forecaster, text, old, new)
    changed = text.replace(old, new, 1)
    assert best.hunk in best.everywhere and len(best.everywhere) > 1
    starts = [one.start for one in best.everywhere]
    assert starts == sorted(set(starts))
    if after is None:
        assert {changed[one.start : one.end] for one in best.everywhere} < {"one", "other"}
    else:
        assert apply_hunks(changed, best.everywhere) == after


def test_a_place_that_is_left_alone_is_no_group(forecaster: NeuralForecaster) -> None:
    best = predicted(forecaster, PYTHON, "(width, height", "(width, depth")
    assert len(best.everywhere) == 2
    text = PYTHON.replace("(width=2, height=3", "(2, 3")
    assert predicted(forecaster, text, "(width, height", "(width, depth").everywhere == ()


def test_the_places_of_a_cause_are_as_sure_as_the_one_that_is_asked_for() -> None:
    hunks = [Hunk(place, place + 1, "new") for place in range(0, 50, 10)]
    use: Kind = "rename_use"
    kinds: tuple[Kind, ...] = (use, "rename_setter", "rename_use_beside", use, use)
    assert STRENGTHS[kinds[2]] < STRENGTHS[use] < STRENGTHS[kinds[1]]
    found = [
        Consequence(hunk, kind, cause=cause)
        for hunk, kind, cause in zip(reversed(hunks), kinds, "aaaab", strict=True)
    ]
    assert everywhere(found[0], found) == (hunks[1], hunks[3], hunks[4])
    assert everywhere(found[1], found) == ()
    assert everywhere(found[2], found) == tuple(hunks[1:])
    assert everywhere(found[4], found) == ()
    assert everywhere(Consequence(hunks[0], "import_missing"), found) == ()


def test_places_of_one_cause_on_one_line_are_one_edit() -> None:
    text = "use(a, a, b)\nuse(a, a)\n"
    places = [4, 7, 17, 20]
    found = [Consequence(Hunk(at, at + 1, "other"), "rename_use", cause="a") for at in places]
    joined = joined_on_lines(found, text, 0)
    assert [one.hunk for one in joined] == [
        Hunk(4, 8, "other, other"),
        Hunk(17, 21, "other, other"),
    ]
    assert everywhere(joined[0], joined) == tuple(one.hunk for one in joined)
    # What was just written stays between them, and so do others.
    assert [one.hunk for one in joined_on_lines(found, text, 6)][:2] == [
        found[0].hunk,
        found[1].hunk,
    ]
    others = [found[1], Consequence(Hunk(4, 5, "other"), "rename_use_beside", cause="a")]
    assert joined_on_lines(others, text, 0) == others
    between = [found[0], found[1], Consequence(Hunk(5, 6, ";"), "rename_use", cause=", ;")]
    assert joined_on_lines(between, text, 0) == between
    alone = [Consequence(one.hunk, "rename_use") for one in found]
    assert joined_on_lines(alone, text, 0) == alone


def test_a_rewrite_is_made_whole_and_where_it_fits_alone(forecaster: NeuralForecaster) -> None:
    text = (
        "class SlugTest(TestCase):\n"
        "    def test_slug(self):\n"
        '        self.assertEqual(slugify("Hello"), "hello")\n'
        '        self.assertEqual(slugify(" a, b "), "a-b")\n'
        '        self.log(slugify("x"), "y")\n'
    )
    first = 'self.assertEqual(slugify("Hello"), "hello")'
    history = EditHistory(text, language="python", path="test_slug.py")
    session = forecaster.resume(history)
    session.update(text.replace(first, 'assert slugify("Hello") == "hello"'), saved=True)
    now = history.text
    place = now.index('self.assertEqual(slugify(" a')
    old = 'self.assertEqual(slugify(" a, b "), "a-b")'
    whole = Hunk(place, place + len(old), 'assert slugify(" a, b ") == "a-b"')
    found = session.candidates(3)
    assert whole in [one.hunk for one in found]
    assert not [
        one
        for one in found
        if one.hunk != whole and place <= one.hunk.start and one.hunk.end <= whole.end
    ]
    assert not [
        one for one in found if now[one.hunk.start : one.hunk.end] == ", " and "==" in one.hunk.text
    ]


def test_the_other_sources_go_on_where_consequences_fail(
    forecaster: NeuralForecaster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> list[Consequence]:
        raise ValueError("a rule that is wrong")

    monkeypatch.setattr(Consequences, "propose", fail)
    session = forecaster.resume(EditHistory(PYTHON, language="python", path="a.py"))
    text = PYTHON.replace('print("width", width)', 'print("Width", width)')
    session.update(text, saved=True)
    assert session.candidates(1) and session.candidates(1)
    assert [one.levelname for one in caplog.records] == ["ERROR"]
    assert "a rule that is wrong" in caplog.text
