"""`editcast reproduce`: papers' tables and figures, made again; a command for each paper.

torch takes seconds to import, so the commands import what they call.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.commands.paper_options import (
    FOLDER,
    LAYERS,
    config_options,
    device_option,
    mirror_option,
    models_option,
    paper_command,
    test_option,
)
from editcast.guarded import guarded

PARTS = ("tables", "timing", "real", "report")
_NODES = click.IntRange(100, 2**31 - 1)
_COUNT = click.IntRange(1, 2**31 - 1)
_TABLES = ("vocabulary", "positions", "network", "heads", "parents", "pretraining")


@click.group()
def reproduce() -> None:
    """Reproduce a paper's tables and figures."""


@paper_command("zhao2019")
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PARTS]...")
@click.option("--task", "tasks", multiple=True, help="[default: all]")
@click.option("--model", "models", multiple=True, help="[default: those of the tables, and IA+]")
@click.option("--hidden", multiple=True, type=click.IntRange(8, 2**14), help="[default: 128]")
@click.option("--rate", "rates", multiple=True, type=ranges.Finite(10), help="[default: .001]")
@click.option("--grid", "full", is_flag=True, help="All rates and sizes of the paper.")
@click.option("--steps", multiple=True, type=ranges.STEPS, default=(4000,), show_default=True)
@click.option(
    "--schedule",
    type=click.Choice(["linear", "constant"]),
    default="linear",
    show_default=True,
    help="Schedule of the learning rate; the paper's is constant.",
)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option(
    "--diff",
    type=click.Choice(["canonical", "longest-block"]),
    default="canonical",
    show_default=True,
    help="Diff between the snapshots of a task; the paper's is longest-block.",
)
@click.option("--corpus", type=FOLDER, help="For real: a folder that `editcast corpus` made.")
@click.option(
    "--max-state",
    default=1024,
    show_default=True,
    type=ranges.MAX_STATE,
    help="For real: maximum number of tokens in a state.",
)
@click.option(
    "--limit",
    default=120.0,
    show_default=True,
    type=ranges.Finite(24 * 60 * 60),
    help="For timing: maximum seconds to measure one cell.",
)
@click.option(
    "--insertions",
    multiple=True,
    type=click.IntRange(1, 10_000),
    help="For timing.  [default: 10, 50, 100]",
)
@device_option
def zhao2019(**given: Any) -> None:
    """Zhao et al. (2019): "Neural Networks for Modeling Source Code Edits".

    PARTS are tables, timing, real and report; the default is all of them. Options that can be
    repeated make a run of each combination.
    """
    from editcast_papers.zhao2019.reproduction import Wanted, run

    if given["full"] and (given["hidden"] or given["rates"]):
        raise click.UsageError("--grid names all sizes and rates; leave out --hidden and --rate.")
    if "real" in given["parts"] and given["corpus"] is None:
        raise click.UsageError("real needs a --corpus, a folder that `editcast corpus` made.")
    run(Wanted(**given), Console())


@paper_command("copy-spans")
@click.option("--pairs", type=FOLDER, help="The folder of the bug-fix pairs; see the report.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(["small", "medium", "edits"]),
    default=("small",),
    show_default=True,
)
@models_option
@test_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def copy_spans(**given: Any) -> None:
    """Panthaplackel et al. (2021): "Copy that! Editing Sequences by Copying Spans"."""
    from editcast_papers.copy_spans.reproduction import Wanted, run

    run(Wanted(**given), Console())


@click.command()
@guarded("Stopped; nothing was written.")
@click.argument("folder", type=FOLDER)
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    required=True,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option(
    "--mirror",
    type=FOLDER,
    required=True,
    help="The folder of the repositories' clones, OWNER+NAME.",
)
@click.option("--seed", type=ranges.SEED, default=0, show_default=True)
def edit_pairs(folder: Path, repositories: Path, mirror: Path, seed: int) -> None:
    """Write edits from repositories into FOLDER, for `copy-spans --size edits --pairs FOLDER`."""
    from editcast_papers.copy_spans.edits import write_edits
    from editcast_training.sources.registry import listed_repositories

    origins, missing = listed_repositories(repositories, mirror)
    if missing:
        click.secho(f"Not in {mirror}: {', '.join(missing)}", fg="yellow", err=True)
    counts = write_edits(origins, folder, seed)
    click.echo(", ".join(f"{part}: {count:,}" for part, count in counts.items()))


@paper_command("multi-head")
@click.option("--data", type=FOLDER, help="A clone of multi30k/dataset.")
@models_option
@click.option("--layers", default=3, show_default=True, type=LAYERS)
@click.option("--heads", default=8, show_default=True, type=click.IntRange(1, 256))
@click.option(
    "--vocabulary",
    default=4000,
    show_default=True,
    type=click.IntRange(100, 2**16),
    help="Maximum size.",
)
@device_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def multi_head(config: Any, layers: int, heads: int, vocabulary: int, **given: Any) -> None:
    """Li et al. (2018, 2019): heads that disagree, and routing that joins them."""
    from editcast_papers.multi_head.reproduction import Wanted, run
    from editcast_papers.multi_head.runs import Settings

    run(Wanted(settings=Settings(config, layers, heads, vocabulary), **given), Console())


