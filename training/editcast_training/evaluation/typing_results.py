"""The measures of a replay of typed sessions, by kind and level, with intervals over sessions."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from editcast_model.errors import ReportError
from editcast_model.private_files import private_folder, write_text
from editcast_training.disk import explained
from editcast_training.evaluation.intervals import Interval, intervals
from editcast_training.evaluation.results import versions
from editcast_training.evaluation.typing_replay import Tally, TypingRow

FORMAT = 1
#: When something is offered, and the tallies of a row that this takes in.
WHEN = {
    "on save": ("on_save",),
    "typing": ("while_typing",),
    "both": ("on_save", "while_typing"),
}
MEASURES = ("offers", "taken", "spared")


def measured(rows: Sequence[TypingRow]) -> dict[str, float]:
    """Measure rows of one kind and level, at least one.

    Returns:
        By when and what, as in "on save: offers", in per cent: offers for a hundred actions; how
        many of the offers were taken; and of all the characters to type those that were spared by
        offers, less one for each that was taken.
    """
    characters = max(1, sum(row.characters for row in rows))
    out: dict[str, float] = {}
    for when, names in WHEN.items():
        total = added(getattr(row, name) for row in rows for name in names)
        out[f"{when}: offers"] = 100 * total.offers / max(1, total.actions)
        out[f"{when}: taken"] = 100 * total.taken / max(1, total.offers)
        out[f"{when}: spared"] = 100 * (total.spared - total.taken) / characters
    return out


def added(tallies: Iterable[Tally]) -> Tally:
    """Add tallies up."""
    total = Tally()
    for one in tallies:
        total.actions += one.actions
        total.offers += one.offers
        total.taken += one.taken
        total.spared += one.spared
    return total


@dataclass(frozen=True)
class TypingEvaluation:
    """The result of typing sessions with the offers of a model.

    Attributes:
        rows: One a session and level, in the order of replay.
        thresholds: The least confidence of what is offered, by the level.
        source: What was replayed, in words.
        hardware: Processor, cores, system, and what the model ran on.
        date: When, ISO 8601, UTC.
    """

    name: str
    rows: tuple[TypingRow, ...]
    thresholds: Mapping[str, float]
    source: str
    command: str
    hardware: Mapping[str, str]
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: Mapping[str, str] = field(default_factory=versions)

    def of(self, kind: str, level: str) -> list[TypingRow]:
        """Return the rows of one kind of session and one level."""
        return [row for row in self.rows if (row.kind, row.level) == (kind, level)]

    @cached_property
    def intervals(self) -> dict[str, dict[str, dict[str, Interval]]]:
        """Measure by kind and level, with 95 % intervals over the sessions.

        The same sessions are drawn for all levels, so these are paired.
        """
        kinds = sorted({row.kind for row in self.rows})
        return {
            kind: {level: intervals(self.of(kind, level), measured) for level in self.thresholds}
            for kind in kinds
        }

    @explained(ReportError)
    def write(self, path: Path) -> None:
        """Write it as JSON, into a folder that is made if needed.

        Raises:
            ReportError: It cannot be written there.
        """
        document = {
            "format": FORMAT,
            **asdict(self),
            "intervals": {
                kind: {
                    level: {name: one._asdict() for name, one in found.items()}
                    for level, found in levels.items()
                }
                for kind, levels in self.intervals.items()
            },
        }
        private_folder(path.parent)
        write_text(path, json.dumps(document, separators=(",", ":")) + "\n")
