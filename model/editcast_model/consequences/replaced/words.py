"""Words that were replaced in many other files, such as the name of an environment variable.

What code means by a name follows from its scopes. A word that has no scope is replaced wherever it
stands, in files of all languages. Of words that were replaced in one other file alone hardly a
third were replaced at their next place, so those are left alone here.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import Save, replaced_words
from editcast_model.diff import Hunk
from editcast_model.syntax.binding import is_of_language
from editcast_model.syntax.names import Names

#: A word that is no plain word of English.
_DISTINCT: Final = re.compile(r".*(?:[_-]|[a-z][A-Z])|[A-Z][A-Z\d]{3,}")
_MOST_PLACES: Final = 60  # a word that stands more often is none that somebody replaces everywhere
#: The number of other files in which a word was replaced that make it likely to be replaced here.
_MANY_FILES: Final = 3


def words_left_in(saves: Iterable[Save], text: str, names: Names | None) -> Iterator[Consequence]:
    """Return the places where words that other files replaced are left in a text.

    A text that has the new word as well is being changed by hand. It has names in a language with
    rules.
    """
    files: dict[tuple[str, str], set[str]] = defaultdict(set)
    for save in saves:
        for old, new in replaced_words(save.before, save.after):
            files[new, old].discard(save.file)
            files[old, new].add(save.file)
    for (old, new), where in files.items():
        if len(where) >= _MANY_FILES and _DISTINCT.match(old) and new not in text:
            for found in _places(text, old):
                if names is None or (names.at(found) is None and not is_of_language(names, found)):
                    hunk = Hunk(found, found + len(old), new)
                    yield Consequence(hunk, "replace_word", cause=f"{old} {new}")


def _places(text: str, word: str) -> list[int]:
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    places = [found.start() for found in pattern.finditer(text)] if word in text else []
    return places if len(places) <= _MOST_PLACES else []
