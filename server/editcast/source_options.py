"""Options that several commands have."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click

from editcast import kinds
from editcast_store.paths import home
from editcast_training.cluster import HERE
from editcast_training.sources.registry import (
    SPLITS,
    Origin,
    listed_repositories,
    local_history_origins,
    store_origin,
)
from editcast_training.sources.storage import is_url

ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value=HERE,
    metavar="[HOST:PORT]",
    help="Run on a Ray cluster: that at HOST:PORT, or one that is started on this machine.",
)
device_option = click.option(
    "--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]), help="Computing device."
)
seed_option = click.option(
    "--seed", default=0, type=kinds.SEED, help="Seed of what is drawn at random."
)
_OPTIONS = (
    click.option("--git", multiple=True, metavar="PATH", help="A git repository; may be repeated."),
    click.option(
        "--saves",
        multiple=True,
        metavar="FILE",
        help="Save histories in JSON lines (.jsonl or .jsonl.gz); may be repeated.",
    ),
    click.option("--local-history", is_flag=True, help="Include VS Code's Local History."),
    click.option("--store", is_flag=True, help="Include the saves that Editcast recorded."),
    click.option(
        "--repositories",
        type=kinds.PATH,
        help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
    ),
    click.option(
        "--mirror",
        metavar="PATH",
        help="The folder of their clones, OWNER+NAME, or its address: s3://...",
    ),
)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of all sources to a command, which receives them as `origins`."""

    @wraps(command)
    def run(repositories: Path | None, mirror: str | None, **given: Any) -> None:
        home()  # report an unusable folder before reading anything
        if (repositories is None) != (mirror is None):
            raise click.UsageError("Use --repositories and --mirror together.")
        origins: list[Origin] = []
        if repositories is not None and mirror is not None:
            place = mirror if is_url(mirror) else Path(mirror)
            origins, missing = listed_repositories(repositories, place)
            if missing:
                click.secho(f"Not in {mirror}: {', '.join(missing)}", fg="yellow", err=True)
        origins += [_named("git", one) for one in given.pop("git")]
        origins += [_named("saves", one) for one in given.pop("saves")]
        if given.pop("local_history"):
            origins += local_history_origins()
        if given.pop("store"):
            origins.append(store_origin())
        command(origins=origins, **given)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def _named(kind: Literal["git", "saves"], given: str) -> Origin:
    """Return a source from ``PATH`` or ``SPLIT=PATH``."""
    split, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        split, rest = "", given
    elif split not in SPLITS and not split.endswith("-dev"):
        raise click.UsageError(
            f"{split!r} is no split; name {', '.join(SPLITS)}, as in --{kind} dev={rest}."
        )
    path = Path(rest)
    if not path.exists():  # said now and not after hours of training
        raise click.UsageError(f"There is no {path}; check the path that --{kind} names.")
    name = path.resolve().name
    name = name if kind == "git" else name.partition(".jsonl")[0]
    return Origin(name, kind, path, split or None)
