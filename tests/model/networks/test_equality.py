"""Equality of tokens as input, and the pointers that use it."""

import pytest
import torch
from torch import Tensor

from editcast_model.edits import PAD, START
from editcast_model.networks.config import VECTOR
from editcast_model.networks.equality import REACH, Neighbours, Written, around, token_vectors
from editcast_model.networks.heads import NEAR, Copy
from editcast_papers.zhao2019.networks.equality import Seek
from editcast_papers.zhao2019.networks.heads import Scan

STATE = torch.tensor([START, 7, 8, 7, 7, 9, 8, 10, 7, 11, 12, 8])


def renamed(state: Tensor) -> Tensor:
    """Other tokens, equal where they were equal."""
    return torch.where(state > START, 40 - state, state)


@pytest.mark.parametrize("vocabulary", [14, VECTOR, 60])
def test_equal_tokens_have_equal_vectors_and_others_nearly_orthogonal_ones(vocabulary: int) -> None:
    products = token_vectors(vocabulary) @ token_vectors(vocabulary).T
    same = torch.eye(vocabulary)
    same[PAD, PAD] = 0
    far = 1e-5 if vocabulary <= VECTOR else 0.95
    torch.testing.assert_close(products.diagonal(), same.diagonal())
    assert (products - same).abs().max() < far


def test_neighbours_tell_which_are_equal_and_not_what_they_are() -> None:
    torch.manual_seed(0)
    neighbours = Neighbours(16)
    said = neighbours(STATE)
    torch.testing.assert_close(neighbours(renamed(STATE)), said)
    other = STATE.clone()
    other[5] = 7
    assert (neighbours(other) - said).abs().max() > 0.01
    padded = torch.cat([STATE, torch.full((3,), PAD)])  # padding is equal to nothing
    torch.testing.assert_close(neighbours(padded)[: len(STATE)], said)


def test_around_a_site_nothing_stands_outside_the_state() -> None:
    values = torch.arange(1.0, 5.0)[:, None]
    found = around(values, torch.tensor([0, 3])).squeeze(-1)
    assert found.tolist() == [
        [0.0] * REACH + [1.0, 2.0, 3.0, 4.0] + [0.0] * (REACH - 3),
        [0.0] * (REACH - 3) + [1.0, 2.0, 3.0, 4.0] + [0.0] * REACH,
    ]


def test_what_was_written_is_compared_with_what_stood_there() -> None:
    torch.manual_seed(0)
    written, vectors = Written(8), token_vectors(20)
    beside = around(vectors[STATE[None]], torch.tensor([[5]]))
    before = torch.zeros(1, 1, 8, VECTOR)
    as_before = written(vectors[8][None, None], beside, before)
    torch.testing.assert_close(
        written(vectors[13][None, None], beside * 0, before),
        torch.zeros(1, 1, 8),
        atol=1e-5,
        rtol=0,
    )
    assert (as_before - written(vectors[13][None, None], beside, before)).abs().max() > 0.01


def test_seeking_does_not_depend_on_which_tokens_are_sought() -> None:
    torch.manual_seed(0)
    seek, vectors = Seek(16, 2), token_vectors(20)
    hidden, places = torch.randn(1, 1, 16), torch.zeros(1, 12, 32)
    ahead = torch.ones(1, 1, 12, dtype=torch.bool)

    def found(token: int, state: Tensor) -> tuple[Tensor, Tensor]:
        sought = vectors[token].expand(1, 1, 2, VECTOR)
        logits, stands = seek(hidden, sought, vectors[state][None], places, ahead)
        return logits.squeeze(), stands[0, 0, 0]

    swap = torch.arange(20)
    swap[[7, 9]] = swap[[9, 7]]
    logits, stands = found(7, STATE)
    assert (stands > 0.5).tolist() == (STATE == 7).tolist()
    torch.testing.assert_close(found(9, swap[STATE])[0], logits, atol=1e-5, rtol=0)
    assert (found(9, STATE)[0] - logits).abs().max() > 0.01


def scanned(logits: list[float], ahead: list[bool], last: int = 0) -> list[float]:
    scan = Scan(4)
    with torch.no_grad():
        for layer, bias in ((scan.stop, 0.0), (scan.gate, 20.0)):
            layer.weight.zero_()
            layer.bias.fill_(bias)
        said = scan(
            torch.zeros(1, 4),
            torch.tensor([logits]),
            torch.tensor([ahead]),
            torch.tensor([[last]]),
            torch.ones(1, len(logits), dtype=torch.bool),
        )
    chances: list[float] = said.exp().squeeze(0).tolist()
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    return chances


def test_scanning_stops_at_the_first_place_that_will_do() -> None:
    chances = scanned([9.0, -9.0, 9.0, -9.0, 9.0, -9.0], [False, True, True, True, True])
    assert chances[2] > 0.99
    # Where nothing will do, the softmax pointer decides.
    chances = scanned([-9.0, -9.0, -9.0, -9.0, 5.0], [True, True, True, True])
    assert chances[4] > 0.99


def test_scanning_begins_with_the_last_insertion() -> None:
    # Five tokens of the state, of which two are ahead, and an insertion before them.
    logits = [-9.0, -9.0, -9.0, 9.0, 9.0, 9.0]
    assert scanned(logits, [False, False, False, True, True], last=5)[5] > 0.99
    assert scanned(logits, [False, False, False, True, True], last=4)[3] > 0.99


def test_copying_prefers_by_where_tokens_stand() -> None:
    copy = Copy(4)
    with torch.no_grad():
        for layer, favourite in ((copy.beside, NEAR - 2), (copy.ago, 1)):
            layer.weight.zero_()
            layer.bias.zero_()
            layer.bias[favourite] = 5.0
    ago = torch.tensor([[2, 1, 0]])
    bias = copy.nearness(torch.zeros(1, 4), torch.tensor([3]), 6, ago)
    assert bias.squeeze(0).tolist() == [0, 5, 0, 0, 0, 0, 0, 5, 0]
