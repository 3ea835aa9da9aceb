"""Lossless conversion of text to subtokens and back.

First a lexer splits the text into *lexical tokens*: line ends, runs of other white space, words,
and single other characters. It is independent of the language, never fails, and works line by line:
``lex(a + b) == lex(a) + lex(b)`` if `a` ends with a line feed. Then byte-level BPE splits each
lexical token into *subtokens*, the vocabulary of the networks. The library `tokenizers` learns a
vocabulary; `sentencepiece` encodes with it, to the same ids and without an HTTP client.

Texts may contain lone surrogates, which are encoded with ``surrogatepass``.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from io import StringIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sentencepiece import SentencePieceProcessor
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from editcast_model.errors import BundleError, CorpusError

# The tokens of the ids PAD, START, DELETE and SAVE of edits.py, in this order.
SPECIAL_TOKENS = ("<pad>", "<s>", "<delete>", "<save>")

# Words and blanks end after 64 characters, so that very long lines have many short tokens.
_LEXICAL = re.compile(r"\r\n|\n|\r|[^\S\r\n]{1,64}|[^\W\d]\w{0,63}|\d{1,64}|[^\w\s]")
#: Lines whose tokens a lexicon remembers, and lexical tokens whose subtokens a tokenizer does.
_MOST_LINES, _MOST_TOKENS = 50_000, 100_000


def lines(text: str) -> list[str]:
    """Return the lines of `text` with their line feeds; no other character ends a line here."""
    return StringIO(text, newline="\n").readlines()


def lex(text: str) -> list[str]:
    """Return the lexical tokens of `text`, whose concatenation is `text`."""
    return _LEXICAL.findall(text)


class Lexicon:
    """Numbers lexical tokens, and lexes a line only when it is new: lines never share a token."""

    def __init__(self) -> None:
        self._numbered = partial(_numbered, dict[str, int]())
        self._of_line = lru_cache(_MOST_LINES)(self._numbered)

    def read(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers and the sizes of a text's tokens."""
        ids: list[int] = []
        sizes: list[int] = []
        for line in lines(text):
            of_line = self._of_line(line)
            ids += of_line[0]
            sizes += of_line[1]
        return ids, sizes

    def ids(self, text: str) -> tuple[int, ...]:
        """Return the numbers of the tokens of a piece of text."""
        return tuple(self._numbered(text)[0])


def _numbered(numbers: dict[str, int], text: str) -> tuple[list[int], list[int]]:
    """Return the numbers of tokens, new ones with the next number, and their sizes."""
    tokens = lex(text)
    ids = [numbers.setdefault(token, len(numbers)) for token in tokens]
    return ids, [len(token) for token in tokens]


def _byte_alphabet() -> list[str]:
    """Return a printable character for each byte, as in the byte-level BPE of GPT-2."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = [""] * 256
    for byte in plain:
        alphabet[byte] = chr(byte)
    for rank, byte in enumerate(byte for byte in range(256) if not alphabet[byte]):
        alphabet[byte] = chr(0x100 + rank)
    return alphabet


_ALPHABET = _byte_alphabet()
_TO_ALPHABET = dict(enumerate(_ALPHABET))
_TO_BYTE = {ord(char): byte for byte, char in enumerate(_ALPHABET)}


def _to_alphabet(token: str) -> str:
    return token.encode("utf-8", "surrogatepass").decode("latin-1").translate(_TO_ALPHABET)


def _characters(piece: bytes) -> int:
    """Count the characters that begin in a piece of UTF-8; bytes 10xxxxxx begin none."""
    return sum((byte & 0xC0) != 0x80 for byte in piece)


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The N subtokens of a text.

    Attributes:
        ids: Vocabulary ids, int32 (N,).
        starts: Their offsets in code points, int64 (N + 1,); the last is the end of the text. A
            subtoken within a character of several bytes is empty.
        ends_token: Whether a lexical token ends with the subtoken, bool (N,).
    """

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    ends_token: npt.NDArray[np.bool_]


def _vocabulary(definition: str) -> list[str]:
    """Return the entries of a `tokenizer.json` in the order of their ids.

    The merges must be in the order of the entries that they make, as `Tokenizer.train` writes them.

    Raises:
        ValueError: It is not byte-level BPE, or its merges are in another order.
    """
    model = json.loads(definition)["model"]
    vocabulary = [entry for entry, _ in sorted(model["vocab"].items(), key=lambda item: item[1])]
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    first = len(SPECIAL_TOKENS) + len(_ALPHABET)
    if (
        model["type"] != "BPE"
        or sorted(model["vocab"].values()) != list(range(len(vocabulary)))
        or sorted(vocabulary[len(SPECIAL_TOKENS) : first]) != sorted(_ALPHABET)
        or [left + right for left, right in pairs] != vocabulary[first:]
    ):
        raise ValueError("it is not a vocabulary of byte-level BPE")
    return vocabulary


