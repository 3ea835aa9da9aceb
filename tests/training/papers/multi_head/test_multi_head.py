"""Attention whose heads disagree, routing by agreement, and beam search, against plain loops.

The losses are recorded from the repository's root, by
``python tests/training/papers/multi_head/test_multi_head.py``.
"""

import itertools
import json
import math
import warnings
from pathlib import Path

import onnxruntime
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.export import Dim

from editcast_papers.heads import Heads, disagreement
from editcast_papers.multi_head.attention import Attention
from editcast_papers.multi_head.network import Model, Sizes, Translator, mean_disagreement
from editcast_papers.multi_head.runs import MODELS
from editcast_papers.multi_head.scores import KINDS, loss
from editcast_papers.multi_head.search import translate
from editcast_papers.routing import ITERATIONS, Routing, em_routing, simple_routing
from editcast_papers.subwords import END, PAD, START
from editcast_papers.training import update

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden_multi_head.json"
_SIZES = Sizes(vocabulary=11, width=16, layers=2, heads=4, dropout=0.0)
_shapes = st.tuples(*[st.integers(1, 4)] * 4)


# -- disagreement --------------------------------------------------------------------------------


def _slow_disagreement(heads: Heads, kind: str, padding: Tensor) -> float:
    """The paper's double sum, a place at a time."""
    x: Tensor = getattr(heads, kind)
    batch, count, places, _ = x.shape
    found = []
    for row, place in itertools.product(range(batch), range(places)):
        if padding[row, place]:
            continue
        total = 0.0
        for one, other in itertools.product(range(count), repeat=2):
            first, second = x[row, one, place], x[row, other, place]
            product = float(first @ second)
            if kind != "positions":
                product /= float(first.norm() * second.norm())
            total += product
        found.append(-total / count**2)
    return sum(found) / len(found)


@given(shape=_shapes, seed=st.integers(0, 999))
def test_disagreement_is_the_double_sum_over_heads(
    shape: tuple[int, int, int, int], seed: int
) -> None:
    batch, count, places, width = shape
    torch.manual_seed(seed)
    values, outputs = torch.randn(2, batch, count, places, width)
    heads = Heads(values, torch.randn(batch, count, places, places).softmax(-1), outputs)
    padding = torch.rand(batch, places) < 0.5
    padding[:, 0] = False
    for kind in KINDS:
        found = float(disagreement(heads, kind, padding))
        assert found == pytest.approx(_slow_disagreement(heads, kind, padding), abs=1e-5)
        assert -1 - 1e-5 <= found <= 0


def test_heads_that_are_alike_disagree_least() -> None:
    one = torch.randn(1, 1, 3, 5).expand(1, 4, 3, 5)
    padding = torch.zeros(1, 3, dtype=torch.bool)
    assert float(disagreement(Heads(one, one, one), "outputs", padding)) == pytest.approx(-1)
    sure = torch.eye(3)[None, None].expand(1, 4, 3, 3)
    assert float(disagreement(Heads(one, sure, one), "positions", padding)) == pytest.approx(-1)
    apart = torch.eye(4)[None, :, None].expand(1, 4, 3, 4)
    assert float(disagreement(Heads(one, apart, one), "positions", padding)) == -0.25


@pytest.mark.parametrize("kind", KINDS)
def test_the_term_of_the_loss_makes_heads_disagree(kind: str) -> None:
    torch.manual_seed(0)
    network = Translator(_SIZES, Model())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    source = torch.randint(4, 11, (4, 6))
    measured = []
    for _ in range(20):
        found = mean_disagreement(network.encode(source), kind)  # type: ignore[arg-type]
        update(network, optimizer, -found)
        measured.append(float(found.detach()))
    assert measured[-1] > measured[0]


# -- routing -------------------------------------------------------------------------------------


def _slow_simple(votes: Tensor) -> list[list[float]]:
    heads, capsules, width = votes.shape
    v = votes.tolist()
    agreement = [[0.0] * capsules for _ in range(heads)]
    out = [[0.0] * width for _ in range(capsules)]
    for _ in range(ITERATIONS):
        share = []
        for row in agreement:
            total = sum(math.exp(one) for one in row)
            share.append([math.exp(one) / total for one in row])
        for n in range(capsules):
            weight = sum(share[h][n] for h in range(heads))
            out[n] = [
                sum(share[h][n] * v[h][n][u] for h in range(heads)) / weight for u in range(width)
            ]
        for h, n in itertools.product(range(heads), range(capsules)):
            agreement[h][n] += sum(a * b for a, b in zip(out[n], v[h][n], strict=True))
    return out


