"""The command `editcast`, also `python -m editcast`, with the subcommands of both sides."""

import importlib
import os
import sys
from difflib import get_close_matches

import click

from editcast.printable import printable
from editcast_model.errors import BusyError, EditcastError

# Each command is imported only when it is called: `serve` must start within a second, and the
# training side may not be installed.
_GROUPS = {
    "With your editor": {
        "serve": ("serve", "Run the language server for an editor."),
        "demo": ("demo", "Replay a recorded session and predict its next edits."),
        "history": ("history", "List, show, count, export and delete recorded saves."),
        "report": ("doctor", "Write a page about the outcomes of suggestions."),
        "doctor": ("doctor", "Report versions, the model in use and the folders."),
    },
    "Your own model, and your team's": {
        "train": ("train", "Train a model on your own history, or on a corpus."),
        "evaluate": ("evaluate", "Replay a history and measure the suggestions."),
        "corpus": ("corpus", "Read repositories and saves into a corpus, to train on."),
        "model": ("model", "Publish a model for your team, or install the team's."),
    },
    "For researchers": {
        "calibrate": ("calibrate", "Fit a model's confidence on histories that it has not seen."),
        "export": ("train", "Make a bundle, a model's folder, from a checkpoint."),
        "reproduce": ("reproduce", "Reproduce a paper's tables and figures."),
    },
}
_COMMANDS = {name: module for group in _GROUPS.values() for name, (module, _) in group.items()}
_NEEDED = {
    "the training side: pip install 'editcast[train]'": "joblib onnx onnxscript pyarrow pygit2 "
    "sklearn torch",
    "Ray: pip install 'editcast[train,cluster]'": "ray",
    "a clone of Editcast's repository: pip install -e '.[train,papers]'": "editcast_papers "
    "matplotlib sacrebleu",
}


class _Commands(click.Group):
    """A group that imports a command when it is called, and lists the commands without imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            alike = get_close_matches(cmd_name, _COMMANDS, 1)
            if alike and not ctx.resilient_parsing:
                ctx.fail(f"No such command '{cmd_name}'. Did you mean '{alike[0]}'?")
            return None
        module = importlib.import_module(f"editcast.commands.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, help) for name, (_, help) in commands.items()])


@click.command(cls=_Commands, context_settings={"show_default": True})
@click.version_option(package_name="editcast")
def cli() -> None:
    """Forecasts a programmer's next edit, on the programmer's own machine."""


def main(recipe: object = None) -> None:
    """Run the command line; expected errors print one line to stderr and exit with code 2.

    `recipe` is an `editcast_training.pipeline.Recipe` for trainings, instead of the default one.

    Exit code 1 means that there was nothing to do, that another process is doing it, or that
    Editcast has a defect. Codes 130 and 143 mean that Ctrl-C or SIGTERM ended a command that can be
    resumed.
    """
    # Workers inherit this: no Python may import modules from the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    os.umask(0o077)  # for partial files of a killed command
    try:
        cli(prog_name="editcast", obj=recipe)
    except EditcastError as error:
        click.echo(printable(str(error)), err=True)
        sys.exit(1 if isinstance(error, BusyError) else 2)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        needed = [one for one, modules in _NEEDED.items() if missing in modules.split()]
        if not needed:
            raise
        click.echo(f"This command needs {needed[0]}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
