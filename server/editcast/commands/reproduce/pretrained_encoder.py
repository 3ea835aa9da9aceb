"""`editcast reproduce pretrained-encoder`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.commands.reproduce.options import (
    FOLDER,
    config_options,
    device_option,
    models_option,
    paper_command,
)


@paper_command("pretrained-encoder")
@click.option("--data", type=FOLDER, help="A clone of odashi/ase15-django-dataset.")
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    default=Path("training/bundled.toml"),
    show_default=True,
    help="A TOML file with the list train of repositories, OWNER/NAME, to pre-train on.",
)
@click.option("--mirror", type=FOLDER, help="The folder of the repositories' clones, OWNER+NAME.")
@models_option
@click.option("--pretraining-steps", default=2_500, show_default=True, type=ranges.STEPS)
@device_option
@config_options(hidden=128, rate=0.001, steps=2_500, batch=64)
def pretrained_encoder(config: Any, pretraining_steps: int, **given: Any) -> None:
    """Li (2020), topic 3: a pre-trained encoder and an LSTM decoder write lines of Django."""
    from editcast_papers.pretrained_encoder.reproduction import Wanted, run

    pretraining = replace(config, steps=pretraining_steps)
    run(Wanted(config=config, pretraining=pretraining, **given), Console())
