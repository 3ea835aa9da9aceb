"""An evaluation: every step of replayed sessions scored, what it sums up to, where it was measured.

As JSON the steps are the only truth; the summaries beside them are for readers and are computed
again when the file is read.
"""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from editcast_model.errors import ReportError, SourceError
from editcast_model.forecasting.interface import OtherSave, Prediction
from editcast_model.private_files import private_folder, write_text
from editcast_training.disk import explained
from editcast_training.evaluation.intervals import Interval, grouped, intervals
from editcast_training.evaluation.metrics import (
    PRECISIONS,
    Outcome,
    Score,
    coverage_at,
    curve,
    expected_calibration_error,
    score_over_time,
)
from editcast_training.evaluation.sessions import EditingSession

FORMAT = 1
_PERCENTILES = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
_PACKAGES = "editcast numpy onnxruntime-gpu onnxruntime rapidfuzz tokenizers torch".split()


@dataclass(frozen=True, slots=True)
class Row:
    """One step: the best suggestion made there, if any, and its score.

    Attributes:
        session: Number of the session within the evaluation.
        step: Number of the step within the session, from 1; 0 when the file was just opened.
        milliseconds: From the save to the answer.
        confidence: Of the suggestion; None if there was none, like the next two.
        log_probability: Natural, joint; 0.0 without a model.
    """

    project: str
    path: str
    language: str
    kind: str
    session: int
    step: int
    milliseconds: float
    confidence: float | None = None
    log_probability: float | None = None
    score: Score | None = None

    @classmethod
    def of(cls, session: EditingSession, number: int, step: int, milliseconds: float) -> "Row":
        """Begin the row of a step, at which nothing is suggested yet."""
        about = (session.project, session.path, session.language, session.kind)
        return cls(*about, number, step, round(milliseconds, 3))


def outcomes(rows: Iterable[Row]) -> list[Outcome]:
    """Return the confidence and cleanness of the suggestions in the rows."""
    return [
        Outcome(row.confidence, row.score.clean)
        for row in rows
        if row.confidence is not None and row.score is not None
    ]


