"""REPORT.md and its figures, from the lines of results alone: the paper beside what was run."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from editcast_model.errors import ReproductionError
from editcast_papers.markdown import NOT_RUN, markdown, write_page
from editcast_papers.zhao2019.networks.zoo import ABLATIONS, GLOROT, UNTIED
from editcast_papers.zhao2019.reporting import paper
from editcast_papers.zhao2019.reporting.claims import (
    ZOOMED,
    example_of,
    most_confident,
    scalability,
)
from editcast_papers.zhao2019.reporting.figures import real_figure, step_figure, timing_figure
from editcast_papers.zhao2019.reporting.tables import (
    OURS,
    Cell,
    Cells,
    ahead,
    choose,
    choose_real,
    compared,
    costs,
    like,
)
from editcast_papers.zhao2019.runs import Results, Run, Statistics, StepTime, Timing
from editcast_papers.zhao2019.synthetic import MULTITASK, NAMES, find_task
from editcast_training.disk import explained

_MODELS = ("POMP", "E", "IR", "IA-ag")
_VARIANTS = ("IA-vg", "IA-a", "IA-v", "IA-ag")
_CHANGES = ("untied", "glorot", "glorot dropout")
_TAKEN_BACK = (*UNTIED, *GLOROT)
_TRIPLE = "Cells are paper / ours / difference."


@explained(ReproductionError)
def write_report(results: Results, problems: Sequence[str], folder: Path) -> Path:
    """Write REPORT.md and the figures into a folder; NOTES.md there becomes its last section.

    Returns:
        The report's path.

    Raises:
        ReproductionError: The folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    usual = [run for run in results.runs if run.diff == "canonical"]
    cells = choose(usual)
    parts = [
        _head(usual, problems),
        _tasks(results.statistics),
        _table_1(cells),
        _ours(cells),
        _table_3(cells),
        _apart(cells),
        _ablations(usual),
        _departures(cells, choose(run for run in results.runs if run not in usual)),
        _cost(results.steps),
        _figure_4(results.timings, folder),
        _figure_5(cells, folder),
        _real(results, folder),
    ]
    return write_page(folder, parts)


def _head(runs: Iterable[Run], problems: Sequence[str]) -> str:
    trained = [run for run in runs if run.config]
    grid = {
        key: sorted({str(run.config[key]) for run in trained if key in run.config})
        for key in ("hidden", "rate", "batch", "steps", "schedule")
    }
    devices = sorted({run.device for run in trained if run.device})
    lines = [
        "# Zhao et al. (2019), made again",
        "",
        "Made by `editcast reproduce zhao2019 report` from the `.jsonl` files of this folder; "
        "add lines with `editcast reproduce zhao2019` and make it again.",
        "",
        "Accuracy is in percent, position and content right, teacher-forced, on 1,000 test "
        "instances, under the canonical diff. Of the configurations that were run of a task, "
        "model and seed, the one best on dev is shown; several seeds are shown as mean ± standard "
        f"deviation. Where there is no run it says *{NOT_RUN}*.",
        "",
        f"{len(trained)} trainings on {', '.join(devices) or 'no device'}. What was tried, of the "
        f"paper's grid of hidden sizes {_list(paper.HIDDEN)} and rates {_list(paper.RATES)}: "
        + "; ".join(f"{key} {_list(values)}" for key, values in grid.items() if values)
        + ". The paper's learning rate is constant and its trainings long; `linear` warms up over "
        "100 steps and then falls to zero at the last, since budgets here are short.",
    ]
    if problems:
        lines += ["", "Skipped:", "", *(f"- {problem}" for problem in problems)]
    return "\n".join(lines)


