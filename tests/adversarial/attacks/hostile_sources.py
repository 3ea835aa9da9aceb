"""Sources of histories as a stranger may have left them: git, Local History, saves, a store."""

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pygit2

from attacks.hostile_json import ODD_VALUES, damaged, damaged_bytes
from editcast_store.saves import Store

_NAMES = (
    *(b"a.py", b"..", b".", b"../../outside/x.py", b"/abs.py", b".git", b"\xff\xfe.py", b"a\nb.py"),
    *(b"<script>.py", b"con.py", b"x" * 300 + b".py", b".env.py", b"-rf.py", b"\x1b[2J.py"),
)
_TEXT = "".join(f"value_{index} = load({index})\n" for index in range(30))


def git(folder: Path, outside: Path, draw: random.Random) -> tuple[str, Any]:
    """A repository with odd names, modes, times and texts, and then damaged."""
    folder.mkdir()
    repository = pygit2.init_repository(str(folder), bare=draw.random() < 0.5)
    inner = Path(repository.path)
    parents: list[pygit2.Oid] = []
    for commit in range(draw.randint(1, 4)):
        parents = [_commit(repository, outside, parents, commit, draw)]
    done = []
    for _ in range(draw.choice((0, 1, 1, 3))):
        files = sorted(path for path in inner.rglob("*") if path.is_file())
        victim = draw.choice(files)
        done.append(str(victim.relative_to(inner)))
        victim.chmod(0o600)
        match draw.randrange(4):
            case 0:
                victim.unlink()
            case 1:
                victim.write_bytes(draw.choice((b"", b"ref: refs/heads/master\n", b"0" * 40)))
            case _:
                victim.write_bytes(damaged_bytes(victim.read_bytes(), draw))
    return str(folder), done


def _commit(
    repository: pygit2.Repository,
    outside: Path,
    parents: list[pygit2.Oid],
    number: int,
    draw: random.Random,
) -> pygit2.Oid:
    modes = (0o100644, 0o100644, 0o100755, 0o120000, 0o160000, 0o40000)
    entries = []
    for name in sorted(draw.sample(_NAMES, draw.randint(1, 5))):
        mode = draw.choice(modes)
        text = draw.choice((_TEXT.replace("7", str(number)), "", "\0", "x" * 1_100_000, _TEXT))
        data = bytes(outside / "secret.py") if mode == 0o120000 else text.encode()
        entries.append(b"%o %s\0" % (mode, name) + repository.create_blob(data).raw)
    tree = repository.odb.write(pygit2.enums.ObjectType.TREE, b"".join(entries))
    time = b"1700000000"
    if draw.random() < 0.2:
        time = draw.choice((b"0", b"-1", b"9" * 25, b"x"))
    who = b"A <a@b> %s +0000" % time
    lines = [b"tree " + str(tree).encode(), *(b"parent " + str(one).encode() for one in parents)]
    lines += [b"author " + who, b"committer " + who, b"", draw.choice((b"m", b"\xff\0\xfe", b""))]
    oid = repository.odb.write(pygit2.enums.ObjectType.COMMIT, b"\n".join(lines))
    head = Path(repository.path) / "refs" / "heads" / "master"
    head.parent.mkdir(parents=True, exist_ok=True)
    head.write_text(f"{oid}\n")
    (Path(repository.path) / "HEAD").write_text("ref: refs/heads/master\n")
    return oid


def local_history(folder: Path, outside: Path, draw: random.Random) -> tuple[str, Any]:
    """A Local History folder whose index and versions lead elsewhere."""
    file = folder / "hash"
    file.mkdir(parents=True)
    entries: list[Any] = []
    for number in range(4):
        name = f"{number}.py"
        match draw.randrange(9):
            case 0:
                (file / name).symlink_to(outside / "secret.py")
            case 1:
                os.mkfifo(file / name)
            case 2:
                name = draw.choice(("../../../outside/secret.py", str(outside / "secret.py"), "."))
            case 3:
                (file / name).mkdir()
            case 4:
                name = draw.choice(("\0", "a" * 5000, "\ud800", "C:\\x", "entries.json"))
            case _:
                (file / name).write_text(_TEXT.replace("7", str(number)))
        entries.append({"id": name, "timestamp": 1_700_000_000_000 + number * 60_000})
    uri = draw.choice(
        ("file:///w/a.py", "file:///w/%2Eenv", "vscode-remote://x/a.py", "file://[x/")
    )
    index = {"version": 1, "resource": uri, "entries": entries}
    if draw.random() < 0.6:
        index = damaged(index, draw, draw.choice((1, 2)))
    data = json.dumps(index).encode()
    match draw.randrange(12):
        case 0:
            (file / "entries.json").symlink_to(outside / "secret.py")
        case 1:
            os.mkfifo(file / "entries.json")
        case 2:
            (file / "entries.json").write_bytes(damaged_bytes(data, draw))
        case 3:
            (folder / "other").symlink_to(outside)
        case _:
            (file / "entries.json").write_bytes(data)
    return str(folder), json.loads(data)


def saves(folder: Path, outside: Path, draw: random.Random) -> tuple[str, Any]:
    """A file of save histories with damaged lines, packed or not."""
    folder.mkdir()
    changes = [{"time": 1_700_000_000_000, "edits": [[0, 5, "worth"], [10, 11, ""]]}]
    line = {
        **{"id": "a", "language": "python", "path": "/w/a.py", "license": None, "origin": "w"},
        **{"text0": _TEXT, "time0": 1_700_000_000_000, "changes": changes},
    }
    lines = [json.dumps(damaged(line, draw, draw.choice((0, 1, 1, 3)))) for _ in range(5)]
    if draw.random() < 0.1:
        lines.append("[" * 100_000)
    data = "\n".join(lines).encode()
    if draw.random() < 0.3:
        data = damaged_bytes(data, draw)
    if draw.random() < 0.4:
        data = gzip.compress(data)
        if draw.random() < 0.5:
            data = damaged_bytes(data, draw)
    path = folder / "saves.jsonl"
    path.write_bytes(data)
    return str(path), lines


def store(folder: Path, outside: Path, draw: random.Random) -> tuple[str, Any]:
    """A store of saves that is damaged."""
    folder.mkdir()
    path = folder / "history.sqlite3"
    with Store.open(path) as made:
        for number in range(20):
            text = _TEXT.replace("7", str(number))
            made.record(
                f"/w/{number % 3}/[id].py", text, 1_700_000_000_000 + number * 60_000, "python"
            )
        made.record_outcome(
            "1", "shown", path="/w/a.py", confidence=0.5, time_ms=1, model="m", language="python"
        )
    path.write_bytes(damaged_bytes(path.read_bytes(), draw))
    return str(path), None


def settings(folder: Path, outside: Path, draw: random.Random) -> tuple[Any, Any]:
    """An editor's settings."""
    globs = [
        "".join(draw.choices(("*", "**/", "a", "?", "{", "}", ",", "[", "]", "!", "/", "\\"), k=n))
        for n in (1, 5, 60)
    ]
    given = {
        **{"enabled": True, "confidenceThreshold": 0.5, "debounceMs": 75, "languages": ["*"]},
        **{"exclude": [*globs, "**/vendor/*.{c,h}"], "historyEnabled": True, "historyDays": 365},
        **{"maxFileBytes": 1_000_000, "modelPath": "", "device": "auto", "eagerness": "medium"},
    }
    if draw.random() < 0.1:
        return draw.choice([one for one in ODD_VALUES if one != 10**400]), None
    return damaged(given, draw, draw.choice((0, 1, 1, 3))), given["exclude"]
