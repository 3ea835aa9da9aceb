"""`editcast train` and `editcast export`."""

import os
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from editcast import kinds
from editcast.comparison import compared
from editcast.guarded import EndError, guarded
from editcast.progress import TrainingProgress
from editcast.source_options import device_option, ray_option, seed_option, source_options
from editcast_model.bundle import Bundle, bundled_path
from editcast_model.card import OWN_HISTORY
from editcast_model.errors import BundleError, NoBetterModelError, TrainingError
from editcast_model.private_files import write_text
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_store import models
from editcast_store.models import default_bundle_path
from editcast_store.paths import home, own_folder
from editcast_training.sources.file_history import OwnKind
from editcast_training.sources.registry import Origin, own_history
from editcast_training.sources.storage import download, is_url

if TYPE_CHECKING:
    from editcast_training.data.streaming import Stream
    from editcast_training.pipeline import Request

# torch takes seconds to import, so the commands import what they call.

# Together with the steps before and after it, fine-tuning takes ten minutes on two cores.
_FINE_TUNING_MINUTES, _FROM_SCRATCH_MINUTES = 8.0, 60.0


_EXAMPLES = {
    "editcast train": "recorded saves, Local History, this repository",
    "editcast train --without git": "the same without the repository",
    "editcast train OUT --git PATH": "another repository, into the folder OUT",
    "editcast train OUT --corpus CORPUS --scratch --minutes 600": "a team's model",
}


@click.command(cls=kinds.Command, examples=_EXAMPLES)
@guarded("The training was stopped; run the same command to continue.")
@click.argument("out", type=kinds.FOLDER, required=False)
@source_options
@click.option(
    "--workspace",
    "workspaces",
    type=kinds.OLD_FOLDER,
    multiple=True,
    help="A folder whose repository is part of your history.  [default: the current folder]",
)
@click.option(
    "--without",
    type=click.Choice(get_args(OwnKind)),
    multiple=True,
    help="A part of your history to leave out.",
)
@click.option(
    "--corpus",
    metavar="PATH",
    help="A folder made by `editcast corpus`, or the address of one: s3://...",
)
@click.option(
    "--from",
    "base",
    type=kinds.FOLDER,
    metavar="BUNDLE",
    help="The model to fine-tune.  [default: the one in use]",
)
@click.option(
    "--further",
    is_flag=True,
    help="Train at a high learning rate and calibrate again, instead of fine-tuning.",
)
@click.option("--scratch", is_flag=True, help="Start from random weights instead of a model.")
@click.option("--tokenizer", type=kinds.PATH, help="For --scratch.  [default: learn a vocabulary]")
@click.option("--steps", type=kinds.STEPS, help="Number of steps, instead of --minutes.")
@click.option("--minutes", type=kinds.MINUTES, help="[default: 8 to fine-tune, else 60]")
@click.option(
    "--patience",
    default=6,
    type=kinds.Whole(0, 10**6),
    help="Stop after this many evaluations without progress; 0 for never.",
)
@click.option(
    "--processes",
    default=2,
    type=kinds.PROCESSES,
    help="Processes that read sources, and make batches for a GPU.",
)
@click.option(
    "--subtokens",
    type=kinds.SUBTOKENS,
    help="Subtokens per batch; a GPU has room for more.  [default: 8000]",
)
@seed_option
@device_option
@ray_option
@click.option("--workers", default=2, type=kinds.WORKERS, help="For --ray.")
@click.option(
    "--batches",
    type=kinds.WORKERS,
    help="Batches of a step, divided among the workers.  [default: one per worker]",
)
@click.option(
    "--sharded",
    is_flag=True,
    help="Divide the network among the workers; use it if one worker has too little memory.",
)
@click.option(
    "--cache",
    default=16.0,
    type=kinds.GIBIBYTES,
    help="Disk space for parts of a --corpus in storage, in GiB.",
)
@click.option(
    "--considerate",
    is_flag=True,
    help="Pause while the machine runs on battery; on Linux, take turns with busy programs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print progress as JSON lines.")
