"""Following and decoding, over a network that says what the test wrote."""

from collections.abc import Callable
from concurrent.futures import CancelledError
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from editcast_model.edits import DELETE, PAD, SAVE, START, Edit
from editcast_model.errors import EditError
from editcast_model.forecasting.interface import never
from editcast_model.forecasting.sources.decoded_edits import Decoded, decode
from editcast_model.inference.sequence import _MOST_ANSWERS, Sequence, Stage

History = tuple[Edit, ...]
#: What comes after some edits: probabilities of items, and of contents at the item pointed at.
Where = Callable[[History], dict[int, float]]
What = Callable[[History, int], dict[int, float]]


class Scripted:
    """A network that knows its edits from the cache alone, and counts how often it is asked."""

    vocabulary = 100
    cache_width = 2

    def __init__(self, where: Where, what: What) -> None:
        self._where, self._what = where, what
        self.advanced = self.read = self.pointed = self.asked = 0
        self.encoded: list[list[int]] = []

    def encode(self, tokens: npt.NDArray[np.int64]) -> str:
        self.encoded.append(tokens.tolist())
        return "state"

    def size(self, state: str) -> int:
        return len(state)

    def run(self, stage: Stage, state: Any, **given: npt.NDArray[Any]) -> npt.NDArray[Any]:
        assert state == "state"
        stages: dict[str, Callable[..., npt.NDArray[Any]]] = {
            "advance": self._advance,
            "point": self._point,
            "content": self._content,
        }
        return stages[stage](**given)

    def _advance(
        self,
        edits: npt.NDArray[np.int64],
        past: npt.NDArray[np.int64],
        cache: npt.NDArray[Any],
    ) -> npt.NDArray[Any]:
        assert past[:, 0].tolist() == cache[:, 1].tolist()
        self.advanced += 1
        self.read += len(edits)
        return edits[:, [1, 0]].astype(np.float32)

    def _point(
        self,
        past: npt.NDArray[np.int64],
        cache: npt.NDArray[Any],
        buckets: npt.NDArray[np.int64],
        live: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.float32]:
        assert past[:, 0].tolist() == cache[:, 1].tolist() and buckets.shape == live.shape
        self.pointed += 1
        return np.stack(
            [
                np.where(row, logarithms(self._where(edits), len(row)), np.float32(-1e9))
                for edits, row in zip(histories(cache, len(live)), live, strict=True)
            ]
        )

    def _content(
        self,
        at: npt.NDArray[np.int64],
        past: npt.NDArray[np.int64],
        cache: npt.NDArray[Any],
    ) -> npt.NDArray[np.float32]:
        assert past[:, 0].tolist() == cache[:, 1].tolist()
        self.asked += 1
        return np.stack(
            [
                logarithms(self._what(edits, int(item)), self.vocabulary)
                for edits, item in zip(histories(cache, len(at)), at, strict=True)
            ]
        )


def history(cache: npt.NDArray[Any]) -> History:
    assert cache[0].tolist() == [0, START]
    return tuple(Edit(int(position), int(content)) for position, content in cache[1:])


def histories(cache: npt.NDArray[Any], count: int) -> list[History]:
    """The edits up to each of the last rows."""
    return [history(cache[: len(cache) - row]) for row in reversed(range(count))]


def logarithms(probabilities: dict[int, float], size: int) -> npt.NDArray[np.float32]:
    out = np.full(size, -1e9, np.float32)
    for index, probability in probabilities.items():
        if index < size:
            out[index] = log(probability)
    return out


STATE = [START, *range(10, 40)]
NEXT = len(STATE)  # the item of the first edit


def typing(*tokens: int, probability: float = 1.0) -> tuple[Where, What]:
    """After what was there: `tokens` behind item 5, one after another, then a save."""

    def where(edits: History) -> dict[int, float]:
        if not edits:
            return {5: 1.0}
        return {NEXT + len(edits) - 1: 1.0} if len(edits) < len(tokens) else {0: 1.0}

    def what(edits: History, position: int) -> dict[int, float]:
        if position == 0:
            return {SAVE: 1.0}
        if len(edits) == len(tokens):
            return {}
        return {tokens[len(edits)]: probability, 99: 1.0001 - probability}

    return where, what


def typed(*tokens: int) -> tuple[Edit, ...]:
    anchors = [5, *range(NEXT, NEXT + len(tokens) - 1)]
    return tuple(map(Edit, anchors, tokens))


# -- following -----------------------------------------------------------------------------------


