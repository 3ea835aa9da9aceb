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
from collections.abc import Iterator, Sequence
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
    SourceError,
    TrainingError,
)
from editcast_model.export import load_network
from editcast_model.forecasting.line_ranker import LineHead
from editcast_model.networks.config import NetworkConfig
from editcast_model.private_files import discard, private_folder, write_text
from editcast_model.tokenizer import Tokenizer
from editcast_store.lock import process_lock
from editcast_store.models import install
from editcast_store.paths import models_dir
from editcast_training.data.corpus import FORMAT, make_corpus, read_manifest
from editcast_training.data.splits import split_by_time
from editcast_training.disk import explained
from editcast_training.evaluation.corpus_sessions import window_sessions
from editcast_training.evaluation.project_sessions import Changes
from editcast_training.evaluation.sessions import EditingSession, draw_sessions
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.trainer import TrainingPlan, train
from editcast_training.packaging import Origins, finish
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin, trained_on

#: Fewer instances (of about 100 edits) teach nothing that lasts.
LEAST_INSTANCES = 50
_MAX_STATE = 4096
_COMMITS = 200  # of each project, to replay
# Peak learning rates.
_FINE_TUNING_RATE = 2e-4
_FURTHER_RATE = 1e-3
_FROM_SCRATCH_RATE = 1.5e-3


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Attributes:
        folder: Where the work lies.
        origins: What to read; empty with a corpus that needs no calibration by repositories.
        corpus: A corpus that is there already, or None to make one of the origins.
        base: The bundle to begin with, or None to train from scratch.
        further: Whether it is trained on as if from scratch: at a high rate, and with a line head
            and confidence of its own. Else it is fine-tuned.
        tokenizer: From scratch, the vocabulary; else one is learned.
        steps: Optimizer steps, or None.
        minutes: Minutes of training, or None.
        seed: Decides all that is drawn.
        device: `cpu`, `cuda`, or `auto`.
        patience: Evaluations without progress after which it stops; 0 for never.
        named: What the card says of it.
        personal: Whether the folder is Editcast's own, where another plan replaces what is there.
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
    named: Origins
    personal: bool


class Progress(Protocol):
    """Shows how far a training is."""

    def stage(self, sentence: str) -> None:
        """Show what begins."""

    def line(self, line: dict[str, Any]) -> None:
        """Show what the trainer reports; see `trainer.train`."""


@explained(TrainingError)
def train_to_bundle(request: Request, progress: Progress, *, processes: int) -> Path | None:
    """Make the corpus, train, and finish; or go on with it.

    Args:
        request: What to do.
        progress: Shows how far it is.
        processes: How many read sources at once.

    Returns:
        The bundle; None in all but the first process of a `torchrun`.

    Raises:
        NoBetterModelError: A personal training made nothing better than what it began with, on the
            newest tenth of the history, which it was not trained on. The folder is cleared.
        TrainingError: There is too little history, the corpus is of another tokenizer than the
            bundle, or the folder holds another training.
        CorpusError: The corpus cannot be read or written.
    """
    first = _is_first()
    if request.corpus is None and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise TrainingError("Several processes train on a corpus that is there: give --corpus.")
    if first:
        _settle_plan(request, progress)
    try:
        corpus = request.corpus or _corpus(request, processes, progress)
        _check_amount(corpus)
    except TrainingError:
        _clear_if_small(request)
        raise
    progress.stage(
        f"Training {'on' if request.base else 'from scratch on'} {request.named.trained_on}"
    )
    checkpoint = train(_training_plan(request, corpus), progress.line)
    if not first:
        return None
    if request.personal and request.base is not None and _is_base(checkpoint):
        _clear(request.folder)
        raise NoBetterModelError(
            "What was learned is no better on the newest tenth of your history; the model stays."
        )
    progress.stage("Reading what was held out")
    out = request.folder / "bundle"
    kept = None if request.further else request.base
    sessions = development_sessions(request.origins, seed=request.seed, in_projects=kept is None)
    finish(
        checkpoint,
        corpus,
        out,
        request.named,
        sessions or window_sessions(corpus),
        trained=trained_sessions(request.origins, kept, seed=request.seed),
        base=kept,
        tell=progress.stage,
        seed=request.seed,
    )
    return out


def _training_plan(request: Request, corpus: Path) -> TrainingPlan:
    base = request.base
    return TrainingPlan(
        corpus,
        request.folder / "run",
        _network(base, corpus),
        steps=request.steps,
        minutes=request.minutes,
        learning_rate=_rate(request),
        seed=request.seed,
        interval=_interval(request),
        patience=request.patience,
        device=request.device,
        weights=None if base is None else dict(load_network(base).state_dict()),
    )


def _is_base(checkpoint: Path) -> bool:
    """Tell whether the best weights are those that the training began with."""
    _, _, about = read_checkpoint(checkpoint)
    return not about["progress"]["step"]


