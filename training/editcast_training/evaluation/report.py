"""Evaluations side by side: one page of HTML with everything in it, and its pictures as PNG."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from editcast_model.errors import ReportError, SourceError
from editcast_model.private_files import atomic_write, private_folder, write_text
from editcast_training.disk import explained
from editcast_training.evaluation.metrics import PRECISIONS, curve, precision_at
from editcast_training.evaluation.plots import Series, plot_calibration, plot_curves
from editcast_training.evaluation.results import Evaluation, Summary, outcomes, summarize

_TEMPLATE = Path(__file__).with_name("templates") / "report.html"
_KINDS = {
    "commits": "Commits, replayed hunk by hunk",
    "project-commits": "Commits, after the project's other files were saved",
    "project-saves": "Real saves, among those of the project's other files",
    "saves": "Real saves",
}


@explained(ReportError)
def write_report(evaluations: Sequence[Evaluation], folder: Path) -> Path:
    """Write report.html and its pictures into `folder`, and return the page's path.

    The order of the evaluations is kept. The pictures are named after the kind of sessions, such
    as commits-curve.png and commits-calibration.png.

    Raises:
        SourceError: There is no evaluation, one has no steps, or two have the same name.
        ReportError: The folder cannot be written to.
    """
    names = [evaluation.name for evaluation in evaluations]
    if not names or not all(evaluation.rows for evaluation in evaluations):
        raise SourceError("There is nothing to report: evaluate on a history with more saves.")
    if len(set(names)) < len(names):
        raise SourceError(
            f"Two results have the same name ({', '.join(names)}); compare different models."
        )
    private_folder(folder)
    kinds = sorted({kind for evaluation in evaluations for kind in evaluation.kinds})
    parts = [_part(kind, [e for e in evaluations if kind in e.kinds], folder) for kind in kinds]
    page = folder / "report.html"
    write_text(page, _render(evaluations, parts))
    return page


def _part(kind: str, evaluations: Sequence[Evaluation], folder: Path) -> dict[str, Any]:
    """Make the section of one kind of sessions: what its tables and pictures show."""
    rows = {evaluation.name: evaluation.of_kind(kind) for evaluation in evaluations}
    summaries = {name: summarize(own) for name, own in rows.items()}
    series: Series = {name: (outcomes(own), len(own)) for name, own in rows.items()}
    points = {name: curve(known, steps) for name, (known, steps) in series.items()}
    projects: dict[str, dict[str, Summary]] = {}
    for evaluation in evaluations:
        for project, own in evaluation.projects(kind).items():
            projects.setdefault(project, {})[evaluation.name] = summarize(own)
    rivals = {name: found.shown for name, found in summaries.items()}
    return {
        "title": _KINDS.get(kind, kind),
        "lines": summaries,
        "rivals": rivals,
        # By evaluation, its clean precision at each rival's coverage, if it gets there.
        "precisions": {
            name: [precision_at(own, shown) if shown else None for shown in rivals.values()]
            for name, own in points.items()
        },
        "projects": sorted(projects.items()),
        "curves": _picture(folder / f"{kind}-curve.png", plot_curves(series)),
        "calibration": _picture(folder / f"{kind}-calibration.png", plot_calibration(series)),
    }


def _picture(path: Path, png: bytes) -> str:
    with atomic_write(path) as partial:
        partial.write_bytes(png)
    return "data:image/png;base64," + b64encode(png).decode("ascii")


def _render(evaluations: Sequence[Evaluation], parts: Sequence[dict[str, Any]]) -> str:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.1f}"
    environment.filters["signed"] = lambda number: f"{number:+.2f}"
    environment.filters["number"] = lambda number: f"{number:.1f}"
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    return template.render(
        evaluations=evaluations,
        parts=parts,
        precisions=[(str(precision), f"{precision:.0%}") for precision in PRECISIONS],
        measured_tokens=any(evaluation.tokens for evaluation in evaluations),
    )
