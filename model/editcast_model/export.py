"""Export of a network to a bundle: four ONNX graphs, one file of weights, and a parity check.

S  state tokens    t  rows of the cache    N  items, S + t    F  width of a cache row
n  edits read, or predicted, together
"""

import copy
import json
import logging
import shutil
import warnings
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx.external_data_helper import uses_external_data
from onnxscript import ir
from onnxscript.optimizer import optimize_ir
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.export import Dim

from editcast_model.bundle import (
    FORMAT,
    GRAPHS,
    WEIGHTS,
    Bundle,
    fresh_bundle,
    write_card,
    write_config,
)
from editcast_model.edits import BUCKETS, START
from editcast_model.errors import BundleError
from editcast_model.inference.onnx_network import open_session
from editcast_model.networks.config import SIGNATURES, cache_width
from editcast_model.networks.incremental import Advance, Content, Encode, Point
from editcast_model.networks.model import EditNetwork, read_weights
from editcast_model.tokenizer import Tokenizer

OPSET = 20
_TOLERANCE = 1e-4
#: Inputs of which both dimensions differ from run to run.
_MORE_DIMENSIONS = dict.fromkeys(("buckets", "live"), {1: Dim.DYNAMIC})


def export(
    network: EditNetwork,
    tokenizer: Tokenizer,
    card: dict[str, Any],
    folder: Path,
    *,
    base: Bundle | None = None,
) -> Bundle:
    """Write a bundle atomically, replacing an existing one, after a parity check.

    Args:
        network: The trained network.
        tokenizer: The tokenizer.
        card: The content of `card.json`.
        folder: The bundle's folder.
        base: A bundle whose graphs are reused if its architecture is the same, since an export
            takes minutes. The graphs refer to weights by their offsets, which are the same too.

    Raises:
        BundleError: ONNX Runtime and torch compute different results, or the folder has other
            contents than a bundle.
        OSError: The bundle cannot be written; an existing one is unchanged.
    """
    network = network.cpu().float().eval()
    if base is not None and (base.network, base.format) == (network.config, FORMAT):
        with suppress(BundleError):  # graphs from other versions may not work
            return _export(network, tokenizer, card, folder, base)
    return _export(network, tokenizer, card, folder, None)


def _export(
    network: EditNetwork,
    tokenizer: Tokenizer,
    card: dict[str, Any],
    folder: Path,
    base: Bundle | None,
) -> Bundle:
    with fresh_bundle(folder) as fresh:
        tokenizer.save(fresh / "tokenizer.json")
        _write_graphs(network, fresh, base.path if base else None)
        check_parity(network, fresh)
        write_card(fresh, card)
        write_config(fresh, network.config.to_json())
        Bundle.open(fresh)
    return Bundle.open(folder)


def load_network(bundle: Bundle) -> EditNetwork:
    """Load the torch network of a bundle, to train it further.

    Raises:
        BundleError: The weights do not fit the architecture.
    """
    try:
        return read_weights(bundle.network, load_file(bundle.path / WEIGHTS))
    except (RuntimeError, OSError, SafetensorError) as error:
        raise BundleError(
            f"The weights in {bundle.path} do not fit its architecture; export the model again."
        ) from error


