"""The long form of the attacks: `make soak`, an hour or as many minutes as SOAK_MINUTES says.

The time is shared out among the attacks, which run in slices, two at once, each slice a process of
its own at low priority, from a random seed. What a slice found is written down when it ends: an
interrupted soak keeps its figures, and `--go-on FOLDER` goes on with them. At the end one table is
printed. The exit code is 1 if anything was found; the folder then has what reproduces it.
"""

import argparse
import contextlib
import dataclasses
import importlib
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from attacks.figures import Figures, Finding, Limit  # noqa: E402

LANES = 2
OVERTIME = 1800.0  # seconds after a slice's end until it is taken to hang: a machine may be busy


@dataclasses.dataclass(frozen=True)
class Plan:
    """Share of the soak that an attack gets.

    Attributes:
        module: Its module.
        share: Its weight in the time.
        slice: The part of its share that one process does, so that many seeds come.
        goal: What it should have tried in an hour, and how often: then its time goes to others.
        at_least: Seconds that one process needs to do anything.
    """

    module: str
    share: float
    slice: float = 0.2
    goal: tuple[str, int] | None = None
    at_least: float = 10.0


PLANS = (
    Plan("attacks.cycles", 26, slice=1.0, goal=("cycles", 10_000)),
    Plan("attacks.kills_store", 22, slice=0.1, goal=("kills", 750)),
    Plan("attacks.kills_models", 6, goal=("kills", 150)),
    Plan("attacks.killed_trainings", 8, goal=("kills", 100), slice=1.0, at_least=60),
    Plan("attacks.network", 4, slice=1.0, at_least=90),
    Plan("attacks.changes", 4, goal=("changes", 1_000_000)),
    Plan("attacks.served_changes", 5),
    Plan("attacks.hostile_inputs", 10, slice=0.1),
    Plan("attacks.protocol_abuse", 6),
    Plan("attacks.fuzz", 8, slice=0.34, at_least=30),
    Plan("attacks.eight_servers", 2),
    Plan("attacks.disk_full", 1),
)


