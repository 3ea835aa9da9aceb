"""Identities of edits, in both representations, over arbitrary sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.edits import DELETE, SAVE, START, Edit, Timeline
from editcast_model.errors import EditError
from editcast_papers.zhao2019.edit_sequence import EditSequence

tokens = st.integers(4, 9)
states = st.lists(tokens, max_size=12).map(lambda rest: [START, *rest])


def apply(edit: Edit, state: list[int]) -> list[int]:
    """Apply an explicit edit to a state."""
    out = list(state)
    if edit.content == DELETE:
        del out[edit.position]
    elif edit.content != SAVE:
        out.insert(edit.position + 1, edit.content)
    return out


@st.composite
def explicit_sequences(draw: st.DrawFn) -> tuple[list[int], list[Edit]]:
    initial = draw(states)
    state, edits = list(initial), []
    for _ in range(draw(st.integers(0, 15))):
        content = draw(st.sampled_from([DELETE, SAVE, 4, 5, 6, 7]))
        if content == SAVE:
            position = 0
        elif content == DELETE:
            if len(state) == 1:
                continue
            position = draw(st.integers(1, len(state) - 1))
        else:
            position = draw(st.integers(0, len(state) - 1))
        edits.append(Edit(position, content))
        state = apply(edits[-1], state)
    return initial, edits


def implicit(initial: list[int], edits: list[Edit]) -> EditSequence:
    """Return the implicit form of explicit edits."""
    timeline = Timeline(initial)
    for edit in edits:
        timeline.append(Edit(int(timeline.order()[edit.position]), edit.content))
    return EditSequence(timeline.initial, tuple(timeline.edits))


@given(explicit_sequences())
def test_explicit_of_implicit_is_the_same(case: tuple[list[int], list[Edit]]) -> None:
    initial, edits = case
    sequence = implicit(initial, edits)
    assert sequence.explicit() == tuple(edits)
    assert implicit(initial, [*sequence.explicit()]) == sequence


@given(explicit_sequences())
def test_both_representations_imply_the_same_states(case: tuple[list[int], list[Edit]]) -> None:
    initial, edits = case
    state = list(initial)
    expected = [state]
    for edit in edits:
        state = apply(edit, state)
        expected.append(state)
    sequence = implicit(initial, edits)
    assert list(sequence.states()) == expected
    assert sequence.final() == expected[-1]


@given(explicit_sequences(), st.data())
def test_truncate_is_never_having_edited(
    case: tuple[list[int], list[Edit]], data: st.DataObject
) -> None:
    sequence = implicit(*case)
    timeline = Timeline(sequence.initial)
    for edit in sequence.edits:
        timeline.append(edit)
    count = data.draw(st.integers(0, len(sequence.edits)))
    timeline.truncate(count)
    fresh = Timeline(sequence.initial)
    for edit in sequence.edits[:count]:
        fresh.append(edit)
    assert timeline.state() == fresh.state()
    assert (timeline.live == fresh.live).all()
    assert (timeline.rank[timeline.live] == fresh.rank[fresh.live]).all()
    assert timeline.last_rank == fresh.last_rank


@given(states, st.data())
def test_replace_is_slice_assignment(initial: list[int], data: st.DataObject) -> None:
    timeline = Timeline(initial)
    state = list(initial)
    for _ in range(3):
        start = data.draw(st.integers(1, len(state)))
        end = data.draw(st.integers(start, len(state)))
        new = data.draw(st.lists(tokens, max_size=4))
        timeline.replace(start, end, new)
        timeline.save()
        state[start:end] = new
        assert timeline.state() == state


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, DELETE)],
        [Edit(5, 7)],
        [Edit(-1, 7)],
        [Edit(1, DELETE), Edit(1, DELETE)],
        [Edit(1, DELETE), Edit(1, 7)],
        [Edit(1, DELETE), Edit(3, 7)],
        [Edit(0, SAVE), Edit(3, 7)],
    ],
)
def test_impossible_positions_are_refused(edits: list[Edit]) -> None:
    timeline = Timeline([START, 4, 5])
    with pytest.raises(EditError):
        for edit in edits:
            timeline.append(edit)


def test_a_state_begins_with_start() -> None:
    with pytest.raises(EditError):
        Timeline([4])
