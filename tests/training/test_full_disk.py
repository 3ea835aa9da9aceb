"""A disk without room: a sentence, what was there stays whole, and with room it goes on.

A file system of its own where this user may mount one, else a limit on the size of files.
"""

import json
import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from editcast_model.bundle import Bundle
from editcast_training.data.corpus import make_corpus, read_corpus
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.sources.registry import Origin

_EDITCAST = [sys.executable, "-P", "-m", "editcast"]


@cache
def may_mount() -> bool:
    trial = "d=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d && rmdir $d"
    try:
        done = subprocess.run(["unshare", "-m", "sh", "-c", trial], capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def short_of_room(
    folder: Path, kilobytes: int, *arguments: object, before: str = ":", between: str = ":"
) -> list[tuple[int, str]]:
    """Exit code and stderr of a command in a folder with little room, and then with enough.

    What is in the folder at the end is copied to `folder`/kept.
    """
    disk = folder / "disk"
    disk.mkdir()
    command = shlex.join([*_EDITCAST, *map(str, arguments)])
    room, more = (
        f"mount -t tmpfs -o size={kilobytes}k tmpfs {disk}",
        f"mount -o remount,size=1g {disk}",
    )
    short = command
    if not may_mount():
        room = more = ":"
        short = f"(ulimit -f {kilobytes * 2 // 3}; {command})"  # blocks of 512 bytes: a third
    script = f"""
{room} && {before} || exit 9
{short} 2> {folder}/1; echo $? > {folder}/code1
{between} || exit 9
{more}
{command} 2> {folder}/2; echo $? > {folder}/code2
cp -a {disk} {folder}/kept
"""
    namespace = ["unshare", "-m"] if may_mount() else []
    done = subprocess.run(
        [*namespace, "sh", "-c", script],
        env={**os.environ, "OMP_NUM_THREADS": "1", "EDITCAST_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return [
        (int((folder / f"code{number}").read_text()), (folder / f"{number}").read_text())
        for number in (1, 2)
    ]


def said_once(stderr: str) -> bool:
    """Tell whether it is one sentence that says what to do."""
    return len(stderr.splitlines()) == 1 and "no space left" in stderr and "free some" in stderr


def test_at_a_checkpoint(small_bundle: Path, small_corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "disk" / "out"
    size = (small_bundle.parent / "run" / "latest.safetensors").stat().st_size // 1024
    before = f"sh -c 'mkdir -p -m 700 {out}'"
    arguments = ("train", out, "--corpus", small_corpus, "--from", small_bundle, "--steps", 4)
    # Two checkpoints fit, not the third beside them that is to take the place of one.
    (short, said), (full, rest) = short_of_room(
        tmp_path, size * 2 + size // 2, *arguments, before=before,
        between=f"cp -a {out} {tmp_path}/then",
    )  # fmt: skip
    assert short == 2 and said_once(said), said
    assert str(out / "run") in said
    latest = tmp_path / "then" / "run" / "latest.safetensors"
    stopped = read_checkpoint(latest)[2]["progress"]["step"]
    assert sorted(path.suffix for path in latest.parent.iterdir()) == [
        ".jsonl", ".safetensors", ".safetensors",
    ]  # fmt: skip
    assert full == 0, rest
    kept = tmp_path / "kept" / "out"
    steps = [
        json.loads(line)["step"] for line in (kept / "run" / "log.jsonl").read_text().splitlines()
    ]
    assert stopped < 4 and steps == [0, 1, 2, 3, 4]
    assert Bundle.open(kept / "bundle").name == "out"


def test_at_the_corpus(small_repository: Path, small_tokenizer: Path, tmp_path: Path) -> None:
    out = tmp_path / "disk" / "corpus"
    arguments = ("corpus", out, "--git", small_repository, "--tokenizer", small_tokenizer)
    (short, said), (full, rest) = short_of_room(
        tmp_path, 60, *arguments, between=f"cp -a {out} {tmp_path}/then"
    )
    assert short == 2 and said_once(said), said
    left = [path.name for path in (tmp_path / "then").rglob("*") if path.is_file()]
    assert set(left) <= {"tokenizer.json", "project.parquet"}, left  # nothing half done
    assert not (tmp_path / "then" / "manifest.json").exists()
    assert full == 0, rest
    assert set(read_corpus(tmp_path / "kept" / "corpus")) == {"project"}
    make_corpus(
        tmp_path / "whole", [Origin("project", "git", small_repository)], tokenizer=small_tokenizer
    )
    for whole in (tmp_path / "whole").rglob("*.*"):
        place = whole.relative_to(tmp_path / "whole")
        assert (tmp_path / "kept" / "corpus" / place).read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("is_there", [True, False], ids=["over another bundle", "anew"])
def test_at_the_export(is_there: bool, trained: Path, small_bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "disk" / "bundle"
    size = sum(file.stat().st_size for file in small_bundle.iterdir()) // 1024
    checkpoint = trained / "run" / "latest.safetensors"
    tokenizer = small_bundle / "tokenizer.json"
    (short, said), (full, rest) = short_of_room(
        tmp_path, size * 3 // 2 if is_there else size // 2,
        "export", checkpoint, "--tokenizer", tokenizer, "--to", out,
        before=f"cp -r {small_bundle} {out}" if is_there else ":",
        between=f"cp -a {tmp_path}/disk {tmp_path}/then",
    )  # fmt: skip
    assert short == 2 and said_once(said), said
    names = [path.name for path in (tmp_path / "then").iterdir()]
    assert names == (["bundle"] if is_there else [])
    if is_there:
        assert Bundle.open(tmp_path / "then" / "bundle").name == "small"
    assert full == 0, rest
    assert Bundle.open(tmp_path / "kept" / "bundle").name == "bundle"
