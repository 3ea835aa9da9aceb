"""`editcast reproduce`: papers' tables and figures, made again; a command for each paper.

torch takes seconds to import, so the commands import what they call.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import kinds
from editcast.guarded import guarded
from editcast.source_options import device_option, seed_option, source_options

PARTS = ("tables", "timing", "real", "report")
_NODES = kinds.Whole(100, 2**31 - 1)
_COUNT = kinds.Whole(1, 2**31 - 1)
_TABLES = ("vocabulary", "positions", "network", "heads", "parents", "pretraining")

Command = Callable[..., None]
PYTHON = Path("training/editcast_papers/python.toml")


@click.group(cls=kinds.Group)
def reproduce() -> None:
    """Reproduce a paper's tables and figures."""


def run(paper: str, **wanted: Any) -> None:
    """Perform the runs of a paper that are wanted and missing; see its `Wanted`."""
    reproduction = import_module(f"editcast_papers.{paper}.reproduction")
    reproduction.run(reproduction.Wanted(**wanted), Console())


def several(
    option: str, name: str, kind: Any = str, default: Sequence[Any] = (), help: str = ""
) -> Callable[[Command], Command]:
    """Make an option that can be repeated."""
    return click.option(option, name, multiple=True, type=kind, default=default, help=help)


def repositories_option(
    name: str, default: Path | None = PYTHON, more: str = ""
) -> Callable[[Command], Command]:
    """Make the option for a list of repositories, which the command receives by this name."""
    help = f"A TOML file with the lists train, dev and test of repositories, OWNER/NAME.{more}"
    return click.option("--repositories", name, type=kinds.PATH, default=default, help=help)


models_option = several("--model", "models", help="[default: all]")
LAYERS = kinds.Whole(1, 64)
mirror_option = click.option(
    "--mirror", type=kinds.FOLDER, help="The folder of the repositories' clones, OWNER+NAME."
)
test_option = click.option(
    "--test",
    "most",
    default=0,
    type=kinds.Whole(0, 2**31),
    help="Maximum number of test examples; 0 for all.",
)

_ALL = (
    "Runs and tests every training that is missing from the results, and writes the report. An "
    "interrupted training continues."
)


def paper_command(name: str) -> Callable[[Command], click.Command]:
    """Add a command of a paper that can be stopped, and has the options of all of them."""
    options = (
        several("--seed", "seeds", kinds.SEED, (0,)),
        click.option("--processes", default=1, type=kinds.PROCESSES),
        click.option("--threads", default=1, type=kinds.THREADS, help="Threads of each process."),
        click.option("--results", type=kinds.FOLDER, default=Path("benchmarks", name)),
        click.option("--scratch", type=kinds.FOLDER, default=Path(".cache", name)),
    )

    def decorate(command: Command) -> click.Command:
        run = guarded("Stopped. The same command continues from the latest checkpoints.")(command)
        for option in options:
            run = option(run)
        return reproduce.command(name, help=f"{getdoc(command)}\n\n{_ALL}")(run)

    return decorate


def config_options(
    *, hidden: int, rate: float, steps: int, batch: int
) -> Callable[[Command], Command]:
    """Add the options of a training, which the command receives as its `config`."""
    options = (
        click.option("--hidden", default=hidden, type=kinds.Whole(8, 2**14)),
        click.option("--rate", default=rate, type=kinds.Finite(10)),
        click.option("--steps", default=steps, type=kinds.STEPS),
        click.option("--batch", default=batch, type=kinds.Whole(1, 2**16)),
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(hidden: int, rate: float, batch: int, steps: int, **given: Any) -> None:
            from editcast_papers.training import Config

            command(config=Config(hidden, rate, batch, steps), **given)

        for option in options:
            run = option(run)
        return run

    return decorate


@paper_command("zhao2019")
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PARTS]...")
@several("--task", "tasks", help="[default: all]")
@several("--model", "models", help="[default: those of the tables, and IA+]")
@several("--hidden", "hidden", kinds.Whole(8, 2**14), help="[default: 128]")
@several("--rate", "rates", kinds.Finite(10), help="[default: .001]")
@click.option("--grid", "full", is_flag=True, help="All rates and sizes of the paper.")
@several("--steps", "steps", kinds.STEPS, (4000,))
@click.option(
    "--schedule",
    type=click.Choice(["linear", "constant"]),
    default="linear",
    help="Schedule of the learning rate; the paper's is constant.",
)
@click.option("--batch", default=64, type=kinds.Whole(1, 2**16))
@click.option(
    "--diff",
    type=click.Choice(["canonical", "longest-block"]),
    default="canonical",
    help="Diff between the snapshots of a task; the paper's is longest-block.",
)
@click.option("--corpus", type=kinds.FOLDER, help="For real: a folder that `editcast corpus` made.")
@click.option(
    "--max-state",
    default=1024,
    type=kinds.MAX_STATE,
    help="For real: maximum number of tokens in a state.",
)
@click.option(
    "--limit",
    default=120.0,
    type=kinds.Finite(24 * 60 * 60),
    help="For timing: maximum seconds to measure one cell.",
)
@several(
    "--insertions", "insertions", kinds.Whole(1, 10_000), (), "For timing.  [default: 10, 50, 100]"
)
@device_option
def zhao2019(**given: Any) -> None:
    """Zhao et al. (2019): "Neural Networks for Modeling Source Code Edits".

    PARTS are tables, timing, real and report; the default is all of them. Options that can be
    repeated make a run of each combination.
    """
    if given["full"] and (given["hidden"] or given["rates"]):
        raise click.UsageError("--grid names all sizes and rates; leave out --hidden and --rate.")
    if "real" in given["parts"] and given["corpus"] is None:
        raise click.UsageError("real needs a --corpus, a folder that `editcast corpus` made.")
    run("zhao2019", **given)


