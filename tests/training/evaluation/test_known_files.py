"""The other files of a session's project: those of a real repository, and recorded ones."""

import json
from dataclasses import replace
from pathlib import Path

import pygit2
import pytest

from editcast_training.evaluation.known_files import KnownFile, Project, files_before
from editcast_training.evaluation.sessions import EditingSession, commit_session, save_session
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

LINES = "".join(f"line_{number} = {number}\n" for number in range(12))


def committed(folder: Path, *trees: dict[str, str]) -> Origin:
    """A repository with a commit for each tree, a minute apart."""
    repository = pygit2.init_repository(folder, bare=True, initial_head="main")
    for number, files in enumerate(trees):
        index = pygit2.Index()
        for path, text in files.items():
            blob = repository.create_blob(text.encode())
            index.add(pygit2.IndexEntry(path, blob, pygit2.enums.FileMode.BLOB))
        author = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 60 * number, 0)
        parents = [] if repository.head_is_unborn else [repository.head.target]
        tree = index.write_tree(repository)
        oid = repository.create_commit(None, author, author, "c", tree, parents)
        repository.references.create("refs/heads/main", oid, force=True)
    return Origin("shop", "git", folder)


def last_commit(origin: Origin, path: str) -> EditingSession:
    (history,) = (one for one in read_origin(origin, Skipped()) if one.path == path)
    return commit_session(history, len(history.snapshots) - 2)


def test_of_a_commit_the_files_before_it_and_those_changed_before_by_their_paths(
    tmp_path: Path,
) -> None:
    before = {"a.py": LINES, "b.py": f"b = 1\n{LINES}", "c.py": f"c = 1\n{LINES}"}
    after = {name: text.replace("line_3", "third") for name, text in before.items()}
    origin = committed(tmp_path, before, after)
    found = list(files_before([origin])(last_commit(origin, "b.py")))
    assert [one for one in found if not one.is_saved] == [
        KnownFile(0, path, text, is_saved=False) for path, text in before.items()
    ]
    assert [one for one in found if one.is_saved] == [
        KnownFile(0, "a.py", after["a.py"], is_saved=True)
    ]


def test_of_a_repository_in_storage_the_same_files_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = committed(tmp_path / "shop", {"a.py": LINES, "b.py": "b\n"}, {"a.py": f"{LINES}x\n"})
    committed(tmp_path / "here", {"c.py": "is not meant\n"}, {"c.py": "in any case\n"})
    monkeypatch.chdir(tmp_path / "here")
    session = last_commit(origin, "a.py")
    there = replace(origin, path=Path(), url=(tmp_path / "shop").as_uri())
    assert list(files_before([there])(session)) == list(files_before([origin])(session)) != []


def test_what_the_commit_makes_of_the_file_itself_is_not_known(tmp_path: Path) -> None:
    changed = LINES.replace("line_3", "third")
    origin = committed(
        tmp_path, {"a.py": LINES}, {"a.py": changed}, {"z.py": changed}, {"z.py": f"{changed}\n"}
    )
    (history,) = read_origin(origin, Skipped())
    assert history.path == "z.py"
    session = commit_session(history, 0)
    assert session.texts[-1] == changed
    found = list(files_before([origin])(session))
    assert found == [KnownFile(0, "z.py", LINES, is_saved=False)]


def saved(folder: Path, **times: list[int]) -> Origin:
    """Recorded files whose text says when it was saved."""
    lines = []
    for name, of_file in times.items():
        changes = [{"time": time, "edits": [[0, 4, f"{time:04}"]]} for time in of_file]
        about = {"language": "python", "path": f"{name}.py", "license": "", "origin": "shop"}
        lines.append(json.dumps({**about, "id": name, "text0": "0000\n", "changes": changes}))
    path = folder / "saves.jsonl"
    path.write_text("\n".join(lines))
    return Origin("saves", "saves", path)


@pytest.mark.parametrize("first", [1, 2])
def test_of_recorded_saves_what_was_saved_before_and_meanwhile(tmp_path: Path, first: int) -> None:
    origin = saved(tmp_path, own=[20, 40, 60, 80], other=[10, 30, 50, 70, 90])
    (history, _) = read_origin(origin, Skipped())
    session = save_session(history)
    assert session.first == 1
    known = list(files_before([origin])(session))
    assert [(one.saves, one.text) for one in known if one.path == "other.py"] == [
        (0, "0010\n"),
        (1, "0030\n"),
        (2, "0050\n"),
        (3, "0070\n"),
    ]
    assert [one.text for one in known if one.path == "own.py"] == ["0020\n"]
    project = Project(session, known)
    project.follow(first)
    assert ("0050" in project.memory.vocabulary) == (first == 2)
