"""From sources to a bundle: the corpus, the training, and what is held out of both to judge it.

    FOLDER/plan.json     what is being trained; another plan begins anew
    FOLDER/corpus/       unless a corpus was given
    FOLDER/run/          checkpoints and log.jsonl
    FOLDER/bundle/       when all is done
    FOLDER/.lock         held while a process works there

Killed anywhere and run again, it goes on: the corpus with the next source, the training with the
last checkpoint. Only the export and the calibration, minutes at most, are done again.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from editcast_model.bundle import Bundle, checksum_of
from editcast_model.errors import (
    BusyError,
    CorpusError,
    EmptyCorpusError,
    NoBetterModelError,
    TrainingError,
)
from editcast_model.export import load_network
from editcast_model.networks.config import NetworkConfig
from editcast_model.private_files import discard, private_folder, write_text
from editcast_model.tokenizer import Tokenizer
from editcast_store.lock import process_lock
from editcast_store.models import install
from editcast_store.paths import models_dir
from editcast_training.cluster_training import train_on_cluster
from editcast_training.data.corpus import FORMAT, make_corpus, read_corpus
from editcast_training.data.instances import LEAST_INSTANCES
from editcast_training.disk import explained
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.pauses import Pauses
from editcast_training.fit.trainer import TrainingPlan, no_reason, train
from editcast_training.packaging import Provenance, finish
from editcast_training.sources.registry import Origin

_MAX_STATE = 4096
_WHAT_TO_DO = (
    "Name a repository (--git PATH), VS Code's Local History (--local-history) or recorded saves "
    "(--saves FILE), or go on working for some days and train then."
)


@dataclass(frozen=True)
class Recipe:
    """Constants of every training: peak learning rates, and what follows.

    Attributes:
        network: Makes the architecture of a training from scratch, of a size of vocabulary.
    """

    network: Callable[[int], NetworkConfig] = NetworkConfig
    fine_tuning_rate: float = 2e-4
    further_rate: float = 1e-3
    scratch_rate: float = 1.5e-3


@dataclass(frozen=True)
class Request:
    """The user's choices.

    Attributes:
        origins: What to read; empty with a corpus that needs no calibration by repositories.
        corpus: A corpus that is there already, or None to make one of the origins.
        base: The bundle to begin with, or None to train from scratch.
        further: Whether it is trained on as if from scratch: at a high rate, and with a line head
            and confidence of its own. Else it is fine-tuned.
        tokenizer: From scratch, the vocabulary; else one is learned.
        steps: Optimizer steps, or None.
        minutes: Minutes of training, or None.
        patience: Evaluations without progress after which it stops; 0 for never.
        processes: How many read sources at once.
        personal: Whether the folder is Editcast's own, where another plan replaces what is there.
        considerate: Whether it waits while others need the machine; see `fit.pauses`.
        ray: The address of a cluster to train on, `cluster.HERE`, or None.
        workers: Of the cluster, at most.
        batches: Of a step, shared by the workers or by the processes of a `torchrun`.
    """

    folder: Path
    origins: Sequence[Origin]
    corpus: Path | None
    base: Bundle | None
    further: bool
    tokenizer: Path | None
    steps: int | None
    minutes: float | None
    seed: int
    device: str
    patience: int
    processes: int
    provenance: Provenance
    personal: bool
    considerate: bool = False
    ray: str | None = None
    workers: int = 1
    batches: int = 1
    recipe: Recipe = Recipe()


class Progress(Protocol):
    """Shows how far a training is."""

    def stage(self, sentence: str) -> None:
        """Show what begins."""

    def line(self, line: dict[str, Any]) -> None:
        """Show what the trainer reports; see `trainer.train`."""


@explained(TrainingError)
def train_to_bundle(request: Request, progress: Progress) -> Path | None:
    """Make the corpus, train, and finish, or go on with it; return the bundle.

    Of a `torchrun`, only the first process returns one.

    Raises:
        NoBetterModelError: A personal training made nothing better than what it began with, on the
            newest tenth of the history, which it was not trained on. The folder is cleared.
        TrainingError: There is too little history, the corpus is of another tokenizer than the
            bundle, or the folder holds another training.
        CorpusError: The corpus cannot be read or written.
        ClusterError: The cluster cannot be used.
    """
    if request.corpus is None and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise TrainingError("Several processes train on a corpus that is there: give --corpus.")
    if _is_first():
        _settle_plan(request, progress)
    corpus = _corpus(request, progress)
    plan = _training_plan(request, corpus)
    begun = "on" if request.base else "from scratch on"
    progress.stage(f"Training {begun} {request.provenance.trained_on}")
    if request.ray:
        checkpoint = train_on_cluster(plan, request.ray, request.workers, progress.line)
    else:
        checkpoint = train(plan, progress.line)
    if not _is_first():
        return None
    if request.personal and request.base is not None and _is_base(checkpoint):
        _clear(request.folder)
        raise NoBetterModelError(
            "What was learned is no better on the newest tenth of your history; the model stays."
        )
    out = request.folder / "bundle"
    finish(
        checkpoint,
        corpus,
        out,
        request.provenance,
        request.origins,
        base=None if request.further else request.base,
        report=progress.stage,
        seed=request.seed,
    )
    return out


def _training_plan(request: Request, corpus: Path) -> TrainingPlan:
    base, recipe = request.base, request.recipe
    rate = recipe.further_rate if request.further else recipe.fine_tuning_rate
    if request.steps:
        interval = max(1, min(200, request.steps // 10))
    else:  # about ten evaluations in all, and never more than a few minutes apart
        interval = 100 if request.minutes is not None and request.minutes <= 30 else 200
    return TrainingPlan(
        corpus,
        request.folder / "run",
        _network(request, corpus),
        steps=request.steps,
        minutes=request.minutes,
        learning_rate=recipe.scratch_rate if base is None else rate,
        batches=request.batches,
        seed=request.seed,
        interval=interval,
        patience=request.patience,
        device=request.device,
        weights=None if base is None else dict(load_network(base).state_dict()),
        reason_to_wait=Pauses().reason if request.considerate else no_reason,
    )


def _is_base(checkpoint: Path) -> bool:
    """Tell whether the best weights are those that the training began with."""
    _, _, about = read_checkpoint(checkpoint)
    return not about["progress"]["step"]


def install_own(folder: Path) -> Path:
    """Put the bundle of a personal training in place, and clear its folder for the next."""
    current = install(folder / "bundle", models_dir())
    _clear(folder)
    return current


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep every other training out of a folder: an editor's, or a command line's.

    The operating system lets go of the folder when this process ends, however it ends. Of a
    `torchrun`, the first process holds it for all.

    Raises:
        BusyError: Another training works there.
        TrainingError: The folder cannot be written to.
    """
    with ExitStack() as held:
        try:
            private_folder(folder)
            if _is_first():
                held.enter_context(process_lock(folder / ".lock"))
        except TimeoutError as error:
            raise BusyError(
                f"Another training is under way in {folder}; let it end, or stop it in the editor "
                "or terminal that began it."
            ) from error
        except OSError as error:
            raise TrainingError(f"{folder} cannot be written to: {error}.") from error
        yield


