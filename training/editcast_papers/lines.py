"""The lines of results: one JSON object each, in the ``*.jsonl`` files of a folder.

Anyone can add lines: a reader takes what it knows of an object and leaves the rest.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Protocol, TypeVar, get_args, get_origin, get_type_hints

from editcast_model.errors import ReproductionError


class Line(Protocol):
    """A dataclass whose lines say its kind."""

    kind: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


Kind = TypeVar("Kind", bound=Line)


@dataclass(frozen=True)
class OfTraining:
    """A line of a training.

    Attributes:
        seed: Of the weights and of the order of the examples.
        config: Sizes, learning rate, batch, steps and schedule.
        parameters: How many the network has.
        device: The processor and its threads, or the GPU.
        seconds_per_step: The median of the training steps.
        dev: Pairs of a step and the score on dev after it.
    """

    seed: int
    config: Mapping[str, Any]
    parameters: int
    device: str
    seconds_per_step: float
    dev: Sequence[Sequence[float]]


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


def read_lines(folder: Path, kinds: Sequence[type[Kind]]) -> tuple[list[Kind], list[str]]:
    """Return the lines of a folder, and a sentence for each that is none: where it is and why.

    Files come in the order of their names. An object without a ``kind`` is of the first one.
    """
    lines: list[Kind] = []
    problems = []
    known = {kind.kind: kind for kind in kinds}
    for path in sorted(folder.glob("*.jsonl")):
        texts = path.read_bytes().decode("utf-8", "replace").splitlines()
        for number, text in enumerate(texts, 1):
            if not text.strip():
                continue
            try:
                lines.append(_line(text, known, kinds[0]))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                problems.append(f"{path.name}, line {number}, is not a result; skipped: {error}")
    return lines, problems


def _line(text: str, known: Mapping[str, type[Kind]], default: type[Kind]) -> Kind:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    kind = found.get("kind", default.kind)
    if kind not in known:
        raise ValueError(f"there is no kind {kind!r}")
    cls = known[kind]
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
