"""A team's model, which is published in a shared folder and installed from there.

    TEAM/published.json      the current bundle: its time, its checksum, an optional signature
    TEAM/20260131T101500/    a bundle; earlier ones stay until somebody removes them

The checksum is that of `config.json`, which contains those of all other files. The folder may be a
mounted share or a copy made by other tools; this module opens no connection. On a user's own disk,
`models/team.json` records the time of the newest publication that the user was told of.

OpenSSH's `ssh-keygen` makes and verifies signatures with a team's existing keys, which Editcast
never reads. They work like those of `git commit -S`, in another namespace, and use the same list of
signers, `allowed_signers` of ssh-keygen(1).
"""

import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.parse import urlsplit
from urllib.request import url2pathname

from editcast_model.bundle import Bundle, checksum_of, copy_bundle
from editcast_model.card import Name
from editcast_model.checked import UnfitError, matching, structure
from editcast_model.errors import BundleError
from editcast_model.plain_files import digest_of, read_json
from editcast_model.private_files import fresh_folder, private_folder, write_text
from editcast_store.lock import process_lock
from editcast_store.models import Active, install

_PUBLISHED = "published.json"
_SEEN = "team.json"
_MOST_BYTES = 100_000  # of `published.json`
_STAMP = "%Y%m%dT%H%M%S"
_WAIT = 15.0  # seconds
_NAMESPACE = "editcast-model"
_PATIENCE = 300.0  # seconds; a key's passphrase is asked for meanwhile


@dataclass(frozen=True, slots=True)
class Publication:
    """A published model: a folder within the team's, and the checksum of its `config.json`.

    Attributes:
        since: The time of the publication, later than any earlier one in the folder.
        signature: The signature of the other four by `ssh-keygen`; empty if unsigned.
    """

    name: Name
    since: datetime
    folder: Annotated[str, matching(r"\d{8}T\d{6}", "the folder of a model")]
    checksum: Annotated[str, matching("[0-9a-f]{64}", "a SHA-256 checksum")]
    signature: str = ""

    @property
    def statement(self) -> str:
        """Return the text to sign."""
        return json.dumps(self._written() | {"signature": ""}, sort_keys=True)

    @property
    def sentence_part(self) -> str:
        """Return the model's name and time, as a part of a sentence."""
        return f"{self.name or 'without a name'}, published on {self.since:%Y-%m-%d at %H:%M} UTC"

    def write(self, team: Path) -> None:
        """Write the publication with the permissions of the team's folder."""
        text = json.dumps(self._written(), indent=1)
        write_text(team / _PUBLISHED, text, team.stat().st_mode & 0o666)

    def _written(self) -> dict[str, str]:
        return asdict(self) | {"since": self.since.isoformat()}


def team_folder(named: str) -> Path:
    """Return the folder that a path or a `file:` URL names.

    Raises:
        BundleError: It is another URL, or a relative path.
    """
    path = Path(os.path.expanduser(named))
    if "://" in named:
        url = urlsplit(named)
        if url.scheme != "file" or url.netloc not in ("", "localhost"):
            raise BundleError(
                f"Editcast opens no connection and reads a team's model from folders, not from "
                f"{named}; fetch it with your own tools, or mount it, and name the folder."
            )
        path = Path(url2pathname(url.path))
    if not path.is_absolute():
        raise BundleError(f"{named} is not an absolute path of a team's folder.")
    return path


def published(team: Path) -> Publication | None:
    """Return the publication in a team's folder; None if there is none.

    Raises:
        BundleError: The folder is missing, or the publication is invalid.
    """
    if not os.path.isdir(team):
        raise BundleError(f"The team's folder {team} does not exist; check the path, or mount it.")
    if not os.path.lexists(team / _PUBLISHED):
        return None
    try:
        said = structure(read_json(team, _PUBLISHED, _MOST_BYTES), Publication)
        if not 2000 < said.since.year < 3000:
            raise UnfitError("since must be a time of our days")
        return replace(said, since=said.since.astimezone(UTC))
    except UnfitError as error:
        raise BundleError(
            f"The publication in {team} is invalid ({_PUBLISHED}: {error}); publish a model again."
        ) from error


def publish(bundle: Bundle, team: Path, key: Path | None = None) -> Publication:
    """Copy a bundle into a team's folder and publish it, signed if there is a key; see `sign`.

    Whoever can read the folder can read the copy. Only one process may publish at a time.

    Raises:
        BundleError: The folder is missing or cannot be written to, or the key does not sign.
    """
    before = published(team)
    now = datetime.now(UTC).replace(microsecond=0)
    since = max(now, before.since + timedelta(seconds=1)) if before else now
    place = team / since.strftime(_STAMP)
    unsigned = Publication(bundle.name, since, place.name, checksum_of(bundle.path / "config.json"))
    signature = sign(unsigned.statement, key) if key else ""
    try:
        with fresh_folder(place) as fresh:
            copy_bundle(bundle.path, fresh)
        Bundle.open(place)
        mode = team.stat().st_mode & 0o777
        for path in (place, *place.rglob("*")):
            path.chmod(mode if path.is_dir() else mode & 0o666)
        made = replace(unsigned, signature=signature)
        made.write(team)
    except OSError as error:
        raise BundleError(
            f"The model cannot be published in {team} ({error}); check that you may write there "
            "and that there is room, and publish it again."
        ) from error
    return made


