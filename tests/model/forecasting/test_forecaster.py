"""The network as a forecaster, over texts of every kind."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from editcast_model.bundle import Bundle
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.edits import SAVE, START
from editcast_model.forecasting.forecaster import (
    NeuralForecaster,
    NeuralSession,
)
from editcast_model.forecasting.interface import Prediction, PredictionOptions
from editcast_model.history import DEPTH
from editcast_model.inference.config import InferenceConfig


@pytest.fixture(scope="module")
def forecaster(bundle: Bundle) -> NeuralForecaster:
    return NeuralForecaster.load(bundle.path, "cpu")


def with_window(forecaster: NeuralForecaster, subtokens: int) -> NeuralForecaster:
    config = InferenceConfig(window=subtokens)
    made = NeuralForecaster(forecaster.bundle, forecaster.network, "cpu")
    made.config = config
    return made


@pytest.fixture(scope="module")
def small(forecaster: NeuralForecaster) -> NeuralForecaster:
    """A forecaster whose window a few lines fill."""
    return with_window(forecaster, 60)


def consistent(session: NeuralSession) -> None:
    """The window's tokens are those of the text at its place: of the last save, and of now."""
    window, tokenizer = session._window, session._tokenizer
    if window is None:
        return
    saved = session.history.saved
    assert 0 <= window._low <= window._high <= len(saved)
    inside = saved[window._low : window._high]
    assert window.fixed.state() == [START, *tokenizer.ids(inside)]
    starts = tokenizer.encode(inside).starts + window._low
    assert window.starts(window.fixed).tolist() == starts.tolist()
    assert np.array_equal(window._fixed_starts, starts)
    if not window.holds(session.history.unsaved):
        return
    timeline = window.transient(session.history.unsaved)
    if timeline is not None:
        text = apply_hunks(saved, sorted(session.history.unsaved, key=lambda hunk: hunk.start))
        assert text == session.history.text
        high = window._high + len(text) - len(saved)
        assert timeline.state() == [START, *tokenizer.ids(text[window._low : high])]


def sound(session: NeuralSession, predictions: list[Prediction], count: int = 1) -> None:
    """Return what every prediction is, whatever the network."""
    text = session.history.text
    assert len(predictions) <= count
    for one in predictions:
        assert 0 <= one.hunk.start <= one.hunk.end <= len(text)
        assert one.hunk.apply(text) != text
        assert one.edits >= 1 and one.log_probability <= 1e-3 and 0 <= one.confidence <= 1
    assert [one.confidence for one in predictions] == sorted(
        (one.confidence for one in predictions), reverse=True
    )
    assert len({one.hunk for one in predictions}) == len(predictions)


def say(session: NeuralSession, text: str, *, saved: bool, count: int = 1) -> list[Prediction]:
    session.update(text, saved=saved)
    consistent(session)
    predictions = session.predict(count)
    consistent(session)
    sound(session, predictions, count)
    assert session.predict(count) == predictions
    return predictions


def test_nothing_is_predicted_before_the_first_edit(
    forecaster: NeuralForecaster, code: str
) -> None:
    session = forecaster.open(code)
    assert session.predict() == []
    assert say(session, code, saved=True) == []
    assert forecaster.name == "tiny"


