"""Ablations of the bundled model's corpus: trained without a part, on the same edits, as long.

Small trainings from scratch that differ in one thing, on a corpus of a few projects, and replayed
in this process on commits of the test projects; candidates are ranked by weights fitted on other
sessions. The numbers are far below the bundled model's: what counts is how they differ. How much
of a file it sees is asked of the bundled model itself. What was measured is not measured again.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.networks.config import NetworkConfig
from editcast_model.tokenizer import Tokenizer
from editcast_training.calibration.collected import collect
from editcast_training.calibration.ranker import fit_across
from editcast_training.data.corpus import make_corpus
from editcast_training.evaluation.results import summarize
from editcast_training.evaluation.sessions import EditingSession, sample_commits
from editcast_training.evaluation.token_accuracy import token_scores
from editcast_training.fit.plan import TrainingPlan
from editcast_training.fit.trainer import train
from editcast_training.packaging import export_only
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import (
    Origin,
    generated_from,
    listed_repositories,
    read_origin,
)

#: By name, the corpus.
VARIANTS = {
    "all of it": "all",
    "without refactorings": "without-refactorings",
}
#: What the bundled model is replayed with; it was trained on 4,096 subtokens.
WINDOWS = (1_024, 4_096, 16_384)
BUNDLED = "the bundled model"
_WINDOW = 4_096
_LEARNING_RATE = 1.5e-3
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=_PATH)
@click.option("--repositories", type=_PATH, required=True, help="A TOML file with three lists.")
@click.option("--mirror", type=_PATH, required=True, help="The folder of these repositories.")
@click.option("--projects", default=8, show_default=True, help="Trained on, the smallest first.")
@click.option("--steps", default=600, show_default=True, help="Of each training.")
@click.option("--commits", default=40, show_default=True, help="Replayed, a test project.")
@click.option("--out", type=_PATH, default=Path(__file__).with_name("ablations.json"))
def main(
    folder: Path,
    repositories: Path,
    mirror: Path,
    projects: int,
    steps: int,
    commits: int,
    out: Path,
) -> None:
    """Make the corpora in FOLDER, train there, and write after each variant."""
    console = Console()
    listed, _ = listed_repositories(repositories, mirror)
    train_on = [one for one in listed if one.split == "train"][:projects]
    watched = [one for one in listed if one.split == "dev"][:1]
    origins = [*train_on, *generated_from(train_on), *watched]
    _make_corpora(folder, origins)
    sessions: list[EditingSession] = []
    for origin in listed:
        if origin.split == "test":
            sessions += sample_commits(read_origin(origin, Skipped()), count=commits)
    known: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {"variants": {}}
    known |= {"steps": steps, "sessions": len(sessions), "projects": [one.name for one in train_on]}
    for name in (BUNDLED, *VARIANTS):
        if name in known["variants"]:
            continue
        console.print(name)
        windows: tuple[int, ...] = (_WINDOW,)
        if name == BUNDLED:
            bundle, windows = Bundle.open(bundled_path()), WINDOWS
        else:
            bundle = _trained(folder / name.replace(" ", "-"), folder / VARIANTS[name], steps)
        found = {str(subtokens): _replayed(bundle, sessions, subtokens) for subtokens in windows}
        known["variants"][name] = {"tokens": token_scores(bundle, sessions), **found}
        out.write_text(json.dumps(known, indent=1) + "\n")
    console.print(_table(known["variants"]))


def _make_corpora(folder: Path, origins: Sequence[Origin]) -> None:
    tokenizer = bundled_path() / "tokenizer.json"
    processes = os.cpu_count() or 1
    make_corpus(folder / "all", origins, tokenizer=tokenizer, processes=processes)
    for split in ("train", "dev"):
        plain = folder / "without-refactorings" / split
        plain.mkdir(parents=True, exist_ok=True)
        for shard in (folder / "all" / split).glob("*.parquet"):
            here = plain / shard.name
            if "#refactorings" not in shard.name and not here.exists():
                here.symlink_to(shard.resolve())


def _trained(out: Path, corpus: Path, steps: int) -> Bundle:
    tokenizer = corpus.parent / "all" / "tokenizer.json"
    network = NetworkConfig(len(Tokenizer.load(tokenizer)))
    plan = TrainingPlan(corpus, out / "run", network, steps=steps, learning_rate=_LEARNING_RATE)
    train(replace(plan, interval=max(1, steps // 3)))
    return export_only(plan.out / "latest.safetensors", tokenizer, out / "bundle", out.name)


def _replayed(bundle: Bundle, sessions: list[EditingSession], subtokens: int) -> dict[str, Any]:
    loaded = NeuralForecaster.load(bundle.path, "cpu")
    config = replace(loaded.config, window=subtokens)
    forecaster = NeuralForecaster(bundle, loaded.network, "cpu", config=config)
    rows = fit_across(list(collect(forecaster, sessions)), lambda step: step.row.session % 5)
    return summarize(rows)


def _table(variants: dict[str, Any]) -> Table:
    table = Table("variant", "window", "both, %", "jumps, %", "exact", "located", "70", "80", "90")
    for name, found in variants.items():
        tokens = found["tokens"]
        for subtokens in sorted(found.keys() - {"tokens"}, key=int):
            one = found[subtokens]
            shares = (one["exact"], one["located"], *one["coverage"].values())
            cells = [f"{100 * share:.1f}" for share in shares]
            table.add_row(name, subtokens, str(tokens["both"]), str(tokens["jumps_both"]), *cells)
    return table


if __name__ == "__main__":
    main()
