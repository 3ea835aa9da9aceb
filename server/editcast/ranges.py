"""Ranges of numeric options; infinity and NaN are never allowed."""

import math
from typing import Any

import click

#: Up to the largest seed that torch accepts after multiplication by a step.
SEED = click.IntRange(0, 2**31 - 1)
STEPS = click.IntRange(1, 10**9)
#: Subtokens: fewer are too few to learn from, and no file has more.
MAX_STATE = click.IntRange(64, 10**6)
#: Of a batch: at least the trainer's least, below which it is hardly an instance.
SUBTOKENS = click.IntRange(500, 10**7)
PROCESSES = click.IntRange(1, 61)  # the limit on Windows
WORKERS = click.IntRange(1, 4096)
THREADS = click.IntRange(1, 1024)


class Finite(click.FloatRange):
    """A number above 0 and at most `largest`, but not NaN, which passes comparisons."""

    def __init__(self, largest: float) -> None:
        super().__init__(0, largest, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Convert a value to a number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number in the range {self._describe_range()}.", param, ctx)
        return number


#: At most a year.
MINUTES = Finite(366 * 24 * 60)
GIBIBYTES = Finite(1024)