def test_typing_and_saving(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    text, predicted = code, 0
    for old, new in pairwise(["default", "fallback", "other", "default"]):
        for _ in range(text.count(old)):
            text = text.replace(old, new, 1)
            predicted += len(say(session, text, saved=False, count=3))
            predicted += len(say(session, text, saved=True, count=3))
    assert predicted > 20


def test_what_was_read_is_not_read_again(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    say(session, code + "x", saved=False)
    sequence = session._sequence
    assert sequence is not None
    for size in range(2, 8):
        say(session, code + "x\n" * size, saved=False)
        say(session, code + "x\n" * size, saved=True)
    assert session._sequence is sequence
    saves = [edit for edit in sequence.timeline.edits if edit.content == SAVE]
    assert len(saves) >= 6


def test_saves_in_the_middle_of_a_word_are_one(forecaster: NeuralForecaster, code: str) -> None:
    whole, halves = forecaster.open(code), forecaster.open(code)
    for name in ("pa", "par", "part"):
        say(halves, code.replace("parse", name), saved=True)
    sequence = halves._sequence
    # After `whole` has read it, too, and by a session that is made anew.
    say(whole, code.replace("parse", "part"), saved=True)
    again = forecaster.resume(halves.history)
    expected = whole.predict(3)
    assert expected
    assert halves.predict(3) == expected
    assert halves._sequence is sequence
    assert again.predict(3) == expected


def test_a_word_is_saved_to_its_end_in_a_window_that_begins_with_its_first_half(
    forecaster: NeuralForecaster, code: str
) -> None:
    before = code + "value = load(1)\n" * 400
    session = forecaster.open(before)
    huge = code.replace("parse", "pa") + "value = load(1)\n" * 400
    say(session, huge, saved=True)
    session._window = session._sequence = None
    say(session, huge.replace("pa(", "part("), saved=True)
    whole = forecaster.open(before)
    say(whole, huge.replace("pa(", "part("), saved=True)
    assert session.predict(3) == whole.predict(3)


def test_going_back_to_what_was_saved(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    say(session, code + "x = 1\n", saved=False)
    assert say(session, code, saved=False) == []
    say(session, code + "y = 1\n", saved=True)
    say(session, code, saved=True)
    say(session, code, saved=False)
    say(session, code, saved=True)


def test_changes_keep_the_order_in_which_they_came(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    lower = code.replace("return None", "return 1")
    say(session, lower, saved=False)
    upper = lower.replace("def parse", "def read")
    say(session, upper, saved=False)
    assert [hunk.text for hunk in session.history.saves[-1].hunks] == ["1"]
    assert [hunk.text for hunk in session.history.unsaved] == ["read"]
    assert session._window is not None
    timeline = session._window.transient(session.history.unsaved)
    assert timeline is not None
    # The edit below came first: its item is the older one.
    state, order = timeline.state(), timeline.order().tolist()
    below, above = (order[state.index(session._tokenizer.ids(text)[0])] for text in ("1", "read"))
    assert below < above


def test_several_predictions_are_several(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    text = code.replace("parse", "read")
    assert len(say(session, text, saved=True, count=4)) >= 2
    assert len(session.predict(1)) <= 1


def test_a_window_is_made_anew_while_there_is_time(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    text, count = code, 0
    worn = session._window
    assert worn is not None
    while len(worn.fixed) <= InferenceConfig().most_edits * 3 // 4:
        count += 1
        text += f"x{count} = {count}\n"
        session.update(text, saved=True)
    session.predict()
    assert session._window is worn
    asked = iter([False] * 3)
    session.prepare(cancelled=lambda: next(asked, True))
    fresh = session._window
    assert fresh is not worn and fresh is not None and len(fresh.fixed) < len(worn.fixed)
    assert session._sequence is not None and len(session._sequence.timeline) == 2 * 32
    session.prepare()
    assert list(session._sequence.timeline.edits) == list(fresh.fixed.edits)
    consistent(session)
    session.prepare()
    assert session._window is fresh
    say(session, text.replace("x1 = 1", "x1 = 2"), saved=True)
    assert session._window is fresh
    forecaster.open(code).prepare()  # nothing was done there yet


def test_a_large_save_is_read_as_it_was_typed(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    large = code + "".join(f"x{number} = {number}\n" for number in range(60))
    say(session, large, saved=False)
    window = session._window
    assert window is not None and say(session, large, saved=True)
    assert session._window is window and len(window.fixed) > InferenceConfig().most_edits
    # The next save is read beside the last edits of this one alone.
    say(session, large + "y = 1\n", saved=True)
    fresh = session._window
    assert fresh is not window and fresh is not None and len(fresh.fixed) < len(window.fixed)


def test_only_what_fits_is_predicted(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    text = code.replace("parse", "read")
    (first,) = say(session, text, saved=True)
    asked: list[Hunk] = []

    def fits(hunk: Hunk) -> bool:
        asked.append(hunk)
        return hunk != first.hunk

    others = session.predict(3, PredictionOptions(fits))
    consistent(session)
    assert others and first.hunk in asked
    assert all(one.hunk in asked and one.hunk != first.hunk for one in others)
    assert session.predict(3, PredictionOptions(lambda hunk: False)) == []


def test_cancelled(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    session.update(code.replace("parse", "read"), saved=True)
    assert session.predict(1, PredictionOptions(cancelled=lambda: True)) == []
    for after in range(12):
        answers = iter([False] * after)
        options = PredictionOptions(cancelled=partial(next, answers, True))
        assert len(session.predict(1, options)) <= 1
        consistent(session)
    assert session.predict() == say(session, session.history.text, saved=False)


def test_an_empty_file_grows(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open("")
    assert session.predict() == []
    for size in (1, 2, 5, 20, 60, len(code)):
        say(session, code[:size], saved=False)
        say(session, code[:size], saved=True)


def test_a_file_is_emptied_and_filled_again(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    say(session, "", saved=False)
    say(session, "", saved=True)
    say(session, "a", saved=False)
    say(session, "a", saved=True)
    say(session, "", saved=True)
    say(session, code, saved=True)
    say(session, code + "x", saved=False)


def test_a_file_of_which_nothing_was_left_when_saved(forecaster: NeuralForecaster) -> None:
    session = forecaster.open("a")
    for text in ("", "b", "", "c", ""):
        say(session, text, saved=True)
        say(session, text, saved=False)


def test_a_huge_paste(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    say(session, code + code * 20, saved=False)
    say(session, code + code * 20, saved=True)
    found = say(session, code + code * 20 + "x", saved=False)
    assert found == say(session, code + code * 20 + "x", saved=False)
    say(session, code * 3, saved=True)
    say(session, code, saved=False)


def test_many_saves(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    windows = set()
    for number in range(30):
        say(session, code + f"x{number} = {number * number}\n" * 4, saved=True)
        windows.add(id(session._window))
        assert len(session.history.snapshots) <= DEPTH + 1
    window = session._window
    assert window is not None and 0 < len(window.fixed) < 2 * InferenceConfig().most_edits
    assert len(windows) >= 2


def test_line_ends(forecaster: NeuralForecaster, code: str) -> None:
    windows = code.replace("\n", "\r\n")
    session = forecaster.open(windows)
    say(session, windows.replace("parse", "read"), saved=True)
    say(session, windows.replace("\r\n", "\n", 5), saved=True)
    say(session, windows.replace("\r\n", "\r"), saved=False)
    say(session, code, saved=True)
    say(session, code[:-1], saved=True)


@pytest.mark.parametrize(
    "odd", ["\ud800", "\udc80x", "\0", "\ufffd", "名前 é👩\u200d👧", "\x85\u2028"]
)
def test_odd_characters(forecaster: NeuralForecaster, code: str, odd: str) -> None:
    session = forecaster.open(code + odd)
    say(session, odd + code + odd, saved=False, count=3)
    say(session, odd + code + odd + odd, saved=True, count=3)
    say(session, code + odd * 30, saved=True, count=3)
    say(session, odd, saved=True, count=3)


def test_one_very_long_line(forecaster: NeuralForecaster) -> None:
    line = "x = [" + "12, " * 9_000 + "]"
    session = forecaster.open(line)
    say(session, line.replace("]", "3]"), saved=False)
    say(session, line.replace("]", "3]"), saved=True)
    say(session, "y" + line[1:], saved=False)
    blank = " " * 30_000
    session = forecaster.open(blank + "\n")
    say(session, blank + "x\n", saved=False)
    say(session, blank + "x\n", saved=True)
    say(session, blank[:100] + "y" + blank[100:] + "x\n", saved=False)


def numbered(count: int) -> list[str]:
    return [f"value_{number} = {number}\n" for number in range(count)]


def test_a_file_longer_than_the_window(small: NeuralForecaster) -> None:
    lines = numbered(300)
    session = small.open("".join(lines))
    predicted = 0
    for place in (150, 151, 149, 20, 21, 280, 281, 0, 299, 150):
        lines[place] = lines[place].replace("=", "= -")
        predicted += len(say(session, "".join(lines), saved=False))
        window = session._window
        assert window is not None and window.holds(session.history.unsaved)
        assert len(window.fixed.initial) <= small.config.window
        predicted += len(say(session, "".join(lines), saved=True))
    assert predicted > 0


def test_a_window_moves_on_before_it_is_left(forecaster: NeuralForecaster) -> None:
    lines = numbered(300)
    session = with_window(forecaster, 500).open("".join(lines))
    seen = []
    for place in range(100, 220, 2):
        lines[place] = lines[place].replace("=", "= -")
        prepared = session._window
        session.update("".join(lines), saved=True)
        session.predict()
        assert prepared in (session._window, None)  # the first is made while somebody waits
        session.prepare()
        seen.append(session._window)
    assert 2 < len(set(seen)) < len(seen) / 3


def test_edits_on_both_sides_of_the_window(small: NeuralForecaster) -> None:
    lines = numbered(300)
    session = small.open("".join(lines))
    lines[150] = "middle\n"
    say(session, "".join(lines), saved=True)
    for above, below in ((10, 290), (20, 280), (145, 155), (148, 152)):
        # A save that changes something before the window, in it, and behind it.
        lines[above] = "above\n" * 3
        lines[150] = lines[150] * 2
        lines[below] = ""
        say(session, "".join(lines), saved=True)
        lines[150] += "x"
        say(session, "".join(lines), saved=False)


def test_a_change_across_the_edge_of_the_window(small: NeuralForecaster) -> None:
    lines = numbered(300)
    session = small.open("".join(lines))
    for place in range(150, 156):
        lines[place] = "here\n"
        say(session, "".join(lines), saved=True)
    # Lines from far above to near the place are gone, in one save.
    del lines[100:149]
    say(session, "".join(lines), saved=True)
    lines[103] = "there\n"
    say(session, "".join(lines), saved=False)
    assert session._window is not None and session._window.holds(session.history.unsaved)
    del lines[105:200]
    say(session, "".join(lines), saved=True)
    lines[104] = "there\n"
    say(session, "".join(lines), saved=False)
    assert session._window is not None and session._window.holds(session.history.unsaved)


# -- any text at all -----------------------------------------------------------------------------

pieces = st.sampled_from(
    [
        *("def f(x):\n", "    return x\n", "self.value", "value", " ", "    ", "\n", "\r\n", "\r"),
        *(
            "x" * 70,
            " " * 70,
            "1",
            "(",
            ")",
            "é",
            "名",
            "👩\u200d👧",
            "\ud800",
            "\udc00",
            "\0",
            "\ufffd",
        ),
        *("\u0301", "\x85", "<pad>", "\t"),
    ]
)
odd_texts = st.lists(pieces | st.characters(exclude_categories=()), max_size=30).map("".join)


@st.composite
def updates(draw: st.DrawFn) -> tuple[str, list[tuple[str, bool, bool]]]:
    """A text, and what becomes of it: (text, saved, whether to ask for predictions)."""
    first = text = draw(odd_texts)
    out = []
    for _ in range(draw(st.integers(1, 8))):
        for _ in range(draw(st.integers(1, 2))):
            start = draw(st.integers(0, len(text)))
            end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 3, 10, 1000])))
            text = text[:start] + draw(odd_texts) + text[end:]
        out.append((text, draw(st.booleans()), draw(st.booleans())))
    return first, out


@pytest.mark.parametrize("window", [12, 40, 4096])
@settings(
    max_examples=25,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(case=updates())
def test_no_text_breaks_a_session(
    forecaster: NeuralForecaster,
    window: int,
    case: tuple[str, list[tuple[str, bool, bool]]],
) -> None:
    first, rest = case
    session = with_window(forecaster, window).open(first)
    for text, saved, asked in rest:
        session.update(text, saved=saved)
        consistent(session)
        if asked:
            sound(session, session.predict(2), 2)
            consistent(session)


def test_a_file_is_encoded_when_it_is_opened(forecaster: NeuralForecaster, code: str) -> None:
    session = forecaster.open(code)
    sequence = session._sequence
    assert sequence is not None and sequence.rows == 1
    assert session.predict() == []
    say(session, code.replace("parse", "read", 1), saved=True)
    assert session._sequence is sequence
    assert forecaster.open("")._sequence is None
