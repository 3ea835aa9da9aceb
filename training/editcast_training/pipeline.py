"""The training pipeline, from sources through a corpus and a network to a bundle.

    FOLDER/plan.json     the plan of the training; a different plan starts anew
    FOLDER/corpus/       the corpus, unless one was given
    FOLDER/run/          checkpoints and log.jsonl
    FOLDER/bundle/       the result
    FOLDER/.lock         held while a process works there

After an interruption the pipeline resumes: the corpus with the next source, the training with the
last checkpoint. Only the export and the calibration, which take a few minutes, are repeated.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from editcast_model.bundle import Bundle, checksum_of
from editcast_model.errors import (
    BusyError,
    CorpusError,
    EmptyCorpusError,
    NoBetterModelError,
    TooLittleHistoryError,
    TrainingError,
)
from editcast_model.export import load_network
from editcast_model.networks.config import NetworkConfig
from editcast_model.private_files import discard, private_folder, write_text
from editcast_model.tokenizer import Tokenizer
from editcast_store.lock import process_lock
from editcast_store.models import install
from editcast_store.paths import own_folder
from editcast_training.cluster_training import train_on_cluster
from editcast_training.data.corpus import make_corpus, read_corpus
from editcast_training.data.instances import LEAST_INSTANCES
from editcast_training.data.shards import FORMAT
from editcast_training.disk import explained
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.pauses import Pauses
from editcast_training.fit.plan import SUBTOKENS, TrainingOptions, TrainingPlan, no_reason
from editcast_training.fit.trainer import pick_device, train
from editcast_training.packaging import Provenance, finish
from editcast_training.sources.registry import Origin

_FOLDERS = ("run", "corpus", "bundle")
WHAT_TO_DO = (
    "Name a repository (--git PATH), VS Code's Local History (--local-history) or recorded saves "
    "(--saves FILE), or train again after some days of work."
)


@dataclass(frozen=True)
class Recipe:
    """Constants of every training, such as peak learning rates.

    Attributes:
        network: Returns the architecture of a training from scratch for a size of the vocabulary.
    """

    network: Callable[[int], NetworkConfig] = NetworkConfig
    fine_tuning_rate: float = 2e-4
    further_rate: float = 1e-3
    scratch_rate: float = 1.5e-3


@dataclass(frozen=True, kw_only=True)
class Request(TrainingOptions):
    """The user's choices.

    Attributes:
        origins: The sources; may be empty if a corpus is given.
        corpus: An existing corpus, or None to make one from the sources.
        base: The bundle to start from, or None to train from scratch.
        further: Whether to train the base at a high learning rate, with a new line ranker and a new
            calibration, instead of fine-tuning it.
        tokenizer: The tokenizer of a training from scratch; None to learn a vocabulary.
        processes: The number of processes that read sources, and make batches for a GPU.
        personal: Whether the folder is Editcast's own, in which a new plan replaces an old one.
        fitted: The base with parts fitted to a person, whose card the new model's continues.
        considerate: Whether to wait while other programs need the machine; see `fit.pauses`.
        ray: The address of a cluster to train on, `cluster.HERE`, or None.
        subtokens: Subtokens per batch, or None. The learning rate grows with its square root.
    """

    folder: Path
    origins: Sequence[Origin]
    corpus: Path | None
    base: Bundle | None
    further: bool
    tokenizer: Path | None
    processes: int
    provenance: Provenance
    personal: bool
    fitted: Bundle | None = None
    considerate: bool = False
    ray: str | None = None
    workers: int = 1
    subtokens: int | None = None
    recipe: Recipe = Recipe()


class Progress(Protocol):
    """A display of a training's progress."""

    def stage(self, sentence: str) -> None:
        """Show a new stage."""

    def line(self, line: dict[str, Any]) -> None:
        """Show a line from the trainer; see `trainer.train`."""


@explained(TrainingError)
def train_to_bundle(request: Request, progress: Progress) -> Path | None:
    """Run or resume the whole pipeline, and return the bundle.

    In a `torchrun`, only the first process returns a bundle.

    Raises:
        NoBetterModelError: A personal training did not improve its base on the held-out newest
            tenth of the history. The folder is cleared.
        TooLittleHistoryError: There is too little history.
        TrainingError: The tokenizers of corpus and bundle differ, or the folder contains another
            training or other files.
        CorpusError: The corpus cannot be read or written.
        ClusterError: The cluster cannot be used.
    """
    if request.corpus is None and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise TrainingError("Several processes need an existing corpus; give --corpus.")
    if _is_first():
        _settle_plan(request, progress)
    corpus = _corpus(request, progress)
    plan = _training_plan(request, corpus)
    begun = "" if request.base else " from scratch"
    length = f"{request.steps:,} steps" if request.steps else f"{request.minutes:g} minutes"
    progress.stage(f"Training{begun}: {length}, then some minutes of tests")
    if request.ray:
        checkpoint = train_on_cluster(plan, request.ray, request.workers, progress.line)
    else:
        checkpoint = train(plan, progress.line)
    if not _is_first():
        return None
    if request.personal and request.base is not None:
        _, _, about = read_checkpoint(checkpoint)
        if not about["progress"]["step"]:  # the initial weights are the best
            _clear(request.folder)
            raise NoBetterModelError(
                "The new model is no better on the newest tenth of your history; the old one stays."
            )
    out = request.folder / "bundle"
    finish(
        checkpoint,
        corpus,
        out,
        request.provenance,
        request.origins,
        base=None if request.further else request.fitted or request.base,
        graphs=request.base,
        report=progress.stage,
        seed=request.seed,
    )
    return out


