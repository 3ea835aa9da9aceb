"""Consequences as a candidate source: after a rename the uses that are left, in order."""

import pytest

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster, NeuralSession
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
  return width > 3 ? size : { width }.width;
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
    """The texts after each suggestion of 0.6 and more is taken, one after another."""
    texts = []
    while (found := session.predict(1)) and found[0].confidence >= 0.6 and len(texts) < 10:
        text = found[0].apply(text)
        session.update(text, saved=False)
        texts.append(text)
    return texts


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("python", PYTHON, [1, 2, 3, 7]),
        ("typescript", TYPESCRIPT, [1, 2, 2]),
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


def test_nothing_that_depends_on_the_typed_word_is_proposed(forecaster: NeuralForecaster) -> None:
    session = forecaster.resume(EditHistory(PYTHON, language="python"))
    for word in ("b", "br", "bread", "breadth"):
        session.update(PYTHON.replace("(width", f"({word}", 1), saved=False)
        typed = range(9, 9 + len(word))
        assert not list(session._sources[-1].propose(session.situation(3, typed=typed)))
    # Nothing was typed for a while: the word is whole, and not saved yet.
    assert len(list(session._sources[-1].propose(session.situation(3)))) == 4


def test_without_a_language_nothing_is_proposed(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(PYTHON)
    session.update(PYTHON.replace("(width", "(breadth", 1), saved=True)
    assert not list(session._sources[-1].propose(session.situation(3)))