def _slow_em(votes: Tensor, gain: Tensor, cost: Tensor) -> list[list[float]]:
    heads, capsules, width = votes.shape
    v = votes.tolist()
    share = [[1 / capsules] * capsules for _ in range(heads)]
    out: list[list[float]] = []
    for _ in range(ITERATIONS):
        active, middles, variances = [], [], []
        for n in range(capsules):
            total = sum(share[h][n] for h in range(heads))
            middle = [
                sum(share[h][n] * v[h][n][u] for h in range(heads)) / total for u in range(width)
            ]
            variance = [
                sum(share[h][n] * (v[h][n][u] - middle[u]) ** 2 for h in range(heads)) / total
                + 1e-3
                for u in range(width)
            ]
            price = sum(math.log(one**0.5) + 0.5 * (1 + math.log(2 * math.pi)) for one in variance)
            score = float(gain[n]) - float(cost[n]) * total - price * total
            active.append(1 / (1 + math.exp(-score)))
            middles.append(middle)
            variances.append(variance)
        out = [[active[n] * one for one in middles[n]] for n in range(capsules)]
        for h in range(heads):
            likely = []
            for n in range(capsules):
                density = 1.0
                for u in range(width):
                    away = (v[h][n][u] - middles[n][u]) ** 2 / variances[n][u]
                    density *= math.exp(-0.5 * away) / math.sqrt(2 * math.pi * variances[n][u])
                likely.append(active[n] * density)
            share[h] = [one / sum(likely) for one in likely]
    return out


@given(shape=st.tuples(*[st.integers(1, 4)] * 3), seed=st.integers(0, 999))
def test_routing_is_the_papers_algorithms(shape: tuple[int, int, int], seed: int) -> None:
    torch.manual_seed(seed)
    votes = torch.randn(2, *shape)
    gain, cost = torch.randn(2, shape[1])
    simple, em = simple_routing(votes), em_routing(votes, gain, cost)
    for row in range(2):
        slow = torch.tensor(_slow_simple(votes[row]))
        assert torch.allclose(simple[row], slow, atol=1e-4)
        slow = torch.tensor(_slow_em(votes[row], gain, cost))
        assert torch.allclose(em[row], slow, atol=1e-3)


def test_votes_that_agree_outweigh_one_that_does_not() -> None:
    votes = torch.tensor([1.0, 1.1, 0.9, 6.0])[:, None, None].repeat(1, 2, 1)
    votes[:, 1] = torch.tensor([3.0, -4.0, 0.5, 6.0])[:, None]
    gain, cost = torch.full((2,), 20.0), torch.zeros(2)
    assert 1 < float(em_routing(votes, gain, cost)[0, 0]) < float(votes[:, 0].mean()) - 0.5


def test_routing_stays_finite_where_all_votes_are_equal() -> None:
    routing = Routing(16, 4, "em")
    with torch.no_grad():
        routing.votes.zero_()
    out = routing(torch.randn(2, 3, 16))
    torch.autograd.backward(out.sum())
    for parameter in routing.parameters():
        assert parameter.grad is not None and bool(parameter.grad.isfinite().all())


def test_routing_has_the_parameters_that_are_said() -> None:
    def count(module: torch.nn.Module) -> int:
        return sum(one.numel() for one in module.parameters() if one.dim() > 1)

    linear, routed = (Attention(64, 8, joining, 0.0) for joining in ("linear", "simple"))
    assert count(routed) - count(linear) == 7 * 64**2


