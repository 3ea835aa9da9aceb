"""Costs of the memory of 5,000 files: making it, keeping it, looking into it, following a save.

    python benchmarks/speed/project_memory.py [FILES]

The files are those of the interpreter's library and of what is installed beside it, again and again
with other names until there are enough of them. Times are of the processor, in one thread.
"""

import sys
import sysconfig
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from editcast_model.forecasting.sources.continuation import Continuer
from editcast_model.memory.project_memory import ProjectMemory
from editcast_training.memory_limit import resident

_FILES, _MOST_BYTES = 5_000, 200_000
_ASKED, _SAVED = 300, 50


def sources() -> Iterator[tuple[str, str]]:
    """Yield names and texts of files without an end; a file that comes again defines others."""
    paths = sysconfig.get_paths()
    found = [
        path for root in (paths["stdlib"], paths["purelib"]) for path in Path(root).rglob("*.py")
    ]
    for turn in range(1_000):
        for path in found:
            text = path.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
            yield f"{turn}/{path}", text.replace("_", f"_{turn}_") if turn else text


def main() -> None:
    """Measure, and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else _FILES
    files = list(islice(sources(), count))
    size = sum(len(text) for _, text in files)
    memory, before, begun = ProjectMemory(), resident(), time.process_time()
    for name, text in files:
        memory.put(name, text, lambda: True)
        memory.settle()
    made = time.process_time() - begun
    print(f"{count} files, {size / 1e6:.0f} million characters, made in {made:.1f} s")
    print(f"{(resident() - before) / 1e6:.0f} MB resident")
    generator = np.random.default_rng(0)
    chosen = [files[int(one)] for one in generator.integers(0, count, 20)]
    asked: list[float] = []
    looked: list[float] = []
    for name, text in chosen:
        continuer = Continuer(memory, name)
        list(continuer.continuations(text, 0))  # the file itself is read once
        for cursor in generator.integers(0, len(text) + 1, _ASKED // 20).tolist():
            begun = time.process_time()
            list(continuer.continuations(text, cursor))
            asked.append(time.process_time() - begun)
            units = memory.vocabulary.known_ids(text[max(0, cursor - 80) : cursor])[-8:]
            begun = time.process_time()
            memory.occurrences(units, name)
            looked.append(time.process_time() - begun)
    first: list[float] = []
    later: list[float] = []
    for name, text in chosen:
        for number in range(_SAVED // 10):
            begun = time.process_time()
            memory.put(name, f"{text}\nlast = {number}\n")
            (later if number else first).append(time.process_time() - begun)
    measured = {"look-up": looked, "continuation": asked, "first save": first, "later save": later}
    for what, times in measured.items():
        middle, most = np.percentile(np.array(times) * 1e3, [50, 95])
        print(f"{what}: {middle:.2f} ms, 95th percentile {most:.2f} ms")


if __name__ == "__main__":
    main()
