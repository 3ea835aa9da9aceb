"""A home that cannot be made or written to: each command says it, and the server goes on."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

COMMANDS = [
    ["doctor"],
    ["history", "list"],
    ["history", "show", "a.py"],
    ["history", "export"],
    ["history", "forget", "--all"],
    ["report"],
    ["train"],
    ["train", "--revert"],
    ["demo"],
    ["evaluate", "--git", "."],
    ["corpus", "out", "--git", "."],
    ["corpus", "out", "--store"],
]

# Each command in a process of its own; what they import is imported once.
RUN = """
import json, os, sys, tempfile
from editcast.__main__ import main
import editcast.commands.evaluate, editcast.commands.train
import editcast.commands.serve, editcast.commands.history
for command in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile("w+") as out:
        process = os.fork()
        if not process:
            sys.argv = ["editcast", *command]
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(out.fileno(), 2)
            try:
                main()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                import traceback
                traceback.print_exc()
                code = 1
            sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(process, 0)
        out.seek(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), out.read()]), flush=True)
"""


@pytest.fixture(params=["a file", "below /proc", "below a device", "read-only"])
def unusable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "file"
    file.write_text("in the way")
    mounted = tmp_path / "mounted"
    match request.param:
        case "a file":
            yield file
        case "below /proc":
            yield Path("/proc/nope")
        case "below a device":
            yield Path("/dev/null/x")
        case _:
            mounted.mkdir(mode=0o500)  # enough for whoever is not root
            disk = ["mount", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", str(mounted)]
            is_mounted = subprocess.run(disk, capture_output=True).returncode == 0
            # Root that may not mount writes to any folder but those of the kernel.
            yield mounted if is_mounted or os.geteuid() else Path("/proc/self/nope")
            if is_mounted:
                subprocess.run(["umount", mounted], check=True)


def test_each_command_says_it_in_a_sentence(unusable: Path, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(COMMANDS)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"EDITCAST_HOME": str(unusable)},
        timeout=240,
    )
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    for command, (code, said) in zip(COMMANDS, lines, strict=True):
        assert code == 2, (command, said)
        (sentence,) = said.splitlines()
        assert str(unusable) in sentence, command
        assert "EDITCAST_HOME" in sentence, command
    assert not (tmp_path / "out").exists()


CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


async def test_the_server_predicts_without_a_store_and_follows_its_settings(
    start: Any, unusable: Path, tmp_path: Path
) -> None:
    place = tmp_path / "work"
    place.mkdir()
    command = ["env", f"EDITCAST_HOME={unusable}", sys.executable, "-m", "editcast", "serve"]
    settings = {"editcast": {"confidenceThreshold": 0, "languages": ["*", "!markdown"]}}
    async with start(home=place, command=command, configuration=settings) as editor:
        await editor.until(lambda: editor.registered)
        for number in range(3):
            uri = editor.open(f"a_{number}.py", CALLS)
            editor.type(uri, "render", "draw")
            editor.save(uri)
            assert await editor.best(uri)
        assert await editor.command("editcast.report")
        uri = editor.open("a.md", CALLS, "markdown")
        editor.save(uri)
        assert await editor.next_edit(uri) is None  # as the settings that were asked for have it
        said = [one for one in editor.messages if "history of saves" in one]
    assert len(said) == 1
    assert str(unusable) in said[0]
    assert not [one for one in editor.messages if "Error" in one]


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_all_folders_are_their_owner_s_alone(tmp_path: Path, umask: int) -> None:
    parents = tmp_path / "new"
    homes = [parents / "one" / "home", tmp_path / "empty"]
    homes[1].mkdir(mode=0o755)
    (tmp_path / "used" / "logs").mkdir(parents=True, mode=0o755)
    homes.append(tmp_path / "used")
    code = "from editcast_store import paths as p; "
    code += "[p.own_folder(one) for one in ('models', 'logs', 'reports', 'training')]"
    for home in homes:
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"EDITCAST_HOME": str(home)},
            umask=umask,
            check=True,
            timeout=60,
        )
    made = [parents, parents / "one", *homes[:2]]
    made += [one for home in homes for one in home.iterdir()]
    modes = {str(one): stat.S_IMODE(one.stat().st_mode) for one in made}
    assert set(modes.values()) == {0o700}, modes
    assert len(modes) == 4 + 3 * 4
