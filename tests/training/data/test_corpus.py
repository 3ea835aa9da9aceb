import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq
import pygit2
import pytest
from click.testing import CliRunner

from editcast.commands.corpus import corpus
from editcast_model.edits import SAVE, Edit
from editcast_model.errors import CorpusError
from editcast_model.tokenizer import Tokenizer
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_store.saves import Store
from editcast_training.data import duplicates
from editcast_training.data.corpus import CorpusPart, make_corpus, read_corpus
from editcast_training.sources.registry import Origin, generated_from, listed_repositories


def _repository(path: Path, commits: int, seed: int = 0) -> Path:
    """A repository of two Python files that change in every commit."""
    rng = random.Random(seed)
    repository = pygit2.init_repository(str(path), bare=True)
    files = {name: [f"{name}_{line} = f({line})\n" for line in range(40)] for name in "ab"}
    parents: list[pygit2.Oid] = []
    for time in range(commits):
        builder = repository.TreeBuilder()
        for name, split in files.items():
            for _ in range(3 if time else 0):
                split[rng.randrange(40)] = f"{name}_{rng.randrange(99)} = g({time})\n"
            blob = repository.create_blob("".join(split).encode())
            builder.insert(f"{name}.py", blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * time, 0)
        tree = builder.write()
        parents = [repository.create_commit("HEAD", who, who, "change", tree, parents)]
    return path


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mirror")
    _repository(folder / "me+one" / "repo", 25, 1)
    _repository(folder / "me+two", 20, 2)
    _repository(folder / "me+three", 15, 3)
    (folder / "list.toml").write_text(
        'train = ["me/one", "me/two", "me/gone"]\ndev = ["me/three"]\ntest = []\n'
    )
    return folder


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    Tokenizer.train(["a_1 = f(1)\nb_2 = g(2)\n"] * 20, 300).save(path)
    return path


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_refactorings_and_pieces_put_back_are_made_of_what_is_trained_on(
    mirror: Path, tmp_path: Path
) -> None:
    origins, _ = listed_repositories(mirror / "list.toml", mirror)
    made = generated_from(origins)
    assert {origin.name for origin in made} == {
        f"me/{name}#{kind}" for name in ("one", "two") for kind in ("refactorings", "restored")
    }
    result = make_corpus(tmp_path / "1", [*origins, *made], processes=1)
    make_corpus(tmp_path / "2", [*made[::-1], *origins], processes=2)
    assert _contents(tmp_path / "1") == _contents(tmp_path / "2")
    assert all(set(each.instances) == {"train"} for each in result if "#" in each.name)
    for kind in ("refactorings", "restored"):
        path = tmp_path / "1" / "train" / f"me+one#{kind}.parquet"
        table = pq.read_table(path)
        assert set(table["kind"].to_pylist()) == {kind}
        assert set(table["project"].to_pylist()) == {"me/one"}
        assert table.num_rows


def test_a_list_says_what_languages_are_read(mirror: Path, tmp_path: Path) -> None:
    listing = tmp_path / "list.toml"
    listing.write_text('languages = ["go", "typescript"]\ntrain = ["me/one"]\n')
    (origin,), _ = listed_repositories(listing, mirror)
    assert origin.languages == {"go", "typescript"}


def test_the_corpus_does_not_depend_on_the_processes(mirror: Path, tmp_path: Path) -> None:
    origins, missing = listed_repositories(mirror / "list.toml", mirror)
    assert missing == ["me/gone"]
    first = make_corpus(tmp_path / "1", origins, processes=1)
    make_corpus(tmp_path / "2", origins[::-1], processes=2)
    other = make_corpus(tmp_path / "3", origins, processes=1, seed=1)
    assert _contents(tmp_path / "1") == _contents(tmp_path / "2")
    assert _contents(tmp_path / "1") != _contents(tmp_path / "3")
    assert {made.name: sorted(made.instances) for made in first} == {
        "me/one": ["train"],
        "me/two": ["train"],
        "me/three": ["dev"],
    }
    assert all(made.edits.total() > 100 for made in other)


