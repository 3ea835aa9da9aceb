"""The line at the end of a run: what was not tested, and what installs it."""

import shutil
import subprocess
import sys
from pathlib import Path

_TESTS = """
import pytest

def test_good(): ...

@pytest.mark.parametrize("number", range(3))
def test_browser(number):
    pytest.skip("no chromium: apt-get install --no-install-recommends chromium fonts-dejavu-core")

def test_editor():
    pytest.skip("no Neovim: apt-get install --no-install-recommends neovim")

@pytest.mark.skip(reason="reads /proc")
def test_proc(): ...
"""


def _last_line(tests: str, folder: Path) -> tuple[str, str]:
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_it.py").write_text(tests)
    left = folder / "not-run"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"EDITCAST_NOT_RUN": str(left), "PATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return left.read_text(), done.stdout


def test_what_is_missing_is_named_with_one_command(tmp_path: Path) -> None:
    line, printed = _last_line(_TESTS, tmp_path)
    assert line == (
        "5 tests were not run (no chromium, no Neovim, reads /proc). What is missing: apt-get "
        "install --no-install-recommends chromium fonts-dejavu-core neovim\n"
    )
    assert line in printed


def test_nothing_is_said_where_all_was_run(tmp_path: Path) -> None:
    assert _last_line("def test_good(): ...", tmp_path)[0] == ""
