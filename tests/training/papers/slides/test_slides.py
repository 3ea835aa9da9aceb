"""Edits as ids, kinds of positions, parents, and shapes of networks, against plain loops."""

import itertools
import math
from dataclasses import astuple
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from editcast_model.tokenizer import Tokenizer, lex
from editcast_papers.routing import Routing
from editcast_papers.slides.corpus import (
    MARKS,
    PAD,
    START,
    Batch,
    Corpus,
    Line,
    collate,
    make_corpus,
)
from editcast_papers.slides.edits import Edit, Edits, edits_of, left_out_of
from editcast_papers.slides.network import JOINED, SHAPES, Shape, Writer
from editcast_papers.slides.parents import NOBODY, parents
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


def _scores(network: Writer, batch: Batch) -> Tensor:
    found: Tensor = network(batch).scores
    return found


def _batch(texts: int = 3) -> Batch:
    torch.manual_seed(1)
    parents = torch.randint(4, 18, (texts, 7))
    return Batch(parents.flip(0), torch.randint(4, 18, (texts, 5)), parents)


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


def test_lines_left_out_are_put_back_where_they_were() -> None:
    text = "".join(f"line {number}\n" if number % 7 else "\n" for number in range(200))
    found = list(left_out_of(text, Random(0)))
    assert 8 < len(found) < 25
    for edit in found:
        assert edit.above + edit.after + edit.below in text
        assert (edit.shown_before, edit.shown_after, edit.before) == ("", "", "")
        assert edit.after.strip() and 1 <= edit.after.count("\n") <= 3
    assert list(left_out_of(text, Random(0))) == found != list(left_out_of(text, Random(1)))
    assert not list(left_out_of("x" * 200, Random(0)))


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
        assert len(line.parents) == len(line.read)
    lengths = [len(one.written) for part in (corpus.train, corpus.dev, corpus.test) for one in part]
    assert corpus.longest == max(lengths)


# -- parents --------------------------------------------------------------------------------------


def _parents_of(text: str) -> dict[str, str]:
    tokens = lex(text)
    found = parents(tokens)
    assert all(at == NOBODY for at, token in zip(found, tokens, strict=True) if token.isspace())
    words = [(token, at) for token, at in zip(tokens, found, strict=True) if not token.isspace()]
    return {token: "" if at == NOBODY else tokens[at] for token, at in words}


def test_a_parent_is_an_open_bracket_or_a_line_further_out() -> None:
    python = _parents_of("class A:\n    x = 1\n\n    def f(a,\nb):\n        g(c[d])\n    y\nz\n")
    assert python == {
        **{"class": "", "A": "class", ":": "def", "x": "class", "=": "x", "1": "x"},
        **{"def": "class", "f": "def", "(": "g", "a": "(", ",": "(", "b": "(", ")": "("},
        **{"g": "def", "c": "(", "[": "(", "d": "[", "]": "[", "y": "class", "z": ""},
    }
    other = _parents_of("if (a) {\n\tb(c);\n}\n} d")
    assert (other["b"], other["c"], other["if"], other["d"]) == ("{", "(", "", "}")


@given(text=st.text("([{}]) \n\tab", max_size=30))
def test_every_parent_stands_before_its_child(text: str) -> None:
    tokens = lex(text)
    for child, parent in enumerate(parents(tokens)):
        assert NOBODY <= parent < child
        if parent != NOBODY:
            assert not tokens[parent].isspace() and not tokens[child].isspace()


