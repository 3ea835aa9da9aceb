"""No text loses a character on its way to subtokens and back, and every subtoken has its place."""

import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.edits import DELETE, PAD, SAVE, START
from editcast_model.errors import BundleError
from editcast_model.tokenizer import SPECIAL_TOKENS, Tokenizer, lex, lines

ODD = [
    *("\ud800", "\udfff", "\ud83d\ude00", "\0", "\r", "\r\n", "\n", "\t", "\x0b", "\x1c", "\x85"),
    *(
        "\u2028",
        "\u3000",
        "\ufeff",
        "e\u0301",
        "\u0301",
        "é",
        "ß",
        "名前",
        "👩\u200d👩\u200d👧",
        "٣",
    ),
    *("²", "x" * 65, " " * 65, "1" * 65, "self", "def parse(", "    ", "<pad>", "<s>"),
]
texts = st.lists(st.sampled_from(ODD) | st.characters(exclude_categories=()), max_size=40).map(
    "".join
)


@given(texts)
def test_lexical_tokens_are_the_text(text: str) -> None:
    tokens = lex(text)
    assert "".join(tokens) == text
    assert all(tokens)


def test_lexing_loses_no_code_point() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    assert "".join(lex(text)) == text


@given(texts, texts)
def test_lexing_goes_line_by_line(first: str, second: str) -> None:
    first += "\n"
    assert lex(first + second) == lex(first) + lex(second)
    assert lex(first + second) == [token for line in lines(first + second) for token in lex(line)]


@given(texts)
def test_a_stretch_of_tokens_lexes_to_itself(text: str) -> None:
    # What lets a hunk's text be encoded alone.
    tokens = lex(text)
    middle = tokens[len(tokens) // 3 : len(tokens) * 2 // 3 + 1]
    assert lex("".join(middle)) == middle


@given(texts)
def test_lines_end_with_a_line_feed_and_nothing_else(text: str) -> None:
    split = lines(text)
    assert "".join(split) == text
    assert len(split) == text.count("\n") + (not text.endswith("\n") and text != "")
    assert all(line.endswith("\n") for line in split[:-1])
    assert all(line.count("\n") <= 1 for line in split)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("x1 = f(_y)", ["x1", " ", "=", " ", "f", "(", "_y", ")"]),
        ("1e5+0x1F", ["1", "e5", "+", "0", "x1F"]),
        ("  \tif", ["  \t", "if"]),
        ("a \r\n\r\n\rb", ["a", " ", "\r\n", "\r\n", "\r", "b"]),
        ("==", ["=", "="]),
        ("\"it's", ['"', "it", "'", "s"]),
        ("naïve 名前", ["naïve", " ", "名前"]),
        ("x" * 100, ["x" * 64, "x" * 36]),
        (" " * 100, [" " * 64, " " * 36]),
        ("\ud800x", ["\ud800", "x"]),
    ],
)
def test_lexical_tokens(text: str, tokens: list[str]) -> None:
    assert lex(text) == tokens


@given(texts)
def test_decoding_gives_the_text_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.ids(text)) == text


@given(texts)
def test_encoding_is_ids_with_places(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    ids, starts = encoding.ids.tolist(), encoding.starts.tolist()
    assert ids == tokenizer.ids(text)
    assert not set(ids) & {PAD, START, DELETE, SAVE}
    assert len(starts) == len(ids) + 1 and len(encoding.ends_token) == len(ids)
    assert starts[0] == 0 and starts[-1] == len(text) and starts == sorted(starts)
    assert (encoding.ids.dtype, encoding.starts.dtype) == (np.int32, np.int64)


@given(texts)
def test_spans_partition_the_text(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    starts = encoding.starts.tolist()
    spans = [text[start:end] for start, end in zip(starts, starts[1:], strict=False)]
    assert "".join(spans) == text
    for index, span in zip(encoding.ids.tolist(), spans, strict=True):
        alone = tokenizer.decode([index])
        # A subtoken that holds part of a character's bytes cannot be read alone.
        assert alone == span or "\ufffd" in alone


@given(texts)
def test_lexical_tokens_end_where_they_are_marked(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    starts = encoding.starts.tolist()
    ends = [starts[place + 1] for place in np.flatnonzero(encoding.ends_token).tolist()]
    lengths = [len(token) for token in lex(text)]
    assert ends == np.cumsum(lengths, dtype=np.int64).tolist()
    # The last subtoken that starts at the end of a lexical token is the first of the next.
    for place in np.flatnonzero(encoding.ends_token).tolist():
        assert encoding.starts.searchsorted(starts[place + 1], "right") - 1 == place + 1


def test_characters_of_several_subtokens(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("é=")
    assert encoding.starts.tolist() == [0, 1, 1, 2]
    assert encoding.ends_token.tolist() == [False, True, True]


def test_words_it_was_trained_on_are_one_subtoken(tokenizer: Tokenizer) -> None:
    assert len(tokenizer) == 350
    assert [len(tokenizer.ids(word)) for word in ("self", "    ", "\n", "(")] == [1, 1, 1, 1]
    assert len(tokenizer.ids("zyx")) == 3


def test_special_tokens_are_never_text(tokenizer: Tokenizer) -> None:
    for token in SPECIAL_TOKENS:
        assert tokenizer.decode(tokenizer.ids(token)) == token
    assert tokenizer.decode([PAD, START, DELETE, SAVE]) == ""


@given(st.lists(st.integers(0, 349), max_size=20))
def test_any_ids_decode_to_something(tokenizer: Tokenizer, ids: list[int]) -> None:
    text = tokenizer.decode(ids)
    if "\ufffd" not in text:
        assert tokenizer.decode(tokenizer.ids(text)) == text


def test_a_saved_tokenizer_is_the_same(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    text = unicodedata.normalize("NFD", "def parse(sélf): return 名前\r\n")
    loaded = Tokenizer.load(path)
    assert loaded.ids(text) == tokenizer.ids(text)
    assert loaded.decode(loaded.ids(text)) == text


@pytest.mark.parametrize("content", [None, "", "{}", '{"version": "1.0", "model": null}'])
def test_a_bad_file_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BundleError, match="cannot be read"):
        Tokenizer.load(path)


def test_other_special_tokens_are_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    path.write_text(path.read_text().replace("<delete>", "<erase>"))
    with pytest.raises(BundleError, match="special tokens"):
        Tokenizer.load(path)
