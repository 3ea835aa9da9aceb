"""A decorator that ends long-running commands with a sentence if they are stopped or fail.

Their output is shown by editors and kept in logs. So the message of an unexpected exception is left
out, since it may quote the user's files.
"""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import IO, Any

import click

from editcast_model.errors import EditcastError
from editcast_training.interrupts import Interrupted, interruptible

# `main` reports these, such as a missing training side.
_EXPECTED = (
    *(EditcastError, ModuleNotFoundError),
    *(click.ClickException, click.exceptions.Exit, click.Abort),
)
_SIGNALLED = 128  # plus the signal's number, as in shells


class EndError(click.ClickException):
    """An error with a sentence for stderr and an exit code; 1 means that nothing was done."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.__dict__["exit_code"] = code  # click declares it for the class

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence without a prefix."""
        click.echo(self.message, file=file, err=True)


def guarded(stopped: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command end with a sentence; `stopped` is the one after Ctrl-C or SIGTERM."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                with interruptible():
                    command(*args, **kwargs)
            except Interrupted as stop:
                raise EndError(stopped, _SIGNALLED + stop.signal) from stop
            except _EXPECTED:
                raise
            except Exception as error:
                raise EndError(_unexpected(error)) from error

        return run

    return decorate


def _unexpected(error: Exception) -> str:
    """Describe an exception by its place and type, without its message."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return (
        f"{frames}Editcast has a defect here ({type(error).__name__}); please report these lines."
    )