def _list(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _tasks(statistics: Iterable[Statistics]) -> str:
    known = {line.task: line for line in statistics}
    rows = []
    for name in NAMES:
        task = None if name == MULTITASK else find_task(name)[0]
        line = known.get(name)
        theirs = ("–", "–") if task is None else (f"{task.edits}", f"{task.displacement:g}")
        if line is None:
            rows.append([name, theirs[0], NOT_RUN, theirs[1], NOT_RUN, NOT_RUN])
            continue
        moved = "–" if line.displacement is None else f"{line.displacement:g}"
        edits = f"{line.edits_per_replacement:g}"
        rows.append([name, theirs[0], edits, theirs[1], moved, f"{line.ambiguous:.1f}"])
    return (
        "## The tasks\n\n"
        "EPR: edits per replacement. ACD: average context displacement, from the pattern with all "
        "its letters different. The last column is the share of scored test edits that have an "
        "equal twin at another position; which of the twins is meant the canonical diff decides, "
        "so that every edit is determined and the ceiling is 100 %.\n\n"
        + markdown(["task", "EPR, paper", "ours", "ACD, paper", "ours", "twins, %"], rows)
    )


def _table_1(cells: Cells) -> str:
    models = (*_MODELS, OURS)
    rows = [[task, *(compared(cells, task, model) for model in models)] for task in NAMES]
    return f"## Table 1\n\n{_TRIPLE} IA-ag is the paper's IA; {OURS} is ours.\n\n" + markdown(
        ["task", *models], rows
    )


def _ours(cells: Cells) -> str:
    rows = ahead(cells, NAMES)
    head = ["task", OURS, "seeds", "best published", "difference", "best run here", "difference"]
    table = markdown(head, rows) if rows else f"{OURS}: {NOT_RUN}."
    return f"## {OURS} beside the best of E, IR and IA\n\n{table}"


def _table_3(cells: Cells) -> str:
    tasks = [task for task in NAMES if task in paper.TABLE_3]
    rows = [[task, *(compared(cells, task, model) for model in _VARIANTS)] for task in tasks]
    return f"## Table 3: variants of IA\n\n{_TRIPLE}\n\n" + markdown(["task", *_VARIANTS], rows)


def _ordered(cells: Cells) -> list[tuple[str, str, Cell]]:
    """All that was trained, tasks as in the tables."""
    places = {name: place for place, name in enumerate(NAMES)}
    found = [(task, model, cell) for (task, model), cell in cells.items() if cell.runs[0].dev]
    return sorted(found, key=lambda one: (places.get(one[0], len(NAMES)), one[1]))


def _apart(cells: Cells) -> str:
    names = (
        "test_modulo_twins",
        "test_jumps",
        "test_rest",
        "test_contents",
        "test_positions",
    )
    rows = []
    for task, model, cell in _ordered(cells):
        config = cell.runs[0].config
        said = f"{config.get('hidden')}, {config.get('rate')}, {config.get('steps')}"
        means = [cell.mean(name) for name in names]
        shown = ["–" if one is None else f"{one:.1f}" for one in means]
        rows.append([f"{task}, {model}", cell.words, *shown, str(len(cell.runs)), said])
    head = ["task, model", "exact", "modulo twins", "jumps", "others", "contents", "positions"]
    return (
        "## Twins and jumps apart\n\n"
        "Modulo twins, a position that leads to the same text is right, too. Jumps are the first "
        "edits of replacements. Contents are judged given the true position.\n\n"
        + markdown([*head, "seeds", "hidden, rate, steps"], rows)
    )


def _ablations(runs: Sequence[Run]) -> str:
    title = f"## Ablations of {OURS}"
    pairs = [(run, like(runs, run)) for run in runs if run.model in ABLATIONS]
    compared = {(run.task, run.model): (run, whole) for run, whole in pairs if whole}
    if not compared:
        return f"{title}\n\n{NOT_RUN.capitalize()}."
    tasks = [name for name in NAMES if any(task == name for task, _ in compared)]
    whole = {task: found for (task, _), (_, found) in compared.items()}
    steps = ", ".join(f"{whole[task].steps} steps on {task}" for task in tasks)
    rows = [[OURS, *(f"{whole[task].test_accuracy:.1f}" for task in tasks)]]
    for model in ABLATIONS:
        shown = []
        for task in tasks:
            run, same = compared.get((task, model), (None, None))
            gap = f"{run.test_accuracy - same.test_accuracy:+.1f}" if run and same else ""
            shown.append(f"{run.test_accuracy:.1f} ({gap})" if run else NOT_RUN)
        rows.append([model, *shown])
    return (
        f"{title}\n\nEach with the seed and the configuration of the {OURS} in the first row, and "
        f"as short: {steps}. In brackets, the difference from it. A plain transformer has the same "
        "blocks and a copy head, and a softmax pointer.\n\n" + markdown(["network", *tasks], rows)
    )


def _departures(cells: Cells, blocks: Cells) -> str:
    title = "## Departures from the paper, taken back"
    names = {(task, model) for task, model in (*cells, *blocks) if model not in _TAKEN_BACK}
    rows = []
    for task, model in sorted(names, key=lambda one: (NAMES.index(one[0]), one[1])):
        others = [blocks.get((task, model))]
        others += [cells.get((task, f"{model} {change}")) for change in _CHANGES]
        if model == "POMP" or not any(others):
            continue
        theirs = paper.accuracy(task, model)
        words = [cell.words if cell else NOT_RUN for cell in (cells.get((task, model)), *others)]
        rows.append([f"{task}, {model}", f"{theirs:.1f}" if theirs else "–", *words])
    head = ["task, model", "paper", "as in the tables", "longest-block diff", *_CHANGES]
    table = markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}."
    return (
        f"{title}\n\nThe diff between snapshots is ours (the longest common subsequence, each "
        "change as far left as possible), where the paper keeps the longest matching block first "
        "(`--diff longest-block`). Contents are scored by the embeddings, where the paper has an "
        "output layer (`--model 'IA-ag untied'`). With `IA-ag glorot` weights start as in "
        "TensorFlow and embeddings are not multiplied; `IA-ag glorot dropout` has a dropout of "
        f"0.1, of which the paper says nothing.\n\n{table}"
    )


