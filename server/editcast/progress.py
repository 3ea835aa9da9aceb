"""How far a training is: a bar on a terminal, a line for each evaluation anywhere else.

The server reads the lines and shows the first percentage in each as the work's progress.
"""

import sys
import time
from types import TracebackType
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from editcast.render_diff import plain


class TrainingProgress:
    """Shows what `trainer.train` tells; a context, so that the bar is cleared away."""

    def __init__(self) -> None:
        self._share = 0.0
        self._began: tuple[float, float] | None = None  # time and share at the first step
        self._loss = ""
        self._dev = ""
        self._bar: Progress | None = None
        if sys.stdout.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("{task.fields[said]}"),
                console=Console(),
            )
            self._task = self._bar.add_task("Training", total=1.0, said="", visible=False)

    def __enter__(self) -> "TrainingProgress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def say(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        if self._bar:
            self._bar.console.print(plain(sentence))
        else:
            click.echo(sentence)

    def tell(self, line: dict[str, Any]) -> None:
        """Show a step, an evaluation or a message of the trainer."""
        if "message" in line:
            self.say(line["message"])
        elif "dev" in line:
            dev = line["dev"]
            self._dev = f"{dev['both']:.1f} % of held-out edits right, their loss {dev['loss']:.2f}"
            if not self._bar:
                self.say(f"{self._percent()}, step {line['step']}: {self._dev}{self._left()}")
        else:
            self._share = min(line["share"], 1.0)
            if self._began is None:
                self._began = time.monotonic(), self._share
            self._loss = f"loss {line['loss']:.2f}"
        if self._bar:
            said = ", ".join(filter(None, (self._loss, self._dev))) + self._left()
            self._bar.update(self._task, completed=self._share, said=said, visible=True)

    def _percent(self) -> str:
        return f"{100 * self._share:.0f} %"

    def _left(self) -> str:
        """At most so long: it may stop early."""
        if self._began is None or self._share <= self._began[1]:
            return ""
        began, share = self._began
        seconds = (time.monotonic() - began) * (1 - self._share) / (self._share - share)
        return f", {seconds / 60:.0f} min left" if seconds >= 60 else f", {seconds:.0f} s left"