def summarize(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the summary of at least one row.

    Returns:
        By name, how many sessions and steps there were. Of all steps, the shares with a suggestion
        (shown), with a clean one (clean), with one that is a remaining hunk, whole (exact), and
        with one that touches a line that is yet to change (located). The share of the suggestions
        that are clean (clean_of_shown), and their mean gain. The largest coverage at which a
        precision ("0.7") is still reached, the expected calibration error of confidence against
        clean, and "p50", "p95", "p99" and "max" of the milliseconds from the save to the answer.
    """
    scores = [row.score for row in rows if row.score is not None]
    steps, shown = len(rows), max(len(scores), 1)
    clean = sum(score.clean for score in scores)
    known = outcomes(rows)
    points = curve(known, steps)
    times = np.percentile([row.milliseconds for row in rows], list(_PERCENTILES.values()))
    return {
        "sessions": len({row.session for row in rows}),
        "steps": steps,
        "shown": len(scores) / steps,
        "clean_of_shown": clean / shown,
        "clean": clean / steps,
        "exact": sum(score.exact for score in scores) / steps,
        "located": sum(score.located for score in scores) / steps,
        "gain": sum(score.gain for score in scores) / shown,
        "coverage": {str(precision): coverage_at(points, precision) for precision in PRECISIONS},
        "calibration_error": expected_calibration_error(known),
        "milliseconds": dict(zip(_PERCENTILES, times.tolist(), strict=True)),
    }


def by_kind(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Summarize the rows of each kind of session, as a bundle's card says it."""
    return {kind: summarize(own) for kind, own in grouped(rows, "kind").items()}


def shares(rows: Sequence[Row], threshold: float) -> dict[str, float]:
    """Measure what is compared with intervals, of at least one row.

    Returns:
        By name, shares of all steps: exact; located; the most that can be shown when 50 and 80 % of
        it are to be clean; and shown at this threshold. And of these, the share that is clean, and
        that is clean towards one of the next ten saved texts.
    """
    scores = [row.score for row in rows if row.score is not None]
    known = outcomes(rows)
    points = curve(known, len(rows))
    shown = [row.score for row in rows if row.score and (row.confidence or 0.0) >= threshold]
    return {
        "exact": sum(score.exact for score in scores) / len(rows),
        "located": sum(score.located for score in scores) / len(rows),
        "50 %": coverage_at(points, 0.5),
        "80 %": coverage_at(points, 0.8),
        "shown": len(shown) / len(rows),
        "clean of shown": sum(score.clean for score in shown) / max(len(shown), 1),
        "made later": sum(score.later for score in shown) / max(len(shown), 1),
    }


def versions() -> dict[str, str]:
    """Find the versions of Python and of the packages that matter."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def hardware(device: str) -> dict[str, str]:
    """Describe this machine; `device` is what the model ran on."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux: the cores this process may use
    return {
        "processor": processor(),
        "cores": str(len(affinity(0)) if affinity else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "device": device,
    }


def processor() -> str:
    """Find the name of the processor of this machine."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


class Suggester(Protocol):
    """Subject of an evaluation: a file is opened and saved, and a suggestion asked for.

    It is the language server behind its client, or a forecaster in this process.
    """

    name: str

    def open(self, text: str, language: str) -> None:
        """Begin a session on a new file in a new project."""

    def add_other_save(self, other: OtherSave) -> None:
        """Take in a save of another file of the project; the next answer is timed from here."""

    def save(self, text: str) -> None:
        """Take in a save of the file."""

    def suggest(self) -> tuple[Prediction | None, float]:
        """Return the best suggestion, however unsure, and the milliseconds from the save to it."""


def replay(suggester: Suggester, sessions: Iterable[EditingSession]) -> Iterator[Row]:
    """Replay the sessions and score the best suggestion of every step, as it is made."""
    for number, session in enumerate(sessions):
        suggester.open(session.texts[0], session.language)
        for index, step in session.replay(suggester.save, suggester.add_other_save):
            best, milliseconds = suggester.suggest()
            row = Row.of(session, number, index, milliseconds)
            if best:
                row = replace(
                    row,
                    confidence=best.confidence,
                    log_probability=best.log_probability,
                    score=score_over_time(best.hunk, step),
                )
            yield row


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of replaying sessions with the suggestions of a model.

    Attributes:
        source: What was replayed, in words.
        date: When, ISO 8601, UTC.
    """

    name: str
    source: str
    command: str
    hardware: Mapping[str, str]
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: Mapping[str, str] = field(default_factory=versions)

    def measured(self) -> dict[str, Any]:
        """Return what was measured, for JSON."""
        raise NotImplementedError

    @explained(ReportError)
    def write(self, path: Path) -> None:
        """Write the result as JSON, into a folder that is made if needed.

        Raises:
            ReportError: It cannot be written there.
        """
        about = {one.name: getattr(self, one.name) for one in fields(Result)}
        document = {"format": FORMAT, **about, **self.measured()}
        private_folder(path.parent)
        write_text(path, json.dumps(document, separators=(",", ":")) + "\n")


@dataclass(frozen=True, kw_only=True)
class Evaluation(Result):
    """A whole evaluation.

    Attributes:
        rows: Every step, in the order of replay.
        tokens: Teacher-forced accuracy, as `TokenScores.shares` gives it; empty if not measured.
        threshold: The least confidence that is shown by default.
    """

    rows: tuple[Row, ...]
    tokens: Mapping[str, float] = field(default_factory=dict)
    threshold: float = 0.5

    @cached_property
    def kinds(self) -> dict[str, list[Row]]:
        """Return the rows by the kind of their session; commits and saves are never averaged."""
        return grouped(self.rows, "kind")

    def intervals(self, kind: str) -> dict[str, Interval]:
        """Measure the rows of one kind: `shares` with 95 % intervals over the sessions."""
        return intervals(self.kinds[kind], lambda rows: shares(rows, self.threshold))

    def measured(self) -> dict[str, Any]:
        """Return the rows, and summaries of them for readers."""
        return {
            "tokens": self.tokens,
            "threshold": self.threshold,
            "intervals": {kind: self.intervals(kind) for kind in self.kinds},
            "summary": {
                kind: {
                    "total": summarize(rows),
                    "projects": {
                        name: summarize(own) for name, own in grouped(rows, "project").items()
                    },
                }
                for kind, rows in self.kinds.items()
            },
            "columns": [*_PLAIN, *(each.name for each in fields(Score))],
            "rows": [[*plain, *(score or ())] for *plain, score in map(astuple, self.rows)],
        }

    @classmethod
    def read(cls, path: Path) -> "Evaluation":
        """Read what `write` wrote.

        Raises:
            SourceError: The file is missing, no result of an evaluation, or of another format.
        """
        try:
            document = json.loads(path.read_text("utf-8"))
            if document["format"] != FORMAT:
                raise SourceError(
                    f"{path} is a result of format {document['format']}, this version of Editcast "
                    f"reads format {FORMAT}; evaluate again."
                )
            document["rows"] = tuple(_row(cells) for cells in document["rows"])
            document.setdefault("threshold", 0.5)  # results from before it was kept
            return cls(**{one.name: document[one.name] for one in fields(cls)})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SourceError(
                f"{path} is not a result of editcast evaluate ({type(error).__name__}: {error}); "
                "name the JSON file that it wrote."
            ) from error


_PLAIN = [each.name for each in fields(Row)][:-1]  # but the score


def _row(cells: list[Any]) -> Row:
    plain, score = cells[: len(_PLAIN)], cells[len(_PLAIN) :]
    return replace(Row(*plain), score=Score(*score) if score else None)
