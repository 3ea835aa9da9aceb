"""`editcast model`: publishing a team's model in a folder, and installing it from there."""

import logging
import re
from pathlib import Path

import click

from editcast import kinds
from editcast.guarded import guarded
from editcast.printable import printable
from editcast_model.bundle import Bundle
from editcast_model.card import OWN_HISTORY
from editcast_model.errors import BundleError
from editcast_store.paths import own_folder
from editcast_store.team import install_published, publish, team_folder

_OWN_SOURCES = re.compile(r"store$|local-history-\d+$")  # in a corpus


@click.group(cls=kinds.Group)
def model() -> None:
    """Share a team's model through a folder; nothing is sent or installed automatically."""


@model.command("publish")
@guarded("Nothing was published; the published model is the same as before.")
@click.argument("folder")
@click.option(
    "--bundle",
    type=kinds.FOLDER,
    required=True,
    help="The model's folder, such as OUT/bundle from `editcast train OUT`.",
)
@click.option(
    "--key",
    type=kinds.FILE,
    help="Sign the model with this SSH key, or with the agent's key for this .pub file.",
)
@click.option(
    "--own-history", is_flag=True, help="Publish the model even if it was trained on your saves."
)
def publish_(folder: str, bundle: Path, key: Path | None, own_history: bool) -> None:
    """Publish a model for the others in the team's FOLDER.

    Whoever can read FOLDER can read the copy, and a model may reproduce pieces of its training
    data. Earlier models stay there until you remove them.
    """
    team, opened = _folder(folder), Bundle.open(bundle)
    trained_on = opened.card.trained_on
    is_own = trained_on.what == OWN_HISTORY or any(map(_OWN_SOURCES.match, trained_on.sources))
    if is_own and not own_history:
        raise BundleError(
            f"The model {opened.name} was trained on your own history, and may reproduce pieces of "
            "it. Publish one that was trained on your team's repositories, or add --own-history."
        )
    made = publish(opened, team, key)
    by = "signed" if key else "not signed"
    said = f"The model is published in {team}, {by}: {made.sentence_part}.\n"
    said += f"Others install it with: editcast model install {team}"
    click.echo(printable(said, keep="\n"))


@model.command("install")
@guarded("Nothing was installed; the model in use is the same as before.")
@click.argument("folder")
@click.option(
    "--signers",
    type=kinds.FILE,
    envvar="EDITCAST_SIGNERS",
    show_envvar=True,
    help="Require a signature by someone in this file (allowed_signers of ssh-keygen(1)).",
)
def install_(folder: str, signers: Path | None) -> None:
    """Install the model from the team's FOLDER, and use it.

    The model is copied, checked and tested first. The previous model is kept: `editcast train
    --revert` goes back to it.
    """
    # The error sentence replaces the logged traceback of a model that cannot predict.
    logging.getLogger("editcast_model").addHandler(logging.NullHandler())
    made = install_published(_folder(folder), own_folder("models"), signers)
    by = f", signed by one of {signers}" if signers else ""
    click.echo(printable(f"Editcast now uses the model {made.sentence_part}{by}."))


def _folder(named: str) -> Path:
    return team_folder(named if "://" in named else str(Path(named).expanduser().absolute()))