@paper_command("copy-spans")
@click.option("--pairs", type=kinds.FOLDER, help="The folder of the bug-fix pairs; see the report.")
@several("--size", "sizes", click.Choice(["small", "medium", "edits"]), ("small",))
@models_option
@test_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def copy_spans(**given: Any) -> None:
    """Panthaplackel et al. (2021): "Copy that! Editing Sequences by Copying Spans"."""
    run("copy_spans", **given)


@reproduce.command()
@guarded("Stopped; nothing was written.")
@click.argument("folder", type=kinds.FOLDER)
@source_options
@seed_option
def edit_pairs(folder: Path, origins: list[Any], seed: int) -> None:
    """Write edits from repositories into FOLDER, for `copy-spans --size edits --pairs FOLDER`."""
    from editcast_papers.copy_spans.edits import write_edits

    counts = write_edits(origins, folder, seed)
    click.echo(", ".join(f"{part}: {count:,}" for part, count in counts.items()))


@paper_command("multi-head")
@click.option("--data", type=kinds.FOLDER, help="A clone of multi30k/dataset.")
@models_option
@click.option("--layers", default=3, type=LAYERS)
@click.option("--heads", default=8, type=kinds.Whole(1, 256))
@click.option("--vocabulary", default=4000, type=kinds.Whole(100, 2**16), help="Maximum size.")
@device_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def multi_head(config: Any, layers: int, heads: int, vocabulary: int, **given: Any) -> None:
    """Li et al. (2018, 2019): heads that disagree, and routing that joins them."""
    from editcast_papers.multi_head.runs import Settings

    run("multi_head", settings=Settings(config, layers, heads, vocabulary), **given)


@paper_command("pointer-mixture")
@mirror_option
@repositories_option("listing", None, "  [default: the list of the language]")
@several("--language", "languages", click.Choice(["python", "javascript"]), ("python",))
@several(
    "--task", "tasks", click.Choice(["value", "type"]), ("value",), "Predicted part of a node."
)
@several(
    "--vocabulary", "vocabularies", kinds.Whole(2, 2**24), (1_000,), "Values in the vocabulary."
)
@several("--network", "networks", help="[default: all]")
@click.option("--nodes", default=3_000_000, type=_NODES, help="Nodes to train on.")
@click.option("--test", default=300_000, type=_NODES, help="Nodes to test on.")
@device_option
@config_options(hidden=256, rate=0.002, steps=4_000, batch=128)
def pointer_mixture(nodes: int, test: int, **given: Any) -> None:
    """Li et al. (2018): "Code Completion with Neural Attention and Pointer Networks".

    Options that can be repeated make a run of each combination.
    """
    from editcast_papers.pointer_mixture.corpus import Amount

    run("pointer_mixture", amount=Amount(nodes, test), **given)


@paper_command("pretrained-encoder")
@click.option("--data", type=kinds.FOLDER, help="A clone of odashi/ase15-django-dataset.")
@repositories_option("repositories")
@mirror_option
@models_option
@click.option("--pretraining-steps", default=2_500, type=kinds.STEPS)
@device_option
@config_options(hidden=128, rate=0.001, steps=2_500, batch=64)
def pretrained_encoder(config: Any, pretraining_steps: int, **given: Any) -> None:
    """Li (2020), topic 3: a pre-trained encoder and an LSTM decoder write lines of Django."""
    pretraining = replace(config, steps=pretraining_steps)
    run("pretrained_encoder", config=config, pretraining=pretraining, **given)


@paper_command("indigo")
@click.option(
    "--data",
    type=kinds.FOLDER,
    help="A clone of multi30k/dataset or, for the task django, odashi/ase15-django-dataset.",
)
@several("--task", "tasks", click.Choice(["word order", "django", "en-de"]), ("word order",))
@several("--order", "variants", help="L2R, SAO, ...  [default: all]")
@click.option("--layers", default=2, type=LAYERS)
@click.option(
    "--orders",
    default=2,
    type=kinds.Whole(1, 64),
    help="Number of orders to search per text; the paper searches 8.",
)
@several("--beam", "beams", kinds.Whole(1, 100), (1, 5, 10), "Beam widths.")
@test_option
@device_option
@click.option("--timing", is_flag=True, help="Measure the time of training steps instead.")
@config_options(hidden=128, rate=0.002, steps=1000, batch=64)
def indigo(layers: int, orders: int, most: int, **given: Any) -> None:
    """Gu et al. (2019): "Insertion-based Decoding with Automatically Inferred Generation Order"."""
    from editcast_papers.indigo.runs import Sizes

    run("indigo", sizes=Sizes(layers, orders, most), **given)


@paper_command("slides")
@mirror_option
@repositories_option("listing")
@several("--table", "tables", click.Choice(_TABLES), _TABLES)
@click.option("--train", default=40_000, type=_COUNT, help="Maximum edits.")
@click.option("--dev", default=1_000, type=_COUNT, help="Maximum edits.")
@click.option("--test", default=2_000, type=_COUNT, help="Maximum edits.")
@click.option("--device", default="cpu", type=click.Choice(["auto", "cpu", "cuda"]))
@config_options(hidden=128, rate=0.001, steps=2_500, batch=32)
def slides(train: int, dev: int, test: int, **given: Any) -> None:
    """Nie's slides: vocabularies, positions, encoders and decoders, compared on edits."""
    run("slides", most={"train": train, "dev": dev, "test": test}, **given)
