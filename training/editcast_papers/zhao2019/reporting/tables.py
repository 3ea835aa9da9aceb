"""Choice of a table's runs: of each seed the configuration that was best on dev."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from editcast_papers.markdown import NOT_RUN, in_words
from editcast_papers.zhao2019.reporting.paper import accuracy
from editcast_papers.zhao2019.runs import RealRun, Run, StepTime

OURS = "IA+"
_MODELS = ("E", "IR", "IA-ag")


@dataclass(frozen=True)
class Cell:
    """The chosen runs of a task and a model, one a seed."""

    runs: Sequence[Run]

    @property
    def accuracy(self) -> float:
        """The mean test accuracy."""
        return mean(run.test_accuracy for run in self.runs)

    def mean(self, name: str) -> float | None:
        """Return the mean of another score; None if a run has none."""
        values = [getattr(run, name) for run in self.runs]
        return None if None in values else mean(values)

    @property
    def words(self) -> str:
        """The mean, with the standard deviation of several seeds."""
        return in_words([run.test_accuracy for run in self.runs])


Cells = dict[tuple[str, str], Cell]


def choose(runs: Iterable[Run]) -> Cells:
    """By task and model, the chosen runs in the order of their seeds."""
    best: dict[tuple[str, str, int], Run] = {}
    for run in runs:
        key = run.task, run.model, run.seed
        if key not in best or run.best_dev > best[key].best_dev:
            best[key] = run
    cells: dict[tuple[str, str], list[Run]] = {}
    for (task, model, _), run in sorted(best.items()):
        cells.setdefault((task, model), []).append(run)
    return {key: Cell(found) for key, found in cells.items()}


def choose_real(runs: Iterable[RealRun]) -> dict[tuple[str, str], RealRun]:
    """By split and model, the run that was best on dev."""
    best: dict[tuple[str, str], RealRun] = {}
    for run in runs:
        key = run.split, run.model
        if key not in best or _best(run) > _best(best[key]):
            best[key] = run
    return best


def _best(run: RealRun) -> float:
    return max((score for _, score in run.dev), default=0.0)


def compared(cells: Cells, task: str, model: str) -> str:
    """Return the paper's number, ours, and the difference."""
    theirs, cell = accuracy(task, model), cells.get((task, model))
    if theirs is None:
        return cell.words if cell else NOT_RUN if model == OURS else "–"
    if cell is None:
        return f"{theirs:.1f} / {NOT_RUN}"
    return f"{theirs:.1f} / {cell.words} / {cell.accuracy - theirs:+.1f}"


def ahead(cells: Cells, tasks: Iterable[str]) -> list[list[str]]:
    """Rows of ours beside the best of the paper's three, as published and as run here."""
    rows = []
    for task in tasks:
        mine = cells.get((task, OURS))
        if mine is None:
            continue
        published = {model: accuracy(task, model) for model in _MODELS}
        known = {model: number for model, number in published.items() if number is not None}
        here = {model: cells[task, model].accuracy for model in _MODELS if (task, model) in cells}
        row = [task, mine.words, str(len(mine.runs))]
        for numbers in (known, here):
            best = max(numbers, key=lambda model: numbers[model], default=None)
            if best is None:
                row += ["–", "–"]
            else:
                gap = mine.accuracy - numbers[best]
                row += [f"{numbers[best]:.1f} ({best})", f"{gap:+.1f}"]
        rows.append(row)
    return rows


def costs(steps: Sequence[StepTime]) -> list[list[str]]:
    """Rows of the seconds of a step of each network, and ours over IA-ag's, by task and device."""
    found = {(one.device, one.hidden, one.task, one.model): one.seconds for one in steps}
    rows = []
    for key in dict.fromkeys(key[:3] for key in found):
        device, hidden, task = key
        seconds = [found.get((*key, model)) for model in (*_MODELS, OURS)]
        shown = ["–" if one is None else f"{one:.3f}" for one in seconds]
        ratio = f"{seconds[3] / seconds[2]:.2f}" if seconds[2] and seconds[3] else "–"
        rows.append([task, str(hidden), *shown, ratio, device])
    return rows


def like(runs: Iterable[Run], run: Run) -> Run | None:
    """Our run of the same task, seed, configuration."""
    mine = run.task, run.seed, dict(run.config)
    found = (one for one in runs if (one.task, one.seed, dict(one.config)) == mine)
    return next((one for one in found if one.model == OURS), None)