def _cost(steps: Sequence[StepTime]) -> str:
    head = [
        "task",
        "hidden",
        "E, s",
        "IR, s",
        "IA-ag, s",
        f"{OURS}, s",
        f"{OURS} / IA-ag",
        "device",
    ]
    rows = costs(steps)
    table = markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}."
    return (
        f"## What {OURS} costs\n\nThe median of 40 training steps on 64 instances, networks in "
        f"turns.\n\n{table}"
    )


def _figure_4(timings: Sequence[Timing], folder: Path) -> str:
    title = "## Figure 4 a-c: seconds of training on 128 sequences"
    if not timings:
        return f"{title}\n\n{NOT_RUN.capitalize()}."
    (folder / "figure4.png").write_bytes(timing_figure(timings))
    latest = {(one.device, one.hidden, one.insertions, one.model): one for one in timings}
    models = list(dict.fromkeys(one.model for one in timings))
    rows = []
    for device, hidden, insertions in sorted({key[:3] for key in latest}):
        found = {model: latest.get((device, hidden, insertions, model)) for model in models}
        ratio = [_ratio(found.get(a), found.get("IA-ag")) for a in ("E", "IR", OURS)]
        shown = [_seconds(found[model]) for model in models]
        rows.append([device, str(hidden), str(insertions), *shown, *ratio])
    ratios = ["E / IA", "IR / IA", f"{OURS} / IA"]
    return (
        f"{title}\n\n![Figure 4](figure4.png)\n\n"
        "Forward, backward and the optimizer's step; one replacement a sequence. In brackets, the "
        f"steps that a number is the mean of, and their batch where it is not 128.\n\n"
        f"{scalability(timings)}\n\n"
        + markdown(["device", "hidden", "insertions", *models, *ratios], rows)
    )


