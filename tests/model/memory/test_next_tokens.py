"""Subtokens that the project memory expects next, mixed with the network's contents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.card import GATE_FEATURES
from editcast_model.edits import DELETE, SAVE, START, Edit, Timeline
from editcast_model.memory.next_tokens import (
    Expected,
    NextTokens,
    gate_features,
    gate_shares,
)
from editcast_model.memory.project_memory import ProjectMemory

BUNDLE = Bundle.open(bundled_path())
TOKENIZER = BUNDLE.tokenizer
LINES = "".join(f"    total = add(total, price)\n    show({number})\n" for number in range(3))
ALL_TO_THE_FILE = np.zeros((len(GATE_FEATURES), 2))
ALL_TO_THE_FILE[0] = 50.0, -50.0
GATE = ALL_TO_THE_FILE.flatten().tolist()


def at(marked: str) -> tuple[str, Timeline, int]:
    """A text with its timeline, and the item before the mark."""
    before, after = marked.split("|")
    ids = TOKENIZER.ids(before)
    return before + after, Timeline([START, *ids, *TOKENIZER.ids(after)]), len(ids)


def expected(marked: str, memory: ProjectMemory | None = None) -> tuple[dict[str, float], ...]:
    """The shares of what follows a mark, by the text of the subtoken."""
    text, timeline, item = at(marked)
    tokens = NextTokens(memory or ProjectMemory(), "a.py", TOKENIZER, GATE)
    tokens.read(text)
    return tuple(
        {TOKENIZER.decode([token]): share for token, share in one.shares.items()}
        for one in tokens.expected(timeline, item)
    )


def test_what_followed_the_same_units_is_expected() -> None:
    own, project = expected(f"{LINES}    total = add(|\n")
    assert own == {"total": 1.0} and project == {}


def test_a_word_is_gone_on_with_as_it_is_divided() -> None:
    word = "unforgettable_property"
    first, second, *_ = TOKENIZER.ids(word)
    begun = TOKENIZER.decode([first])
    own, _ = expected(f"use({word})\nuse({word})\nuse({begun}|)\n")
    assert max(own, key=own.__getitem__) == TOKENIZER.decode([second])
    own, _ = expected("use(one)\nuse(one)\nuse(one|\n")
    assert own == {")": 1.0}


def test_the_place_itself_says_nothing() -> None:
    assert expected("first = call(once|, more, and_more, of_it)\n") == ({}, {})


def test_other_files_are_asked_and_the_file_itself_is_not_twice() -> None:
    memory = ProjectMemory()
    memory.put("b.py", LINES)
    memory.put("a.py", "    total = other(place)\n")
    assert expected("    total = |\n", memory) == ({}, {"add": 1.0})


def test_what_was_inserted_counts_as_read() -> None:
    text = f"{LINES}    total = \n"
    timeline = Timeline([START, *TOKENIZER.ids(text)])
    item = len(timeline.initial) - 2
    for token in TOKENIZER.ids("add("):
        timeline.append(Edit(item, token))
        item = timeline.items - 1
    tokens = NextTokens(ProjectMemory(), "a.py", TOKENIZER, GATE)
    tokens.read(text)
    own, _ = tokens.expected(timeline, item)
    assert own.best == TOKENIZER.ids("total")[0]


def test_deletions_and_ends_of_saves_are_left_to_the_network() -> None:
    text, timeline, item = at(f"{LINES}    total = add(|\n")
    tokens = NextTokens(ProjectMemory(), "a.py", TOKENIZER, GATE)
    tokens.read(text)
    logits = np.random.default_rng(0).normal(size=len(TOKENIZER))
    said = np.log(np.exp(logits) / np.exp(logits).sum()).astype(np.float32)
    mixed = tokens.mixed(timeline, item, said)
    assert mixed[[DELETE, SAVE]] == pytest.approx(said[[DELETE, SAVE]])
    assert np.exp(mixed).sum() == pytest.approx(1.0, abs=1e-4)
    assert mixed.argmax() == TOKENIZER.ids("total")[0]
    nothing_known = at("first = |\n")
    assert tokens.mixed(*nothing_known[1:], said) is said


@given(st.text("ab (.,)\n", max_size=60), st.data())
def test_shares_are_of_one_whole(text: str, data: st.DataObject) -> None:
    item = data.draw(st.integers(0, len(TOKENIZER.ids(text))))
    tokens = NextTokens(ProjectMemory(), "", TOKENIZER, BUNDLE.card.next_tokens)
    tokens.read(text)
    found = tokens.expected(Timeline([START, *TOKENIZER.ids(text)]), item)
    for one in found:
        assert not one.shares or sum(one.shares.values()) == pytest.approx(1.0)
    said = np.full(len(TOKENIZER), 1 / len(TOKENIZER))
    shares = gate_shares(gate_features(said, found), found, ALL_TO_THE_FILE)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[1] == pytest.approx(float(bool(found[0].shares)))


def test_a_gate_describes_what_it_is_fitted_to() -> None:
    said = np.full(8, 1 / 8)
    features = gate_features(said, (Expected({5: 0.75, 6: 0.25}, 4, 2), Expected({})))
    named = dict(zip(GATE_FEATURES, features.tolist(), strict=True))
    assert (named["file_known"], named["file_agreement"], named["file_share"]) == (1.0, 0.5, 0.75)
    assert named["project_known"] == named["same"] == 0.0


def test_the_bundled_card_has_a_gate() -> None:
    """Without it a fifth of what people insert is not foreseen any more."""
    assert len(BUNDLE.card.calibration.next_tokens) == 2 * len(GATE_FEATURES)
