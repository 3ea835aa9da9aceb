"""REPORT.md from the lines of results alone: the paper beside what was run."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from editcast_papers.markdown import NOT_RUN, in_words, markdown, page_head, write_page
from editcast_papers.pointer_mixture.differences import COMPARISONS, compared
from editcast_papers.pointer_mixture.paper import RANDOM, UNKNOWN, VALUES, VOCABULARIES
from editcast_papers.pointer_mixture.runs import NETWORKS, Run

_TITLES = {"python": "Python", "javascript": "JavaScript"}
_HEAD = ["", *(f"{vocabulary:,}" for vocabulary in VOCABULARIES)]
#: The runs of a table's cell: by language, task, vocabulary and network.
Cells = Mapping[tuple[str, str, int, str], Sequence[Run]]


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    cells = comparable(runs)
    parts = [_head(runs, problems), _values(cells), _gaps(cells), _kinds(cells)]
    return write_page(folder, [*parts, _types(cells), _runs(runs)])


def comparable(runs: Sequence[Run]) -> Cells:
    """Sort the runs into cells; of each table's column only those of one size and the same files.

    It is the size of which there are runs of most networks, and of those the largest.
    """
    columns: dict[tuple[str, str, int], dict[str, list[Run]]] = defaultdict(dict)
    for run in runs:
        size = json.dumps([dict(run.config), run.corpus], sort_keys=True)
        columns[run.language, run.task, run.vocabulary].setdefault(size, []).append(run)
    cells: dict[tuple[str, str, int, str], list[Run]] = defaultdict(list)
    for column, sizes in columns.items():
        for run in max(sizes.values(), key=_extent):
            cells[*column, run.network].append(run)
    return cells


def _extent(runs: Sequence[Run]) -> tuple[int, ...]:
    config = runs[0].config
    networks = len({run.network for run in runs})
    return networks, config["train"], config["hidden"], config["steps"] * config["batch"]


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        '# "Code completion with neural attention and pointer networks", made again',
        "",
        "Made by `editcast reproduce pointer-mixture` from the `.jsonl` files of this folder; add "
        "lines with `--mirror FOLDER` and it is made again.",
        "",
        "Numbers are percent of the nodes of the test repositories; several seeds are shown as "
        f"mean ± standard deviation. Where there is no run it says *{NOT_RUN}*. Cells with a "
        "stroke are paper / ours; the paper's numbers are of the thesis's talk.",
    ]
    return page_head(lines, runs, problems)


def _published(language: str, network: str) -> tuple[float | None, ...]:
    if network == "pointer random":
        return (RANDOM[language], None, None)
    return VALUES[language, network]


def _values(cells: Cells) -> str:
    rows = []
    for language, title in _TITLES.items():
        rows.append([f"{title}, out of the vocabulary", *_unknown(cells, language)])
        for network in NETWORKS:
            row = [f"{title}, {network}"]
            for theirs, vocabulary in zip(_published(language, network), VOCABULARIES, strict=True):
                own = cells.get((language, "value", vocabulary, network), ())
                found = in_words([run.test_accuracy for run in own])
                row.append(f"{theirs or '–'} / {found}" if theirs or own else "–")
            rows.append(row)
    return "## Next value, by vocabulary\n\n" + markdown(_HEAD, rows)


def _unknown(cells: Cells, language: str) -> list[str]:
    """Return the shares of nodes that each vocabulary lacks; every run of the files says them."""
    found = []
    for theirs, vocabulary in zip(UNKNOWN[language], VOCABULARIES, strict=True):
        keys = ((language, "value", vocabulary, network) for network in NETWORKS)
        shares = [run.shares["unknown"] for key in keys for run in cells.get(key, ())]
        found.append(f"{theirs} / {in_words(shares[:1])}")
    return found


def _gaps(cells: Cells) -> str:
    rows = []
    for language, title in _TITLES.items():
        for comparison in COMPARISONS:
            row = [f"{title}, {comparison.upper} above {comparison.lower}"]
            for column, vocabulary in enumerate(VOCABULARIES):
                sides = (comparison.lower, comparison.upper)
                theirs = [_published(language, one)[column] for one in sides]
                ours = [cells.get((language, "value", vocabulary, one), ()) for one in sides]
                row.append(_gap(theirs, ours))
            rows.append(row)
    return (
        "## Differences, points\n\nOurs are of the same seeds, with 95 % intervals over the test "
        "files, paired by file.\n\n" + markdown(_HEAD, rows)
    )


def _gap(theirs: Sequence[float | None], ours: Sequence[Sequence[Run]]) -> str:
    below, above = theirs
    found = compared(*ours)
    if below is None or above is None:
        return "–" if found is None else found
    return f"{above - below:+.1f} / {found or NOT_RUN}"


def _kinds(cells: Cells) -> str:
    rows = []
    for (language, task, vocabulary, network), runs in sorted(cells.items()):
        if task == "value":
            shares = [run.shares for run in runs]
            names = ("valued", "valued_right", "copyable", "unknown_right")
            found = [in_words([share[name] for share in shares]) for name in names]
            rows.append([f"{_TITLES[language]}, {vocabulary:,}, {network}", *found])
    head = ["", "have a value", "right of these", "unknown, but in the memory", "unknown, right"]
    return (
        "## By kind of node\n\nHalf of the nodes have no value, which their type tells. The third "
        "column is the share of all nodes whose value the vocabulary lacks but the memory has: "
        "more a pointer cannot gain. The last is of all values that the vocabulary lacks.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _types(cells: Cells) -> str:
    rows = []
    names = [name for name, kind in NETWORKS.items() if not kind.pointer]
    for language, task, vocabulary in sorted({key[:3] for key in cells}):
        if task == "type":
            own = [cells.get((language, task, vocabulary, name), ()) for name in names]
            accuracies = [in_words([run.test_accuracy for run in runs]) for runs in own]
            gap = compared(own[0], own[1]) or NOT_RUN
            types = str(own[0][0].counts["types"] if own[0] else own[1][0].counts["types"])
            rows.append([f"{_TITLES[language]}, {vocabulary:,}", types, *accuracies, gap])
    head = ["", "types", *names, "difference, points"]
    return (
        "## Next type\n\nTypes have the two bits; every type can be generated, so there is nothing "
        "to copy. The talk has no numbers.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{run.language}, {run.task}, {run.vocabulary:,}, {run.network}, seed {run.seed}",
            f"{run.config['hidden']}, {run.config['rate']}, {run.config['batch']}",
            str(run.steps),
            f"{max(score for _, score in run.dev):.1f}",
            f"{run.test_accuracy:.1f}",
            "{train:,} / {dev:,} / {test:,}".format(**run.counts),
            f"{run.parameters:,}",
            f"{run.seconds_per_step:.3f}",
            run.device,
            run.corpus,
        ]
        for run in runs
    ]
    head = ["", "hidden, rate, streams", "steps", "dev, %", "test, %", "nodes: train / dev / test"]
    head += ["parameters", "s / step", "device", "trees"]
    return "## Runs\n\n" + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