def _seconds(one: Timing | None) -> str:
    if one is None:
        return NOT_RUN
    return f"{one.seconds:.2f} ({one.steps}{'' if one.batch == 128 else f' of {one.batch}'})"


def _ratio(one: Timing | None, other: Timing | None) -> str:
    return f"{one.seconds / other.seconds:.1f}" if one and other else "–"


def _figure_5(cells: Cells, folder: Path) -> str:
    title = "## Figure 5: accuracy by time step"
    by_task: dict[str, dict[str, Cell]] = {}
    for task, model, cell in _ordered(cells):
        if cell.runs[0].by_step and not model.startswith(f"{OURS} "):
            by_task.setdefault(task, {})[model] = cell
    # The paper's two; then those with most networks, Meta tasks first.
    ranked = sorted(
        by_task,
        key=lambda task: (task not in ZOOMED, -len(by_task[task]), not task.startswith("Meta")),
    )
    if not ranked:
        return f"{title}\n\n{NOT_RUN.capitalize()}."
    shown = {task: by_task[task] for task in ranked[:2]}
    (folder / "figure5.png").write_bytes(step_figure(shown))
    rows = []
    most = max(len(cell.runs[0].by_step) for models in shown.values() for cell in models.values())
    columns = min(most, 12)
    for task, models in shown.items():
        for model, cell in models.items():
            curve = [f"{one:.1f}" for one in cell.runs[0].by_step[:columns]]
            rows.append([f"{task}, {model}", *curve, *["–"] * (columns - len(curve))])
    return (
        f"{title}\n\n![Figure 5](figure5.png)\n\n"
        "By the number of the scored edit; late ones are few.\n\n"
        + markdown(["task, model", *map(str, range(1, columns + 1))], rows)
        + "\n\nThe first test instances, an edit a line; what it inserts is in brackets.\n\n"
        + "\n\n".join(map(example_of, shown))
    )


def _real(results: Results, folder: Path) -> str:
    title = "## Real edits"
    chosen = choose_real(results.real)
    if not chosen:
        return f"{title}\n\n{NOT_RUN.capitalize()}."
    (folder / "real.png").write_bytes(real_figure(chosen.values()))
    rows = []
    for (split, model), run in sorted(chosen.items()):
        theirs = paper.REAL.get(model) if split == "random" else None
        rows.append(
            [
                f"{split}, {model}",
                f"{theirs:.1f}" if theirs else "–",
                f"{run.test_accuracy:.1f}",
                f"{run.test_accuracy - theirs:+.1f}" if theirs else "–",
                f"{run.test_positions:.1f}",
                f"{run.test_contents:.1f}",
                f"{run.scored:,}",
                f"{run.steps:,} of {run.config.get('batch')}",
                str(run.config.get("max_state")),
                f"{run.seconds_per_step:.2f}",
            ]
        )
    head = ["split, model", "paper", "ours", "difference", "positions", "contents", "subtokens"]
    return (
        f"{title}\n\n![Figure 4 d](real.png)\n\n"
        "Subtokens with position and content right; at least 50 edits an instance, no end-of-save "
        "marks; states over the limit are cut to what lies around the edits, and left out where "
        "these are further apart. `random`: any instance may be a test one, as in the paper, so "
        "that one file's edits are on both sides. `repository`: no test project is trained on. "
        "The paper's corpus is another, its 8 million edits are trained on for longer, and its "
        "states have up to 1,000 subtokens.\n\n"
        "The curve is of tokens: a token is right if all its subtokens are, as decoded greedily; "
        "its confidence is the joint log probability of the best position and content of each of "
        "its subtokens, given the true ones before. Only the confidence of wrong tokens of "
        f"several subtokens can differ from greedy decoding's. {most_confident(chosen)}\n\n"
        + markdown([*head, "steps, batch", "most tokens", "s / step"], rows)
    )
