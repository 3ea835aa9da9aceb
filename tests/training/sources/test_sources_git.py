"""Git repositories, made here with real commits: what is read, and what is skipped and why."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import FileMode

from editcast_model.errors import SourceError
from editcast_training.sources.file_history import MAX_BYTES, FileHistory, Skipped, Snapshot, pieces
from editcast_training.sources.git import PYTHON, read_git

BODY = "".join(f"line {number} of a file that is long enough\n" for number in range(20))


class Builder:
    """A bare repository that grows by whole trees, with no index and no work tree."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repository = pygit2.init_repository(path, bare=True, initial_head="main")
        self.time = 1_700_000_000

    def commit(
        self,
        files: Mapping[str, str | bytes | pygit2.Oid],
        *parents: pygit2.Oid,
        links: Collection[str] = (),
        time: int | None = None,
    ) -> pygit2.Oid:
        """A commit whose tree is `files`; its first parent is HEAD unless `parents` are given."""
        if time is None:
            self.time += 60
            time = self.time
        author = pygit2.Signature("A", "a@example.org", time, 0)
        if not parents and not self.repository.head_is_unborn:
            parents = (self.head,)
        tree = self._tree(files, links)
        oid = self.repository.create_commit(None, author, author, "c", tree, list(parents))
        self.repository.references.create("refs/heads/main", oid, force=True)
        return oid

    @property
    def head(self) -> pygit2.Oid:
        return self.repository.head.peel(pygit2.Commit).id

    def _tree(
        self, files: Mapping[str, str | bytes | pygit2.Oid], links: Collection[str]
    ) -> pygit2.Oid:
        index = pygit2.Index()
        for path, content in files.items():
            if isinstance(content, pygit2.Oid):
                index.add(pygit2.IndexEntry(path, content, FileMode.COMMIT))
                continue
            data = content.encode() if isinstance(content, str) else content
            mode = FileMode.LINK if path in links else FileMode.BLOB
            index.add(pygit2.IndexEntry(path, self.repository.create_blob(data), mode))
        return index.write_tree(self.repository)

    def drop(self, oid: pygit2.Oid) -> None:
        """Break the repository: the object is gone."""
        name = str(oid)
        (self.path / "objects" / name[:2] / name[2:]).unlink()


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    return Builder(tmp_path / "project.git")


def read(
    path: Path, languages: Collection[str] | None = PYTHON
) -> tuple[dict[str, FileHistory], Skipped]:
    skipped: Skipped = Counter()
    found = list(read_git(path, project="p", skipped=skipped, languages=languages))
    assert len({history.path for history in found}) == len(found)
    return {history.path: history for history in found}, skipped


def texts(history: FileHistory) -> list[str]:
    return [snapshot.text for snapshot in history.snapshots]


