"""Progress of a training, as a bar on a terminal, as sentences, or as JSON lines for a program.

A JSON line is an object with a `type` and a `text` for the user:

    {"type": "stage", "text": ...}                                a new stage, or a problem
    {"type": "step", "text": ..., "share": 0 to 1, "step": N}     at most one for each per cent
    {"type": "evaluation", "text": ..., "share": ..., "step": N}
    {"type": "unchanged", "text": ...}                            the new model is not better
    {"type": "comparison", "text": ..., "page": PATH}             with the old model, in Markdown
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from editcast.render_diff import plain


class TrainingProgress:
    """The display of a training's progress; a context manager, which removes the bar.

    Args:
        as_json: Whether to print JSON lines.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._share = 0.0
        self._began: tuple[float, float] | None = None  # time and share at the first step
        self._loss = ""
        self._dev = ""
        self._bar: Progress | None = None
        if sys.stdout.isatty() and not as_json:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("{task.fields[details]}"),
                console=Console(),
            )
            self._task = self._bar.add_task("Training", total=1.0, details="", visible=False)

    def __enter__(self) -> "TrainingProgress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.stop()

    def stage(self, sentence: str) -> None:
        """Show a new stage, or a problem."""
        self._print("stage", sentence)

    def unchanged(self, sentence: str) -> None:
        """Show that the new model is not better than the old one."""
        self._print("unchanged", sentence)

    def comparison(self, sentence: str, page: Path) -> None:
        """Show what changes for the user, and where the comparison is."""
        self._print("comparison", sentence, page=str(page))
        if not self._as_json:
            self.stage(f"The comparison is in {page}.")

    def line(self, line: dict[str, Any]) -> None:
        """Show a step, an evaluation or a message from the trainer."""
        if "message" in line:
            self.stage(line["message"])
        elif "dev" in line:
            dev = line["dev"]
            self._dev = f"{dev['both']:.1f} % of held-out edits right, their loss {dev['loss']:.2f}"
            if not self._bar:
                text = f"{self._percent}, step {line['step']}: {self._dev}{self._left}"
                self._print("evaluation", text, share=self._share, step=line["step"])
        else:
            before, self._share = self._percent, min(line["share"], 1.0)
            if self._began is None:
                self._began = time.monotonic(), self._share
            self._loss = f"loss {line['loss']:.2f}"
            if self._as_json and self._percent != before:
                text = f"{self._percent}, step {line['step']}: {self._details}"
                self._print("step", text, share=self._share, step=line["step"])
        if self._bar:
            self._bar.update(self._task, completed=self._share, details=self._details, visible=True)

    def _print(self, kind: str, text: str, **fields: float | str) -> None:
        if self._as_json:
            click.echo(json.dumps({"type": kind, "text": text, **fields}))
        elif self._bar:
            self._bar.console.print(plain(text))  # above the bar
        else:
            click.echo(text)

    @property
    def _details(self) -> str:
        return ", ".join(filter(None, (self._loss, self._dev))) + self._left

    @property
    def _percent(self) -> str:
        return f"{100 * self._share:.0f} %"

    @property
    def _left(self) -> str:
        """Format the maximum time left; training may stop early."""
        if self._began is None or not self._began[1] < self._share < 1:
            return ""
        began, share = self._began
        seconds = (time.monotonic() - began) * (1 - self._share) / (self._share - share)
        return f", {time_left(seconds)}"


def time_left(seconds: float) -> str:
    """Format the time left."""
    return f"{seconds / 60:.0f} min left" if seconds >= 60 else f"{seconds:.0f} s left"