def test_rows_replay_and_agree_with_the_counts(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    (made,) = make_corpus(
        tmp_path / "out",
        [Origin("me/one", "git", mirror / "me+one" / "repo", "test")],
        tokenizer=tokenizer,
    )
    rows = pq.read_table(tmp_path / "out" / "test" / "me+one.parquet").to_pylist()
    assert made.instances == {"test": len(rows)}
    assert made.edits == {"test": sum(len(row["contents"]) for row in rows)}
    stored = Tokenizer.load(tmp_path / "out" / "tokenizer.json")
    for row in rows:
        assert (row["project"], row["language"], row["kind"]) == ("me/one", "python", "commits")
        assert row["path"] in ("a.py", "b.py")
        assert row["time"] >= 1_700_000_000_000
        edits = tuple(map(Edit, row["positions"], row["contents"]))
        final = EditSequence(tuple(row["state"]), edits).final()
        assert final[1:] == stored.ids(stored.decode(final))
    assert [row["time"] for row in rows if row["path"] == "a.py"] == sorted(
        row["time"] for row in rows if row["path"] == "a.py"
    )


def test_the_newest_tenth_of_each_file_is_for_development(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    origin = Origin("one", "git", mirror / "me+one" / "repo")
    make_corpus(tmp_path, [origin], tokenizer=tokenizer)
    times = {
        split: pq.read_table(tmp_path / split / "one.parquet")["time"].to_pylist()
        for split in ("train", "dev")
    }
    assert max(times["train"]) < min(times["dev"])
    assert min(times["dev"]) == 1_700_000_000_000 + 3600_000 * 23


def test_making_it_again_goes_on_where_it_stopped(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    origins, _ = listed_repositories(mirror / "list.toml", mirror)
    make_corpus(tmp_path / "whole", origins, tokenizer=tokenizer)
    out = tmp_path / "pieces"
    make_corpus(out, origins[:1], tokenizer=tokenizer)
    (shard,) = out.rglob("*.parquet")
    made_at = shard.stat().st_mtime_ns
    (out / "train" / ".me+two.parquet.partial").parent.mkdir(exist_ok=True)
    (out / "train" / ".me+two.parquet.partial").write_bytes(b"half a shard")
    reports: list[CorpusPart] = []
    make_corpus(out, origins, each=reports.append)
    assert [made.name for made in reports[:1]] == [origins[0].name]
    assert shard.stat().st_mtime_ns == made_at
    assert _contents(out) == _contents(tmp_path / "whole")


def test_a_killed_run_is_finished_by_the_next(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    origins, _ = listed_repositories(mirror / "list.toml", mirror)
    make_corpus(tmp_path / "whole", origins, tokenizer=tokenizer)
    out = tmp_path / "killed"
    program = "import sys; from editcast.commands.corpus import corpus; corpus(sys.argv[1:])"
    arguments: list[str | Path] = ["--repositories", mirror / "list.toml", "--mirror", mirror]
    arguments += ["--tokenizer", tokenizer, "--processes", "1"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program, out, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout as lines:
        while b"instances" not in lines.readline():  # the first source is done
            assert process.poll() is None
        process.kill()
    process.wait()
    assert 1 <= len(read_corpus(out)) <= 3
    make_corpus(out, origins, tokenizer=tokenizer)
    assert _contents(out) == _contents(tmp_path / "whole")


def test_equal_changes_and_instances_are_kept_once(tokenizer: Path, tmp_path: Path) -> None:
    path = tmp_path / "twins"
    repository = pygit2.init_repository(str(path), bare=True)
    parents: list[pygit2.Oid] = []
    for text in (b"x = 1\n\ny = 1\n", b"x = 2\n\ny = 2\n"):
        builder = repository.TreeBuilder()
        for name in ("a.py", "b.py", "c.py"):
            builder.insert(name, repository.create_blob(text), pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
        parents = [repository.create_commit("HEAD", who, who, "c", builder.write(), parents)]
    changes = [{"time": None, "edits": [[4, 5, "2"], [11, 12, "2"]]}]
    line = {"language": "python", "license": "MIT", "origin": "me/one", "text0": "x = 1\n\ny = 1\n"}
    saves = tmp_path / "saves.jsonl"
    saves.write_text(
        "".join(
            json.dumps({"id": name, "path": name, **line, "changes": changes}) + "\n"
            for name in ("a.py", "b.py")
        )
    )
    origins = [Origin("twins", "git", path, "train"), Origin("saves", "saves", saves, "train")]
    (commits,), (recorded,) = (
        make_corpus(tmp_path / origin.name, [origin], tokenizer=tokenizer, max_state=64)
        for origin in origins
    )
    assert commits.instances["train"] == 1
    assert commits.skipped["commit: the same change as in another file"] == 2
    assert recorded.instances["train"] == 1
    assert recorded.skipped["instance: seen before"] == 1


def test_what_forks_and_copies_have_stays_in_one_place(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    one = mirror / "me+one" / "repo"
    fork = _repository(tmp_path / "fork", 25, 1)  # of me/one, and then a commit of its own
    repository = pygit2.Repository(fork)
    for number in range(20):
        tip = repository.head.peel(pygit2.Commit)
        builder = repository.TreeBuilder(tip.tree)
        blob = repository[tip.tree["a.py"].id]
        assert isinstance(blob, pygit2.Blob)
        text = blob.data.decode().replace("a_", f"c{number}_", 1).replace("g(", f"h{number}(", 1)
        builder.insert("a.py", repository.create_blob(text.encode()), pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_800_000_000 + number, 0)
        repository.create_commit("HEAD", who, who, "own", builder.write(), [tip.id])
    origins = [
        Origin("fork", "git", fork, "train"),
        Origin("me/one", "git", one, "test"),
        Origin("me/two", "git", mirror / "me+two", "train"),
    ]
    origins += generated_from([origins[0], Origin("a/copy", "git", fork, "train")])
    made = {each.name: each for each in make_corpus(tmp_path / "out", origins, tokenizer=tokenizer)}
    alone = {
        each.name: each
        for number, origin in enumerate(origins)
        for each in make_corpus(tmp_path / f"{number}", [origin], tokenizer=tokenizer)
    }
    # What is held out stays whole; of the fork only rows that teach its own commit.
    for name in ("me/one", "me/two", "a/copy#restored", "a/copy#refactorings"):
        assert made[name] == alone[name]
    rows = pq.read_table(tmp_path / "out" / "train" / "fork.parquet").to_pylist()
    held_out = pq.read_table(tmp_path / "out" / "test" / "me+one.parquet")["changes"].to_pylist()
    assert rows and not {one for row in rows for one in row["changes"]} & {*chain(*held_out)}
    assert min(row["time"] for row in rows) >= 1_800_000_000_000
    assert made["fork"].instances == {"train": len(rows)}
    assert made["fork"].edits == {"train": sum(len(row["contents"]) for row in rows)}
    kept, dropped = made["fork"].instances["train"], made["fork"].skipped[duplicates.REASON]
    assert kept + dropped == alone["fork"].instances["train"]
    # Of a file that stands in two places one makes pieces or refactorings, by whatever draws.
    for kind in ("restored", "refactorings"):
        copy, own = (
            {row["path"] for row in pq.read_table(tmp_path / "out" / "train" / name).to_pylist()}
            for name in (f"a+copy#{kind}.parquet", f"fork#{kind}.parquet")
        )
        assert copy and not copy & own
    # In another order, by other processes, in two goes, and killed before the counts were kept.
    make_corpus(tmp_path / "pieces", origins[:1], tokenizer=tokenizer)
    before = (tmp_path / "pieces" / "manifest.json").read_bytes()
    assert read_corpus(tmp_path / "pieces")["fork"] == alone["fork"]
    make_corpus(tmp_path / "pieces", origins[::-1], tokenizer=tokenizer, processes=2)
    assert _contents(tmp_path / "pieces") == _contents(tmp_path / "out")
    (tmp_path / "pieces" / "manifest.json").write_bytes(before)
    make_corpus(tmp_path / "pieces", origins, tokenizer=tokenizer)
    assert _contents(tmp_path / "pieces") == _contents(tmp_path / "out")


def test_what_cannot_be_made_is_refused_with_a_sentence(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    one = Origin("me/one", "git", mirror / "me+one" / "repo", "train")
    out = tmp_path / "out"
    make_corpus(out, [one], tokenizer=tokenizer)
    before = _contents(out)
    with pytest.raises(CorpusError, match="no source"):
        make_corpus(out, [])
    with pytest.raises(CorpusError, match="called me/one"):
        make_corpus(out, [one, one])
    with pytest.raises(CorpusError, match="other settings"):
        make_corpus(out, [one], seed=1)
    with pytest.raises(CorpusError, match="no-such-repository"):  # not the vocabulary's fault
        make_corpus(tmp_path / "none", [Origin("no", "git", tmp_path / "no-such-repository")])
    assert not (tmp_path / "none").exists()
    with pytest.raises(CorpusError, match="called me"):  # the same shard
        make_corpus(tmp_path / "none", [one, replace(one, name="me+one")])
    with pytest.raises(CorpusError, match="me/one is in the split train; name another folder"):
        make_corpus(out, [replace(one, split="test")])
    other = tmp_path / "other.json"
    Tokenizer.train(["x"], 280).save(other)
    with pytest.raises(CorpusError, match="another tokenizer"):
        make_corpus(out, [one], tokenizer=other)
    assert _contents(out) == before
    (out / "manifest.json").write_text("{")
    with pytest.raises(CorpusError, match="cannot be read"):
        make_corpus(out, [one])
    with pytest.raises(CorpusError, match="holds no corpus"):
        read_corpus(tmp_path)
    (out / "manifest.json").write_text('{"format": 1, "sources": {}}')
    with pytest.raises(CorpusError, match="format version 1, this Editcast reads 2"):
        read_corpus(out)
    with pytest.raises(CorpusError, match="cannot be read or written"):
        make_corpus(other / "below", [one])


def test_sources_without_use_are_told_apart_from_an_empty_corpus(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    young = Origin("young", "git", _repository(tmp_path / "young", 1), "train")
    with pytest.raises(CorpusError, match="often enough"):
        make_corpus(tmp_path / "1", [young], tokenizer=tokenizer)
    (tmp_path / "empty").mkdir()
    broken = Origin("empty", "git", tmp_path / "empty", "train")
    with pytest.raises(CorpusError, match="not a git repository"):
        make_corpus(tmp_path / "2", [broken], tokenizer=tokenizer)
    one = Origin("me/one", "git", mirror / "me+one" / "repo", "train")
    made = {each.name: each for each in make_corpus(tmp_path / "3", [one, broken, young])}
    assert made["empty"].failed
    assert made["me/one"].instances["train"] > 0
    assert made["young"].skipped["file: fewer than 2 snapshots"] == 2
    assert set(read_corpus(tmp_path / "3")) == {"me/one", "young"}


def test_saves_and_the_store_are_read(tokenizer: Path, tmp_path: Path) -> None:
    text = "".join(f"a_{line} = f({line})\n" for line in range(30))
    with Store.open(tmp_path / "store.sqlite") as store:
        for hour in range(12):
            edited = text.replace(f"a_{hour} =", f"b_{hour} =").replace("a_20", f"c_{hour}")
            store.record(tmp_path / "a.py", edited, 3_600_000 * hour, "python")
        exported = "\n".join(store.export())
    (tmp_path / "saves.jsonl").write_text(exported)
    origins = [
        Origin("store", "store", tmp_path / "store.sqlite"),
        Origin("saves", "saves", tmp_path / "saves.jsonl", "saves-dev"),
    ]
    made = make_corpus(tmp_path / "out", origins, tokenizer=tokenizer)
    assert [sorted(each.instances) for each in made] == [["dev", "train"], ["saves-dev"]]
    rows = pq.read_table(tmp_path / "out" / "saves-dev" / "saves.parquet").to_pylist()
    assert {row["kind"] for row in rows} == {"saves"}
    assert sum(row["contents"].count(SAVE) for row in rows) == 11


def test_lists_of_repositories_are_checked(tmp_path: Path) -> None:
    listing = tmp_path / "list.toml"
    listing.write_text('train = ["a/b"]\ntest = ["a/b"]\n')
    with pytest.raises(CorpusError, match="two places"):
        listed_repositories(listing, tmp_path)
    for text in (b"train = [", b'train = ["\xff"]'):
        listing.write_bytes(text)
        with pytest.raises(CorpusError, match="not a TOML file"):
            listed_repositories(listing, tmp_path)
    with pytest.raises(CorpusError, match=r"cannot be read .*; check the path"):
        listed_repositories(tmp_path / "elsewhere.toml", tmp_path)


def test_the_command_says_what_it_kept_and_skipped(
    mirror: Path, tokenizer: Path, tmp_path: Path
) -> None:
    arguments = ["--git", f"test={mirror / 'me+two'}", "--git", str(mirror / "me+three")]
    command = [str(tmp_path), *arguments, "--tokenizer", str(tokenizer), "--processes", "1"]
    result = CliRunner().invoke(corpus, command, catch_exceptions=False)
    assert result.exit_code == 0
    assert "me+two: 2 files, " in result.output and "me+three: 2 files, " in result.output
    assert re.search(r"\(1 of 2, \d+ (s|min) left\)", result.output) and "(2 of 2)" in result.output
    again = CliRunner().invoke(corpus, command, catch_exceptions=False)
    assert "(1 of 2)" in again.output and "left)" not in again.output  # all was there
    assert "Skipped" in result.output
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [
        "dev",
        "test",
        "train",
    ]
    assert CliRunner().invoke(corpus, [str(tmp_path), "--mirror", str(mirror)]).exit_code == 2
