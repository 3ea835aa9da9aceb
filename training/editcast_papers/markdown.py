"""Reports in Markdown, and their tables."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; all columns but the first are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_page(folder: Path, parts: Sequence[str]) -> Path:
    """Write `REPORT.md` from its parts, then `NOTES.md` if that is there; returns its path."""
    notes = folder / "NOTES.md"
    written = [notes.read_text("utf-8").strip()] if notes.exists() else []
    page = folder / "REPORT.md"
    page.write_text("\n\n".join([*parts, *written]) + "\n", "utf-8")
    return page
