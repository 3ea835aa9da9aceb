"""The replay client, as the demo and the evaluation use it; and the demo itself."""

import io
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console

from editcast.commands import demo
from editcast.commands.demo import Step
from editcast.replay_client import ReplayClient
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.errors import ServerError
from editcast_model.forecasting.interface import OtherSave, Prediction
from editcast_server.prediction.policy import default_threshold

BASELINE = {"confidenceThreshold": 0, "modelPath": "/nowhere/at/all"}
CALLS = "".join(f"def part_{i}(text):\n    return render('🎉', {i})\n\n\n" for i in range(6))


def test_a_session(tmp_path: Path) -> None:
    with ReplayClient(BASELINE, home=tmp_path / "home") as client:
        assert client.name == "repeat-best"
        client.open(CALLS, "python")
        assert client.suggest()[0] is None
        text = CALLS.replace("render('🎉', 0)", "draw('🎉', 0, '𝔘')")
        client.save(text)
        for _ in range(5):
            best, milliseconds = client.suggest()
            assert best and milliseconds > 0
            text = best.hunk.apply(text)
            client.save(text)
        assert text.count("'𝔘'") == text.count("draw") == 6  # both at once, line by line
        client.save(text)
        assert client.suggest()[0] is None
        # Another file, with nothing to go on.
        client.open("x = 1\r\ny = 2\r\n", "python")
        client.save("x = 1\r\nyy = 2\r\n")
        client.save("x = 1\r\nyy = 2\r\nz = \ud83d\r\n")
        assert client.suggest()[0] is None
    assert (tmp_path / "home" / "history.sqlite3").exists()


def test_a_dead_server_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(ServerError, match="The server does not answer"),
        ReplayClient(BASELINE, home=tmp_path) as client,
    ):
        client.open(CALLS, "python")
        os.kill(client._process.pid, signal.SIGKILL)
        for count in range(1, 1000):
            client.save(CALLS + str(count))
            client.suggest()


def test_a_server_that_cannot_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # a Python without its library
    with (
        pytest.raises(ServerError, match="The server does not answer.*Its last output: "),
        ReplayClient(BASELINE, home=tmp_path),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ServerError, match="cannot be started"),
        ReplayClient(BASELINE, home=tmp_path / "file" / "home"),
    ):
        pass


def test_the_demo_prints_every_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    out = io.StringIO()
    steps = demo.run(Console(file=out, width=100))
    printed = out.getvalue()
    purposes = [save["purpose"] for save in demo.SESSION["saves"]]
    assert len(steps) == len(purposes) - 1
    for number, purpose in enumerate(purposes, 1):
        assert f"Save {number}: {purpose}" in printed
    shown = [step for step in steps if step.suggested]
    assert printed.count("Predicts (confidence") == len(shown) > 0
    assert printed.count("Predicts nothing") == len(steps) - len(shown)
    assert printed.count("Hit: this came next") == [one.verdict for one in steps].count("hit")
    assert list(tmp_path.glob("history*")) == []  # the user's own store
    # Nobody can know that a new task begins; all that follows from its first change is shown.
    begins = purposes.index("a field deserves its whole name")
    known = steps[: begins - 1] + steps[begins:]
    assert [step.verdict for step in known] == ["hit"] * len(known)
    threshold = default_threshold(demo._card())
    assert min(one.suggested.confidence for one in known if one.suggested) >= threshold


def test_the_recorded_session_is_what_it_says() -> None:
    texts, saves = demo.session_texts(), demo.SESSION["saves"]
    assert len(set(texts)) == len(saves) + 1
    for text in texts:
        compile(text, demo.SESSION["name"], "exec")
    for save, before in zip(saves, texts, strict=False):
        for old, _ in save["changes"]:
            assert before.count(old) == 1


@pytest.mark.parametrize(
    ("predicted", "verdict"),
    [
        ("a = 1\nb = 3\nc = 3\n", "hit"),
        ("a = 5\nb = 3\nc = 3\n", "hit"),  # all that came next
        ("a = 5\nb = 2\nc = 3\n", "hit"),  # one of the changes that came next
        ("a = 1\nb = 4\nc = 3\n", "miss"),
        ("a = 1\nb = \nc = 3\n", "part"),
        ("a = 1\nb = 2\nc = 7\n", "later"),
        (None, "miss"),
    ],
)
def test_verdicts(predicted: str | None, verdict: str) -> None:
    text, future = "a = 1\nb = 2\nc = 3\n", "a = 5\nb = 3\nc = 3\n"
    end = future.replace("c = 3", "c = 7")
    suggested = None
    if predicted is not None:
        suggested = Prediction(shortest_hunk(text, predicted), -0.1, 0.9, 1)
    assert Step(text, future, end, suggested, 1.0).verdict == verdict


@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_it_hears_what_is_saved_in_the_folder(tmp_path: Path, pause: float) -> None:
    settings = {"modelPath": "repeat-best", "confidenceThreshold": 0}
    with ReplayClient(settings, home=tmp_path, pause=pause) as client:
        for is_told in (True, False):
            client.open("y = load(2)\n", "python")
            if is_told:
                client.add_other_save(OtherSave("a/ä.py", "x = load(1)\n", "x = read(1)\n"))
            best, _ = client.suggest()
            assert (best and best.hunk) == (Hunk(4, 8, "read") if is_told else None)
