"""Real editors without a display, on the configurations that docs/editors.md quotes."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from editcast_store.saves import Store

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CONFIGURATIONS = ROOT / "docs" / "editors"
CACHE = Path(os.environ.get("EDITCAST_EDITORS_CACHE", ROOT / ".cache" / "editors"))

# What the baseline suggests is known, and it is let through whatever its confidence.
SETTINGS = {"modelPath": "repeat-best", "confidenceThreshold": 0.05}

TEXT = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
# Two edits that the editor makes and saves, and the third, which is suggested and taken.
EDITED = TEXT.replace("render", "draw", 2)
TAKEN = TEXT.replace("render", "draw", 3)

PATIENCE_S = 120  # for a busy machine; no measure


class Session:
    """Return a project with one file, and a home of its own, for an editor."""

    text = TEXT
    edited = EDITED
    taken = TAKEN

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.file = folder / "project" / "parts.py"
        self.home.mkdir()
        self.file.parent.mkdir()
        self.file.write_text(TEXT)

    def run(
        self,
        *command: str,
        configuration: Sequence[str],
        way: str = "",
        with_server: bool = True,
        settings: Mapping[str, object] = SETTINGS,
    ) -> subprocess.CompletedProcess[str]:
        """Run an editor until it ends by itself; without a server `editcast` is not found."""
        programs = Path(sys.executable).parent if with_server else self.home
        assert (shutil.which("editcast", path=str(programs)) is not None) == with_server
        return subprocess.run(
            command,
            cwd=self.file.parent,
            env={
                "PATH": f"{programs}:/usr/bin:/bin" if with_server else str(programs),
                "HOME": str(self.home),
                "EDITCAST_HOME": str(self.home / "editcast"),
                "EDITCAST_TEST_CONFIGURATION": ":".join(
                    str(CONFIGURATIONS / name) for name in configuration
                ),
                "EDITCAST_TEST_WAY": way,
                "EDITCAST_TEST_SETTINGS": json.dumps(settings),
                "EDITCAST_TEST_SECONDS": str(PATIENCE_S if with_server else 2),
                "LC_ALL": "C.UTF-8",
                "OMP_NUM_THREADS": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S + 60,
        )

    def wait_for_outcome(self, what: str) -> None:
        """Wait until the server has recorded it; it may end a little later than the editor."""
        path, end = self.home / "editcast" / "history.sqlite3", time.monotonic() + PATIENCE_S
        found: list[str] = []
        while what not in found:
            assert time.monotonic() < end, f"never recorded: {what}; only {found}"
            time.sleep(0.05)
            if path.exists():
                with closing(Store.open(path)) as store:
                    found = [outcome.what for outcome in store.outcomes()]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.fixture(scope="session")
def old_neovim() -> str:
    """Any Neovim: the code action alone needs nothing newer than 0.7."""
    found = shutil.which("nvim")
    if found is None:
        pytest.skip("no Neovim: apt-get install --no-install-recommends neovim")
    return found


@pytest.fixture(scope="session")
def neovim() -> str:
    """A Neovim of 0.10 or newer: the installed one, else one that setup.sh fetches."""
    found = shutil.which("nvim")
    if found and version(found) >= (0, 10):
        return found
    return fetched("nvim")


def fetched(editor: str) -> str:
    """Return the newer editor that setup.sh fetches; skips the test where it cannot."""
    done = subprocess.run(
        ["bash", str(HERE / "setup.sh"), editor],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode == 2:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return str(CACHE / editor / editor)


@pytest.fixture(scope="session", params=["installed", "newer"])
def emacs(request: pytest.FixtureRequest) -> list[str]:
    """Emacs in batch mode, with eglot on its path: the installed one, and Emacs 30 with its own."""
    if request.param == "newer":
        return [fetched("emacs"), "-Q", "--batch"]
    found = shutil.which("emacs")
    if found is None:
        pytest.skip("no Emacs: apt-get install --no-install-recommends emacs-nox elpa-eglot")
    command = [found, "-Q", "--batch"]
    # Debian's packages of a library that this Emacs may be too old to have.
    for name in ("eglot", "jsonrpc", "project", "seq", "xref"):
        for folder in sorted(Path("/usr/share/emacs/site-lisp/elpa").glob(f"{name}-[0-9]*")):
            command += ["-L", str(folder)]
    probe = [*command, "--eval", "(require 'eglot)"]
    if subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True).returncode:
        pytest.skip("no eglot: apt-get install --no-install-recommends elpa-eglot")
    return command


def version(nvim: str) -> tuple[int, int]:
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])