@click.option(
    "--revert",
    is_flag=True,
    help="Return to the previous model, without a training; run it again to undo that.",
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
    """Train a model, by default on your own history.

    Without OUT the model is installed if it is better than the one in use. With OUT all files are
    written to that folder, and the model to OUT/bundle. Reading the history and testing the model
    take some minutes besides --minutes. Run the same command to continue an interrupted training.
    """
    if revert:
        _revert()
        return
    _check_combination(given, bool(origins), bool(workspaces or without))
    from editcast_training.packaging import Provenance
    from editcast_training.pipeline import WHAT_TO_DO, Recipe, Request

    out: Path | None = given["out"]
    further, (corpus, stream) = given["further"], _corpus(given["corpus"], out, given["cache"])
    world = given["workers"] if given["ray"] else int(os.environ.get("WORLD_SIZE", "1"))
    given["batches"] = given["batches"] or world
    if not given["steps"] and not given["minutes"]:
        is_long = given["scratch"] or further
        given["minutes"] = _FROM_SCRATCH_MINUTES if is_long else _FINE_TUNING_MINUTES
    bundle = None if given["scratch"] else _base(given["base"])
    has_own = bundle is not None and bundle.card.trained_on.what == OWN_HISTORY
    if not origins and corpus is None:
        has_own, origins = True, own_history(workspaces or _here(), without)
        if not origins:
            raise TrainingError(f"There is no history to train on. {WHAT_TO_DO}")
    request = Request(
        folder=out or own_folder("training"),
        origins=origins,
        corpus=corpus,
        base=bundle,
        further=further,
        provenance=Provenance(
            name=out.resolve().name if out else f"yours-{datetime.now(UTC):%Y-%m-%d}",
            trained_on=OWN_HISTORY if has_own else "projects",
            listed=_listed(),
            base=bundle.name if bundle else None,
            earlier=bundle.card.trained_on.sources if bundle and further else {},
        ),
        personal=out is None,
        stream=stream,
        recipe=recipe or Recipe(),
        **{
            name: given[name]
            for name in (
                *("tokenizer", "steps", "minutes", "seed", "device", "patience", "processes"),
                *("subtokens", "considerate", "ray", "workers", "batches", "sharded"),
            )
        },
    )
    _train(request, as_json=given["as_json"])


def _train(request: "Request", *, as_json: bool) -> None:
    from editcast_training.personal import train_for_person
    from editcast_training.pipeline import alone_in, install_own, train_to_bundle

    base = request.base
    made: Path | None
    with alone_in(request.folder), TrainingProgress(as_json=as_json) as progress:
        try:
            if request.personal and base is not None:
                made = train_for_person(request, base, default_threshold(base.card), progress)
            else:
                made = train_to_bundle(request, progress)
        except NoBetterModelError as error:
            progress.stage(str(error), "unchanged")
            return
        if made is None:  # another process of a `torchrun` does the rest
            return
        if request.personal:
            made = install_own(request.folder)
        bundle = Bundle.open(made)
        for sentence in (*_result(bundle), f"The model is in {made}."):
            progress.stage(sentence)
        if found := compared(bundle):
            sentence, page = found
            path = (own_folder("reports") if request.personal else request.folder) / "comparison.md"
            write_text(path, page)
            progress.stage(sentence, "comparison", page=str(path))


def _check_combination(given: dict[str, Any], has_origins: bool, has_workspaces: bool) -> None:
    """Raise a usage error if options exclude each other."""
    from_scratch, further, corpus = given["scratch"], given["further"], given["corpus"]
    for is_wrong, sentence in (
        (from_scratch and given["base"], "Use only one of --from and --scratch."),
        (
            further and (from_scratch or given["out"] is None),
            "--further needs OUT, and does not work with --scratch.",
        ),
        (
            given["tokenizer"] and (not from_scratch or corpus),
            "--tokenizer needs --scratch; a corpus has its own.",
        ),
        (given["ray"] and given["out"] is None, "--ray needs OUT, a folder that all nodes share."),
        (given["steps"] and given["minutes"], "Use only one of --steps and --minutes."),
        (
            has_workspaces and (has_origins or corpus),
            "--workspace and --without apply to your own history and exclude other sources.",
        ),
    ):
        if is_wrong:
            raise click.UsageError(sentence)


def _corpus(
    named: str | None, out: Path | None, gibibytes: float
) -> "tuple[Path | None, Stream | None]":
    """Return the folder of a corpus; of one in storage a copy in OUT but for what is streamed."""
    if named is None or not is_url(named):
        return (None if named is None else Path(named)), None
    if out is None:
        raise click.UsageError("A corpus in storage goes with OUT, where parts of it are kept.")
    from editcast_training.data.streaming import Stream

    download(named, out / "downloaded", without="train")
    return out / "downloaded", Stream(named, out / "cache", int(gibibytes * (1 << 30)))


def _here() -> tuple[Path, ...]:
    """Return the current folder, unless it is Editcast's own.

    The server starts trainings in Editcast's folder.
    """
    here = Path.cwd()
    return () if here == home().resolve() else (here,)


def _revert() -> None:
    context = click.get_current_context()
    for name in context.params:
        if name != "revert" and context.get_parameter_source(name) != ParameterSource.DEFAULT:
            raise click.UsageError("--revert trains nothing and does not work with other options.")
    try:
        click.echo(models.revert(own_folder("models")))
    except BundleError as error:
        raise EndError(str(error)) from error


def _base(path: Path | None) -> Bundle:
    """Return the bundle to fine-tune; the bundled one if the user's own cannot be used."""
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
    click.echo(f"{problem} Training starts from the bundled model, {bundle.name}.")
    return bundle


def _listed() -> list[str]:
    """Return the training repositories that --repositories lists."""
    listing: Path | None = click.get_current_context().params["repositories"]
    return list(tomllib.loads(listing.read_text("utf-8")).get("train", [])) if listing else []


def _result(bundle: Bundle) -> Iterator[str]:
    """Yield sentences about the results on held-out data."""
    card = bundle.card
    for split, tokens in card.tokens.items():
        yield (
            f"Held-out edits ({split}): {tokens.both or 0:.1f} % right, and "
            f"{tokens.jumps_both or 0:.1f} % of the first ones after a save"
        )
    for kind, found in card.suggestions.items():
        clean, steps = 100 * (found.clean_of_shown or 0), found.steps or 0
        yield f"After {steps:,} steps of {kind}: {clean:.1f} % of all suggestions clean"
    precision = measured_precision(card)
    if precision is not None and "comparison" not in card.written:  # else it is the base's
        threshold = default_threshold(card)
        yield f"At a confidence of {threshold:.2f} or more, {100 * precision:.0f} % are clean."


@click.command()
@guarded("The export was stopped; the folder is unchanged.")
@click.argument("checkpoint", type=click.Path(path_type=Path, exists=True))
@click.option("--to", "out", type=kinds.FOLDER, required=True, help="The bundle's folder.")
@click.option("--tokenizer", type=kinds.PATH, help="The tokenizer.json of a checkpoint.")
@click.option("--name", help="The name of a checkpoint's model.  [default: the folder's name]")
def export(checkpoint: Path, out: Path, tokenizer: Path | None, name: str | None) -> None:
    """Make a bundle, a model's folder, from a CHECKPOINT, and check that it computes the same.

    Its confidence is the uncalibrated probability. To evaluate and calibrate the model of a
    training, even a stopped one, run its `editcast train OUT` again, with fewer --minutes or
    --steps. If CHECKPOINT is the folder of a bundle, its weights and its card are exported again.
    """
    from editcast_training.packaging import export_again, export_only

    if checkpoint.is_dir():
        export_again(checkpoint, out)
    elif tokenizer is None:
        raise click.UsageError("Give --tokenizer, the tokenizer.json of the checkpoint's corpus.")
    else:
        export_only(checkpoint, tokenizer, out, name or out.resolve().name)
    click.echo(f"The bundle is in {out}.")
