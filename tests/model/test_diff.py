"""Hunks lead from one text to the other, lie on token boundaries, and read as they were typed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from editcast_model.diff import Hunk, apply_hunks, diff, diff_tokens
from editcast_model.edits import START, Timeline
from editcast_model.tokenizer import Tokenizer, lex, lines

ODD = [
    "\ud800",
    "\udc00",
    "\0",
    "\r",
    "\r\n",
    "\x85",
    "\u0301",
    "é",
    "名前",
    "👩\u200d👧",
    "x" * 70,
]
CODE = ["a", "b", "foo", "0", " ", "    ", "(", ")", ", ", ".", "=", "[", "]", "\n", "\n"]
characters = st.characters(exclude_categories=())
pieces = st.sampled_from(CODE) | st.sampled_from(ODD) | characters
texts = st.lists(pieces, max_size=40).map("".join)


@st.composite
def related_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts, one made of the other by cutting out, copying and inserting."""
    before = after = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(after)))
        end = draw(st.integers(start, min(len(after), start + 20)))
        there = draw(st.integers(0, len(after)))
        new = draw(st.just(after[start:end]) | st.lists(pieces, max_size=4).map("".join))
        if draw(st.booleans()):
            after = after[:start] + new + after[end:]
        else:
            after = after[:there] + new + after[there:]
    return before, after


pairs = related_texts() | st.tuples(texts, texts)


def boundaries(text: str) -> set[int]:
    """The offsets at which the lexical tokens of `text` begin and end."""
    out, at = {0}, 0
    for token in lex(text):
        at += len(token)
        out.add(at)
    return out


@given(pairs)
def test_hunks_lead_to_the_text_after(pair: tuple[str, str]) -> None:
    before, after = pair
    assert apply_hunks(before, diff(before, after)) == after


@given(pairs)
def test_hunks_are_ascending_and_apart_and_change_something(pair: tuple[str, str]) -> None:
    before, after = pair
    hunks = diff(before, after)
    assert bool(hunks) == (before != after)
    for hunk in hunks:
        assert 0 <= hunk.start <= hunk.end <= len(before)
        assert before[hunk.start : hunk.end] != hunk.text
    for hunk, following in zip(hunks, hunks[1:], strict=False):
        assert hunk.end < following.start


@given(pairs)
def test_hunks_lie_on_token_boundaries_of_both_texts(pair: tuple[str, str]) -> None:
    before, after = pair
    old, new = boundaries(before), boundaries(after)
    grown = 0
    for hunk in diff(before, after):
        assert {hunk.start, hunk.end} <= old
        assert {hunk.start + grown, hunk.start + grown + len(hunk.text)} <= new
        grown += len(hunk.text) - (hunk.end - hunk.start)


@given(pairs)
def test_the_same_texts_have_the_same_hunks(pair: tuple[str, str]) -> None:
    before, after = pair
    again = "".join(list(before)), "".join(list(after))
    assert diff(before, after) == diff(*again)


@given(pairs)
def test_hunks_replayed_on_subtokens_give_the_encoding_of_the_text_after(
    tokenizer: Tokenizer, pair: tuple[str, str]
) -> None:
    """Return what training and serving rely on, hunk by hunk, left to right and right to left."""
    before, after = pair
    hunks = diff(before, after)
    encoding = tokenizer.encode(before)
    for order in (range(len(hunks)), reversed(range(len(hunks)))):
        timeline = Timeline([START, *encoding.ids.tolist()])
        grown = [0] * len(hunks)
        for index in order:
            hunk = hunks[index]
            # Of the subtokens that start at a place, the last: others end a character before it.
            start, end = encoding.starts.searchsorted((hunk.start, hunk.end), "right").tolist()
            ids = tokenizer.ids(hunk.text)
            shift = sum(grown[:index])
            timeline.replace(start + shift, end + shift, ids)
            grown[index] = len(ids) - (end - start)
        assert timeline.state() == [START, *tokenizer.ids(after)]


def marked(before: str, after: str) -> str:
    """`before` with what is deleted as ⟦..⟧ and what is inserted as ⟪..⟫."""
    out, done = "", 0
    for hunk in diff(before, after):
        old = before[hunk.start : hunk.end]
        out += before[done : hunk.start] + (f"⟦{old}⟧" if old else "")
        out += f"⟪{hunk.text}⟫" if hunk.text else ""
        done = hunk.end
    return out + before[done:]


def both(text: str) -> tuple[str, str]:
    """The texts before and after that a marked text stands for."""
    before = after = ""
    for kind, part in _parts(text):
        before += part if kind != "⟪" else ""
        after += part if kind != "⟦" else ""
    return before, after


def _parts(text: str) -> list[tuple[str, str]]:
    out, kind, part = [], "", ""
    for char in text:
        if char in "⟦⟪⟧⟫":
            out.append((kind, part))
            kind, part = (char, "") if char in "⟦⟪" else ("", "")
        else:
            part += char
    return [*out, (kind, part)]


