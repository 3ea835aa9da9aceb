"""Packaging of a checkpoint as a bundle: export, evaluation and calibration.

Confidence is calibrated on held-out sessions, which are replayed in this process. The card contains
the calibration, the token-level scores, and the metrics of the suggestions in these sessions. A
fine-tuned model keeps the line ranker and the calibration of its base: the user's history has some
hundred steps to fit them on, where the base had thousands. Confidences fitted on a hundred steps
never exceed 0.6, so nothing would be shown.
"""

import gc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from editcast_model.bundle import Bundle, fresh_bundle, write_card
from editcast_model.card import VERSION
from editcast_model.checked import UnfitError
from editcast_model.errors import BundleError, TooLittleHistoryError, TrainingError
from editcast_model.export import export, load_network
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.line_ranker import LineHead
from editcast_model.forecasting.ranker import Ranker
from editcast_model.networks.batch import collate
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.model import EditNetwork, read_weights
from editcast_model.tokenizer import Tokenizer
from editcast_training.calibration import line_ranker
from editcast_training.calibration.collected import Collected, collect
from editcast_training.calibration.ranker import best, calibration
from editcast_training.calibration.weights import fit_weights
from editcast_training.data.corpus import read_corpus
from editcast_training.data.dataset import Dataset
from editcast_training.disk import explained
from editcast_training.evaluation.corpus_sessions import window_sessions
from editcast_training.evaluation.intervals import grouped
from editcast_training.evaluation.known_files import files_before
from editcast_training.evaluation.project_sessions import readable_sessions, within_projects
from editcast_training.evaluation.results import Row, by_kind, hardware, versions
from editcast_training.evaluation.sessions import EditingSession, some_steps
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.loss import score
from editcast_training.sources.registry import Origin, held_out, project_and_kind, trained_on

_COMMITS = 200  # commits of each project to replay
# Steps replayed for the calibration, from scratch and after fine-tuning, for which a user waits.
_MOST_STEPS, _MOST_TUNED_STEPS = 5_000, 300
_MOST_TYPED_STEPS = 800  # to fit continuations and the project memory's gate
_MOST_LOOKS = 10_000  # steps that the line ranker is fitted on
_MOST_INSTANCES = 320  # instances of each split for the token-level scores
_LICENCE = (
    "MIT, like Editcast. The model was trained on the projects listed here, whose own licences "
    "hold for their texts; a model of your own history is yours and stays on your machine."
)


@dataclass(frozen=True)
class Provenance:
    """The origin of a model, for its card.

    Attributes:
        trained_on: A description of the data: "projects", "your own history".
        listed: The repositories to train on; the card names those that the corpus lacks.
        base: The name of the model that it started from, or None.
        earlier: The sources that the base was trained on, by name, with their splits.
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
    base: Bundle | None = None,
    graphs: Bundle | None = None,
    report: Callable[[str], None],
    seed: int,
) -> Bundle:
    """Make the bundle of a training, with its evaluation and calibration.

    Args:
        checkpoint: The trainer's checkpoint.
        corpus: The corpus, whose dev splits are scored.
        out: The bundle's folder, which is replaced when the new bundle is complete.
        provenance: The origin of the model.
        origins: The sources. Their held-out parts evaluate suggestions, and calibrate them if the
            base is not calibrated. Their training parts fit the line ranker if the base has none.
        base: The bundle that was fine-tuned, whose line ranker and calibration are kept.
        graphs: A bundle whose graphs are kept if its architecture is the same.
        report: Called with each stage.
        seed: The seed of the sampling of sessions.

    Raises:
        TrainingError: The checkpoint cannot be read, there is no data for the calibration, or the
            bundle cannot be written.
        CorpusError: There is no corpus.
        BundleError: The export and the network compute different results.
    """
    report("Reading held-out history")
    sessions = readable_sessions(
        held_out(origins), count=_COMMITS, seed=seed, part="dev", in_projects=base is None
    ) or window_sessions(corpus)
    network, vocabulary, training = _read(checkpoint, corpus / "tokenizer.json")
    report("Scoring held-out edits")
    card = _card(provenance, training)
    card |= _measured(network, corpus, provenance)
    with fresh_bundle(out) as fresh:
        report("Exporting")
        export(network, vocabulary, card, fresh, base=graphs)
        card |= _lines(fresh, base, origins, seed, report)
        write_card(fresh, card)
        card |= _suggestions(fresh, base, sessions, origins, seed, report)
        write_card(fresh, card | {"hardware": hardware("cpu"), "versions": versions()})
        gc.collect()  # release mapped files, which some systems cannot rename
    return Bundle.open(out)


@explained(TrainingError)
def export_only(checkpoint: Path, tokenizer: Path, out: Path, name: str) -> Bundle:
    """Make a bundle without evaluation and calibration, for an experiment.

    The graphs of a bundle that is replaced are kept if its architecture is the same.

    Raises:
        TrainingError: The checkpoint cannot be read, or is of another tokenizer, or the bundle
            cannot be written.
        BundleError: The tokenizer cannot be read, or the export computes different results.
    """
    network, vocabulary, training = _read(checkpoint, tokenizer)
    replaced = None
    with suppress(BundleError):  # there is none, or it is damaged
        replaced = Bundle.open(out)
    return export(network, vocabulary, _card(Provenance(name, ""), training), out, base=replaced)


@explained(TrainingError)
def export_again(path: Path, out: Path) -> Bundle:
    """Export the weights and the card of a bundle again, for example from an earlier version.

    Raises:
        TrainingError: The bundle cannot be written.
        BundleError: There is no bundle, or the export computes different results.
    """
    bundle = Bundle.open(path)
    return export(load_network(bundle), bundle.tokenizer, dict(bundle.card.written), out)


def _read(checkpoint: Path, tokenizer: Path) -> tuple[EditNetwork, Tokenizer, dict[str, Any]]:
    """Return the network of a checkpoint, its tokenizer, and a description of its training."""
    weights, _, about = read_checkpoint(checkpoint)
    try:
        network = read_weights(NetworkConfig.from_json(about["network"]), dict(weights))
    except (UnfitError, RuntimeError) as error:
        raise TrainingError(
            "The checkpoint's weights do not fit its architecture; it is from another version of "
            "Editcast."
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
        "device": progress.get("device", ""),  # earlier checkpoints do not say
    }
    return network, vocabulary, training


def _trained_sessions(origins: Sequence[Origin], seed: int) -> list[EditingSession]:
    """Sample sessions from the training data, with as many steps of commits as of saves."""
    sessions = readable_sessions(
        trained_on(origins), count=_COMMITS, seed=seed, part="train", in_projects=False
    )
    kinds = grouped(sessions, "kind")
    most = _MOST_LOOKS // max(len(kinds), 1)
    return [one for own in kinds.values() for one in some_steps(own, most, seed)]


def _card(provenance: Provenance, training: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "name": provenance.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "base": provenance.base,
        "training": training,
    }


def _measured(network: EditNetwork, corpus: Path, provenance: Provenance) -> dict[str, Any]:
    """Describe the network and its corpus, and score the corpus' dev splits."""
    instances: Counter[str] = Counter()
    edits: Counter[str] = Counter()
    generated_from: Counter[str] = Counter()  # training edits
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
    batches = (collate([data.instance(index, (224, 224))]) for index in spread)
    return score(network, batches).shares()


