"""Replay of sessions in language servers, on this machine or on the workers of a cluster.

A worker gets the sessions and the model's files, so it needs neither the repositories nor a folder
of this machine. Each session is a separate project, so it does not matter which server replays it.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from editcast.replay_client import ReplayClient
from editcast_model.errors import BundleError
from editcast_model.forecasting.sources.repeated_edits import BASELINES
from editcast_training.cluster import streamed
from editcast_training.evaluation.results import Row, replay
from editcast_training.evaluation.sessions import EditingSession

_AT_ONCE = 20  # sessions that a worker is given


@contextmanager
def serving(model: str, device: str, pause: float = 0.0) -> Iterator[ReplayClient]:
    """Start a server that runs a bundle (its folder), or a baseline, and records nothing.

    Without a pause, see `ReplayClient`, the server predicts the best edit however unsure it is;
    with it, as in an editor, what it shows by default.

    Raises:
        BundleError: The server cannot use the bundle.
        ServerError: The server cannot start.
    """
    settings = {
        # The server works in a folder of its own.
        "modelPath": model if model in BASELINES else str(Path(model).expanduser().absolute()),
        "device": device,
        "confidenceThreshold": None if pause else 0,
        "debounceMs": 0,
        "historyEnabled": False,
    }
    with (
        tempfile.TemporaryDirectory(prefix="editcast-evaluate-") as home,
        ReplayClient(settings, home=Path(home), pause=pause) as client,
    ):
        if client.name in BASELINES and client.name != model:
            raise BundleError(
                f"The server cannot use the bundle {model}; `editcast doctor` says why."
            )
        yield client


def replayed_on_cluster(
    model: str, device: str, sessions: Sequence[EditingSession], address: str, processes: int
) -> Iterator[Row]:
    """Yield the rows of `results.replay`, computed by the workers of a cluster, in any order.

    The model is a bundle's folder, or a baseline. See `cluster.streamed` for the rest.

    Raises:
        ClusterError: The cluster cannot be used, or a worker cannot use the model.
    """
    folder = Path(model).expanduser()
    files = () if model in BASELINES else (path for path in folder.iterdir() if path.is_file())
    work = _Elsewhere(model, device, {path.name: path.read_bytes() for path in files})
    starts = range(0, len(sessions), _AT_ONCE)
    parts = [(start, sessions[start : start + _AT_ONCE]) for start in starts]
    with closing(streamed(work, parts, address, processes)) as replayed:
        for _, row in replayed:
            yield row


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """A task that replays sessions on a worker."""

    model: str
    device: str
    files: dict[str, bytes]

    def __call__(self, part: tuple[int, Sequence[EditingSession]]) -> Iterator[Row]:
        """Replay some sessions, given the number of the first one."""
        first, sessions = part
        with tempfile.TemporaryDirectory(prefix="editcast-") as folder:
            for name, data in self.files.items():
                (Path(folder) / name).write_bytes(data)
            with serving(folder if self.files else self.model, self.device) as suggester:
                for row in replay(suggester, sessions):
                    yield replace(row, session=first + row.session)
