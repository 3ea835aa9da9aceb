"""A pre-trained encoder: words one by one and at once, searches against all texts, copying."""

import itertools
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from editcast_papers.exact import paired_gap
from editcast_papers.pretrained_encoder.corpus import Batch, Line, collate
from editcast_papers.pretrained_encoder.encoder import Guesser
from editcast_papers.pretrained_encoder.network import Kind, Writer
from editcast_papers.pretrained_encoder.pretraining import masked
from editcast_papers.pretrained_encoder.search import search
from editcast_papers.subwords import END, PAD, START, UNKNOWN
from editcast_papers.training import update

GOLDEN = Path(__file__).with_name("golden_pretrained_encoder.json")
KNOWN, PIECES = 7, 12  # words 4, 5, 6 can be generated; 7 and 8 can be copied only
KINDS: tuple[Kind, ...] = ("LSTM", "Transformer")


def _line(words: Sequence[int], code: Sequence[int]) -> Line:
    """A description whose odd words are two subwords."""
    pieces = [(one + half) % (PIECES - 1) + 1 for one in words for half in range(1 + one % 2)]
    owners = [at for at, one in enumerate(words) for _ in range(1 + one % 2)]
    return Line(pieces, owners, words, [*code, END])


def _network(kind: Kind, *, copying: bool = True, seed: int = 0) -> Writer:
    torch.manual_seed(seed)
    network = Writer(PIECES, KNOWN, 8, kind, copying=copying).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.mul_(2)  # so that probabilities differ
    return network


_words = st.lists(st.integers(4, 8), min_size=1, max_size=5)
_lines = st.lists(st.builds(_line, _words, _words), min_size=1, max_size=3)


def _one_by_one(network: Writer, batch: Batch) -> Tensor:
    """Return the log probabilities of all words to be written, from `advance`."""
    memory = network.read(batch)
    state = network.decoder.begin(memory)
    word, found = torch.full_like(batch.code[:, 0], START), []
    for wanted in batch.code.T:
        chances, state = network.advance(word, memory, state)
        place = (batch.words == wanted[:, None]).to(torch.uint8).argmax(1)
        slot = torch.where(wanted < KNOWN, wanted, KNOWN + place)
        found.append(chances.gather(1, slot[:, None])[:, 0])
        word = wanted
    return torch.stack(found, 1)


@given(lines=_lines, kind=st.sampled_from(KINDS), seed=st.integers(0, 9))
def test_words_are_as_likely_one_by_one_as_at_once(
    lines: list[Line], kind: Kind, seed: int
) -> None:
    network, batch = _network(kind, seed=seed), collate(lines)
    here = (batch.code[..., None] == batch.words[:, None]).any(-1)
    possible = ((batch.code < KNOWN) | here)[batch.code != PAD]
    one_by_one = _one_by_one(network, batch)[batch.code != PAD]
    at_once = network(batch)
    assert torch.allclose(one_by_one[possible], at_once[possible], atol=1e-4, rtol=1e-4)


