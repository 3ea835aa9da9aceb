"""The histories that a benchmark replays: its options, their sessions, and what is printed."""

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from editcast_training.evaluation.intervals import Interval
from editcast_training.evaluation.sessions import EditingSession, draw_sessions
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

_MOST_CHARACTERS = 80_000  # of a file; larger ones take minutes each


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


def drawn_sessions(origin: Origin, commits: int) -> list[EditingSession]:
    """Draw sessions of a source."""
    return draw_sessions(read_origin(origin, Skipped()), count=commits)


def is_short(session: EditingSession) -> bool:
    return len(session.texts[-1]) <= _MOST_CHARACTERS


def cells(found: Iterable[Interval]) -> str:
    """Format intervals as the cells of a line."""
    return " | ".join(f"{value:.1f} ({low:.1f}, {high:.1f})" for value, low, high in found)
