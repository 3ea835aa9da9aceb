"""Several edits in one decision: spans that are copied, and runs of tokens that go."""

from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from editcast_model.edits import DELETE, SAVE, START, Edit
from editcast_model.inference.decoding import decode
from editcast_model.inference.sequence import Contents, Sequence
from editcast_model.networks.spans import LONGEST

STATE = [START, 10, 11, 12, 13, 10, 11, 14]
NEXT = len(STATE)


class Copying:
    """Types 20, then copies what `spans` says, then saves; counts how often it is asked where.

    `spans` has the probability of each (first item, length), of the whole content.
    """

    vocabulary = 40
    cache_width = 1
    dtype = np.float32

    def __init__(self, spans: dict[tuple[int, int], float], deletes: dict[int, float]) -> None:
        self._spans, self._deletes = spans, deletes
        self.pointed = 0

    def encode(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return tokens

    def advance(self, state: Any, edits: npt.NDArray[np.int64], *_: Any) -> npt.NDArray[Any]:
        return edits[:, :1].astype(np.float32)

    def point(
        self, state: Any, past: Any, cache: npt.NDArray[Any], buckets: Any, live: Any
    ) -> npt.NDArray[np.float32]:
        self.pointed += 1
        done = len(cache) - 1
        where = 2 if done == 0 else NEXT if done == 1 else 0
        out = np.full(len(live), -1e9, np.float32)
        out[where] = 0
        return out

    def content(self, state: Any, position: int, past: Any, cache: npt.NDArray[Any]) -> Contents:
        count = len(cache) - 1
        content = np.full(self.vocabulary, -1e9, np.float32)
        spans = np.full((LONGEST - 1, len(state) + count), -1e9, np.float32)
        deletes = np.full(LONGEST, -1e9, np.float32)
        if self._deletes and count == 0:
            content[DELETE] = log(0.9)
            for length, probability in self._deletes.items():
                deletes[length - 1] = log(probability)
        elif position == 0:
            content[SAVE] = 0
        elif count == 0:
            content[20] = 0
        else:
            content[10] = log(0.8)
            for (first, length), probability in self._spans.items():
                spans[length - 2, first] = log(probability)
        return Contents(content, spans, deletes)


def _after_typing(network: Copying, **given: Any) -> Any:
    (found,) = decode(Sequence(network, STATE), **given)
    return found


def test_a_span_is_one_decision() -> None:
    network = Copying({(1, 4): 0.6}, {})
    found = _after_typing(network)
    anchors = [2, NEXT, NEXT + 1, NEXT + 2, NEXT + 3]
    assert found.edits == tuple(map(Edit, anchors, (20, 10, 11, 12, 13)))
    assert found.log_probability == pytest.approx(log(0.6), abs=1e-5)
    assert found.decisions == 2
    assert network.pointed == 3  # the third time it is the save


def test_the_same_text_from_two_places_is_one() -> None:
    network = Copying({(1, 2): 0.25, (5, 2): 0.25, (1, 3): 0.2}, {})
    found = _after_typing(network)
    assert [edit.content for edit in found.edits] == [20, 10, 11]
    assert found.log_probability == pytest.approx(log(0.5), abs=1e-5)


def test_an_unlikely_span_is_left_for_its_first_token() -> None:
    found = _after_typing(Copying({(1, 2): 0.3}, {}))
    assert [edit.content for edit in found.edits] == [20, 10]
    assert found.log_probability == pytest.approx(log(0.8), abs=1e-5)
    # ... and so is one that would fall below the floor.
    found = _after_typing(Copying({(1, 2): 0.5}, {}), floor=log(0.7))
    assert [edit.content for edit in found.edits] == [20, 10]


def test_several_tokens_go_at_once() -> None:
    found = _after_typing(Copying({}, {3: 0.7, 1: 0.3}), limit=3)
    assert found.edits == (Edit(2, DELETE), Edit(3, DELETE), Edit(4, DELETE))
    assert found.log_probability == pytest.approx(log(0.9 * 0.7), abs=1e-5)
    assert found.decisions == 1
    too_many = Sequence(Copying({}, {8: 1.0}), STATE)
    assert too_many.leap(Edit(2, DELETE)) is None


def test_what_is_gone_is_passed_over() -> None:
    sequence = Sequence(Copying({}, {3: 1.0}), STATE)
    sequence.timeline.append(Edit(3, DELETE))
    leap = sequence.leap(Edit(2, DELETE))
    assert leap is not None
    assert leap[0] == [Edit(2, DELETE), Edit(4, DELETE), Edit(5, DELETE)]
