"""A checkpoint to a bundle that says how good it is: exported, scored, calibrated.

Confidence is calibrated on sessions that were not trained on, replayed in this process; the card
carries the calibration, the token-level scores, and what the suggestions of these sessions came to.
What was fine-tuned keeps its base's line head and confidence: an own history has a hundred steps
to fit them on where the base had thousands, and confidence that is fitted on a hundred never says
more than 0.6, so that nothing would be shown.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from editcast_model.bundle import Bundle, write_card
from editcast_model.card import VERSION
from editcast_model.checked import UnfitError
from editcast_model.errors import BundleError, TrainingError
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
from editcast_training.data.corpus import read_manifest
from editcast_training.data.dataset import Dataset
from editcast_training.disk import explained
from editcast_training.evaluation.project_sessions import within_projects
from editcast_training.evaluation.results import Evaluation, Row, summarize
from editcast_training.evaluation.sessions import EditingSession, some_steps
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.loss import score
from editcast_training.sources.registry import project_and_kind
from editcast_training.swap_weights import refit

# Replayed to calibrate by: from scratch, and after fine-tuning, for which somebody waits.
_MOST_STEPS, _MOST_TUNED_STEPS = 5_000, 300
_MOST_LOOKS = 10_000  # steps that the line head is fitted on
_MOST_INSTANCES = 320  # of each split, scored token by token
_LICENCE = (
    "MIT, like Editcast. The model was trained on the projects listed here, whose own licences "
    "hold for their texts; a model of your own history is yours and stays on your machine."
)


@dataclass(frozen=True)
class Origins:
    """What a card says of where a model comes from.

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
    origins: Origins,
    sessions: Sequence[EditingSession],
    *,
    trained: Sequence[EditingSession] = (),
    tokenizer: Path | None = None,
    base: Bundle | None = None,
    tell: Callable[[str], None] = lambda said: None,
    seed: int = 0,
) -> Bundle:
    """Make the evaluated bundle of a training.

    Args:
        checkpoint: The weights, as the trainer wrote them.
        corpus: What they were trained on; its dev splits are scored.
        out: The bundle's folder; one that is there is replaced when the new one is complete.
        origins: For the card.
        sessions: Sessions that were not trained on, to score by, and to calibrate by where the
            base is not calibrated. Of many, some are drawn.
        trained: Sessions that were trained on, to fit the line head by where the base has none. Of
            many, some are drawn.
        tokenizer: The vocabulary, when it is not the corpus'.
        base: The bundle it was fine-tuned from, whose graphs, line head and confidence it keeps.
        tell: Called with what is being done.
        seed: Decides which sessions are drawn.

    Raises:
        TrainingError: The checkpoint cannot be read, there is nothing to calibrate by, or the
            bundle cannot be written.
        CorpusError: There is no corpus.
        BundleError: The export computes something else than the network.
    """
    tensors, _, about = read_checkpoint(checkpoint)
    manifest = read_manifest(corpus)
    network = load_weights(about["network"], tensors)
    vocabulary = _checked_vocabulary(tokenizer or corpus / "tokenizer.json", network, checkpoint)
    tell("Scoring edits that were not trained on")
    tokens = {split: _token_scores(network, corpus / split) for split in _dev_splits(corpus)}
    card = _card(origins, manifest, about, network, tokens)
    with fresh_folder(out) as fresh:
        tell("Exporting")
        if base is None or not _refitted(base, network, card, fresh):
            export(network, vocabulary, card, fresh)
        if base is not None and LineHead.of(base.card):
            card |= {"lines": base.card.written["lines"]}
        elif trained:
            tell("Learning which line comes next")
            head = _line_head(fresh, trained, seed)
            card |= {"lines": head.to_json()} if head else {}
        write_card(fresh, card)
        most = _MOST_TUNED_STEPS if base else _MOST_STEPS
        if base is not None and base.card.calibration.weights:
            tell("Replaying what was held out")
            alone = [one for one in sessions if not one.is_in_project]
            known = Ranker.of(base.card)
            steps = _collected(fresh, some_steps(alone, most, seed))
            rows = [best(step, known) for step in steps]
            card |= {"calibration": asdict(base.card.calibration)}
        else:
            tell("Calibrating")
            steps = _collected(fresh, some_steps(within_projects(sessions), most, seed))
            if any(step.candidates for step in steps):
                rows, fitted = calibration(steps)
                card |= {"calibration": fitted}
            else:  # a network that has hardly begun proposes nothing that fits
                rows = [best(step, Ranker()) for step in steps]
        card |= {"suggestions": _by_kind(rows)}
        evaluation = Evaluation.of(
            origins.name, rows, source="development", command="", device="cpu"
        )
        card |= {"hardware": dict(evaluation.hardware), "versions": dict(evaluation.versions)}
        write_card(fresh, card)
    return Bundle.open(out)


def _refitted(base: Bundle, network: EditNetwork, card: dict[str, Any], out: Path) -> bool:
    """Try the base's graphs; those that other versions exported may not serve."""
    try:
        refit(base, network, card, out)
    except BundleError:
        return False
    return True


