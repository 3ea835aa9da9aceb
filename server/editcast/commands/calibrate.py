"""`editcast calibrate`: fitting the ranker and the confidence of a bundle again."""

import tempfile
from pathlib import Path

import click
from rich.console import Console

from editcast import kinds
from editcast.commands.evaluate import read_all
from editcast.guarded import guarded
from editcast.source_options import seed_option, source_options
from editcast_model.bundle import Bundle, check_replaceable
from editcast_model.errors import SourceError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_training.calibration.collected import collect_to_file
from editcast_training.calibration.ranker import recalibrate
from editcast_training.calibration.weights import fit_weights
from editcast_training.evaluation.known_files import files_before
from editcast_training.evaluation.project_sessions import within_projects
from editcast_training.sources.registry import Origin, held_out

#: What is fitted, besides the thresholds, and its weights in a `Calibration`.
PARTS = {"ranker": "weights", "continuations": "continuation", "next-tokens": "next_tokens"}


@click.command(cls=kinds.Command)
@guarded("The calibration was stopped; the folder is unchanged.")
@click.argument("bundle", type=kinds.FOLDER)
@source_options
@click.option("--out", type=kinds.FOLDER, required=True, help="The new bundle's folder.")
@click.option(
    "--commits", default=200, type=kinds.Whole(1, 10**6), help="Commits sampled from each project."
)
@seed_option
@click.option(
    "--candidates",
    type=kinds.FILE,
    help="A file for the collected candidates; an interrupted command continues from it.",
)
@click.option(
    "--keep",
    multiple=True,
    type=click.Choice(PARTS),
    help="A part to leave unchanged; the eagerness thresholds are always chosen again.",
)
def calibrate(
    bundle: Path,
    origins: list[Origin],
    out: Path,
    commits: int,
    seed: int,
    candidates: Path | None,
    keep: tuple[str, ...],
) -> None:
    """Fit the ranker and the confidence of a BUNDLE on histories that it was not trained on.

    These histories are the dev list of --repositories, dev=PATH, and the newest tenth of each
    file's changes in sources without a split. The command also fits the confidence of
    continuations, and the weight of the project memory next to the network.
    """
    check_replaceable(out)  # said now and not after half an hour
    console = Console(stderr=True)
    unseen = held_out(origins)
    sessions = read_all(unseen, console, commits=commits, seed=seed)
    if not sessions:
        raise SourceError("Name histories to calibrate with: --git, --saves, --store or others.")
    given = Bundle.open(bundle)
    with console.status("Typing for continuations and the project memory"):
        alone = [one for one in sessions if not one.is_in_project]
        kept_weights = [PARTS[one] for one in keep]
        weights = fit_weights(given, alone, files_before(unseen), kept_weights)
    with console.status("Collecting candidates"), tempfile.TemporaryDirectory() as folder:
        kept = candidates or Path(folder) / "candidates.jsonl"
        forecaster = NeuralForecaster.load(bundle)
        forecaster.gate = weights.get("next_tokens") or forecaster.gate
        steps = collect_to_file(forecaster, within_projects(sessions), kept)
    fitted = recalibrate(given, steps, out, weights, keeps_ranker="ranker" in keep)
    known = fitted.card.calibration
    reached = (
        "no threshold is clean enough"
        if known.precision is None or known.threshold is None
        else f"{100 * known.precision:.0f} % are clean at {known.threshold:.2f} or more"
    )
    click.echo(f"Fitted to {known.suggestions} suggestions; {reached}. The bundle is in {out}.")