def _training_plan(request: Request, corpus: Path) -> TrainingPlan:
    base, recipe = request.base, request.recipe
    rate = recipe.further_rate if request.further else recipe.fine_tuning_rate
    if base is None:
        rate = recipe.scratch_rate
    subtokens = request.subtokens or SUBTOKENS
    is_for_gpu = not request.ray and pick_device(request.device).type == "cuda"
    if request.steps:
        interval = max(1, min(200, request.steps // 10), request.steps // 60)
    else:  # about ten evaluations, at most a few minutes apart
        interval = 100 if request.minutes is not None and request.minutes <= 30 else 200
    return TrainingPlan(
        corpus,
        request.folder / "run",
        _network(request, corpus),
        learning_rate=rate * (subtokens / SUBTOKENS) ** 0.5,
        budget=subtokens,
        loaders=request.processes if is_for_gpu else 0,
        interval=interval,
        weights=None if base is None else dict(load_network(base).state_dict()),
        reason_to_wait=Pauses().reason if request.considerate else no_reason,
        **{one.name: getattr(request, one.name) for one in fields(TrainingOptions)},
    )


def install_own(folder: Path) -> Path:
    """Install the bundle of a personal training, and clear its folder."""
    current = install(folder / "bundle", own_folder("models"))
    _clear(folder)
    return current


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Lock a folder against other trainings, from an editor or a command line.

    The lock is released when this process ends, even by a crash. In a `torchrun`, the first process
    holds it for all.

    Raises:
        BusyError: Another training uses the folder.
        TrainingError: The folder cannot be written to.
    """
    with ExitStack() as held:
        try:
            private_folder(folder)
            if _is_first():
                held.enter_context(process_lock(folder / ".lock"))
        except TimeoutError as error:
            raise BusyError(
                f"Another training is running in {folder}; wait for it, or stop it in the editor "
                "or terminal that started it."
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
    if request.subtokens:
        plan["subtokens"] = request.subtokens
    path = private_folder(request.folder) / "plan.json"
    if path.exists():
        if json.loads(path.read_text("utf-8")) == plan:
            progress.stage("Continuing the interrupted training")
            return
        if not request.personal:
            raise TrainingError(
                f"{request.folder} holds another training (of other sources, another model, "
                "seed, number or size of batches); name another folder."
            )
        _clear(request.folder)
    elif not request.personal:
        _check_unused(request)
    write_text(path, json.dumps(plan, indent=1))


def _check_unused(request: Request) -> None:
    """Raise `TrainingError` if a folder without a plan has files that would be replaced."""
    given = request.corpus and request.corpus.resolve()
    for name in _FOLDERS:
        place = request.folder / name
        if place.exists() and place.resolve() != given and (place.is_file() or [*place.iterdir()]):
            raise TrainingError(
                f"{place} is not of a training, which would replace it; name another folder."
            )


def _clear(folder: Path) -> None:
    for name in _FOLDERS:
        discard(folder / name)
    (folder / "plan.json").unlink(missing_ok=True)


def _corpus(request: Request, progress: Progress) -> Path:
    """Make or resume the corpus, unless one is given, and check its size.

    A corpus that is too small is removed, so that the folder can be used with more history.
    """
    folder = request.corpus or request.folder / "corpus"
    try:
        if request.corpus is None:
            _make_corpus(folder, request, progress)
        counts = _instances(folder)
        if counts["train"] < LEAST_INSTANCES or not counts["dev"]:
            raise TooLittleHistoryError(
                f"There is too little history: {counts['train']} instances to train on, of "
                f"{LEAST_INSTANCES} needed, and {counts['dev']} held out for the evaluation. "
                f"{WHAT_TO_DO}"
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
    progress.stage("Reading the history")
    try:
        result = make_corpus(
            folder,
            request.origins,
            tokenizer=tokenizer,
            processes=request.processes,
            seed=request.seed,
        )
    except CorpusError as error:
        if isinstance(error, EmptyCorpusError):
            raise TooLittleHistoryError(f"{error} {WHAT_TO_DO}") from error
        raise TrainingError(str(error)) from error
    for made in result:
        if made.failed:
            progress.stage(f"{made.name}: skipped. {made.failed}")


def _instances(corpus: Path) -> Counter[str]:
    """Count the instances of each split."""
    return sum((made.instances for made in read_corpus(corpus).values()), Counter())


def _network(request: Request, corpus: Path) -> NetworkConfig:
    """Return the architecture: that of the base, or of the recipe.

    Raises:
        TrainingError: The corpus was made with another tokenizer than the base.
    """
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
    Tokenizer.load(path)  # raises a clear error if it cannot be read
    return json.loads(path.read_text("utf-8"))["model"]
