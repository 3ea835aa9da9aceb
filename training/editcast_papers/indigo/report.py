"""REPORT.md from the lines of results alone: the paper beside what was run."""

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from editcast_papers.bleu import paired_bootstrap
from editcast_papers.indigo.paper import ABLATION, CODE, RECOVERY_GAIN, TIME, TRANSLATION
from editcast_papers.indigo.runs import VARIANTS, Run
from editcast_papers.indigo.tasks import TASKS
from editcast_papers.indigo.timing import Timing
from editcast_papers.markdown import NOT_RUN, in_words, markdown, page_head, write_page

_BEAM = "10"  # at which orders are compared


def write_report(
    runs: Sequence[Run], timings: Sequence[Timing], problems: Sequence[str], folder: Path
) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    last = _of_one_size(runs)
    parts = [
        _head(runs, problems),
        _claims(last),
        _recovery(last),
        _orders(last),
        _code(last),
        _ablation(last),
        _time(last, timings),
        _pictures(last),
        _runs(runs),
    ]
    return write_page(folder, parts)


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        '# "Insertion-based decoding with automatically inferred generation order", made again',
        "",
        "Made by `editcast reproduce indigo` from the `.jsonl` files of this folder; add lines "
        "with `--data FOLDER` and it is made again.",
        "",
        "Numbers are of the official test parts; several seeds are shown as mean ± standard "
        f"deviation. Where there is no run it says *{NOT_RUN}*. Orders are left to right (L2R), "
        "right to left (R2L), odd places first (ODD), a balanced tree (BLT), the syntax tree "
        "(SYN), common and rare words first (CF, RF), random (RND), and searched (SAO). Of runs "
        "with several configurations the tables have those like the last one of a task.",
    ]
    return page_head(lines, runs, problems)


def _of_one_size(runs: Sequence[Run]) -> list[Run]:
    """Leave out runs whose configuration is not that of the last line of their task."""
    last = {run.task: _size(run) for run in runs}
    orders = {(run.task, run.variant): run.config["orders"] for run in runs}
    return [
        run
        for run in runs
        if _size(run) == last[run.task] and run.config["orders"] == orders[run.task, run.variant]
    ]


def _size(run: Run) -> dict[str, Any]:
    return {name: value for name, value in run.config.items() if name != "orders"}


def _of(runs: Iterable[Run], task: str, variant: str) -> list[Run]:
    return [run for run in runs if (run.task, run.variant) == (task, variant)]


def _at(runs: Sequence[Run], beam: str, name: str) -> list[float]:
    return [run.beams[beam][name] for run in runs if beam in run.beams]


def _chosen(run: Run) -> Any:
    """Return the scores of the beam that is best on dev, as the paper chooses it."""
    best = max(run.dev_beams, key=lambda beam: run.dev_beams[beam][_measure(run.task)])
    return run.beams[best]


def _measure(task: str) -> str:
    return "exact" if task == "django" else "bleu"


def _claims(runs: Sequence[Run]) -> str:
    """Compare orders as the paper's claims do, seed by seed."""
    rows = [
        ["word order, SAO above L2R, BLEU", f"up to +{RECOVERY_GAIN}"]
        + _gap(runs, "word order", "SAO", "L2R", "bleu"),
        ["word order, RND above L2R, BLEU", "–"] + _gap(runs, "word order", "RND", "L2R", "bleu"),
        ["django, SAO above L2R, points exact", f"+{CODE['SAO'][1] - CODE['L2R'][1]:.1f}"]
        + _gap(runs, "django", "SAO", "L2R", "exact"),
        ["django, RND above L2R, points exact", "–"] + _gap(runs, "django", "RND", "L2R", "exact"),
        ["translation, SAO above L2R, BLEU", f"+{TRANSLATION['SAO'] - TRANSLATION['L2R']:.1f}"]
        + _gap(runs, "en-de", "SAO", "L2R", "bleu"),
        ["translation, RND above L2R, BLEU", f"{TRANSLATION['RND'] - TRANSLATION['L2R']:+.1f}"]
        + _gap(runs, "en-de", "RND", "L2R", "bleu"),
    ]
    table = markdown(["", "paper", "ours", "95 % interval", "seeds"], rows)
    return (
        f"## What must show\n\nAt beam {_BEAM}, of the same seeds. The interval is that of the "
        "sentences (1,000 paired samples), for BLEU. The paper's translations are from Romanian, "
        "ours of captions into German.\n\n" + table
    )


def _gap(runs: Sequence[Run], task: str, upper: str, lower: str, name: str) -> list[str]:
    """Return the mean difference of two orders, its interval, and the number of seeds."""
    above, below = (
        {run.seed: run.beams[_BEAM] for run in _of(runs, task, one) if _BEAM in run.beams}
        for one in (upper, lower)
    )
    seeds = sorted(set(above) & set(below))
    gaps = [above[seed][name] - below[seed][name] for seed in seeds]
    if not gaps:
        return [NOT_RUN, "–", "0"]
    spread = f" ± {stdev(gaps):.1f}" if len(gaps) > 1 else ""
    interval = "–"
    if name == "bleu" and all("counts" in side[seed] for seed in seeds for side in (above, below)):
        found = paired_bootstrap(
            [above[seed]["counts"] for seed in seeds], [below[seed]["counts"] for seed in seeds]
        )
        interval = f"{found.low:+.1f} to {found.high:+.1f}"
    return [f"{mean(gaps):+.1f}{spread}", interval, str(len(gaps))]


