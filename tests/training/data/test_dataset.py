import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editcast_model.errors import CorpusError
from editcast_model.networks.batch import Instance
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_training.data.dataset import Dataset

BUDGET = 3000


def _key(instance: Instance) -> tuple[int, ...]:
    """Return what tells instances apart, however they are cropped."""
    return tuple(edit.content for edit in instance.edits)


def test_an_epoch_has_every_instance_once_and_recorded_saves_more_often(
    small_corpus: Path,
) -> None:
    data = Dataset.read(small_corpus / "train")
    every: Counter[tuple[int, ...]] = Counter()
    for index in range(len(data)):
        every[_key(data.instance(index))] += 4 if index % 3 == 0 else 1
    assert sum(map(len, set(every))) <= len(data.positions.values)
    assert set(data.kinds) == {"commits"}
    data = replace(data, kinds=np.where(np.arange(len(data)) % 3 == 0, "saves", "commits"))
    batches = list(data.batches(1, BUDGET))
    assert Counter(_key(one) for batch in batches for one in batch) == every
    assert len(batches) > 10


def test_batches_keep_to_the_budget_with_their_padding(small_corpus: Path) -> None:
    sizes = []
    for batch in Dataset.read(small_corpus / "train").batches(1, BUDGET):
        widest = max(len(one.state) for one in batch)
        longest = max(len(one.edits) for one in batch)
        assert len(batch) == 1 or (widest + 4 * longest) * len(batch) <= BUDGET
        sizes.append(len(batch))
    assert max(sizes) > 1


def test_the_seed_decides_an_epoch(small_corpus: Path) -> None:
    data = Dataset.read(small_corpus / "train")
    first, again, other = (list(data.batches(seed, BUDGET)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("margins", [(0, 0), (16, 5), (10_000, 10_000)])
def test_a_cropped_instance_is_a_part_of_the_whole(
    small_corpus: Path, margins: tuple[int, int]
) -> None:
    data = Dataset.read(small_corpus / "dev")
    for index in range(len(data)):
        whole, part = data.instance(index), data.instance(index, margins)
        assert set(part.stands) == {1}
        assert len(part.state) <= len(whole.state)
        texts = [
            EditSequence(tuple(one.state), tuple(one.edits)).final()[1:] for one in (whole, part)
        ]
        cut = len(whole.state) - len(part.state)
        assert len(texts[0]) - len(texts[1]) == cut
        assert any(texts[0][at : at + len(texts[1])] == texts[1] for at in range(cut + 1))
        if margins[0] == 0:
            assert cut > 0


def test_of_a_far_text_pieces_stand_for_all_of_it(small_corpus: Path) -> None:
    data = Dataset.read(small_corpus / "dev")
    draw = random.Random(0)
    missing = counted = 0.0
    for index in [index for index in range(len(data)) for _ in range(20)]:
        whole, part = data.instance(index), data.instance(index, (8, 8), draw)
        assert len(part.state) == len(part.stands) == len(part.left_out)
        # The tokens that are left stood where `left_out` says.
        places = np.arange(len(part.state)) + np.array(part.left_out)
        assert [whole.state[place] for place in places] == list(part.state)
        for edit, cut in zip(whole.edits, part.edits, strict=True):
            assert edit.content == cut.content
            if cut.position < len(part.state):
                assert places[cut.position] == edit.position
                assert part.stands[cut.position] == 1  # what is pointed at is itself
        missing += len(whole.state)
        counted += sum(part.stands)
    assert counted == pytest.approx(missing, rel=0.05)


def test_a_split_without_instances_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no instances"):
        Dataset.read(tmp_path / "train")