def examples(network: EditNetwork, size: int, rows: int) -> dict[str, tuple[Any, ...]]:
    """Sample inputs of the stages for a state of `size` tokens and a cache of `rows`."""
    config = network.config
    draw = torch.Generator().manual_seed(size * 1000 + rows)

    def ids(*shape: int) -> Tensor:
        return torch.randint(4, config.vocabulary, shape, generator=draw)

    state = ids(size)
    state[0] = START
    with torch.no_grad():
        hidden, vectors = Encode(network)(state)
    cache = torch.randn(rows, cache_width(config), generator=draw).to(hidden.dtype)
    past = torch.stack([ids(rows), torch.randint(0, size, (rows,), generator=draw)], 1)
    row = torch.tensor([5, min(2, size - 1), min(2, size - 1), BUCKETS // 2])
    edits = row.repeat(3 if rows else 1, 1)  # the first row is read alone
    predictions = min(2, rows + 1)
    buckets = torch.randint(0, BUCKETS, (predictions, size + rows), generator=draw)
    live = torch.ones_like(buckets, dtype=torch.bool)
    at = torch.full_like(buckets[:, 0], min(3, size - 1))
    more = torch.cat([past, row[[0, 2]][None]])
    longer = torch.cat([cache, torch.randn(1, cache.shape[1], generator=draw).to(hidden.dtype)])
    return {
        "encode": (state,),
        "advance": (edits, past, cache, hidden, vectors),
        "point": (more, longer, buckets, live, hidden, vectors),
        "content": (at, more, longer, state, hidden),
    }


def _stages(network: EditNetwork) -> dict[str, nn.Module]:
    """Create the stages of `SIGNATURES`."""
    return {
        "encode": Encode(network),
        "advance": Advance(network),
        "point": Point(network),
        "content": Content(network),
    }


def _write_graphs(network: EditNetwork, folder: Path, graphs: Path | None) -> None:
    """Write the weights and the graphs, which are copied from `graphs` if given."""
    weights = {name: value.contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / WEIGHTS)
    if graphs is not None:
        for name in GRAPHS:
            shutil.copyfile(graphs / f"{name}.onnx", folder / f"{name}.onnx")
        return
    places = _places(folder / WEIGHTS)
    given = examples(network, 70, 5)
    for name, stage in _stages(_with_other_weights(network)).items():
        inputs, outputs = SIGNATURES[name]
        dynamic = tuple({0: Dim.DYNAMIC} | _MORE_DIMENSIONS.get(key, {}) for key in inputs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter's own deprecations
            logging.getLogger("torch.onnx").setLevel(logging.ERROR)
            program = torch.onnx.export(
                stage.eval(),
                given[name],
                dynamo=True,
                opset_version=OPSET,
                input_names=inputs,
                output_names=outputs,
                dynamic_shapes=dynamic,
                optimize=False,
                verbose=False,
            )
        assert program is not None
        _simplify(program.model, places)
        model = program.model_proto
        _strip(model)
        _refer_to_weights(model, places)
        onnx.save(model, folder / f"{name}.onnx")


def _with_other_weights(network: EditNetwork) -> EditNetwork:
    """Copy a network, with weights of which no two tensors are equal.

    The exporter makes one of equal tensors, as the norms of a network that was never trained are.
    Its graphs would not hold for the weights that it has after training.
    """
    other = copy.deepcopy(network)
    draw = torch.Generator().manual_seed(0)
    for parameter in other.parameters():
        torch.nn.init.normal_(parameter, generator=draw)
    return other


def _simplify(model: ir.Model, weights: Container[str]) -> None:
    """Compute what is constant and remove what is needless: each node of a run takes time.

    Weights are left as they are, so that the graphs hold for other weights, too.
    """

    def should_fold(node: ir.Node) -> bool | None:
        is_of_weights = any(
            value is not None
            and value.is_initializer()
            and str(value.name).removeprefix("network.") in weights
            for value in node.inputs
        )
        return False if is_of_weights else None

    optimize_ir(model, should_fold=should_fold)


def _strip(model: onnx.ModelProto) -> None:
    """Remove the exporter's metadata about the source code, which includes paths."""
    model.graph.ClearField("metadata_props")
    for part in (*model.graph.node, *model.graph.value_info, *model.graph.initializer):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    model.ClearField("metadata_props")


def _places(path: Path) -> dict[str, tuple[int, int]]:
    """Return the offset and length of every tensor in a safetensors file."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        head = json.loads(file.read(size))
    return {
        name: (8 + size + entry["data_offsets"][0], int(np.diff(entry["data_offsets"])[0]))
        for name, entry in head.items()
        if name != "__metadata__"
    }


def _refer_to_weights(model: onnx.ModelProto, places: dict[str, tuple[int, int]]) -> None:
    """Make every initializer that is a parameter refer to the file of weights."""
    for tensor in model.graph.initializer:
        name = tensor.name.removeprefix("network.")
        if uses_external_data(tensor) or name not in places:
            continue
        offset, length = places[name]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))


def check_parity(network: EditNetwork, folder: Path) -> float:
    """Return the largest difference between torch and ONNX Runtime over several sizes.

    Log probabilities below -30 are ignored, since fp32 is not precise enough there.

    Raises:
        BundleError: The difference is above the tolerance.
    """
    worst = 0.0
    stages = _stages(network)
    for name in GRAPHS:
        session = open_session(folder / f"{name}.onnx", "cpu")
        stage, inputs = stages[name], SIGNATURES[name][0]
        for size, rows in ((2, 0), (40, 1), (70, 5), (333, 60)):
            given = examples(network, size, rows)[name]
            with torch.no_grad():
                wanted = stage(*given)
            feed = dict(zip(inputs, (value.numpy() for value in given), strict=True))
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            for ours, theirs in zip(wanted, session.run(None, feed), strict=True):
                sure = (ours.numpy() > -30) | (theirs > -30)
                worst = max(worst, float(np.abs(ours.numpy() - theirs)[sure].max(initial=0.0)))
    if not worst <= _TOLERANCE:
        raise BundleError(
            f"ONNX Runtime and torch differ by {worst:.1e} on this network, more than "
            f"{_TOLERANCE:.0e}; export it with other versions of torch and ONNX."
        )
    return worst
