"""Helpers of a command, which end with it: killed, told to end, or interrupted by Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from attacks.kills_training import processes_of
from editcast_training.fit.checkpoints import read_checkpoint

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@contextmanager
def running(*arguments: object, home: Path) -> "Iterator[subprocess.Popen[str]]":
    """A command in a session of its own; nothing of it is left behind."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "editcast", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        env={**os.environ, "EDITCAST_HOME": str(home), "OMP_NUM_THREADS": "1"},
    )
    try:
        yield process
    finally:
        for left in processes_of(process.pid):
            os.kill(left, signal.SIGKILL)
        process.communicate()


def until(condition: Callable[[], object], process: "subprocess.Popen[str]") -> None:
    """Wait for something; the test's time limit is the limit."""
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def workers(process: "subprocess.Popen[str]", words: str) -> list[int]:
    """The processes of a command whose command line has these words."""
    found = []
    for one in processes_of(process.pid):
        try:
            line = Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if words in line and one != process.pid:
            found.append(one)
    return found


def gone(process: "subprocess.Popen[str]") -> None:
    """Wait until nothing of a command is left."""
    while processes_of(process.pid):
        time.sleep(0.02)


_STEP = """
import os, signal
from editcast_training.interrupts import held, interruptible
with interruptible(), held():
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_who_presses_ctrl_c_in_a_step_is_told_that_the_step_ends_first() -> None:
    ours, its = os.openpty()
    ended = subprocess.run([sys.executable, "-c", _STEP], stderr=its)
    assert ended.returncode
    assert "Stopping after this step; Ctrl-C again" in os.read(ours, 10_000).decode()
    ended = subprocess.run([sys.executable, "-c", _STEP], stderr=subprocess.PIPE)
    assert b"Stopping after" not in ended.stderr
    os.close(ours)
    os.close(its)


@pytest.fixture
def endless(tmp_path: Path) -> list[str]:
    """Sources that are never read to the end, as options: pipes into which nobody writes."""
    options = []
    for name in ("one", "two"):
        os.mkfifo(tmp_path / f"{name}.jsonl")
        options += ["--saves", str(tmp_path / f"{name}.jsonl")]
    return options


ENDS = {"killed": signal.SIGKILL, "told to end": signal.SIGTERM, "interrupted": signal.SIGINT}
ends = pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)


def check_end(process: "subprocess.Popen[str]", end: signal.Signals, sentence: str) -> None:
    """Return how a command ends that a signal was sent to."""
    gone(process)
    said = process.communicate()[1]
    if end == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 128 + end
        assert [line for line in said.splitlines() if sentence in line] == [sentence], said
        assert "Traceback" not in said


@ends
def test_the_readers_of_a_corpus(
    end: signal.Signals, endless: list[str], small_tokenizer: Path, tmp_path: Path
) -> None:
    command = ("corpus", tmp_path / "out", *endless, "--tokenizer", small_tokenizer)
    with running(*command, home=tmp_path / "home") as process:
        until(lambda: len(workers(process, "spawn_main")) == 2, process)
        process.send_signal(end)
        check_end(process, end, "The corpus was stopped; run the same command to continue.")


@ends
def test_the_server_of_an_evaluation(
    end: signal.Signals, small_repository: Path, tmp_path: Path
) -> None:
    command: tuple[object, ...] = ("evaluate", "--git", small_repository, "--model", "repeat-best")
    command += ("--out", tmp_path / "out")
    with running(*command, home=tmp_path / "home") as process:
        until(lambda: workers(process, "editcast serve"), process)
        process.send_signal(end)
        sentence = "The evaluation was stopped; the results so far are in its folder."
        check_end(process, end, sentence)


def test_the_trainings_of_a_paper(tmp_path: Path) -> None:
    command: tuple[object, ...] = ("reproduce", "zhao2019", "tables", "--task", "Flip33")
    command += (
        "--model",
        "IA-ag",
        "--model",
        "E",
        "--steps",
        10**6,
        "--processes",
        2,
        "--device",
        "cpu",
    )
    command += ("--results", tmp_path / "results", "--scratch", tmp_path / "scratch")
    with running(*command, home=tmp_path / "home") as process:
        until(lambda: len(workers(process, "spawn_main")) == 2, process)
        process.kill()
        check_end(process, signal.SIGKILL, "")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_training_leaves_a_checkpoint(
    end: signal.Signals, small_bundle: Path, small_corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = ("train", out, "--corpus", small_corpus, "--from", small_bundle, "--steps", 10**6)
    with running(*command, home=tmp_path / "home") as process:
        lines = process.stdout
        assert lines is not None
        until(lambda: ", step 0:" in lines.readline(), process)
        latest = out / "run" / "latest.safetensors"
        before = latest.stat().st_ino  # of step 0
        process.send_signal(end)
        check_end(process, end, "The training was stopped; run the same command to continue.")
    assert read_checkpoint(latest)[2]["progress"]["step"] >= (latest.stat().st_ino != before)
