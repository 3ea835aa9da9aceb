"""Insertion in any order: relations, orders, likelihoods and searches against all permutations."""

import itertools
import math
import random
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from editcast_papers.indigo.networks.decoding import Decoded, by_left_neighbour, decode
from editcast_papers.indigo.networks.likelihood import of_orders, of_written
from editcast_papers.indigo.networks.network import Cache, Indigo
from editcast_papers.indigo.networks.positions import (
    DONE,
    END,
    LEFT,
    PAD,
    RIGHT,
    SPECIAL,
    START,
    extended,
    first_relations,
    places_of,
    read,
    relations_of,
    write,
)
from editcast_papers.indigo.orders import ORDERS, common_words, depths
from editcast_papers.indigo.runs import VARIANTS, loss_of
from editcast_papers.indigo.scores import appended
from editcast_papers.indigo.searched import search_orders
from editcast_papers.indigo.tasks import Batch, random_order

pytestmark = pytest.mark.usefixtures("one_thread")

KNOWN = 12  # ids 5 to 11 can be written, 12 and 13 only read
_insertions = st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=8)
_permutations = st.integers(1, 8).flatmap(lambda size: st.permutations(range(size)))


def _network(*, ordered: bool = True, seed: int = 0) -> Indigo:
    torch.manual_seed(seed)
    network = Indigo(14, KNOWN, 16, 2, ordered=ordered)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2)  # far from all words being alike
    return network.eval()


def _rows(*texts: Sequence[int]) -> Tensor:
    wide = max(len(text) for text in texts)
    return torch.tensor([[*text, *[PAD] * (wide - len(text))] for text in texts])


SOURCE = _rows([5, 7, 13], [8], [12, 9, 9])
TEXT = _rows([5, 6, 5, 8], [7, 9], [11, 10, 6])


# -- positions -----------------------------------------------------------------------------------


@given(_insertions)
def test_relations_grow_and_give_the_places(insertions: list[tuple[int, bool]]) -> None:
    relations, written = first_relations(1), [START, END]
    for word, (number, right) in enumerate(insertions, 5):
        choices = len(written) - 1  # right of any word but the end, left of any but the start
        beside = written[number % choices] if right else written[1 + number % choices]
        order = [START, END, *range(5, word)]
        at = torch.tensor([order.index(beside)])
        before = relations
        relations = extended(relations, at, torch.tensor([RIGHT if right else LEFT]))
        assert torch.equal(relations[:, :-1, :-1], before)  # nothing changes once it is there
        written.insert(written.index(beside) + right, word)
    words = torch.tensor([[START, END, *range(5, 5 + len(insertions))]])
    assert read(words, relations)[0].tolist() == written
    assert torch.equal(relations_of(places_of(relations)), relations)
    assert torch.equal(relations, -relations.transpose(1, 2))


@given(_permutations)
def test_a_text_written_in_any_order_is_the_text(order: list[int]) -> None:
    text = torch.randint(5, KNOWN, (1, len(order)))
    found = write(text, torch.tensor([order]))
    assert read(found.words, found.relations)[0].tolist() == [START, *text[0].tolist(), END]
    assert found.following[0].tolist() == [*text[0, order].tolist(), DONE]
    # Inserting beside the neighbours that are named builds the same relations.
    for side, neighbours in ((RIGHT, found.left), (LEFT, found.right)):
        relations = first_relations(1)
        for at in range(len(order)):
            relations = extended(relations, neighbours[:, at], torch.tensor([side]))
        assert torch.equal(relations, found.relations)


def test_padding_comes_behind_the_end_of_a_text() -> None:
    found = write(TEXT, random_order(TEXT))
    assert found.following.eq(DONE).sum(1).tolist() == [1, 1, 1]
    assert found.following[1].tolist()[2:] == [DONE, PAD, PAD]
    alone = write(TEXT[1:2, :2], torch.tensor([[1, 0]]))
    padded = write(TEXT[1:2], torch.tensor([[1, 0, 2, 3]]))
    assert torch.equal(padded.relations[:, :4, :4], alone.relations)
    assert torch.equal(padded.left[:, :2], alone.left)


