"""Windows of files, and of the saves that led to them."""

from pathlib import Path

import pytest

from editcast_model.bundle import Bundle
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference.config import InferenceConfig
from editcast_model.inference.window import Window


@pytest.fixture(scope="module")
def forecaster(bundle: Bundle) -> NeuralForecaster:
    return NeuralForecaster.load(bundle.path, "cpu")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "{code}" * 20),  # a file is filled
        ("{code}", "x = 1\n{code}{code}{code}{code}"),
        ("{code}" * 20, "{code}"),  # most of it is taken out
        ("{code}", "{wide}"),
        ("a = 1\nb = 2\n{code}c = 3\n", "a = 2\nb = 3\n{wide}{wide}c = 4\n"),
        ("x = 1\n", "x = '" + "0a1b" * 400 + "'\n"),  # a word of many subtokens
    ],
)
def test_of_a_huge_save_the_last_edits_are_read(
    forecaster: NeuralForecaster, before: str, after: str
) -> None:
    code = Path(__file__).read_text() * 2
    wide = code.replace("    ", "\t\t").replace("(", "[").replace("e", "ee")
    texts = [one.replace("{code}", code).replace("{wide}", wide) for one in (before, after)]
    window = Window.over(forecaster.tokenizer, InferenceConfig(), texts, [])
    assert window is not None and 0 < len(window.fixed) <= InferenceConfig().most_edits
    low, high = window._low, window._high
    assert forecaster.tokenizer.decode(window.fixed.tokens().tolist()) == texts[1][low:high]
    session = forecaster.open(texts[0])
    session.update(texts[1], saved=True)
    assert session.line_features() is not None


def test_a_huge_save_that_the_next_one_continues_is_read_again(
    forecaster: NeuralForecaster,
) -> None:
    code = Path(__file__).read_text()
    session = forecaster.open(code)
    for word in ("ti", "time", "timeout"):  # an editor saves in the middle of a word
        text = f"{code.replace('e', 'ee').replace('    ', '  ')}value = {word}"
        session.update(text, saved=True)
        assert session.line_features() is not None
        assert session._window is not None
        low, high = session._window._low, session._window._high
        read = forecaster.tokenizer.decode(session._window.fixed.tokens().tolist())
        assert read == text[low:high]
    assert len(session.history.saves) == 1
