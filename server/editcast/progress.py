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
from typing import Any

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Column

from editcast.printable import printable
from editcast.render_diff import plain


class TrainingProgress:
    """The display of a training's progress; a context manager, which removes the bar."""

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._share = 0.0
        self._began: tuple[float, float] | None = None  # time and share at the first step
        self._loss = ""
        self._dev = ""
        self._bar: Progress | None = None
        if sys.stdout.isatty() and not as_json:
            end = Column(ratio=1, no_wrap=True)  # which a narrow terminal cuts
            details = TextColumn("{task.description}", table_column=end)
            self._bar = Progress(BarColumn(20), TaskProgressColumn(), details, expand=True)
            self._task = self._bar.add_task("", total=1.0, visible=False)

    def __enter__(self) -> "TrainingProgress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.stop()

    def stage(self, sentence: str, kind: str = "stage", **fields: float | str) -> None:
        """Show a new stage, a problem or a result."""
        if self._as_json:
            click.echo(json.dumps({"type": kind, "text": sentence, **fields}))
        elif self._bar:
            self._bar.update(self._task, visible=0 < self._share < 1)
            self._bar.console.print(plain(sentence), soft_wrap=True)  # above the bar
        else:
            click.echo(printable(sentence))
        if "page" in fields and not self._as_json:
            self.stage(f"The comparison is in {fields['page']}.")

    def line(self, line: dict[str, Any]) -> None:
        """Show a step, an evaluation or a message from the trainer."""
        if "message" in line:
            self.stage(line["message"])
        elif "dev" in line:
            dev = line["dev"]
            self._dev = f"{dev['both']:.1f} % of held-out edits right, their loss {dev['loss']:.2f}"
            self._show("evaluation", line["step"], is_wanted=not self._bar)
        else:
            before, self._share = self._percent, min(line["share"], 1.0)
            if self._began is None:
                self._began = time.monotonic(), self._share
            self._loss = f"loss {line['loss']:.2f}"
            self._show("step", line["step"], is_wanted=self._as_json and self._percent != before)

    def _show(self, kind: str, step: int, *, is_wanted: bool) -> None:
        said = ", ".join(filter(None, (self._left, self._loss, self._dev)))
        if self._bar:
            self._bar.update(self._task, completed=self._share, description=said, visible=True)
        if is_wanted:
            self.stage(f"{self._percent}, step {step}: {said}", kind, share=self._share, step=step)

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
        return time_left(seconds)


def time_left(seconds: float) -> str:
    """Format the time left."""
    return f"{seconds / 60:.0f} min left" if seconds >= 60 else f"{seconds:.0f} s left"
