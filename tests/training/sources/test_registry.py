"""Sources as users name them: lists of repositories, their sizes, and one's own history."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from editcast_model.errors import CorpusError, SourceError
from editcast_training.sources.registry import (
    listed_repositories,
    own_history,
    read_origin,
    size_of,
)


@pytest.mark.parametrize("wrong", ['train = "me/project"', 'languages = "python"', "dev = [1]"])
def test_a_list_that_is_none(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "list.toml").write_text(wrong)
    with pytest.raises(CorpusError, match="list of names"):
        listed_repositories(tmp_path / "list.toml", tmp_path)


def test_the_size_of_a_repository_is_that_of_its_packs(tmp_path: Path) -> None:
    for git in ("bare", "tree/.git"):
        (tmp_path / git / "objects/pack").mkdir(parents=True)
        (tmp_path / git / "objects/pack/pack-1.pack").write_bytes(b"x" * 100)
    (tmp_path / "tree" / "levels.pack").write_bytes(b"of a game")
    (tmp_path / "tree" / "link.pack").symlink_to("nowhere")
    assert size_of(tmp_path / "bare") == size_of(tmp_path / "tree") == 100


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_one_s_own_history_with_a_repository_of_another_user(
    small_repository: Path,
    repository_maker: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    theirs = repository_maker(tmp_path / "theirs" / ".git", 3).parent
    for found in [theirs, *theirs.rglob("*")]:
        os.chown(found, 12_345, 12_345)
    (origin,) = [one for one in own_history([theirs]) if one.kind == "git"]
    assert origin.path == theirs
    with pytest.raises(SourceError, match="belongs to another user"):
        list(read_origin(origin, Counter()))
