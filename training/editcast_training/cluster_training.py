"""A training by the workers of a cluster, which share each of its steps.

These are tasks of Ray Core, neither Ray Train nor agents of `torchrun`: the trainer goes on exactly
where its last checkpoint is, so all that is left to do is to begin workers, and to begin them
again. The corpus and the folder of the training are at the same path on every node, as on a mounted
share. The workers find each other by a file there, and the first one alone writes.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from editcast_model.private_files import private_folder
from editcast_training.cluster import together
from editcast_training.fit.plan import Progress, TrainingPlan
from editcast_training.fit.processes import Meeting
from editcast_training.fit.trainer import result_of, train

_MEMORY: Final = 3 << 30  # bytes of a worker, without those of the corpus


def train_on_cluster(
    plan: TrainingPlan, address: str, workers: int, report: Callable[[dict[str, Any]], None]
) -> Path:
    """Train like `trainer.train`, on several workers at most; return the checkpoint.

    They need GPUs where the plan's device is cuda. `report` is called after each evaluation.

    Raises:
        ClusterError: The cluster cannot be used, or a worker has failed and said why.
    """
    folder = private_folder(plan.out.resolve())
    plan = replace(plan, out=folder, corpus=plan.corpus.resolve())
    if plan.stream is not None:
        plan = replace(plan, stream=replace(plan.stream, cache=plan.stream.cache.resolve()))
    try:
        together(
            partial(_work, plan),
            partial(_meetings, folder),
            address,
            workers,
            gpu=plan.device == "cuda",
            memory=_MEMORY,
            watch=_Watch(plan, report).look,
        )
    finally:
        for file in folder.glob(".meeting-*"):
            file.unlink(missing_ok=True)
    return result_of(folder)


def _meetings(folder: Path, world: int) -> Sequence[Meeting]:
    file = folder / f".meeting-{uuid4().hex}"
    return [Meeting(file, rank, world) for rank in range(world)]


def _work(plan: TrainingPlan, meeting: Meeting) -> None:
    """Train as one of the workers."""
    train(replace(plan, meeting=meeting))


class _Watch:
    """Reads the log that the first worker writes."""

    def __init__(self, plan: TrainingPlan, report: Callable[[dict[str, Any]], None]) -> None:
        self._plan, self._report = plan, report
        self._seen = max((line["step"] for line in self._lines()), default=-1)

    def look(self) -> int:
        """Report what is new in it; return the step that it has reached."""
        for line in self._lines():
            if line["step"] > self._seen:
                self._seen = line["step"]
                at = Progress(line["step"], seconds=line["seconds"]).share(self._plan)
                self._report({"step": self._seen, "share": at, "loss": line["train_loss"]})
                self._report(line)
        return self._seen

    def _lines(self) -> Iterator[dict[str, Any]]:
        path = self._plan.out / "log.jsonl"
        with suppress(FileNotFoundError, ValueError):  # it is not there yet, or being written
            yield from map(json.loads, path.read_text("utf-8").splitlines())
