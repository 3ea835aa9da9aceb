"""The numbers that options take: every one has bounds, and none is infinite or no number."""

import math
from typing import Any

import click

#: Of everything that is drawn; 0 to what a seed of torch, multiplied by a step, still holds.
SEED = click.IntRange(0, 2**31 - 1)
STEPS = click.IntRange(1, 10**9)
#: Subtokens: of fewer nothing is learned, and no file that is read has more.
MAX_STATE = click.IntRange(64, 10**6)
PROCESSES = click.IntRange(1, 61)  # what Windows can wait for
WORKERS = click.IntRange(1, 4096)
THREADS = click.IntRange(1, 1024)


class Finite(click.FloatRange):
    """A number above 0, at most `largest`; `nan`, which is neither above nor below, is refused."""

    def __init__(self, largest: float) -> None:
        super().__init__(0, largest, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Convert a value to the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is no number in the range {self._describe_range()}.", param, ctx)
        return number


#: A year of them.
MINUTES = Finite(366 * 24 * 60)