@given(lines=_lines, kind=st.sampled_from(KINDS), copying=st.booleans())
def test_what_is_padded_changes_nothing(lines: list[Line], kind: Kind, copying: bool) -> None:
    network = _network(kind, copying=copying)
    apart = torch.cat([network(collate([line])) for line in lines])
    assert torch.allclose(network(collate(lines)), apart, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("copying", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_all_that_can_come_next_has_probability_one(kind: Kind, copying: bool) -> None:
    network = _network(kind, copying=copying)
    batch = collate([_line([4, 8, 7, 8], [4]), _line([8], [5])])
    memory = network.read(batch)
    words = torch.tensor([START, START])
    chances, _ = network.advance(words, memory, network.decoder.begin(memory))
    generated = network(Batch(*batch[:3], torch.tensor([[UNKNOWN], [UNKNOWN]]))).exp()
    assert torch.allclose(chances.exp().sum(1) + generated, torch.ones(2), atol=1e-5)
    assert float(chances[:, [PAD, START, UNKNOWN]].max()) < -40
    copied = chances[0, KNOWN:].exp()  # slots of 4, 8, 7 and 8
    assert (copied[1] > 1e-6) == (copied[2] > 1e-6) == copying
    assert copied[0] < 1e-10 and copied[3] < 1e-10  # these have their slots elsewhere


@pytest.mark.parametrize("copying", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_wide_search_finds_the_likeliest_text(kind: Kind, copying: bool) -> None:
    network = _network(kind, copying=copying, seed=3)
    described = [[4, 8, 5], [7, 7]]
    longest = 3
    batch = collate(_line(words, [4]) for words in described)
    text, score = search(network, batch, beam=200, longest=longest)
    for row, words in enumerate(described):
        alphabet = sorted({4, 5, 6, *(words if copying else ())})
        best: tuple[float, list[int]] = (-math.inf, [])
        for size in range(longest):
            for code in itertools.product(alphabet, repeat=size):
                chance = float(network(collate([_line(words, code)])).sum())
                best = max(best, (chance, [*code, END]))
        assert [one for one in text[row, 0].tolist() if one != PAD] == best[1]
        assert float(score[row, 0]) == pytest.approx(best[0], rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_takes_the_likeliest_word(kind: Kind) -> None:
    network, batch = _network(kind), collate([_line([4, 8, 5, 7], [4])])
    memory = network.read(batch)
    state, word, found = network.decoder.begin(memory), torch.tensor([START]), []
    for _ in range(9):
        chances, state = network.advance(word, memory, state)
        best = int(chances.argmax())
        word = torch.tensor([best if best < KNOWN else int(batch.words[0, best - KNOWN])])
        found.append(int(word))
        if best == END:
            break
    text, _ = search(network, batch, beam=1, longest=9)
    assert text[0, 0, : len(found)].tolist() == found
    assert not text[0, 0, len(found) :].any()


def test_words_that_were_never_seen_are_copied() -> None:
    torch.manual_seed(0)
    draw = random.Random(0)
    network = Writer(PIECES, KNOWN, 16, "LSTM", copying=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)

    def lines(names: Sequence[int], count: int) -> list[Line]:
        """Say "5 NAME 6" for 4 NAME."""
        chosen = [draw.choice(names) for _ in range(count)]
        return [_line([5, name, 6], [4, name]) for name in chosen]

    network.train()
    for _ in range(60):
        update(network, optimizer, -network(collate(lines(range(100, 200), 16))).mean())
    network.eval()
    new = lines(range(200, 300), 20)
    text, _ = search(network, collate(new), beam=2, longest=5)
    right = [row[:3] == list(line.code) for row, line in zip(text[:, 0].tolist(), new, strict=True)]
    assert sum(right) >= 18


@given(st.integers(0, 99))
def test_subwords_are_masked_where_there_are_some(seed: int) -> None:
    pieces = torch.randint(1, PIECES, (40, 64))
    pieces[:, 50:] = PAD
    read, chosen = masked(pieces, PIECES, torch.Generator().manual_seed(seed))
    assert not chosen[:, 50:].any() and (read[~chosen] == pieces[~chosen]).all()
    assert 0.1 < float(chosen[:, :50].float().mean()) < 0.2
    assert 0.65 < float((read[chosen] == PIECES).float().mean()) < 0.95


_FIGURES = st.lists(st.tuples(st.sampled_from("01"), st.sampled_from("01")), min_size=1)


@given(_FIGURES)
def test_a_gap_is_the_difference_and_lies_in_its_interval(figures: list[tuple[str, str]]) -> None:
    upper, lower = ("".join(side) for side in zip(*figures, strict=True))
    gap = paired_gap([upper], [lower])
    wanted = 100 * (upper.count("1") - lower.count("1")) / len(upper)
    assert gap.value == pytest.approx(wanted)
    assert gap.low - 1e-6 <= gap.value <= gap.high + 1e-6
    assert paired_gap([upper], [upper]).high == 0
    twice = paired_gap([upper, upper], [lower, lower])
    assert (twice.value, twice.low) == pytest.approx((gap.value, gap.low))


# -- golden losses -------------------------------------------------------------------------------


def _lost(network: nn.Module, loss: Tensor, optimizer: torch.optim.Optimizer) -> float:
    update(network, optimizer, loss)
    return round(float(loss.detach()), 5)


def golden_losses(name: str) -> list[float]:
    """Return the losses of twenty steps, dropout and all."""
    draw = random.Random(1)
    texts = [[draw.randint(4, 8) for _ in range(draw.randint(2, 6))] for _ in range(16)]
    batch = collate(_line(text, text[:-1]) for text in texts)
    torch.manual_seed(0)
    if name == "guesses":
        guesser = Guesser(PIECES, 16)
        optimizer = torch.optim.Adam(guesser.parameters(), lr=3e-3)
        out = []
        for _ in range(20):
            read, chosen = masked(batch.pieces, PIECES, None)
            loss = nn.functional.cross_entropy(guesser(read, chosen), batch.pieces[chosen])
            out.append(_lost(guesser, loss, optimizer))
        return out
    kind, copying = GOLDEN_NAMES[name]
    network = Writer(PIECES, KNOWN, 16, kind, copying=copying)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    return [_lost(network, -network(batch).mean(), optimizer) for _ in range(20)]


GOLDEN_NAMES: dict[str, tuple[Kind, bool]] = {
    "LSTM": ("LSTM", True),
    "LSTM without copying": ("LSTM", False),
    "Transformer": ("Transformer", True),
}


@pytest.mark.parametrize("name", [*GOLDEN_NAMES, "guesses"])
def test_twenty_steps_of_training_lose_as_recorded(name: str) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name) == pytest.approx(recorded, rel=1e-3)


if __name__ == "__main__":
    torch.set_num_threads(1)
    names = [*GOLDEN_NAMES, "guesses"]
    rows = [f" {json.dumps(name)}: {json.dumps(golden_losses(name))}" for name in names]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
