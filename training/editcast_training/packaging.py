"""A checkpoint to a bundle that says how good it is: exported, scored, calibrated.

Confidence is calibrated on sessions that were not trained on, replayed in this process; the card
carries the calibration, the token-level scores, and what the suggestions of these sessions came to.
What was fine-tuned keeps its base's line head and confidence: an own history has a hundred steps
to fit them on where the base had thousands, and confidence that is fitted on a hundred never says
more than 0.6, so that nothing would be shown.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from editcast_model.bundle import Bundle, write_card
from editcast_model.card import VERSION
from editcast_model.checked import UnfitError
from editcast_model.errors import SourceError, TrainingError
from editcast_model.export import export, load_network
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.line_ranker import LineHead
from editcast_model.forecasting.ranker import Ranker
from editcast_model.networks.batch import Batch, collate
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.model import EditNetwork, read_weights
from editcast_model.private_files import fresh_folder
from editcast_model.tokenizer import Tokenizer
from editcast_training.calibration import line_ranker
from editcast_training.calibration.collected import Collected, collect
from editcast_training.calibration.ranker import best, calibration
from editcast_training.data.corpus import read_corpus
from editcast_training.data.dataset import Dataset
from editcast_training.disk import explained
from editcast_training.evaluation.corpus_sessions import window_sessions
from editcast_training.evaluation.project_sessions import read_sessions, within_projects
from editcast_training.evaluation.results import Row, by_kind, hardware, versions
from editcast_training.evaluation.sessions import EditingSession, draw_sessions, some_steps
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.loss import score
from editcast_training.sources.file_history import Skipped, split_by_time
from editcast_training.sources.registry import Origin, project_and_kind, read_origin, trained_on

_COMMITS = 200  # of each project, to replay
# Replayed to calibrate by: from scratch, and after fine-tuning, for which somebody waits.
_MOST_STEPS, _MOST_TUNED_STEPS = 5_000, 300
_MOST_LOOKS = 10_000  # steps that the line head is fitted on
_MOST_INSTANCES = 320  # of each split, scored token by token
_LICENCE = (
    "MIT, like Editcast. The model was trained on the projects listed here, whose own licences "
    "hold for their texts; a model of your own history is yours and stays on your machine."
)


@dataclass(frozen=True)
class Provenance:
    """Origin of a model, for its card.

    Attributes:
        name: What the model is called.
        trained_on: In words: "projects", "your own history".
        listed: Repositories that were to be trained on; those that the corpus lacks are named.
        base: The model whose weights it began with, or None.
        earlier: The sources that these weights had learned from, by name, with their splits.
    """

    name: str
    trained_on: str
    listed: Sequence[str] = ()
    base: str | None = None
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)


@explained(TrainingError)
def finish(
    checkpoint: Path,
    corpus: Path,
    out: Path,
    provenance: Provenance,
    origins: Sequence[Origin],
    *,
    tokenizer: Path | None = None,
    base: Bundle | None = None,
    report: Callable[[str], None],
    seed: int,
) -> Bundle:
    """Make the evaluated bundle of a training.

    Args:
        checkpoint: The weights, as the trainer wrote them.
        corpus: What they were trained on; its dev splits are scored.
        out: The bundle's folder; one that is there is replaced when the new one is complete.
        provenance: For the card.
        origins: The sources: what was not trained on scores suggestions, and calibrates them where
            the base is not calibrated; what was trained on teaches the line head where it has none.
        tokenizer: The vocabulary, when it is not the corpus'.
        base: The bundle it was fine-tuned from, whose graphs, line head and confidence it keeps.
        report: Called with what is being done.
        seed: Decides which sessions are drawn.

    Raises:
        TrainingError: The checkpoint cannot be read, there is nothing to calibrate by, or the
            bundle cannot be written.
        CorpusError: There is no corpus.
        BundleError: The export computes something else than the network.
    """
    report("Reading what was held out")
    sessions = _development_sessions(origins, seed, in_projects=base is None)
    sessions = sessions or window_sessions(corpus)
    network, vocabulary, training = _read(checkpoint, tokenizer or corpus / "tokenizer.json")
    report("Scoring edits that were not trained on")
    card = _card(provenance, training)
    card |= _measured(network, corpus, provenance)
    with fresh_folder(out) as fresh:
        report("Exporting")
        export(network, vocabulary, card, fresh, base=base)
        card |= _lines(fresh, base, origins, seed, report)
        write_card(fresh, card)
        card |= _suggestions(fresh, base, sessions, seed, report)
        write_card(fresh, card | {"hardware": hardware("cpu"), "versions": versions()})
        gc.collect()  # files of the forecasters are mapped, and some systems do not rename these
    return Bundle.open(out)


@explained(TrainingError)
def export_only(checkpoint: Path, tokenizer: Path, out: Path, name: str) -> Bundle:
    """Make a bundle without scores and calibration, for an experiment.

    Raises:
        TrainingError: The checkpoint cannot be read, or is of another tokenizer, or the bundle
            cannot be written.
        BundleError: The tokenizer cannot be read, or the export computes something else.
    """
    network, vocabulary, training = _read(checkpoint, tokenizer)
    return export(network, vocabulary, _card(Provenance(name, ""), training), out)


@explained(TrainingError)
def export_again(path: Path, out: Path) -> Bundle:
    """Export the weights of a bundle, which an earlier version may have written, as they are.

    Raises:
        TrainingError: The bundle cannot be written.
        BundleError: There is none, or the export computes something else than the weights.
    """
    bundle = Bundle.open(path)
    return export(load_network(bundle), bundle.tokenizer, dict(bundle.card.written), out)


def _read(checkpoint: Path, tokenizer: Path) -> tuple[EditNetwork, Tokenizer, dict[str, Any]]:
    """Read the network of a checkpoint, its vocabulary, and how long it was trained."""
    weights, _, about = read_checkpoint(checkpoint)
    try:
        network = read_weights(NetworkConfig.from_json(about["network"]), dict(weights))
    except (UnfitError, RuntimeError) as error:
        raise TrainingError(
            "The checkpoint's weights do not fit its architecture; it was written by another "
            "version of Editcast."
        ) from error
    vocabulary = Tokenizer.load(tokenizer)
    if len(vocabulary) != network.config.vocabulary:
        raise TrainingError(
            f"The checkpoint {checkpoint} was trained with another tokenizer (of "
            f"{network.config.vocabulary} entries, not {len(vocabulary)}); name its own."
        )
    progress = about["progress"]
    training = {
        "steps": progress["step"],
        "epochs": progress["epoch"],
        "seconds": round(progress["seconds"]),
        "edits_seen": progress["edits"],
    }
    return network, vocabulary, training


def _development_sessions(
    origins: Sequence[Origin], seed: int, *, in_projects: bool
) -> list[EditingSession]:
    """Read the sessions that training on these origins does not see: of dev, and held back.

    An origin of split `dev` or `...-dev` is for this alone; one of no split is split by time. One
    that cannot be read is left out, as it was when the corpus was made.
    """
    sessions: list[EditingSession] = []
    for origin in origins:
        if origin.split in (None, "dev") or origin.split.endswith("-dev"):
            with suppress(SourceError):
                sessions += read_sessions(
                    origin,
                    Skipped(),
                    count=_COMMITS,
                    seed=seed,
                    held_out=origin.split is None,
                    in_projects=in_projects,
                )
    return sessions


def _trained_sessions(origins: Sequence[Origin], seed: int) -> list[EditingSession]:
    """Read sessions that were trained on: some steps, as many of commits as of saves."""
    sessions: list[EditingSession] = []
    for origin in trained_on(origins):
        with suppress(SourceError):
            parts = (
                part
                for history in read_origin(origin, Skipped())
                for split, part in split_by_time(history, origin.split)
                if split == "train"
            )
            sessions += draw_sessions(parts, count=_COMMITS, seed=seed)
    kinds = sorted({session.kind for session in sessions})
    return [
        one
        for kind in kinds
        for one in some_steps(
            [session for session in sessions if session.kind == kind],
            _MOST_LOOKS // len(kinds),
            seed,
        )
    ]


def _card(provenance: Provenance, training: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "name": provenance.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "base": provenance.base,
        "training": training,
    }


def _measured(network: EditNetwork, corpus: Path, provenance: Provenance) -> dict[str, Any]:
    """Describe the network and its corpus, and score it on the corpus' dev splits."""
    instances: Counter[str] = Counter()
    edits: Counter[str] = Counter()
    generated_from: Counter[str] = Counter()  # the edits that were trained on
    sources = {name: set(splits) for name, splits in provenance.earlier.items()}
    for name, made in read_corpus(corpus).items():
        generated_from[project_and_kind(name)[1]] += made.edits["train"]
        instances.update(made.instances)
        edits.update(made.edits)
        sources.setdefault(name, set()).update(made.instances)
    folders = sorted(folder for folder in corpus.iterdir() if folder.is_dir())
    dev = [one for one in folders if one.name == "dev" or one.name.endswith("-dev")]
    return {
        "trained_on": {
            "what": provenance.trained_on,
            "sources": {name: sorted(sources[name]) for name in sorted(sources)},
            "missing": sorted(set(provenance.listed) - set(sources)),
            "instances": instances,
            "edits": edits,
            "made_of": generated_from,
        },
        "network": {
            **network.config.to_json(),
            "parameters": sum(value.numel() for value in network.parameters()),
        },
        "tokens": {folder.name: _token_scores(network, folder) for folder in dev},
        "licence": _LICENCE,
    }


