"""Kinds of values of options, and of commands by their help pages.

Values are paths, and numbers with limits, never infinity or NaN.
"""

import math
from collections.abc import Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
OLD_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)

_GROUPS = {
    "Sources": "git saves local_history store repositories mirror workspaces without corpus",
    "Sample": "split commits held_out",
    "Model": "base further scratch tokenizer models device",
    "Length of the training": "steps minutes patience",
    "Several processes or machines": "processes ray workers batches sharded subtokens cache memory",
}
_GROUP_OF = {option: group for group, options in _GROUPS.items() for option in options.split()}


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


class Command(click.Command):
    """A command with many options, and examples: command lines, and what they do."""

    def __init__(self, *, examples: Mapping[str, str] | None = None, **given: Any) -> None:
        super().__init__(**given)
        self._examples = examples or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups, the rest at last."""
        rows: dict[str, list[tuple[str, str]]] = {name: [] for name in (*_GROUPS, "Options")}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record:
                rows[_GROUP_OF.get(option.name or "", "Options")].append(record)
        rows["Examples"] = list(self._examples.items())
        for group, records in rows.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


class Group(click.Group):
    """A group whose subcommands are described by their first paragraph."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the subcommands and what they do."""
        rows = [
            (name, " ".join(cleandoc(one.help or "").partition("\n\n")[0].split()))
            for name, one in sorted(self.commands.items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
