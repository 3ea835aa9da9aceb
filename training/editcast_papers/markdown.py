"""Reports in Markdown, and their tables."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, stdev

from editcast_model.errors import ReproductionError
from editcast_training.disk import explained
from editcast_training.evaluation.intervals import Interval

NOT_RUN = "not run"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; all columns but the first are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def in_words(values: Sequence[float], digits: int = 1) -> str:
    """Return the mean of the values of several seeds, with their standard deviation."""
    if not values:
        return NOT_RUN
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"


def gap_in_words(gap: Interval | None, digits: int = 1) -> str:
    """Return a difference with its interval."""
    if gap is None:
        return NOT_RUN
    return "{:+.{n}f} [{:+.{n}f}, {:+.{n}f}]".format(*gap, n=digits)


def page_head(lines: Sequence[str], runs: Sequence[object], problems: Sequence[str]) -> str:
    """Return what a page begins with, and what is missing: runs, and lines that are none."""
    said = [*lines] if runs else [*lines, "", "There are no runs yet."]
    if problems:
        said += ["", "Skipped:", "", *(f"- {problem}" for problem in problems)]
    return "\n".join(said)


@explained(ReproductionError)
def write_page(folder: Path, parts: Sequence[str]) -> Path:
    """Write `REPORT.md` from its parts, then `NOTES.md` if that is there; returns its path.

    Raises:
        ReproductionError: The folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    notes = folder / "NOTES.md"
    written = [notes.read_text("utf-8").strip()] if notes.exists() else []
    page = folder / "REPORT.md"
    page.write_text("\n\n".join([*parts, *written]) + "\n", "utf-8")
    return page
