"""Names with brackets, markup and control characters, from the command line to what it prints."""

import json
import os
import stat
from pathlib import Path

import pytest
from rich.console import Console

from command_line import editcast
from editcast.commands import doctor
from editcast.render_diff import render_changes
from editcast_store.saves import Store

NAMES = [
    "app/[id]/page.tsx",
    "a[/b]c.py",
    "[bold]b.py",
    "app/i/page.tsx",
    ":smile:.py",
    "x\x1b[2J.py",
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose store has two saves of each of `NAMES`, in the folder beside it."""
    (tmp_path / "w").mkdir()
    with Store.open(tmp_path / "home" / "history.sqlite3") as store:
        for name in NAMES:
            for step in range(2):
                store.record(tmp_path / "w" / name, f"{step}", step * 100_000, "python")
    return tmp_path / "home"


def left(home: Path) -> list[str]:
    with Store.open(home / "history.sqlite3") as store:
        return sorted(os.path.relpath(file.path, home.parent / "w") for file in store.files())


def test_list_shows_names_as_they_are(home: Path) -> None:
    ended = editcast("history", "list", home=home)
    assert ended.returncode == 0, ended.stderr
    shown = [line.split()[-1] for line in ended.stdout.splitlines()[1:]]
    folder = str(home.parent / "w")
    assert sorted(shown) == sorted(f"{folder}/{name}".replace("\x1b", r"\x1b") for name in NAMES)


@pytest.mark.parametrize("name", NAMES[:5])
def test_relative_names_with_brackets(home: Path, name: str) -> None:
    folder = home.parent / "w"
    shown = editcast("history", "show", name, home=home, folder=folder)
    assert shown.returncode == 0, shown.stderr
    assert "Save 2, " in shown.stdout
    exported = editcast("history", "export", f"../w/{name}", home=home, folder=folder).stdout
    (line,) = exported.splitlines()
    assert json.loads(line)["path"] == str(folder / name)
    gone = editcast("history", "forget", name, home=home, folder=folder)
    assert gone.stdout == "Forgot 2 saves of 1 file.\n"
    assert left(home) == sorted(set(NAMES) - {name})


def test_folders_and_globs_with_brackets(home: Path) -> None:
    folder = home.parent / "w"
    gone = editcast("history", "forget", "app/[id]", home=home, folder=folder)
    assert gone.stdout == "Forgot 2 saves of 1 file.\n"
    (folder / "[ab]c.py").touch()  # there, but nothing of it is stored: still no glob
    gone = editcast("history", "forget", "[ab]c.py", home=home, folder=folder)
    assert gone.stdout == "Forgot 0 saves of 0 files.\n"
    gone = editcast("history", "forget", "*/app/[hij]/*", home=home, folder=folder)
    assert gone.stdout == "Forgot 2 saves of 1 file.\n"
    assert left(home) == sorted(set(NAMES) - {"app/[id]/page.tsx", "app/i/page.tsx"})


def test_what_is_not_there_is_said_with_its_name(home: Path) -> None:
    for name, shown in (
        ("no[/x]ne.py", "no[/x]ne.py"),
        ("no\x1b]0;x\x07.py", r"no\x1b]0;x\x07.py"),
    ):
        ended = editcast("history", "show", name, home=home, folder=home)
        assert ended.returncode == 2
        (sentence,) = ended.stderr.splitlines()
        assert shown in sentence


def test_control_codes_of_a_text_are_seen(capsys: pytest.CaptureFixture[str]) -> None:
    from editcast_model.diff import diff

    before, after = "a = 1\r\nb\n", "a = 2\x1b[31m[bold]\r\nb\n"
    Console(width=100).print(render_changes(before, diff(before, after)))
    assert r"+ a = 2\x1b[31m[bold]" in capsys.readouterr().out


def test_doctor_prints_names_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "[bold]home[/x] \x1b[2J:smile:"
    monkeypatch.setenv("EDITCAST_HOME", str(home))
    doctor.doctor.main([], standalone_mode=False)
    out = capsys.readouterr().out
    assert r"[bold]home[/x] \x1b[2J:smile:/logs" in out


# Who can read what was written


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_what_is_written_is_its_owner_s_alone(home: Path, umask: int) -> None:
    folder = home.parent
    (folder / "old").mkdir()
    for command, name in (("export", "saves.jsonl"), ("report", "usage.html")):
        (folder / "old" / name).write_text("old and readable")
        (folder / "old" / name).chmod(0o644)
        (folder / f"link to {name}").symlink_to(folder / "old" / name)
        for place in (name, f"old/{name}", f"link to {name}"):
            arguments = (
                ("history", "export", "--output") if command == "export" else ("report", "--out")
            )
            ended = editcast(*arguments, place, home=home, folder=folder, umask=umask)
            assert ended.returncode == 0, ended.stderr
            found = (folder / place).stat()
            assert stat.S_IMODE(found.st_mode) == 0o600
            assert found.st_size > 100
            assert "old" not in (folder / place).read_text()[:3]
        assert (folder / f"link to {name}").is_symlink()
    assert sorted(one.name for one in (folder / "old").iterdir()) == ["saves.jsonl", "usage.html"]


def test_an_export_that_cannot_be_written(home: Path) -> None:
    ended = editcast("history", "export", "--output", "/dev/null/x", home=home)
    assert ended.returncode == 2
    assert "name another file." in ended.stderr
    ended = editcast("history", "export", "--output", "/dev/null", home=home)
    assert ended.returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
