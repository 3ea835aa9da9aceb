"""What somebody does again and again in a file, and what a candidate is beside that."""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.ranker import Candidate
from editcast_model.forecasting.repeated_edits import REMEMBERED

#: Saves by which it is judged what kind of work is going on.
_LATELY = 4
_WORD = re.compile(r"\w+")
#: Where a change is, what stood there and what stands there then.
Change = tuple[int, str, str]


class Habits:
    """The changes of one file's saves, and whether they were what candidates had said.

    Attributes:
        saves: How many there were.
    """

    def __init__(self) -> None:
        self.saves = 0
        # The last replacements, old and new text, each with the save that made it.
        self._replaced: deque[tuple[str, str, int]] = deque(maxlen=REMEMBERED)
        self._said: set[Change] = set()  # candidates for the saved text
        self._right: deque[bool] = deque(maxlen=_LATELY)  # whether a save was one of these
        self._passed: Counter[tuple[str, str]] = Counter()  # what was not done, after how many
        self._again: deque[bool] = deque(maxlen=_LATELY)  # whether it repeated a replacement

    def save(self, made: Sequence[Change]) -> None:
        """These changes were saved."""
        self._right.append(not self._said.isdisjoint(made))
        earlier = {(old, new) for old, new, _ in self._replaced}
        now = {(old, new) for _, old, new in made}
        self._again.append(not earlier.isdisjoint(now))
        self._passed.update({(old, new) for _, old, new in self._said} - now)
        for replacement in now:
            del self._passed[replacement]
        self.saves += 1
        self._replaced += [(old, new, self.saves) for _, old, new in made]
        self._said = set()

    def say(self, candidates: Sequence[Change]) -> None:
        """These are the candidates for the text as it was saved last."""
        self._said = set(candidates)

    def beside(
        self, candidate: Candidate, text: str, unsaved: Sequence[Change], last: int
    ) -> Candidate:
        """A candidate with what can be said of it beside what was done before.

        Args:
            candidate: The candidate.
            text: As it is now.
            unsaved: What was changed since the last save.
            last: Where the last change ends.
        """
        hunk = candidate.hunk
        ((_, old, new),) = changes(text, [hunk])
        made = [*self._replaced, *((one, other, self.saves) for _, one, other in unsaved)]
        same = [save for one, other, save in made if (one, other) == (old, new)]
        start, end = sorted((hunk.start, last))
        lines = text.count("\n", start, end)
        return replace(
            candidate,
            times=len(same),
            lines=lines if hunk.start >= last else -lines,
            known=all(word in text for word in _WORD.findall(hunk.text)),
            right=sum(self._right) / max(len(self._right), 1),
            again=sum(self._again) / max(len(self._again), 1),
            ago=self.saves - same[-1] if same else 0,
            passed=self._passed[old, new],
            saves=self.saves,
            is_word=_WORD.search(old + new) is not None,
        )


def changes(text: str, hunks: Sequence[Hunk]) -> list[Change]:
    """Where hunks of a text are, what stood there and what they put there, without common ends."""
    shortest = (shortest_hunk(text[one.start : one.end], one.text, one.start) for one in hunks)
    return [(one.start, text[one.start : one.end], one.text) for one in shortest]