class Soak:
    """One soak: its folder, its time, and what was found so far."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder = folder
        self.seconds = 60 * minutes
        self.plans = PLANS
        self.figures = {plan.module: Figures() for plan in self.plans}
        self.used = dict.fromkeys(self.figures, 0.0)
        self._lines = folder / "figures.jsonl"
        if self._lines.exists():
            for line in self._lines.read_text().splitlines():
                self._take(json.loads(line))

    def run(self) -> None:
        """Attack until the time is over, and the goals of a long soak are reached."""
        with ThreadPoolExecutor(LANES) as lanes:
            running: dict[Future[dict[str, Any]], str] = {}
            while True:
                plan = self._next(set(running.values())) if len(running) < LANES else None
                if plan is not None:
                    running[lanes.submit(self._slice, plan, self._seconds(plan))] = plan.module
                    continue
                if not running:
                    break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    del running[future]
                    line = future.result()
                    self._take(line)
                    with self._lines.open("a") as lines:
                        lines.write(json.dumps(line) + "\n")
                    print(line["module"], f"{line['used']:.0f} s", flush=True)
                    print(Figures.from_json(line["figures"]), "\n", flush=True)

    @property
    def _left(self) -> float:
        return LANES * self.seconds - sum(self.used.values())

    def _share(self, plan: Plan) -> float:
        """The seconds that an attack gets."""
        return LANES * self.seconds * plan.share / sum(one.share for one in self.plans)

    def _next(self, running: set[str]) -> Plan | None:
        """Who goes on: first those who have not had their share or reached their goal.

        Once the time is over that is who has a goal: a busy machine takes longer to reach it.
        """
        waiting = [plan for plan in self.plans if plan.module not in running]
        wanting = [plan for plan in waiting if not self._is_satisfied(plan)]
        if self._left <= 0:
            wanting = [plan for plan in wanting if self._has_goal(plan)]
        if not wanting:
            return None
        return min(wanting, key=lambda plan: self.used[plan.module] / self._share(plan))

    def _is_satisfied(self, plan: Plan) -> bool:
        if plan.goal and self._has_goal(plan):
            what, count = plan.goal
            return self.figures[plan.module].tried[what] >= count
        return self.used[plan.module] >= 0.95 * self._share(plan)

    def _has_goal(self, plan: Plan) -> bool:
        return plan.goal is not None and self.seconds >= 3600

    def _seconds(self, plan: Plan) -> float:
        return max(plan.at_least, plan.slice * self._share(plan))

    def _slice(self, plan: Plan, seconds: float) -> dict[str, Any]:
        """Run one process of an attack."""
        seed = random.SystemRandom().randrange(1_000_000)
        begun, out = time.monotonic(), self.folder / f"slice-{plan.module}-{seed}.json"
        command = [sys.executable, __file__, "--attack", plan.module, "--seconds", str(seconds)]
        command += ["--seed", str(seed), "--out", str(out), "--folder", str(self.folder)]
        trouble = ""
        with (self.folder / "output.txt").open("ab") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output)
            try:
                if process.wait(seconds + OVERTIME):
                    trouble = f"the attack itself ended with {process.returncode}: see output.txt"
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                trouble = f"the attack did not end {OVERTIME:g} s after its time"
        figures = Figures(findings=[Finding(trouble, seed, -1)]).to_json() if trouble else {}
        with contextlib.suppress(FileNotFoundError):
            figures = json.loads(out.read_text())
            out.unlink()
        used = time.monotonic() - begun
        return {"module": plan.module, "seed": seed, "used": used, "figures": figures}

    def _take(self, line: dict[str, Any]) -> None:
        if line["module"] in self.figures:
            self.used[line["module"]] += line["used"]
            self.figures[line["module"]].add(Figures.from_json(line["figures"]))

    def table(self) -> Table:
        """Return what was tried and what was found."""
        table = Table("attack", "what", "figure", title="Soak")
        for plan in self.plans:
            figures = self.figures[plan.module]
            name = plan.module.removeprefix("attacks.").replace("_", " ")
            rows = [(what, f"{count:,}") for what, count in figures.tried.items()]
            rows += [(what, f"{value:,.1f}") for what, value in figures.measured.items()]
            rows += [(note, "") for note in figures.notes]
            rows += [("FOUND", f"{len(figures.findings):,}")]
            for index, row in enumerate(rows):
                table.add_row("" if index else name, *row, end_section=index == len(rows) - 1)
        return table


def one_slice(module: str, limit: Limit, seed: int, out: Path, folder: Path) -> None:
    """Run an attack here; its figures go to `out`, what did harm into `folder`."""
    os.nice(10)
    attack = importlib.import_module(module).attack
    takes_folder = "kept" in attack.__kwdefaults__ if attack.__kwdefaults__ else False
    figures = attack(limit, seed, **({"kept": folder} if takes_folder else {}))
    for finding in figures.findings:
        name = f"found-{module.removeprefix('attacks.')}-{finding.seed}-{finding.round}.json"
        (folder / name).write_text(json.dumps(dataclasses.asdict(finding), indent=1))
    out.write_text(json.dumps(figures.to_json()))


def main() -> int:
    """Soak, or one slice of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    minutes = float(os.environ.get("SOAK_MINUTES", "60"))
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--go-on", type=Path, metavar="FOLDER")
    parser.add_argument("--attack", metavar="MODULE", help="only one slice of it, here")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(os.devnull))
    parser.add_argument("--folder", type=Path, default=Path("build"))
    given = parser.parse_args()
    if given.attack:
        limit = Limit(given.rounds, given.seconds)
        one_slice(given.attack, limit, given.seed, given.out, given.folder)
        return 0
    folder = given.go_on or Path("build", "soak", f"{datetime.now():%Y%m%dT%H%M%S}")
    folder.mkdir(parents=True, exist_ok=True)
    soak = Soak(folder.resolve(), given.minutes)
    try:
        soak.run()
    except KeyboardInterrupt:
        print(f"Interrupted; go on with: --go-on {folder}")
    Console().print(soak.table())
    found = sum(len(figures.findings) for figures in soak.figures.values())
    if found:
        print(f"{found} findings, with what reproduces them, are in {folder}.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
