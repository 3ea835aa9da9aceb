"""A lock between real processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from editcast_store.lock import process_lock

_HOLD = (
    "import sys\n"
    "from pathlib import Path\n"
    "from editcast_store.lock import process_lock\n"
    "with process_lock(Path(sys.argv[1])):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.readline()\n"
)


def _hold(path: Path) -> "subprocess.Popen[str]":
    """Another process that holds the lock until it reads a line, or dies."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("killed", [True, False])
def test_one_process_at_a_time(tmp_path: Path, killed: bool) -> None:
    path = tmp_path / "lock"
    other = _hold(path)
    try:
        with pytest.raises(TimeoutError), process_lock(path):
            pass
        if killed:
            other.kill()
        other.communicate("\n")
        with process_lock(path):
            pass
    finally:
        other.kill()
        other.communicate()
    assert (other.returncode == 0) != killed
    assert path.read_bytes() == b""  # nothing is left to be stale


def test_one_who_waits_gets_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    waiting = _HOLD.replace("sys.argv[1])", "sys.argv[1]), wait=60")
    with process_lock(path):
        process = subprocess.Popen(
            [sys.executable, "-c", "print('begun', flush=True)\n" + waiting, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
    assert process.communicate("\n", timeout=120)[0] == "held\n"
    assert process.returncode == 0


def test_within_one_process_and_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with process_lock(path), pytest.raises(TimeoutError), process_lock(path):
        pass
    with pytest.raises(ZeroDivisionError), process_lock(path):
        raise ZeroDivisionError
    with process_lock(path):
        pass


def test_one_who_is_refused_does_not_release_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = _HOLD.replace("    sys.stdin.readline()\n", "")
    with process_lock(path):
        with pytest.raises(TimeoutError), process_lock(path):
            pass
        command = (sys.executable, "-c", other, str(path))
        refused = subprocess.run(command, capture_output=True, text=True)
    assert refused.stdout == "" and "TimeoutError" in refused.stderr


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be") as raised, process_lock(tmp_path / "no" / "x"):
        pass
    assert not isinstance(raised.value, TimeoutError)
