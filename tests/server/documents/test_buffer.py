"""Positions and changes, against a model that knows nothing but UTF code units."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from editcast_model.diff import Hunk, apply_hunks
from editcast_server.documents.buffer import (
    Buffer,
    OutOfRangeError,
    Units,
    shortest_hunk,
    split_lines,
)

UTF16 = Units.of("utf-16")
ENCODINGS = [Units.of("utf-8"), UTF16, Units.of("utf-32")]

texts = st.text(st.sampled_from("ab\n\r é🎉𝔘\u2028\x0b\ud83d"), max_size=24).map(
    # A high and a low surrogate side by side are one character in an editor.
    lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)


def position_of(text: str, offset: int, units: Units) -> types.Position:
    """The slow and simple way."""
    ends = [match.end() for match in re.finditer("\r\n|\n|\r", text) if match.end() <= offset]
    begin = ends[-1] if ends else 0
    column = text[begin:offset]
    return types.Position(len(ends), len(column.encode(units.codec, "surrogatepass")) // units.size)


def range_of(text: str, start: int, end: int, units: Units) -> types.Range:
    return types.Range(position_of(text, start, units), position_of(text, end, units))


def splits_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@given(texts)
def test_lines_are_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert lines == re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


@given(texts, texts, st.data(), st.sampled_from(ENCODINGS))
def test_a_change_does_what_the_editor_did(
    text: str, new: str, data: st.DataObject, units: Units
) -> None:
    places = [i for i in range(len(text) + 1) if not splits_line_end(text, i)]
    start, end = sorted(data.draw(st.tuples(st.sampled_from(places), st.sampled_from(places))))
    buffer = Buffer(text, units)
    hunk = buffer.apply(range_of(text, start, end, units), new)
    want = (text[:start] + new + text[end:]).encode("utf-16-le", "surrogatepass")
    if units is UTF16:
        assert buffer.text == want.decode("utf-16-le", "surrogatepass")
    else:
        assert buffer.text == text[:start] + new + text[end:]
    assert apply_hunks(text, [hunk]) == buffer.text
    again = Buffer(buffer.text, units)
    assert buffer._lines == again._lines


@given(texts, st.data(), st.sampled_from(ENCODINGS))
def test_offsets_come_back(text: str, data: st.DataObject, units: Units) -> None:
    offset = data.draw(st.integers(0, len(text)).filter(lambda i: not splits_line_end(text, i)))
    assert Buffer(text, units).offset(position_of(text, offset, units)) == offset


@given(texts, texts, st.sampled_from(ENCODINGS))
def test_edits_sent_and_applied_by_an_editor_are_the_hunks(
    before: str, after: str, units: Units
) -> None:
    hunk = shortest_hunk(before, after)
    (edit,) = Buffer(before, units).text_edits([hunk])
    editor = Buffer(before, units)
    editor.apply(edit.range, edit.new_text)
    merged = after.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert editor.text in (after, merged)


@given(texts, texts)
def test_the_shortest_hunk_changes_the_text(before: str, after: str) -> None:
    hunk = shortest_hunk(before, after, 0)
    assert apply_hunks(before, [hunk]) == after
    old = before[hunk.start : hunk.end]
    assert not old or not hunk.text or old[0] != hunk.text[0]
    assert not old or not hunk.text or old[-1] != hunk.text[-1]


@pytest.mark.parametrize(
    ("place", "offset"),
    [
        ((0, 99), 2),  # past the end of the line is its end
        ((1, 0), 4),
        ((2, 0), 6),  # column 0 of the line after the last is the end
    ],
)
def test_columns_past_the_end_are_the_end(place: tuple[int, int], offset: int) -> None:
    assert Buffer("ab\r\ncd", UTF16).offset(types.Position(*place)) == offset


@pytest.mark.parametrize(
    ("start", "end", "units", "complaint"),
    [
        ((5, 0), (5, 1), UTF16, "line 6 is not among the text's 2 lines"),
        ((0, 0), (2, 1), UTF16, "line 3"),
        ((1, 1), (1, 0), UTF16, "ends before it starts"),
        ((0, 1), (0, 2), Units.of("utf-8"), "cuts a character in two"),
    ],
)
def test_a_range_that_is_not_there_changes_nothing(
    start: tuple[int, int], end: tuple[int, int], units: Units, complaint: str
) -> None:
    buffer = Buffer("🎉\nb", units)
    with pytest.raises(OutOfRangeError, match=complaint):
        buffer.apply(types.Range(types.Position(*start), types.Position(*end)), "x")
    assert buffer.text == "🎉\nb"


def test_half_a_character_is_taken_and_given_back() -> None:
    buffer = Buffer("🎉", UTF16)
    buffer.apply(types.Range(types.Position(0, 0), types.Position(0, 1)), "")
    assert buffer.text == "\udf89"
    buffer.apply(types.Range(types.Position(0, 0), types.Position(0, 0)), "\ud83c")
    assert buffer.text == "🎉"


def test_no_position_is_between_carriage_return_and_line_feed() -> None:
    (edit,) = Buffer("a\r\nb", UTF16).text_edits([Hunk(2, 2, "x")])
    assert edit.range == types.Range(types.Position(0, 1), types.Position(1, 0))
    assert edit.new_text == "\rx\n"


def test_a_change_is_where_the_editor_made_it() -> None:
    buffer = Buffer("a a a\n", UTF16)
    hunk = buffer.apply(types.Range(types.Position(0, 2), types.Position(0, 4)), "")
    assert hunk == Hunk(2, 4, "")
    # A completion replaces the whole word; what it adds is what was typed.
    hunk = buffer.apply(types.Range(types.Position(0, 0), types.Position(0, 1)), "abc")
    assert hunk == Hunk(1, 1, "bc")
