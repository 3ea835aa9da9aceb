"""Undo and redo, told by the text; bulk changes, told by their size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_server.documents.buffer import PastTexts, RecentChanges


def test_an_undo_brings_back_a_text() -> None:
    memory = PastTexts()
    seen = [memory.brings_back(text) for text in ("", "a", "ab", "ab", "a", "", "a", "ab", "abc")]
    #        opened, typed, typed, saved, undone, undone, redone, redone, typed
    assert seen == [False, False, False, False, True, True, True, True, False]
    assert memory.hashes == {hash(text) for text in ("", "a", "ab", "abc")}


def test_the_last_64_texts_are_known() -> None:
    memory = PastTexts()
    texts = [str(number) for number in range(65)]
    for text in texts:
        assert not memory.brings_back(text)
    assert memory.brings_back(texts[1])
    assert not memory.brings_back(texts[0])
    memory.clear()
    assert not memory.brings_back(texts[1])


@given(st.lists(st.sampled_from("abcde"), max_size=40))
def test_few_texts_are_all_remembered(texts: list[str]) -> None:
    memory = PastTexts()
    for index, text in enumerate(texts):
        earlier = texts[:index]
        assert memory.brings_back(text) == (text in earlier and earlier[-1] != text)


@pytest.mark.parametrize(
    ("changes", "is_bulk"),
    [
        ([], False),
        ([(0.0, 1, 0)], False),
        ([(0.0, 199, 7)], False),
        ([(0.0, 200, 0)], True),
        ([(0.0, 1, 8)], True),
        ([(0.0, 100, 4), (1.5, 100, 0)], True),
        ([(0.0, 100, 4), (1.6, 100, 4)], False),
        # A paste; typing right behind it; typing later.
        ([(0.0, 500, 20), (0.4, 1, 0)], True),
        ([(0.0, 500, 20), (0.4, 1, 0), (2.0, 1, 0)], False),
        ([(0.05 * number, 1, 0) for number in range(200)], False),  # 20 characters a second
    ],
)
def test_bulk(changes: list[tuple[float, int, int]], is_bulk: bool) -> None:
    volume = RecentChanges()
    for now, characters, lines in changes:
        volume.add(now, characters, lines)
    assert volume.is_bulk is is_bulk
    volume.clear()
    assert not volume.is_bulk