@pytest.mark.parametrize(
    "text",
    [
        # Arguments and elements come with the separator before them.
        "f(a, b⟪, c⟫)",
        "f(a⟪, a⟫)",
        "f(a=1⟪, b=1⟫)",
        "f(g(x)⟪, h(x)⟫)",
        "f(⟪a, ⟫b)",
        "[1, 1⟪, 1⟫]",
        "[a⟦, b⟧, c]",
        "[a, b⟦, c⟧]",
        "[⟦a, ⟧b, c]",
        "[[1]⟪, [2]⟫, [3]]",
        "[[1], [2]⟦, [3]⟧]",
        '<a x="1"⟪ y="1"⟫>',
        "a + b⟪ + b⟫",
        "x.y⟪.y⟫",
        "f()⟪()⟫",
        "{ a();⟪ b();⟫ }",
        "public⟪ static⟫ void f",
        # Wrapping is two insertions.
        "⟪g(⟫f(x)⟪)⟫",
        "⟪f(⟫f(x)⟪)⟫",
        "x = ⟪str(⟫a.b⟪)⟫\n",
        # A rename is a hunk wherever the name stands.
        "⟦foo⟧⟪bar⟫(a)\n⟦foo⟧⟪bar⟫(b)\n",
        "⟦f⟧⟪g⟫(⟦a⟧⟪b⟫)",
        "⟦a.b⟧⟪c.d⟫",
        "# ⟦This does x⟧⟪That is y now⟫\n",
        # Whole lines.
        "a\nx\n⟪x\n⟫b\n",
        "import os\n⟪import re\n⟫import sys\n",
        "def f():\n    pass\n\n⟪def g():\n    pass\n\n⟫def h():\n    pass\n",
        "def f():\n    pass\n⟪def g():\n    pass\n⟫def h():\n    pass\n",
        "def f():\n    pass\n\n⟦def g():\n    pass\n\n⟧def h():\n    pass\n",
        "class A:\n    def f():\n        return 1\n⟪\n    def g():\n        return 1\n⟫",
        "f() {\n  return 1;\n}\n⟪\ng() {\n  return 1;\n}\n⟫",
        "def f\n  1\nend\n⟪\ndef g\n  1\nend\n⟫",
        "def f():\n    pass\n⟪\ndef f():\n    pass\n⟫",
        "a\n\n⟪\n⟫b\n",
        "⟪if a {\n  x\n}\n⟫if a {\n  x\n  y\n}\n",
        "a⟪\n⟫",
        "a\nb⟪\nc⟫",
        # A changed line and new or deleted ones next to it.
        "f(a⟪, b⟫)\n⟪    g(b)\n⟫",
        "f(a⟦, b⟧)\n⟦    g(b)\n⟧",
        "⟪g(b)\n⟫f(a⟪, b⟫)\n",
        "x = ⟦1⟧⟪2⟫\n⟪y = 3\n⟫",
        "import a⟪, b⟫\n⟪import c\n⟫x\n",
        "f(a⟪, c⟫)\n⟪h(c)\n⟫g(b⟪, c⟫)\n",
        # Indenting and dedenting.
        "⟪if x:\n    ⟫a()\n⟪    ⟫b()\n",
        "a ⟦==⟧⟪is⟫ b\n",
        "a = 1⟦\r\n⟧⟪\n⟫b = 2⟦\r\n⟧⟪\n⟫",
    ],
)
def test_canonical_hunks(text: str) -> None:
    before, after = both(text)
    assert marked(before, after) == text
    # Far from the ends of a long file as well.
    head = "".join(f"{number} head\n" for number in range(2_000))
    tail = head.replace("head", "tail") if before[-1:] == after[-1:] == "\n" else ""
    assert marked(head + before + tail, head + after + tail) == head + text + tail


def test_one_of_many_equal_lines_is_deleted_at_the_last_place() -> None:
    assert diff("x\n" * 5_000, "x\n" * 4_999) == (Hunk(9_998, 10_000, ""),)


def test_many_empty_lines_are_added_at_the_last_place() -> None:
    before = "a\n" + "\n" * 2_000 + "b\n"
    added = "\n" * 300_000
    assert diff(before, f"{before[:-2]}{added}b\n") == (Hunk(2_002, 2_002, added),)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("A", "AB", [(1, 1, 1, 2)]),
        ("AA", "AAA", [(0, 0, 0, 1)]),
        ("ABA", "ABABA", [(0, 0, 0, 2)]),
        ("AAB", "AB", [(0, 1, 0, 0)]),
        ("ACA", "ABCAB", [(1, 1, 1, 2), (3, 3, 4, 5)]),
        ("XAAY", "XAAAY", [(1, 1, 1, 2)]),
        ("AB", "CD", [(0, 2, 0, 2)]),
        ("AB", "AB", []),
        ("", "AB", [(0, 0, 0, 2)]),
        ("AB", "", [(0, 2, 0, 0)]),
    ],
)
def test_changes_of_tokens_stand_as_far_left_as_they_can(
    before: str, after: str, changes: list[tuple[int, int, int, int]]
) -> None:
    assert diff_tokens(before, after) == changes
    assert diff_tokens([*before.encode()], [*after.encode()]) == changes


