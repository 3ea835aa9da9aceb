"""`editcast evaluate`: models and baselines on the same histories, saved or typed."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal, get_args

import click
import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from editcast import kinds
from editcast.guarded import guarded
from editcast.render_diff import plain
from editcast.replaying import replayed_on_cluster, serving
from editcast.source_options import device_option, ray_option, seed_option, source_options
from editcast_model.bundle import Bundle
from editcast_model.errors import SourceError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.sources.repeated_edits import BASELINES
from editcast_server.prediction.policy import default_threshold, threshold_of
from editcast_server.settings import Device, Eagerness
from editcast_store.models import default_bundle_path
from editcast_training.evaluation.intervals import Interval
from editcast_training.evaluation.known_files import FilesOf, files_before
from editcast_training.evaluation.project_sessions import read_sessions
from editcast_training.evaluation.results import Evaluation, Row, hardware, replay
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typing_replay import (
    MEASURES,
    WHEN,
    TypingEvaluation,
    added,
    replay_typing,
)
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import SPLITS, Origin

_INTERVALS = (
    "Per cent of all steps, with 95 % bootstrap intervals over sessions; 50 %, 80 %: the largest "
    "share that can be shown if so many are to be clean; shown: at the model's default threshold; "
    "clean of shown, and made later (within ten saves): per cent of those shown"
)
_WIDE = 10_000  # numbers are never cut; a narrow terminal wraps the lines
_TYPING = (
    "Per cent, with 95 % bootstrap intervals over sessions; offers: per hundred actions; taken: of "
    "the offers; spared: of the characters to type, less one for each offer taken"
)


_EXAMPLES = {
    "editcast evaluate --git PATH": "a sample of the commits of a repository",
    "editcast evaluate --store --held-out": "the recorded saves that training holds out",
    "editcast evaluate --typing --git PATH --commits 5": "how much typing is saved",
}


@click.command(cls=kinds.Command, examples=_EXAMPLES)
@guarded("The evaluation was stopped; the results so far are in its folder.")
@source_options
@click.option(
    "--split",
    default="test",
    type=click.Choice(SPLITS),
    help="The list of --repositories to evaluate on.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="A bundle's folder, repeat-best or repeat-last; may be repeated.  [default: the model in "
    "use and both baselines]",
)
@device_option
@click.option(
    "--compare",
    multiple=True,
    type=kinds.FILE,
    metavar="RESULT",
    help="An earlier result (JSON) to print for comparison; may be repeated.",
)
@click.option(
    "--commits", default=40, type=kinds.Whole(1, 10**6), help="Commits sampled from each project."
)
@seed_option
@click.option(
    "--held-out",
    is_flag=True,
    help="Use only the newest tenth of each file's changes, which training holds out.",
)
@click.option(
    "--typing",
    is_flag=True,
    help="Type the sessions token by token instead, and measure the typing that offers save.",
)
@click.option(
    "--pause",
    type=kinds.Finite(60),
    help="Measure the time that a person waits: seconds between a change and its save, and between "
    "saves of other files and the return to this one. Only what is shown by default counts.  "
    "[default: none, and all suggestions]",
)
@ray_option
@click.option(
    "--processes", default=2, type=kinds.PROCESSES, help="Processes of a local --ray cluster."
)
@click.option("--out", default="evaluation", type=kinds.FOLDER)
def evaluate(
    origins: list[Origin],
    split: str,
    models: Sequence[str],
    device: Device,
    compare: Sequence[Path],
    commits: int,
    seed: int,
    held_out: bool,
    typing: bool,
    pause: float | None,
    ray: str | None,
    processes: int,
    out: Path,
) -> None:
    """Replay histories in a language server and score its suggestion after every save.

    A sample of each project's commits and all recorded saves are replayed. Sessions with times are
    replayed a second time together with the saves of the project's other files. The result of each
    model is written to the folder --out (JSON), which only you can read.
    """
    if typing and compare:
        raise click.UsageError("--compare does not work with --typing, which measures no saves.")
    if typing and ray:
        raise click.UsageError("--typing does not work with --ray.")
    if pause and (typing or ray):
        raise click.UsageError("--pause works without --typing and --ray.")
    console = Console(stderr=True)
    read = [origin for origin in origins if origin.split in (None, split)]
    sessions = read_all(read, console, commits=commits, seed=seed, held_out=held_out)
    if not _steps(sessions):
        raise SourceError(
            "There is nothing to evaluate on: name a repository (--git), saves (--saves), or your "
            "own history (--local-history, --store) with a file saved at least three times."
        )
    chosen = models or [str(default_bundle_path()), *BASELINES]
    about: dict[str, Any] = {
        "source": _in_words(read, commits, seed, held_out),
        "command": shlex.join(["editcast", *sys.argv[1:]]),
        "hardware": hardware(device),
    }
    files, alone = files_before(read), [one for one in sessions if not one.is_in_project]
    if typing:
        return _evaluate_typing(chosen, device, alone, files, about, out, console)
    evaluations = [Evaluation.read(path) for path in compare]
    taken = {path.resolve() for path in compare}
    for model in chosen:
        bundle, rows = _replayed(model, device, sessions, pause or 0.0, ray, processes, console)
        evaluation = Evaluation(
            name=bundle.name if bundle else model,
            rows=rows,
            tokens=_tokens(bundle, alone, files, console) if bundle else {},
            threshold=default_threshold(bundle.card if bundle else None),
            **about,
        )
        evaluation.write(_place(out, evaluation.name, taken))
        evaluations.append(evaluation)
    _print_tables(evaluations)
    click.echo(f"The results are in {out}.")


def _replayed(
    model: str,
    device: Device,
    sessions: Sequence[EditingSession],
    pause: float,
    ray: str | None,
    processes: int,
    console: Console,
) -> tuple[Bundle | None, tuple[Row, ...]]:
    """Replay the sessions in a server or on a cluster, and return the rows in order."""
    with ExitStack() as stack:
        if ray:
            rows = replayed_on_cluster(model, device, sessions, ray, processes)
        else:
            rows = replay(stack.enter_context(serving(model, device, pause)), sessions)
        bundle = None if model in BASELINES else Bundle.open(Path(model))
        name = escape(bundle.name if bundle else model)
        shown = track(rows, description=name, total=_steps(sessions), console=console)
        return bundle, tuple(sorted(shown, key=lambda row: (row.session, row.step)))


def _steps(sessions: Sequence[EditingSession]) -> int:
    return sum(max(0, len(session.texts) - 1 - session.first) for session in sessions)


def _evaluate_typing(
    models: Sequence[str],
    device: Device,
    sessions: Sequence[EditingSession],
    files: FilesOf,
    about: Mapping[str, Any],
    out: Path,
    console: Console,
) -> None:
    """Type the sessions of single files, once for each model and level of eagerness."""
    taken: set[Path] = set()
    for model in models:
        card = None
        forecaster = BASELINES[model]() if model in BASELINES else None
        if forecaster is None:
            forecaster = NeuralForecaster.load(Path(model).expanduser(), device)
            card = forecaster.bundle.card
        thresholds = {level: threshold_of(card, level) for level in get_args(Eagerness)}
        shown = track(
            replay_typing(forecaster.resume, sessions, thresholds, files),
            description=escape(forecaster.name),
            total=len(sessions),
            console=console,
        )
        typed = TypingEvaluation(
            name=forecaster.name,
            rows=tuple(row for rows in shown for row in rows),
            thresholds=thresholds,
            **about,
        )
        typed.write(_place(out, f"{typed.name}-typing", taken))
        for kind in typed.intervals:
            headings = ["", "actions", *MEASURES]
            _print_table(headings, _typing_lines(typed, kind), _TYPING, f"{typed.name}, {kind}")


def _typing_lines(one: TypingEvaluation, kind: str) -> Iterator[list[str]]:
    """Yield the lines of the table for one kind of session."""
    for level, found in one.intervals[kind].items():
        rows = one.of(kind, level)
        for when, names in WHEN.items():
            actions = added(rows, names).actions
            cells = (_cell(found[f"{when}: {measure}"]) for measure in MEASURES)
            yield [f"{level}, {when}", str(actions), *cells]


def _cell(found: Interval) -> str:
    digits = int(0 < max(map(abs, found)) < 10)
    return "{:.{n}f} ({:.{n}f}, {:.{n}f})".format(*found, n=digits)


def read_all(
    origins: Sequence[Origin],
    console: Console,
    *,
    commits: int,
    seed: int,
    held_out: bool | None = None,
) -> list[EditingSession]:
    """Read the sessions to replay, alone and within their projects, and print their number.

    They are only what training on the origins holds back if `held_out`, or, if that is None, for
    the origins that are in no split.
    """
    sessions: list[EditingSession] = []
    for origin in origins:
        skipped = Skipped()
        alone = origin.split is None if held_out is None else held_out
        with console.status(plain(f"Reading {origin.name}")):
            part: Literal["dev"] | None = "dev" if alone else None
            drawn = read_sessions(origin, skipped, count=commits, seed=seed, part=part)
        left_out = ", ".join(f"{count} × {reason}" for reason, count in skipped.most_common(3))
        said = f"{origin.name}: {len(drawn)} sessions" + f" (skipped: {left_out})" * bool(left_out)
        console.print(plain(said), soft_wrap=True)
        sessions += drawn
    return sessions


def _tokens(
    bundle: Bundle, sessions: Sequence[EditingSession], files: FilesOf, console: Console
) -> dict[str, float]:
    """Measure teacher-forced accuracy; torch is imported here, as baselines need none."""
    from editcast_training.evaluation.token_accuracy import token_scores

    with console.status("Scoring token by token"):
        found = token_scores(bundle, sessions, files)
    console.print(
        f"Token by token, teacher-forced, {found['edits']:.0f} edits: position "
        f"{found['position']} %, content {found['content']} %, both {found['both']} %",
        soft_wrap=True,
    )
    return found


def _in_words(origins: Sequence[Origin], commits: int, seed: int, held_out: bool) -> str:
    names = ", ".join(origin.name for origin in origins)
    kept = ", the newest tenth of each file's changes" if held_out else ""
    return f"{names}{kept}; at most {commits} commits per project, seed {seed}"


def _place(out: Path, name: str, taken: set[Path]) -> Path:
    """Name the file of a result, which may replace an earlier one, but none that is taken."""
    stem = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    place = next(one for each in names if (one := (out / f"{each}.json").resolve()) not in taken)
    taken.add(place)
    return place


def _print_tables(evaluations: Sequence[Evaluation]) -> None:
    for kind in sorted({kind for evaluation in evaluations for kind in evaluation.kinds}):
        measured = [one for one in evaluations if kind in one.kinds]
        found = [one.intervals(kind) for one in measured]
        counts = (f"{len(one.kinds[kind]):,}" for one in measured)
        lines = [["steps", *counts]]
        for measure in found[0]:
            triples = (100 * np.array(known[measure]) for known in found)
            lines.append([measure, *(f"{a:.1f} ({b:.1f}, {c:.1f})" for a, b, c in triples)])
        _print_table(["", *(one.name for one in measured)], lines, _INTERVALS, kind.capitalize())


def _print_table(
    headings: Sequence[str], lines: Iterable[Sequence[str]], caption: str, title: str
) -> None:
    table = Table(title=title, caption=caption, box=SIMPLE, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(plain(heading), justify="right" if number else "left", no_wrap=True)
    for line in lines:
        table.add_row(*map(plain, line))
    Console(width=_WIDE).print(table)
