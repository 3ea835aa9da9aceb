"""Bootstrap intervals over sessions: the steps of one session are no independent measurements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

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
    sessions = _by_session(rows)
    whole = measure(rows)
    drawn = [measure(one) for (one,) in _drawn([sessions], samples)]
    return {name: _interval(whole[name], [one[name] for one in drawn]) for name in whole}


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
    one, other = _by_session(before), _by_session(after)
    if one.keys() != other.keys():
        raise ValueError("the rows are of different sessions")
    first, second = measure(before), measure(after)
    drawn = [(measure(a), measure(b)) for a, b in _drawn([one, other], samples)]
    return {
        name: _interval(second[name] - first[name], [b[name] - a[name] for a, b in drawn])
        for name in first
    }


def _by_session(rows: Sequence[Row]) -> dict[int, list[Row]]:
    sessions: dict[int, list[Row]] = {}
    for row in rows:
        sessions.setdefault(row.session, []).append(row)
    return dict(sorted(sessions.items()))


def _drawn(
    evaluations: Sequence[Mapping[int, list[Row]]], samples: int
) -> Iterator[list[list[Row]]]:
    """Draw as many sessions as there are with repetition, the same of each evaluation."""
    names = list(evaluations[0])
    generator = np.random.default_rng(0)

    for _ in range(samples):
        chosen = [names[index] for index in generator.integers(len(names), size=len(names))]
        yield [[row for name in chosen for row in one[name]] for one in evaluations]


def _interval(value: float, drawn: Sequence[float]) -> Interval:
    low, high = np.percentile(drawn, _PERCENTILES).tolist()
    return Interval(value, low, high)
