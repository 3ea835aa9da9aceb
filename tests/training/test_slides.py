"""Edits as ids, kinds of positions, and three shapes of networks, against plain loops."""

import math
from dataclasses import astuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.tokenizer import Tokenizer
from editcast_papers.slides.corpus import MARKS, PAD, START, Batch, Corpus, Line, make_corpus
from editcast_papers.slides.edits import Edit, Edits, edits_of
from editcast_papers.slides.network import SHAPES, Shape, Writer
from editcast_papers.slides.positions import KINDS, Distances, Kind, Places, sinusoids
from editcast_papers.slides.scores import score
from editcast_training.sources.file_history import FileHistory, Snapshot

pytestmark = pytest.mark.usefixtures("one_thread")

_MODELS = [(shape, positions) for shape in SHAPES for positions in KINDS]


def _history(*texts: str) -> FileHistory:
    snapshots = tuple(Snapshot(text, None) for text in texts)
    return FileHistory("project", "a.py", "python", "commits", snapshots)


def _network(shape: Shape, positions: Kind) -> Writer:
    torch.manual_seed(0)
    corpus = Corpus((), (), (), 20, 6)
    return Writer(shape, positions, corpus, 16).eval().requires_grad_(False)


def _batch(texts: int = 3) -> Batch:
    torch.manual_seed(1)
    return Batch(torch.randint(4, 18, (texts, 7)), torch.randint(4, 18, (texts, 5)))


# -- edits ---------------------------------------------------------------------------------------


def test_an_edit_is_shown_beside_the_one_above_it() -> None:
    before = "".join(f"line {number}\n" for number in range(12))
    after = before.replace("line 1\n", "first\n").replace("line 9\n", "second\n")
    (edit,) = edits_of(_history(before, after))
    assert (edit.shown_before, edit.shown_after) == ("line 1\n", "first\n")
    assert (edit.before, edit.after) == ("line 9\n", "second\n")
    assert edit.above == "line 6\nline 7\nline 8\n" and edit.below == "line 10\nline 11\n"
    third = after.replace("line 4\n", "").replace("second\n", "line 9\n").replace("first", "one")
    assert [one.after for one in edits_of(_history(before, after, third))] == [
        "second\n",
        "",
        "line 9\n",
    ]


@pytest.mark.parametrize("length", [119, 120])
def test_edits_that_are_too_long_are_left_out(length: int) -> None:
    before = "a\nb\nc\nd\n"
    long = "x" * length + "\n"
    found = list(edits_of(_history(before, before.replace("a", "A").replace("d\n", long))))
    assert len(found) == (length < 120)


def _edits() -> Edits:
    rows = [
        Edit(f"a{n}\n", f"b{n} = é\n", "above\n", f"a{n + 1}\n", "", f"b{n + 1} = é\n")
        for n in range(40)
    ]
    return Edits(rows[:30], rows[30:35], rows[35:], "x")


@pytest.mark.parametrize("size", [270, 400])
def test_every_vocabulary_says_the_same_of_an_edit(size: int) -> None:
    edits = _edits()
    corpus = make_corpus(edits, size)
    learned = Tokenizer.train((text for one in edits.train for text in astuple(one)), size)
    first = corpus.ids - MARKS
    assert first == len(learned) <= size
    for edit, line in zip(edits.test, corpus.test, strict=True):
        marks = [at for at, one in enumerate(line.read) if one >= first]
        assert [line.read[at] for at in marks] == list(range(first, first + 5))
        parts = [
            learned.decode(line.read[start + 1 : end])
            for start, end in zip(marks, [*marks[1:], len(line.read)], strict=True)
        ]
        assert parts == list(astuple(edit)[:5])
        assert line.written[-1] == corpus.end
        assert learned.decode(line.written[:-1]) == edit.after
        assert line.characters == len(edit.after) + 1
    lengths = [len(one.written) for part in (corpus.train, corpus.dev, corpus.test) for one in part]
    assert corpus.longest == max(lengths)


# -- positions -----------------------------------------------------------------------------------


def test_sinusoids_are_those_of_the_slides() -> None:
    found = sinusoids(torch.tensor([[0, 3, 700]]), 8)[0]
    for row, place in enumerate((0, 3, 700)):
        for i in range(4):
            angle = place / 10_000 ** (2 * i / 8)
            assert float(found[row, 2 * i]) == pytest.approx(math.sin(angle), abs=1e-4)
            assert float(found[row, 2 * i + 1]) == pytest.approx(math.cos(angle), abs=1e-4)


def test_only_two_kinds_add_to_embeddings_and_only_the_others_to_scores() -> None:
    places = torch.tensor([[0, 1, 5000]])
    away = places[:, None] - places[:, :, None]
    query = torch.randn(1, 2, 3, 4)
    for kind in KINDS:
        added = bool(torch.as_tensor(Places(kind, 8)(places)).abs().sum())
        scored = bool(torch.as_tensor(Distances(kind, 8, 2)(query, away)).abs().sum())
        assert (added, scored) == (
            kind in ("sinusoidal", "learned"),
            kind in ("relative", "linear"),
        )


