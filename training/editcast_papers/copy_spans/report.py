"""REPORT.md from the lines of results alone: the paper beside what was run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, median, stdev

from editcast_papers.copy_spans.paper import EDITS, TABLE, UNCHANGED
from editcast_papers.copy_spans.runs import Run
from editcast_papers.markdown import NOT_RUN, in_words, markdown, page_head, write_page

_BINS = ((1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 63), (64, 1000))  # words of a span


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    parts = [
        _head(runs, problems),
        "## Table 1: repair of code\n\nCells are paper / ours.\n\n" + _table(runs),
        _differences(runs),
        _unchanged(runs),
        _edits(_of_size(runs, "edits")),
        _lengths(runs),
        _actions(runs),
        _runs(runs),
    ]
    return write_page(folder, parts)


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        '# "Copy that! Editing sequences by copying spans", made again',
        "",
        "Made by `editcast reproduce copy-spans` from the `.jsonl` files of this folder; add lines "
        "with `--pairs FOLDER` and it is made again.",
        "",
        "Numbers are of the official test pairs; several seeds are shown as mean ± standard "
        f"deviation. Where there is no run it says *{NOT_RUN}*.",
    ]
    return page_head(lines, runs, problems)


def _of(runs: Iterable[Run], size: str, model: str) -> list[Run]:
    return [run for run in runs if (run.size, run.model) == (size, model)]


def _of_size(runs: Iterable[Run], size: str) -> list[Run]:
    return [run for run in runs if run.size == size]


def _table(runs: Sequence[Run]) -> str:
    rows = []
    for (size, model, search), paper in TABLE.items():
        own = [run.searches[search] for run in _of(runs, size, model) if search in run.searches]
        cells = []
        for name, theirs in zip(paper._fields, paper, strict=True):
            digits = 3 if name == "mrr" else 1
            ours = in_words([one[name] for one in own], digits)
            cells.append("–" if theirs is None else f"{theirs:.{digits}f} / {ours}")
        how = "" if search == "beam" else f", {search}"
        rows.append([f"{size}, {model}{how}", *cells, str(len(own))])
    head = ["", "accuracy, %", "accuracy@20, %", "MRR", "structural match, %", "seeds"]
    return markdown(head, rows)


def _differences(runs: Sequence[Run]) -> str:
    """Compare rows of the table, seed by seed."""
    rows = []
    for size, model, search in TABLE:
        if (model, search) == _OURS:
            continue
        cells = [_gap(runs, size, (model, search), name) for name in ("accuracy", "within")]
        rows.append([f"{size}, {model}" + ("" if search == "beam" else f", {search}"), *cells])
    table = markdown(["", "accuracy, points", "accuracy@20, points"], rows)
    return (
        "## SeqCopySpan above the others\n\nCells are paper / ours, of the same seeds.\n\n" + table
    )


_OURS = "SeqCopySpan", "beam"


def _gap(runs: Sequence[Run], size: str, lower: tuple[str, str], name: str) -> str:
    """Return by how much SeqCopySpan is above a row, in the paper and in the runs."""
    upper = getattr(TABLE[size, *_OURS], name)
    under = getattr(TABLE[size, *lower], name)
    if under is None:
        return "–"
    of_seeds = [
        {
            run.seed: float(run.searches[search][name])
            for run in _of(runs, size, model)
            if search in run.searches
        }
        for model, search in (_OURS, lower)
    ]
    gaps = [score - of_seeds[1][seed] for seed, score in of_seeds[0].items() if seed in of_seeds[1]]
    if not gaps:
        return f"{upper - under:+.1f} / {NOT_RUN}"
    spread = f" ± {stdev(gaps):.1f}" if len(gaps) > 1 else ""
    return f"{upper - under:+.1f} / {mean(gaps):+.1f}{spread}"


def _unchanged(runs: Sequence[Run]) -> str:
    rows = []
    for model, theirs in UNCHANGED.items():
        own = [run.searches["beam"]["unchanged"] for run in _of(runs, "small", model)]
        rows.append([model, f"{theirs:.2f}", in_words(own, 2)])
    table = markdown(["model", "paper", "ours"], rows)
    return f"## Mean reciprocal rank of the unchanged input, small\n\n{table}"


def _edits(runs: Sequence[Run]) -> str:
    """Write the tables of edit representations: made again, and transferred, kind by kind."""
    rows = []
    for model, (again, transferred) in EDITS.items():
        own = [run for run in runs if run.model == model]
        means = [mean(one["first"] for one in run.transfers.values()) for run in own]
        fives = [mean(one["within"] for one in run.transfers.values()) for run in own]
        accuracy = in_words([run.test_accuracy for run in own], 1)
        cells = f"{again} / {accuracy}", f"{transferred} / {in_words(means, 1)}", in_words(fives, 1)
        rows.append([model, *cells, str(len(own))])
    head = ["", "made again, %", "transferred @1, %", "@5, %", "seeds"]
    parts = [
        "## Table 3: representations of edits\n\nCells are paper / ours; the paper's are C# edits "
        "and sixteen fixers, ours Python edits and kinds of refactorings.\n\n"
        + markdown(head, rows)
    ]
    kinds = sorted({kind for run in runs for kind in run.transfers})
    if kinds:
        shown = [[run.transfers.get(kind, {}) for run in runs] for kind in kinds]
        names = [f"{run.model}, seed {run.seed}: @1, @5" for run in runs]
        table = [
            [kind, *(f"{one.get('first', '–')}, {one.get('within', '–')}" for one in found)]
            for kind, found in zip(kinds, shown, strict=True)
        ]
        parts.append(markdown(["kind", *names], table))
    return "\n\n".join(parts)


def _lengths(runs: Sequence[Run]) -> str:
    rows = []
    for run in runs:
        counts = {int(length): int(count) for length, count in run.lengths.items()}
        total = sum(counts.values())
        if not total or run.model == "Copy+Seq2Seq":
            continue
        longer = [length for length, count in counts.items() for _ in range(count) if length > 1]
        shares = [
            sum(count for length, count in counts.items() if low <= length <= high)
            for low, high in _BINS
        ]
        rows.append(
            [
                f"{run.size}, {run.model}, seed {run.seed}",
                *(f"{100 * share / total:.1f}" for share in shares),
                f"{len(longer) / run.counts['test']:.1f}",
                f"{mean(longer):.1f}" if longer else "–",
                f"{median(longer):.0f}" if longer else "–",
            ]
        )
    bins = [str(low) if low == high else f"{low}-{high}" for low, high in _BINS[:-1]] + ["64-"]
    head = ["", *bins, "longer than 1 a pair", "their mean", "their median"]
    return (
        "## Lengths of copied spans\n\nPercent of the spans that greedy decoding copies. Of those "
        "longer than one word the paper has three a pair on small, of eight words on average, six "
        "in the median; 43.7 % of its copies are of one word (its figure 7, a beam without "
        "merging).\n\n" + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _actions(runs: Sequence[Run]) -> str:
    shown = next((run for run in runs if run.model == "SeqCopySpan"), None)
    if shown is None:
        return f"## Sequences of actions\n\n{NOT_RUN.capitalize()}."
    lines = "\n".join(f"- {one.replace('<', chr(92) + '<')}" for one in shown.actions)
    return (
        "## Sequences of actions\n\nWhat greedy decoding does to the first test pairs "
        f"({shown.size}, {shown.model}, seed {shown.seed}); it may be wrong.\n\n{lines}"
    )


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{run.size}, {run.model}, seed {run.seed}",
            f"{run.config['hidden']}, {run.config['rate']}, {run.config['batch']}",
            str(run.steps),
            f"{max(score for _, score in run.dev):.1f}",
            "{train} / {dev} / {test}".format(**run.counts),
            f"{run.parameters:,}",
            f"{run.seconds_per_step:.2f}",
            run.device,
        ]
        for run in runs
    ]
    head = ["", "hidden, rate, batch", "steps", "dev, %", "pairs: train / dev / test"]
    head += ["parameters", "s / step", "device"]
    return (
        "## Runs\n\nDev is the geometric mean of a word's probability, by which the weights are "
        "chosen; of *force copy longest* only one way counts.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )
