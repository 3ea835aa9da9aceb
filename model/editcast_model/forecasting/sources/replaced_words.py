"""Replaced words: one word that takes another's place in strings, comments, settings and documents.

What code means by a name follows from its scopes, and is the matter of consequences. A word that
has no scope, such as the name of an environment variable in a shell script and in a manual, is
replaced wherever it stands, in files of all languages. Of words that were replaced in one file
alone hardly a third were replaced at their next place, so those are left to repeated edits.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import Candidate, Situation
from editcast_model.history import EditHistory
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role

_WORD: Final = re.compile(r"[A-Za-z_][\w-]*\w")
_DISTINCT: Final = re.compile(r".*(?:[_-]|[a-z][A-Z])|[A-Z][A-Z\d]{3,}")
_MOST_PLACES: Final = 60  # a word that stands more often is none that somebody replaces everywhere
_MOST: Final = 2  # words at a time
#: A word that was replaced in so many other files is likely to be replaced here.
_MANY_FILES: Final = 3


class ReplacedWord(NamedTuple):
    """A word in whose place another one was put.

    Attributes:
        old: The word.
        new: The other one.
        own: How often it was replaced in this file.
        files: In how many other files it was.
        is_gone: Whether it stands no more near where it was replaced last in another file.
    """

    old: str
    new: str
    own: int
    files: int
    is_gone: bool

    @property
    def probability(self) -> float:
        """Return the share of such words whose next place was replaced as well.

        By the commits of eight projects, replayed file by file.
        """
        if self.own and self.files and self.is_gone:
            return 0.7 if self.own < 3 else 0.85
        is_everywhere = self.files >= _MANY_FILES and _DISTINCT.match(self.old) is not None
        return 0.5 if is_everywhere and not self.own else 0.0


class ReplacedWords:
    """The candidate source of words that were replaced elsewhere in this file, or in others."""

    name = "replaced-word"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the likeliest words, each at the next place where it stands."""
        found = [(one.probability, one) for one in _replaced_words(situation)]
        likely = sorted((each for each in found if each[0]), key=lambda each: -each[0])[:_MOST]
        for probability, word in likely:
            hunks = _hunks(situation, word)
            fitting = (hunk for hunk in hunks if situation.accepts(hunk, self.name))
            hunk = next(fitting, None)
            if hunk is not None:
                is_among_others = len(hunks) > 1
                yield situation.described(
                    Candidate(
                        hunk,
                        self.name,
                        strength=probability,
                        prior=probability,
                        cause=f"{word.old} {word.new}",
                        everywhere=_in_order(hunks) if is_among_others else (),
                    )
                )


def _in_order(hunks: Iterable[Hunk]) -> tuple[Hunk, ...]:
    return tuple(sorted(hunks, key=lambda hunk: hunk.start))


def _replaced_words(situation: Situation) -> Iterator[ReplacedWord]:
    own = _replaced_here(situation.history)
    files: dict[tuple[str, str], set[str]] = defaultdict(set)
    gone: dict[tuple[str, str], bool] = {}
    for other in situation.replacements.others:
        pair = other.old, other.made.new
        if all(map(_WORD.fullmatch, pair)):
            files[pair].add(other.file)
            gone[pair] = other.is_gone
    for pair in {**own, **files}:
        times = own[pair] - own[pair[::-1]]
        if times >= 0 and pair[0] != pair[1]:
            yield ReplacedWord(*pair, times, len(files.get(pair, ())), gone.get(pair, False))


def _replaced_here(history: EditHistory) -> Counter[tuple[str, str]]:
    """Count the words that saves of the file replaced by others, with what is not saved yet."""
    counts = Counter[tuple[str, str]]()
    made = [(save.before, save.hunks) for save in history.saves]
    for before, hunks in (*made, (history.saved, history.unsaved)):
        for hunk in hunks:
            old = before[hunk.start : hunk.end]
            if _WORD.fullmatch(old) and _WORD.fullmatch(hunk.text):
                counts[old, hunk.text] += 1
    return counts


def _hunks(situation: Situation, word: ReplacedWord) -> list[Hunk]:
    """Return the replacements that are left, those below the last change first, then upwards."""
    text, last = situation.history.text, situation.history.last
    names = situation.consequences.names(text)
    pattern = re.compile(rf"(?<![\w-]){re.escape(word.old)}(?![\w-])")
    places = [found.start() for found in pattern.finditer(text)]
    if len(places) > _MOST_PLACES:
        return []
    left = [place for place in places if names is None or not _has_scope(names, place)]
    left.sort(key=lambda place: (place < last, abs(place - last)))
    return [Hunk(place, place + len(word.old), word.new) for place in left]


def _has_scope(names: Names, place: int) -> bool:
    """Tell whether a word is a name in code that means something of this file."""
    one = names.at(place)
    return one is not None and (one.role is not Role.REFERENCE or names.resolve(one) is not None)