def test_what_is_read_knows_the_ids_of_its_parents() -> None:
    edit = Edit("a", "b", "def f(\n", "cc\n", ")\n    d\n", "e")
    corpus = make_corpus(Edits([edit], [edit], [edit], "x"), 262)
    tokenizer = Tokenizer.train(astuple(edit), 262)
    line, first = corpus.test[0], corpus.ids - MARKS
    (bracket,), (word, *_) = tokenizer.ids("("), tokenizer.ids("def")
    at = {one: place for place, one in enumerate(line.read)}
    # A bracket of the part above: what is around an edit is one text.
    assert line.parents[at[tokenizer.ids("cc")[-1]]] == bracket
    assert line.parents[at[tokenizer.ids(")")[0]]] == bracket
    assert all(line.parents[at[first + mark]] == PAD for mark in range(5))
    assert line.parents[at[bracket]] == word


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
    found = _scores(network, batch)
    wider = Batch(
        torch.nn.functional.pad(batch.read, (0, 4), value=PAD),
        torch.nn.functional.pad(batch.written, (0, 1), value=PAD),
        torch.nn.functional.pad(batch.parents, (0, 4), value=PAD),
    )
    assert torch.allclose(_scores(network, wider), found, atol=1e-5)
    other = batch.read.clone()
    other[:, 2] = 19 - other[:, 2] % 2
    assert not torch.allclose(_scores(network, batch._replace(read=other)), found, atol=1e-3)
    turned = _scores(network, batch._replace(read=batch.read.flip(1)))
    assert not torch.allclose(turned, found, atol=1e-3)


@pytest.mark.parametrize(("shape", "positions"), _MODELS)
def test_no_id_is_known_before_it_is_written(shape: Shape, positions: Kind) -> None:
    network, batch = _network(shape, positions), _batch()
    found = _scores(network, batch).view(3, 5, -1)
    changed = batch.written.clone()
    changed[:, 2:] = 18
    later = _scores(network, batch._replace(written=changed)).view(3, 5, -1)
    assert torch.allclose(found[:, :3], later[:, :3], atol=1e-5)
    # The encoder alone guesses all at once; the others go on from what is written.
    same = torch.allclose(found[:, 3:], later[:, 3:], atol=1e-3)
    assert same == (shape == "encoder-only")


@pytest.mark.parametrize(("shape", "positions"), _MODELS)
def test_places_beyond_all_that_are_learned_do_no_harm(shape: Shape, positions: Kind) -> None:
    read, parents = torch.randint(4, 18, (2, 1, 1100))
    batch = Batch(read, torch.randint(4, 18, (1, 5)), parents)
    assert bool(_scores(_network(shape, positions), batch).isfinite().all())


@pytest.mark.parametrize("shape", SHAPES)
def test_parents_and_routing_change_what_is_read(shape: Shape) -> None:
    batch = _batch()
    for joined, with_parents in itertools.product(JOINED, (False, True)):
        torch.manual_seed(0)
        corpus = Corpus((), (), (), 20, 6)
        network = Writer(shape, "relative", corpus, 16, joined, parents=with_parents).eval()
        guess = network(batch)
        moved = _scores(network, batch._replace(parents=batch.parents.flip(1)))
        assert torch.allclose(moved, guess.scores, atol=1e-5) != with_parents
        routed = any(isinstance(part, Routing) for part in network.modules())
        assert routed == joined.endswith("routing")
        assert (-1 <= float(guess.disagreement.detach()) < 0) == (joined == "disagreement")
        changed = batch.written.clone()
        changed[:, 2:] = 18
        later = _scores(network, batch._replace(written=changed)).view(3, 5, -1)
        assert torch.allclose(later[:, :3], guess.scores.view(3, 5, -1)[:, :3], atol=1e-5)


# -- scores --------------------------------------------------------------------------------------


def _greedy(network: Writer, read: list[int], end: int, most: int) -> list[int]:
    """Decode the likeliest ids, one by one, or all at once by an encoder alone."""
    text: list[int] = []
    while len(text) < most and (not text or text[-1] != end):
        ids = torch.tensor([read])
        batch = Batch(ids, torch.tensor([[*text, START]]), torch.full_like(ids, PAD))
        text.append(int(_scores(network, batch)[-1].argmax()))
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
        none = [PAD] * len(read)
        lines += [Line(read, one, len(one), none) for one in (text, wrong)]
    found = score(network, lines)
    assert found.right == "10" * 12 and found.exact == 50


def test_bits_are_of_a_character() -> None:
    network = _network("decoder-only", "linear")
    line = Line([4, 5, 6], [7, 8, 18], 10, [PAD] * 3)
    chances = _scores(network, collate([line])).softmax(-1)
    bits = -sum(math.log2(chances[at, one]) for at, one in enumerate(line.written))
    assert score(network, [line, line]).bits == pytest.approx(bits / 10, abs=1e-4)
