"""The lines of results: one JSON object each, in the ``*.jsonl`` files of a folder.

Anyone can add lines: a reader takes what it knows of an object and leaves the rest. A line
without a ``kind`` is a training on a synthetic task.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from editcast_model.errors import ReproductionError


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
class RealRun:
    """One training on real edits.

    Attributes:
        model: As in the tables.
        split: ``random`` or ``repository``.
        seed: Of weights, order and the random split.
        config: Sizes and limits of the experiment.
        parameters: How many the network has.
        device: As in `Run`.
        seconds_per_step: The median of the training steps.
        steps: Steps trained.
        dev: Pairs of a step and the accuracy on dev after it.
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
    seed: int
    config: Mapping[str, Any]
    parameters: int
    device: str
    seconds_per_step: float
    steps: int
    dev: Sequence[Sequence[float]]
    test_accuracy: float
    test_positions: float
    test_contents: float
    scored: int
    curve: Sequence[Sequence[float]]
    tokens: int


Line = Run | Statistics | Timing | StepTime | RealRun
_KINDS: dict[str, type[Line]] = {kind.kind: kind for kind in get_args(Line)}


@dataclass
class Results:
    """All lines of a folder, in the order of its files' names and of their lines."""

    runs: list[Run] = field(default_factory=list)
    statistics: list[Statistics] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    steps: list[StepTime] = field(default_factory=list)
    real: list[RealRun] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Put a line with its like."""
        match line:
            case Run():
                self.runs.append(line)
            case Statistics():
                self.statistics.append(line)
            case Timing():
                self.timings.append(line)
            case StepTime():
                self.steps.append(line)
            case RealRun():
                self.real.append(line)


def append_line(path: Path, line: Line) -> None:
    """Add a line, whole or not at all, and on the disk when this returns.

    Raises:
        ReproductionError: The file cannot be written.
    """
    text = json.dumps({"kind": line.kind, **asdict(line)}, separators=(",", ":")) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            # A line that a power loss cut short must not swallow this one.
            size = os.fstat(file).st_size
            cut = size and os.pread(file, 1, size - 1) != b"\n"
            os.write(file, ("\n" if cut else "").encode() + text.encode())
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise ReproductionError(
            f"The result cannot be written to {path} ({error.strerror}); name another folder "
            "with --results."
        ) from error


def read_runs(folder: Path) -> tuple[Results, list[str]]:
    """Return the lines of a folder, and a sentence for each that is none: where it is and why."""
    results, problems = Results(), []
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        for number, text in enumerate(lines, 1):
            if not text.strip():
                continue
            try:
                results.add(_line(text))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                problems.append(f"{path.name}, line {number}, is no result and is skipped: {error}")
    return results, problems


def _line(text: str) -> Line:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    kind = found.get("kind", Run.kind)
    if kind not in _KINDS:
        raise ValueError(f"there is no kind {kind!r}")
    cls = _KINDS[kind]
    types = get_type_hints(cls)
    values = {}
    for item in fields(cls):
        if item.name in found:
            values[item.name] = _checked(item.name, found[item.name], types[item.name])
        elif item.default is MISSING and item.default_factory is MISSING:
            raise ValueError(f"it has no {item.name}")
    return cls(**values)


def _checked(name: str, value: Any, wanted: Any) -> Any:
    """Return the value, if it is of the type declared."""
    if not _is(value, wanted):
        raise ValueError(f"{name} cannot be {json.dumps(value)[:60]}")
    return value


def _is(value: Any, wanted: Any) -> bool:
    """Tell whether a JSON value is of a type; every list is one of numbers or of pairs of them."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is UnionType:
        return any(_is(value, one) for one in inner)
    if origin is Mapping:
        return isinstance(value, dict)
    if origin is Sequence:
        return isinstance(value, list) and all(_is(one, inner[0]) for one in value)
    if wanted is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)
    return isinstance(value, wanted) and not isinstance(value, bool)
