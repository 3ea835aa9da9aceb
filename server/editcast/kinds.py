"""Kinds of values of options: paths, and numbers with limits, never infinity or NaN."""

import math
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
OLD_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


class _Limited:
    """A number whose limits are named if a value is outside, and are left out of the help."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a value to a number."""
        try:
            number = super().convert(value, param, ctx)  # type: ignore[misc]
        except click.BadParameter:
            number = math.nan
        if math.isnan(number):  # which passes comparisons
            limits: Any = self
            kind = "a whole number" if isinstance(self, click.IntRange) else "a number"
            least = "above" if limits.min_open else "from"
            message = f"{value!r} is not {kind} {least} {limits.min:,} to {limits.max:,}."
            raise click.BadParameter(message, ctx, param)
        return number

    def _describe_range(self) -> str:
        return ""


class Whole(_Limited, click.IntRange):
    """A whole number."""


class Finite(_Limited, click.FloatRange):
    """A number above 0 and at most `largest`."""

    def __init__(self, largest: float) -> None:
        super().__init__(0, largest, min_open=True)


#: At most the largest seed that torch accepts after multiplication by a step.
SEED = Whole(0, 2**31 - 1)
STEPS = Whole(1, 10**9)
#: Subtokens: fewer are too few to learn from, and no file has more.
MAX_STATE = Whole(64, 10**6)
#: The subtokens of a batch; fewer are hardly one instance.
SUBTOKENS = Whole(500, 10**7)
PROCESSES = Whole(1, 61)  # the limit on Windows
WORKERS = Whole(1, 4096)
THREADS = Whole(1, 1024)
#: At most a year.
MINUTES = Finite(366 * 24 * 60)
GIBIBYTES = Finite(1024)
