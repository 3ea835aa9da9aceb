"""kill -9 at a random moment of a training or an export; going on must end as if nothing had been.

`KilledTrainings` has three things to do: a training into a folder, one that is put in place for the
editor, and an export over an older bundle. A kill hits one of them, which goes on from there when
its turn comes again, until it is done; then its result must be the very one of an undisturbed run.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pygit2

from editcast_model.bundle import Bundle
from editcast_model.errors import EditcastError
from editcast_model.export import export
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.model import EditNetwork
from editcast_model.tokenizer import Tokenizer
from editcast_store.models import Active, install

STEPS = 6
# torch takes seconds to import, so it is imported once: each command runs in a fork.
_DRIVER = """
import json, os, signal, sys, time
import editcast_training.pipeline, editcast_training.packaging
import editcast_training.evaluation.corpus_sessions
from editcast.__main__ import main
from editcast_training.pipeline import Recipe
recipe = Recipe()
for line in sys.stdin:
    seconds, *words = json.loads(line)
    process = os.fork()
    if not process:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        said = os.open(words.pop(0), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number, file in enumerate((nothing, said, said)):
            os.dup2(file, number)
        sys.argv = ["editcast", *words]
        code = 0
        try:
            main(recipe)
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        os._exit(code)  # a fork does not have the threads that libraries wait for at their end
    ended = 0
    end = None if seconds is None else time.monotonic() + seconds
    while end is not None and not ended and time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        time.sleep(0.002)
    if not ended:
        if end is not None:
            os.kill(process, signal.SIGKILL)
        status = os.waitpid(process, 0)[1]
    print(process, os.waitstatus_to_exitcode(status), flush=True)
"""


@dataclass
class _Task:
    """Something that is killed again and again.

    Attributes:
        words: The command.
        begin: Called before it begins anew.
        problems: What must not be, of what is there at any moment.
        result: What it has made, once it is done.
        wanted: The result of an undisturbed run, which took `seconds`.
    """

    words: list[str]
    begin: Callable[[], None]
    problems: Callable[[], list[str]]
    result: Callable[[], Any]
    wanted: Any = None
    seconds: float = 0.0


@dataclass
class KilledTrainings:
    """Trainings and exports on a repository of three small files, in a folder; a context.

    Attributes:
        folder: An empty one.
        kills: How many processes were killed, and how many commands `done`.
    """

    folder: Path
    kills: int = 0
    done: int = 0
    _tasks: dict[str, _Task] = field(default_factory=dict)
    _driver: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.folder = self.folder.resolve()
        home, out = self.folder / "home", self.folder / "out"
        old = self.folder / "old"
        repository = make_repository(self.folder / "project")
        make_bundle(old, self.folder / "tokenizer.json")
        self._driver = subprocess.Popen(
            [sys.executable, "-P", "-c", _DRIVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "EDITCAST_HOME": str(home),
                "XDG_CONFIG_HOME": str(self.folder / "no-editor"),
                "OMP_NUM_THREADS": "1",
            },
            cwd=self.folder,
        )
        train = ["train", "--git", str(repository), "--steps", str(STEPS), "--processes", "1"]
        bundle, checkpoint = self.folder / "exported", self.folder / "latest.safetensors"
        words = ["export", str(checkpoint), "--tokenizer", str(self.folder / "tokenizer.json")]
        self._tasks = {
            "training": _Task(
                [*train, str(out), "--from", str(old)],
                lambda: shutil.rmtree(out, ignore_errors=True),
                lambda: _unusable(out / "bundle", may_lack=True) + _readable(out),
                lambda: _trained(out),
            ),
            "own": _Task(
                [*train, "--from", str(old)],
                lambda: _begin_home(home, old),
                lambda: _unusable(_own(home)) + _readable(home),
                lambda: (
                    _weights(_own(home)),
                    sorted(path.name for path in (home / "training").iterdir()),
                ),
            ),
            "export": _Task(
                [*words, "--to", str(bundle)],
                lambda: _copy(old, bundle),
                # Between two renamings there is none: the next export puts the old one back.
                lambda: _unusable(bundle, may_lack=(bundle.parent / ".exported.replaced").exists()),
                lambda: (_weights(bundle), sorted(path.name for path in bundle.iterdir())),
            ),
        }
        for name, task in self._tasks.items():
            task.begin()
            began = time.monotonic()
            if (code := self._run(task, None)) != 0:
                raise RuntimeError(f"{name} ended with {code}: {self._said()}")
            task.seconds = time.monotonic() - began
            task.wanted = task.result()
            if name == "training":
                shutil.copyfile(out / "run" / "latest.safetensors", checkpoint)
            task.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._driver is not None:
            self._driver.communicate()

    @property
    def names(self) -> list[str]:
        """Return what can be killed."""
        return list(self._tasks)

    def kill(self, draw: random.Random, name: str = "") -> list[str]:
        """Go on with one of the tasks and kill it; what must not be, in sentences.

        Args:
            draw: Decides on the task, where none is named, and the moment.
            name: One of `names`.
        """
        name = name or draw.choice(self.names)
        task = self._tasks[name]
        code = self._run(task, draw.random() * task.seconds)
        problems = [f"{name}: {problem}" for problem in task.problems()]
        if code == 0:
            problems += self._judge(name)
        elif code == -signal.SIGKILL:
            self.kills += 1
        else:
            problems.append(f"{name} ended with {code}: {self._said()}")
        return problems

    def finish(self) -> list[str]:
        """Let each task come to its end; what must not be, in sentences."""
        problems = []
        for name, task in self._tasks.items():
            if (code := self._run(task, None)) == 0:
                problems += self._judge(name)
            else:
                problems.append(f"{name} ended with {code}: {self._said()}")
        return problems

    def _judge(self, name: str) -> list[str]:
        """Compare a result with an undisturbed one, and begin anew."""
        task = self._tasks[name]
        self.done += 1
        found = task.result()
        task.begin()
        return [] if found == task.wanted else [f"{name}: the result is another one"]

    def _run(self, task: _Task, seconds: float | None) -> int:
        """The exit code of a command that is killed after so long, and none of whose processes is
        left then."""
        assert self._driver is not None
        given, told = self._driver.stdin, self._driver.stdout
        assert given is not None and told is not None
        given.write(json.dumps([seconds, str(self.folder / "said"), *task.words]) + "\n")
        given.flush()
        process, code = map(int, told.readline().split())
        while processes_of(process):
            time.sleep(0.01)
        return code

    def _said(self) -> str:
        return (self.folder / "said").read_text("utf-8", "replace").strip()[-500:]


def make_repository(path: Path, commits: int = 120) -> Path:
    """A repository of three files, some lines of which change in every commit."""
    draw = random.Random(0)
    repository = pygit2.init_repository(str(path), bare=True)
    files = {f"{name}.py": list(range(30)) for name in "abc"}
    parents: list[pygit2.Oid] = []
    for time_ in range(commits):
        builder = repository.TreeBuilder()
        for name, numbers in files.items():
            for line in draw.sample(range(30), 4 if time_ else 0):
                numbers[line] = draw.randrange(100, 999)
            blob = repository.create_blob(_text(numbers).encode())
            builder.insert(name, blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * time_, 0)
        parents = [repository.create_commit("HEAD", who, who, "c", builder.write(), parents)]
    return path


def make_bundle(path: Path, tokenizer: Path) -> None:
    """A bundle of the network that is exported fastest, with a confidence; and its vocabulary."""
    vocabulary = Tokenizer.train([_text(list(range(500)))], 300)
    vocabulary.save(tokenizer)
    shape = NetworkConfig(
        len(vocabulary), 16, heads=2, state_layers=1, edit_layers=1, feed_forward=16
    )
    export(EditNetwork(shape).eval(), vocabulary, {"name": "old"}, path)


def processes_of(session: int) -> list[int]:
    """The processes of a session that are not dead, on Linux."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path("/proc", process, "stat").read_text()
        except OSError:  # it has ended meanwhile
            continue
        state, _, _, its = stat.rpartition(")")[2].split()[:4]
        if int(its) == session and state not in "ZX":
            found.append(int(process))
    return found


def _text(numbers: list[int]) -> str:
    return "".join(f"value_{number} = load({number})\n" for number in numbers)


def _copy(bundle: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(bundle, place)


def _begin_home(home: Path, old: Path) -> None:
    """A home in which the old bundle is in use."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    _copy(old, home / "copy")
    install(home / "copy", home / "models")


def _unusable(bundle: Path, *, may_lack: bool = False) -> list[str]:
    if may_lack and not bundle.exists():
        return []
    try:
        Bundle.open(bundle)
    except EditcastError as error:
        return [str(error)]
    return []


def _own(home: Path) -> Path:
    """The user's own model in use; a folder that is not there without one."""
    models = home / "models"
    return Active.of(models).current or models / "current"


def _readable(folder: Path) -> list[str]:
    """Return what others than the owner may read, in sentences."""
    return [
        f"others may read {path.relative_to(folder)}"
        for path in folder.rglob("*")
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]


def _weights(bundle: Path) -> bytes:
    return (Bundle.open(bundle).path / "weights.safetensors").read_bytes()


def _trained(out: Path) -> Any:
    """The names that a training leaves, its corpus, its log but for the time, and its weights."""
    log = [json.loads(line) for line in (out / "run" / "log.jsonl").read_text().splitlines()]
    return (
        sorted(path.relative_to(out).as_posix() for path in out.rglob("*")),
        {path.name: path.read_bytes() for path in (out / "corpus").rglob("*.parquet")},
        [line | {"seconds": 0} for line in log],
        _weights(out / "bundle"),
    )
