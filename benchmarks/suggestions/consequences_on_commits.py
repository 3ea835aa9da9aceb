"""Strengths of consequences: the share of each kind that is clean in commits.

    python benchmarks/suggestions/consequences_on_commits.py --git PATH --git PATH [--write]
    python benchmarks/suggestions/consequences_on_commits.py --git PATH --saves FILE

Commits are replayed in three ways. Hunk by hunk in one file: the first consequence after each save
counts. From file to file, of every eighth commit: all that follows from the whole change of one
file in every other file of the project. And from the files that a commit adds, renames or deletes:
all that follows in the texts that it changes as well. Recorded saves are replayed one by one.

The strength is that in files that the commit changes, since those are the ones that people open.
`left alone` counts what is proposed in addition in files that it does not change.

`promised` is the mean probability that the product gives them. The strength of a kind is fitted so
that it promises what is clean; `--write` writes it to `strengths.json`, where enough came up. The
last line fits how the odds of a strength shrink with the number of other changes; the power is that
of `forecasting/sources/consequence_edits.py`.
"""

import json
import logging
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from commits import file_events, followers
from histories import history_options

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import MEASURED, STRENGTHS, Consequence
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.sources.consequence_edits import probability
from editcast_model.history import EditHistory
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import EditingSession, Step, draw_sessions
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

log = logging.getLogger(__name__)

Numbers = npt.NDArray[np.float64]
_ROUNDS, _RIDGE = 50, 0.5  # of Newton's method
_MOST_OF_REPOSITORY = 50  # of a kind; a few commits that change everything say no more
PLACES = ("here", "elsewhere")
_LEAST = 8  # consequences of a kind whose strength is written
#: Kinds that replays say nothing about: from the top on, what is declared goes before its uses.
_ASSUMED = ("remove_import",)
#: Consequences that are half clean and count beside the measured ones, so that no kind is certain.
_BESIDE = 4


@dataclass
class Counted:
    """The consequences of one kind in one place.

    Attributes:
        others: The number of other changes of the file for each; None in other files.
        clean: Whether each is clean.
        located: The number of those at a right place.
        left_alone: The number of further ones in files that the commit does not change.
    """

    others: list[int | None] = field(default_factory=list)
    clean: list[bool] = field(default_factory=list)
    located: int = 0
    left_alone: int = 0

    def promised(self, strength: float) -> float:
        """Return how many clean ones a strength promises."""
        return sum(probability(strength, one) for one in self.others)

    def strength(self) -> float:
        """Return the strength that promises as many clean ones as there were."""
        clean = sum(self.clean) + _BESIDE / 2
        millionths = bisect_left(
            range(10**6), clean, key=lambda one: self.promised(one / 1e6) + _BESIDE * one / 1e6
        )
        return round(millionths / 1e6, 2)


class Counts(defaultdict[tuple[str, str], Counted]):
    """The consequences of each kind, `here` in the changed file and `elsewhere`."""

    def __init__(self) -> None:
        super().__init__(Counted)
        self.of_repository: Counter[tuple[str, str, bool]] = Counter()

    def add(self, one: Consequence, judge: Judge | None) -> None:
        """Take in a consequence; without a judge that of a file which the commit leaves alone."""
        key = one.kind, PLACES[one.others is None]
        self.of_repository[*key, judge is None] += 1
        if self.of_repository[*key, judge is None] > _MOST_OF_REPOSITORY:
            return
        counted = self[key]
        if judge is None:
            counted.left_alone += 1
            return
        score = judge.score(one.hunk)
        counted.others.append(one.others)
        counted.clean.append(score.clean)
        counted.located += score.located
        if not score.clean:
            log.info("%s: %s", one.kind, one.hunk)

    def print(self) -> None:
        """Print a table of the kinds, and the odds by the number of other changes."""
        columns = "kind, place, strength, proposed, promised, clean, located, left alone, fitted"
        print(f"\n| {columns.replace(', ', ' | ')} |\n|{'---|' * len(columns.split(', '))}")
        for (kind, place), one in sorted(self.items()):
            if not one.clean:
                continue
            strength, count = STRENGTHS[kind][PLACES.index(place)], len(one.clean)
            numbers = [one.promised(strength), sum(one.clean), one.located]
            shares = [f"{100 * number / count:.0f} %" for number in numbers]
            if place == "elsewhere":
                shares[-1:] = ["", str(one.left_alone)]  # what is left to do there is unknown
            else:
                shares.append("")
            cells = (kind, place, f"{strength:.2f}", count, *shares, f"{one.strength():.2f}")
            print(f"| {' | '.join(map(str, cells))} |")
        seen = [
            (STRENGTHS[kind][0], others, clean)
            for (kind, _), one in self.items()
            for others, clean in zip(one.others, one.clean, strict=True)
            if others is not None
        ]
        if seen:
            alone, power = odds_by_others(*map(np.array, zip(*seen, strict=True)))
            print(f"\nodds: {alone:.2f} * (1 + other changes) ** {power:.2f}")

    def write(self) -> None:
        """Write the strengths of the kinds of which enough came up."""
        known = json.loads(MEASURED.read_text("utf-8"))
        for (kind, place), one in self.items():
            if len(one.clean) >= _LEAST and kind not in _ASSUMED:
                known[kind][place] = {"strength": one.strength(), "proposed": len(one.clean)}
        rows = ",\n".join(f'  "{kind}": {json.dumps(one)}' for kind, one in known.items())
        MEASURED.write_text(f"{{\n{rows}\n}}\n", "utf-8")


