"""REPORT.md from the lines of results alone: the papers beside what was run."""

import json
from collections.abc import Sequence
from pathlib import Path

from editcast_papers.bleu import paired_bootstrap
from editcast_papers.markdown import (
    NOT_RUN,
    gap_in_words,
    in_words,
    markdown,
    page_head,
    write_page,
)
from editcast_papers.multi_head.paper import DISAGREEMENT, GOALS, ROUTING, Row
from editcast_papers.multi_head.runs import MODELS, Run
from editcast_papers.multi_head.scores import KINDS
from editcast_training.evaluation.intervals import Interval

_NONE = "none"


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    parts = [_head(runs, problems)]
    for alike in _by_settings(runs):
        parts += [
            _title(alike[0]),
            _goals(alike),
            _disagreement(alike),
            _routing(alike),
            _others(alike),
            _measured(alike),
            _shown(alike),
            _runs(alike),
        ]
    return write_page(folder, parts)


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        "# Heads that disagree, and routing that joins them, made again",
        "",
        "Made by `editcast reproduce multi-head` from the `.jsonl` files of this folder; add lines "
        "with `--data FOLDER`, a clone of `multi30k/dataset`, and it is made again.",
        "",
        "Li et al. (2018), *Multi-Head Attention with Disagreement Regularization*, and Li et al. "
        "(2019), *Information Aggregation for Multi-Head Attention with Routing-by-Agreement*. "
        "BLEU is of the 1,000 test sentences of 2016, German to English, in lower case, with a "
        "beam of 4. Cells are paper / ours; the papers translate WMT17 Chinese to English and "
        "WMT14 English to German. Several seeds are shown as mean ± standard deviation. "
        "Differences are of the same seeds; in brackets is what holds them in 95 of 100 samples of "
        f"the test sentences. Where there is no run it says *{NOT_RUN}*.",
    ]
    return page_head(lines, runs, problems)


def _by_settings(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs of the same settings and data, those with the most runs first."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(json.dumps([dict(run.config), run.corpus], sort_keys=True), []).append(
            run
        )
    return sorted(groups.values(), key=len, reverse=True)


def _title(run: Run) -> str:
    return (
        "## Width {hidden}, layers {layers}, heads {heads}, steps {steps}\n\n"
        "{vocabulary} subwords, dropout {dropout}, learning rate {rate}, {batch} pairs in a step."
    ).format(**run.config)


def _of(runs: Sequence[Run], model: str) -> list[Run]:
    return [run for run in runs if run.model == model]


def _beside(theirs: float | None, ours: str, digits: int = 2) -> str:
    return f"{'–' if theirs is None else f'{theirs:.{digits}f}'} / {ours}"


def _gap(runs: Sequence[Run], model: str) -> Interval | None:
    """Compare a model with none, seed by seed."""
    upper, lower = ({run.seed: run.sentences for run in _of(runs, name)} for name in (model, _NONE))
    seeds = sorted(upper.keys() & lower.keys())
    if not seeds:
        return None
    return paired_bootstrap([upper[seed] for seed in seeds], [lower[seed] for seed in seeds])


def _above(runs: Sequence[Run], row: Row, rows: Sequence[Row]) -> str:
    if row.model == _NONE:
        return "–"
    first = rows[0].bleu
    theirs = "–" if row.bleu is None or first is None else f"{row.bleu - first:+.2f}"
    return f"{theirs} / {gap_in_words(_gap(runs, row.model), 2)}"


def _speed(own: Sequence[Run]) -> str:
    """Return the training steps that a second has room for."""
    return in_words([1 / run.seconds_per_step for run in own], 2)


def _goals(runs: Sequence[Run]) -> str:
    lines = []
    for model, least in GOALS.items():
        gap = _gap(runs, model)
        seeds = len({run.seed for run in _of(runs, model)} & {run.seed for run in _of(runs, _NONE)})
        if gap is None:
            said = NOT_RUN
        else:
            reached = "reached" if gap.value >= least else "not reached"
            said = f"{gap_in_words(gap, 2)}, {seeds} of 3 seeds: {reached}"
        lines.append(f"- *{model}* at least {least} above *{_NONE}*: {said}.")
    return "What must be shown:\n\n" + "\n".join(lines)


def _disagreement(runs: Sequence[Run]) -> str:
    rows = []
    for row in DISAGREEMENT:
        own = _of(runs, row.model)
        rows.append(
            [
                row.model,
                _beside(row.speed, _speed(own)),
                _beside(row.bleu, in_words([run.bleu for run in own], 2)),
                _above(runs, row, DISAGREEMENT),
                str(len(own)),
            ]
        )
    head = ["heads of the encoder disagree on", "steps / s", "BLEU", "above none", "seeds"]
    return "### Disagreement\n\n" + markdown(head, rows)


def _routing(runs: Sequence[Run]) -> str:
    rows = []
    for row in ROUTING:
        own = _of(runs, row.model)
        millions = in_words([run.parameters / 1e6 for run in own[:1]], 2)
        rows.append(
            [
                row.model,
                _beside(row.parameters, millions, 1),
                _beside(row.speed, _speed(own)),
                _beside(row.decoding, in_words([run.sentences_per_second for run in own], 1)),
                _beside(row.bleu, in_words([run.bleu for run in own], 2)),
                _above(runs, row, ROUTING),
                str(len(own)),
            ]
        )
    head = ["routing", "parameters, millions", "steps / s", "sentences / s", "BLEU"]
    return "### Routing by agreement\n\n" + markdown([*head, "above none", "seeds"], rows)


def _others(runs: Sequence[Run]) -> str:
    rows = []
    known = {row.model for row in (*DISAGREEMENT, *ROUTING)}
    for model in MODELS:
        own = _of(runs, model)
        if model in known:
            continue
        bleu = in_words([run.bleu for run in own], 2)
        rows.append([model, _speed(own), bleu, gap_in_words(_gap(runs, model), 2), str(len(own))])
    head = ["", "steps / s", "BLEU", "above none", "seeds"]
    return "### Both together, and routing in single layers\n\n" + markdown(head, rows)


def _measured(runs: Sequence[Run]) -> str:
    rows = []
    for model in MODELS:
        own = _of(runs, model)
        if own:
            cells = [in_words([run.disagreement[kind] for run in own], 3) for kind in KINDS]
            rows.append([model, *cells])
    return (
        "### How much heads disagree\n\nOf the encoder's self-attention, on dev: 0 at most. On "
        "subspaces and outputs it is -1 if all heads are alike.\n\n" + markdown(["", *KINDS], rows)
    )


def _shown(runs: Sequence[Run]) -> str:
    first = (_of(runs, _NONE) or runs)[0]
    lines = "\n".join(f"- {text}" for text in first.shown)
    return (
        f"### Translations\n\nOf the first test sentences ({first.model}, seed {first.seed}); they "
        f"may be wrong.\n\n{lines}"
    )


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{run.model}, seed {run.seed}",
            f"{run.bleu:.2f}",
            f"{max(score for _, score in run.dev):.1f}",
            f"{run.parameters:,}",
            f"{run.seconds_per_step:.3f}",
            run.device,
        ]
        for run in runs
    ]
    head = ["", "BLEU", "dev, %", "parameters", "s / step", "device"]
    return (
        "### Runs\n\nDev is the geometric mean of a subword's probability, by which the weights "
        "are chosen.\n\n" + markdown(head, rows)
    )
