"""Parallel sentences, their subwords, and BLEU of translations."""

from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from editcast_model.errors import ReproductionError
from editcast_papers.bleu import bleu, bleu_counts, paired_bootstrap
from editcast_papers.multi30k import read_multi30k
from editcast_papers.subwords import END, PAD, START, learn_subwords

_SIZES = {"train": 40, "val": 4, "test_2016_flickr": 6}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    place = tmp_path / "dataset" / "data" / "task1" / "tok"
    place.mkdir(parents=True)
    for part, size in _SIZES.items():
        for language in ("de", "en"):
            lines = [f"{part} {language} größe {number}" for number in range(size)]
            name = f"{part}.lc.norm.tok.{language}"
            (place / name).write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "dataset"


def _bare(data: Path) -> Path:
    """Commit the data, and leave no work tree."""
    repository = pygit2.init_repository(data)
    repository.index.add_all()
    author = pygit2.Signature("somebody", "somebody@example.org", 1_600_000_000, 0)
    tree = repository.index.write_tree()
    repository.create_commit("HEAD", author, author, "data", tree, [])
    bare = data.with_name("bare")
    (data / ".git").rename(bare)
    return bare


def test_a_checkout_and_a_bare_repository_hold_the_same(data: Path) -> None:
    found = read_multi30k(data, "de", "en")
    assert [len(part) for part in (found.train, found.dev, found.test)] == list(_SIZES.values())
    assert found.test[1] == ("test_2016_flickr de größe 1", "test_2016_flickr en größe 1")
    assert read_multi30k(_bare(data), "de", "en") == found
    other = read_multi30k(data, "en", "de")
    assert other.test[1] == found.test[1][::-1] and other.identity != found.identity


def test_what_is_missing_or_uneven_is_said(data: Path, tmp_path: Path) -> None:
    place = data / "data" / "task1" / "tok"
    (place / "val.lc.norm.tok.en").write_text("one\n", "utf-8")
    with pytest.raises(ReproductionError, match="val.* not as many lines"):
        read_multi30k(data, "de", "en")
    (place / "val.lc.norm.tok.en").unlink()
    with pytest.raises(ReproductionError, match="no .*val.lc.norm.tok.en; --data is a clone"):
        read_multi30k(data, "de", "en")
    with pytest.raises(ReproductionError, match="--data is a clone of multi30k/dataset"):
        read_multi30k(tmp_path / "nowhere", "de", "en")
    with pytest.raises(ReproductionError, match="--data is a clone of multi30k/dataset"):
        read_multi30k(_bare(data.parent / "dataset").parent, "de", "en")


def test_subwords_write_the_sentences_again() -> None:
    texts = ["ein mann schläft .", "eine frau läuft .", "ein hund schläft ."] * 5
    subwords = learn_subwords(texts, 60)
    coded = subwords.encode(texts)
    assert coded == learn_subwords(texts, 60).encode(texts)
    assert [subwords.decode([START, *ids, END, PAD]) for ids in coded] == texts
    assert len(subwords) <= 60
    assert max(map(max, coded)) < len(subwords) and min(map(min, coded)) > END


_texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
_pairs = st.lists(st.tuples(_texts, _texts.filter(bool)), min_size=1, max_size=9)


@given(pairs=_pairs)
def test_bleu_of_counts_is_that_of_the_sentences(pairs: list[tuple[str, str]]) -> None:
    found, references = [list(side) for side in zip(*pairs, strict=True)]
    whole = BLEU(tokenize="none", force=True).corpus_score(found, [references])
    assert bleu(bleu_counts(found, references)) == pytest.approx(whole.score)


def test_a_difference_has_an_interval() -> None:
    references = [f"a b c d e {number} g h" for number in range(50)]
    good = bleu_counts(references, references)
    poor = bleu_counts([text.replace("c", "x") for text in references], references)
    gap = paired_bootstrap([good, good], [poor, poor])
    assert gap.value == pytest.approx(100 - bleu(poor))
    assert 0 < gap.low <= gap.value <= gap.high
    assert paired_bootstrap([good], [poor]) == paired_bootstrap([good, good], [poor, poor])
    same = paired_bootstrap([poor, good], [poor, good])
    assert (same.low, same.value, same.high) == (0, 0, 0)
    half = [*poor[:25], *good[25:]]
    chance = paired_bootstrap([half], [[*good[:25], *poor[25:]]])
    assert chance.low < 0 < chance.high
