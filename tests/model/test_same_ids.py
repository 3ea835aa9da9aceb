"""The encoder gives the ids of the library that learned the vocabulary, for every text."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Reference

from editcast_model.bundle import bundled_path
from editcast_model.errors import BundleError
from editcast_model.tokenizer import _TO_ALPHABET, Tokenizer, lex

ROOT = Path(__file__).parents[2]
BUNDLED = bundled_path() / "tokenizer.json"


@cache
def both() -> tuple[Tokenizer, Reference]:
    return Tokenizer.load(BUNDLED), Reference.from_file(str(BUNDLED))


def reference_ids(reference: Reference, text: str) -> list[int]:
    """Return what `tokenizers` makes of a text, lexical token by lexical token."""
    raw = (token.encode("utf-8", "surrogatepass").decode("latin-1") for token in lex(text))
    words = (token.translate(_TO_ALPHABET) for token in raw)
    return [piece.id for word in words for piece in reference.model.tokenize(word)]


entries = [piece.decode("utf-8", "replace") for piece in both()[0]._bytes]
texts = st.text(st.characters(exclude_categories=()), max_size=200) | st.lists(
    st.sampled_from(entries) | st.text(st.characters(codec="ascii"), max_size=8), max_size=60
).map("".join)


@settings(max_examples=2_000)
@given(texts)
def test_any_text_has_the_same_ids(text: str) -> None:
    tokenizer, reference = both()
    assert tokenizer.ids(text) == reference_ids(reference, text)


def test_every_lone_surrogate_has_the_same_ids() -> None:
    tokenizer, reference = both()
    text = "".join(map(chr, range(0xD800, 0xE000)))
    assert tokenizer.ids(text) == reference_ids(reference, text)


@pytest.mark.parametrize("folder", ["model", "server", "training", "tests", "vscode-client/src"])
def test_our_own_sources_have_the_same_ids(folder: str) -> None:
    tokenizer, reference = both()
    files = [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.ts")]
    assert len(files) > 5
    for file in files:
        text = file.read_text()
        assert tokenizer.ids(text) == reference_ids(reference, text), file


def test_a_vocabulary_learned_now_has_the_same_ids(tmp_path: Path) -> None:
    text = "".join(file.read_text() for file in sorted((ROOT / "model").rglob("*.py")))
    tokenizer = Tokenizer.train([text], 1000)
    tokenizer.save(tmp_path / "tokenizer.json")
    reference = Reference.from_file(str(tmp_path / "tokenizer.json"))
    assert tokenizer.ids(text) == reference_ids(reference, text)


def test_every_entry_is_its_own_id() -> None:
    # Then no two pairs can make the same entry, and the order of the entries says it all.
    reference = both()[1]
    for index in range(4, reference.get_vocab_size()):
        [piece] = reference.model.tokenize(reference.id_to_token(index))
        assert piece.id == index


@pytest.mark.parametrize(
    "change",
    [
        {"type": "WordPiece"},
        {"vocab": {"<pad>": 0, "<s>": 1}},
        {"vocab": []},
        {"merges": []},
        {"merges": [["a"]]},
        {"merges": [[1, 2]]},
    ],
)
def test_what_is_no_such_vocabulary_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    definition = json.loads(BUNDLED.read_text())
    definition["model"].update(change)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(definition))
    with pytest.raises(BundleError, match="cannot be read"):
        Tokenizer.load(path)


def test_merges_in_another_order_are_refused(tmp_path: Path) -> None:
    definition = json.loads(BUNDLED.read_text())
    definition["model"]["merges"].reverse()
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(definition))
    with pytest.raises(BundleError, match="cannot be read"):
        Tokenizer.load(path)


def test_nested_beyond_reason_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("[" * 100_000)
    with pytest.raises(BundleError, match="cannot be read"):
        Tokenizer.load(path)
