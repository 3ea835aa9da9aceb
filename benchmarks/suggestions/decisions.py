"""The effect of the user's decisions: steps of an evaluation, as one user who sees them all.

    python benchmarks/suggestions/decisions.py evaluation/editcast.json

Each kind of session is one user. The user takes a suggestion if it is clean now or, of a recorded
save, within ten saves, and passes over any other one; the policy then shows more or less.
"""

from pathlib import Path

import click

from editcast_server.prediction.policy import Policy
from editcast_server.settings import Settings
from editcast_training.evaluation.results import Evaluation, Row


def shown_to_one_user(rows: list[Row], threshold: float, *, decides: bool) -> list[Row]:
    """Return the steps at which something is shown."""
    policy, shown = Policy(Settings(confidence_threshold=threshold)), list[Row]()
    for row in rows:
        if row.score is not None and (row.confidence or 0.0) >= policy.thresholds.edit:
            shown.append(row)
            if decides:
                policy.count_decision(row.score.clean or row.score.later, row.confidence or 0.0)
    return shown


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
def main(results: Path) -> None:
    """Print the shown steps and the clean ones among them, without and with decisions."""
    evaluation = Evaluation.read(results)
    for kind, rows in evaluation.kinds.items():
        for decides in (False, True):
            shown = shown_to_one_user(rows, evaluation.threshold, decides=decides)
            clean = sum(row.score is not None and row.score.clean for row in shown)
            print(
                f"{kind:16} {'decides' if decides else 'looks on':8} {len(rows)} steps, "
                f"{100 * len(shown) / len(rows):.1f} % shown ({len(shown)}), {clean} clean"
            )


if __name__ == "__main__":
    main()
