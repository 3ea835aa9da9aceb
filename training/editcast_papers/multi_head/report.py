"""REPORT.md from the lines of results alone: the papers beside what was run."""

from collections.abc import Sequence
from pathlib import Path

from editcast_papers.multi_head.runs import Run


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write."""
    return folder / "REPORT.md"