@paper_command("pointer-mixture")
@mirror_option
@click.option(
    "--repositories",
    "listing",
    type=click.Path(path_type=Path),
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.  "
    "[default: the bundled model's for Python, the paper's own for JavaScript]",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    type=click.Choice(["python", "javascript"]),
    default=("python",),
    show_default=True,
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(["value", "type"]),
    default=("value",),
    show_default=True,
    help="The predicted part of a node.",
)
@click.option(
    "--vocabulary",
    "vocabularies",
    multiple=True,
    type=click.IntRange(2, 2**24),
    default=(1_000,),
    show_default=True,
    help="Number of values in the vocabulary.",
)
@click.option("--network", "networks", multiple=True, help="[default: all]")
@click.option(
    "--nodes", default=3_000_000, show_default=True, type=_NODES, help="Nodes to train on."
)
@click.option("--test", default=300_000, show_default=True, type=_NODES, help="Nodes to test on.")
@device_option
@config_options(hidden=256, rate=0.002, steps=4_000, batch=128)
def pointer_mixture(nodes: int, test: int, **given: Any) -> None:
    """Li et al. (2018): "Code Completion with Neural Attention and Pointer Networks".

    Options that can be repeated make a run of each combination.
    """
    from editcast_papers.pointer_mixture.corpus import Amount
    from editcast_papers.pointer_mixture.reproduction import Wanted, run

    run(Wanted(amount=Amount(nodes, test), **given), Console())


@paper_command("pretrained-encoder")
@click.option("--data", type=FOLDER, help="A clone of odashi/ase15-django-dataset.")
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    default=Path("training/bundled.toml"),
    show_default=True,
    help="A TOML file with the list train of repositories, OWNER/NAME, to pre-train on.",
)
@mirror_option
@models_option
@click.option("--pretraining-steps", default=2_500, show_default=True, type=ranges.STEPS)
@device_option
@config_options(hidden=128, rate=0.001, steps=2_500, batch=64)
def pretrained_encoder(config: Any, pretraining_steps: int, **given: Any) -> None:
    """Li (2020), topic 3: a pre-trained encoder and an LSTM decoder write lines of Django."""
    from editcast_papers.pretrained_encoder.reproduction import Wanted, run

    pretraining = replace(config, steps=pretraining_steps)
    run(Wanted(config=config, pretraining=pretraining, **given), Console())


@paper_command("indigo")
@click.option(
    "--data",
    type=FOLDER,
    help="A clone of multi30k/dataset or, for the task django, odashi/ase15-django-dataset.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(["word order", "django", "en-de"]),
    default=("word order",),
    show_default=True,
)
@click.option("--order", "variants", multiple=True, help="L2R, SAO, ...  [default: all]")
@click.option("--layers", default=2, show_default=True, type=LAYERS)
@click.option(
    "--orders",
    default=2,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Number of orders to search per text; the paper searches 8.",
)
@click.option(
    "--beam",
    "beams",
    multiple=True,
    type=click.IntRange(1, 100),
    default=(1, 5, 10),
    show_default=True,
    help="Beam widths.",
)
@test_option
@device_option
@click.option("--timing", is_flag=True, help="Measure the time of training steps instead.")
@config_options(hidden=128, rate=0.002, steps=1000, batch=64)
def indigo(layers: int, orders: int, most: int, **given: Any) -> None:
    """Gu et al. (2019): "Insertion-based Decoding with Automatically Inferred Generation Order"."""
    from editcast_papers.indigo.reproduction import Wanted, run
    from editcast_papers.indigo.runs import Sizes

    run(Wanted(sizes=Sizes(layers, orders, most), **given), Console())


@paper_command("slides")
@mirror_option
@click.option(
    "--repositories",
    "listing",
    type=click.Path(path_type=Path),
    default=Path("training/bundled.toml"),
    show_default=True,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice(_TABLES),
    default=_TABLES,
    show_default=True,
)
@click.option("--train", default=40_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--dev", default=1_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--test", default=2_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--device", default="cpu", type=click.Choice(["auto", "cpu", "cuda"]))
@config_options(hidden=128, rate=0.001, steps=2_500, batch=32)
def slides(train: int, dev: int, test: int, **given: Any) -> None:
    """Nie's slides: vocabularies, positions, encoders and decoders, compared on edits."""
    from editcast_papers.slides.reproduction import Wanted, run

    run(Wanted(most={"train": train, "dev": dev, "test": test}, **given), Console())


for _command in (
    *(zhao2019, copy_spans, edit_pairs, multi_head),
    *(pointer_mixture, pretrained_encoder, indigo, slides),
):
    reproduce.add_command(_command)