@given(places=st.lists(st.integers(0, 40), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_distances_are_those_of_plain_loops(places: list[int], seed: int) -> None:
    torch.manual_seed(seed)
    heads, width = 4, 3
    at = torch.tensor([places])
    away = at[:, None] - at[:, :, None]
    query = torch.randn(1, heads, len(places), width)
    relative = Distances("relative", heads * width, heads)
    linear = Distances("linear", heads * width, heads)
    with torch.no_grad():
        found = torch.as_tensor(relative(query, away)), torch.as_tensor(linear(query, away))
    for head in range(heads):
        for i, one in enumerate(places):
            for j, other in enumerate(places):
                vector = relative.vectors.detach()[max(-16, min(16, other - one)) + 16]
                wanted = float(query[0, head, i] @ vector)
                assert float(found[0][0, head, i, j]) == pytest.approx(wanted, abs=1e-5)
                slope = 2 ** (-8 * (head + 1) / heads)
                bias = -slope * (one - other if other < one else 2 * (other - one))
                assert float(found[1][0, head, i, j]) == pytest.approx(bias, abs=1e-5)


# -- networks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "positions"), _MODELS)
def test_what_is_read_matters_and_padding_does_not(shape: Shape, positions: Kind) -> None:
    network, batch = _network(shape, positions), _batch()
    found = network(batch)
    wider = Batch(
        torch.nn.functional.pad(batch.read, (0, 4), value=PAD),
        torch.nn.functional.pad(batch.written, (0, 1), value=PAD),
    )
    assert torch.allclose(network(wider), found, atol=1e-5)
    other = batch.read.clone()
    other[:, 2] = 19 - other[:, 2] % 2
    assert not torch.allclose(network(batch._replace(read=other)), found, atol=1e-3)
    turned = network(batch._replace(read=batch.read.flip(1)))
    assert not torch.allclose(turned, found, atol=1e-3)


@pytest.mark.parametrize(("shape", "positions"), _MODELS)
def test_no_id_is_known_before_it_is_written(shape: Shape, positions: Kind) -> None:
    network, batch = _network(shape, positions), _batch()
    found = network(batch).unflatten(0, (3, 5))
    changed = batch.written.clone()
    changed[:, 2:] = 18
    later = network(batch._replace(written=changed)).unflatten(0, (3, 5))
    assert torch.allclose(found[:, :3], later[:, :3], atol=1e-5)
    # The encoder alone guesses all at once; the others go on from what is written.
    same = torch.allclose(found[:, 3:], later[:, 3:], atol=1e-3)
    assert same == (shape == "encoder-only")


@pytest.mark.parametrize(("shape", "positions"), _MODELS)
def test_places_beyond_all_that_are_learned_do_no_harm(shape: Shape, positions: Kind) -> None:
    batch = Batch(torch.randint(4, 18, (1, 1100)), torch.randint(4, 18, (1, 5)))
    assert bool(_network(shape, positions)(batch).isfinite().all())


# -- scores --------------------------------------------------------------------------------------


def _greedy(network: Writer, read: list[int], end: int, most: int) -> list[int]:
    """What the likeliest ids write, one by one, or all at once by an encoder alone."""
    text: list[int] = []
    while len(text) < most and (not text or text[-1] != end):
        batch = Batch(torch.tensor([read]), torch.tensor([[*text, START]]))
        text.append(int(network(batch)[-1].argmax()))
    return text


@pytest.mark.parametrize("shape", SHAPES)
def test_an_edit_is_right_if_greedy_decoding_writes_it(shape: Shape) -> None:
    network = _network(shape, "relative")
    network.embedding.weight.mul_(3)
    end = 18
    lines = []
    for seed in range(12):
        torch.manual_seed(seed)
        read = torch.randint(4, 18, (3 + seed % 4,)).tolist()
        text = _greedy(network, read, end, 5)
        wrong = [*text[:-1], (text[-1] + 1) % 18]
        lines += [Line(read, text, len(text)), Line(read, wrong, len(wrong))]
    found = score(network, lines)
    assert found.right == "10" * 12 and found.exact == 50


def test_bits_are_of_a_character() -> None:
    network = _network("decoder-only", "linear")
    line = Line([4, 5, 6], [7, 8, 18], 10)
    chances = network(Batch(torch.tensor([line.read]), torch.tensor([line.written]))).softmax(-1)
    bits = -sum(math.log2(chances[at, one]) for at, one in enumerate(line.written))
    assert score(network, [line, line]).bits == pytest.approx(bits / 10, abs=1e-4)
