"""A function mapped over many things on a Ray cluster, or on one of this machine alone.

Ray is imported here only, once somebody asks for it, and never reports its use to anybody. What a
worker returns is fetched before many more are begun, a worker that dies is replaced, and whatever
goes wrong with the cluster is one sentence: whoever maps can go on with what is left.
"""

import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final, TypeVar

from editcast_model.errors import CorpusError, EditcastError
from editcast_training.interrupts import held

T = TypeVar("T")
R = TypeVar("R")

#: The address of a cluster that is started on this machine, and ends with this process.
HERE: Final = "here"
#: What a worker may need, bytes: as many are begun on a node as it has room for.
MEMORY: Final = 3 << 29
_RETRIES = 3  # of what a killed worker was at
_OBJECTS: Final = 1 << 28  # bytes: of results that are not fetched yet, on this machine
_PATIENCE = 10.0  # seconds
_LIBRARIES = ("editcast", "pyarrow", "pygit2", "ray")
_AGAIN = "run the same command again, and it goes on"


def mapped(
    function: Callable[[T], R], things: Sequence[T], address: str, processes: int
) -> Iterator[R]:
    """Yield what a function makes of each thing, as it comes.

    Args:
        function: To be imported by the workers, which must have the same Editcast.
        things: What it is called with, one a task.
        address: HOST:PORT of a cluster that this machine belongs to, or `HERE`.
        processes: Tasks at once, where the cluster is this machine alone.

    Raises:
        CorpusError: The cluster cannot be reached or used, or a task was killed again and again.
        EditcastError: The function has raised it.
    """
    with _connected(address, processes) as ray:
        remote = ray.remote(num_cpus=1, memory=MEMORY, max_retries=_RETRIES)(_call)
        common = ray.put((function, _versions()))
        room = 2 * int(ray.cluster_resources().get("CPU", 1))
        left = iter(things)
        pending: set[Any] = set()
        try:
            while True:
                while len(pending) < room and (thing := next(left, None)) is not None:
                    pending.add(remote.remote(common, thing))
                if not pending:
                    return
                with held():  # Ray would make a KeyboardInterrupt of what a signal raises in it
                    done, _ = ray.wait([*pending], timeout=1.0)
                    found = ray.get(done)
                pending.difference_update(done)
                yield from found
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, EditcastError):
                raise CorpusError(str(error.cause)) from error
            raise
        except ray.exceptions.RayError as error:
            raise CorpusError(_sentence(error)) from error


def _call(common: tuple[Callable[[T], R], dict[str, str]], thing: T) -> R:
    """Run one task; on a worker."""
    function, wanted = common
    if (here := _versions()) != wanted:
        other = ", ".join(f"{name} {here[name]}" for name in here if here[name] != wanted[name])
        raise CorpusError(
            f"The node {socket.gethostname()} of the cluster has other versions ({other}); install "
            "the same ones everywhere."
        )
    return function(thing)


def _versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


@contextmanager
def _connected(address: str, processes: int) -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # it would report to its makers otherwise
    options: dict[str, Any] = {"address": address}
    if address != HERE:
        _look_for(address)
    else:
        # By this Ray listens to this machine alone, whatever the system.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        options = {
            "address": "local",  # none that was started before
            "num_cpus": processes,
            "include_dashboard": False,
            "object_store_memory": _OBJECTS,
            "_memory": processes * MEMORY,
        }
    import ray

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        _begin(ray, options, tries=3 if address == HERE else 1)
        for number, handler in handlers.items():  # Ray has its own
            signal.signal(number, handler)
        if not any(node["Resources"].get("memory", 0) >= MEMORY for node in ray.nodes()):
            raise CorpusError(
                f"No node of the cluster has {MEMORY:,} bytes of memory for a task; start Ray with "
                "more (ray start --memory)."
            )
        yield ray
    finally:
        ray.shutdown()


def _begin(ray: Any, options: dict[str, Any], tries: int) -> None:
    """Connect; Ray gives a node of its own half a minute, which a busy machine may not have."""
    try:
        ray.init(**options, configure_logging=False, log_to_driver=False)
    except Exception as error:  # a bare one among them
        if tries == 1:
            raise CorpusError(_sentence(error)) from error
        _begin(ray, options, tries - 1)


def _look_for(address: str) -> None:
    """Raise a `CorpusError` where nothing answers; Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise CorpusError(
            f"Nothing answers at {address} ({error}); give HOST:PORT of the cluster's head, as "
            "`ray start --head` printed it, or none for a cluster of this machine."
        ) from error


def _sentence(error: Exception) -> str:
    """Describe what Ray says, which can be pages, by its kind."""
    name, said = type(error).__name__, str(error)
    if "ersion mismatch" in said:
        words = " ".join(said.split())[:300]
        return f"The cluster has another version of Ray or of Python: {words}"
    if name == "OutOfMemoryError":
        return f"A worker of the cluster was out of memory; add nodes with more, and {_AGAIN}."
    if name in ("WorkerCrashedError", "NodeDiedError", "ObjectLostError", "LocalRayletDiedError"):
        return (
            f"A worker of the cluster was killed again and again ({name}), perhaps for want of "
            f"memory; {_AGAIN}."
        )
    return f"The cluster cannot be used ({name}); look at Ray's logs, and {_AGAIN}."
