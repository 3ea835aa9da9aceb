"""kill -9 while a model is trained, put in place, or exported; see `kills_training`.

A round is a kill. Whatever was killed goes on later, and ends as if nothing had been.
"""

import tempfile
from pathlib import Path

from attacks.figures import Figures, Finding, Limit
from attacks.kills_training import KilledTrainings


def attack(limit: Limit, seed: int) -> Figures:
    """Kill trainings and exports, and let all of them come to their end."""
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder, KilledTrainings(Path(folder)) as trainings:
        number = -1
        for number, draw in limit.each(figures, seed):
            for problem in trainings.kill(draw):
                figures.findings.append(Finding(problem, seed, number))
        for problem in trainings.finish():
            figures.findings.append(Finding(problem, seed, number))
        figures.tried["kills"] += trainings.kills
        figures.tried["trainings and exports that ended well"] += trainings.done
    return figures