@click.command()
@history_options
@click.option("--commits", default=80, show_default=True, help="Of each repository, in one file.")
@click.option("--suffix", default="", help="Only files whose names end with it, such as .vue.")
@click.option("--others/--no-others", default=True, help="What follows in other files.")
@click.option("--write", is_flag=True, help="Write the strengths that are measured.")
def main(origins: list[Origin], commits: int, suffix: str, others: bool, write: bool) -> None:
    """Replay commits of repositories and recorded saves, and count."""
    counts, steps = Counts(), 0
    for origin in origins:
        counts.of_repository.clear()
        chosen = (one for one in read_origin(origin, Skipped()) if one.path.endswith(suffix))
        steps += count_in_files(draw_sessions(chosen, count=commits), counts)
        if others and origin.kind == "git":
            count_elsewhere(origin.path, suffix, counts)
            count_file_events(origin.path, counts)
    print(f"{steps} steps in one file")
    counts.print()
    if write:
        counts.write()


def count_in_files(sessions: Iterable[EditingSession], counts: Counts) -> int:
    """Count the first consequence after each save; returns how many saves there are."""
    steps = 0
    for session in sessions:
        history = EditHistory(session.texts[0], language=session.language, path=session.path)
        source = Consequences(session.language, session.path)

        def save(text: str, history: EditHistory = history) -> None:
            history.update(text, saved=True)

        for index, step in session.replay(save, lambda other: None):
            steps += 1
            context = EditContext.of(session.texts[: index + 1], session.language)
            found = source.propose(history.snapshots, history.text, cursor=history.last)
            one = next((one for one in found if context.accepts(one.hunk)), None)
            if one is not None:
                counts.add(one, Judge(step))
    return steps


def count_elsewhere(path: Path, suffix: str, counts: Counts) -> None:
    """Count what follows in other files of a project from what a commit changes in one."""
    for change, changed in followers(path, suffix):
        for name, before, after in changed:
            judge = Judge(Step(before, after, ())) if before != after else None
            for one in Consequences("", name).propose([], before, elsewhere=[change]):
                counts.add(one, judge)


def count_file_events(path: Path, counts: Counts) -> None:
    """Count what follows from the files that commits add, rename or delete."""
    for name, event, changed in file_events(path):
        for other, before, after in changed:
            source = Consequences("", other)
            source.add_other_save(name, None, "", "", event)
            judge = Judge(Step(before, after, ()))
            for one in source.propose([], before):
                counts.add(one, judge)


def odds_by_others(strength: Numbers, others: Numbers, clean: Numbers) -> tuple[float, float]:
    """Fit the factor and the power by which the odds of the strengths are to be multiplied."""
    known = np.log(strength / (1 - strength))
    rows, weights = np.stack([np.ones(len(others)), np.log1p(others)], 1), np.zeros(2)
    for _ in range(_ROUNDS):
        probable = 1 / (1 + np.exp(-known - rows @ weights))
        slope = rows.T @ (clean - probable) - _RIDGE * weights
        curvature = (rows.T * (probable * (1 - probable))) @ rows + _RIDGE * np.eye(2)
        weights += np.linalg.solve(curvature, slope)
    return math.exp(weights[0]), float(weights[1])


if __name__ == "__main__":
    main()
