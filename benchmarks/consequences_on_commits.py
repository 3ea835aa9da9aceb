"""Precision of the first consequence after each save of replayed commits, by kind and strength.

    python benchmarks/consequences_on_commits.py --git REPOSITORY --git REPOSITORY

The priors of `forecasting/consequence_edits.py` come from the five development projects.
"""

from collections import Counter, defaultdict
from pathlib import Path

import click

from editcast_model.forecasting.consequences import Consequences
from editcast_model.forecasting.filters import Work
from editcast_model.history import EditHistory
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import sample_commits
from editcast_training.sources.registry import Origin, read_origin


@click.command()
@click.option("--git", "repositories", type=click.Path(path_type=Path), multiple=True)
@click.option("--commits", default=60, show_default=True, help="Of each repository.")
def main(repositories: tuple[Path, ...], commits: int) -> None:
    """Replay commits of repositories, and count."""
    steps, counts = 0, defaultdict[tuple[str, float], Counter[str]](Counter)
    for repository in repositories:
        histories = read_origin(Origin(repository.name, "git", repository), Counter())
        for session in sample_commits(histories, count=commits):
            history = EditHistory(session.texts[0], language=session.language, path=session.path)
            source = Consequences(session.language, session.path)

            def save(text: str, history: EditHistory = history) -> None:
                history.update(text, saved=True)

            for index, step in session.replay(save, lambda other: None):
                steps += 1
                work = Work.of(session.texts[: index + 1], session.language)
                found = source.propose(history.snapshots, history.text, cursor=history.last)
                for one in (one for one in found if work.admits((one.hunk,))):
                    score = Judge(step).score((one.hunk,))
                    count = counts[one.kind, one.strength]
                    count.update(proposed=1, clean=score.clean, located=score.located)
                    break
    print(
        f"{steps} steps\n\n| kind | strength | proposed | clean | located |\n|---|---|---|---|---|"
    )
    for (kind, strength), count in sorted(counts.items()):
        cells = (kind, strength, count["proposed"], count["clean"], count["located"])
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
