"""Precision of the first consequence after each save of replayed commits, by kind and strength.

    python benchmarks/suggestions/consequences_on_commits.py --git PATH --git PATH [--elsewhere]
    python benchmarks/suggestions/consequences_on_commits.py --git PATH --saves FILE

With `--saves`, recorded saves are replayed, too.

With `--elsewhere`, all that follows in each file of a commit from the whole change of each other
one, of every eighth commit; a step is such a pair of files.

The strengths of consequences are the shares that are clean in commits. The last line says by what
the odds of a strength are multiplied, given how many other changes were made, as in
`forecasting/sources/consequence_edits.py`.
"""

import logging
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.forecasting.filters import EditContext
from editcast_model.history import EditHistory
from editcast_model.syntax.names import has_rules
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import (
    EditingSession,
    Step,
    sample_commits,
    save_session,
)
from editcast_training.sources.registry import Origin, read_origin

log = logging.getLogger(__name__)

Numbers = npt.NDArray[np.float64]
Counts = defaultdict[tuple[str, float], Counter[str]]
_ONE_OF = 8
_ROUNDS, _RIDGE = 50, 0.5  # of Newton's method
_MOST_FILES = 30  # of a commit; more were moved or reformatted


def count_elsewhere(repository: Path, counts: Counts) -> int:
    """Count what follows in one file of a commit from another; returns how many pairs there are."""
    changes = defaultdict[int, list[tuple[str, str, str]]](list)
    for history in read_origin(Origin(repository.name, "git", repository), Counter()):
        if has_rules(history.language):
            for before, after in pairwise(history.snapshots):
                if after.time is not None and after.time // 1000 % _ONE_OF == 0:
                    changes[after.time].append((history.path, before.text, after.text))
    pairs = 0
    for files in changes.values():
        for path, *texts in files if len(files) <= _MOST_FILES else ():
            module = ModuleHistory(path, "")
            module.save(*texts)
            change = module.change()
            for other, before, after in files:
                pairs += other != path
                if change is not None and other != path:
                    judge = Judge(Step(before, after, ()))
                    for one in Consequences("", other).propose([], before, elsewhere=[change]):
                        clean = judge.score(one.hunk).clean
                        counts[one.kind, one.strength].update(proposed=1, clean=clean)
                        if not clean:
                            log.info("%s of %s in %s: %s", one.kind, path, other, one.hunk)
    return pairs


def sessions_of(
    repositories: Sequence[Path], saves: Sequence[Path], commits: int, suffix: str
) -> Iterator[EditingSession]:
    """Yield the sessions to replay."""
    for path in repositories:
        histories = read_origin(Origin(path.name, "git", path), Counter())
        chosen = (one for one in histories if one.path.endswith(suffix))
        yield from sample_commits(chosen, count=commits)
    for path in saves:
        histories = read_origin(Origin(path.name, "saves", path), Counter())
        chosen = (one for one in histories if one.path.endswith(suffix))
        yield from map(save_session, (one for one in chosen if len(one.snapshots) > 2))


@click.command()
@click.option("--git", "repositories", type=click.Path(path_type=Path), multiple=True)
@click.option("--saves", type=click.Path(path_type=Path), multiple=True)
@click.option("--commits", default=60, show_default=True, help="Of each repository.")
@click.option("--suffix", default="", help="Only files whose names end with it, such as .vue.")
@click.option("--elsewhere", is_flag=True, help="What follows in other files of a commit.")
def main(
    repositories: tuple[Path, ...],
    saves: tuple[Path, ...],
    commits: int,
    suffix: str,
    elsewhere: bool,
) -> None:
    """Replay commits of repositories and recorded saves, and count."""
    steps, counts = 0, Counts(Counter)
    seen = list[tuple[float, int, bool]]()
    if elsewhere:
        steps = sum(count_elsewhere(repository, counts) for repository in repositories)
        repositories = ()
    for session in sessions_of(repositories, saves, commits, suffix):
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
                score = Judge(step).score(one.hunk)
                counts[one.kind, one.strength].update(
                    proposed=1, clean=score.clean, located=score.located
                )
                if one.others is not None:
                    seen.append((one.strength, one.others, score.clean))
    print(
        f"{steps} steps\n\n| kind | strength | proposed | clean | located |\n|---|---|---|---|---|"
    )
    for (kind, strength), count in sorted(counts.items()):
        cells = (kind, strength, *(int(count[name]) for name in ("proposed", "clean", "located")))
        print(f"| {' | '.join(map(str, cells))} |")
    if seen:
        alone, power = odds_by_others(*map(np.array, zip(*seen, strict=True)))
        print(f"\nodds: {alone:.2f} * (1 + other changes) ** {power:.2f}")


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