def _is_first() -> bool:
    return int(os.environ.get("RANK", "0")) == 0


def _settle_plan(request: Request, progress: Progress) -> None:
    """Go on with what lies in the folder if it is the same plan; else begin anew, or refuse."""
    base, tokenizer = request.base, request.tokenizer
    plan = {
        "sources": [
            [origin.name, origin.kind, origin.url or str(origin.path.resolve()), origin.split]
            for origin in request.origins
        ],
        "corpus": str(request.corpus.resolve()) if request.corpus else None,
        "format": FORMAT,  # a corpus that an older version began is of no use
        "base": checksum_of(base.path / "config.json") if base else None,
        "further": request.further,
        "tokenizer": checksum_of(tokenizer) if tokenizer else None,
        "seed": request.seed,
    }
    if request.batches > 1:
        plan["batches"] = request.batches
    path = private_folder(request.folder) / "plan.json"
    if path.exists():
        if json.loads(path.read_text("utf-8")) == plan:
            progress.stage("Going on with the training that was stopped")
            return
        if not request.personal:
            raise TrainingError(
                f"{request.folder} holds another training (of other sources, another model, "
                "seed or number of batches); name another folder."
            )
        _clear(request.folder)
    write_text(path, json.dumps(plan, indent=1))


def _clear(folder: Path) -> None:
    for name in ("run", "corpus", "bundle"):
        discard(folder / name)
    (folder / "plan.json").unlink(missing_ok=True)


def _corpus(request: Request, progress: Progress) -> Path:
    """Make the corpus of the origins, or go on making it, unless one is given; check its size.

    One that is not worth keeping is removed: its folder is free for more history then.
    """
    folder = request.corpus or request.folder / "corpus"
    try:
        if request.corpus is None:
            _make_corpus(folder, request, progress)
        counts = _instances(folder)
        if counts["train"] < LEAST_INSTANCES or not counts["dev"]:
            raise TrainingError(
                f"There is too little history: {counts['train']} instances of some edits each to "
                f"train on, where {LEAST_INSTANCES} are needed, and {counts['dev']} held out to "
                f"judge the result. {_WHAT_TO_DO}"
            )
    except TrainingError:
        if request.corpus is None:
            is_begun = (folder / "manifest.json").exists()
            if not is_begun or _instances(folder)["train"] < LEAST_INSTANCES:
                _clear(request.folder)
        raise
    return folder


def _make_corpus(folder: Path, request: Request, progress: Progress) -> None:
    tokenizer = request.base.path / "tokenizer.json" if request.base else request.tokenizer
    progress.stage(f"Reading {request.provenance.trained_on}")
    try:
        result = make_corpus(
            folder,
            request.origins,
            tokenizer=tokenizer,
            max_state=_MAX_STATE,
            processes=request.processes,
            seed=request.seed,
        )
    except EmptyCorpusError as error:
        raise TrainingError(f"{error} {_WHAT_TO_DO}") from error
    except CorpusError as error:
        raise TrainingError(str(error)) from error
    for made in result:
        if made.failed:
            progress.stage(f"{made.name}: left out. {made.failed}")


def _instances(corpus: Path) -> Counter[str]:
    """Count the instances of each split."""
    return sum((made.instances for made in read_corpus(corpus).values()), Counter())


def _network(request: Request, corpus: Path) -> NetworkConfig:
    """Choose the architecture: the bundle's, if the corpus is of its tokenizer, or the recipe's."""
    path, base = corpus / "tokenizer.json", request.base
    if base is None:
        return request.recipe.network(len(Tokenizer.load(path)))
    if _vocabulary(path) != _vocabulary(base.path / "tokenizer.json"):
        raise TrainingError(
            f"The corpus {corpus} was made with another tokenizer than the model {base.name}; "
            "make it again with the model's own (editcast corpus --tokenizer), or add --scratch."
        )
    return base.network


def _vocabulary(path: Path) -> Any:
    Tokenizer.load(path)  # says it in a sentence when it cannot be read
    return json.loads(path.read_text("utf-8"))["model"]