@explained(TrainingError)
def export_only(checkpoint: Path, tokenizer: Path, out: Path, name: str) -> Bundle:
    """Make a bundle without scores and calibration, for an experiment.

    Raises:
        TrainingError: The checkpoint cannot be read, or is of another tokenizer, or the bundle
            cannot be written.
        BundleError: The tokenizer cannot be read, or the export computes something else.
    """
    weights, _, about = read_checkpoint(checkpoint)
    network = load_weights(about["network"], weights)
    vocabulary = _checked_vocabulary(tokenizer, network, checkpoint)
    card = {
        "version": VERSION,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "training": _training(about["progress"]),
    }
    return export(network, vocabulary, card, out)


@explained(TrainingError)
def export_again(path: Path, out: Path) -> Bundle:
    """Export the weights of a bundle, which an earlier version may have written, as they are.

    Raises:
        TrainingError: The bundle cannot be written.
        BundleError: There is none, or the export computes something else than the weights.
    """
    bundle = Bundle.open(path)
    return export(load_network(bundle), bundle.tokenizer, dict(bundle.card.written), out)


def _checked_vocabulary(path: Path, network: EditNetwork, checkpoint: Path) -> Tokenizer:
    tokenizer = Tokenizer.load(path)
    if len(tokenizer) != network.config.vocabulary:
        raise TrainingError(
            f"The checkpoint {checkpoint} was trained with another tokenizer (of "
            f"{network.config.vocabulary} entries, not {len(tokenizer)}); name its own."
        )
    return tokenizer


def _training(progress: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "steps": progress["step"],
        "epochs": progress["epoch"],
        "seconds": round(progress["seconds"]),
        "edits_seen": progress["edits"],
    }


def load_weights(config: Mapping[str, Any], weights: Mapping[str, Any]) -> EditNetwork:
    """Make the network of a checkpoint.

    Raises:
        TrainingError: The weights are of another architecture.
    """
    try:
        network = read_weights(NetworkConfig.from_json(config), dict(weights))
    except (UnfitError, RuntimeError) as error:
        raise TrainingError(
            "The checkpoint's weights do not fit its architecture; it was written by another "
            "version of Editcast."
        ) from error
    return network


def _dev_splits(corpus: Path) -> list[str]:
    """`dev` and, for example, `saves-dev`."""
    names = (folder.name for folder in corpus.iterdir() if folder.is_dir())
    return sorted(name for name in names if name == "dev" or name.endswith("-dev"))


def _token_scores(network: EditNetwork, split: Path) -> dict[str, float]:
    data = Dataset.read(split)
    spread = range(0, len(data), max(1, len(data) // _MOST_INSTANCES))

    def batches() -> Iterator[Batch]:
        for index in spread:
            yield collate([data.instance(index, (224, 224))])

    return score(network, batches()).shares()


def _line_head(path: Path, sessions: Sequence[EditingSession], seed: int) -> LineHead | None:
    forecaster = NeuralForecaster.load(path, "cpu")
    known = list(line_ranker.examples(forecaster, line_ranker.drawn(sessions, _MOST_LOOKS, seed)))
    del forecaster
    gc.collect()  # see `_collected`
    return line_ranker.fit(known, seed=seed)


def _collected(path: Path, sessions: Sequence[EditingSession]) -> list[Collected]:
    """The candidates of every step, to rank and to calibrate by."""
    forecaster = NeuralForecaster.load(path, "cpu")
    steps = list(collect(forecaster, sessions))
    # Its files are mapped, and some systems do not rename what is mapped.
    del forecaster
    gc.collect()
    if not steps:
        raise TrainingError(
            "There is nothing to calibrate confidence by: no file has two changes that were not "
            "trained on. Name more history, or go on working for some days."
        )
    return steps


def _by_kind(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what the card says of suggestions, by kind of session."""
    kinds = sorted({row.kind for row in rows})
    return {kind: asdict(summarize([row for row in rows if row.kind == kind])) for kind in kinds}


def _card(
    origins: Origins,
    manifest: Mapping[str, Any],
    about: Mapping[str, Any],
    network: EditNetwork,
    tokens: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    instances: dict[str, int] = {}
    edits: dict[str, int] = {}
    made_of: dict[str, int] = {}  # the edits that were trained on
    for name, made in manifest["sources"].items():
        kind = project_and_kind(name)[1]
        made_of[kind] = made_of.get(kind, 0) + made["edits"].get("train", 0)
        for total, counts in ((instances, made["instances"]), (edits, made["edits"])):
            for split, count in counts.items():
                total[split] = total.get(split, 0) + count
    sources = {name: set(splits) for name, splits in origins.earlier.items()}
    for name, made in manifest["sources"].items():
        sources.setdefault(name, set()).update(made["instances"])
    parameters = sum(value.numel() for value in network.parameters())
    return {
        "version": VERSION,
        "name": origins.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "base": origins.base,
        "trained_on": {
            "what": origins.trained_on,
            "sources": {name: sorted(sources[name]) for name in sorted(sources)},
            "missing": sorted(set(origins.listed) - set(sources)),
            "instances": instances,
            "edits": edits,
            "made_of": made_of,
        },
        "training": _training(about["progress"]),
        "network": {**network.config.to_json(), "parameters": parameters},
        "tokens": tokens,
        "licence": _LICENCE,
    }
