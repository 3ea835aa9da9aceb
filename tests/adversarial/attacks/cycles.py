"""Saves and predictions, again and again in one server: its memory must not grow.

A round is one cycle: a change, a save, and an answer to `editcast/nextEdit`. Whoever edits for days
opens and closes files, so some of the files are others after a while.
"""

import statistics
import tempfile
import time
from collections import deque
from pathlib import Path

from attacks.editor import Editor, HungError
from attacks.figures import Figures, Finding, Limit

FILES = 8
LINES = 80
SETTLED_AFTER = 0.3  # of the cycles: until then caches fill
MOST_GROWTH = 0.1  # from there to the end
_MEASURED = (100, 300, 1_000, 3_000, 10_000, 30_000)


def attack(limit: Limit, seed: int, *, settings: dict[str, object] | None = None) -> Figures:
    """Edit, save and ask with the bundled model; megabytes are kept as they go."""
    figures = Figures()
    memory: list[float] = []
    times: deque[float] = deque(maxlen=2_000)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Editor(home, {"modelPath": "", "confidenceThreshold": 0} | (settings or {})) as editor:
            try:
                files = [_File(editor, home / f"{index}.py") for index in range(FILES)]
                for number, draw in limit.each(figures, seed):
                    if draw.random() < 0.01:
                        index = draw.randrange(FILES)
                        editor.close(files[index].path)
                        files[index] = _File(editor, home / f"{number}-{index}.py")
                    begun = time.monotonic()
                    draw.choice(files).edit(draw.randrange(LINES), draw.choice("xyz"))
                    times.append(time.monotonic() - begun)
                    memory.append(editor.memory())
                    figures.tried["cycles"] += 1
                    if number + 1 in _MEASURED:
                        figures.measured[f"MB after {number + 1:,} cycles"] = memory[-1]
                if editor.shutdown() or editor.stderr or "Traceback" in editor.logs:
                    what = f"exit code {editor.process.returncode}: {editor.stderr}{editor.logs}"
                    figures.findings.append(Finding(what, seed, len(memory)))
            except HungError as error:
                figures.findings.append(Finding(str(error), seed, len(memory)))
    if memory:
        figures.measured["MB at the end"] = memory[-1]
        figures.measured["ms a cycle, median of the last"] = 1000 * statistics.median(times)
        _judge(memory, seed, figures)
    return figures


def _judge(memory: list[float], seed: int, figures: Figures) -> None:
    """Compare the last tenth of the cycles with a tenth of them once caches are full."""
    tenth = max(1, len(memory) // 10)
    first = int(SETTLED_AFTER * len(memory))
    settled, end = (
        statistics.median(memory[first : first + tenth]),
        statistics.median(memory[-tenth:]),
    )
    figures.measured["growth, %"] = 100 * (end / settled - 1)
    if len(memory) >= 100 and end > settled * (1 + MOST_GROWTH):
        what = f"resident memory grew from {settled:.0f} to {end:.0f} MB in {len(memory):,} cycles"
        figures.findings.append(Finding(what, seed, len(memory)))


class _File:
    """A file whose lines change their names to and fro, so that it never grows."""

    def __init__(self, editor: Editor, path: Path) -> None:
        self.path = path
        self._editor = editor
        self._names = ["x"] * LINES
        self._version = 1
        editor.open(path, "".join(map(self._line, range(LINES))), "python")

    def edit(self, line: int, name: str) -> None:
        """Change a line, save, and ask what comes next."""
        place = {"line": line, "character": 6}
        end = {"line": line, "character": 7}
        self._names[line] = name
        self._version += 1
        change = {"range": {"start": place, "end": end}, "text": name}
        self._editor.change(self.path, self._version, [change])
        self._editor.save(self.path)
        answer = self._editor.next_edit(self.path)
        if "error" in answer or answer["result"] is None:
            raise HungError(f"no suggestions for a good file: {answer}")

    def _line(self, number: int) -> str:
        return f"part_({self._names[number]}, value_{number}, size={number % 7})\n"
