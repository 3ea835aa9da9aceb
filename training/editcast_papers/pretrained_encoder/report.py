"""REPORT.md from the lines of results alone: the thesis beside what was run."""

from collections.abc import Sequence
from pathlib import Path

from editcast_papers.markdown import write_page
from editcast_papers.pretrained_encoder.pretraining import Pretraining
from editcast_papers.pretrained_encoder.runs import Run


def write_report(
    runs: Sequence[Run], before: Sequence[Pretraining], problems: Sequence[str], folder: Path
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return write_page(folder, [str([(r.model, r.test_accuracy) for r in runs])])
