"""A bundle's network whose graphs run on a server; see `inference/onnx_network.py`.

The server keeps nothing between two runs: the encoded state stays here, and goes along with each
run that needs it. So any server of the protocol does, with the graphs as they were exported, and
several of them behind one address. A state that the server kept would need code of ours there, and
would keep what somebody's file says on another machine.

    S  state tokens    t  rows of the cache    N  items    F  width of a cache row    V  vocabulary
    n  edits read together
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from editcast_model.bundle import FORMAT, GRAPHS, Bundle, checksum_of
from editcast_model.errors import PredictorError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference.self_check import self_check
from editcast_model.inference.sequence import Stage
from editcast_model.networks.config import SIGNATURES, cache_width
from editcast_predictor.protocol import Client, Tensors

#: The time limit of one run on the server, in seconds.
PATIENCE: Final = 2.0


def served_name(bundle: Bundle, stage: str) -> str:
    """Name a graph on the server: another model has another name, so none is taken for another."""
    return f"editcast-{checksum_of(bundle.path / 'config.json')[:12]}-{stage}"


def load(path: Path, address: str, seconds: float = PATIENCE) -> NeuralForecaster:
    """Open a bundle whose graphs a server runs; those of the folder are not loaded.

    Raises:
        BundleError: The bundle is missing, damaged, or cannot predict.
        PredictorError: The server does not answer, or does not have this model.
    """
    bundle = Bundle.open(path)
    network = SharedNetwork(bundle, Client(address, seconds))
    made = NeuralForecaster(bundle, network, address)
    self_check(made.open, network, bundle)
    return made


class SharedNetwork:
    """A network that is asked over the protocol, with its V and F.

    Raises:
        PredictorError: A shared predictor cannot run the bundle.
    """

    def __init__(self, bundle: Bundle, client: Client) -> None:
        self.vocabulary, self.cache_width = bundle.network.vocabulary, cache_width(bundle.network)
        self._client, self._width = client, bundle.network.width
        if bundle.format != FORMAT:
            raise PredictorError(
                f"The model {bundle.name} has an earlier format, which a shared predictor "
                "cannot run; export it again."
            )
        self._names = {stage: served_name(bundle, stage) for stage in GRAPHS}

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Each run ends by itself in time."""
        yield

    def encode(self, tokens: npt.NDArray[np.int64]) -> Tensors:
        """Encode ``s(0)``, int64 (S,)."""
        found = self._asked("encode", {"tokens": tokens}, "hidden", (len(tokens), self._width))
        return {**found, "tokens": tokens}

    def size(self, state: Tensors) -> int:
        """Return the bytes of an encoded state."""
        return sum(value.nbytes for value in state.values())

    def run(self, stage: Stage, state: Tensors, **given: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Run a stage on an encoded state; see `Network`."""
        match stage:
            case "advance":
                shape: tuple[int, ...] = (len(given["edits"]), self.cache_width)
            case "point":
                shape = given["live"].shape
            case "content":
                shape = (len(given["at"]), self.vocabulary)
        (output,) = SIGNATURES[stage][1]
        return self._asked(stage, {**state, **given}, output, shape)[output]

    def _asked(self, stage: str, given: Tensors, checked: str, shape: tuple[int, ...]) -> Tensors:
        """Return what a graph returns, of which one tensor must have this shape."""
        takes, returns = SIGNATURES[stage]
        inputs = {name: given[name] for name in takes}
        found = self._client.infer(self._names[stage], inputs, returns)
        if found[checked].shape != shape or found[checked].dtype != np.float32:
            raise PredictorError(
                f"The shared predictor at {self._client.address} answers with {checked} of "
                f"another size ({found[checked].shape}, not {shape})."
            )
        if np.isnan(found[checked]).any():
            raise PredictorError(
                f"The shared predictor at {self._client.address} answers with {checked} that are "
                "no numbers."
            )
        return found
