"""The encoding of states in chunks: where they begin, and what is remembered."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.edits import START
from editcast_model.forecasting import forecaster as forecasting
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference import chunks
from editcast_model.inference.chunks import Arrays, ChunkEncoder, Tokens, chunk_starts
from editcast_model.inference.onnx_network import OnnxNetwork
from editcast_model.networks.config import NetworkConfig

SOURCE = Path(forecasting.__file__).read_text(encoding="utf-8")
BLOCK = 4
CONFIG = NetworkConfig(100, 8, 1, 1, 1, 8, BLOCK)
MARGIN = (1 + 3) * BLOCK  # a layer, and the tokens that the embeddings read in blocks

states = st.lists(st.integers(0, 99), min_size=2, max_size=3000).map(
    lambda ids: np.array(ids, np.int64)
)


@pytest.fixture(scope="module")
def network() -> OnnxNetwork:
    return OnnxNetwork(Bundle.open(bundled_path()), "cpu")


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    text = "\n".join(SOURCE.replace("session", f"session{number}") for number in range(3))
    return np.array([START, *Bundle.open(bundled_path()).tokenizer.ids(text)], np.int64)


class Counted:
    """An encoder that tells of each token where it is in the run, and how it was called."""

    def __init__(self) -> None:
        self.runs: list[Tokens] = []

    def __call__(self, tokens: Tokens) -> Arrays:
        self.runs.append(tokens)
        return {"hidden": tokens[:, None].astype(np.float32)}

    @property
    def count(self) -> int:
        return sum(map(len, self.runs))


@given(states)
def test_chunks_are_neither_small_nor_large(state: Tokens) -> None:
    starts = chunk_starts(state)
    assert starts[0] == 0
    ends = [*starts[1:], len(state)]
    sizes = [end - start for start, end in zip(starts, ends, strict=True)]
    assert all(chunks._LEAST <= size for size in sizes[:-1])
    assert all(0 < size <= chunks._MOST for size in sizes)


@given(states, st.integers(0, 1 << 20))
def test_every_row_is_that_of_its_token(state: Tokens, most_bytes: int) -> None:
    encoder = ChunkEncoder(CONFIG, Counted(), most_bytes)
    for _ in range(2):
        assert np.array_equal(encoder.encode(state)["hidden"][:, 0], state)


def test_a_change_costs_the_chunks_around_it(tokens: Tokens) -> None:
    run = Counted()
    encoder = ChunkEncoder(CONFIG, run)
    encoder.encode(tokens)
    assert run.count < 1.5 * len(tokens)
    run.runs.clear()
    encoder.encode(tokens)
    assert not run.runs
    middle = len(tokens) // 2
    for changed in (
        np.concatenate([tokens[:middle], tokens[5:8], tokens[middle:]]),
        np.concatenate([tokens[:middle], tokens[middle + 40 :]]),
        tokens[200:],
    ):
        run.runs.clear()
        assert np.array_equal(encoder.encode(changed)["hidden"][:, 0], changed)
        assert 0 < run.count < 3 * (chunks._MOST + 2 * MARGIN)


def test_what_was_used_last_is_remembered(tokens: Tokens) -> None:
    run = Counted()
    encoder = ChunkEncoder(CONFIG, run, most_bytes=4 * 1000)
    part = tokens[:600]
    encoder.encode(part)
    for start in range(600, len(tokens) - 600, 600):
        encoder.encode(part)
        encoder.encode(tokens[start : start + 300])
    run.runs.clear()
    encoder.encode(part)
    assert not run.runs and encoder._nbytes <= 4 * 1000
    encoder.encode(tokens)
    run.runs.clear()
    encoder.encode(part)
    assert run.runs


def test_what_is_encoded_ahead_is_not_encoded_again(tokens: Tokens) -> None:
    run = Counted()
    encoder = ChunkEncoder(CONFIG, run)
    counts = [len(run.runs) for _ in encoder.encode_ahead(tokens)]
    assert 10 < len(counts) <= len(chunk_starts(tokens))
    assert counts == list(range(1, len(counts) + 1))
    assert not list(encoder.encode_ahead(tokens))
    run.runs.clear()
    encoder.encode(tokens[700:])
    assert run.count < 3 * (chunks._MOST + 2 * MARGIN)


def test_no_more_is_encoded_ahead_than_is_remembered(tokens: Tokens) -> None:
    run = Counted()
    encoder = ChunkEncoder(CONFIG, run, most_bytes=4 * len(tokens))
    assert list(encoder.encode_ahead(tokens))
    assert run.count < 0.75 * len(tokens)
    assert not list(encoder.encode_ahead(tokens))


def test_a_chunk_is_encoded_as_in_any_state_around_it(network: OnnxNetwork, tokens: Tokens) -> None:
    whole = network._encoded(tokens)
    again = OnnxNetwork(Bundle.open(bundled_path()), "cpu")
    starts = [*chunk_starts(tokens), len(tokens)]
    found = {name: value.numpy().copy() for name, value in network.encode(tokens).items()}
    # The first chunk's blocks are those of the whole state.
    first = slice(0, starts[1])
    for name in ("hidden", "vectors"):
        assert np.allclose(whole[name][first], found[name][first], atol=1e-5, rtol=0)
    assert np.array_equal(whole["vectors"], found["vectors"])
    assert np.array_equal(found["tokens"], tokens)
    # Of the others they are not, which makes little difference.
    apart = np.linalg.norm(whole["hidden"] - found["hidden"]) / np.linalg.norm(whole["hidden"])
    assert 0 < apart < 0.05
    # What was remembered, and what is behind or before, makes none.
    for start, end in pairwise(starts[1:-1]):
        margin = 2 * again._chunks._margin
        low = max(0, start - margin)
        near = again._chunks._chunk(tokens[low : end + margin], start - low, end - low)
        assert np.allclose(near["hidden"], found["hidden"][start:end], atol=1e-5, rtol=0)


def test_a_large_file_is_encoded_before_it_is_edited() -> None:
    forecaster = NeuralForecaster.load(bundled_path(), "cpu")
    runs: list[int] = []
    encode = forecaster.network._chunks._run  # type: ignore[attr-defined]

    def counted(part: Tokens) -> Arrays:
        runs.append(len(part))
        return encode(part)

    forecaster.network._chunks._run = counted  # type: ignore[attr-defined]
    session = forecaster.open(SOURCE)
    assert not runs
    session.prepare(cancelled=lambda: True)
    assert len(runs) == 1
    session.prepare()
    assert sum(runs) > len(forecaster.tokenizer.ids(SOURCE))
    runs.clear()
    session.update(SOURCE.replace("class NeuralSession", "class Meeting", 1), saved=True)
    assert session.predict(1)
    assert 0 < sum(runs) < 3000
