"""Bootstrap intervals over sessions: the steps of one session are no independent measurements."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np


class OfSession(Protocol):
    """A scored step."""

    @property
    def session(self) -> int:
        """Return the number of its session."""


Row = TypeVar("Row", bound=OfSession)
_PERCENTILES = (2.5, 97.5)


class Interval(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


def intervals(
    rows: Sequence[Row],
    measure: Callable[[Sequence[Row]], Mapping[str, float]],
    *,
    samples: int = 1000,
) -> dict[str, Interval]:
    """Measure rows, at least one, with intervals over `samples` drawings of their sessions."""
    return _measured([rows], lambda drawn: measure(*drawn), samples)


def difference(
    before: Sequence[Row],
    after: Sequence[Row],
    measure: Callable[[Sequence[Row]], Mapping[str, float]],
    *,
    samples: int = 1000,
) -> dict[str, Interval]:
    """Measure how two evaluations of the same sessions differ, paired by session.

    Raises:
        ValueError: They are not of the same sessions.
    """

    def gained(drawn: Sequence[Sequence[Row]]) -> dict[str, float]:
        first, second = map(measure, drawn)
        return {name: second[name] - first[name] for name in first}

    if {row.session for row in before} != {row.session for row in after}:
        raise ValueError("the rows are of different sessions")
    return _measured([before, after], gained, samples)


def grouped(rows: Iterable[Any], name: str) -> dict[Any, list[Any]]:
    """Group rows by one of their attributes, ascending."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, name)].append(row)
    return dict(sorted(groups.items()))


def _measured(
    evaluations: Sequence[Sequence[Row]],
    measure: Callable[[Sequence[Sequence[Row]]], Mapping[str, float]],
    samples: int,
) -> dict[str, Interval]:
    """Draw as many sessions as there are with repetition, the same of each evaluation."""
    sessions = [grouped(rows, "session") for rows in evaluations]
    names = list(sessions[0])
    generator = np.random.default_rng(0)
    drawn = []
    for _ in range(samples):
        chosen = [names[index] for index in generator.integers(len(names), size=len(names))]
        drawn.append(measure([[row for name in chosen for row in one[name]] for one in sessions]))
    return {
        name: Interval(value, *np.percentile([one[name] for one in drawn], _PERCENTILES).tolist())
        for name, value in measure(evaluations).items()
    }
