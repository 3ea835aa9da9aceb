"""The subcommands that learn: corpus."""

from collections import Counter
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from editcast.sources import source_options
from editcast_training.corpus import Made, make_corpus
from editcast_training.histories import Skipped
from editcast_training.origins import Origin

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@source_options
@click.option("--tokenizer", type=_PATH, help="A tokenizer.json; else a vocabulary is learned.")
@click.option("--max-state", default=1024, show_default=True, help="Subtokens of a window.")
@click.option("--processes", default=2, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True)
def corpus(
    out: Path,
    origins: list[Origin],
    tokenizer: Path | None,
    max_state: int,
    processes: int,
    seed: int,
) -> None:
    """Turn histories into a corpus in the folder OUT; run again, it goes on where it stopped.

    A repository of --repositories goes where its list says. Any other source is split by time:
    the newest tenth of each file's changes is for development. SPLIT=PATH sends all of it to one
    split, for example --saves train=saves.jsonl.gz.
    """
    console = Console()

    def tell(made: Made) -> None:
        if made.failed:
            console.print(f"{made.name}: left out. {made.failed}", style="yellow")
        else:
            count, edits = made.instances.total(), made.edits.total()
            console.print(f"{made.name}: {count:,} instances, {edits:,} edits")

    result = make_corpus(
        out,
        origins,
        tokenizer=tokenizer,
        max_state=max_state,
        processes=processes,
        seed=seed,
        each=tell,
    )
    _summary(console, result)


def _summary(console: Console, result: list[Made]) -> None:
    kept = Table("split", "instances", "edits", title="Kept")
    instances: Counter[str] = Counter()
    edits: Counter[str] = Counter()
    skipped = Skipped()
    for made in result:
        instances.update(made.instances)
        edits.update(made.edits)
        skipped.update(made.skipped)
    for split in instances:
        kept.add_row(split, f"{instances[split]:,}", f"{edits[split]:,}")
    console.print(kept)
    left = Table("reason", "count", title="Skipped")
    for reason, count in skipped.most_common():
        left.add_row(reason, f"{count:,}")
    console.print(left)