# -- orders --------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.sampled_from(sorted(ORDERS)))
def test_orders_are_permutations(words: list[str], name: str) -> None:
    assert sorted(ORDERS[name](words, frozenset("ab"))) == list(range(len(words)))


def test_orders_as_the_paper_says_them() -> None:
    words = "if x . y ( b ) :".split()
    common = frozenset([".", "(", ")", ":"])
    assert ORDERS["R2L"](words, common) == [7, 6, 5, 4, 3, 2, 1, 0]
    assert ORDERS["ODD"](words, common) == [0, 2, 4, 6, 1, 3, 5, 7]
    assert ORDERS["BLT"](words[:7], common) == [3, 1, 5, 0, 2, 4, 6]
    assert ORDERS["CF"](words, common) == [2, 4, 6, 7, 0, 1, 3, 5]
    assert ORDERS["RF"](words, common) == [0, 1, 3, 5, 2, 4, 6, 7]
    assert [words[at] for at in ORDERS["SYN"](words, common)] == "if : ( ) . y b x".split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("try :", [0, 0]),
        ("else :", [1, 1]),
        ("elif a :", [2, 3, 2]),
        ("except a as b :", [2, 3, 2, 2, 2]),
        ("@ a . b", [1, 3, 2, 2]),
        ("return f ( _STR:0_ )", [2, 4, 3, 4, 3]),
        ("' ( '", [3, 3, 3]),
        ("finally :", [0, 0]),
        ("a ) (", [0, 0, 0]),
        ("{ }", [2, 2]),
    ],
)
def test_depths_of_lines_that_are_half_a_statement(line: str, found: list[int]) -> None:
    order = [rank for _, rank in sorted((depth, at) for at, depth in enumerate(found))]
    depth = depths(line.split())
    assert [at for _, at in sorted((one, at) for at, one in enumerate(depth))] == order


def test_common_words_make_up_half() -> None:
    assert common_words([["a", "a", "b"], ["a", "c", "b"]]) == frozenset("a")
    assert common_words([["a", "b"], ["c", "a", "b", "d"]]) == frozenset("ab")


def test_random_orders_differ_and_leave_padding_last() -> None:
    torch.manual_seed(1)
    text = torch.cat([torch.full((50, 6), 5), torch.zeros((50, 2), dtype=torch.int64)], 1)
    orders = random_order(text)
    assert len({tuple(one) for one in orders.tolist()}) > 40
    assert torch.equal(orders[:, 6:], torch.tensor([[6, 7]]).expand(50, -1))


# -- the network ---------------------------------------------------------------------------------


@given(_permutations, st.integers(0, 2))
def test_word_by_word_equals_all_at_once(order: list[int], row: int) -> None:
    network = _network()
    memory = network.encode(SOURCE[row : row + 1])
    written = write(torch.randint(5, KNOWN, (1, len(order))), torch.tensor([order]))
    with torch.no_grad():
        once = network.decode(written.words, written.relations, memory).states
        cache: Cache | None = None
        for end, start in ((2, 0), *((at + 1, at) for at in range(2, len(order) + 2))):
            rows = written.relations[:, start:end, :end]
            cache = network.decode(written.words[:, start:end], rows, memory, cache)
    assert cache is not None
    torch.testing.assert_close(cache.states, once, atol=1e-5, rtol=1e-4)


def test_padding_changes_nothing() -> None:
    network = _network()
    with torch.no_grad():
        orders = torch.tensor([[[1, 0, 2, 3]]] * 3)
        every = of_orders(network, SOURCE, TEXT, orders)
        alone = of_orders(network, SOURCE[1:2, :1], TEXT[1:2, :2], orders[1:2, :, :2])
    torch.testing.assert_close(every[1], alone[0], atol=1e-4, rtol=1e-5)


