"""VS Code's Local History folders, written here as the editor writes them."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editcast_model.errors import SourceError
from editcast_model.plain_files import MOST_JSON
from editcast_training.sources.file_history import MAX_BYTES, FileHistory, Skipped, Snapshot
from editcast_training.sources.local_history import local_history_folders, read_local_history


def write(
    history: Path,
    name: str,
    resource: object,
    versions: Mapping[str, tuple[Any, str | bytes | None]],
) -> Path:
    """One file's folder; `versions` is {id: (timestamp, content, None for no file)}."""
    folder = history / name
    folder.mkdir(parents=True)
    entries = []
    for identity, (timestamp, content) in versions.items():
        entries.append({"id": identity, "timestamp": timestamp, "source": "undoRedo.source"})
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            (folder / identity).write_bytes(data)
    index = {"version": 1, "resource": resource, "entries": entries}
    (folder / "entries.json").write_text(json.dumps(index))
    return folder


def read(folder: Path) -> tuple[list[FileHistory], Skipped]:
    skipped: Skipped = Counter()
    return list(read_local_history(folder, skipped=skipped)), skipped


@pytest.fixture
def history(tmp_path: Path) -> Path:
    folder = tmp_path / "Code" / "User" / "History"
    folder.mkdir(parents=True)
    return folder


def test_versions_come_in_time_order(history: Path) -> None:
    versions = {"b.py": (20, "two\r\n"), "a.py": (10, "one"), "c.py": (20, "two\r\n")}
    write(history, "-1a2b", "file:///home/me/my%20project/m%C3%A9.py", versions)
    (found,), skipped = read(history)
    assert found == FileHistory(
        "/home/me/my project",
        "/home/me/my project/mé.py",
        "python",
        "saves",
        (Snapshot("one", 10), Snapshot("two\r\n", 20)),
    )
    assert not skipped


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        ("file:///c%3A/Users/me/a.py", "c:/Users/me/a.py"),
        ("file://server/share/a.py", "//server/share/a.py"),
        ("vscode-remote://ssh-remote%2Bbox/home/me/a.py", "/home/me/a.py"),
    ],
)
def test_resources(history: Path, resource: str, path: str) -> None:
    write(history, "1", resource, {"a": (1, "a"), "b": (2, "b")})
    ((found,), _) = read(history)
    assert found.path == path


def test_files_that_are_not_wanted(history: Path) -> None:
    two = {"a": (1, "a"), "b": (2, "b")}
    for number, name in enumerate(
        ("a.py", "b.rs", "c.unknown", "node_modules/d.py", "once.py", ".env.py", ".ssh/e.py")
    ):
        versions = {"a": (1, "a")} if name == "once.py" else two
        write(history, str(number), f"file:///p/{name}", versions)
    found, skipped = read(history)
    assert [h.path for h in found] == ["/p/a.py", "/p/b.rs"]
    assert skipped == {
        "file: another language": 1,
        "file: vendored": 1,
        "file: fewer than 2 snapshots": 1,
        "file: usually holds secrets": 2,
    }


def test_a_secret_s_versions_are_never_opened(history: Path) -> None:
    folder = write(history, "1", "file:///p/server.key", {"a.key": (1, None), "b.key": (2, None)})
    for name in ("a.key", "b.key"):
        (folder / name).mkdir()  # reading one would be counted
    found, skipped = read(history)
    assert (found, skipped) == ([], {"file: usually holds secrets": 1})


def test_damaged_indexes_are_counted(history: Path) -> None:
    write(history, "good", "file:///p/a.py", {"a": (1, "a"), "b": (2, "b")})
    contents = ["", "{", "[]", "null", "\x00", '{"version": 1}', "[" * 100_000]
    contents += ['{"version": 1, "resource": "file:///a.py", "entries": 5}']
    contents += ['{"version": 1, "resource": null, "entries": []}']
    contents += ['{"version": 1, "resource": "file:///a.py", "entries": []' + " " * MOST_JSON + "}"]
    contents += ['{"version": 1, "resource": "http://[a.py", "entries": []}']
    for number, content in enumerate(contents):
        folder = history / f"damaged{number}"
        folder.mkdir()
        (folder / "entries.json").write_text(content)
    (history / "newer").mkdir()
    (history / "newer" / "entries.json").write_text(
        '{"version": 2, "resource": "file:///p/a.py", "entries": []}'
    )
    (history / "none").mkdir()
    (history / "stray file").write_text("not a folder")
    found, skipped = read(history)
    assert [h.path for h in found] == ["/p/a.py"]
    assert skipped == {
        "file: damaged entries.json": len(contents),
        "file: entries.json of version 2": 1,
        "file: no entries.json": 1,
    }


def test_damaged_entries_and_versions_are_counted(history: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("must not be read")
    folder = write(
        history,
        "1",
        "file:///p/a.py",
        {
            "1.py": (1, "one"),
            "2.py": (2, None),
            "3.py": ("3", "a time that is text"),
            "4.py": (4, b"\xff"),
            "5.py": (5, b"x" * (MAX_BYTES + 1)),
            "6.py": (6, b"\0"),
            "8.py": (8, "eight"),
        },
    )
    (folder / "7.py").mkdir()
    index = json.loads((folder / "entries.json").read_text())
    index["entries"] += [
        None,
        {"id": "1.py"},
        {"timestamp": 1},
        {"id": "../../../../outside.py", "timestamp": 9},
        {"id": str(outside), "timestamp": 9},
        {"id": "entries.json", "timestamp": 9},
        {"id": "7.py", "timestamp": 7},
        {"id": "\ud800", "timestamp": 9},
        {"id": "1.py", "timestamp": 10**30},
    ]
    (folder / "entries.json").write_text(json.dumps(index))
    (found,), skipped = read(history)
    assert found.snapshots == (Snapshot("one", 1), Snapshot("eight", 8))
    assert skipped == {
        "snapshot: damaged entry": 8,
        "snapshot: its file is missing": 1,
        "snapshot: its file cannot be read": 1,
        "snapshot: its file is not a plain one": 1,
        "snapshot: not UTF-8": 1,
        "snapshot: over 1 MB": 1,
        "snapshot: binary": 1,
    }


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(SourceError, match="name the folder User/History"):
            read(folder)


@pytest.mark.parametrize(
    ("platform", "environ", "data"),
    [
        ("linux", {}, ".config/Code"),
        ("linux", {}, ".config/Code - Insiders"),
        ("linux", {}, ".config/VSCodium"),
        ("linux", {}, ".config/Cursor"),
        ("linux", {}, ".local/share/code-server"),
        ("linux", {}, ".vscode-server/data"),
        ("linux", {"XDG_CONFIG_HOME": "xdg"}, "xdg/Code"),
        ("linux", {"XDG_DATA_HOME": "xdg"}, "xdg/code-server"),
        ("darwin", {}, "Library/Application Support/Code"),
        ("darwin", {}, "Library/Application Support/VSCodium"),
        ("darwin", {}, "Library/Application Support/code-server"),
        ("win32", {}, "AppData/Roaming/Code"),
        ("win32", {"APPDATA": "roaming"}, "roaming/Code - Insiders"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/code-server/Data"),
    ],
)
def test_where_editors_keep_it(
    tmp_path: Path, platform: str, environ: dict[str, str], data: str
) -> None:
    environ = {name: str(tmp_path / value) for name, value in environ.items()}
    assert local_history_folders(platform=platform, environ=environ, home=tmp_path) == []
    folder = tmp_path / data / "User" / "History"
    folder.mkdir(parents=True)
    assert local_history_folders(platform=platform, environ=environ, home=tmp_path) == [folder]