def rebuilt(before: list[int], after: list[int]) -> tuple[list[int], int]:
    """`after` made of `before` and the changes, and how many elements they delete and insert."""
    out, done, distance = [], 0, 0
    for a0, a1, b0, b1 in diff_tokens(before, after):
        out += before[done:a0] + after[b0:b1]
        done = a1
        distance += a1 - a0 + b1 - b0
    return out + before[done:], distance


@given(st.lists(st.integers(-3, 3), max_size=30), st.lists(st.integers(-3, 3), max_size=30))
def test_changes_of_tokens_are_the_fewest(before: list[int], after: list[int]) -> None:
    assert rebuilt(before, after) == (
        after,
        # Letters, since rapidfuzz hashes -1 and -2 to the same.
        Indel.distance("".join(chr(x + 70) for x in before), "".join(chr(x + 70) for x in after)),
    )


def test_changes_that_touch_after_sliding_are_one() -> None:
    assert diff_tokens("AyzE", "ByqyzS") == [(0, 1, 0, 3), (3, 4, 5, 6)]
    assert diff_tokens("AxByC", "AxxDxByE") == [(1, 1, 1, 4), (4, 5, 7, 8)]


def test_rest_of_a_changed_line_is_not_looked_for_behind_the_next_change() -> None:
    before, after = "0 x\n", "1 y\n2 y\n"
    assert apply_hunks(before, diff(before, after)) == after


def test_without_anchors_changes_are_the_fewest_up_to_ten_thousand_squared() -> None:
    rng = random.Random(3)
    before, after = ([rng.randrange(8) for _ in range(2_000)] for _ in range(2))
    assert rebuilt(before, after) == (after, Indel.distance(before, after))


SIZE = 30_000
LONG = {
    "distinct": list(range(SIZE)),
    "few": [random.Random(1).randrange(5) for _ in range(SIZE)],
    "two": [random.Random(2).randrange(2) for _ in range(SIZE)],
    "periodic": [place % 10 for place in range(SIZE)],
    "same": [0] * SIZE,
}


@pytest.mark.parametrize("kind", LONG)
def test_long_sequences_are_split_and_lose_little(kind: str) -> None:
    before = LONG[kind]
    after = [-1, *before[1:9_000], -2, -3, *before[9_000:20_000], *before[20_007:-1], -4]
    made, distance = rebuilt(before, after)
    assert made == after
    assert distance <= 20  # at most 13 were changed


@pytest.mark.parametrize("kind", LONG)
def test_long_sequences_with_nothing_to_hold_on_to(kind: str) -> None:
    before = LONG[kind]
    for after in (LONG["few"][::-1], before[::-1], [*before[15_000:], *before[:15_000]]):
        assert rebuilt(before, after)[0] == after


def test_one_moved_line_does_not_keep_the_others_from_being_matched() -> None:
    before = ["moved\n", *["a\n", "b\n", "c\n"] * 1_000, "end\n"]
    after = ["start\n", *["a\n", "b\n", "c\n"] * 1_000, "moved\n"]
    assert sum(a1 - a0 + b1 - b0 for a0, a1, b0, b1 in diff_tokens(before, after)) == 4


def test_a_long_file_of_repeated_lines_has_small_hunks() -> None:
    split = ["    x += 1\n", "    y += 2\n", "\n"] * 20_000
    before = "".join(["first\n", *split, "last\n"])
    after = "".join(["one\n", *split[:30_000], "new\n", *split[30_000:], "two\n"])
    assert diff(before, after) == (
        Hunk(0, 5, "one"),
        Hunk(len(before) // 2 + 1, len(before) // 2 + 1, "new\n"),
        Hunk(len(before) - 5, len(before) - 1, "two"),
    )


def test_a_long_file_in_which_every_line_changed_is_one_hunk() -> None:
    before = "".join(f"the value number {number}\r\n" for number in range(20_000))
    after = before.replace("\r\n", "\n")
    assert diff(before, after) == (Hunk(0, len(before), after),)


@pytest.mark.parametrize("at", [0, 150_000, 299_999])
def test_a_change_in_a_very_long_line_is_the_change_alone(at: int) -> None:
    before = "".join(f"f{number}(a,b);" for number in range(40_000))
    at = before.index(";", at) + 1 if at else 0
    after = before[:at] + "word + word;" + before[at:]
    assert diff(before, after) == (Hunk(at, at, "word + word;"),)
    assert diff(after, before) == (Hunk(at, at + len("word + word;"), ""),)
    both = after.replace("f20010", "other")
    assert apply_hunks(before, diff(before, both)) == both
    assert sum(hunk.size for hunk in diff(before, both)) < 50


def test_a_short_file_in_which_every_line_changed_is_not() -> None:
    before = "".join(f"value {number}\r\n" for number in range(200))
    hunks = diff(before, before.replace("\r\n", "\n"))
    assert [hunk.text for hunk in hunks] == ["\n"] * 200
    assert lines(apply_hunks(before, hunks))[7] == "value 7\n"
