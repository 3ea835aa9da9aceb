"""Candidates, the situation that they are proposed for, and the protocol of their sources.

A new source is one file with a class like `CandidateSource`, and one line in `forecaster.SOURCES`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.members.pairs import splits_pair
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.diff import Hunk, diff
from editcast_model.edits import Timeline
from editcast_model.forecasting.interface import NO_OPTIONS, PredictionOptions
from editcast_model.forecasting.line_ranker import LineFeatures, Places
from editcast_model.forecasting.replacements import KnownReplacements, Repeat
from editcast_model.history import EditHistory, changes
from editcast_model.inference.config import InferenceConfig
from editcast_model.inference.sequence import Sequence as NetworkSequence
from editcast_model.inference.window import Window
from editcast_model.syntax.binding import (
    assigns_for_nothing,
    defines_by_itself,
    renames_definition,
    renames_string,
    unbinds,
    uses_unknown_member,
)
from editcast_model.tokenizer import Tokenizer

#: The log probability of a hunk outside the window.
UNSEEN = -15.0
#: Checks on names that only the sources below may fail; consequences only the one on members.
_REFUSED = (
    unbinds,
    renames_definition,
    renames_string,
    defines_by_itself,
    assigns_for_nothing,
    uses_unknown_member,
    splits_pair,
)
#: Names of the sources that may rename a definition: its uses follow, or it is still being typed.
CONSEQUENCE, CONTINUATION = "consequence", "continuation"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that may come next.

    Attributes:
        hunk: In the text as it is now.
        source: Name of the candidate source that proposed it.
        edits: How many token edits it is.
        log_probability: Of the edits that the network decoded, joint, or of those it scored, from
            the first on and on average; 0.0 where it was not asked.
        line: Log probability of its line; `UNSEEN` where the network was not asked.
        strength: How much speaks for it in its source's own measure, 0 to 1; 0 where it has none.
        times: How often the same change was made lately.
        ago: How many saves ago it was made last, 0 in the last one or if never; of a repeated or
            cross-file edit, how many replacements ago.
        distance: How many lines below the last change it is, negative above.
        repeating: See `EditHistory`.
        is_whole_lines: Whether it inserts, removes or replaces whole lines.
        prior: The probability that it is clean where the ranker has no weights for its source; None
            where nobody knows, so that it is dropped then.
        cause: Names what it follows from; others of this cause come in the order of their source.
            Empty where it follows from nothing.
        everywhere: See `Prediction`.
    """

    hunk: Hunk
    source: str
    edits: int = 1
    log_probability: float = 0.0
    line: float = UNSEEN
    strength: float = 0.0
    times: int = 0
    ago: int = 0
    distance: int = 0
    repeating: float = 0.25
    is_whole_lines: bool = False
    prior: float | None = None
    cause: str = ""
    everywhere: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True)
class NetworkView:
    """A file as the network sees it: the window, the edits read, and where the next may be.

    Attributes:
        window: The part of the file that it sees.
        sequence: With all edits read. Whoever goes on from here leaves it as it was.
        timeline: The edits of `sequence`, to be asked while `sequence` is further on.
        tokenizer: The bundle's.
        lines: The features of the lines.
        places: Log probabilities of the next position.
    """

    window: Window
    sequence: NetworkSequence
    timeline: Timeline
    tokenizer: Tokenizer
    lines: LineFeatures
    places: Places

    def score(self, hunk: Hunk, most: int) -> tuple[int, float, float]:
        """Score the first `most` token edits of a hunk of the text; each costs a step.

        Returns:
            How many edits it is, and the log probabilities of those scored, on average, and of its
            line: so a hunk of which more is scored is not less probable for it.
        """
        edits = self.window.edits(self.timeline, hunk)
        if not edits:
            return 1, UNSEEN, UNSEEN
        joint = self.sequence.score(self.places.where, edits, most)
        return len(edits), joint / min(len(edits), most), float(self.places.line[edits[0].position])


@dataclass(frozen=True)
class Situation:
    """A text with its history, for which candidates are proposed.

    Attributes:
        history: The file's edit history: its saves with their texts and hunks, what is not saved
            yet, the text as it is now, and the language and path where they are known.
        replacements: What its saves, and the last ones of other files, replaced by what.
        repeats: Replacements of this file that could be made again, best first.
        consequences: Of the file's edits, with its parsed texts.
        view: The network's; None before the first change of the file, and where it sees nothing.
        count: How many predictions are wanted.
        options: What they have to keep to.
        modules: What other files define by other names, or with other parameters, than before.
        continuation: The weights of continuations; see `forecasting.sources.continuation`.
        config: The bundle's settings of inference.
        may_win: Tells whether a candidate could change anything that is of use, given those of the
            sources before; see `Ranker.may_win`. Its features lie between those of the two
            candidates that are passed.
    """

    history: EditHistory
    replacements: KnownReplacements
    repeats: Sequence[Repeat]
    consequences: Consequences
    view: NetworkView | None
    count: int
    options: PredictionOptions = NO_OPTIONS
    modules: Collection[ModuleChange] = ()
    continuation: Sequence[float] = ()
    config: InferenceConfig = InferenceConfig()
    may_win: Callable[[Candidate, Candidate], bool] = lambda low, high: True

    def accepts(self, hunk: Hunk, source: str) -> bool:
        """Tell whether a source may propose a hunk: it fits, and leaves names with a meaning."""
        if not self.options.fits(hunk):
            return False
        text = self.history.text
        names = None if source == CONTINUATION else self.consequences.names(text)
        if names is None:
            return True
        if source == CONSEQUENCE:
            return not uses_unknown_member(names, hunk)
        parts = diff(text[hunk.start : hunk.end], hunk.text)
        return not any(is_so(names, one.shifted(hunk.start)) for one in parts for is_so in _REFUSED)

    def described(self, candidate: Candidate, made: tuple[int, int] | None = None) -> Candidate:
        """Fill in what is seen of a candidate beside the text and its history."""
        text, hunk = self.history.text, candidate.hunk
        if made is None:
            (change,) = changes(text, [hunk])
            made = self.history.made(change)
        times, ago = made
        start, end = sorted((hunk.start, self.history.last))
        lines = text.count("\n", start, end)
        return replace(
            candidate,
            times=times,
            ago=ago,
            distance=lines if hunk.start >= self.history.last else -lines,
            repeating=self.history.repeating,
            is_whole_lines=_is_whole_lines(text, hunk),
        )


def _is_whole_lines(text: str, hunk: Hunk) -> bool:
    """Tell whether a hunk of a text begins at the start of a line, and ends behind a line end."""
    is_first = hunk.start == 0 or text[hunk.start - 1] == "\n"
    return is_first and (hunk.text.endswith("\n") or text[hunk.start : hunk.end].endswith("\n"))


class CandidateSource(Protocol):
    """A proposer of candidates for one open file; each session has its own.

    Attributes:
        name: By which the ranker has weights for it.
    """

    name: str

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose candidates that fit; a sequence of the view is left as it was."""