def test_only_new_edits_are_read() -> None:
    network = Scripted(lambda edits: {len(edits): 1.0}, lambda edits, at: {50: 1.0})
    sequence = Sequence(network, STATE)
    assert network.encoded == [STATE]
    assert (network.read, sequence.rows) == (1, 1)
    edits = [Edit(3, 50), Edit(NEXT, 51), Edit(0, SAVE), Edit(7, DELETE)]
    for wanted, new in (
        (edits[:2], 2),
        (edits[:2], 0),
        (edits, 2),
        (edits[:1], 0),  # the user took something back
        (edits[:3], 0),  # ... and put it there again
        (edits[:2], 0),
        (edits[:1], 0),
        (edits, 0),
        (edits[:1], 0),
        ([edits[0], Edit(NEXT, 60), Edit(NEXT + 1, 61)], 2),  # ... or typed something else
        ([], 0),
        (edits, 3),  # all but the first
    ):
        read, advanced = network.read, network.advanced
        sequence.follow(wanted)
        assert network.read == read + new
        assert network.advanced == advanced + (new > 0)  # together
        assert sequence.timeline.edits == wanted and sequence.rows == len(wanted) + 1
        assert int(sequence.position.argmax()) == len(wanted)
    assert len(network.encoded) == 1


def test_where_the_next_edit_is_is_looked_for_once_somebody_asks() -> None:
    network = Scripted(lambda edits: {len(edits): 1.0}, lambda edits, at: {50: 1.0})
    sequence = Sequence(network, STATE)
    edits = [Edit(3, 50), Edit(NEXT, 51), Edit(0, SAVE)]
    sequence.follow(edits)
    assert network.pointed == 0
    assert int(sequence.position.argmax()) == int(sequence.position.argmax()) == 3
    assert network.pointed == 1
    sequence.follow(edits[:1])
    assert int(sequence.position.argmax()) == 1
    assert network.pointed == 2


def test_only_the_last_answers_are_kept() -> None:
    network = Scripted(lambda edits: {len(edits): 1.0}, lambda edits, at: {at: 1.0})
    sequence = Sequence(network, STATE)
    edits = [Edit(0, 50 + number % 7) for number in range(100)]
    for count in range(len(edits) + 1):
        sequence.follow(edits[:count])
        sequence.content(1)
    assert network.asked == len(edits) + 1
    sequence.content(1)
    sequence.truncate(len(edits) - 5)
    sequence.content(1)
    assert network.asked == len(edits) + 1
    assert sum(map(len, sequence._answers)) + 5 == _MOST_ANSWERS
    sequence.truncate(0)
    assert int(sequence.content(1).argmax()) == 1  # asked again
    assert network.asked == len(edits) + 2
    sequence.forget_answers()
    sequence.content(1)
    sequence.follow(edits)
    assert network.asked == len(edits) + 3
    assert network.read == len(edits) + 1


def test_what_was_taken_back_is_forgotten() -> None:
    seen: list[History] = []

    def what(edits: History, position: int) -> dict[int, float]:
        seen.append(edits)
        return {50: 1.0}

    sequence = Sequence(Scripted(lambda edits: {1: 1.0}, what), STATE)
    sequence.follow([Edit(3, 50), Edit(4, 51), Edit(5, 52)])
    sequence.follow([Edit(3, 50), Edit(6, 53)])
    sequence.content(1)
    assert seen == [(Edit(3, 50), Edit(6, 53))]


def test_a_sequence_may_be_long() -> None:
    network = Scripted(lambda edits: {len(edits) % 7: 1.0}, lambda edits, at: {len(edits) % 9: 1.0})
    sequence = Sequence(network, STATE)
    edits = [Edit(index % 20, 50 + index % 40) for index in range(200)]
    sequence.follow(edits)
    assert sequence.rows == 201
    assert int(sequence.position.argmax()) == 200 % 7
    assert int(sequence.content(3).argmax()) == 200 % 9


def test_impossible_edits_are_refused() -> None:
    network = Scripted(*typing(50))
    sequence = Sequence(network, STATE)
    with pytest.raises(EditError):
        sequence.follow([Edit(3, DELETE), Edit(3, 50)])
    assert sequence.timeline.edits == [] and sequence.rows == 1
    sequence.follow([Edit(3, DELETE), Edit(2, 50)])
    assert network.read == sequence.rows == 3


def test_the_oldest_answers_give_way() -> None:
    network = Scripted(lambda edits: {len(edits): 1.0}, lambda edits, at: {at: 1.0})
    sequence = Sequence(network, STATE)
    for item in range(_MOST_ANSWERS + 1):
        sequence.content(item)
    assert sum(map(len, sequence._answers)) == _MOST_ANSWERS


def decoded(sequence: Sequence, **given: Any) -> Decoded:
    """Decode a suggestion, which must be there."""
    found = decode(sequence, **given)
    assert found is not None
    return found