def test_a_bag_of_words_has_no_order() -> None:
    with torch.no_grad():
        for ordered in (False, True):
            network = _network(ordered=ordered)
            orders = torch.tensor([[[0, 1, 2, 3]]])
            one, other = (
                of_orders(network, source, TEXT[:1], orders)
                for source in (SOURCE[:1], SOURCE[:1].flip(1))
            )
            assert torch.allclose(one, other, atol=1e-4) is not ordered


def test_places_are_all_there_are() -> None:
    """Check that the places between the words that are there have probability 1 together."""
    network = _network()
    with torch.no_grad():
        written = write(TEXT[:1], torch.tensor([[2, 0, 3, 1]]))
        memory = network.encode(SOURCE[:1])
        states = network.decode(written.words, written.relations, memory).states
        known = torch.ones((1, 1, 5), dtype=torch.bool)
        scores = network.places(states[:, 4:5], torch.tensor([[6]]), states[:, :5], known)[:, 0]
        places = by_left_neighbour(scores, written.relations[:, :5, :5])
    assert places[0, 1] == -math.inf  # nothing stands behind the end
    assert places.exp().sum().item() == pytest.approx(1, abs=1e-5)
    by_hand = of_written(network, memory, written).places[0, 3]
    assert places[0, written.left[0, 3]].item() == pytest.approx(by_hand.item(), abs=1e-4)


# -- searches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [True, False])
def test_the_search_finds_the_likeliest_of_all_permutations(ordered: bool) -> None:
    network = _network(ordered=ordered)
    found = search_orders(network, SOURCE, TEXT, 24)
    for row, length in enumerate((4, 2, 3)):
        orders = [[*order, *range(length, 4)] for order in itertools.permutations(range(length))]
        with torch.no_grad():
            scores = of_orders(
                network, SOURCE[row : row + 1], TEXT[row : row + 1], torch.tensor([orders])
            )[0]
        best = scores.argsort(descending=True)
        assert found.order[row, : len(orders)].tolist() == [orders[at] for at in best.tolist()]
        torch.testing.assert_close(found.score[row, : len(orders)], scores[best])
        assert (found.score[row, len(orders) :] == -math.inf).all()
        assert (found.order[row, len(orders) :] == found.order[row, 0]).all()


@given(st.integers(1, 5), st.integers(0, 1000))
def test_orders_searched_are_permutations_of_their_scores(beam: int, seed: int) -> None:
    network = _network(seed=seed)
    found = search_orders(network, SOURCE, TEXT, beam)
    assert found.order.sort(-1).values.eq(torch.arange(4)).all()
    with torch.no_grad():
        again = of_orders(network, SOURCE, TEXT, found.order)
    real = found.score > -math.inf
    torch.testing.assert_close(found.score[real], again[real], atol=1e-3, rtol=1e-4)


def test_dropout_makes_the_search_explore() -> None:
    network = _network()
    found = [search_orders(network.train(noise), SOURCE, TEXT, 3) for noise in (False, False, True)]
    assert torch.equal(found[0].score, found[1].score)
    assert not torch.equal(found[0].score, found[2].score)


def _greedy(network: Indigo, source: Tensor, longest: int) -> Decoded:
    """Decode one source word by word, with all computed anew for each."""
    memory = network.encode(source)
    words, relations = torch.tensor([[START, END]]), first_relations(1)
    for _ in range(longest + 1):
        states = network.decode(words, relations, memory).states
        word = (network.words(states[:, -1]) + network.never()).argmax(-1)
        if word.item() == DONE:
            return Decoded(
                words[0, 2:].tolist(), [at - 1 for at in places_of(relations)[0, 2:].tolist()]
            )
        known = torch.ones((1, 1, words.shape[1]), dtype=torch.bool)
        scores = network.places(states[:, -1:], word[None], states, known)[:, 0]
        left = by_left_neighbour(scores, relations).argmax(-1)
        relations = extended(relations, left, torch.tensor([RIGHT]))
        words = torch.cat([words, word[None]], 1)
    return Decoded((), ())