def _lines(
    bundle: Path,
    base: Bundle | None,
    origins: Sequence[Origin],
    seed: int,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Keep the line ranker of the base, or fit one on the training data, if there is any."""
    if base is not None and LineHead.of(base.card):
        return {"lines": base.card.written["lines"]}
    sessions = _trained_sessions(origins, seed)
    if not sessions:
        return {}
    report("Fitting the line ranker")
    forecaster = NeuralForecaster.load(bundle, "cpu")
    head = line_ranker.fit(list(line_ranker.examples(forecaster, sessions)), seed=seed)
    return {"lines": head.to_json()} if head else {}


def _suggestions(
    bundle: Path,
    base: Bundle | None,
    sessions: Sequence[EditingSession],
    origins: Sequence[Origin],
    seed: int,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Replay held-out sessions; keep the calibration of the base, or fit one."""
    alone = [one for one in sessions if not one.is_in_project]
    if base is not None and base.card.calibration.weights:
        report("Replaying held-out history")
        drawn, ranker = some_steps(alone, _MOST_TUNED_STEPS, seed), Ranker.of(base.card)
        rows = [best(step, ranker) for step in _collected(bundle, drawn)]
        report("Replaying it with the old model")
        before = [best(step, ranker) for step in _collected(base.path, drawn)]
        return {
            "calibration": asdict(base.card.calibration),
            "suggestions": by_kind(rows),
            "comparison": {"before": _seen(before), "after": _seen(rows)},
        }
    report("Calibrating")
    most = _MOST_TUNED_STEPS if base else _MOST_STEPS
    weights = fit_weights(
        Bundle.open(bundle), some_steps(alone, _MOST_TYPED_STEPS, seed), files_before(origins)
    )
    drawn = some_steps(within_projects(sessions), most, seed)
    steps = _collected(bundle, drawn, weights.get("next_tokens"))
    if not any(step.candidates for step in steps):  # a network that has hardly been trained
        return {"suggestions": by_kind([best(step, Ranker()) for step in steps])}
    rows, fitted = calibration(steps)
    return {"calibration": fitted | weights, "suggestions": by_kind(rows)}


def _seen(rows: Sequence[Row]) -> list[tuple[float, bool] | None]:
    """Return the confidence of each row's suggestion, and whether it was clean."""
    return [
        (round(row.confidence, 4), row.score.clean)
        if row.confidence is not None and row.score is not None
        else None
        for row in rows
    ]


def _collected(
    bundle: Path, sessions: Sequence[EditingSession], gate: Sequence[float] | None = None
) -> list[Collected]:
    """Collect the candidates of every step, for the ranker and the calibration."""
    forecaster = NeuralForecaster.load(bundle, "cpu")
    forecaster.gate = tuple(gate or forecaster.gate)
    steps = list(collect(forecaster, sessions))
    if not steps:
        raise TooLittleHistoryError(
            "There is no data to calibrate confidence: no file has two held-out changes. Name more "
            "history, or train again after some days of work."
        )
    return steps
