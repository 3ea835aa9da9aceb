"""Precision of the first consequence after each save of replayed commits, by kind and strength.

    python benchmarks/suggestions/consequences_on_commits.py --git PATH --git PATH [--elsewhere]

With `--elsewhere`, all that follows in each file of a commit from the whole change of each other
one, of every eighth commit; a step is such a pair of files.

The strengths of consequences are the shares that are clean. The last line says by what the odds of
a strength are multiplied, given how often the same change was made before and how many saves ago,
as in `forecasting/sources/consequence_edits.py`.
"""

import logging
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.forecasting.candidates import changes
from editcast_model.forecasting.filters import EditContext
from editcast_model.history import EditHistory
from editcast_model.syntax.names import has_rules
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import Step, sample_commits
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


@click.command()
@click.option("--git", "repositories", type=click.Path(path_type=Path), multiple=True)
@click.option("--commits", default=60, show_default=True, help="Of each repository.")
@click.option("--suffix", default="", help="Only files whose names end with it, such as .vue.")
@click.option("--elsewhere", is_flag=True, help="What follows in other files of a commit.")
def main(repositories: tuple[Path, ...], commits: int, suffix: str, elsewhere: bool) -> None:
    """Replay commits of repositories, and count."""
    steps, counts = 0, Counts(Counter)
    seen = list[tuple[float, int, int, bool]]()
    for repository in repositories:
        if elsewhere:
            steps += count_elsewhere(repository, counts)
            continue
        histories = read_origin(Origin(repository.name, "git", repository), Counter())
        chosen = (one for one in histories if one.path.endswith(suffix))
        for session in sample_commits(chosen, count=commits):
            history = EditHistory(session.texts[0], language=session.language, path=session.path)
            source = Consequences(session.language, session.path)

            def save(text: str, history: EditHistory = history) -> None:
                history.update(text, saved=True)

            for index, step in session.replay(save, lambda other: None):
                steps += 1
                context = EditContext.of(session.texts[: index + 1], session.language)
                found = source.propose(history.snapshots, history.text, cursor=history.last)
                for one in (one for one in found if context.accepts(one.hunk)):
                    score = Judge(step).score(one.hunk)
                    count = counts[one.kind, one.strength]
                    count.update(proposed=1, clean=score.clean, located=score.located)
                    (change,) = changes(history.text, [one.hunk])
                    seen.append((one.strength, *history.made(change), score.clean))
                    break
    print(
        f"{steps} steps\n\n| kind | strength | proposed | clean | located |\n|---|---|---|---|---|"
    )
    for (kind, strength), count in sorted(counts.items()):
        cells = (kind, strength, count["proposed"], count["clean"], count["located"])
        print(f"| {' | '.join(map(str, cells))} |")
    if seen:
        times, ago = odds_by_age(*map(np.array, zip(*seen, strict=True)))
        print(f"\nodds: (1 + times) ** {times:.2f} * (1 + saves ago) ** {ago:.2f}")


def odds_by_age(
    strength: Numbers, times: Numbers, ago: Numbers, clean: Numbers
) -> tuple[float, float]:
    """Fit the powers of the counts by which the odds of the strengths are to be multiplied."""
    known = np.log(strength / (1 - strength))
    rows, weights = np.log1p(np.stack([times, ago], 1)), np.zeros(2)
    for _ in range(_ROUNDS):
        probable = 1 / (1 + np.exp(-known - rows @ weights))
        slope = rows.T @ (clean - probable) - _RIDGE * weights
        curvature = (rows.T * (probable * (1 - probable))) @ rows + _RIDGE * np.eye(2)
        weights += np.linalg.solve(curvature, slope)
    return float(weights[0]), float(weights[1])


if __name__ == "__main__":
    main()
