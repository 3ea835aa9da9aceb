"""From a save to its suggestion while other programs keep every processor busy.

A real server process. Idle and loaded rounds take turns, each long enough for some saves; under
load as many programs as there are processors count in a loop, at the priority of the server. The
budget: p95 under load within 3 times the idle one. What the editor waits for holds the editor's
own waiting for a processor too.

Run: python benchmarks/speed/load.py [--rounds 4] [--saves 15]
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))

BUSY = "while True: pass"


@dataclass
class Times:
    """Milliseconds from save to suggestion, as the server and as the editor see it."""

    server: list[float] = field(default_factory=list)
    editor: list[float] = field(default_factory=list)


@contextmanager
def busy(programs: int) -> Iterator[None]:
    """Keep so many processors busy."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(programs)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


async def one_round(editor: Any, uri: str, texts: Iterator[str], saves: int, into: Times) -> None:
    """Save so many times, and wait for each suggestion."""
    from open_files import save

    for text in islice(texts, saves):
        await asyncio.sleep(0.2)  # in which the server gets ready for the next one
        started = time.perf_counter()
        save(editor, uri, text)
        result = await editor.next_edit(uri)
        into.editor.append(1e3 * (time.perf_counter() - started))
        if result and result.milliseconds:
            into.server.append(result.milliseconds)


async def measured(rounds: int, saves: int) -> tuple[Times, Times]:
    """The idle times and the loaded ones."""
    from conftest import run_editor
    from open_files import renamings, sources

    idle, loaded = Times(), Times()
    with tempfile.TemporaryDirectory() as home:
        async with run_editor(Path(home), {"modelPath": ""}) as editor:
            await editor.until(lambda: editor.statuses and editor.statuses[-1].model)
            for number, text in enumerate(sources(rounds)):
                uri, texts = editor.open(f"file{number}.py", text), renamings(text)
                await one_round(editor, uri, texts, 3, Times())  # not counted
                await one_round(editor, uri, texts, saves, idle)
                with busy(os.cpu_count() or 1):
                    await one_round(editor, uri, texts, saves, loaded)
    return idle, loaded


def at(times: list[float], part: float) -> float:
    """The time that this part of them does not exceed."""
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--saves", type=int, default=15)
    given = parser.parse_args()
    before = os.getloadavg()[0]
    idle, loaded = asyncio.run(measured(given.rounds, given.saves))
    print(f"{os.cpu_count()} processors; load {before:.1f} at the beginning")
    print(f"{'save to suggestion, ms':<28}{'p50':>8}{'p95':>8}{'longest':>9}{'n':>6}")
    for seen in ("server", "editor"):
        rows = {"idle": getattr(idle, seen), "loaded": getattr(loaded, seen)}
        for name, times in rows.items():
            found = "".join(f"{at(times, part):>8.1f}" for part in (0.5, 0.95))
            print(f"{f'{seen}, {name}':<28}{found}{max(times):>9.1f}{len(times):>6}")
        ratios = (at(rows["loaded"], part) / at(rows["idle"], part) for part in (0.5, 0.95))
        print(f"{f'{seen}, ratio':<28}" + "".join(f"{one:>8.2f}" for one in ratios))


if __name__ == "__main__":
    main()
