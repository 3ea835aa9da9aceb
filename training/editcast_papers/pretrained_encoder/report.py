"""REPORT.md from the lines of results alone: the thesis beside what was run."""

from collections.abc import Sequence
from pathlib import Path

from editcast_papers.exact import paired_gap
from editcast_papers.markdown import (
    NOT_RUN,
    gap_in_words,
    in_words,
    markdown,
    page_head,
    write_page,
)
from editcast_papers.pretrained_encoder.paper import COPYING, TABLE
from editcast_papers.pretrained_encoder.pretraining import Pretraining
from editcast_papers.pretrained_encoder.runs import MODELS, Run

_OWN = {
    "fine-tuned": "BERT-LSTM",
    "fine-tuned, without copying": "BERT-LSTM without copying",
}
_COMPARED = (
    ("copying", "fine-tuned", "fine-tuned, without copying", f"{COPYING:+.1f}"),
    ("copying, from scratch", "from scratch", "from scratch, without copying", "–"),
    ("fine-tuned above frozen", "fine-tuned", "frozen", "above"),
    ("fine-tuned above scratch", "fine-tuned", "from scratch", "–"),
    ("LSTM above Transformer", "fine-tuned", "fine-tuned, Transformer", "above"),
    (
        "LSTM above Transformer, from scratch",
        "from scratch",
        "from scratch, Transformer",
        "–",
    ),
)


def write_report(
    runs: Sequence[Run], before: Sequence[Pretraining], problems: Sequence[str], folder: Path
) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_settings(run), []).append(run)
    parts = [_head(runs, problems)]
    for settings, group in groups.items():
        parts += [f"## {settings}", _table(group), _differences(group)]
    if not groups:
        parts.append(_table([]))
    parts += [_others(), _pretraining(before), _written(runs), _runs(runs)]
    return write_page(folder, parts)


def _settings(run: Run) -> str:
    return "Hidden {hidden}, rate {rate}, batch {batch}, {steps:,} steps".format(**run.config)


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        "# A pre-trained encoder and an LSTM decoder, made again",
        "",
        "Topic 3 of Jian Li's thesis (2020), table 6.3: lines of Django. Made by `editcast "
        "reproduce pretrained-encoder` from the `.jsonl` files of this folder; add lines with "
        "`--data FOLDER --mirror FOLDER` and it is made again.",
        "",
        "A line is right if it is exactly the test's, or another way to write the same code. "
        "Several seeds are shown as mean ± standard deviation. Where there is no run it says "
        f"*{NOT_RUN}*.",
    ]
    return page_head(lines, runs, problems)


def _table(runs: Sequence[Run]) -> str:
    rows = []
    for name in MODELS:
        own = [run for run in runs if run.model == name]
        theirs = f"{TABLE[_OWN[name]]:.1f}" if name in _OWN else "–"
        cells = [
            in_words([float(run.searches[search][what]) for run in own])
            for search, what in (("greedy", "exact"), ("beam", "exact"), ("beam", "bleu"))
        ]
        most = f"{own[0].reachable:.1f}" if own else "–"
        rows.append([f"{name} ({_decoder(name)})", theirs, *cells, most, str(len(own))])
    head = ["encoder", "thesis, %", "greedy, %", "beam of 5, %", "BLEU", "at most, %", "seeds"]
    return (
        markdown(head, rows) + "\n\n*At most*: lines all of whose words the model can write; the "
        "others have words that are not in its vocabulary and that it cannot copy."
    )


def _decoder(name: str) -> str:
    return MODELS[name].decoder


def _differences(runs: Sequence[Run]) -> str:
    """Compare models seed by seed, and searches of the same networks."""
    rows = []
    for what, upper, lower, theirs in _COMPARED:
        cells = [
            _gap(_figures(runs, upper, search), _figures(runs, lower, search))
            for search in ("greedy", "beam")
        ]
        rows.append([what, theirs, *cells])
    searched = _gap(_all_figures(runs, "beam"), _all_figures(runs, "greedy"))
    rows.append(["beam above greedy, all models", "–", searched, searched])
    table = markdown(["", "thesis", "greedy, points", "beam of 5, points"], rows)
    return (
        "Differences of exact match, of the same seeds, with intervals that hold 95 of 100 samples "
        "of the test lines. The thesis shows *fine-tuned*, *LSTM* and *greedy* as the best, in a "
        f"figure and on other data.\n\n{table}"
    )


def _figures(runs: Sequence[Run], model: str, search: str) -> dict[tuple[str, int], str]:
    return {
        ("", run.seed): str(run.searches[search]["right"]) for run in runs if run.model == model
    }


def _all_figures(runs: Sequence[Run], search: str) -> dict[tuple[str, int], str]:
    return {(run.model, run.seed): str(run.searches[search]["right"]) for run in runs}


def _gap(upper: dict[tuple[str, int], str], lower: dict[tuple[str, int], str]) -> str:
    both = [key for key in upper if key in lower and len(upper[key]) == len(lower[key])]
    if not both:
        return NOT_RUN
    gap = paired_gap([upper[key] for key in both], [lower[key] for key in both])
    return gap_in_words(gap)


def _others() -> str:
    rows = [[name, f"{value:.1f}"] for name, value in TABLE.items()]
    return "## Table 6.3 of the thesis\n\n" + markdown(["system", "exact, %"], rows)


def _pretraining(before: Sequence[Pretraining]) -> str:
    rows = [
        [
            ", ".join(one.repositories),
            f"{one.segments:,}",
            f"{one.steps:,}",
            f"{one.test_accuracy:.1f}",
            f"{one.parameters:,}",
            f"{one.seconds_per_step:.2f}",
            one.device,
        ]
        for one in before
    ]
    head = ["projects", "segments", "steps", "guessed, %", "parameters", "s / step", "device"]
    return (
        "## Pre-training\n\nSubwords are masked in files of projects as they stand and in the "
        "descriptions to train on; *guessed* are those of segments held out.\n\n"
        + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )


def _written(runs: Sequence[Run]) -> str:
    shown = next((run for run in runs if run.model == "fine-tuned"), next(iter(runs), None))
    if shown is None:
        return f"## Lines\n\n{NOT_RUN.capitalize()}."
    lines = "\n".join(
        f"- {'right' if figure == '1' else 'wrong'}: `` {text} ``"
        for text, figure in zip(shown.written, shown.searches["beam"]["right"], strict=False)
    )
    return f"## Lines\n\nThe first of the test ({shown.model}, seed {shown.seed}, beam).\n\n{lines}"


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{run.model}, seed {run.seed}",
            "{hidden}, {rate}, {batch}".format(**run.config),
            f"{run.steps:,}",
            f"{max(value for _, value in run.dev):.1f}",
            "{train} / {dev} / {test}".format(**run.counts),
            f"{run.parameters:,}",
            f"{run.seconds_per_step:.2f}",
            run.device,
        ]
        for run in runs
    ]
    head = ["", "hidden, rate, batch", "steps", "dev, %", "lines: train / dev / test"]
    head += ["parameters", "s / step", "device"]
    return (
        "## Runs\n\nDev is the geometric mean of a word's probability, by which the weights are "
        "chosen.\n\n" + (markdown(head, rows) if rows else f"{NOT_RUN.capitalize()}.")
    )
