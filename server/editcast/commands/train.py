"""The subcommands that learn: train, export."""

import os
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from editcast import ranges
from editcast.cluster_option import ray_option
from editcast.comparison import page
from editcast.comparison import sentence as in_a_sentence
from editcast.guarded import EndError, guarded
from editcast.progress import TrainingProgress
from editcast.source_options import source_options
from editcast_model.bundle import Bundle, bundled_path
from editcast_model.errors import BundleError, BusyError, NoBetterModelError, TrainingError
from editcast_model.private_files import write_text
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_store import models
from editcast_store.models import default_bundle_path
from editcast_store.paths import home, models_dir, reports_dir, training_dir
from editcast_training.sources.file_history import OwnKind
from editcast_training.sources.registry import Origin, own_history

if TYPE_CHECKING:
    from editcast_training.pipeline import Request

# torch takes seconds to import: the commands that need it import what they call.

_PATH = click.Path(path_type=Path)
_FOLDER = click.Path(path_type=Path, file_okay=False)
# With what comes before and after it, fine-tuning takes ten minutes of two cores.
_FINE_TUNING_MINUTES, _FROM_SCRATCH_MINUTES = 8.0, 60.0


@click.command()
@guarded("The training was stopped; the same command goes on where it was.")
@click.argument("out", type=_FOLDER, required=False)
@source_options
@click.option(
    "--workspace",
    "workspaces",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    help="A folder whose repository is part of your own history.  [default: this one]",
)
@click.option(
    "--without",
    type=click.Choice(get_args(OwnKind)),
    multiple=True,
    help="A part of your own history to leave out.",
)
@click.option("--corpus", type=_FOLDER, help="A folder that `editcast corpus` made.")
@click.option(
    "--from", "base", type=_FOLDER, metavar="BUNDLE", help="Fine-tune this.  [default: in use]"
)
@click.option(
    "--further",
    is_flag=True,
    help="Not a fine-tuning: at a high rate, and with a confidence of its own.",
)
@click.option("--scratch", is_flag=True, help="Begin with random weights instead.")
@click.option("--tokenizer", type=_PATH, help="With --scratch; else a vocabulary is learned.")
@click.option("--steps", type=ranges.STEPS, help="How long; instead of --minutes.")
@click.option("--minutes", type=ranges.MINUTES, help="[default: 8 to fine-tune, or 60]")
@click.option(
    "--patience",
    default=6,
    show_default=True,
    type=click.IntRange(0, 10**6),
    help="Stop after so many evaluations without progress; 0 for never.",
)
@click.option("--processes", default=2, show_default=True, type=ranges.PROCESSES)
@click.option("--seed", default=0, show_default=True, type=ranges.SEED)
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@ray_option
@click.option("--workers", default=2, show_default=True, type=ranges.WORKERS, help="With --ray.")
@click.option(
    "--batches",
    type=ranges.WORKERS,
    help="Of a step, shared by the workers.  [default: one for each]",
)
@click.option(
    "--considerate",
    is_flag=True,
    help="Wait while the machine runs on battery; (on Linux) take turns with busy programs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print progress as JSON lines.")
@click.option(
    "--revert",
    is_flag=True,
    help="Only go back to the model that was in use before; again, and it is undone.",
)
@click.pass_obj
def train(
    recipe: Any,
    /,
    origins: list[Origin],
    workspaces: tuple[Path, ...],
    without: tuple[OwnKind, ...],
    revert: bool,
    **given: Any,
) -> None:
    """Train a model, on your own history if nothing else is named.

    Without OUT the model is put in place and your editor takes it up. With OUT everything goes
    into that folder, the model into OUT/bundle. Killed and run again, it goes on where it was.
    """
    if revert:
        _revert()
        return
    _check_combination(given, bool(origins), bool(workspaces or without))
    from editcast_training.packaging import Provenance
    from editcast_training.pipeline import Recipe, Request

    out: Path | None = given["out"]
    further, corpus = given["further"], given["corpus"]
    world = given["workers"] if given["ray"] else int(os.environ.get("WORLD_SIZE", "1"))
    given["batches"] = given["batches"] or world
    if not given["steps"] and not given["minutes"]:
        is_long = given["scratch"] or further
        given["minutes"] = _FROM_SCRATCH_MINUTES if is_long else _FINE_TUNING_MINUTES
    is_own = not origins and corpus is None
    bundle = None if given["scratch"] else _base(given["base"])
    request = Request(
        folder=out or training_dir(),
        origins=own_history(workspaces or _here(), without) if is_own else origins,
        corpus=corpus,
        base=bundle,
        further=further,
        provenance=Provenance(
            name=out.resolve().name if out else f"yours-{datetime.now(UTC):%Y-%m-%d}",
            trained_on="your own history" if is_own else "projects",
            listed=_listed(),
            base=bundle.name if bundle else None,
            earlier=bundle.card.trained_on.sources if bundle and further else {},
        ),
        personal=out is None,
        recipe=recipe or Recipe(),
        **{
            name: given[name]
            for name in (
                *("tokenizer", "steps", "minutes", "seed", "device", "patience", "processes"),
                *("considerate", "ray", "workers", "batches"),
            )
        },
    )
    _train(request, as_json=given["as_json"])


