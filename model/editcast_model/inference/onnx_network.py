"""The graphs of a bundle in ONNX Runtime, on a GPU if there is one, else on the CPU.

Dimensions:

    S  state tokens    t  rows of the cache    N  items    F  width of a cache row    V  vocabulary
    n  edits read together
"""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from editcast_model.bundle import GRAPHS, Bundle
from editcast_model.errors import BundleError
from editcast_model.inference.sequence import Stage
from editcast_model.inference.telemetry import load_onnxruntime
from editcast_model.networks.config import SIGNATURES, NetworkConfig, cache_width

onnxruntime = load_onnxruntime()

Device = Literal["auto", "cpu", "cuda"]
#: The number of threads that encode. The other graphs run on the calling thread: two are no faster,
#: and if another program uses one of the processors, each operation would wait for it.
_ENCODING_THREADS = 2
#: The number of tokens of a state that are encoded in one run on the CPU. The process keeps the
#: memory of a run, some 50 kB a token.
_AT_ONCE = 768
#: The distance within which a token looks for equal ones; see `networks/equality.py`.
_REACH = 5
_LONGEST = 300  # characters of a reason


def pick_device(wanted: Device) -> Literal["cpu", "cuda"]:
    """Choose the device; `auto` means CUDA if it is available.

    Raises:
        BundleError: CUDA was chosen, but there is no device or no provider for it.
    """
    if wanted == "cpu":
        return "cpu"
    there = "CUDAExecutionProvider" in onnxruntime.get_available_providers() and _has_gpu()
    if wanted == "cuda" and not there:
        raise BundleError(
            "There is no CUDA device that ONNX Runtime can use; set editcast.device to auto or cpu."
        )
    return "cuda" if there else "cpu"


def _has_gpu() -> bool:
    """Tell whether the CUDA driver has a device; the provider would log errors without one."""
    name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return False
    count = ctypes.c_int(0)
    return bool(
        driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value
    )


def open_session(path: Path, device: Literal["cpu", "cuda"], threads: int = 1) -> Any:
    """Open a graph.

    Raises:
        BundleError: ONNX Runtime cannot read or run it.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(threads, os.cpu_count() or 1)
    options.log_severity_level = 4
    # A pattern of the memory that each length needs is kept for every length, and doubles it.
    options.enable_mem_pattern = False
    # Threads that spin between two runs would keep a laptop's fan on.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = ["CPUExecutionProvider"]
    if device == "cuda":
        providers.insert(0, "CUDAExecutionProvider")
    try:
        return onnxruntime.InferenceSession(path, options, providers=providers)
    except Exception as error:  # ONNX Runtime raises its own classes, all bare Exceptions
        said = " ".join(str(error).split())[:_LONGEST]
        raise BundleError(
            f"ONNX Runtime cannot run {path} ({said}); export the model again."
        ) from error


class OnnxNetwork:
    """A bundle's network; see `networks/incremental.py` for the arrays.

    The encoded state stays on the device; the small cache rows of edits are copied back.

    Attributes:
        vocabulary: V.
        cache_width: F.
        device: The device.
    """

    def __init__(self, bundle: Bundle, device: Device = "auto") -> None:
        self.device = pick_device(device)
        self._sessions = {
            name: open_session(
                bundle.graph(name), self.device, _ENCODING_THREADS if name == "encode" else 1
            )
            for name in GRAPHS
        }
        self.vocabulary = bundle.network.vocabulary
        self.cache_width = cache_width(bundle.network)
        self._is_first = bundle.format == 3
        self._has_rows = bundle.format >= 5
        self._step, self._margin = _parts(bundle.network) if self.device == "cpu" else (0, 0)
        # None while nothing can end a run: looking options up costs each run a tenth of it.
        self._options: Any = None

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Stop runs within the block with an error after this many seconds."""
        self._options = onnxruntime.RunOptions()
        timer = threading.Timer(seconds, setattr, (self._options, "terminate", True))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._options = None

    def encode(self, tokens: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Encode ``s(0)``, int64 (S,); at least two tokens."""
        if not 0 < self._step < len(tokens) - 2 * self._margin:
            return self._encoded(tokens)
        whole: dict[str, npt.NDArray[Any]] = {}
        for start in range(0, len(tokens), self._step):
            low = max(0, start - self._margin)
            high = start + self._step + self._margin
            end = min(start + self._step, len(tokens))
            for name, value in self._encoded(tokens[low:high]).items():
                part = value.numpy()
                into = whole.setdefault(name, np.empty((len(tokens), *part.shape[1:]), part.dtype))
                into[start:end] = part[start - low : end - low]
        return {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(value) for name, value in whole.items()
        }

    def size(self, state: dict[str, Any]) -> int:
        """Return the bytes of an encoded state."""
        return sum(value.tensor_size_in_bytes() for value in state.values())

    def _encoded(self, tokens: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Encode tokens in one run."""
        binding = self._sessions["encode"].io_binding()
        binding.bind_cpu_input("tokens", tokens)
        names = SIGNATURES["encode"][1]
        for name in names:
            binding.bind_output(name, self.device)
        self._sessions["encode"].run_with_iobinding(binding, self._options)
        state = dict(zip(names, binding.get_outputs(), strict=True))
        state["tokens"] = onnxruntime.OrtValue.ortvalue_from_numpy(tokens, self.device)
        return state

    def run(
        self, stage: Stage, state: dict[str, Any], **given: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Run a stage on an encoded state; see `Network`."""
        if self._is_first and stage == "advance":  # it takes two things more, without a use
            given["edits"] = np.insert(given["edits"], 3, 0, 1)
            given["live"] = np.ones((len(given["edits"]), *state["tokens"].shape()), np.bool_)
        is_bare = stage != "advance" and not self._has_rows
        if is_bare:  # such graphs predict after the last row only, without a dimension for it
            given |= {name: given[name][0] for name in ("buckets", "live") if name in given}
        session = self._sessions[stage]
        binding = session.io_binding()
        for name in (each.name for each in session.get_inputs()):
            if name in given:
                binding.bind_cpu_input(name, given[name])
            else:
                binding.bind_ortvalue_input(name, state[name])
        (output,) = SIGNATURES[stage][1]
        binding.bind_output(output)
        session.run_with_iobinding(binding, self._options)
        answer: npt.NDArray[Any] = binding.copy_outputs_to_cpu()[0]
        return answer[None] if is_bare else answer


def _parts(network: NetworkConfig) -> tuple[int, int]:
    """Return how many tokens are encoded at once, and how many more on each side.

    With these additional tokens the encoding is the same as for the whole text: a layer reads the
    block of a token and the two adjacent blocks, and the embeddings read `_REACH` tokens.
    """
    block = network.local
    blocks = network.state_layers + -(-2 * _REACH // block)
    return max(1, _AT_ONCE // block) * block, blocks * block