def _recovery(runs: Sequence[Run]) -> str:
    own = [run for run in runs if run.task == "word order"]
    beams = sorted({beam for run in own for beam in run.beams}, key=int)
    rows = [
        [variant, *(in_words(_at(_of(own, "word order", variant), beam, "bleu")) for beam in beams)]
        + [in_words(_at(_of(own, "word order", variant), _BEAM, "exact"))]
        + [in_words([run.appended for run in _of(own, "word order", variant)])]
        for variant in VARIANTS
        if _of(own, "word order", variant)
    ]
    head = ["", *(f"beam {beam}" for beam in beams)]
    head += [f"exact at beam {_BEAM}, %", "behind the word before, %"]
    return (
        "## Figure 3: word order recovery, BLEU by beam\n\nThe last column says how many words "
        "greedy decoding writes right behind the word that it wrote before.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _orders(runs: Sequence[Run]) -> str:
    rows = []
    for variant in TRANSLATION:
        found = {task: [_chosen(run) for run in _of(runs, task, variant)] for task in TASKS}
        rows.append(
            [
                variant,
                f"{TRANSLATION[variant]:.1f}",
                *(in_words([one["bleu"] for one in found[task]]) for task in TASKS),
                in_words([one["exact"] for one in found["django"]]),
            ]
        )
    head = ["", "paper, Romanian to English", *(f"{task}, BLEU" for task in TASKS)]
    return (
        "## Table 3: orders\n\nAt the beam that is best on dev. SYN is there of Python only.\n\n"
        + markdown([*head, "django, exact, %"], rows)
    )


def _code(runs: Sequence[Run]) -> str:
    rows = []
    for variant, paper in CODE.items():
        own = [_chosen(run) for run in _of(runs, "django", variant)]
        cells = [
            f"{theirs:.1f} / {in_words([one[name] for one in own])}"
            for theirs, name in zip(paper, ("bleu", "exact"), strict=True)
        ]
        rows.append([variant, *cells, str(len(own))])
    return "## Table 4: code from descriptions\n\nCells are paper / ours.\n\n" + markdown(
        ["Django", "BLEU", "exact, %", "seeds"], rows
    )


def _ablation(runs: Sequence[Run]) -> str:
    rows = [
        [variant, f"{paper[0]:.1f}", f"{paper[1]:.1f}"]
        + [in_words([_chosen(run)["bleu"] for run in _of(runs, task, variant)]) for task in TASKS]
        + [in_words([_chosen(run)["exact"] for run in _of(runs, "django", variant)])]
        for variant, paper in ABLATION.items()
    ]
    head = ["", "paper, dev", "paper, test", *(f"{task}, BLEU" for task in TASKS)]
    return (
        "## Table 5: without bootstrap, without noise\n\nThe paper's are translations from "
        "Romanian.\n\n" + markdown([*head, "django, exact, %"], rows)
    )


def _time(runs: Sequence[Run], timings: Sequence[Timing]) -> str:
    rows = []
    for orders, (speed, ms) in TIME.items():
        own = [one for one in timings if one.orders == orders]
        cells = ", ".join(f"{one.batches_per_second:.2f} ({one.task})" for one in own) or NOT_RUN
        rows.append([f"SAO, B = {orders}" if orders else "L2R", f"{speed:.2f} / {cells}", f"{ms}"])
    training = markdown(["", "batches a second, paper / ours", "ms a sentence, paper"], rows)
    rows = []
    for task in TASKS:
        for variant in VARIANTS:
            own_runs = _of(runs, task, variant)
            if not own_runs:
                continue
            ms_of, words = (_at(own_runs, "1", name) for name in ("ms", "words"))
            first = _at(_of(runs, task, "L2R"), "1", "ms")
            ratio = f"{100 * mean(ms_of) / mean(first) - 100:+.0f}" if first and ms_of else "–"
            each = [one / (count + 1) for one, count in zip(ms_of, words, strict=True)]
            rows.append(
                [f"{task}, {variant}", in_words(ms_of), ratio, in_words(words), in_words(each, 2)]
            )
    head = ["", "ms a text", "above L2R, %", "words a text", "ms a step"]
    return (
        "## Table 6: time\n\nThe paper's are of eight V100 with 2,000 tokens each.\n\n"
        + training
        + "\n\nGreedy decoding of the test examples, ours. On a "
        "processor it is the processor's own time.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _pictures(runs: Sequence[Run]) -> str:
    lines = ["## Figure 5: the order in which texts are written"]
    lines += ["", "Greedy decoding of test examples; behind each word is the step that wrote it."]
    for task, variant in product(TASKS, ("SAO", "SYN", "RF")):
        for run in _of(runs, task, variant)[:1]:
            lines += ["", f"{task}, {variant}, seed {run.seed}:", ""]
            lines += [f"    {one}" for one in run.actions]
    return "\n".join(lines)


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{run.task}, {run.variant}, seed {run.seed}",
            "{hidden}, {layers}, {rate}, {batch}, {orders}".format(**run.config),
            str(run.steps),
            f"{max(score for _, score in run.dev):.1f}",
            "{train} / {dev} / {test}".format(**run.counts),
            f"{run.parameters:,}",
            run.device,
        ]
        for run in runs
    ]
    head = ["", "hidden, layers, rate, batch, B", "steps", "dev, BLEU"]
    head += ["examples: train / dev / test", "parameters", "device"]
    return "## Runs\n\nWeights are chosen by BLEU on dev, greedy.\n\n" + (
        markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}."
    )
