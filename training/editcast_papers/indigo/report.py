"""REPORT.md from the lines of results alone: the paper beside what was run."""

from collections.abc import Sequence
from pathlib import Path

from editcast_papers.indigo.runs import Run
from editcast_papers.markdown import write_page


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write it."""
    return write_page(folder, ["# Report"])
