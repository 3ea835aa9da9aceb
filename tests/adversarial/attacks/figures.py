"""Figures of an attack: tries, findings, and the time that is left."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Self

MOST_FINDINGS = 20


@dataclass(frozen=True)
class Finding:
    """Something that must not be.

    Attributes:
        what: In a sentence.
        seed: The attack's.
        round: Which of its rounds; seed and round make the same input again.
        input: What was done, as JSON holds it.
    """

    what: str
    seed: int
    round: int
    input: Any = None


@dataclass
class Figures:
    """The figures of one attack.

    Attributes:
        tried: How often it did what.
        measured: What was measured, by its name.
        findings: What must not be; at most `MOST_FINDINGS`, then the attack ends.
        notes: What was left out, and why, in a sentence each.
    """

    tried: Counter[str] = field(default_factory=Counter)
    measured: dict[str, float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def add(self, other: Self) -> None:
        """Take in the figures of another run of the same attack."""
        self.tried += other.tried
        self.measured |= other.measured
        self.findings += other.findings
        for sentence in other.notes:
            self.note(sentence)

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        findings = [asdict(one) for one in self.findings]
        return {**vars(self), "tried": dict(self.tried), "findings": findings}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        findings = [Finding(**one) for one in given["findings"]]
        return cls(Counter(given["tried"]), given["measured"], findings, given["notes"])

    def __str__(self) -> str:
        lines = [f"{count:,} {what}" for what, count in self.tried.items()]
        lines += [f"{what}: {value:,.1f}" for what, value in self.measured.items()]
        found = [f"FOUND (seed {one.seed}, round {one.round}): {one.what}" for one in self.findings]
        return "\n".join((*lines, *self.notes, *found))


@dataclass(frozen=True)
class Limit:
    """Length of an attack: rounds, seconds, or whichever of them ends first.

    Attributes:
        rounds: At most so many; None for any number.
        seconds: No round begins after so long; None for any time.
    """

    rounds: int | None = None
    seconds: float | None = None

    def each(self, figures: Figures, seed: int) -> Iterator[tuple[int, random.Random]]:
        """Yield the rounds' numbers, each with its own randomness."""
        end = None if self.seconds is None else time.monotonic() + self.seconds
        number = 0
        while (
            (self.rounds is None or number < self.rounds)
            and (end is None or time.monotonic() < end)
            and len(figures.findings) < MOST_FINDINGS
        ):
            yield number, random.Random(f"{seed}/{number}")
            number += 1
