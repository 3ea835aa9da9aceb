"""No socket of the internet families, in any process of ours, however long it runs.

Server, prediction, training, doctor, report and history run under `strace`, in a home of their own
and in a network without interfaces where that is permitted. ONNX Runtime's telemetry looks its host
up after some tens of seconds only, so the server must run for longer than that. What a library
leaves in the user's caches counts as well: the home is empty afterwards.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pygit2

from attacks.editor import SERVE, Editor, HungError
from attacks.figures import Figures, Finding, Limit
from attacks.jail import STRACE, can_trace

SHORTEST = 45.0  # seconds of the server: less would prove nothing
#: With these set, ONNX Runtime's telemetry would be off by itself, and would hide that it is on.
_HIDING = ("CI", "ORT_RUNNING_UNIT_TESTS", "ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")
_CUT = ("unshare", "--net", "--map-root-user")
_COMMANDS = (("doctor",), ("report",), ("history", "list"), ("history", "export"))
#: `editcast`, but a training from scratch makes the smallest network there is.
_SMALL = """
from editcast.__main__ import main
from editcast_model.networks.config import NetworkConfig
from editcast_training.pipeline import Recipe
main(Recipe(lambda vocabulary: NetworkConfig(vocabulary, 32, feed_forward=32)))
"""
_TEXT = "".join(f"value_{index} = load({index})\n" for index in range(60))


def attack(limit: Limit, seed: int) -> Figures:
    """Run everything under watch; `limit` says how many seconds the server runs."""
    figures = Figures()
    if not can_trace():
        figures.note("strace cannot be used here: nobody looked for sockets.")
        return figures
    seconds = max(SHORTEST, limit.seconds or 0.0)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as threads:
        watch = Watch(Path(folder))
        try:
            server = threads.submit(_serve, watch, seconds, figures)
            out, project = str(watch.folder / "out"), str(_repository(watch))
            train = ("train", out, "--scratch", "--git", project, "--steps", "2")
            _command(watch, ("-c", _SMALL, *train, "--processes", "1"), figures)
            for command in _COMMANDS:
                _command(watch, ("-m", "editcast", *command), figures)
            server.result()
        except HungError as error:
            figures.findings.append(Finding(str(error), seed, 0))
        sockets = watch.sockets()
        left = [str(path.relative_to(watch.user)) for path in watch.user.rglob("*")]
        if not watch.is_cut_off:
            figures.note("A network without interfaces cannot be made here: watched only.")
    figures.tried["internet sockets"] += len(sockets)
    if sockets:
        figures.findings.append(Finding("internet sockets", seed, 0, sockets[:40]))
    figures.tried["files left in the user's home"] += len(left)
    if left:
        figures.findings.append(Finding("files in the user's home", seed, 0, left))
    return figures


class Watch:
    """The folders of the processes, what they run under, and what was seen.

    Attributes:
        folder: Where all of it is.
        user: The processes' HOME.
        home: Their EDITCAST_HOME.
        is_cut_off: Whether they run in a network without interfaces.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.user, self.home = folder / "user", folder / "editcast"
        for one in (self.user, self.home):
            one.mkdir()
        self.is_cut_off = _can_cut_off()
        self._traces = 0

    def command(self, words: tuple[str, ...]) -> list[str]:
        """Return what runs `words` under watch."""
        self._traces += 1
        trace = self.folder / f"trace-{self._traces}"
        cut = _CUT if self.is_cut_off else ()
        return [*cut, *STRACE, "-e", "trace=network", "-o", str(trace), *words]

    @property
    def environment(self) -> dict[str, str]:
        """A user's, with nothing in it that would hide what a library does."""
        keep = {
            name: value
            for name, value in os.environ.items()
            if name not in _HIDING and not name.startswith(("XDG_", "MPL", "TORCH", "HF_"))
        }
        return keep | {"HOME": str(self.user), "EDITCAST_HOME": str(self.home)}

    def sockets(self) -> list[str]:
        """Every call that names a socket of the internet families."""
        lines = []
        for trace in sorted(self.folder.glob("trace-*")):
            lines += [
                line
                for line in trace.read_text("utf-8", "replace").splitlines()
                if re.search(r"\bAF_INET6?\b", line)
            ]
        return lines


def _can_cut_off() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*_CUT, *STRACE, "-o", "/dev/null", "true"], capture_output=True)
    return tried.returncode == 0


def _serve(watch: Watch, seconds: float, figures: Figures) -> None:
    """Save and predict now and then, for so long."""
    end = time.monotonic() + seconds
    settings = {"modelPath": "", "confidenceThreshold": 0}
    command = watch.command(SERVE)
    with Editor(watch.home, settings, command=command, environment=watch.environment) as editor:
        path = watch.home / "a.py"
        editor.open(path, _TEXT, "python")
        number, models = 0, set()
        try:
            while time.monotonic() < end:
                start, last = ({"line": number % 60, "character": at} for at in (0, 5))
                change = {"range": {"start": start, "end": last}, "text": "worth"}
                editor.change(path, number + 2, [change])
                editor.save(path)
                answer = editor.next_edit(path)
                models.add((answer.get("result") or {}).get("model"))
                number += 1
                time.sleep(2)
            editor.acknowledge()
            if models <= {None, "", "repeat-best"}:
                raise HungError(f"no model has predicted: {models}, {editor.sentences}")
            if editor.shutdown():
                raise HungError(f"the server ended with {editor.process.returncode}")
        finally:
            _end_children(editor.process.pid)
    figures.tried["seconds that the server ran"] += int(seconds)
    figures.tried["predictions"] += number


def _end_children(pid: int) -> None:
    """End what runs below strace: it passes no signal on."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for child in children.read_text().split() if children.exists() else ():
        _end_children(int(child))
        os.kill(int(child), signal.SIGKILL)


def _command(watch: Watch, words: tuple[str, ...], figures: Figures) -> None:
    ended = subprocess.run(
        watch.command((sys.executable, *words)),
        capture_output=True,
        text=True,
        cwd=watch.folder,
        env=watch.environment,
    )
    figures.tried["commands watched"] += 1
    if ended.returncode:
        raise HungError(f"python {' '.join(words)} ended with {ended.returncode}: {ended.stderr}")


def _repository(watch: Watch) -> Path:
    """A project whose history is just long enough to train on."""
    draw = random.Random(0)
    place = watch.folder / "project"
    repository = pygit2.init_repository(str(place), bare=True)
    files = {f"{name}.py": list(range(30)) for name in "abc"}
    parents: list[pygit2.Oid] = []
    for commit in range(120):
        builder = repository.TreeBuilder()
        for name, numbers in files.items():
            for line in draw.sample(range(30), 4):
                numbers[line] = draw.randrange(100, 999)
            text = "".join(f"value_{number} = load({number})\n" for number in numbers)
            blob = repository.create_blob(text.encode())
            builder.insert(name, blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * commit, 0)
        parents = [repository.create_commit("HEAD", who, who, "m", builder.write(), parents)]
    return place
