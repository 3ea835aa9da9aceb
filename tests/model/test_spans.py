"""Spans against a list of all of them, and the likelihood against a list of all ways."""

import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor

from editcast_model.edits import DELETE, START, Timeline
from editcast_model.networks.batch import Instance, collate
from editcast_model.networks.spans import LONGEST, Spans, marginal, of_targets, room_of


@pytest.fixture()
def spans() -> Spans:
    torch.manual_seed(0)
    made = Spans(12)
    torch.nn.init.normal_(made.gate.bias)
    return made.requires_grad_(False)


def _said(spans: Spans, hidden: Tensor, keys: Tensor, room: Tensor, seen: Tensor) -> Any:
    products = [query @ keys.transpose(-1, -2) for query in spans.queries(hidden)]
    return spans(hidden, products, room, seen)


def _listed(
    spans: Spans, hidden: Tensor, keys: Tensor, room: Tensor, seen: Tensor
) -> dict[Any, Any]:
    """Log probability of every span (first item, length) of one step, by the definition."""
    start, end = (
        (keys @ query(hidden)) * len(hidden) ** -0.5 for query in (spans.start, spans.end)
    )
    scores = {
        (i, length): start[i] + end[i + length - 1]
        for i in range(len(keys))
        for length in range(2, int(room[i]) + 1)
        if all(seen[i : i + length])
    }
    if not scores:
        return {}
    total = torch.logsumexp(torch.stack(list(scores.values())), 0)
    opened = torch.nn.functional.logsigmoid(spans.gate(hidden)[0])
    return {span: float(score - total + opened) for span, score in scores.items()}


def test_room_ends_with_the_state_and_with_what_was_written_elsewhere() -> None:
    copyable = torch.tensor([[True, True, True, False, True, True, False, True, True, True]])
    behind = torch.tensor([[False, True, False, False, True, False]])
    assert room_of(copyable, 4, behind).tolist() == [[3, 2, 1, 0, 2, 1, 0, 2, 1, 1]]
    long = torch.ones(1, 20, dtype=torch.bool)
    assert room_of(long, 20, torch.zeros(1, 0, dtype=torch.bool))[0, :3].tolist() == [LONGEST] * 3


def test_factors_are_the_probabilities_of_all_spans(spans: Spans) -> None:
    hidden, keys = torch.randn(1, 6, 12), torch.randn(1, 15, 12)
    room = room_of(
        torch.ones(1, 15, dtype=torch.bool),
        9,
        torch.tensor([[False, True, True, False, True, True]]),
    )
    step, item = torch.arange(6)[:, None], torch.arange(15)
    seen = ((item < 9) | (item - 9 < step))[None]
    scores, shut, first = _said(spans, hidden, keys, room, seen)
    for t in range(6):
        every = _listed(spans, hidden[0, t], keys[0], room[0], seen[0, t])
        for (i, length), wanted in every.items():
            found = torch.log(scores.of_length(length)[0, t, i]) + scores.gate[0, t, 0]
            assert float(found) == pytest.approx(wanted, abs=1e-4)
        by_item = [math.fsum(math.exp(p) for (i, _), p in every.items() if i == n) for n in item]
        assert torch.exp(first[0, t]).tolist() == pytest.approx(by_item, abs=1e-5)
        assert math.fsum(by_item) + float(torch.exp(shut[0, t])) == pytest.approx(1, abs=1e-5)


def test_where_nothing_can_be_copied_nothing_is(spans: Spans) -> None:
    keys = torch.randn(1, 3, 12)
    room = torch.tensor([[1, 0, 1]])
    seen = torch.tensor([[[True, False, True]]])
    _, shut, first = _said(spans, torch.randn(1, 1, 12), keys, room, seen)
    assert float(shut) == 0
    assert (first < -50).all()


def test_what_comes_is_found_wherever_it_stands(spans: Spans) -> None:
    state = [START, 5, 6, 7, 9, 5, 6, 8]
    timeline = Timeline(state)
    timeline.replace(8, 8, [5, 6, 7, 4])
    timeline.save()
    timeline.replace(1, 1, [5, 6])
    batch = collate([Instance(state, list(timeline.edits))])
    assert batch.behind[0].tolist() == [False, True, True, True, False, False, True]
    count = batch.contents.shape[1] - 1
    keys, hidden = torch.randn(1, 8 + count, 12), torch.randn(1, count, 12)
    copyable = torch.cat([batch.state > 1, batch.copyable], 1)
    step, item = torch.arange(count)[:, None], torch.arange(8 + count)
    seen = copyable[:, None] & ((item < 8) | (item - 8 < step))
    scores, _, _ = _said(spans, hidden, keys, room_of(copyable, 8, batch.behind), seen)
    goes_on = torch.nn.functional.pad(batch.behind[:, 1:], (0, 1))
    found = of_targets(scores, batch.contents[:, 1:], batch.tokens, goes_on)[0]
    every = [
        _listed(spans, hidden[0, t], keys[0], scores.room[0], seen[0, t]) for t in range(count)
    ]

    def together(t: int, *places: tuple[int, int]) -> float:
        return math.log(math.fsum(math.exp(every[t][place]) for place in places))

    assert float(found[0, 0]) == pytest.approx(together(0, (1, 2), (5, 2)), abs=1e-4)
    assert float(found[0, 1]) == pytest.approx(together(0, (1, 3)), abs=1e-4)
    assert float(found[1, 0]) == pytest.approx(together(1, (2, 2)), abs=1e-4)
    assert float(found[5, 0]) == pytest.approx(together(5, (1, 2), (5, 2), (8, 2)), abs=1e-4)
    for t, length in ((0, 4), (2, 2), (3, 2), (4, 2), (6, 2)):
        assert found[t, length - 2] < -100


def test_deletions_go_on_to_the_next_token() -> None:
    state = [START, 5, 6, 7, 8, 9]
    timeline = Timeline(state)
    timeline.replace(2, 4, [])
    timeline.replace(3, 4, [])
    batch = collate([Instance(state, list(timeline.edits))])
    assert batch.contents[0, 1:].tolist() == [DELETE] * 3
    assert batch.onward[0].tolist() == [False, True, False]


def test_the_likelihood_is_that_of_all_ways() -> None:
    torch.manual_seed(1)
    count = 11
    steps, leaps = torch.randn(2, count), torch.randn(2, count, LONGEST - 1)
    found = marginal(steps, leaps)
    for row in range(2):
        ways = []
        for cuts in itertools.product((False, True), repeat=count - 1):
            ends = [index + 1 for index, cut in enumerate(cuts) if cut] + [count]
            total, start = 0.0, 0
            for end in ends:
                length = end - start
                if length > LONGEST:
                    total = -math.inf
                    break
                total += float(steps[row, start] if length == 1 else leaps[row, start, length - 2])
                start = end
            ways.append(total)
        assert float(found[row]) == pytest.approx(
            float(torch.logsumexp(torch.tensor(ways), 0)), abs=1e-4
        )
