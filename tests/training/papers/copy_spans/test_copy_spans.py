"""Copying of spans: the likelihood and the search against all sequences of actions."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from editcast_papers.copy_spans.likelihood import correct_actions, log_likelihood
from editcast_papers.copy_spans.network import Actions, Copier
from editcast_papers.copy_spans.pairs import END, PAD, UNKNOWN, Batch, Pair, collate, matches
from editcast_papers.copy_spans.search import CONTINUED, GENERATED, Merge, search

KNOWN = 7  # ids 4, 5, 6 can be generated; 7 and 8 can be copied only
_words = st.lists(st.integers(4, 8), min_size=1, max_size=5)
_texts = st.lists(st.tuples(_words, _words), min_size=1, max_size=3)


def _pair(before: Sequence[int], after: Sequence[int]) -> Pair:
    return Pair(torch.tensor(before), torch.tensor(after))


def _batch(before: list[int], after: list[int]) -> Batch:
    sides = torch.tensor([before]), torch.tensor([after])
    return Batch(*sides, matches(*sides))


def _ways(
    before: list[int], after: list[int], *, spans: bool, forced: bool
) -> Iterator[list[tuple[int, int, int]]]:
    """All sequences of actions that write a text: (place, first, length), length 0 for Gen."""

    def go(place: int) -> Iterator[list[tuple[int, int, int]]]:
        if place == len(after):
            yield []
            return
        copies = [
            (place, first, length)
            for length in range(1, len(before) + 1 if spans else 2)
            for first in range(len(before) - length + 1)
            if before[first : first + length] == after[place : place + length]
        ]
        if forced:
            longest = max((length for *_, length in copies), default=0)
            copies = [one for one in copies if one[2] == longest]
        steps = list(copies)
        if not copies or (not forced and after[place] < KNOWN):
            steps.append((place, 0, 0))
        for step in steps:
            for rest in go(place + max(step[2], 1)):
                yield [step, *rest]

    return go(0)


def _log_probability(
    actions: Actions, row: int, after: list[int], way: list[tuple[int, int, int]]
) -> float:
    total = 0.0
    for place, first, length in way:
        if length:
            span = actions.first[row, place, first] + actions.last[row, place, first + length - 1]
            total += float(span)
        else:
            word = after[place] if after[place] < KNOWN else UNKNOWN
            total += float(actions.vocabulary[row, place, word])
    return total


@given(texts=_texts, spans=st.booleans(), forced=st.booleans(), seed=st.integers(0, 99))
def test_the_likelihood_is_that_of_all_ways(
    texts: list[tuple[list[int], list[int]]], spans: bool, forced: bool, seed: int
) -> None:
    batch = collate(_pair(*text) for text in texts)
    torch.manual_seed(seed)
    vocabulary = torch.randn(*batch.after.shape, KNOWN) * 3 - 3
    first, last = torch.randn(2, *batch.matches.shape) * 3
    actions = Actions(vocabulary, first, last)
    correct = correct_actions(batch, KNOWN, spans=spans, forced=forced)
    found = log_likelihood(actions, correct, batch.after)
    for row, (before, after) in enumerate(texts):
        ended = [*after, END]
        logs = [
            _log_probability(actions, row, ended, way)
            for way in _ways(before, ended, spans=spans, forced=forced)
        ]
        assert float(found[row]) == pytest.approx(
            float(torch.tensor(logs).logsumexp(0)), rel=1e-4, abs=1e-4
        )


def _network(*, spans: bool, seed: int) -> Copier:
    torch.manual_seed(seed)
    network = Copier(KNOWN, 8, spans=spans).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.mul_(3)  # so that probabilities differ
    return network


@pytest.mark.parametrize("spans", [True, False])
def test_the_actions_of_a_place_have_probability_one(spans: bool) -> None:
    network = _network(spans=spans, seed=1)
    batch = collate([_pair([4, 5, 8, 6], [4]), _pair([5], [6, 5, 4])])
    actions = network(batch)
    every = actions.first[..., :, None] + actions.last[..., None, :]
    size = batch.before.shape[1]
    kept = torch.ones(size, size).triu() if spans else torch.eye(size)
    total = actions.vocabulary.exp().sum(-1) + (every.exp() * kept).sum((-1, -2))
    assert torch.allclose(total, torch.ones_like(total), atol=1e-5)
    assert float(actions.vocabulary[..., PAD].max()) < -1e6


def test_what_is_padded_changes_nothing() -> None:
    network = _network(spans=True, seed=2)
    pairs = [_pair([4, 5], [5]), _pair([4, 5, 6, 7, 8, 4], [5, 5, 6, 4])]

    def score(chosen: list[Pair]) -> Tensor:
        batch = collate(chosen)
        correct = correct_actions(batch, KNOWN, spans=True, forced=False)
        return log_likelihood(network(batch), correct, batch.after)

    together = score(pairs)
    assert torch.allclose(together, torch.cat([score([one]) for one in pairs]), atol=1e-4)


def _all_texts(network: Copier, before: list[int], longest: int) -> dict[tuple[int, ...], float]:
    """The probability of each text that ends within `longest` words, over all ways."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    size = len(before)

    @cache
    def act(text: tuple[int, ...]) -> Actions:
        actions: Actions = network(_batch(before, [*text, PAD]))
        return actions

    def go(text: list[int], log: float) -> None:
        actions, at = act(tuple(text)), len(text)
        for word in range(KNOWN):
            one = log + float(actions.vocabulary[0, at, word])
            if word == END and at < longest:
                found[(*text, END)] += math.exp(one)
            elif at + 1 < longest and one > -1e6:
                go([*text, word], one)
        for first in range(size):
            for last in range(first, size if network.spans else first + 1):
                span = before[first : last + 1]
                if at + len(span) < longest:
                    both = actions.first[0, at, first] + actions.last[0, at, last]
                    go([*text, *span], log + float(both))

    go([], 0.0)
    return found


