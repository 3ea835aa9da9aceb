"""Pointer mixture: trees, streams, and the networks against one that goes node by node.

The losses are recorded from the repository's root, by
``python tests/training/papers/pointer_mixture/test_pointer_mixture.py``.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from editcast_papers.pointer_mixture import trees
from editcast_papers.pointer_mixture.attention import window_scores
from editcast_papers.pointer_mixture.corpus import Part
from editcast_papers.pointer_mixture.labels import answers, labels, loss
from editcast_papers.pointer_mixture.network import Completer, Sizes, banded, windows
from editcast_papers.pointer_mixture.runs import NETWORKS, Streams
from editcast_papers.pointer_mixture.scores import score
from editcast_papers.pointer_mixture.streams import WINDOW, Segments, schedule
from editcast_papers.pointer_mixture.trees import TreeNode, flatten
from editcast_papers.training import update

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden_pointer_mixture.json"
KNOWN = 6  # values of the vocabulary


# -- trees ---------------------------------------------------------------------------------------


def test_a_python_file_is_its_nodes_in_order() -> None:
    text = "# why\nx += f('a b', not y)\nassert f'{x}'\n"
    assert [(*node.type.split(), node.value) for node in flatten(text, "python")] == [
        ("module", "10", ""),
        ("expression_statement", "11", ""),
        ("augmented_assignment", "10", "+="),
        ("identifier", "01", "x"),
        ("call", "10", ""),
        ("identifier", "01", "f"),
        ("argument_list", "10", ""),
        ("string", "01", "'a b'"),
        ("not_operator", "10", ""),
        ("identifier", "00", "y"),
        ("assert_statement", "10", ""),
        ("string", "10", ""),
        ("string_start", "01", "f'"),
        ("interpolation", "11", ""),
        ("identifier", "00", "x"),
        ("string_end", "00", "'"),
    ]


def test_a_javascript_file_is_its_nodes_in_order() -> None:
    text = "let a = `b${this}` + 1; // why\n/x/g\n"
    assert [(*node.type.split(), node.value) for node in flatten(text, "javascript")] == [
        ("program", "10", ""),
        ("lexical_declaration", "11", "let"),
        ("variable_declarator", "10", ""),
        ("identifier", "01", "a"),
        ("binary_expression", "10", "+"),
        ("template_string", "11", ""),
        ("string_fragment", "01", "b"),
        ("template_substitution", "10", ""),
        ("this", "00", "this"),
        ("number", "00", "1"),
        ("expression_statement", "10", ""),
        ("regex", "00", "/x/g"),
    ]


def test_what_the_grammar_does_not_read_has_no_nodes() -> None:
    assert flatten("def f(:\n", "python") == []
    assert flatten("text", "klingon") == []


def _parents(types: Sequence[str]) -> list[int]:
    """Find the parents by the two bits alone."""
    found, waiting = [], [0]
    for number, name in enumerate(types):
        children, sibling = name[-2], name[-1]
        parent = waiting.pop()
        found.append(parent)
        waiting += [parent] * (sibling == "1") + [number] * (children == "1")
    return found


@pytest.mark.parametrize("path", sorted(Path(trees.__file__).parent.glob("*.py")), ids=str)
def test_the_bits_tell_every_parent(path: Path) -> None:
    nodes = flatten(path.read_text("utf-8"), "python")
    assert nodes
    assert [node.parent for node in nodes] == _parents([node.type for node in nodes])


# -- streams -------------------------------------------------------------------------------------

_trees = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=140), min_size=1, max_size=5)


def _part(files: Sequence[Sequence[int]]) -> Part:
    """Make files of values; a node's parent is half as far in."""
    values = np.array([value for file in files for value in file], np.int32)
    parents = np.array([at // 2 for file in files for at in range(len(file))], np.int32)
    ends = np.cumsum([len(file) for file in files]).astype(np.int32)
    return Part(values % 3, values, parents, ends)


def _file(length: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, 10, length).tolist()


@given(files=_trees)
def test_segments_hold_every_node_to_predict_once(files: list[list[int]]) -> None:
    files = [[*file, 0] for file in files]
    segments = Segments(_part(files))
    batch = segments.at(torch.arange(int(segments.counts.sum())))
    there = batch.next_values >= 0
    wanted = [value for file in files for value in file[1:]]
    assert batch.next_values[there].tolist() == wanted
    assert batch.next_types[there].tolist() == [value % 3 for value in wanted]
    read = [value for file in files for value in file[:-1]]
    assert batch.values[there].tolist() == read
    up = [at - (at + 1) // 2 for file in files for at in range(len(file) - 1)]
    assert batch.up[there].tolist() == up
    assert batch.first.nonzero()[:, 0].tolist() == segments.starts.tolist()
    inner = ~batch.first
    assert torch.equal(batch.before[inner], batch.values[inner.roll(-1)])
    assert batch.before[batch.first].unique().tolist() == [-1]


@given(
    counts=st.lists(st.integers(2, 300), min_size=1, max_size=9),
    streams=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_streams_read_whole_files_and_never_wait(
    counts: list[int], streams: int, seed: int
) -> None:
    segments = Segments(_part([[1] * count for count in counts]))
    total = int(segments.counts.sum())
    made = schedule(segments, streams, 3 * total, seed)
    starts = set(segments.starts.tolist())
    for stream in made.T.tolist():
        assert stream[0] in starts
        for one, after in zip(stream, stream[1:], strict=False):
            ended = one + 1 in starts or one + 1 == total
            assert after in starts if ended else after == one + 1
    if streams == 1:
        epochs = made[:, 0].view(3, total).sort(1).values
        assert torch.equal(epochs, torch.arange(total).expand(3, -1))
    assert torch.equal(made, schedule(segments, streams, 3 * total, seed))


# -- the networks --------------------------------------------------------------------------------


@given(streams=st.integers(1, 3), rows=st.integers(1, 6), seed=st.integers(0, 9))
def test_bands_are_rows_each_a_place_further(streams: int, rows: int, seed: int) -> None:
    torch.manual_seed(seed)
    weights = torch.randn(streams, rows, rows)
    band = banded(weights)
    wanted = torch.zeros(streams, rows, 2 * rows - 1)
    for row in range(rows):
        wanted[:, row, row : row + rows] = weights[:, row]
    assert torch.equal(band, wanted)


@given(
    streams=st.integers(1, 3),
    places=st.integers(1, 4),
    width=st.integers(1, 4),
    size=st.sampled_from([0.5, 4.0]),
    seed=st.integers(0, 9),
)
def test_scores_of_windows_are_those_of_tanh(
    streams: int, places: int, width: int, size: float, seed: int
) -> None:
    torch.manual_seed(seed)
    keys = size * torch.randn(streams, places + width - 1, 3, dtype=torch.float64)
    queries = size * torch.randn(streams, places, 3, dtype=torch.float64)
    given_all = [one.requires_grad_() for one in (keys, queries, torch.randn(3).double())]
    weights = torch.randn(streams, places, width).double()
    found = window_scores(*given_all)
    seen = given_all[0].unfold(1, width, 1).transpose(2, 3)
    wanted = torch.tanh(seen + given_all[1][:, :, None]) @ given_all[2]
    assert torch.allclose(found, wanted, atol=1e-9)
    gradients = [torch.autograd.grad((one * weights).sum(), given_all) for one in (found, wanted)]
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, atol=1e-9)


def test_scores_of_what_is_cut_off_are_finite() -> None:
    keys = torch.tensor([[[100.0], [-100.0]]], requires_grad=True)
    queries = torch.tensor([[[100.0]]], requires_grad=True)
    found = window_scores(keys, queries, torch.ones(1))
    assert found.tolist() == [[[1.0, 0.0]]]
    found.sum().backward()
    for one in (keys, queries):
        assert one.grad is not None and bool(one.grad.isfinite().all())


def _network(name: str, seed: int = 0) -> Completer:
    torch.manual_seed(seed)
    network = Completer(NETWORKS[name], Sizes(3, KNOWN, KNOWN, 16))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 0.4)
    return network.eval().requires_grad_(False)


def _node_by_node(network: Completer, file: Sequence[int]) -> list[tuple[Tensor, list[float]]]:
    """Return the probabilities of the classes, and of copying from each of the nodes before."""
    state, cell = network.first[0][None], network.first[1][None]
    states: list[Tensor] = []
    out: list[tuple[Tensor, list[float]]] = []
    for at, value in enumerate(file[:-1]):
        own = [network.types.weight[value % 3], network.values.weight[min(value, KNOWN)]]
        _, (hidden, cell_now) = network.lstm(torch.cat(own)[None, None], (state[None], cell[None]))
        state, cell = hidden[0], cell_now[0]
        memory = torch.zeros(WINDOW, 16)
        for place, one in enumerate(reversed(states[-WINDOW:]), 1):
            memory[-place] = one[0]
        states.append(state)
        if not network.kind.attention:
            out.append((network.out(state[0]).softmax(-1), []))
            continue
        alpha = (network.keys(memory) + network.ask(state)).tanh() @ network.score
        alpha = alpha.softmax(0)
        context = alpha @ memory
        parent = (at + 1) // 2
        vector = states[parent][0] if at - parent <= WINDOW else torch.zeros(16)
        joined = network.join(torch.cat([state[0], context, vector])).tanh()
        classes = network.out(joined).softmax(-1)
        if network.kind.pointer:
            share = torch.sigmoid(network.switch(torch.cat([state[0], context])))
            out.append((share * classes, ((1 - share) * alpha).tolist()))
        else:
            out.append((classes, []))
    return out


def _right(file: Sequence[int], at: int, probabilities: tuple[Tensor, list[float]]) -> bool:
    classes, places = probabilities
    if places and max(places) > float(classes.max()):
        before = [-1] * WINDOW + list(file[:at])
        return before[-WINDOW:][places.index(max(places))] == file[at + 1]
    return int(classes.argmax()) == file[at + 1]


@pytest.mark.parametrize("name", ["vanilla LSTM", "attention", "pointer mixture"])
def test_segments_are_predicted_as_node_by_node(name: str) -> None:
    network = _network(name)
    files = [_file(130, 1), _file(20, 2), _file(101, 3)]
    segments = Segments(_part(files))
    slow = [_node_by_node(network, file) for file in files]
    for number, file in enumerate(files):
        carry = network.nothing(1)
        for turn in range(int(segments.counts[number])):
            batch = segments.at(torch.tensor([int(segments.starts[number]) + turn]))
            guess, carry = network(batch, carry)
            right = labels(batch, "value", KNOWN)
            found = network.out(guess.features).softmax(-1)
            if guess.switch is not None:
                found = found * torch.sigmoid(guess.switch)[..., None]
            rows = slow[number][turn * WINDOW : (turn + 1) * WINDOW]
            wanted = torch.stack([classes for classes, _ in rows])
            assert torch.allclose(found[0, : len(rows)], wanted, atol=1e-5)
            total = _loss_of(rows, file, turn * WINDOW)
            assert float(loss(network, guess, right)) == pytest.approx(total, rel=1e-4)
            correct = answers(network, guess, right)[0].tolist()
            assert correct[: len(rows)] == [
                _right(file, turn * WINDOW + at, row) for at, row in enumerate(rows)
            ]
            assert not any(correct[len(rows) :])
    found_scores = score(network, segments, "value")
    assert found_scores.right == [
        sum(_right(file, at, row) for at, row in enumerate(rows))
        for file, rows in zip(files, slow, strict=True)
    ]
    assert found_scores.nodes == [len(file) - 1 for file in files]


def _loss_of(rows: list[tuple[Tensor, list[float]]], file: Sequence[int], start: int) -> float:
    """The mean over what the vocabulary has, or else a pointer can reach: its last place."""
    logs = []
    for at, (classes, places) in enumerate(rows, start):
        value = file[at + 1]
        if value < KNOWN:
            logs.append(-float(classes[value].log()))
        elif places:
            before = ([-1] * WINDOW + list(file[:at]))[-WINDOW:]
            if value in before:
                last = WINDOW - 1 - before[::-1].index(value)
                logs.append(-float(torch.tensor(places[last]).log()))
    return sum(logs) / len(logs)


def test_kinds_of_nodes_are_counted() -> None:
    file = [1, 7, 0, 7, 7, 2]  # 7 is unknown; the node before the one to predict is no memory
    found = score(_network("attention"), Segments(_part([file])), "value")
    assert found.shares["valued"] == 80
    assert found.shares["unknown"] == 60
    assert found.shares["copyable"] == 40
    assert found.shares["unknown_right"] == 0


def test_types_that_training_lacks_are_never_right() -> None:
    torch.manual_seed(0)
    network = Completer(NETWORKS["attention"], Sizes(3, KNOWN, 2, 8))
    file = [2, 5, 8, 2]  # all of type 2, of which there are but 0 and 1
    assert score(network, Segments(_part([file])), "type").right == [0]


def test_windows_hold_the_values_of_the_memory() -> None:
    before = torch.arange(WINDOW)[None] + 100
    values = torch.arange(WINDOW)[None]
    found = windows(before, values)[0]
    assert found[0].tolist() == before[0].tolist()
    assert found[-1].tolist() == [149, *range(WINDOW - 1)]


# -- training ------------------------------------------------------------------------------------


def _train(name: str, part: Part, steps: int, rate: float) -> tuple[Completer, list[float]]:
    torch.manual_seed(0)
    streams = Streams(Completer(NETWORKS[name], Sizes(3, KNOWN, KNOWN, 16)), 4)
    optimizer = torch.optim.Adam(streams.parameters(), lr=rate)
    segments = Segments(part)
    losses = []
    for numbers in schedule(segments, 4, steps, 0):
        found = streams.loss(segments, numbers, "value")
        update(streams, optimizer, found)
        losses.append(round(float(found.detach()), 5))
    return streams.network, losses


def golden_losses(name: str) -> list[float]:
    return _train(name, _part([_file(70 + 40 * at, at) for at in range(6)]), 20, 3e-3)[1]


@pytest.mark.parametrize("name", NETWORKS)
def test_twenty_steps_of_training_lose_as_recorded(name: str) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name) == pytest.approx(recorded, rel=1e-3)


def test_only_a_pointer_that_points_learns_what_the_vocabulary_lacks() -> None:
    def part(first: int) -> Part:
        """Make files that say two names of their own in turn, and one of the vocabulary."""
        names = [(first + 2 * at, first + 2 * at + 1) for at in range(12)]
        return _part([[one, 1, other, 2] * 20 for one, other in names])

    accuracies = {}
    for name in ("attention", "pointer mixture", "pointer random"):
        network, _ = _train(name, part(10), 150, 1e-2)
        accuracies[name] = score(network, Segments(part(1000)), "value").accuracy
    assert accuracies["attention"] < 55
    assert accuracies["pointer random"] < 70
    assert accuracies["pointer mixture"] > 85


def test_a_node_of_a_tree_is_a_tuple() -> None:
    assert TreeNode("module 00", trees.EMPTY, 0) == flatten("", "python")[0]


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = [f" {json.dumps(name)}: {json.dumps(golden_losses(name))}" for name in NETWORKS]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
