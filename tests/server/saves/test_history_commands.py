"""The history of saves through an editor's commands: shown, exported, forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest

from editcast_server.store_writer import now_ms
from editcast_store.saves import Store

HOUR = 3_600_000
FIRST = now_ms() - 24 * HOUR


@pytest.fixture
def remembered(tmp_path: Path) -> list[Path]:
    """Three saves of two files, in a repository and in a folder with a glob's name."""
    files = [tmp_path / "repository" / "src" / "a.py", tmp_path / "[b]" / "b.c"]
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    with Store.open(tmp_path / "history.sqlite3") as store:
        store.record(files[0], "x = 1\n", FIRST, "python")
        store.record(files[0], "x = 2\n", FIRST + HOUR, "python")
        store.record(files[1], "int b;\n", FIRST, "c")
        store.record(tmp_path / "b" / "b.c", "int c;\n", FIRST, "c")
    return files


async def paths_of(editor: Any) -> list[str]:
    found = await editor.command("editcast.history")
    return [file["path"] for file in found["files"]]


async def test_what_is_remembered(start: Any, remembered: list[Path]) -> None:
    async with start() as editor:
        found = await editor.command("editcast.history")
        assert found["bytes"] == (editor.home / "history.sqlite3").stat().st_size
        (file,) = [one for one in found["files"] if one["language"] == "python"]
        assert file == {
            "path": str(remembered[0]),
            "project": str(remembered[0].parents[1]),
            "language": "python",
            "saves": 2,
            "first": FIRST,
            "last": FIRST + HOUR,
            "bytes": 12,
        }
        saves = await editor.command("editcast.saves", str(remembered[0]))
        assert saves == [{"number": 1, "time": FIRST}, {"number": 2, "time": FIRST + HOUR}]
        assert await editor.command("editcast.savedText", str(remembered[0]), 2) == "x = 2\n"
        assert await editor.command("editcast.savedText", str(remembered[0]), 3) is None


async def test_a_save_just_made_is_there(start: Any) -> None:
    async with start() as editor:
        assert await editor.command("editcast.history") == {"files": [], "bytes": 0}
        uri = editor.open("a.py", "x = 1\n")
        editor.type(uri, "1", "2")
        editor.save(uri)
        assert [Path(path).name for path in await paths_of(editor)] == ["a.py"]


async def test_a_file_and_a_time_are_forgotten(start: Any, remembered: list[Path]) -> None:
    async with start() as editor:
        said = await editor.command("editcast.forget", None, FIRST + HOUR, FIRST + 2 * HOUR)
        assert said == "Forgot 1 save of 1 file."
        assert len(await editor.command("editcast.saves", str(remembered[0]))) == 1
        for _ in range(2):  # its name is no glob of another folder's
            said = await editor.command("editcast.forget", [str(remembered[1])], None, None)
        assert said == "Forgot 0 saves of 0 files."
        assert len(await paths_of(editor)) == 2
        assert await editor.command("editcast.forget", [str(remembered[0])], None, None) == (
            "Forgot 1 save of 1 file."
        )
        assert await editor.command("editcast.forget", None, None, None) == (
            "Forgot 1 save of 1 file."
        )
        assert await paths_of(editor) == []


async def test_what_is_forgotten_the_next_save_does_not_bring_back(
    start: Any, remembered: list[Path]
) -> None:
    async with start() as editor:
        uri = editor.open(remembered[0].as_uri(), "x = 2\n")
        await editor.command("editcast.forget", None, None, None)
        editor.type(uri, "2", "3")
        editor.save(uri)
        (path,) = await paths_of(editor)
        assert len(await editor.command("editcast.saves", path)) == 1
        assert await editor.command("editcast.savedText", path, 1) == "x = 3\n"


async def test_it_is_exported(start: Any, remembered: list[Path], tmp_path: Path) -> None:
    async with start() as editor:
        out = tmp_path / "out.jsonl"
        said = await editor.command("editcast.exportHistory", str(out), [str(remembered[0])])
        assert said == f"The histories are in {out}; only you can read it."
        (line,) = out.read_text().splitlines()
        assert json.loads(line)["path"] == str(remembered[0])
        await editor.command("editcast.exportHistory", str(out), None)
        assert len(out.read_text().splitlines()) == 3
        nowhere = str(tmp_path / "no" / "folder" / "out")
        assert await editor.command("editcast.exportHistory", nowhere, None) is None
        assert "cannot be written to" in editor.messages[-1]
