"""Trainings and exports that are killed go on to the same end; `make soak` kills more."""

import random
from pathlib import Path

import pytest

from attacks.kills_training import KilledTrainings

KILLS = 6


@pytest.mark.timeout(1800)  # of a machine that does much else
def test_killed_at_random_moments_they_end_as_if_they_had_not_been(tmp_path: Path) -> None:
    with KilledTrainings(tmp_path) as trainings:
        for number in range(KILLS):
            name = trainings.names[number % len(trainings.names)]
            assert trainings.kill(random.Random(f"0/{number}"), name) == []
        assert trainings.finish() == []
        assert trainings.kills + trainings.done == KILLS + len(trainings.names)
