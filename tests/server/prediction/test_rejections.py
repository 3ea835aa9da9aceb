"""Rejections, recognised after later edits."""

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.suggestion import REMEMBERED, Rejections, Suggestion
from editcast_server.prediction.engine import Conditions, Thresholds

LINES = "".join(f"value_{i} = compute({i})\n" for i in range(40))


def rejected(text: str, prediction: Prediction, rejections: Rejections) -> str | None:
    it = Conditions(EditContext(text, "python"), Thresholds(0.5, 0.5), rejections.now())
    return it.reason_against(prediction.hunk)


def insertion(text: str, number: int) -> Prediction:
    """`, True` behind the argument of one of the calls."""
    place = text.index(f"compute({number}") + len(f"compute({number}")
    return Prediction(Hunk(place, place, ", True"), 0.0, 0.9, 1)


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
    other = Prediction(Hunk(0, 0, ", True"), 0.0, 0.9, 1)
    assert rejected("x = (1\n)", other, rejections) != "was rejected"


def test_the_last_rejections_are_kept() -> None:
    rejections = Rejections()
    for number in range(REMEMBERED + 1):
        rejections.add(Suggestion.of(insertion(LINES, number), LINES, "1"), LINES)
    assert len(rejections.now()) == REMEMBERED
    assert rejected(LINES, insertion(LINES, 0), rejections) is None
    assert rejected(LINES, insertion(LINES, 1), rejections) == "was rejected"


def test_nothing_else_is_shown_where_something_was_just_rejected() -> None:
    rejections = Rejections()
    rejections.add(Suggestion.of(insertion(LINES, 7), LINES, "1"), LINES)

    def reason(prediction: Prediction, text: str) -> str | None:
        it = Conditions(
            EditContext(text, "python"), Thresholds(0.5, 0.5), rejections.now(), rejections.fresh
        )
        return it.reason_against(prediction.hunk)

    start = LINES.index("value_7")
    second_best = Prediction(Hunk(start, start + 5, "result"), 0.0, 0.9, 1)
    assert reason(second_best, LINES) == "beside a rejected"
    assert reason(insertion(LINES, 6), LINES) is None
    rejections.move(Hunk(0, 0, "x = 1\n"))
    text, start = "x = 1\n" + LINES, start + 6
    assert reason(Prediction(Hunk(start, start + 5, "result"), 0.0, 0.9, 1), text) is None
    assert reason(insertion(text, 7), text) == "was rejected"


def test_a_line_where_the_user_typed_something_else_is_left_alone_until_the_save() -> None:
    rejections = Rejections()
    start = LINES.index("value_7")
    suggestion = Hunk(start, start + 5, "result")
    far, near = Hunk(0, 0, "x"), Hunk(start, start, "x")
    rejections.add_typed_lines(suggestion, far, "x" + LINES)
    assert not rejections.typed_lines
    text = LINES[:start] + "x" + LINES[start:]
    rejections.add_typed_lines(suggestion, near, text)
    rejections.move(Hunk(0, 0, "new = 1\n"))
    text = "new = 1\n" + text
    ((first, last),) = rejections.typed_lines
    assert text[first:last] == "xvalue_7 = compute(7)"
    rejections.move(Hunk(last, last, "  # why\nmore = 2"))
    text = text[:last] + "  # why\nmore = 2" + text[last:]
    ((first, last),) = rejections.typed_lines
    assert text[first:last] == "xvalue_7 = compute(7)  # why\nmore = 2"
    rejections.move(Hunk(last + 1, last + 1, "below"))
    assert rejections.typed_lines == ((first, last),)


def test_what_nobody_wants_is_held_back_too() -> None:
    it = Conditions(EditContext(LINES, "python"), Thresholds(0.5, 0.5))
    assert it.reason_against(Hunk(0, 0, " ")) == "changes only white space"
    assert it.reason_against(insertion(LINES, 7).hunk) is None