# -- decoding ------------------------------------------------------------------------------------


def test_greedy_decoding_follows_the_script_and_adds_up() -> None:
    sequence = Sequence(Scripted(*typing(50, 51, 52, probability=0.8)), STATE)
    found = decoded(sequence)
    assert found.edits == typed(50, 51, 52)
    assert found.log_probability == pytest.approx(3 * log(0.8), abs=1e-5)
    assert found.location == pytest.approx(0.0, abs=1e-5)
    assert [count for count, _ in found.boundaries] == [1, 2, 3]
    for count, joint in found.boundaries:
        assert joint == pytest.approx(count * log(0.8), abs=1e-5)


def test_what_is_too_improbable_is_cut_off_again() -> None:
    sequence = Sequence(Scripted(*typing(50, 51, 52, 53, 54, probability=0.8)), STATE)
    found = decoded(sequence, floor=log(0.5), splits=lambda before, token: token == 52)
    assert found.edits == typed(50, 51)


def test_decoding_leaves_the_sequence_as_it_was() -> None:
    network = Scripted(*typing(50, 51, 52, 53))
    sequence = Sequence(network, STATE)
    sequence.follow(typed(50))
    position, rows = sequence.position, sequence.rows
    found = decoded(sequence)
    assert found.edits == typed(50, 51, 52, 53)[1:]
    assert sequence.timeline.edits == list(typed(50))
    assert (sequence.rows, sequence.position is position) == (rows, True)
    asked = network.advanced
    sequence.follow(typed(50))
    assert network.advanced == asked
    assert decode(sequence) == found


def test_an_edit_is_read_once_while_decoding() -> None:
    network = Scripted(*typing(50, 51, 52, 53))
    sequence = Sequence(network, STATE)
    decode(sequence)
    assert network.advanced == 1 + 4
    sequence.score(sequence.position, typed(50, 51, 52, 53), 4)
    assert network.advanced == 1 + 4  # and scored without reading anything


def test_it_ends_where_the_network_goes_elsewhere() -> None:
    def where(edits: History) -> dict[int, float]:
        return {5: 1.0} if not edits else {NEXT: 1.0} if len(edits) == 1 else {28: 1.0}

    sequence = Sequence(Scripted(where, lambda edits, at: {50 + len(edits): 1.0}), STATE)
    found = decoded(sequence)
    assert found.edits == typed(50, 51)


def test_an_edit_close_by_belongs_to_it() -> None:
    def where(edits: History) -> dict[int, float]:
        return [{5: 1.0}, {10: 1.0}, {0: 1.0}][len(edits)]

    def what(edits: History, position: int) -> dict[int, float]:
        return {SAVE: 1.0} if position == 0 else {DELETE: 1.0}

    found = decoded(Sequence(Scripted(where, what), STATE))
    assert found.edits == (Edit(5, DELETE), Edit(10, DELETE))


def test_a_save_goes_without_saying() -> None:
    def what(edits: History, position: int) -> dict[int, float]:
        return {SAVE: 0.9, 60: 0.1} if position == 0 else {50: 1.0}

    found = decoded(Sequence(Scripted(lambda edits: {0: 0.7, 5: 0.3}, what), STATE), limit=1)
    assert found.edits == (Edit(5, 50),)


def test_the_floor_cuts_back_to_a_boundary() -> None:
    script = typing(50, 51, 52, 53, 54, 55, probability=0.8)

    def splits(before: Any, token: int) -> bool:
        return token % 2 == 0  # before 52 and before 54

    found = decoded(Sequence(Scripted(*script), STATE), splits=splits, floor=5.5 * log(0.8))
    assert found.edits == typed(50, 51, 52, 53)
    assert found.log_probability == pytest.approx(4 * log(0.8), abs=1e-5)
    # Below the floor before the first boundary: it goes on to that boundary.
    found = decoded(Sequence(Scripted(*script), STATE), splits=splits, floor=0.5 * log(0.8))
    assert found.edits == typed(50, 51)
    assert found.log_probability == pytest.approx(2 * log(0.8), abs=1e-5)


def test_it_is_cut_where_it_fits() -> None:
    script = typing(50, 51, 52, 53, probability=0.8)
    asked: list[int] = []

    def found(floor: float, *good: int) -> tuple[Edit, ...] | None:
        asked.clear()

        def fits(edits: tuple[Edit, ...]) -> bool:
            asked.append(len(edits))
            return len(edits) in good

        sequence = Sequence(Scripted(*script), STATE)
        out = decode(sequence, floor=floor, fits=fits)
        return out.edits if out else None

    two = 2.5 * log(0.8)  # as far as the second edit it is above the floor
    assert found(two, 1, 2, 3, 4) == typed(50, 51)
    assert found(two, 1, 4) == typed(50)
    assert asked == [2, 1]  # the longest first, and only when it has to end
    assert found(two, 3, 4) == typed(50, 51, 52)
    assert asked == [2, 1, 3]  # none twice
    assert found(two, 4) == typed(50, 51, 52, 53)
    assert found(two) is None