def test_a_beam_of_one_is_greedy_and_a_wide_one_is_likelier() -> None:
    likelier = 0
    for seed in range(8):
        network = _network(seed=seed)
        with torch.no_grad():
            network.embedding.weight[DONE] *= 2  # texts end at times
        found = decode(network, SOURCE, 1, 6)
        with torch.no_grad():
            assert found == [_greedy(network, SOURCE[row : row + 1], 6) for row in range(3)]
        wide = decode(network, SOURCE, 20, 6)
        likelier += sum(
            _by_word(network, row, one) >= _by_word(network, row, other) - 1e-4
            for row, (one, other) in enumerate(zip(wide, found, strict=True))
        )
    assert likelier >= 22  # of 24: a beam is no search of everything


def _by_word(network: Indigo, row: int, found: Decoded) -> float:
    if not found.words:
        return -math.inf
    text = torch.tensor([found.text()])
    order = torch.tensor([[found.places]])
    with torch.no_grad():
        total = of_orders(network, SOURCE[row : row + 1], text, order)
    return total.item() / (len(found.words) + 1)


def test_a_text_that_never_ends_is_empty() -> None:
    network = _network()
    with torch.no_grad():
        network.never = lambda: torch.full((KNOWN,), 0.0).index_fill(  # type: ignore[method-assign]
            0, torch.tensor([DONE, 0, 2, 3]), -1e9
        )
    assert decode(network, SOURCE, 2, 4) == [Decoded((), ())] * 3


def test_words_written_behind_the_one_before() -> None:
    assert appended([Decoded([5, 6, 7], [0, 1, 2])]) == 100.0
    assert appended([Decoded([5, 6, 7], [2, 1, 0])]) == 0.0
    assert appended([Decoded([5, 6, 7], [0, 2, 1])]) == 50.0
    assert appended([Decoded([], [])]) == 0.0


# -- training ------------------------------------------------------------------------------------

#: The first losses of ways to train, at a seed.
GOLDEN = {
    "L2R": [12.0019, 10.2058, 12.5128, 9.5789, 8.4282],
    "RND": [12.6283, 14.9074, 12.0208, 8.5652, 10.3137],
    "SAO": [12.0019, 10.2058, 10.5738, 8.9535, 10.0475],
    "SAO, no bootstrap, no noise": [11.9192, 9.0624, 12.7909, 7.4471, 9.4085],
}


def _losses(name: str) -> list[float]:
    network = _network(seed=3).train()
    rate = torch.optim.Adam(network.parameters(), lr=0.001)
    draw = random.Random(5)
    found = []
    for step in range(5):
        torch.manual_seed(step)
        texts = [[draw.randint(5, 11) for _ in range(draw.randint(1, 5))] for _ in range(4)]
        text = _rows(*texts)
        order = torch.arange(text.shape[1]).expand_as(text)
        batch = Batch(_rows(*[sorted(one) for one in texts]), text, order)
        loss = loss_of(network, batch, VARIANTS[name], 3, bootstrapping=step < 2)
        rate.zero_grad()
        torch.autograd.backward(loss)
        rate.step()
        found.append(round(loss.item(), 4))
    return found


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_losses_are_those_recorded(name: str) -> None:
    assert _losses(name) == pytest.approx(GOLDEN[name], abs=2e-3)


@pytest.mark.parametrize("name", ["L2R", "RND", "SAO, no bootstrap"])
def test_all_stays_on_its_device(name: str) -> None:
    device = torch.device("meta")  # tensors of another one do not mix with it
    network = Indigo(14, KNOWN, 16, 1, ordered=True).to(device)
    ids = torch.full((4, 5), 6, device=device)
    batch = Batch(ids, ids, torch.arange(5, device=device).expand(4, -1))
    assert loss_of(network, batch, VARIANTS[name], 2, bootstrapping=False).device == device


def test_padding_is_no_word() -> None:
    assert SPECIAL[PAD] == "" and len(SPECIAL) == 5
