"""Characters that offers spare: of continuations, of the network, and of all sources together.

    python benchmarks/suggestions/continuations.py --git REPOSITORY --git REPOSITORY --saves FILE
    python benchmarks/suggestions/continuations.py --network --git REPOSITORY --saves FILE

Sessions are typed as `editcast evaluate --typing` types them, at the default threshold, with
continuations as the only candidate source. A difference, paired by session, is what the whole
memory adds to the line above it. With `--network` they are typed with all sources, and with some.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import click
from histories import cells, drawn_sessions, history_options, is_short
from rich.console import Console
from rich.progress import track

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.forecasting.candidates import CandidateSource
from editcast_model.forecasting.forecaster import SOURCES, NeuralForecaster
from editcast_model.forecasting.sources.continuation import Continuations
from editcast_model.forecasting.sources.decoded_edits import DecodedEdits
from editcast_model.memory import project_memory
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.continuations_alone import ContinuationsAlone
from editcast_training.evaluation.intervals import Interval, difference, grouped, intervals
from editcast_training.evaluation.known_files import FilesOf, files_before, no_files
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typed_document import Resume
from editcast_training.evaluation.typing_replay import MEASURES, TypingRow, measured, replay_typing
from editcast_training.sources.registry import Origin

_PATH = click.Path(path_type=Path)
#: Longer sessions take minutes each.
_MOST_SAVES = 60


@click.command()
@history_options
@click.option("--commits", default=20, show_default=True, help="Sessions of each repository.")
@click.option("--most", default=10**9, help="Characters at most.  [default: all]")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
@click.option("--network", is_flag=True, help="Compare continuations with the network.")
def main(origins: list[Origin], commits: int, most: int, bundle: Path, network: bool) -> None:
    """Type sessions with some sources and with others, and print a table in Markdown."""
    sessions = [one for origin in origins for one in read_sessions(origin, commits)]
    opened = Bundle.open(bundle)
    thresholds = {"medium": default_threshold(opened.card)}
    sessions = some_sessions(sessions, most)
    print(f"| kind | | sessions | characters | {' | '.join(MEASURES)} |")
    print(f"|---|---|---|---|{'---|' * len(MEASURES)}")
    known = files_before(origins)
    passes = sources_compared(bundle, known) if network else memories_compared(opened, known)
    first: list[TypingRow] = []
    for one in passes:
        with patch.object(project_memory, "MOST_REMOVED", one.removed):
            rows = one.type_all(sessions, thresholds)
        first = first or rows
        whole = grouped(first, "kind")
        for kind, less in grouped(rows, "kind").items():
            print_line(kind, one.name, less, intervals(less, measured))
            if rows is not first:
                gain = difference(less, whole[kind], measured)
                print_line(kind, "difference", whole[kind], gain)


@dataclass(frozen=True)
class Pass:
    """A pass over the sessions: who is asked, and what the project memory has.

    Attributes:
        removed: The most units of removed lines that the memory keeps.
    """

    name: str
    resume: Resume
    files: FilesOf
    removed: int = project_memory.MOST_REMOVED

    def type_all(
        self, sessions: Sequence[EditingSession], thresholds: Mapping[str, float]
    ) -> list[TypingRow]:
        """Type the sessions, and return their rows."""
        typed = replay_typing(self.resume, sessions, thresholds, self.files)
        shown = track(typed, self.name, total=len(sessions), console=Console(stderr=True))
        return list(chain.from_iterable(shown))


def memories_compared(bundle: Bundle, known: FilesOf) -> Iterator[Pass]:
    """Yield passes with continuations alone, from less and less."""
    resume = partial(ContinuationsAlone, weights=bundle.card.continuation)
    yield Pass("with its project", resume, known)
    yield Pass("without what was removed", resume, known, 0)
    yield Pass("the file alone", resume, no_files)


def sources_compared(bundle: Path, known: FilesOf) -> Iterator[Pass]:
    """Yield passes with the bundle's network, with all candidate sources and with some."""
    without = tuple(one for one in SOURCES if one is not Continuations)
    compared: dict[str, tuple[type[CandidateSource], ...]] = {
        "all sources": SOURCES,
        "without continuations": without,
        "the network alone": (DecodedEdits,),
    }
    for name, sources in compared.items():
        forecaster = NeuralForecaster.load(bundle, "cpu")
        forecaster.sources = sources
        yield Pass(name, forecaster.resume, known)
    alone = partial(ContinuationsAlone, weights=forecaster.continuation)
    yield Pass("continuations alone", alone, known)


def some_sessions(sessions: Sequence[EditingSession], most: int) -> list[EditingSession]:
    """Draw sessions in which no more is inserted than so many characters."""
    drawn, left = list(sessions), most
    random.Random(0).shuffle(drawn)
    out = []
    for one in drawn:
        if (inserted := one.inserted) <= left:
            out.append(one)
            left -= inserted
    return out


def read_sessions(origin: Origin, commits: int) -> list[EditingSession]:
    """Read the sessions of a source that are short enough."""
    drawn = drawn_sessions(origin, commits)
    return [one for one in drawn if len(one.texts) <= _MOST_SAVES and is_short(one)]


def print_line(kind: str, name: str, rows: Sequence[TypingRow], found: dict[str, Interval]) -> None:
    """Print one line of the table."""
    about = [kind, name, str(len(rows)), f"{sum(row.characters for row in rows):,}"]
    columns = cells(found[f"both: {measure}"] for measure in MEASURES)
    print(f"| {' | '.join(about)} | {columns} |", flush=True)


if __name__ == "__main__":
    main()
