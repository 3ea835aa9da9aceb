"""Bootstrap intervals over sessions: the steps of one session are no independent measurements."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    sessions = grouped(rows, "session")
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
    one, other = grouped(before, "session"), grouped(after, "session")
    if one.keys() != other.keys():
        raise ValueError("the rows are of different sessions")
    first, second = measure(before), measure(after)
    drawn = [(measure(a), measure(b)) for a, b in _drawn([one, other], samples)]
    return {
        name: _interval(second[name] - first[name], [b[name] - a[name] for a, b in drawn])
        for name in first
    }


def grouped(rows: Iterable[Any], name: str) -> dict[Any, list[Any]]:
    """Group rows by one of their attributes, ascending."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, name)].append(row)
    return dict(sorted(groups.items()))


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
