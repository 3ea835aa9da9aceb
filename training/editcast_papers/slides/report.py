"""REPORT.md from the lines of results alone: a table of each question of the slides."""

import json
from collections.abc import Sequence
from dataclasses import asdict
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
from editcast_papers.slides.runs import BASELINE, TABLES, Model, Run

_TITLES = {
    "vocabulary": "Vocabularies",
    "positions": "Positions",
    "network": "Encoders and decoders",
    "heads": "Heads of the layers that read (the thesis, topic 2)",
    "parents": "Parents of what is read (the thesis, topic 1)",
    "pretraining": "Lines left out of files first (the thesis, topic 3)",
}
_FIELDS = {"network": "shape", "heads": "joined", "pretraining": "pretrained"}


def write_report(runs: Sequence[Run], problems: Sequence[str], folder: Path) -> Path:
    """Write REPORT.md into a folder; NOTES.md there becomes its last section."""
    parts = [_head(runs, problems)]
    for alike in _alike(runs):
        parts.append(_title(alike[0]))
        parts += [_table(name, alike) for name in TABLES]
        parts.append(_runs(alike))
    return write_page(folder, parts)


def _head(runs: Sequence[Run], problems: Sequence[str]) -> str:
    lines = [
        "# Vocabularies, positions, encoders and decoders, compared on edits",
        "",
        "Nie, *Sequence-to-Sequence Models and Transformers* (slides of CS846). Made by `editcast "
        "reproduce slides` from the `.jsonl` files of this folder; add lines with `--mirror "
        "FOLDER` and it is made again.",
        "",
        "The slides have no numbers; they name the choices. Here each is trained to write what "
        "changed lines become, given the lines, three above, three below, and the edit before it "
        "in the same file and commit. *Exact* is the percentage of test edits that greedy "
        "decoding writes without a fault; *bits* are of a character, so that vocabularies can be "
        f"compared. Each table changes one part of the baseline ({BASELINE.words}). Several seeds "
        "are shown as mean ± standard deviation. Differences are in points of exact edits, of the "
        "same seeds, with intervals that hold 95 of 100 samples of the test edits. Where there is "
        f"no run it says *{NOT_RUN}*.",
    ]
    return page_head(lines, runs, problems)


def _alike(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs of one configuration and of the same edits, those with the most runs first."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        key = json.dumps([dict(run.config), run.edits], sort_keys=True)
        groups.setdefault(key, []).append(run)
    return sorted(groups.values(), key=len, reverse=True)


def _title(run: Run) -> str:
    about = "## Hidden {hidden}, rate {rate}, batch {batch}, {steps:,} steps".format(**run.config)
    edits = "{train:,} edits to train on, {dev:,} of dev, {test:,} of the test".format(**run.counts)
    same = "{as_shown} % of the test edits write what the edit shown wrote".format(**run.counts)
    return f"{about}\n\n{edits}. {same}."


def _of(runs: Sequence[Run], model: Model) -> list[Run]:
    return [run for run in runs if run.is_of(model)]


def _above(runs: Sequence[Run], model: Model) -> str:
    """Compare a model with the baseline, which all tables share."""
    if model == BASELINE:
        return "–"
    upper, lower = ({run.seed: run.right for run in _of(runs, one)} for one in (model, BASELINE))
    seeds = sorted(upper.keys() & lower.keys())
    if not seeds:
        return NOT_RUN
    gap = paired_gap([upper[seed] for seed in seeds], [lower[seed] for seed in seeds])
    return gap_in_words(gap)


def _table(name: str, runs: Sequence[Run]) -> str:
    key = _FIELDS.get(name, name)
    rows = []
    for model in TABLES[name]:
        own, value = _of(runs, model), asdict(model)[key]
        rows.append(
            [
                _said(value),
                in_words([run.test_accuracy for run in own], 1),
                _above(runs, model),
                in_words([run.bits for run in own], 3),
                in_words([run.counts["read"] for run in own[:1]], 0),
                in_words([run.counts["written"] for run in own[:1]], 1),
                in_words([run.parameters / 1e6 for run in own[:1]], 2),
                in_words([run.seconds_per_step for run in own], 3),
                str(len(own)),
            ]
        )
    fixed = ", ".join(
        _said(each)
        for other, each in asdict(BASELINE).items()
        if other != key and not isinstance(each, bool)
    )
    head = [name, "exact, %", "above the baseline", "bits", "ids read", "ids written"]
    head += ["million parameters", "s / step", "seeds"]
    return f"### {_TITLES[name]}\n\nThe rest is {fixed}.\n\n" + markdown(head, rows)


def _said(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "with" if value else "without"
    return f"{value:,}" if isinstance(value, int) else value


def _runs(runs: Sequence[Run]) -> str:
    rows = [
        [
            f"{Model(**run.model).words}, seed {run.seed}",
            f"{run.test_accuracy:.2f}",
            f"{run.bits:.4f}",
            f"{max(score for _, score in run.dev):.2f}",
            f"{run.counts['ids']:,}",
            run.device,
        ]
        for run in runs
    ]
    head = ["", "exact, %", "bits", "dev, %", "ids", "device"]
    return (
        "### Runs\n\nDev is the geometric mean of a character's probability, by which the weights "
        "are chosen.\n\n" + markdown(head, rows)
    )
