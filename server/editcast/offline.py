"""The subcommands that learn: corpus."""

from collections import Counter
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from editcast_model.paths import store_path
from editcast_training.corpus import Made, make_corpus
from editcast_training.histories import Skipped
from editcast_training.origins import Origin, listed_repositories
from editcast_training.sources.local_history import local_history_folders

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--git", multiple=True, metavar="PATH", help="A git repository; may be repeated.")
@click.option(
    "--saves",
    multiple=True,
    metavar="FILE",
    help="Save histories in JSON lines (.jsonl or .jsonl.gz); may be repeated.",
)
@click.option("--local-history", is_flag=True, help="What VS Code's Local History kept.")
@click.option("--store", is_flag=True, help="The saves that Editcast has recorded.")
@click.option(
    "--repositories",
    type=_PATH,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option("--mirror", type=_PATH, help="The folder of these repositories, OWNER+NAME.")
@click.option("--tokenizer", type=_PATH, help="A tokenizer.json; else a vocabulary is learned.")
@click.option("--max-state", default=1024, show_default=True, help="Subtokens of a window.")
@click.option("--processes", default=2, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True)
def corpus(
    out: Path,
    git: tuple[str, ...],
    saves: tuple[str, ...],
    local_history: bool,
    store: bool,
    repositories: Path | None,
    mirror: Path | None,
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
    origins: list[Origin] = []
    if (repositories is None) != (mirror is None):
        raise click.UsageError("--repositories and --mirror go together.")
    if repositories is not None and mirror is not None:
        origins, missing = listed_repositories(repositories, mirror)
        for name in missing:
            console.print(f"{name}: left out, not in {mirror}", style="yellow")
    origins += [_named("git", given) for given in git]
    origins += [_named("saves", given) for given in saves]
    if local_history:
        for number, folder in enumerate(local_history_folders(), 1):
            origins.append(Origin(f"local-history-{number}", "local-history", folder))
    if store:
        origins.append(Origin("store", "store", store_path()))

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


def _named(kind: str, given: str) -> Origin:
    """A source from ``PATH`` or ``SPLIT=PATH``."""
    split, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        split, rest = "", given
    path = Path(rest)
    name = path.resolve().name
    if kind == "git":
        return Origin(name, "git", path, split or None)
    return Origin(name.partition(".jsonl")[0], "saves", path, split or None)


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