def _token_scores(network: EditNetwork, split: Path) -> dict[str, float]:
    data = Dataset.read(split)
    spread = range(0, len(data), max(1, len(data) // _MOST_INSTANCES))

    def batches() -> Iterator[Batch]:
        for index in spread:
            yield collate([data.instance(index, (224, 224))])

    return score(network, batches()).shares()


def _lines(
    bundle: Path,
    base: Bundle | None,
    origins: Sequence[Origin],
    seed: int,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Keep the line head of the base, or fit one to what was trained on, if there is any."""
    if base is not None and LineHead.of(base.card):
        return {"lines": base.card.written["lines"]}
    sessions = _trained_sessions(origins, seed)
    if not sessions:
        return {}
    report("Learning which line comes next")
    forecaster = NeuralForecaster.load(bundle, "cpu")
    head = line_ranker.fit(list(line_ranker.examples(forecaster, sessions)), seed=seed)
    return {"lines": head.to_json()} if head else {}


def _suggestions(
    bundle: Path,
    base: Bundle | None,
    sessions: Sequence[EditingSession],
    seed: int,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Replay what was not trained on; keep the calibration of the base, or fit one."""
    if base is not None and base.card.calibration.weights:
        report("Replaying what was held out")
        alone = [one for one in sessions if not one.is_in_project]
        drawn, ranker = some_steps(alone, _MOST_TUNED_STEPS, seed), Ranker.of(base.card)
        rows = [best(step, ranker) for step in _collected(bundle, drawn)]
        report("Replaying it with the model before")
        before = [best(step, ranker) for step in _collected(base.path, drawn)]
        return {
            "calibration": asdict(base.card.calibration),
            "suggestions": by_kind(rows),
            "comparison": {"before": _seen(before), "after": _seen(rows)},
        }
    report("Calibrating")
    most = _MOST_TUNED_STEPS if base else _MOST_STEPS
    steps = _collected(bundle, some_steps(within_projects(sessions), most, seed))
    if not any(step.candidates for step in steps):  # a network that has hardly begun
        return {"suggestions": by_kind([best(step, Ranker()) for step in steps])}
    rows, fitted = calibration(steps)
    return {"calibration": fitted, "suggestions": by_kind(rows)}


def _seen(rows: Sequence[Row]) -> list[tuple[float, bool] | None]:
    """Return the confidence of each row's suggestion, and whether it was clean."""
    return [
        (round(row.confidence, 4), row.score.clean)
        if row.confidence is not None and row.score is not None
        else None
        for row in rows
    ]


def _collected(bundle: Path, sessions: Sequence[EditingSession]) -> list[Collected]:
    """Collect the candidates of every step, to rank and to calibrate by."""
    steps = list(collect(NeuralForecaster.load(bundle, "cpu"), sessions))
    if not steps:
        raise TrainingError(
            "There is nothing to calibrate confidence by: no file has two changes that were not "
            "trained on. Name more history, or go on working for some days."
        )
    return steps
