"""A function called for many things, or run by workers together, on a Ray cluster.

The cluster may be this machine alone. Ray is imported here only, once somebody asks for it, and
never reports its use to anybody. Results are fetched before many more tasks are begun, and a worker
that dies is replaced. An error of the cluster becomes one sentence, and the same command continues
with what is left to do.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final, TypeVar

from editcast_model.errors import ClusterError, EditcastError
from editcast_training.interrupts import held
from editcast_training.memory_limit import MOST

T = TypeVar("T")
R = TypeVar("R")

#: The address of a cluster that is started on this machine, and ends with this process.
HERE: Final = "here"
_RETRIES = 3  # of what a worker that died was at
_AHEAD: Final = 2  # what a task may have yielded that was not fetched yet
_OBJECTS: Final = 1 << 28  # bytes: of results that are not fetched yet, on this machine
_PATIENCE = 10.0  # seconds
_LIBRARIES = ("editcast", "pyarrow", "pygit2", "ray")
_AGAIN = "run the same command again to continue"


def streamed(
    function: Callable[[T], Iterator[R]],
    things: Sequence[T],
    address: str,
    processes: int,
    memory: int = MOST,
) -> Generator[tuple[int, R], None, None]:
    """Yield the number of each thing with all that a function yields for it, as it comes.

    Where a worker dies, another one begins with its thing anew. What has come of it already does
    not come again, so the function has to yield the same again.

    Args:
        function: To be imported by the workers, which must have the same Editcast.
        things: What it is called with, one a task.
        address: HOST:PORT of a cluster that this machine belongs to, or `HERE`.
        processes: Tasks at once, where the cluster is this machine alone.
        memory: What a task may need, bytes: as many are begun on a node as it has room for.

    Raises:
        ClusterError: The cluster cannot be reached or used, or a task was killed again and again.
        EditcastError: The function has raised it.
    """
    options = {"num_cpus": 1, "memory": memory, "max_retries": _RETRIES, "num_returns": "streaming"}
    with _connected(address, processes, memory) as ray:
        remote = ray.remote(**options, _generator_backpressure_num_objects=_AHEAD)(_stream)
        common = ray.put((function, _versions()))
        room = 2 * int(ray.cluster_resources().get("CPU", 1))
        left = iter(enumerate(things))
        pending: dict[Any, int] = {}
        try:
            while True:
                while len(pending) < room and (one := next(left, None)) is not None:
                    pending[remote.remote(common, one[1])] = one[0]
                if not pending:
                    return
                found = []
                with held():  # Ray would make a KeyboardInterrupt of what a signal raises in it
                    for task in ray.wait([*pending], timeout=1.0)[0]:
                        try:
                            found.append((pending[task], ray.get(next(task))))
                        except StopIteration:
                            del pending[task]
                yield from found
        finally:
            pending.clear()  # Ray has no patience with those that it finds after its end
            task = None


def together(
    function: Callable[[T], object],
    things: Callable[[int], Sequence[T]],
    address: str,
    workers: int,
    *,
    gpu: bool,
    memory: int,
    watch: Callable[[], int],
) -> None:
    """Call a function on several workers at once, until all calls have returned.

    Where one fails all are ended and begun again, on as many workers as there is room for then: the
    function goes on where it was. If they fail again and again without getting on, that is all.

    Args:
        function: To be imported by the workers, which must have the same Editcast.
        things: Lists, for a number of workers, what each is called with.
        address: HOST:PORT of a cluster that this machine belongs to, or `HERE`.
        workers: How many at most.
        gpu: Whether each needs one.
        memory: What each may need, bytes.
        watch: Called now and then; returns how far they are, a number that grows.

    Raises:
        ClusterError: The cluster cannot be reached or used, or has no room.
        EditcastError: The function has raised it.
    """
    needs = {"CPU": 1, "memory": memory} | ({"GPU": 1} if gpu else {})
    failures, reached = 0, -1
    with _connected(address, workers, memory) as ray:
        call = ray.remote(max_retries=0)(_call)
        common = ray.put((function, _versions()))
        while True:
            with _placed(ray, needs, workers) as (place, count):
                begun = [call.options(**place).remote(common, one) for one in things(count)]
                pending = set(begun)
                try:
                    while pending:
                        with held():
                            done, _ = ray.wait([*pending], timeout=1.0)
                            ray.get(done)
                        pending.difference_update(done)
                        watch()
                    return
                except ray.exceptions.RayError as error:
                    if isinstance(getattr(error, "cause", None), EditcastError):
                        raise
                    far = watch()
                    failures, reached = 1 if far > reached else failures + 1, far
                    if failures > _RETRIES:
                        raise


@contextmanager
def _placed(ray: Any, needs: dict[str, int], most: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield options of tasks that begin at once, and how many: all that have room, or fewer."""
    from ray.util import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    count = sum(int(min(node.get(name, 0) // needs[name] for name in needs)) for node in alive)
    count = min(count, most)
    while count:
        group = placement_group([needs] * count)
        try:
            if group.wait(_PATIENCE):
                place = {f"num_{name.lower()}s": needs.get(name, 0) for name in ("CPU", "GPU")}
                strategy = PlacementGroupSchedulingStrategy(group)
                yield {**place, "memory": needs["memory"], "scheduling_strategy": strategy}, count
                return
        finally:
            remove_placement_group(group)  # and end what works there
        count //= 2
    wanted = ", ".join(f"{name} {amount:,}" for name, amount in needs.items())
    raise ClusterError(
        f"The cluster has no room for a worker ({wanted}); add nodes, or wait, and {_AGAIN}."
    )


def _call(common: tuple[Callable[[T], R], dict[str, str]], thing: T) -> R:
    """Run one task; on a worker."""
    _check_versions(common[1])
    return common[0](thing)


def _stream(common: tuple[Callable[[T], Iterator[R]], dict[str, str]], thing: T) -> Iterator[R]:
    """Run one task that yields; on a worker."""
    _check_versions(common[1])
    yield from common[0](thing)


def _check_versions(wanted: dict[str, str]) -> None:
    if (here := _versions()) != wanted:
        other = ", ".join(f"{name} {here[name]}" for name in here if here[name] != wanted[name])
        raise ClusterError(
            f"The node {socket.gethostname()} of the cluster has other versions ({other}); install "
            "the same ones everywhere."
        )


def _versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


@contextmanager
def _connected(address: str, processes: int, memory: int) -> Iterator[Any]:
    """Yield Ray, connected to a cluster; what it raises becomes a sentence."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # it would report to its makers otherwise
    os.environ["RAY_task_oom_retries"] = str(_RETRIES)  # many more, otherwise
    # Of several tasks that fail, the first is raised; the others would be printed with traces.
    os.environ["RAY_IGNORE_UNHANDLED_ERRORS"] = "1"
    options: dict[str, Any] = {"address": address}
    if address != HERE:
        _look_for(address)
    else:
        # By this Ray listens to this machine alone, whatever the system.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        for library in ("GLOO", "NCCL"):  # and the workers of a training talk there alone
            if names := [name for _, name in socket.if_nameindex() if name.startswith("lo")]:
                os.environ[f"{library}_SOCKET_IFNAME"] = names[0]
        os.environ["RAY_worker_niceness"] = "0"  # like processes without Ray
        options = {
            "address": "local",  # none that was started before
            "num_cpus": processes,
            "include_dashboard": False,
            "object_store_memory": _OBJECTS,
            "_memory": processes * memory,
        }
    import ray

    # Pages about each worker that dies; what matters of them becomes a sentence.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    # That a cluster of this machine has a password, which Ray sets and uses by itself.
    logging.getLogger("ray._private.authentication").setLevel(logging.ERROR)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with _quiet_core():
        try:
            _begin(ray, options, tries=3 if address == HERE else 1)
            for number, handler in handlers.items():  # Ray has its own
                signal.signal(number, handler)
            if not any(node["Resources"].get("memory", 0) >= memory for node in ray.nodes()):
                raise ClusterError(
                    f"No node of the cluster has {memory:,} bytes of memory for a task; start Ray "
                    "with more (ray start --memory)."
                )
            yield ray
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)  # of a function that failed
            if cause is not None and not isinstance(cause, EditcastError):
                raise
            raise ClusterError(str(cause or _sentence(error))) from error
        finally:
            ray.shutdown()


@contextmanager
def _quiet_core() -> Iterator[None]:
    """Discard what Ray's C++ core writes to file descriptor 2; Python's own stderr is as before.

    The core logs errors there that become a sentence here, and at the end of a session others that
    concern nobody. Its log level can be set, but then it writes a line about that.
    """
    try:
        shared = sys.stderr.fileno() == 2
    except (AttributeError, OSError, ValueError):  # closed, or not a file
        shared = False
    if not shared:
        yield
        return
    before = sys.stderr
    before.flush()
    # Line by line, like Python's own, so that nothing is left in it when the process is killed.
    with open(os.dup(2), "w", 1, before.encoding, before.errors) as real:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        sys.stderr = real
        try:
            yield
        finally:
            sys.stderr = before
            os.dup2(real.fileno(), 2)


def _begin(ray: Any, options: dict[str, Any], tries: int) -> None:
    """Connect; Ray gives a node of its own half a minute, which a busy machine may not have."""
    try:
        ray.init(**options, configure_logging=False, log_to_driver=False)
    except Exception as error:  # a bare one among them
        if tries == 1:
            raise ClusterError(_sentence(error)) from error
        _begin(ray, options, tries - 1)


def _look_for(address: str) -> None:
    """Raise a `ClusterError` where nothing answers; Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ClusterError(
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
            f"A worker of the cluster was killed repeatedly ({name}), perhaps for lack of "
            f"memory; {_AGAIN}."
        )
    return f"The cluster cannot be used ({name}); look at Ray's logs, and {_AGAIN}."
