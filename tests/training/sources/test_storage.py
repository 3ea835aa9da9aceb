"""Repositories and corpora in storage that fsspec reaches, here `memory://` and `file://`."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest

from clusters import NEEDS_RAY, Environment, Nodes, environment, nodes
from editcast_model.errors import CorpusError, SourceError
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import listed_repositories, read_origin
from editcast_training.sources.storage import copied_repository, download, upload

__all__ = ["environment", "nodes"]


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory, repository_maker: Callable[..., Path]) -> Path:
    folder = tmp_path_factory.mktemp("mirror")
    for name in ("me+0", "me+1"):
        repository_maker(folder / name, 12, seed=int(name[-1]))
    (folder / "list.toml").write_text('train = ["me/0", "me/none"]\ndev = ["me/1"]\n')
    return folder


@pytest.fixture
def bucket(mirror: Path) -> Iterator[str]:
    """The repositories in memory, and what `copied_repository` has to leave out."""
    memory = fsspec.filesystem("memory")
    memory.put(f"{mirror}/", "/mirror/", recursive=True)
    memory.pipe("/mirror/me+0/objects/info/alternates", b"/somewhere/else")
    memory.pipe("/mirror/me+0/hooks/post-checkout", b"#!/bin/sh")
    yield "memory://mirror"
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_repository_in_storage_has_the_history_of_its_clone(bucket: str, mirror: Path) -> None:
    here, missing = listed_repositories(mirror / "list.toml", mirror)
    there, none_there = listed_repositories(mirror / "list.toml", bucket)
    assert missing == none_there == ["me/none"]
    assert [(one.name, one.size) for one in here] == [(one.name, one.size) for one in there]
    skipped = (Skipped(), Skipped())
    for one, other in zip(here, there, strict=True):
        found = list(read_origin(other, skipped[1]))
        assert found == list(read_origin(one, skipped[0])) and found
    assert skipped[0] == skipped[1]


def test_of_a_repository_only_what_git_keeps_is_copied(bucket: str) -> None:
    with copied_repository(f"{bucket}/me+0") as folder:
        copied = contents(folder)
        assert {name.partition("/")[0] for name in copied} == {"HEAD", "refs", "objects"}
        assert not any("alternates" in name for name in copied)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["objects/../../evil", "objects/a\\b", "objects/C:evil"])
def test_no_name_leads_out_of_the_copy(
    name: str, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = fsspec.filesystem("memory")
    real = memory.find("/mirror/me+0")
    monkeypatch.setattr(type(memory), "find", lambda *_, **__: [*real, f"/mirror/me+0/{name}"])
    with copied_repository(f"{bucket}/me+0") as folder:
        assert not any("evil" in one or "\\" in one for one in contents(folder))
        assert (folder / "HEAD").exists()
        assert not (folder.parent / "evil").exists()


def test_a_repository_that_disappears_is_said(bucket: str, mirror: Path) -> None:
    origins, _ = listed_repositories(mirror / "list.toml", bucket)
    gone = origins[0]
    fsspec.filesystem("memory").rm(gone.url.removeprefix("memory:/"), recursive=True)
    with pytest.raises(SourceError, match="There is no git repository at memory://mirror/me"):
        list(read_origin(gone, Skipped()))


def test_a_corpus_comes_back_as_it_was_sent(small_corpus: Path, tmp_path: Path) -> None:
    url = (tmp_path / "bucket" / "corpus").as_uri()
    count = len(contents(small_corpus))
    assert upload(small_corpus, url) == count
    assert upload(small_corpus, url) == 0
    place = tmp_path / "bucket" / "corpus"
    assert contents(place) == contents(small_corpus)
    shard = next(place.rglob("*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-1])  # of an upload that was killed
    assert upload(small_corpus, url) == 1
    download(url, tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(small_corpus)


def test_a_corpus_is_whole_in_storage_where_its_manifest_is(
    small_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(fsspec.filesystem("file"))
    put_file = kind.put_file

    def stop(self: object, source: str, to: str, **given: object) -> None:
        if source.endswith("manifest.json"):
            raise OSError("stopped")
        put_file(self, source, to, **given)

    url = (tmp_path / "bucket").as_uri()
    with monkeypatch.context() as patch, pytest.raises(CorpusError, match="stopped"):
        patch.setattr(kind, "put_file", stop)
        upload(small_corpus, url)
    with pytest.raises(CorpusError, match="There is no finished corpus"):
        download(url, tmp_path / "copy")
    upload(small_corpus, url)
    download(url, tmp_path / "copy")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nothing://bucket/corpus", "cannot be used"),
        ("file:///proc/nowhere/corpus", "cannot be used"),
        ("s3://bucket/corpus", "needs one more library"),
    ],
)
def test_storage_that_cannot_be_used_is_said(
    url: str, sentence: str, small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)  # whether it is installed or not
    with pytest.raises(CorpusError, match=sentence):
        upload(small_corpus, url)


def test_what_storage_does_not_keep_is_noticed(
    small_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(fsspec.filesystem("file"))

    def lose(self: object, source: str, to: str, **_: object) -> None:
        Path(to).write_bytes(Path(source).read_bytes()[:-1])

    monkeypatch.setattr(kind, "put_file", lose)
    with pytest.raises(CorpusError, match="did not store"):
        upload(small_corpus, tmp_path.as_uri())


@NEEDS_RAY
def test_on_a_cluster_the_command_makes_the_same_bytes_from_storage_to_storage(
    nodes: Nodes,
    environment: Environment,
    small_mirror: Path,
    small_tokenizer: Path,
    tmp_path: Path,
) -> None:
    shutil.copytree(small_mirror, tmp_path / "bucket" / "mirror")
    listing = ("--repositories", small_mirror / "list.toml")
    url = (tmp_path / "bucket" / "corpus").as_uri()
    outs: list[Path] = []
    for mirror, options in (
        (str(small_mirror), ()),
        ((tmp_path / "bucket" / "mirror").as_uri(), ("--ray", nodes.address, "--upload", url)),
    ):
        outs.append(tmp_path / f"out-{len(outs)}")
        given = (*listing, "--mirror", mirror, "--tokenizer", small_tokenizer, *options)
        ended = subprocess.run(
            [sys.executable, "-m", "editcast", "corpus", outs[-1], *given],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stderr
    assert contents(outs[0]) == contents(outs[1]) == contents(tmp_path / "bucket" / "corpus")
    said = " ".join(ended.stdout.split())
    assert url in said.replace(" ", "")
    counts = re.findall(r"me/\d(?:#\w+)?: \d files, [\d,]+ instances, [\d,]+ edits", said)
    assert len(counts) == len(re.findall(r"\(\d+ of 10", said)) == 10
    assert "; mostly skipped: " in said and re.search(r"of 10, \d+ (min|s) left\)", said)
    assert "Skipped" in said


def test_fsspec_is_not_imported_unless_storage_is_named(
    small_mirror: Path, small_tokenizer: Path, environment: Environment, tmp_path: Path
) -> None:
    program = (
        "import sys; from editcast.__main__ import cli; cli(standalone_mode=False);"
        "print('fsspec' in sys.modules)"
    )
    given = ["corpus", str(tmp_path / "out"), "--git", str(small_mirror / "me+3")]
    ended = subprocess.run(
        [sys.executable, "-c", program, *given, "--tokenizer", str(small_tokenizer)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines()[-1] == "False"
