"""`editcast history`, `editcast doctor`, and what the one command does with errors."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from command_line import editcast
from editcast_store.saves import Store


@pytest.fixture
def remembered(tmp_path: Path) -> Path:
    """A home whose store has three saves of two files."""
    with Store.open(tmp_path / "history.sqlite3") as store:
        store.record("/project/a.py", "x = 1\n", 1_700_000_000_000, "python")
        store.record("/project/a.py", "x = 2\ny = 3\n", 1_700_000_100_000, "python")
        store.record("/project/sub/b.c", "int b;\n", 1_700_000_200_000, "c")
    return tmp_path


def test_list(remembered: Path) -> None:
    ended = editcast("history", "list", home=remembered)
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert [(line.split()[0], line.split()[-1]) for line in lines[1:]] == [
        ("2", "/project/a.py"),
        ("1", "/project/sub/b.c"),
    ]


def test_long_paths_are_listed_whole_in_a_narrow_terminal(tmp_path: Path) -> None:
    path = "/project/" + "folder/" * 20 + "a.py"
    with Store.open(tmp_path / "history.sqlite3") as store:
        store.record(path, "x = 1\n", 1_700_000_000_000, "python")
    ended = editcast("history", "list", home=tmp_path, columns=50)
    assert ended.stdout.splitlines()[1].endswith(path)


def test_what_is_there_to_train_on_is_counted_in_words(remembered: Path, tmp_path: Path) -> None:
    ended = editcast("history", "count", "--workspace", str(tmp_path), home=remembered)
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("Saves recorded by Editcast: 1 save of 1 file, about 1 ")
    assert lines[-1].startswith("Together about 1 instance: ")
    assert lines[-1].endswith("A training needs 50.")


def test_show(remembered: Path) -> None:
    shown = editcast("history", "show", "/project/a.py", home=remembered).stdout
    assert "Save 1, " in shown
    assert "Save 2, " in shown
    assert "    1 - x = 1\n      + x = 2\n      + y = 3\n" in shown
    text = editcast("history", "show", "/project/a.py", "--number", "2", home=remembered)
    assert text.stdout == "x = 2\ny = 3\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["show", "/project/none.py"], "No saves of /project/none.py are recorded"),
        (["show", "/project/a.py", "--number", "3"], "are numbered from 1 to 2"),
        (["forget"], "Give a PATTERN, --all, --since or --until"),
        (["forget", "x", "--all"], "Give a PATTERN, --all, --since or --until"),
        (["forget", "--since", "yesterday"], "'yesterday' does not match"),
    ],
)
def test_what_is_not_there(remembered: Path, arguments: list[str], complaint: str) -> None:
    ended = editcast("history", *arguments, home=remembered)
    assert ended.returncode == 2
    assert complaint in ended.stderr
    assert "Traceback" not in ended.stderr


def test_export(remembered: Path) -> None:
    lines = editcast("history", "export", home=remembered).stdout.splitlines()
    assert [json.loads(line)["path"] for line in lines] == ["/project/a.py", "/project/sub/b.c"]
    file = remembered / "out.jsonl"
    ended = editcast("history", "export", "*.c", "--output", str(file), home=remembered)
    assert ended.stdout == f"The saves are in {file}.\n"
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["text0"] == "int b;\n"


def test_forget(remembered: Path) -> None:
    ended = editcast("history", "forget", "/project/sub", home=remembered)
    assert ended.stdout == "Forgot 1 save of 1 file.\n"
    ended = editcast("history", "forget", "--all", home=remembered)
    assert ended.stdout == "Forgot 2 saves of 1 file.\n"
    with Store.open(remembered / "history.sqlite3") as store:
        assert store.files() == []


def test_forget_a_time(remembered: Path) -> None:
    time = f"{datetime.fromtimestamp(1_700_000_100):%Y-%m-%d %H:%M:%S}"
    arguments = ("/project/a.py", "--since", time)
    ended = editcast("history", "forget", *arguments, home=remembered)
    assert ended.stdout == "Forgot 1 save of 1 file.\n"
    ended = editcast("history", "forget", "--until", time, home=remembered)
    assert ended.stdout == "Forgot 1 save of 1 file.\n"
    with Store.open(remembered / "history.sqlite3") as store:
        assert [file.path for file in store.files()] == ["/project/sub/b.c"]


def test_nothing_is_remembered_yet(tmp_path: Path) -> None:
    ended = editcast("history", "list", home=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith("No saves are recorded yet")
    assert not (tmp_path / "history.sqlite3").exists()


def test_a_newer_store_is_one_sentence(remembered: Path) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(remembered / "history.sqlite3")) as database:
        database.execute("PRAGMA user_version = 999")
        database.commit()
    ended = editcast("history", "list", home=remembered)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "history.sqlite3" in editcast("doctor", home=remembered).stdout


def test_doctor(remembered: Path) -> None:
    ended = editcast("doctor", home=remembered)
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert len(ended.stdout.splitlines()) < 40
    for words in (
        "pygls",
        "CPUExecutionProvider",
        "3 of 2 files",
        "0 accepted, 0 dismissed",
        str(remembered / "logs"),
    ):
        assert words in ended.stdout


def test_help_lists_both_sides_without_importing_them(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from editcast.__main__ import cli\n"
        "print(CliRunner().invoke(cli, ['--help']).output)\n"
        "assert not {'torch', 'pygls', 'numpy', 'rich'} & set(sys.modules), sys.modules\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    names = "serve demo report history doctor corpus train evaluate export".split()
    for command in names:
        assert f"\n  {command} " in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("train",), ("Sources:", "Length of the training:", "Examples:", "[default: auto]")),
        (("train",), ("  --seed N  ", "  --json  ", "  --minutes N  ")),
        (("evaluate",), ("Sources:", "Sample:", "  editcast evaluate --git PATH  ")),
        (("history",), ("VS Code's Local History, repositories.",)),
        (("history", "forget"), ("--since TIME",)),
        (
            ("reproduce",),
            ('Zhao et al. (2019): "Neural Networks for Modeling Source Code Edits".',),
        ),
    ],
    ids=lambda found: " ".join(found),
)
def test_help_has_groups_defaults_and_examples(
    arguments: tuple[str, ...], found: tuple[str, ...], tmp_path: Path
) -> None:
    shown = editcast(*arguments, "--help", home=tmp_path).stdout
    whole = " ".join(shown.split())
    for words in found:
        assert words in shown or words in whole, shown
    assert "RANGE" not in shown and "<=" not in shown
    assert shown.rstrip()[-3:] != "..."


def _without(absent: tuple[str, ...], *arguments: str) -> tuple[str, int]:
    """Return the last words and the exit code of a command that lacks these packages."""
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {absent!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"sys.argv = ['editcast', *{arguments!r}]\n"
        "import runpy\n"
        "runpy.run_module('editcast', run_name='__main__')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    return ended.stderr, ended.returncode


@pytest.mark.parametrize("command", ["corpus", "train", "evaluate", "export"])
def test_without_the_training_side(command: str) -> None:
    said = "This command needs the training side: pip install 'editcast[train]'\n"
    ended = _without(("torch", "pyarrow", "pygit2", "onnx"), command, "--help")
    assert ended == (said, 2)


@pytest.mark.parametrize("absent", ["editcast_papers", "matplotlib"])
def test_without_the_papers(absent: str) -> None:
    said = "This command needs a clone of Editcast's repository: pip install -e '.[train,papers]'\n"
    assert _without((absent,), "reproduce", "zhao2019") == (said, 2)


def test_unknown_commands(tmp_path: Path) -> None:
    ended = editcast("fly", home=tmp_path)
    assert ended.returncode == 2
    assert "No such command" in ended.stderr
    assert "Did you mean 'train'?" in editcast("trian", home=tmp_path).stderr


def test_the_server_side_needs_nothing_of_the_training_side(tmp_path: Path) -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        "import editcast_model.forecasting.forecaster, editcast_server\n"
        "for name in ('serve', 'demo', 'history', 'doctor'):\n"
        "    importlib.import_module(f'editcast.commands.{name}')\n"
        "for module in pkgutil.iter_modules(editcast_server.__path__):\n"
        "    importlib.import_module(f'editcast_server.{module.name}')\n"
        "extra = {'torch', 'onnx', 'onnxscript', 'pygit2', 'pyarrow', 'matplotlib', 'sklearn'}\n"
        "found = extra & set(sys.modules) | {n for n in sys.modules if 'training.' in n}\n"
        "assert not found, found\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
