"""SSH signatures, which OpenSSH's `ssh-keygen` makes and verifies with a team's existing keys.

They work like those of `git commit -S`, in another namespace, and use the same list of signers,
`allowed_signers` of ssh-keygen(1). Editcast itself never reads the keys.
"""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from editcast_model.errors import BundleError

_NAMESPACE = "editcast-model"
_PATIENCE = 300.0  # seconds; a key's passphrase is asked for meanwhile


def sign(statement: str, key: Path) -> str:
    """Sign a text with a private key, or with the agent's key whose public part is `key`.

    Raises:
        BundleError: OpenSSH is not installed, or cannot sign with this key.
    """
    arguments = ("sign", "-f", str(key), "-n", _NAMESPACE)
    ended = _ssh_keygen(*arguments, statement=statement)
    if ended.returncode or not ended.stdout:
        raise BundleError(
            f"The key {key} does not sign ({_last_line(ended.stderr)}); check the file, or start "
            "ssh-agent with this key."
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


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it says nothing"])[-1]
