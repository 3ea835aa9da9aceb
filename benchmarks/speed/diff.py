"""Two snapshots of a long file to hunks, against rapidfuzz alone over all lines.

Budgets: 10,000 lines in 10 ms when the changes are close together, in 30 ms when they are at both
ends. The peer finds which lines changed; Editcast also which tokens in them, as hunks.

Run: python benchmarks/speed/diff.py
"""

import random
from collections.abc import Callable
from statistics import median
from time import perf_counter

from rapidfuzz.distance import Indel
from rich.console import Console
from rich.table import Table

from editcast_model.diff import apply_hunks, diff
from editcast_model.tokenizer import lines

REPEATS = 15
# The peer needs memory with the product of the lengths: 1.2 GB for 100,000 lines.
PEER_LINES = 10_000


def code(count: int) -> list[str]:
    """Lines of which about a third occur again, as in code."""
    rng = random.Random(1)
    return [
        rng.choice(["\n", "    else:\n", "        return None\n"])
        if rng.random() < 0.3
        else f"        value_{rng.randrange(count)} = compute(self.x, {rng.randrange(50)})\n"
        for _ in range(count)
    ]


def repeated(count: int) -> list[str]:
    """Lines of which none is unique."""
    rng = random.Random(2)
    return [f"{rng.randrange(20)}, {rng.randrange(2)},\n" for _ in range(count)]


def close(split: list[str]) -> list[str]:
    """An argument renamed, two lines inserted and one deleted, in the middle."""
    at = len(split) // 2
    changed = [line.replace("self.x", "self.y") for line in split[at : at + 5]]
    return [*split[:at], *changed, "        new = 1\n", "\n", *split[at + 6 :]]


def both_ends(split: list[str]) -> list[str]:
    """A line changed at both ends, and one inserted."""
    return ["import os\n", split[0] + "# first\n", *split[1:-1], "last = True\n"]


CASES = [
    ("code, changes close together", code(10_000), close),
    ("code, changes at both ends", code(10_000), both_ends),
    ("repeated lines, at both ends", repeated(10_000), both_ends),
    ("code, changes at both ends", code(100_000), both_ends),
    ("repeated lines, at both ends", repeated(100_000), both_ends),
]


def milliseconds(call: Callable[[], object]) -> str:
    """The median and the minimum of some calls."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        call()
        times.append((perf_counter() - start) * 1e3)
    return f"{median(times):.1f} ({min(times):.1f})"


def main() -> None:
    table = Table("lines", "case", "hunks", "editcast", "rapidfuzz", title="ms: median (minimum)")
    for name, split, change in CASES:
        before, after = "".join(split), "".join(change(split))
        hunks = diff(before, after)
        assert apply_hunks(before, hunks) == after
        ours = milliseconds(lambda a=before, b=after: diff(a, b))
        peer = "-"
        if len(split) <= PEER_LINES:
            peer = milliseconds(lambda a=before, b=after: Indel.opcodes(lines(a), lines(b)))
        table.add_row(f"{len(split):,}", name, str(len(hunks)), ours, peer)
    Console().print(table)


if __name__ == "__main__":
    main()
