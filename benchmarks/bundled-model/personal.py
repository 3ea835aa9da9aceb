"""Worth of personal training: trained on the older part of a project, measured on the newer.

Of each test project's commits the older four fifths are cloned, `editcast train` fine-tunes the
bundled model on them in a process of its own, and both models are replayed behind real servers on
commits made since. Needs the repositories. A result that is there already is not made again, and a
training that is in FOLDER goes on.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pygit2
from rich.console import Console
from rich.progress import track

from editcast.replaying import serving
from editcast_store.models import default_bundle_path
from editcast_training.evaluation.results import replay, summarize
from editcast_training.evaluation.sessions import EditingSession, sample_commits
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.registry import listed_repositories, read_origin

_PATH = click.Path(path_type=Path)
_OLDER = 0.8


@click.command()
@click.argument("folder", type=_PATH)
@click.option("--repositories", type=_PATH, required=True, help="A TOML file with a list `test`.")
@click.option("--mirror", type=_PATH, required=True, help="The folder of these repositories.")
@click.option("--minutes", default=10.0, show_default=True, help="Of training, a project.")
@click.option("--commits", default=40, show_default=True, help="Newer ones replayed, a project.")
@click.option("--out", type=_PATH, default=Path(__file__).with_name("personal.json"))
def main(
    folder: Path, repositories: Path, mirror: Path, minutes: float, commits: int, out: Path
) -> None:
    """Train in FOLDER and measure, project by project; write after each."""
    console = Console()
    known: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {"projects": {}}
    known |= {"minutes": minutes, "commits": commits}
    origins, _ = listed_repositories(repositories, mirror)
    for origin in origins:
        if origin.split != "test" or origin.name in known["projects"]:
            continue
        older = folder / origin.name.partition("/")[2]
        cut = _clone_older(origin.path, older)
        sessions = sample_commits(_since(read_origin(origin, Skipped()), cut), count=commits)
        training = folder / f"{older.name}-training"
        command = ["train", str(training), "--git", str(older), "--minutes", str(minutes)]
        begun = time.monotonic()
        subprocess.run([sys.executable, "-P", "-m", "editcast", *command], check=True)
        seconds = time.monotonic() - begun
        models = {"bundled": default_bundle_path(), "personal": training / "bundle"}
        result = {name: _replayed(model, sessions) for name, model in models.items()}
        known["projects"][origin.name] = result | {"seconds": round(seconds)}
        out.write_text(json.dumps(known, indent=1) + "\n")
        for name, found in result.items():
            console.print(origin.name, name, found["coverage"], highlight=False)
        console.print(f"{origin.name}: trained in {seconds:.0f} s, corpus and calibration included")
    for name in ("bundled", "personal"):
        shares = [found[name]["coverage"]["0.8"] for found in known["projects"].values()]
        console.print(f"{name}: coverage at 80 % clean {100 * sum(shares) / len(shares):.1f} %")


def _clone_older(source: Path, folder: Path) -> int:
    """A clone that ends where the newer commits begin; when that was, in milliseconds."""
    if folder.exists():
        repository = pygit2.Repository(str(folder))
        return int(repository.head.peel(pygit2.Commit).commit_time) * 1000
    repository = pygit2.clone_repository(str(source), str(folder), bare=True)
    walker = repository.walk(repository.head.target)
    walker.simplify_first_parent()
    commits = list(walker)
    last = commits[round(len(commits) * (1 - _OLDER))]
    repository.set_head(last.id)
    return int(last.commit_time) * 1000


def _since(histories: Iterator[FileHistory], cut: int) -> Iterator[FileHistory]:
    """Return what was changed after a time, and what it was changed from."""
    for history in histories:
        times = [snapshot.time or 0 for snapshot in history.snapshots]
        newer = sum(time > cut for time in times)
        kept = history.snapshots[max(0, len(times) - newer - 1) :]
        if newer and len(kept) > 1:
            yield replace(history, snapshots=kept)


def _replayed(model: Path, sessions: list[EditingSession]) -> dict[str, Any]:
    with serving(str(model), "cpu") as suggester:
        rows = list(replay(suggester, track(sessions, suggester.name)))
    return summarize(rows)


if __name__ == "__main__":
    main()
