"""Changes that nobody wants to be offered, however probable they are.

A forecaster passes them over while it looks for what to say, and its confidence is calibrated on
what is left. What one user did not want is the server's to know.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import partial

from editcast_model.diff import Hunk, apply_hunks, diff, shortest_hunk
from editcast_model.forecasting.import_lines import follows_code, is_import, touches_only_imports
from editcast_model.syntax import breaking

_WORDS = re.compile(r"\w+")
_PAIRS = frozenset(("()", "[]", "{}", '""', "''", "``"))


@dataclass(frozen=True, slots=True)
class Work:
    """What somebody is at: a change of `text` is judged by it.

    Attributes:
        text: As it is now.
        language: LSP identifier.
        way_back: What would make it the text that the last save replaced; none before the second.
        texts: Hashes of texts that stood here before.
        on_imports: Whether the last change was on an import line.
        broken: Whether the last save left what cannot be parsed, so that nothing breaks it.
        typed: Where the word stands that is being typed; None when none is.
        cursor: Where something was typed last, behind it; None if nothing was.
    """

    text: str
    language: str = ""
    way_back: tuple[Hunk, ...] = ()
    texts: Set[int] = frozenset()
    on_imports: bool = False
    broken: bool = False
    typed: range | None = None
    cursor: int | None = None

    @classmethod
    def of(cls, saves: Sequence[str], language: str) -> "Work":
        """After some saves, the newest of which is the text as it is now."""
        text = saves[-1]
        if len(saves) == 1:
            return cls(text, language)
        before = saves[-2]
        changed = shortest_hunk(before, text).start
        lines = (line_at(one, changed) for one in (before, text))
        on_imports = any(is_import(line, language) for line in lines)
        way_back = diff(text, before)
        broken = breaking.is_broken(text, way_back, language)
        return cls(text, language, way_back, frozenset(map(hash, saves)), on_imports, broken)

    def admits(self, hunks: tuple[Hunk, ...]) -> bool:
        """Tell whether nothing speaks against a change."""
        return reason_against(hunks, self) is None


def line_at(text: str, offset: int) -> str:
    """The line of a text that an offset is in, without its end."""
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : len(text) if end < 0 else end]


def word_at(text: str, offset: int) -> range:
    """Return where the word stands that an offset is in or next to."""
    start = end = offset
    while start and _WORDS.match(text[start - 1]):
        start -= 1
    while end < len(text) and _WORDS.match(text[end]):
        end += 1
    return range(start, end)


def cursor_after(change: Hunk) -> int | None:
    """Return where the cursor stands after a change; None if the change was no insertion.

    Editors close a bracket or a quote by themselves, and leave the cursor before it.
    """
    if change.start < change.end or not change.text:
        return None
    return change.start + len(change.text) - (change.text in _PAIRS)


def reason_against(hunks: tuple[Hunk, ...], work: Work) -> str | None:
    """Why a change is not worth showing, in a few words for the log; None when it may be."""
    if not hunks:
        return "changes nothing"
    checks: tuple[tuple[Callable[[], bool], str], ...] = (
        (partial(_changes_nothing, hunks, work), "changes nothing"),
        (partial(_is_white_space, hunks, work), "changes only white space"),
        (partial(_is_about_imports, hunks, work), "changes only imports"),
        (partial(_undoes, hunks, work), "undoes the last save"),
        (partial(_brings_back, hunks, work), "undoes an edit"),
        (partial(_copies_typed, hunks, work), "copies what is being typed"),
        (partial(_breaks, hunks, work), "breaks what can be parsed"),
    )
    return next((reason for check, reason in checks if check()), None)


def _changes_nothing(hunks: tuple[Hunk, ...], work: Work) -> bool:
    return all(work.text[hunk.start : hunk.end] == hunk.text for hunk in hunks)


def _is_white_space(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Tell whether all it changes is white space, and the last save changed more than that."""
    if work.way_back and _is_blank(work.way_back, work.text):
        return False
    return _is_blank(hunks, work.text)


def _is_blank(hunks: tuple[Hunk, ...], text: str) -> bool:
    return all(text[hunk.start : hunk.end].split() == hunk.text.split() for hunk in hunks)


def _is_about_imports(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Tell whether all it does is what tools do to imports by themselves."""
    if work.on_imports or not touches_only_imports(work.text, hunks, work.language):
        return False
    return not all(follows_code(work.text, hunk, work.language) for hunk in hunks)


def _undoes(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Tell whether all it does is to put back what the last save replaced."""
    if not work.way_back:
        return False
    way_back = {_core(hunk, work.text) for hunk in work.way_back}
    if all(_core(hunk, work.text) in way_back for hunk in hunks):
        return True
    return apply_hunks(work.text, hunks) == apply_hunks(work.text, work.way_back)


def _brings_back(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Tell whether it would make the text one that stood here before."""
    return hash(apply_hunks(work.text, hunks)) in work.texts


def _copies_typed(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Tell whether it puts the word that is being typed somewhere else: it may be half of one."""
    if not work.typed:
        return False
    start, end = work.typed.start, work.typed.stop
    word = work.text[start:end]
    elsewhere = (hunk.text for hunk in hunks if hunk.end < start or end < hunk.start)
    return any(word in _WORDS.findall(text) for text in elsewhere)


def _breaks(hunks: tuple[Hunk, ...], work: Work) -> bool:
    """Whether it breaks code, unless the last save did: who is at a pair of brackets goes on.

    What goes on with the line at the cursor may: that line is not written to its end.
    """
    if len(hunks) == 1 and hunks[0].start == hunks[0].end == work.cursor:
        return False
    return not work.broken and breaking.breaks(work.text, hunks, work.language)


def _core(hunk: Hunk, text: str) -> Hunk:
    """The hunk without what it leaves as it is at its ends."""
    return shortest_hunk(text[hunk.start : hunk.end], hunk.text, hunk.start)