def _train(request: "Request", *, as_json: bool) -> None:
    from editcast_training.personal import train_for_person
    from editcast_training.pipeline import alone_in, install_own, train_to_bundle

    base = request.base
    made: Path | None
    try:
        with alone_in(request.folder), TrainingProgress(as_json=as_json) as progress:
            try:
                if request.personal and base is not None:
                    threshold = default_threshold(base.card)
                    made = train_for_person(request, base, threshold, progress)
                else:
                    made = train_to_bundle(request, progress)
            except NoBetterModelError as error:
                progress.unchanged(str(error))
                return
            if made is None:  # another process of a `torchrun` goes on
                return
            if request.personal:
                made = install_own(request.folder)
            bundle = Bundle.open(made)
            for sentence in (*_result(bundle), f"The model is in {made}."):
                progress.stage(sentence)
            if request.personal and (compared := page(bundle)):
                path = reports_dir() / "comparison.md"
                write_text(path, compared)
                progress.comparison(in_a_sentence(bundle), path)
    except BusyError as error:
        raise EndError(str(error)) from error


def _check_combination(given: dict[str, Any], has_origins: bool, has_workspaces: bool) -> None:
    """Raise a usage error where options exclude each other."""
    from_scratch, further, corpus = given["scratch"], given["further"], given["corpus"]
    for is_wrong, sentence in (
        (from_scratch and given["base"], "--from and --scratch exclude each other."),
        (
            further and (from_scratch or given["out"] is None),
            "--further goes with OUT, and not with --scratch.",
        ),
        (
            given["tokenizer"] and (not from_scratch or corpus),
            "--tokenizer goes with --scratch, and a corpus has its own.",
        ),
        (
            given["ray"] and given["out"] is None,
            "--ray goes with OUT, a folder that all nodes have.",
        ),
        (given["steps"] and given["minutes"], "--steps and --minutes exclude each other."),
        (
            has_workspaces and (has_origins or corpus),
            "--workspace and --without are about your own history: name no other source.",
        ),
    ):
        if is_wrong:
            raise click.UsageError(sentence)


def _here() -> tuple[Path, ...]:
    """Return the folder that the user is in.

    The server starts trainings in Editcast's own folder.
    """
    here = Path.cwd()
    return () if here == home().resolve() else (here,)


def _revert() -> None:
    context = click.get_current_context()
    for name in context.params:
        if name != "revert" and context.get_parameter_source(name) != ParameterSource.DEFAULT:
            raise click.UsageError("--revert trains nothing and goes with no other option.")
    try:
        click.echo(models.revert(models_dir()))
    except BundleError as error:
        raise EndError(str(error)) from error


def _base(path: Path | None) -> Bundle:
    """Return the bundle to fine-tune.

    The bundled one where the user's own cannot be used any more.
    """
    if path is not None:
        return Bundle.open(path)
    try:
        return Bundle.open(default_bundle_path())
    except BundleError as error:
        problem = str(error)
    try:
        bundle = Bundle.open(bundled_path())
    except BundleError as error:
        raise TrainingError(
            f"There is no model to fine-tune ({error}) Train one from scratch: --scratch."
        ) from error
    click.echo(f"{problem} Training begins with the model that Editcast came with, {bundle.name}.")
    return bundle


def _listed() -> list[str]:
    """Return the repositories that --repositories lists to train on."""
    listing: Path | None = click.get_current_context().params["repositories"]
    return list(tomllib.loads(listing.read_text("utf-8")).get("train", [])) if listing else []


def _result(bundle: Bundle) -> Iterator[str]:
    """Yield what was measured on what was not trained on, in sentences."""
    card = bundle.card
    for split, tokens in card.tokens.items():
        yield (
            f"{split}: {tokens.both or 0:.1f} % of edits right, {tokens.jumps_both or 0:.1f} % of "
            "the first edits after a save"
        )
    for kind, found in card.suggestions.items():
        clean, steps = 100 * (found.clean_of_shown or 0), found.steps or 0
        yield f"{kind}: {clean:.1f} % of suggestions clean, in {steps} steps"
    precision = measured_precision(card)
    if precision is not None:
        threshold = default_threshold(card)
        yield f"At a confidence of {threshold:.2f} and more, {100 * precision:.0f} % are clean."


@click.command()
@guarded("The export was stopped; the folder is as it was before.")
@click.argument("checkpoint", type=click.Path(path_type=Path, exists=True))
@click.option("--to", "out", type=_FOLDER, required=True, help="The bundle's folder.")
@click.option("--corpus", type=_FOLDER, help="What it was trained on: scores and calibrates it.")
@click.option("--tokenizer", type=_PATH, help="Its tokenizer.json.  [default: the corpus']")
@click.option("--name", help="What the model is called.  [default: the folder's name]")
@click.option("--seed", default=0, show_default=True, type=ranges.SEED)
@source_options
def export(
    checkpoint: Path,
    out: Path,
    corpus: Path | None,
    tokenizer: Path | None,
    name: str | None,
    seed: int,
    origins: list[Origin],
) -> None:
    """Make a bundle from a CHECKPOINT, and see that it computes the same.

    With --corpus it is scored on the corpus' dev split, and its confidence is calibrated on those
    of the sources named that are for development: the dev list of --repositories, dev=PATH, and
    of any other source the newest tenth. The rest teaches it which line comes next. Without
    --corpus the confidence is the bare probability. The folder of a bundle in place of a
    checkpoint is exported as it is: its weights, and what its card says.
    """
    name = name or out.resolve().name
    with TrainingProgress() as progress:
        if checkpoint.is_dir():
            from editcast_training.packaging import export_again

            export_again(checkpoint, out)
        elif corpus is None:
            if tokenizer is None:
                raise click.UsageError("Give --tokenizer or --corpus.")
            from editcast_training.packaging import export_only

            export_only(checkpoint, tokenizer, out, name)
        else:
            from editcast_training.packaging import Provenance, finish

            bundle = finish(
                checkpoint,
                corpus,
                out,
                Provenance(name, "projects", _listed()),
                origins,
                tokenizer=tokenizer,
                report=progress.stage,
                seed=seed,
            )
            for sentence in _result(bundle):
                progress.stage(sentence)
    click.echo(f"The bundle is in {out}.")