@pytest.mark.parametrize(("spans", "seed"), [(True, 3), (True, 4), (False, 5)])
def test_a_wide_search_finds_the_probability_of_every_text(spans: bool, seed: int) -> None:
    network = _network(spans=spans, seed=seed)
    befores = [[4, 8, 4], [5, 5, 7]]
    batch = collate(_pair(before, [4]) for before in befores)
    found = search(network, batch, beam=500, longest=4, width=32)
    for row, before in enumerate(befores):
        wanted = _all_texts(network, before, 4)
        got = {
            tuple(word for word in text if word != PAD): math.exp(score)
            for text, score in zip(found.text[row].tolist(), found.score[row].tolist(), strict=True)
            if score > -math.inf
        }
        assert set(got) <= set(wanted)
        assert len(got) == len(wanted)
        for text, probability in got.items():
            assert probability == pytest.approx(wanted[text], rel=1e-3, abs=1e-6), text
        assert list(got.values()) == sorted(got.values(), reverse=True)


def _found(network: Copier, before: list[int], merge: Merge) -> list[tuple[tuple[int, ...], float]]:
    found = search(network, _batch(before, [END]), beam=30, longest=5, merge=merge)
    rays = zip(found.text[0].tolist(), found.score[0].tolist(), strict=True)
    return [
        (tuple(word for word in text if word != PAD), math.exp(score))
        for text, score in rays
        if score > -math.inf
    ]


def test_merging_at_the_end_adds_up_the_rays_that_were_never_merged() -> None:
    network = _network(spans=True, seed=17)
    before = [4, 5, 4]
    apart, late = _found(network, before, "never"), _found(network, before, "end")
    assert len(dict(apart)) == len(late) < len(apart)
    for text, probability in late:
        assert probability == pytest.approx(sum(one for own, one in apart if own == text), rel=1e-3)


def test_greedy_takes_the_likeliest_action_each_time() -> None:
    network = _network(spans=True, seed=7)
    before = [4, 5, 6, 8]
    found = search(network, _batch(before, [END]), beam=1, longest=9, merge="never")
    text: list[int] = []
    for word, how in zip(found.text[0, 0].tolist(), found.made[0, 0].tolist(), strict=True):
        if how == CONTINUED:
            text.append(word)
            continue
        actions = network(_batch(before, [*text, PAD]))
        spans = actions.first[0, -1, :, None] + actions.last[0, -1, None, :]
        spans = spans.masked_fill(torch.ones(4, 4).tril(-1) > 0, -math.inf)
        best = max(float(spans.max()), float(actions.vocabulary[0, -1].max()))
        taken = actions.vocabulary[0, -1, word] if how == GENERATED else spans.flatten()[how]
        assert float(taken) == pytest.approx(best, abs=1e-4)
        text.append(word)
        if word == END:
            break
    assert text[-1] == END or found.score[0, 0] == -math.inf