def git(folder: Path, *arguments: str) -> None:
    """Run git apart from this machine's settings."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    subprocess.run(["git", *arguments], cwd=folder, env=environ, check=True, capture_output=True)


def test_a_file_s_versions_in_time_order(builder: Builder) -> None:
    for step in range(4):
        builder.commit({"a.py": f"{step}\r\n", "sub/b.py": f"b{step // 2}", "c.py": "same"})
    found, skipped = read(builder.path)
    assert set(found) == {"a.py", "sub/b.py"}
    first = builder.time - 3 * 60
    assert [(s.text, s.time) for s in found["a.py"].snapshots] == [
        (f"{step}\r\n", (first + 60 * step) * 1000) for step in range(4)
    ]
    assert [(s.text, s.time) for s in found["sub/b.py"].snapshots] == [
        ("b0", first * 1000),
        ("b1", (first + 120) * 1000),
    ]
    history = found["a.py"]
    assert (history.project, history.language, history.kind) == ("p", "python", "commits")
    assert skipped == {"file: fewer than 2 snapshots": 1}


def test_a_work_tree_and_its_git_directory_read_the_same(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk", ".")
    for step in range(3):
        (tmp_path / "a.py").write_text(f"x = {step}\n")
        git(tmp_path, "add", "a.py")
        git(tmp_path, "commit", "-q", "-m", "c")
    git(tmp_path, "gc", "-q")
    (tmp_path / "a.py").write_text("not committed\n")
    found, _ = read(tmp_path)
    assert texts(found["a.py"]) == ["x = 0\n", "x = 1\n", "x = 2\n"]
    assert read(tmp_path / ".git")[0] == found


def test_renames_go_on_under_the_new_name(builder: Builder) -> None:
    builder.commit({"old.py": BODY, "z.py": "z"})
    builder.commit({"old.py": BODY + "one\n", "z.py": "z"})
    builder.commit({"new.py": BODY + "one\n", "z.py": "z"})  # renamed only
    builder.commit({"sub/newer.py": BODY + "one\ntwo\n", "z.py": "z"})  # renamed and changed
    builder.commit({"sub/newer.py": BODY + "three\n", "z.py": "z", "old.py": "another file"})
    builder.commit({"sub/newer.py": BODY + "three\n", "z.py": "z", "old.py": "changed"})
    found, _ = read(builder.path)
    assert set(found) == {"sub/newer.py", "old.py"}
    assert texts(found["sub/newer.py"]) == [
        BODY,
        BODY + "one\n",
        BODY + "one\ntwo\n",
        BODY + "three\n",
    ]
    assert texts(found["old.py"]) == ["another file", "changed"]


def test_a_deleted_file_s_history_ends_and_a_new_one_of_its_name_begins(builder: Builder) -> None:
    for content in ("a1", "a2", None, "b1", "b2"):
        builder.commit({"k.py": "k"} | ({"a.py": content} if content else {}))
    skipped: Skipped = Counter()
    found = list(read_git(builder.path, project="p", skipped=skipped))
    assert [texts(history) for history in found] == [["b1", "b2"], ["a1", "a2"]]
    assert {history.path for history in found} == {"a.py"}


def test_a_merge_is_one_change_at_its_own_time(builder: Builder) -> None:
    base = builder.commit({"a.py": "0", "b.py": "0"})
    main = builder.commit({"a.py": "1", "b.py": "0"})
    side = base
    for step in range(3):
        side = builder.commit({"a.py": "0", "b.py": f"side {step}"}, side)
    merge = builder.commit({"a.py": "1", "b.py": "side 2"}, main, side)
    assert builder.head == merge
    found, _ = read(builder.path)
    assert texts(found["a.py"]) == ["0", "1"]
    assert texts(found["b.py"]) == ["0", "side 2"]
    assert found["b.py"].snapshots[1].time == builder.time * 1000


def test_what_is_no_text_of_a_person_is_skipped_and_counted(builder: Builder) -> None:
    generated = "# Generated by a tool, by hand nothing\n"
    for step in range(2):
        builder.commit(
            {
                "big.py": "x" * MAX_BYTES + str(step),
                "binary.py": b"\0" + bytes([step]),
                "latin.py": b"\xe9" + bytes([65 + step]),
                "link.py": f"target{step}",
                "module.py": pygit2.Oid(hex=f"{step + 1:040x}"),
                "readme.md": f"{step}",
                "data.bin": bytes([step]),
                "vendor/x.py": f"{step}",
                "a/node_modules/y.py": f"{step}",
                "api_pb2.py": f"{step}",
                "made.py": f"{generated}{step}",
                "good.py": f"# a generated report is what this prints\n{step}",
            },
            links=["link.py"],
        )
    found, skipped = read(builder.path)
    assert set(found) == {"good.py"}
    assert skipped == {
        "snapshot: over 1 MB": 2,
        "snapshot: binary": 2,
        "snapshot: not UTF-8": 2,
        "file: another language": 2,
        "file: vendored": 2,
        "file: generated": 2,
        "file: fewer than 2 snapshots": 3,
    }


def test_other_languages_when_asked_for(builder: Builder) -> None:
    for step in range(2):
        builder.commit({name: f"{step}" for name in ("a.py", "b.rs", "c.TSX", "d.vue", "e.xyz")})
    assert set(read(builder.path)[0]) == {"a.py"}
    found, _ = read(builder.path, {"rust", "vue"})
    assert {history.path: history.language for history in found.values()} == {
        "b.rs": "rust",
        "d.vue": "vue",
    }
    found, skipped = read(builder.path, None)
    assert found["c.TSX"].language == "typescriptreact"
    assert skipped == {"file: another language": 1}


def test_one_version_that_cannot_be_read_leaves_the_others(builder: Builder) -> None:
    for content in ("a", b"\xff\xfe", "\ufeffb", "b", "c"):
        builder.commit({"a.py": content})
    found, skipped = read(builder.path)
    assert texts(found["a.py"]) == ["a", "b", "c"]  # the mark is no text
    assert skipped == {"snapshot: not UTF-8": 1}


def test_a_wrong_clock_does_not_break_the_time_order(builder: Builder) -> None:
    for step, time in enumerate((1000, 5000, 2000, 3000)):
        builder.commit({"a.py": str(step)}, time=time)
    (history,) = read(builder.path)[0].values()
    assert [(s.text, s.time) for s in history.snapshots] == [
        ("0", 1_000_000),
        ("1", 2_000_000),
        ("2", 2_000_000),
        ("3", 3_000_000),
    ]


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    for step in range(2):
        (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text(f"{step}")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "c")
    assert set(read(tmp_path)[0]) == {"caf\\udce9.py"}


def test_a_long_history_comes_in_pieces() -> None:
    versions = [Snapshot(f"{step}" * 10, step) for step in range(10)]
    found = list(pieces(versions, Counter(), 35))
    assert len(found) == 3
    joined = list(found[0])
    for before, after in pairwise(found):
        assert after[0] == before[-1]
        joined += after[1:]
    assert joined == versions


# Repositories that are not whole


def test_a_shallow_clone(builder: Builder, tmp_path: Path) -> None:
    for step in range(6):
        builder.commit({"a.py": f"{step}", "b.py": "0" if step < 5 else "1"})
    git(tmp_path, "clone", "-q", "--depth", "3", f"file://{builder.path}", "shallow")
    found, skipped = read(tmp_path / "shallow")
    assert texts(found["a.py"]) == ["3", "4", "5"]
    assert texts(found["b.py"]) == ["0", "1"]
    assert skipped == {"commit: the clone is shallow and ends here": 1}


def test_a_missing_commit_ends_the_walk(builder: Builder) -> None:
    commits = [builder.commit({"a.py": f"{step}"}) for step in range(6)]
    builder.drop(commits[2])
    found, skipped = read(builder.path)
    assert texts(found["a.py"]) == ["3", "4", "5"]
    assert skipped == {"commit: parent not in the repository": 1}


def test_a_missing_tree_ends_the_walk(builder: Builder) -> None:
    commits = [builder.commit({"a.py": f"{step}", "b.py": "same"}) for step in range(6)]
    tree = builder.repository[commits[2]].peel(pygit2.Tree).id
    builder.drop(tree)
    found, skipped = read(builder.path)
    # What commit 3 replaced is in commit 2's tree, which is gone.
    assert texts(found["a.py"]) == ["3", "4", "5"]
    assert skipped["commit: unreadable, the walk ends there"] == 1


def test_a_damaged_commit_ends_the_walk(builder: Builder) -> None:
    commits = [builder.commit({"a.py": f"{step}"}) for step in range(4)]
    name = str(commits[1])
    damaged = builder.path / "objects" / name[:2] / name[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"no zlib stream")
    found, skipped = read(builder.path)
    assert texts(found["a.py"]) == ["2", "3"]
    assert sum(skipped.values()) == 1


def test_a_missing_text_leaves_the_others(builder: Builder) -> None:
    for step in range(4):
        builder.commit({"a.py": f"{step}"})
    builder.drop(builder.repository.create_blob(b"1"))
    found, skipped = read(builder.path)
    assert texts(found["a.py"]) == ["0", "2", "3"]
    assert skipped == {"snapshot: unreadable object": 1}


def test_a_missing_text_among_renames(builder: Builder) -> None:
    builder.commit({"a.py": BODY, "b.py": BODY + "b", "gone.py": BODY + "gone"})
    builder.commit({"a.py": BODY + "1", "b.py": BODY + "b1", "gone.py": BODY + "gone"})
    builder.commit({"c.py": BODY + "1", "d.py": BODY + "d"})
    builder.drop(builder.repository.create_blob((BODY + "gone").encode()))
    found, skipped = read(builder.path)
    assert texts(found["c.py"]) == [BODY, BODY + "1"]  # the exact rename is still seen
    assert skipped["commit: only exact renames found"] == 1


def test_a_repository_that_is_packed_anew_while_it_is_read(tmp_path: Path) -> None:
    builder = Builder(tmp_path / "p.git")
    for step in range(30):
        builder.commit({f"{name}.py": f"{name}{step}" for name in "abc"})
    skipped: Skipped = Counter()
    source = read_git(builder.path, project="p", skipped=skipped)
    found = [next(source)]
    for step in range(3):
        builder.commit({"d.py": str(step)})  # not seen any more
    git(builder.path, "gc", "-q", "--prune=now")
    found += source
    assert [len(history.snapshots) for history in found] == [30, 30, 30]
    assert not skipped


def test_a_repository_that_disappears_while_it_is_read(builder: Builder) -> None:
    for step in range(3):
        builder.commit({f"{name}.py": f"{name}{step}" for name in "abc"})
    skipped: Skipped = Counter()
    source = read_git(builder.path, project="p", skipped=skipped)
    next(source)
    shutil.rmtree(builder.path)
    list(source)
    assert skipped["snapshot: unreadable object"] > 0


# What cannot be read at all


def test_errors_that_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a git repository.*name the top folder"):
        read(tmp_path)
    with pytest.raises(SourceError, match="not a git repository"):
        read(tmp_path / "nowhere")
    pygit2.init_repository(tmp_path / "empty")
    with pytest.raises(SourceError, match="no commit on its HEAD.*commit something first"):
        read(tmp_path / "empty")


@pytest.mark.parametrize("trusted", [False, True])
def test_a_repository_of_another_user(tmp_path: Path, trusted: bool) -> None:
    """Only root can make one; as another user the repository stays one's own and is read."""
    folder = tmp_path / "theirs"
    builder = Builder(folder)
    for step in range(2):
        builder.commit({"a.py": str(step)})
    if os.geteuid() == 0:
        for found in [folder, *folder.rglob("*")]:
            os.chown(found, 12_345, 12_345)
    elif not trusted:
        return
    script = (
        "import sys; from pathlib import Path; from collections import Counter\n"
        "from editcast_training.sources.git import read_git\n"
        "print(len(list(read_git(Path(sys.argv[1]), project='p', skipped=Counter()))))"
    )
    home = tmp_path / "home"
    home.mkdir()
    if trusted:  # exactly what the message says
        git(home, "config", "--global", "--add", "safe.directory", str(folder))
    environ = {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}
    environ["HOME"] = str(home)
    result = subprocess.run(
        [sys.executable, "-c", script, str(folder)], env=environ, capture_output=True, text=True
    )
    if trusted:
        assert result.stdout == "1\n", result.stderr
    else:
        assert f'git config --global --add safe.directory "{folder}"' in result.stderr