def test_routing_is_the_same_in_onnx(tmp_path: Path) -> None:
    torch.manual_seed(0)
    routing = Routing(16, 4, "em").eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        program = torch.onnx.export(
            routing, (torch.randn(2, 16),), dynamo=True, dynamic_shapes=({0: Dim.DYNAMIC},)
        )
    assert program is not None
    program.save(tmp_path / "routing.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "routing.onnx")
    heads = torch.randn(7, 16)
    (found,) = session.run(None, {session.get_inputs()[0].name: heads.numpy()})
    assert torch.allclose(torch.from_numpy(found), routing(heads), atol=1e-5)


# -- the network and its search ------------------------------------------------------------------


def _network(model: Model, seed: int = 1) -> Translator:
    torch.manual_seed(seed)
    network = Translator(_SIZES, model).eval().requires_grad_(False)
    for parameter in network.parameters():
        if parameter.dim() > 1:
            parameter.mul_(2)  # so that probabilities differ
    return network


_ALL = MODELS["EM: all"]


def test_routing_is_where_it_is_asked_for() -> None:
    names = {"encoder": "encoder.{}.attention", "decoder": "decoder.{}.own"}
    names["encoder-decoder"] = "decoder.{}.other"
    for model in MODELS.values():
        network = Translator(_SIZES, model)
        for place, layer in itertools.product(names, (0, 1)):
            attention = network.get_submodule(names[place].format(layer))
            wanted = place in model.routed and layer in (model.layers or (0, 1))
            assert isinstance(attention.join, Routing) == wanted


@pytest.mark.parametrize("model", [Model(), _ALL])
def test_no_word_sees_a_later_one_and_no_one_sees_padding(model: Model) -> None:
    network = _network(model)
    source, target = torch.randint(4, 11, (2, 3, 6))
    logits, memory = network(source, target)
    changed = target.clone()
    changed[:, 3:] = 5
    assert torch.allclose(network(source, changed)[0][:, :4], logits[:, :4], atol=1e-5)
    wider = torch.nn.functional.pad(source, (0, 3), value=PAD)
    padded, more = network(wider, target)
    assert torch.allclose(padded, logits, atol=1e-5)
    for kind in KINDS:
        before, after = mean_disagreement(memory, kind), mean_disagreement(more, kind)
        assert float(before) == pytest.approx(float(after), abs=1e-6)


@pytest.mark.parametrize("model", [Model(), _ALL])
def test_word_by_word_the_decoder_says_the_same(model: Model) -> None:
    network = _network(model)
    source, target = torch.randint(4, 11, (2, 3, 6))
    logits, memory = network(source, target)
    states = network.begin(memory, 1)
    word = torch.full((3, 1), START)
    for place in range(6):
        found, states = network.decode(word, states, memory.padding)
        assert torch.allclose(found[:, 0], logits[:, place], atol=1e-4)
        word = target[:, place : place + 1]


def _log_probability(network: Translator, source: Tensor, text: tuple[int, ...]) -> float:
    target = torch.tensor([text])
    logits, _ = network(source, target)
    chosen = torch.nn.functional.cross_entropy(logits[0].log_softmax(-1), target[0])
    return -float(chosen) * len(text)


def test_a_wide_beam_finds_the_best_of_all_texts() -> None:
    sizes = Sizes(vocabulary=7, width=16, layers=1, heads=2, dropout=0.0)
    for seed in range(4):
        torch.manual_seed(seed)
        network = Translator(sizes, Model()).eval().requires_grad_(False)
        network.embedding.weight.mul_(2)
        sources = torch.tensor([[4, 5, 6], [6, 4, PAD]])
        found = translate(network, sources, 200, 3)
        for source, text in zip(sources, found.tolist(), strict=True):
            texts = [
                (*words, END)
                for length in range(3)
                for words in itertools.product((1, 4, 5, 6), repeat=length)
            ]
            scores = {
                one: _log_probability(network, source[None], one) / ((5 + len(one)) / 6) ** 0.6
                for one in texts
            }
            assert tuple(word for word in text if word != PAD) == max(texts, key=scores.__getitem__)


def test_translations_of_a_batch_are_those_of_each_source() -> None:
    network = _network(Model(), 3)
    sources = torch.randint(4, 11, (5, 6))
    sources[1, 4:] = PAD
    together = translate(network, sources, 3, 9)
    for row, source in enumerate(sources):
        alone = translate(network, source[None, source != PAD], 3, 9)[0]
        wide = torch.nn.functional.pad(alone, (0, together.shape[1] - len(alone)), value=PAD)
        assert torch.equal(wide, together[row])


# -- training ------------------------------------------------------------------------------------


def golden_losses(name: str) -> list[float]:
    torch.manual_seed(0)
    network = Translator(_SIZES, MODELS[name])
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    source = torch.randint(4, 11, (8, 7))
    target = torch.cat([source.flip(1), torch.full((8, 1), END)], 1)
    out = []
    for _ in range(10):
        found = loss(network, source, target, MODELS[name].regularised)
        update(network, optimizer, found)
        out.append(round(float(found.detach()), 5))
    return out


@pytest.mark.parametrize("name", MODELS)
def test_ten_steps_of_training_lose_as_recorded(name: str) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name) == pytest.approx(recorded, rel=1e-3)


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = [f" {json.dumps(name)}: {json.dumps(golden_losses(name))}" for name in MODELS]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
