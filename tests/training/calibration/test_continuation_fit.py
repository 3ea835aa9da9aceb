"""The fit of how sure continuations are, on typed sessions, and the files they know."""

from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.sources.continuation import Continuation
from editcast_training.calibration.continuation import examples, fit
from editcast_training.evaluation.known_files import no_files
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typed_document import opened

LINE = "    order.validate_address(strict=True)\n"


def session(*typed: str) -> EditingSession:
    before = f"def first(order):\n{LINE}\n\ndef second(order):\n{LINE}"
    texts = (before, *(f"{before}\n\ndef third(order):\n{one}" for one in typed))
    return EditingSession("shop", "orders.py", "python", "saves", texts, 0)


def test_what_was_typed_makes_it_right() -> None:
    found = list(examples([session(LINE, LINE + "    order.valid = False\n")], no_files))
    assert {one.is_right for one in found} == {True, False}
    weights = fit(found)
    rated = [(Continuation("", one.features).probability(weights), one.is_right) for one in found]
    right = [sure for sure, is_right in rated if is_right]
    wrong = [sure for sure, is_right in rated if not is_right]
    assert sum(right) / len(right) > sum(wrong) / len(wrong)
    assert fit(one for one in found if one.is_right) == fit([]) == ()


@given(st.text("a\r\n", max_size=12), st.text("a\r\n", max_size=6), st.data())
def test_a_line_is_opened_to_the_same_text(text: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    hunk = Hunk(start, start, new)
    assert apply_hunks(text, [opened(hunk, text)]) == apply_hunks(text, [hunk])