def development_sessions(
    origins: Sequence[Origin], *, seed: int, in_projects: bool
) -> list[EditingSession]:
    """Sessions that training on these origins does not see: those of dev, and what is held back.

    Args:
        origins: One of split `dev` or `...-dev` is for this alone; one of no split is split by
            time; others are left out. One that cannot be read is left out as well, as it was
            when the corpus was made.
        seed: Another seed draws other commits.
        in_projects: Whether they are wanted within their projects, too; what keeps its base's
            confidence has no use for these.
    """
    sessions: list[EditingSession] = []
    for origin in origins:
        if origin.split not in (None, "dev") and not origin.split.endswith("-dev"):
            continue
        try:
            changes, histories = Changes(), read_origin(origin, Skipped())
            drawn = draw_sessions(
                changes.watched(histories) if in_projects else histories,
                count=_COMMITS,
                seed=seed,
                held_out=origin.split is None,
            )
            sessions += drawn + (changes.sessions(drawn) if in_projects else [])
        except SourceError:
            continue
    return sessions


def trained_sessions(
    origins: Sequence[Origin], base: Bundle | None, *, seed: int
) -> list[EditingSession]:
    """Sessions of what is trained on, to fit the line head by; none where the base has one."""
    if base is not None and LineHead.of(base.card):
        return []
    sessions: list[EditingSession] = []
    for origin in trained_on(origins):
        try:
            parts = (
                part
                for history in read_origin(origin, Skipped())
                for split, part in split_by_time(history, origin.split)
                if split == "train"
            )
            sessions += draw_sessions(parts, count=_COMMITS, seed=seed)
        except SourceError:
            continue
    return sessions


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
            [origin.name, origin.kind, str(origin.path.resolve()), origin.split]
            for origin in request.origins
        ],
        "corpus": str(request.corpus.resolve()) if request.corpus else None,
        "format": FORMAT,  # a corpus that an older version began is of no use
        "base": checksum_of(base.path / "config.json") if base else None,
        "further": request.further,
        "tokenizer": checksum_of(tokenizer) if tokenizer else None,
        "seed": request.seed,
    }
    path = private_folder(request.folder) / "plan.json"
    if path.exists():
        if json.loads(path.read_text("utf-8")) == plan:
            progress.stage("Going on with the training that was stopped")
            return
        if not request.personal:
            raise TrainingError(
                f"{request.folder} holds another training (of other sources, another model or "
                "seed); name another folder."
            )
        _clear(request.folder)
    write_text(path, json.dumps(plan, indent=1))


def _clear(folder: Path) -> None:
    for name in ("run", "corpus", "bundle"):
        discard(folder / name)
    (folder / "plan.json").unlink(missing_ok=True)


def _corpus(request: Request, processes: int, progress: Progress) -> Path:
    """Make the corpus of the origins, or go on making it."""
    folder = request.folder / "corpus"
    tokenizer = request.base.path / "tokenizer.json" if request.base else request.tokenizer
    progress.stage(f"Reading {request.named.trained_on}")
    try:
        result = make_corpus(
            folder,
            request.origins,
            tokenizer=tokenizer,
            max_state=_MAX_STATE,
            processes=processes,
            seed=request.seed,
        )
    except EmptyCorpusError as error:
        raise TrainingError(f"{error} {_WHAT_TO_DO}") from error
    except CorpusError as error:
        raise TrainingError(str(error)) from error
    for made in result:
        if made.failed:
            progress.stage(f"{made.name}: left out. {made.failed}")
    return folder


_WHAT_TO_DO = (
    "Name a repository (--git PATH), VS Code's Local History (--local-history) or recorded saves "
    "(--saves FILE), or go on working for some days and train then."
)


def _clear_if_small(request: Request) -> None:
    """Let go of a corpus that is not worth keeping: its folder is free for more history then."""
    if request.corpus is not None:
        return
    folder = request.folder / "corpus"
    if not (folder / "manifest.json").exists() or _instances(folder, "train") < LEAST_INSTANCES:
        _clear(request.folder)


def _instances(corpus: Path, split: str) -> int:
    made = read_manifest(corpus)["sources"].values()
    return sum(one["instances"].get(split, 0) for one in made)


def _check_amount(corpus: Path) -> None:
    train_count, dev_count = (_instances(corpus, split) for split in ("train", "dev"))
    if train_count < LEAST_INSTANCES or not dev_count:
        raise TrainingError(
            f"There is too little history: {train_count} instances of some edits each to train "
            f"on, where {LEAST_INSTANCES} are needed, and {dev_count} held out to judge the "
            f"result. {_WHAT_TO_DO}"
        )


def _network(base: Bundle | None, corpus: Path) -> NetworkConfig:
    """The architecture: the bundle's, if the corpus is of its tokenizer, or the bundled model's."""
    path = corpus / "tokenizer.json"
    if base is None:
        return NetworkConfig(len(Tokenizer.load(path)))
    if _vocabulary(path) != _vocabulary(base.path / "tokenizer.json"):
        raise TrainingError(
            f"The corpus {corpus} was made with another tokenizer than the model {base.name}; "
            "make it again with the model's own (editcast corpus --tokenizer), or add --scratch."
        )
    return base.network


def _vocabulary(path: Path) -> Any:
    Tokenizer.load(path)  # says it in a sentence when it cannot be read
    return json.loads(path.read_text("utf-8"))["model"]


def _rate(request: Request) -> float:
    if request.base is None:
        return _FROM_SCRATCH_RATE
    return _FURTHER_RATE if request.further else _FINE_TUNING_RATE


def _interval(request: Request) -> int:
    """Steps between evaluations: about ten in all, and never more than a few minutes apart."""
    if request.steps:
        return max(1, min(200, request.steps // 10))
    return 100 if request.minutes is not None and request.minutes <= 30 else 200
