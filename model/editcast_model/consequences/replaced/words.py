"""Replaced words: one word that takes another's place in strings, comments, settings and documents.

What code means by a name follows from its scopes. A word that has no scope, such as the name of an
environment variable in a shell script and in a manual, is replaced wherever it stands, in files of
all languages. Of words that were replaced in one file alone hardly a third were replaced at their
next place, so those are left alone here.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk, diff
from editcast_model.syntax.binding import is_of_language
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role

_WORD: Final = re.compile(r"[A-Za-z_][\w-]*\w")
_DIGITS: Final = re.compile(r"\d+")
_DISTINCT: Final = re.compile(r".*(?:[_-]|[a-z][A-Z])|[A-Z][A-Z\d]{3,}")
_MOST_PLACES: Final = 60  # a word that stands more often is none that somebody replaces everywhere
#: The number of other files in which a word was replaced that make it likely to be replaced here.
_MANY_FILES: Final = 3

Pair = tuple[str, str]


def words_left_in(
    saves: Iterable[Save], history: Sequence[str], text: str, names: Names | None
) -> Iterator[Consequence]:
    """Return the places where words that other files replaced are left in a text.

    Its history are the texts that it had, the oldest first; it has names in a language with rules.
    """
    files: dict[Pair, set[str]] = defaultdict(set)
    is_gone: dict[Pair, bool] = {}
    for save in saves:
        for pair in replaced_in_save(save.before, save.after):
            if save.file in files[pair[::-1]]:
                files[pair[::-1]].remove(save.file)
            else:
                files[pair].add(save.file)
                is_gone[pair] = pair[0] not in save.after
    present = [pair for pair in files if files[pair] and pair[0] in text]
    if not present:
        return
    texts = pairwise([*history, text])
    own = Counter(pair for before, after in texts for pair in _replaced(before, after))
    for pair in present:
        times = own[pair] - own[pair[::-1]]
        kind = kind_of(pair[0], times, len(files[pair]), is_gone=is_gone[pair])
        if kind is not None:
            for hunk in _hunks(text, names, pair):
                yield Consequence(hunk, kind, cause=" ".join(pair))


def kind_of(word: str, own: int, files: int, *, is_gone: bool) -> Kind | None:
    """Return the kind of the replacement of a word; None where it is not proposed.

    It was replaced `own` times in this file, negative if it was put back, and in some other files.
    `is_gone` tells whether it stands no more near where it was replaced last in another file.
    """
    if own > 0 and is_gone:
        return "replace_word" if own < 3 else "replace_word_again"
    is_everywhere = files >= _MANY_FILES and _DISTINCT.match(word) is not None
    return "replace_word_everywhere" if is_everywhere and own == 0 else None


def _replaced(before: str, after: str) -> tuple[Pair, ...]:
    """Return the words that a change replaced by one other word each."""
    found = []
    for hunk in diff(before, after):
        old = before[hunk.start : hunk.end]
        is_version = _DIGITS.sub("", old) == _DIGITS.sub("", hunk.text)
        if _WORD.fullmatch(old) and _WORD.fullmatch(hunk.text) and not is_version:
            found.append((old, hunk.text))
    return tuple(found)


#: Caches the changed lines of other files, which every open file asks for. A file's own texts are
#: not cached: they are long, and different after each key.
replaced_in_save = lru_cache(maxsize=256)(_replaced)


def _hunks(text: str, names: Names | None, pair: Pair) -> list[Hunk]:
    """Return the replacements that are left, but for names that mean something of this file."""
    old, new = pair
    pattern = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    places = [found.start() for found in pattern.finditer(text)]
    if len(places) > _MOST_PLACES:
        return []
    left = [place for place in places if names is None or _is_free(names, place, new)]
    if len(left) < len(places) and not _DISTINCT.match(old):
        return []  # comments may mean what the code here still calls so
    return [Hunk(place, place + len(old), new) for place in left]


def _is_free(names: Names, place: int, new: str) -> bool:
    """Tell whether a word is no name in code, or a builtin for which a known name is written.

    A word of the language, such as one of its types, is none that somebody replaces everywhere.
    """
    one = names.at(place)
    if one is None:
        return not is_of_language(names, place)
    is_builtin = one.role is Role.REFERENCE and one.name in names.rules.builtins
    return is_builtin and names.resolve(one) is None and names.is_known(one, new)