def install_published(team: Path, models: Path, signers: Path | None = None) -> Publication:
    """Install the model of a team's folder, after it was copied, checked and run once.

    Nothing changes if the model is in use already. With a list of signers a signature is required.

    Raises:
        BundleError: Nothing is published, the model is damaged, does not run or cannot be copied,
            or a required signature is missing. The model in use does not change.
    """
    from editcast_model.forecasting.forecaster import NeuralForecaster  # takes most of a second

    offered = published(team)
    if offered is None:
        raise BundleError(f"No model is published in {team}; check the path, or ask your team.")
    if signers and not signer_of(offered.statement, offered.signature, signers):
        said = f"signed by anybody in {signers}" if offered.signature else "signed"
        raise BundleError(
            f"The model in {team} is not {said}; it was not installed. Ask your team."
        )
    own = Active.of(models).current
    if own and digest_of(own, "config.json") == offered.checksum:
        newly_seen(team, offered, models)
        return offered
    try:
        place = private_folder(models) / ".incoming"
        with process_lock(models / ".incoming.lock"):
            with fresh_folder(place) as fresh:
                copy_bundle(team / offered.folder, fresh)
                if checksum_of(fresh / "config.json") != offered.checksum:
                    raise BundleError(
                        f"The model in {team} is not the one that was published (its checksum is "
                        "wrong); it was not installed. Ask your team to publish it again."
                    )
                try:
                    NeuralForecaster.load(fresh, "cpu")
                except BundleError as error:
                    named = str(error).replace(str(fresh), str(team / offered.folder))
                    raise BundleError(f"It was not installed. {named}") from error
            install(place, models)
    except TimeoutError as error:
        raise BundleError("Another Editcast is installing a model; try again later.") from error
    except OSError as error:
        raise BundleError(
            f"The model in {team} cannot be copied to {models} ({error}); check the disk and the "
            "permissions, and try again."
        ) from error
    newly_seen(team, offered, models)
    return offered


def newly_seen(team: Path, offered: Publication, models: Path) -> bool:
    """Record that the user knows of a publication; tell whether it is a newer one.

    If several processes ask at once, only one of them gets True.

    Raises:
        BundleError: The record cannot be written.
    """
    place, key = models / _SEEN, str(team)
    try:
        with process_lock(private_folder(models) / ".team.lock", wait=_WAIT):
            seen = _seen(place)
            if key in seen and seen[key] >= offered.since:
                return False
            seen[key] = offered.since
            write_text(place, json.dumps({team: since.isoformat() for team, since in seen.items()}))
            return True
    except OSError as error:
        raise BundleError(f"{place} cannot be written ({error}); check the disk.") from error


def _seen(place: Path) -> dict[str, datetime]:
    try:
        return structure(json.loads(place.read_bytes()), dict[str, datetime])
    except (OSError, ValueError):  # missing or damaged: the user is told again
        return {}


def sign(statement: str, key: Path) -> str:
    """Sign a text with a private key, or with the agent's key whose public part is `key`.

    Raises:
        BundleError: OpenSSH is not installed, or cannot sign with this key.
    """
    ended = _ssh_keygen("sign", "-f", str(key), "-n", _NAMESPACE, statement=statement)
    if ended.returncode or not ended.stdout:
        *_, why = ("it says nothing", *ended.stderr.strip().splitlines())
        raise BundleError(
            f"The key {key} does not sign ({why}); check the file, or start ssh-agent with this "
            "key."
        )
    return ended.stdout


def signer_of(statement: str, signature: str, allowed: Path) -> str | None:
    """Return the signer of a text; None if the file `allowed` does not list one.

    Raises:
        BundleError: OpenSSH is not installed, or the list of signers cannot be read.
    """
    if not os.access(allowed, os.R_OK):
        raise BundleError(f"The list of signers {allowed} cannot be read; check its path.")
    with TemporaryDirectory() as folder:
        place = Path(folder) / "signature"
        place.write_text(signature, "utf-8")
        given = ("-f", str(allowed), "-s", str(place))
        found = _ssh_keygen("find-principals", *given, statement="")
        for name in found.stdout.splitlines() if found.returncode == 0 else ():
            who = ("-I", name, "-n", _NAMESPACE)
            if _ssh_keygen("verify", *given, *who, statement=statement).returncode == 0:
                return name
    return None


def _ssh_keygen(action: str, *arguments: str, statement: str) -> "subprocess.CompletedProcess[str]":
    program = shutil.which("ssh-keygen")
    if program is None:
        raise BundleError("Signatures need ssh-keygen of OpenSSH 8.2 or newer; install OpenSSH.")
    command = (program, "-Y", action, *arguments)
    try:
        return subprocess.run(
            command, input=statement, capture_output=True, encoding="utf-8", timeout=_PATIENCE
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise BundleError(f"{program} cannot be run ({error}); check OpenSSH.") from error
