"""Commands that work for long: stopped, or come upon the unexpected, they end in a sentence.

What they print is shown by editors and kept in logs. So of an exception that nobody expected its
message is left out, which may quote the user's files.
"""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import IO, Any

import click

from editcast_model.errors import EditcastError
from editcast_training.interrupts import Interrupted, interruptible

_SIGNALLED = 128  # plus the signal's number: how shells count


class EndError(click.ClickException):
    """A sentence on stderr, and an exit code; 1 when nothing was done, and nothing is broken."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.__dict__["exit_code"] = code  # click declares it for the class

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence alone, without the word error."""
        click.echo(self.message, file=file, err=True)


def guarded(stopped: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command end in a sentence.

    Args:
        stopped: What is said after Ctrl-C or SIGTERM.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                with interruptible():
                    command(*args, **kwargs)
            except Interrupted as stop:
                raise EndError(stopped, _SIGNALLED + stop.signal) from stop
            except (EditcastError, click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except ModuleNotFoundError:  # the training side is not installed, which is said
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
