"""Characters that continuations spare: from a file alone, and from its project's other files too.

    python benchmarks/continuations.py --git REPOSITORY --git REPOSITORY --saves FILE

Sessions are typed as `editcast evaluate --typing` types them, at the default threshold, with
continuations as the only candidate source. The last line of a kind is the difference that the other
files make, paired by session; recorded saves know no other files.
"""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from editcast_model.bundle import Bundle, bundled_path
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.continuations_alone import ContinuationsAlone
from editcast_training.evaluation.intervals import Interval, difference, intervals
from editcast_training.evaluation.known_files import files_before, no_files
from editcast_training.evaluation.sessions import EditingSession, draw_sessions
from editcast_training.evaluation.typing_replay import MEASURES, TypingRow, measured, replay_typing
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

_PATH = click.Path(path_type=Path)
#: Longer sessions take minutes each.
_MOST_SAVES, _MOST_CHARACTERS = 60, 80_000


@click.command()
@click.option("--git", multiple=True, type=_PATH, help="A repository of commits to type.")
@click.option("--saves", multiple=True, type=_PATH, help="Recorded saves in JSON lines.")
@click.option("--commits", default=20, show_default=True, help="Sessions of each repository.")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
def main(git: Sequence[Path], saves: Sequence[Path], commits: int, bundle: Path) -> None:
    """Type sessions with and without the other files, and print a table in Markdown."""
    origins = [Origin(path.name, "git", path) for path in git]
    origins += [Origin(path.name.partition(".")[0], "saves", path) for path in saves]
    sessions = [one for origin in origins for one in read_sessions(origin, commits)]
    opened = Bundle.open(bundle)
    forecaster = ContinuationsAlone(opened.card.continuation)
    thresholds = {"medium": default_threshold(opened.card)}
    rows: dict[str, list[TypingRow]] = {}
    for name, files in (("the file alone", no_files), ("with its project", files_before(origins))):
        replayed = replay_typing(forecaster, sessions, thresholds, files)
        shown = track(replayed, name, total=len(sessions), console=Console(stderr=True))
        rows[name] = [row for of_session in shown for row in of_session]
        sessions = [one for one in sessions if one.kind == "commits"]
    print(f"| kind | | sessions | characters | {' | '.join(MEASURES)} |")
    print(f"|---|---|---|---|{'---|' * len(MEASURES)}")
    alone, together = rows.values()
    for name, found in rows.items():
        for kind in sorted({row.kind for row in found}):
            of_kind = [row for row in found if row.kind == kind]
            print_line(kind, name, of_kind, intervals(of_kind, measured))
    if together:
        before = [row for row in alone if row.kind == "commits"]
        print_line("commits", "difference", together, difference(before, together, measured))


def read_sessions(origin: Origin, commits: int) -> list[EditingSession]:
    """Read the sessions of a source that are short enough."""
    drawn = draw_sessions(read_origin(origin, Skipped()), count=commits)
    return [
        one
        for one in drawn
        if len(one.texts) <= _MOST_SAVES and len(one.texts[-1]) <= _MOST_CHARACTERS
    ]


def print_line(kind: str, name: str, rows: Sequence[TypingRow], found: dict[str, Interval]) -> None:
    """Print one line of the table."""
    cells = [kind, name, str(len(rows)), f"{sum(row.characters for row in rows):,}"]
    for measure in MEASURES:
        value, low, high = found[f"both: {measure}"]
        cells.append(f"{value:.1f} ({low:.1f}, {high:.1f})")
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
