"""The table of the strengths of consequences."""

from typing import get_args

from editcast_model.consequences.kinds import STRENGTHS, Kind


def test_each_kind_has_a_strength() -> None:
    assert set(STRENGTHS) == set(get_args(Kind))


def test_strengths_are_probabilities() -> None:
    assert all(0 < one < 1 for both in STRENGTHS.values() for one in both)
