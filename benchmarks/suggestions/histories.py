"""The options for the histories that a benchmark replays."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from editcast_training.sources.registry import Origin


def history_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which receives the histories as `origins`."""

    @wraps(command)
    def run(git: tuple[Path, ...], saves: tuple[Path, ...], **given: Any) -> None:
        # The sample of commits depends on the names.
        origins = [Origin(path.name, "git", path) for path in git]
        origins += [Origin(path.name.partition(".")[0], "saves", path) for path in saves]
        command(origins=origins, **given)

    helps = {"--saves": "Recorded saves in JSON lines.", "--git": "A repository of commits."}
    for option, help in helps.items():
        run = click.option(option, multiple=True, type=click.Path(path_type=Path), help=help)(run)
    return run