def _encoder(vocabulary: list[str]) -> SentencePieceProcessor:
    """Create the encoder for words of the byte alphabet; earlier entries are merged first."""
    model = ModelProto()
    model.trainer_spec.model_type = model.trainer_spec.BPE
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    model.normalizer_spec.escape_whitespaces = False
    for index, entry in enumerate(vocabulary):
        piece = model.pieces.add(piece=entry, score=-index)
        if index < len(SPECIAL_TOKENS):  # never encoded from text; one must be the unknown token
            piece.type = piece.CONTROL if index else piece.UNKNOWN
    return SentencePieceProcessor(model_proto=model.SerializeToString())


class Tokenizer:
    """Byte-level BPE within lexical tokens, stored in the format of the `tokenizers` library."""

    def __init__(self, definition: str) -> None:
        vocabulary = _vocabulary(definition)
        if tuple(vocabulary[: len(SPECIAL_TOKENS)]) != SPECIAL_TOKENS:
            raise BundleError(
                f"The tokenizer has other special tokens than {', '.join(SPECIAL_TOKENS)}; "
                "export the bundle again with this version of Editcast."
            )
        self._definition = definition
        self._encoder = _encoder(vocabulary)
        self._split = lru_cache(_MOST_TOKENS)(self._subtokens)
        self._bytes = [
            b"" if index < len(SPECIAL_TOKENS) else piece.translate(_TO_BYTE).encode("latin-1")
            for index, piece in enumerate(vocabulary)
        ]
        #: The number of characters that begin in each entry of the vocabulary, int64 (V,).
        self.sizes = np.array([_characters(piece) for piece in self._bytes], np.int64)

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int = 4096) -> "Tokenizer":
        """Learn a vocabulary of at most `vocabulary` subtokens from texts.

        Raises:
            CorpusError: The library that learns is not installed.
        """
        # Not installed for users: it depends on an HTTP client, and encoding does not need it.
        try:
            from tokenizers import Tokenizer as Backend
            from tokenizers import decoders, models, pre_tokenizers, trainers
        except ImportError as error:
            raise CorpusError(
                "Learning a vocabulary needs one more library: pip install "
                "'editcast[train,vocabulary]', or name a vocabulary with --tokenizer."
            ) from error

        backend = Backend(models.BPE())
        backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        backend.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=list(SPECIAL_TOKENS),
            initial_alphabet=_ALPHABET,
            show_progress=False,
        )
        # The alphabet has no white space, so blanks can separate lexical tokens.
        words = (" ".join(map(_to_alphabet, lex(text))) for text in texts)
        backend.train_from_iterator(words, trainer)
        return cls(backend.to_str(pretty=True))

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Read a `tokenizer.json`.

        Raises:
            BundleError: The file is missing, damaged, or has other special tokens.
        """
        try:
            return cls(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
            said = " ".join(str(error).split())[:200]
            raise BundleError(
                f"The tokenizer {path} cannot be read ({said}); install the model again."
            ) from error

    def save(self, path: Path) -> None:
        """Write a `tokenizer.json`."""
        path.write_text(self._definition, encoding="utf-8", newline="")

    def __len__(self) -> int:
        return len(self._bytes)

    def _subtokens(self, token: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the ids of a lexical token's subtokens, and the characters that begin in each."""
        ids = tuple(self._encoder.encode(_to_alphabet(token)))
        return ids, tuple(int(self.sizes[index]) for index in ids)

    def ids(self, text: str) -> list[int]:
        """Return the vocabulary ids of `text`."""
        out: list[int] = []
        for token in lex(text):
            out.extend(self._split(token)[0])
        return out

    def encode(self, text: str) -> Encoding:
        """Return the subtokens of `text` with their offsets."""
        ids: list[int] = []
        sizes: list[int] = []
        last: list[int] = []
        for token in lex(text):
            token_ids, token_sizes = self._split(token)
            ids.extend(token_ids)
            sizes.extend(token_sizes)
            last.append(len(ids) - 1)
        starts = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        ends_token = np.zeros(len(ids), np.bool_)
        ends_token[last] = True
        return Encoding(np.array(ids, np.int32), starts, ends_token)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`; special tokens are empty, invalid UTF-8 becomes U+FFFD."""
        raw = b"".join(self._bytes[index] for index in ids)
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return raw.decode("utf-8", "replace")
