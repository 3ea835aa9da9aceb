"""Relative positions, against a list that is really edited."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.edits import BUCKETS, DELETE, SAVE, START, Edit, Timeline
from editcast_model.networks.batch import Instance, collate, trace


class Written:
    """A text as a list of items, edited by hand; sites are inherited from the anchor."""

    def __init__(self, size: int) -> None:
        self.order = list(range(size))
        self.sites = list(range(size))
        self.last = 0

    def apply(self, edit: Edit) -> None:
        item, rank = len(self.sites), self.order.index(edit.position)
        self.sites.append(self.sites[edit.position])
        if edit.content == DELETE:
            self.order.remove(edit.position)
            self.last = rank
        elif edit.content != SAVE:
            self.order.insert(rank + 1, item)
            self.last = rank + 1


def bucket(distance: int) -> int:
    """Exact to 8 either way, then twice as far every other bucket."""
    near, far = 8, [round(8 * 2 ** (step / 2)) for step in range(1, 19)]
    beyond = sum(abs(distance) > edge for edge in far)
    outside = abs(distance) > near
    index = near + outside + beyond if outside else abs(distance)
    return BUCKETS // 2 + (index if distance >= 0 else -index)


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 25))
def test_a_trace_is_what_a_list_would_say(seed: int, size: int, steps: int) -> None:
    state, edits = random_instance(size, steps, seed)
    rows, live, near = trace(state, edits)
    assert len(rows) == len(edits) and live.shape == near.shape == (len(edits), size + len(edits))
    written = Written(size)
    for step, (row, edit) in enumerate(zip(rows, edits, strict=True)):
        assert set(np.flatnonzero(live[step])) == set(written.order)
        for rank, item in enumerate(written.order):
            assert near[step, item] == bucket(rank - written.last)
        rank = written.order.index(edit.position)
        assert (row.position, row.rank) == (edit.position, rank)
        assert row.site == written.sites[edit.position]
        assert row.move == bucket(rank - written.last)
        written.apply(edit)


def random_instance(size: int, steps: int, seed: int) -> tuple[list[int], list[Edit]]:
    choose = np.random.default_rng(seed)
    timeline = Timeline([START, *choose.integers(4, 9, size - 1).tolist()])
    for _ in range(steps):
        item = int(choose.choice(timeline.order()))
        content = int(choose.choice([DELETE, SAVE, 4, 5]))
        if content == SAVE or (content == DELETE and item == 0):
            item, content = 0, SAVE
        timeline.append(Edit(item, content))
    return list(timeline.initial), timeline.edits


def test_buckets_are_exact_near_by_and_grow_far_off() -> None:
    assert bucket(0) == BUCKETS // 2
    timeline = Timeline([START, *[5] * 9_000])
    timeline.append(Edit(4_500, 6))
    found = timeline.buckets()
    assert found.dtype == np.uint8
    ranks = timeline.rank - timeline.last_rank
    for item in (0, 1, 400, 4_400, 4_491, 4_492, 4_493, 4_499, 4_500, 4_501, 4_510, 4_600, 9_000):
        assert found[item] == bucket(int(ranks[item]))
    by_rank = found[timeline.order()].astype(int)
    assert (np.diff(by_rank) >= 0).all()
    assert len(set(by_rank[4_501 - 8 : 4_501 + 9].tolist())) == 17
    assert (by_rank[0], by_rank[-1]) == (0, BUCKETS - 1)


@pytest.mark.parametrize("seed", range(5))
def test_training_and_serving_see_the_same(seed: int) -> None:
    state, edits = random_instance(9, 20, seed)
    rows, live, near = trace(state, edits)
    timeline = Timeline(state)
    # As the server does: it goes too far, takes back, and goes on.
    for edit in edits[:12]:
        timeline.append(edit)
    timeline.truncate(5)
    for step in range(5, len(edits)):
        row = timeline.row(edits[step])
        assert (row.site, row.rank, row.move) == (
            rows[step].site,
            rows[step].rank,
            rows[step].move,
        )
        size = timeline.items
        assert (timeline.live == live[step, :size]).all()
        alive = timeline.live
        assert (timeline.buckets()[alive] == near[step, :size][alive]).all()
        timeline.append(edits[step])


@given(st.integers(0, 10_000), st.integers(2, 14), st.integers(1, 20))
def test_distances_are_those_of_the_text_that_nothing_was_left_out_of(
    seed: int, size: int, steps: int
) -> None:
    """Return the same edits to a text and to some of its tokens, those pointed at among them."""
    state, edits = random_instance(size, steps, seed)
    whole, _, near = trace(state, edits)
    pointed = {edit.position for edit in edits if edit.position < size} | {0}
    kept = [at for at in range(size) if at in pointed or (at + seed) % 3]
    new = {at: index for index, at in enumerate(kept)}
    shift = size - len(kept)
    moved = [
        Edit(new[edit.position] if edit.position < size else edit.position - shift, edit.content)
        for edit in edits
    ]
    left_out = [at - index for index, at in enumerate(kept)]
    rows, live, cropped = trace([state[at] for at in kept], moved, left_out)
    assert [row.move for row in rows] == [row.move for row in whole]
    columns = [*kept, *range(size, size + steps)]
    assert (cropped[live] == near[:, columns][live]).all()


def test_a_padded_batch_counts_items_behind_the_longest_state() -> None:
    short = Instance([START, 5], [Edit(1, 6), Edit(2, 7), Edit(0, SAVE)])
    long = Instance([START, 5, 6, 7, 8], [Edit(4, DELETE)])
    batch = collate([short, long])
    assert batch.positions.tolist() == [[0, 1, 5, 0], [0, 4, 0, 0]]
    assert batch.tokens.tolist() == [[1, 5, 0, 0, 0, 6, 7, 3], [1, 5, 6, 7, 8, 2, 0, 0]]
    assert batch.live[0].nonzero().tolist() == [
        *[[0, 0], [0, 1]],
        *[[1, 0], [1, 1], [1, 5]],
        *[[2, 0], [2, 1], [2, 5], [2, 6]],
    ]
    assert batch.copyable.tolist() == [[True, True, False], [False, False, False]]
    assert batch.sites.tolist() == [[0, 1, 1, 0], [0, 4, 0, 0]]
    # A padded step points somewhere, so that its distribution is one.
    assert batch.live[1, 1:].nonzero()[:, 1].tolist() == [0, 0]
