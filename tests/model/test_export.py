"""An exported network says in ONNX Runtime what it says in torch."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
import torch

from editcast_model.bundle import GRAPHS, WEIGHTS, Bundle
from editcast_model.edits import Edit
from editcast_model.errors import BundleError
from editcast_model.export import check_parity, export, load_network
from editcast_model.forecasting.sources.decoded_edits import decode
from editcast_model.inference.onnx_network import OnnxNetwork
from editcast_model.inference.sequence import Network, Sequence, Stage
from editcast_model.networks.config import SIGNATURES, NetworkConfig, cache_width
from editcast_model.networks.incremental import Advance, Content, Encode, Point
from editcast_model.networks.model import EditNetwork
from editcast_model.tokenizer import Tokenizer

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]


class TorchNetwork:
    """The predictor's network, computed by torch."""

    def __init__(self, network: EditNetwork) -> None:
        self.vocabulary = network.config.vocabulary
        self.cache_width = cache_width(network.config)
        self._encode, *stages = (
            stage(network.eval()) for stage in (Encode, Advance, Point, Content)
        )
        self._stages = dict(zip(("advance", "point", "content"), stages, strict=True))

    @torch.no_grad()
    def encode(self, tokens: npt.NDArray[np.int64]) -> dict[str, torch.Tensor]:
        state = torch.from_numpy(tokens)
        hidden, vectors = self._encode(state)
        return {"tokens": state, "hidden": hidden, "vectors": vectors}

    def size(self, state: dict[str, torch.Tensor]) -> int:
        return sum(one.nbytes for one in state.values())

    @torch.no_grad()
    def run(
        self, stage: Stage, state: dict[str, torch.Tensor], **given: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        known = state | {name: torch.tensor(value) for name, value in given.items()}
        (takes, _), run = SIGNATURES[stage], self._stages[stage]
        return np.asarray(run(*(known[name] for name in takes)).numpy())


@pytest.fixture(scope="module", params=["shared", "deeper"])
def exported(
    request: pytest.FixtureRequest, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Bundle:
    """The shared bundle, and a deeper one."""
    if request.param == "shared":
        found: Bundle = request.getfixturevalue("bundle")
        return found
    torch.manual_seed(1)
    network = EditNetwork(NetworkConfig(len(tokenizer), width=32, feed_forward=32))
    return export(network, tokenizer, {}, tmp_path_factory.mktemp("models") / "deep")


def test_torch_and_onnx_runtime_agree(exported: Bundle) -> None:
    assert check_parity(load_network(exported).eval(), exported.path) <= 1e-4


def test_parity_notices_other_weights(exported: Bundle) -> None:
    network = load_network(exported).eval()
    with torch.no_grad():
        network.embedding.weight[7] += torch.linspace(-0.1, 0.1, network.config.width)
    with pytest.raises(BundleError, match="differ by"):
        check_parity(network, exported.path)


def test_graphs_of_an_untrained_network_hold_for_a_trained_one(
    exported: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The norms of the deeper one are untrained, and so equal; they were made one."""
    trained = load_network(exported)
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=draw))
    monkeypatch.setattr(torch.onnx, "export", None)
    again = export(trained, exported.tokenizer, {}, tmp_path / "trained", base=exported)
    for name in GRAPHS:
        assert again.graph(name).read_bytes() == exported.graph(name).read_bytes()


def suggestion(
    network: Network, draw: Draw, vocabulary: int, seed: int
) -> tuple[tuple[Edit, ...], float, tuple[int, ...]] | None:
    """The suggestion after a random sequence, with its boundaries."""
    state, edits = draw(3 + seed % 12, seed % 4, vocabulary, seed)
    sequence = Sequence(network, state)
    sequence.follow(edits)
    one = decode(sequence, limit=3, splits=lambda before, token: token % 8 != 0)
    if one is None:
        return None
    return one.edits, one.log_probability, tuple(count for count, _ in one.boundaries)


def test_whole_suggestions_are_the_same(bundle: Bundle, draw: Draw) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    theirs, ours = OnnxNetwork(bundle, "cpu"), TorchNetwork(load_network(bundle))
    lengths = []
    for seed in range(200):
        wanted = suggestion(ours, draw, ours.vocabulary, seed)
        found = suggestion(theirs, draw, ours.vocabulary, seed)
        assert (found is None) == (wanted is None)
        if found and wanted:
            assert (found[0], found[2]) == (wanted[0], wanted[2])
            assert found[1] == pytest.approx(wanted[1], abs=1e-3)
            lengths.append(len(found[0]))
    torch.set_num_threads(threads)
    # Enough of them are more than one edit long for the continuation to be tested.
    assert len(lengths) > 180 and sum(length > 1 for length in lengths) > 50


def test_graphs_refer_to_the_weights_and_store_none(exported: Bundle) -> None:
    parameters = 0
    for name in GRAPHS:
        graph = onnx.load(exported.graph(name), load_external_data=False).graph
        for tensor in graph.initializer:
            if tensor.data_location == onnx.TensorProto.EXTERNAL:
                where = {item.key: item.value for item in tensor.external_data}
                assert where["location"] == WEIGHTS
                parameters += 1
            else:
                assert len(tensor.raw_data) < 4096
    assert parameters > 10


def test_nothing_tells_where_it_was_made(exported: Bundle) -> None:
    here = [str(Path(__file__).parents[2]), str(Path.home()), str(Path(torch.__file__).parents[1])]
    for file in exported.path.rglob("*"):
        if file.is_dir():
            continue
        content = file.read_bytes()
        for path in here:
            assert len(path) < 4 or path.encode() not in content
        if file.suffix == ".onnx":
            assert not re.search(rb"\.py\b|site-packages|Traceback", content)


def test_weights_come_back(bundle: Bundle, tokenizer: Tokenizer) -> None:
    network = load_network(bundle)
    assert network.config == bundle.network
    again = load_network(Bundle.open(bundle.path)).state_dict()
    assert network.state_dict().keys() == again.keys()
    assert all(torch.equal(value, again[name]) for name, value in network.state_dict().items())
    assert network.embedding.weight.shape == (len(tokenizer), 32)
    assert float(network.embedding.weight.detach().std()) > 0.1


def test_weights_of_another_architecture_are_refused(bundle: Bundle) -> None:
    for network in (
        replace(bundle.network, width=64),
        replace(bundle.network, edit_layers=3),
    ):
        with pytest.raises(BundleError, match="do not fit"):
            load_network(replace(bundle, network=network))


def test_weights_that_are_no_weights_are_refused(bundle: Bundle, tmp_path: Path) -> None:
    for content in (b"", b"\xff" * 100, (bundle.path / WEIGHTS).read_bytes()[:-10]):
        (tmp_path / WEIGHTS).write_bytes(content)
        with pytest.raises(BundleError, match="do not fit"):
            load_network(replace(bundle, path=tmp_path))


def test_what_is_on_the_disk(bundle: Bundle) -> None:
    names = {file.relative_to(bundle.path).as_posix() for file in bundle.path.rglob("*.*")}
    graphs = {f"{name}.onnx" for name in GRAPHS}
    assert names == graphs | {WEIGHTS, "config.json", "card.json", "tokenizer.json"}
    config = json.loads((bundle.path / "config.json").read_text(encoding="utf-8"))
    assert set(config["checksums"]) == names - {"config.json"}
    assert bundle.name == "tiny"
    assert not [one for one in bundle.path.parent.iterdir() if one != bundle.path]
