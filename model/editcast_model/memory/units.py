"""Texts as numbers of units, which the project memory compares.

A *unit* is a lexical token with the single blank before it, if there is one.
"""

import threading
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from editcast_model.tokenizer import lex, lines

Ids = npt.NDArray[np.int32]

#: The most tokens with a number of their own, some 140 bytes each.
MOST_TOKENS: Final = 250_000
#: The separator of files, which occurs in no text.
END: Final = 4
_BLANK, _UNKNOWN, _BORDER = " ", "", "\n\n"  # numbers 0, 1 and 2; the last two are no tokens
_UNKNOWN_IDS: Final = (2, 3)
_PART: Final = 16_000  # characters
_LONGEST_UNIT: Final = 130  # characters, with what is before it


class Vocabulary(dict[str, int]):
    """The number of each token; what comes after `MOST_TOKENS` of them is unknown.

    Any thread may use it.
    """

    def __init__(self) -> None:
        self._tokens = [_BLANK, _UNKNOWN, _BORDER]
        super().__init__({token: number for number, token in enumerate(self._tokens)})
        self._lock = threading.Lock()

    def __missing__(self, token: str) -> int:
        with self._lock:
            if len(self._tokens) >= MOST_TOKENS:
                return 1
            number = self.get(token)
            if number is None:
                number = len(self._tokens)
                self._tokens.append(token)
                self[token] = number
        return number

    def ids(self, text: str) -> Ids:
        """Return the units of a text, int32 (N,); a blank that ends it is left out."""
        numbers = [np.zeros(0, np.int32)]
        for part in _parts(text):
            tokens = lex(part)
            found = map(self.__getitem__, tokens)
            numbers.append(np.fromiter(found, np.int32, len(tokens)))
        return _merged(np.concatenate(numbers))

    def known_ids(self, text: str) -> Ids:
        """Return the units of a text like `ids`, without learning any."""
        numbers = [self.get(token, 1) for token in lex(text)]
        return _merged(np.array(numbers, np.int32))

    def text(self, unit: int) -> str:
        """Return the characters of a unit; empty for what is unknown and between files."""
        if unit in (*_UNKNOWN_IDS, END):
            return ""
        return " " * (unit & 1) + self._tokens[unit >> 1]


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts of whole lines: a lexer at work lets no other thread run."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PART) + 1 or len(text)
        yield text[start:end]
        start = end


def _merged(numbers: Ids) -> Ids:
    """Units of the numbers of tokens: each blank goes to the token behind it."""
    is_blank = numbers == 0
    units = numbers * 2
    units[1:] += is_blank[:-1]
    kept: Ids = units[~is_blank]
    return kept


def unspaced(units: Ids) -> Ids:
    """Return the numbers of the units' tokens, in the same shape; blanks before them are lost."""
    return units >> 1


def begun(text: str) -> tuple[str, str]:
    """Split a text at its last unit if that may be half of one: a word, a number, or a blank."""
    tokens = lex(text[-_LONGEST_UNIT:])
    start = len(text)
    if tokens and (tokens[-1].isalnum() or tokens[-1].isidentifier()):
        start -= len(tokens.pop())
    if tokens and tokens[-1] == " ":
        start -= 1
    return text[:start], text[start:]


class LineUnits:
    """The units of a text that changes line by line: only new lines are read again."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._lines: dict[str, bytes] = {}
        self._parts: tuple[str, ...] = ()
        self._units: list[Ids] = []

    @property
    def size(self) -> int:
        """Return the characters of the text."""
        return sum(map(len, self._parts))

    def ids(self, *parts: str) -> list[Ids]:
        """Return the units of each part of the text, int32 (N,); parts end with whole lines."""
        if parts == self._parts:  # only the line between them was typed in
            return self._units
        known, found = self._lines, dict[str, bytes]()
        out = []
        for part in parts:
            units = []
            for line in lines(part):
                one = found.get(line) or known.get(line) or self.vocabulary.ids(line).tobytes()
                found[line] = one
                units.append(one)
            out.append(np.frombuffer(b"".join(units), np.int32))
        self._lines, self._parts, self._units = found, parts, out
        return out
