"""Learning from one's own files and past: what it adds to the characters that offers spare.

    python benchmarks/suggestions/personal.py --git REPOSITORY --git REPOSITORY --saves FILE

Typed is the newer fifth of each repository's commits, and of the longest recorded histories, as
`continuations.py` types sessions: with all candidate sources, at the default threshold. The project
memory is what is learned. It has the project as it was before each session, then the session's file
alone, then nothing. A difference, paired by session, is what the whole memory adds to the line
above it; "beyond a quarter more" is what is spared with it less 1.25 times what is spared without.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click
from continuations import Pass, print_line, some_sessions
from histories import cells, history_options, is_short

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.forecasting.forecaster import SOURCES, NeuralForecaster
from editcast_model.forecasting.sources.continuation import Continuations
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.intervals import difference, intervals
from editcast_training.evaluation.known_files import files_before, no_files
from editcast_training.evaluation.sessions import EditingSession, sample_commits, save_session
from editcast_training.evaluation.typing_replay import TypingRow, measured
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.registry import Origin, read_origin

_OLDER = 0.8
_LONGEST = 5  # recorded histories
_SPARED = "both: spared"


@click.command()
@history_options
@click.option("--commits", default=40, show_default=True, help="Newer ones of each repository.")
@click.option("--most", default=4_000, show_default=True, help="Characters of each at most.")
def main(origins: list[Origin], commits: int, most: int) -> None:
    """Type the newer fifth of histories with the memory and without, and print a table."""
    bundle = bundled_path()
    threshold = {"medium": default_threshold(Bundle.open(bundle).card)}
    print("| history | memory | sessions | characters | offers | taken | spared |")
    print("|---|---|---|---|---|---|---|")
    every: list[list[TypingRow]] = [[], [], []]
    for origin in origins:
        sessions = some_sessions(newer_sessions(origin, commits), most)
        if not sessions:
            continue
        passes = list(memories(bundle, origins))
        found = [one.type_all(sessions, threshold) for one in passes]
        print_lines(origin.name, [one.name for one in passes], found)
        for whole, rows in zip(every, found, strict=True):
            begun = 1 + max((row.session for row in whole), default=-1)
            whole += [replace(row, session=row.session + begun) for row in rows]
    print_lines("all", [one.name for one in passes], every)


def memories(bundle: Path, origins: Sequence[Origin]) -> Iterator[Pass]:
    """Yield passes whose memory has less and less."""
    forecaster = NeuralForecaster.load(bundle, "cpu")
    yield Pass("the project", forecaster.resume, files_before(origins))
    yield Pass("the file", forecaster.resume, no_files)
    without = NeuralForecaster.load(bundle, "cpu")
    without.sources = tuple(one for one in SOURCES if one is not Continuations)
    yield Pass("nothing", without.resume, no_files)


def newer_sessions(origin: Origin, commits: int) -> list[EditingSession]:
    """Return sessions of the newer fifth of a source's history."""
    histories = list(read_origin(origin, Skipped()))
    if origin.kind == "git":
        newer = newer_part(histories)
        sessions = sample_commits(newer, count=commits)
    else:
        histories.sort(key=lambda one: len(one.snapshots), reverse=True)
        sessions = [
            replace(save_session(one), first=round(_OLDER * (len(one.snapshots) - 1)))
            for one in histories
        ]
        return [one for one in sessions if is_short(one)][:_LONGEST]
    return [one for one in sessions if is_short(one)]


def newer_part(histories: Sequence[FileHistory]) -> Iterator[FileHistory]:
    """Yield what the newer fifth of all changes did, with what it was done to."""
    times = sorted(one.time or 0 for history in histories for one in history.snapshots[1:])
    cut = times[int(_OLDER * len(times))] if times else 0
    for history in histories:
        newer = sum((one.time or 0) >= cut for one in history.snapshots[1:])
        if newer:
            yield replace(history, snapshots=history.snapshots[-newer - 1 :])


class Pair(NamedTuple):
    """A session typed with less memory and with more."""

    session: int
    less: TypingRow
    more: TypingRow


def above_a_quarter_more(pairs: Sequence[Pair]) -> dict[str, float]:
    """Measure how much more is spared than a quarter more, in points."""
    less, more = measured([one.less for one in pairs]), measured([one.more for one in pairs])
    return {_SPARED: more[_SPARED] - 1.25 * less[_SPARED]}


def print_lines(name: str, passes: Sequence[str], found: Sequence[Sequence[TypingRow]]) -> None:
    """Print the lines of one history."""
    for label, rows in zip(passes, found, strict=True):
        print_line(name, label, rows, intervals(rows, measured))
        if rows is not found[0]:
            print_line(name, "more", found[0], difference(rows, found[0], measured))
            pairs = [Pair(a.session, a, b) for a, b in zip(rows, found[0], strict=True)]
            found_more = cells(intervals(pairs, above_a_quarter_more).values())
            print(f"| {name} | beyond a quarter more | | | | | {found_more} |")


if __name__ == "__main__":
    main()