def test_another_place_is_tried_where_nothing_fits() -> None:
    def where(edits: History) -> dict[int, float]:
        return {5: 0.5, 9: 0.3, 14: 0.1, 15: 0.06, 16: 0.04} if not edits else {0: 1.0}

    def what(edits: History, position: int) -> dict[int, float]:
        return {SAVE: 1.0} if position == 0 else {50: 1.0}

    def found(*good: int) -> int | None:
        sequence = Sequence(Scripted(where, what), STATE)
        out = decode(sequence, fits=lambda edits: edits[0].position in good)
        assert len(sequence.timeline) == 0
        return out.edits[0].position if out else None

    assert found(5, 9) == 5
    assert found(9, 14) == 9
    assert found(15) == 15
    assert found(16) is None  # not the fifth place

    asked: list[int] = []

    def contents(edits: History, position: int) -> dict[int, float]:
        asked.append(position)
        return what(edits, position)

    decode(Sequence(Scripted(where, contents), STATE), fits=lambda edits: True)
    assert set(asked) == {0, 5}  # 9 is less probable whatever it says


def test_a_replacement_is_not_cut_between_its_halves() -> None:
    # Deleting 5 and 6 and typing two tokens: the only boundary is between the two, and the end.
    edits = (Edit(5, DELETE), Edit(6, DELETE), Edit(4, 50), Edit(NEXT + 2, 51))

    def where(so_far: History) -> dict[int, float]:
        return {edits[len(so_far)].position if len(so_far) < 4 else 0: 1.0}

    def what(so_far: History, position: int) -> dict[int, float]:
        return {edits[len(so_far)].content if len(so_far) < 4 else SAVE: 0.7}

    found = decoded(Sequence(Scripted(where, what), STATE), floor=log(0.5))
    assert found.edits == edits[:3]
    found = decoded(Sequence(Scripted(where, what), STATE))
    assert [count for count, _ in found.boundaries] == [3, 4]


def test_limit() -> None:
    forever = Scripted(
        lambda edits: {NEXT + len(edits) - 1 if edits else 5: 1.0}, lambda edits, at: {50: 1.0}
    )
    for limit in (1, 2, 7):
        found = decoded(Sequence(forever, STATE), limit=limit)
        assert found.edits == typed(*[50] * limit)
    # No whole token within the limit: nothing to suggest.
    assert decode(Sequence(forever, STATE), limit=3, splits=lambda before, token: False) is None


def test_cancelled() -> None:
    network = Scripted(*typing(50, 51, 52, 53))
    sequence = Sequence(network, STATE)
    found = decoded(sequence)
    for runs in range(6):
        sequence = Sequence(network, STATE)
        answers = iter([False] * runs)
        before = network.advanced + network.pointed + network.asked
        sequence.is_cancelled = lambda it=answers: next(it, True)  # type: ignore[misc]
        with pytest.raises(CancelledError):
            decode(sequence)
        assert network.advanced + network.pointed + network.asked == before + runs
        assert sequence.timeline.edits == []
        sequence.is_cancelled = never
        assert decode(sequence) == found


def test_what_cannot_be_is_never_decoded() -> None:
    # A network may leave some probability to what is impossible: a copy of the start token, say.
    def what(edits: History, position: int) -> dict[int, float]:
        wrong = {PAD: 0.3, START: 0.3, DELETE if position == 0 else SAVE: 0.3}
        return wrong | {50 + len(edits): 0.08, 60: 0.02}

    network = Scripted(lambda edits: {0: 0.5, 1: 0.3, 2: 0.2}, what)
    found = decoded(Sequence(network, STATE), limit=3)
    assert found is not None
    assert all(edit.content >= 50 for edit in found.edits)


def test_where_nothing_is_likely_nothing_breaks() -> None:
    def nothing(*asked: Any) -> dict[int, float]:
        return {}

    for state in (STATE, [START]):
        assert decode(Sequence(Scripted(nothing, nothing), state)) is None
    # ... nor where the network is sure of the one thing that is not to be said.
    sure = Scripted(lambda edits: {0: 1.0}, lambda edits, at: {SAVE: 1.0})
    assert decode(Sequence(sure, [START])) is None
