"""Proposals of the candidate sources; a new source is one class and one registration."""

import re
from collections.abc import Iterator

import pytest

from editcast_model.bundle import Bundle
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.candidates import UNSEEN, Candidate, Situation
from editcast_model.forecasting.forecaster import NeuralForecaster, NeuralSession
from editcast_model.forecasting.interface import PredictionOptions, other_save
from editcast_model.forecasting.ranker import FEATURES, Ranker
from editcast_model.forecasting.sources import decoded_edits
from editcast_model.history import EditHistory

_TEXT = "".join(f"value = first({number})\nother = {number}\n" for number in range(3))
_RENAME = other_save("there.py", "x = first(1)\n", "x = second(1)\n")
_ZEROS = (0.0,) * (1 + len(FEATURES))


@pytest.fixture(scope="module")
def forecaster(bundle: Bundle) -> NeuralForecaster:
    forecaster = NeuralForecaster.load(bundle.path, "cpu")
    forecaster.ranker = Ranker(dict.fromkeys(("decoded", "repeated", "cross-file"), _ZEROS))
    return forecaster


def of_source(session: NeuralSession, source: str) -> list[Candidate]:
    return [one for one in session.candidates(1) if one.source == source]


def test_nothing_has_changed_here_yet(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    assert session.predict() == []
    session.add_other_save(_RENAME)
    (prediction,) = session.predict()
    # Where the number beside it is the same, too.
    assert prediction.hunk.apply(_TEXT) == _TEXT.replace("first(1)", "second(1)")
    assert prediction.confidence == pytest.approx(0.5)
    candidates = session.candidates(1)
    assert len(candidates) == 2  # more places are not looked at
    assert all(one.source == "cross-file" and one.line == UNSEEN for one in candidates)
    assert {(one.times, one.ago) for one in candidates} == {(1, 0)}


def test_nothing_speaks_for_a_part_of_a_change(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.add_other_save(other_save("there.py", "x = first(1)\n", "x = second(third(1)\n"))
    candidates = session.candidates(1)
    assert candidates and all(one.strength == 0 for one in candidates)
    session = forecaster.open(_TEXT)
    session.add_other_save(_RENAME)
    assert all(one.strength > 0 for one in session.candidates(1))


def test_a_call_is_made_otherwise_from_its_name_into_its_arguments(
    forecaster: NeuralForecaster,
) -> None:
    session = forecaster.open(_TEXT)
    session.update(_TEXT.replace("first(0", "second(a, 0"), saved=True)
    made = {apply_hunks(session.history.text, [one.hunk]) for one in of_source(session, "repeated")}
    assert any("second(a, 1)" in text or "second(a, 2)" in text for text in made)


def test_once_something_has_changed_the_network_is_asked_too(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.add_other_save(_RENAME)
    session.update(_TEXT + "more = 1\n", saved=True)
    others = of_source(session, "cross-file")
    assert others and all(one.line > UNSEEN and one.log_probability < 0 for one in others)
    assert all(one.distance < 0 for one in others)
    assert of_source(session, "decoded")


def test_what_cannot_win_is_not_decoded(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[object] = []
    monkeypatch.setattr(decoded_edits, "decode", lambda sequence, **_: decoded.append(sequence))
    forecaster = NeuralForecaster.load(bundle.path, "cpu")
    unlikely, likely = (-3.0, *_ZEROS[1:]), (3.0, *_ZEROS[1:])
    for of_repeated in (likely, unlikely):
        weights = {"decoded": _ZEROS, "repeated": of_repeated}
        forecaster.ranker = Ranker(weights)
        session = forecaster.open(_TEXT)
        session.update(_TEXT.replace("first", "second", 1), saved=True)
        decoded.clear()
        (best,) = session.predict()
        assert best.source == "repeated" and bool(decoded) == (of_repeated is unlikely)
        decoded.clear()
        session.candidates(1)  # all of them
        assert decoded


def test_what_was_made_here_is_a_repeated_edit_of_this_file(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.add_other_save(_RENAME)
    text = _TEXT.replace("first", "second", 1)
    session.update(text, saved=True)
    renames = [
        one
        for one in session.candidates(1)
        if apply_hunks(text, [one.hunk]) == _TEXT.replace("first", "second", 2)
    ]
    assert [one.source for one in renames] == ["repeated"]
    assert (renames[0].times, renames[0].ago, renames[0].distance) == (1, 0, 2)


def test_a_change_of_quotes_counts_wherever_it_was_made(forecaster: NeuralForecaster) -> None:
    names = ("one", "two", "three", "four")
    text = "".join(f"a = '{name}'\n" for name in names)
    session = forecaster.open(text)
    for done, name in enumerate(names[:3], 1):
        text = text.replace(f"'{name}'", f'"{name}"')
        session.update(text, saved=True)
        found = of_source(session, "repeated")
        assert found and all(one.times == 2 * done for one in found)


def test_a_change_that_was_taken_back_counts_once(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    once = _TEXT.replace("first", "second", 1)
    for text in (once, _TEXT, once, _TEXT, once):
        session.update(text, saved=True)
    renames = [one for one in of_source(session, "repeated") if one.hunk.text == "second"]
    assert renames and all(one.times == 1 for one in renames)


@pytest.mark.parametrize(
    ("line", "old", "new", "is_offered"),
    [
        ("use({}, flag=False)\n", "False", "True", False),
        ("use({}, rate=0.25)\n", "0.25", "0.5", False),
        ("use({}, flag=False)\n", "False", "flag", True),
    ],
)
def test_another_value_is_not_switched_again(
    forecaster: NeuralForecaster, line: str, old: str, new: str, is_offered: bool
) -> None:
    text = "".join(map(line.format, "abcd"))
    session = forecaster.open(text)
    session.update(text.replace(old, new, 1), saved=True)
    assert bool(of_source(session, "repeated")) is is_offered


def test_a_type_of_the_language_is_replaced_again_behind_the_same_name(
    forecaster: NeuralForecaster,
) -> None:
    before = "".join(f"const {name} = (row: any, {name}: any) => row;\n" for name in "abc")
    session = forecaster.resume(EditHistory(before, language="typescript"))
    session.update(after := before.replace("row: any", "row: Row", 1), saved=True)
    proposed = {one.hunk.start for one in session.candidates(1) if one.source != "decoded"}
    assert proposed and proposed <= {found.end() - 3 for found in re.finditer("row: any", after)}


def test_a_member_is_renamed_again_for_objects_of_the_same_class(
    forecaster: NeuralForecaster,
) -> None:
    before = """\
def save(client, booking: Booking, draft: Booking):
    response = client.post(booking.json())
    log(draft.json())
    return response.json()
"""
    session = forecaster.resume(EditHistory(before, language="python"))
    session.update(after := before.replace("booking.json", "booking.dump"), saved=True)
    proposed = {one.hunk.start for one in of_source(session, "repeated")}
    assert proposed == {after.index("json", after.index("draft.json"))}


def test_what_the_ranker_does_not_know_is_dropped(forecaster: NeuralForecaster) -> None:
    known = forecaster.ranker
    try:
        forecaster.ranker = Ranker({"repeated": _ZEROS})
        session = forecaster.open(_TEXT)
        session.add_other_save(_RENAME)
        assert session.predict() == []
    finally:
        forecaster.ranker = known


class Ends:
    """A source that nobody has trained weights for: it ends the text with what was saved first."""

    name = "ends"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        history = situation.history
        if history.saves and history.language == "python":
            size = len(history.text)
            hunk = Hunk(size, size, history.saves[0].hunks[0].text)
            if situation.accepts(hunk, self.name):
                assert situation.view is not None
                scores = situation.view.score(hunk, 2)
                yield situation.described(Candidate(hunk, self.name, *scores, prior=0.9))


def test_a_new_source_is_a_class_and_its_registration(
    forecaster: NeuralForecaster,
) -> None:
    more = NeuralForecaster(forecaster.bundle, forecaster.network, "cpu")
    more.sources = (*forecaster.sources, Ends)
    session = more.resume(EditHistory(_TEXT, language="python"))
    session.update("new = 1\n" + _TEXT, saved=True)
    (one,) = of_source(session, "ends")
    assert one.line != UNSEEN and one.log_probability < 0
    best = session.predict()[0]
    assert best.confidence == 0.9 and best.hunk == one.hunk
    assert not [one for one in session.candidates(1, PredictionOptions(lambda hunk: False)) if one]


@pytest.mark.parametrize(
    ("hunk", "is_whole"),
    [
        (Hunk(0, 0, "new = 1\n"), True),
        (Hunk(17, 27, ""), True),
        (Hunk(17, 26, "other = 9"), False),
        (Hunk(16, 16, "\nnew = 1"), False),
        (Hunk(5, 17, " = 1\n"), False),
        (Hunk(17, 27, "other = 9\n"), True),
    ],
)
def test_whole_lines_begin_and_end_with_a_line(
    forecaster: NeuralForecaster, hunk: Hunk, is_whole: bool
) -> None:
    situation = forecaster.open(_TEXT).situation(1)
    assert situation.described(Candidate(hunk, "decoded")).is_whole_lines == is_whole
