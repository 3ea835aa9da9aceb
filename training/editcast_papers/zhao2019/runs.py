"""The lines of results of Zhao et al.; one without a ``kind`` is a training on a synthetic task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, get_args

from editcast_papers.lines import Kind, OfTraining, read_lines


@dataclass(frozen=True)
class Run:
    """One training on a synthetic task, or POMP's expectation. Accuracies are in percent.

    Attributes:
        task: As in the paper's tables; so is `model`.
        model: ``IA+`` is ours.
        seed: Of the weights and of the order of the instances.
        config: Hidden size, learning rate, batch, steps and schedule.
        parameters: How many the network has.
        device: The processor and its threads, or the GPU.
        seconds_per_step: The median of the training steps.
        steps: Steps trained.
        dev: Pairs of a step and the accuracy on dev after it.
        test_accuracy: Position and content right, with the weights that were best on dev.
        test_modulo_twins: The same, if a position that leads to the same text is right, too.
        test_jumps: Accuracy on the first edits of replacements.
        test_rest: On all others; None where every edit is a jump.
        test_contents: Content right, given the true position.
        test_positions: Position right.
        by_step: Accuracy by the number of the scored edit, from the first.
        scored: How many edits the test accuracy is of.
        diff: Between snapshots; ``longest-block`` is the paper's.
    """

    kind: ClassVar[str] = "training"
    task: str
    model: str
    test_accuracy: float
    seed: int = 0
    config: Mapping[str, Any] = field(default_factory=dict)
    parameters: int = 0
    device: str = ""
    seconds_per_step: float | None = None
    steps: int = 0
    dev: Sequence[Sequence[float]] = ()
    test_modulo_twins: float | None = None
    test_jumps: float | None = None
    test_rest: float | None = None
    test_contents: float | None = None
    test_positions: float | None = None
    by_step: Sequence[float] = ()
    scored: int = 0
    diff: str = "canonical"

    @property
    def best_dev(self) -> float:
        """The best accuracy on dev, by which configurations are chosen."""
        return max((accuracy for _, accuracy in self.dev), default=0.0)


@dataclass(frozen=True)
class Statistics:
    """Facts about a task before any training.

    Attributes:
        task: Its name.
        edits_per_replacement: On average, in its test instances.
        displacement: The average context displacement; None for MultiTask.
        scored: Scored test edits.
        ambiguous: The share of them, in percent, with an equal twin at another position.
    """

    kind: ClassVar[str] = "statistics"
    task: str
    edits_per_replacement: float
    displacement: float | None
    scored: int
    ambiguous: float


@dataclass(frozen=True)
class Timing:
    """One point of Figure 4 a-c.

    Attributes:
        model: As in the tables.
        hidden: The hidden size.
        insertions: Letters inserted in a replacement.
        seconds: Of training on 128 sequences: forward, backward and the optimizer.
        steps: How many steps that is the mean of.
        batch: Sequences in a step.
        device: As in `Run`.
    """

    kind: ClassVar[str] = "timing"
    model: str
    hidden: int
    insertions: int
    seconds: float
    steps: int
    batch: int
    device: str


@dataclass(frozen=True)
class StepTime:
    """Cost of a training step of a task.

    Attributes:
        task: As in the tables; so is `model`.
        model: What was measured, in turns with the others of the task.
        hidden: The hidden size.
        seconds: The median step.
        steps: How many were measured.
        batch: Instances in a step.
        device: As in `Run`.
    """

    kind: ClassVar[str] = "step"
    task: str
    model: str
    hidden: int
    seconds: float
    steps: int
    batch: int
    device: str


@dataclass(frozen=True)
class RealRun(OfTraining):
    """One training on real edits; the seed decides the random split, too.

    Attributes:
        model: As in the tables.
        split: ``random`` or ``repository``.
        steps: Steps trained.
        test_accuracy: Subtokens with position and content right, percent.
        test_positions: Position right.
        test_contents: Content right, given the true position.
        scored: Test subtokens.
        curve: Pairs of the share of tokens left out, least confident first, and the accuracy of
            the others, both in percent (Figure 4 d).
        tokens: How many tokens the curve is of.
    """

    kind: ClassVar[str] = "real"
    model: str
    split: str
    steps: int
    test_accuracy: float
    test_positions: float
    test_contents: float
    scored: int
    curve: Sequence[Sequence[float]]
    tokens: int


Line = Run | Statistics | Timing | StepTime | RealRun


@dataclass
class Results:
    """All lines of a folder, in the order of its files' names and of their lines."""

    runs: list[Run] = field(default_factory=list)
    statistics: list[Statistics] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    steps: list[StepTime] = field(default_factory=list)
    real: list[RealRun] = field(default_factory=list)


def read_runs(folder: Path) -> tuple[Results, list[str]]:
    """Return the lines of a folder, and a sentence for each that is none: where it is and why."""
    lines, problems = read_lines(folder, get_args(Line))

    def of(kind: type[Kind]) -> list[Kind]:
        return [line for line in lines if isinstance(line, kind)]

    return Results(of(Run), of(Statistics), of(Timing), of(StepTime), of(RealRun)), problems
