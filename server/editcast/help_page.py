"""Help pages with the options in groups, and with whole sentences about the subcommands."""

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

import click

_GROUPS = {
    "Sources": "git saves local_history store repositories mirror workspaces without corpus",
    "Sample": "split commits held_out",
    "Model": "base further scratch tokenizer models device",
    "Length of the training": "steps minutes patience",
    "Several processes or machines": "processes ray workers batches sharded subtokens cache memory",
}
_GROUP_OF = {option: group for group, options in _GROUPS.items() for option in options.split()}


class Command(click.Command):
    """A command with many options.

    Args:
        examples: Command lines, and what they do.
        given: The rest, for click.
    """

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
