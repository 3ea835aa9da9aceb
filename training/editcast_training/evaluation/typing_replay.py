"""Sessions replayed token by token: what somebody is offered who types them, and what it spares.

Towards each goal the text goes along the shortest edits: hunk by hunk, what goes deleted at once,
what comes typed by lexical tokens. After each action and each save the forecaster is asked. What it
offers is taken if all of it lies on a shortest way to the goal, and what remains is typed from
there. The goal is the next saved text; of a commit, whose hunks nobody knows the order of, its
final text, with a save after each line hunk.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

from rapidfuzz.distance import Indel

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.history import EditHistory
from editcast_model.tokenizer import lex
from editcast_training.evaluation.intervals import Interval, intervals
from editcast_training.evaluation.known_files import FilesOf, Project, no_files
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.results import Result
from editcast_training.evaluation.sessions import EditingSession, LineHunk, Step, line_hunks
from editcast_training.evaluation.typed_document import (
    Answers,
    Offer,
    Resume,
    TypedDocument,
    typed,
)

#: The occasions of offers, with the tallies of a row that belong to each.
WHEN = {
    "on save": ("on_save",),
    "typing": ("while_typing",),
    "both": ("on_save", "while_typing"),
}
MEASURES = ("offers", "taken", "spared")


@dataclass(slots=True)
class Tally:
    """The counts of a replay, at saves or while somebody typed.

    Attributes:
        actions: How many saves; or how many deletions, typed tokens and offers taken.
        offers: How many offers were first shown there.
        taken: How many of these were taken.
        spared: How many characters need not be typed, since they were; a deletion counts as one.
    """

    actions: int = 0
    offers: int = 0
    taken: int = 0
    spared: int = 0


@dataclass(frozen=True, slots=True)
class TypingRow:
    """One session, typed with the offers of one threshold.

    Attributes:
        session: Number of the session within the evaluation.
        level: The eagerness, in a word.
        characters: How many there are to type when nothing is offered; a deletion counts as one.
    """

    session: int
    kind: str
    project: str
    path: str
    level: str
    characters: int
    on_save: Tally
    while_typing: Tally


@dataclass(slots=True)
class _Part:
    """A part of the way, with a save at its end.

    Attributes:
        actions: What is left to do, in order; each is a change of the text after those before.
        end: Where it ends in the goal.
    """

    actions: deque[Hunk]
    end: int
    is_begun: bool = False


def replay_typing(
    resume: Resume,
    sessions: Iterable[EditingSession],
    thresholds: Mapping[str, float],
    files: FilesOf = no_files,
) -> Iterator[list[TypingRow]]:
    """Replay sessions from their first scored save on, and tell of each as it is done.

    Each session is alone: of other files, which the project memory has, no saves are told. There is
    a replay for each of the thresholds, by the level.
    """
    for number, session in enumerate(sessions):
        answers: Answers = {}
        known = list(files(session))
        rows = []
        for level, threshold in thresholds.items():
            project = Project(session, known)
            text, language, path = session.texts[0], session.language, session.path
            history = EditHistory(text, language=language, path=path)
            history.memory = project.memory
            document = TypedDocument(resume, history, threshold, answers)
            typist = _Typist(document, session, project)
            typist.type_all()
            about = session.kind, session.project, session.path, level, typist.characters
            rows.append(TypingRow(number, *about, typist.on_save, typist.while_typing))
        yield rows


@dataclass(slots=True)
class _Typist:
    """Typist of one session."""

    document: TypedDocument
    session: EditingSession
    project: Project
    characters: int = 0
    on_save: Tally = field(default_factory=Tally)
    while_typing: Tally = field(default_factory=Tally)
    _goal: str = ""
    _way: deque[_Part] = field(default_factory=deque)
    _most: int = 0  # offers that may still be taken on the way

    def type_all(self) -> None:
        """Type the session to its last text."""
        session = self.session
        shown, texts = session.texts[: session.first + 1], session.texts[session.first :]
        for before, after in pairwise(shown):
            self.document.type(shortest_hunk(before, after))
            self.document.save()
        if not session.kind.endswith("saves"):
            texts = texts[:1] + texts[-1:]
        for saves, (before, after) in enumerate(pairwise(texts), session.first):
            self.project.follow(saves)
            if before != after:
                self._type_to(after)

    def _type_to(self, goal: str) -> None:
        self._goal = goal
        self._way = self._parts(self.document.text)
        self.characters += _characters(self._way)
        # Each brings the text closer by a token at least.
        self._most = Indel.distance(lex(self.document.text), lex(goal))
        self._ask_at_save()
        while self._way:
            part = self._way[0]
            if part.actions:
                part.is_begun = True
                self.document.type(part.actions.popleft())
                self.while_typing.actions += 1
                if part.actions:  # else the save comes at once
                    self._ask(self.while_typing)
                continue
            self._way.popleft()
            self.document.save()
            if self._way:
                self._ask_at_save()

    def _ask_at_save(self) -> None:
        self.on_save.actions += 1
        self._ask(self.on_save)

    def _ask(self, tally: Tally) -> None:
        """Ask for an offer, and take offers as long as they are right."""
        document = self.document
        while True:
            if document.ask(is_typing=tally is self.while_typing):
                tally.offers += 1
            offer = document.shown
            if offer is None or not self._most or not self._is_right(offer):
                return
            of_offer = self.while_typing if offer.is_typing else self.on_save
            of_offer.taken += 1
            of_offer.spared += self._take()
            self.while_typing.actions += 1
            if not self._way[0].actions:
                return
            tally = self.while_typing

    def _is_right(self, offer: Offer) -> bool:
        """Tell whether all of an offer lies on the way: as much less is to be typed behind it."""
        text = self.document.text
        if not Judge(Step(text, self._goal, ())).score(offer.hunk).clean:
            return False
        left = self._parts(offer.hunk.apply(text))
        return _characters(self._way) - _characters(left) >= max(len(offer.hunk.text), 1)

    def _take(self) -> int:
        """Take the offer, go on from there, and return how many characters that spares.

        What an offer ended is saved at once, unless another line hunk is half typed.
        """
        before, part = self._way, self._way[0]
        self.document.take()
        self._most -= 1
        self._way = self._parts(self.document.text)
        spared = _characters(before) - _characters(self._way)
        left = self._way[0] if self._way else None
        if left and part.is_begun and left.actions[0].start <= part.end:
            left.is_begun = True
        elif len(self._way) < len(before):
            self._way.appendleft(_Part(deque(), part.end))
        return spared

    def _parts(self, text: str) -> deque[_Part]:
        """Return the way from a text to the goal."""
        groups: Sequence[LineHunk] = line_hunks(text, self._goal)
        if groups and self.session.kind.endswith("saves"):
            groups = (tuple(chain.from_iterable(groups)),)
        parts: deque[_Part] = deque()
        grown = 0
        for group in groups:
            actions: deque[Hunk] = deque()
            for hunk in group:
                actions.extend(action.shifted(grown) for action in typed(hunk, text))
                grown += hunk.growth
            parts.append(_Part(actions, group[-1].end + grown))
        return parts


def _characters(way: Iterable[_Part]) -> int:
    """Count what there is to type; a deletion is one key."""
    return sum(len(action.text) or 1 for part in way for action in part.actions)


def measured(rows: Sequence[TypingRow]) -> dict[str, float]:
    """Measure rows of one kind and level, at least one.

    Returns:
        By when and what, as in "on save: offers", in per cent: offers for a hundred actions; how
        many of the offers were taken; and of all the characters to type those that were spared by
        offers, less one for each that was taken.
    """
    characters = max(1, sum(row.characters for row in rows))
    out: dict[str, float] = {}
    for when, names in WHEN.items():
        total = added(rows, names)
        out[f"{when}: offers"] = 100 * total.offers / max(1, total.actions)
        out[f"{when}: taken"] = 100 * total.taken / max(1, total.offers)
        out[f"{when}: spared"] = 100 * (total.spared - total.taken) / characters
    return out


def added(rows: Sequence[TypingRow], names: Iterable[str]) -> Tally:
    """Add up these tallies of rows, at least one; see `WHEN`."""
    tallies = [astuple(getattr(row, name)) for row in rows for name in names]
    return Tally(*map(sum, zip(*tallies, strict=True)))


@dataclass(frozen=True, kw_only=True)
class TypingEvaluation(Result):
    """The result of typing sessions with the offers of a model: a row a session and level."""

    rows: tuple[TypingRow, ...]
    thresholds: Mapping[str, float]

    def of(self, kind: str, level: str) -> list[TypingRow]:
        """Return the rows of one kind of session and one level."""
        return [row for row in self.rows if (row.kind, row.level) == (kind, level)]

    @cached_property
    def intervals(self) -> dict[str, dict[str, dict[str, Interval]]]:
        """Measure by kind and level, with 95 % intervals over the sessions.

        The same sessions are drawn for all levels, so these are paired.
        """
        kinds = sorted({row.kind for row in self.rows})
        return {
            kind: {level: intervals(self.of(kind, level), measured) for level in self.thresholds}
            for kind in kinds
        }

    def measured(self) -> dict[str, Any]:
        """Return the rows, and their measures by kind and level."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "thresholds": self.thresholds,
            "intervals": {
                kind: {
                    level: {name: one._asdict() for name, one in found.items()}
                    for level, found in levels.items()
                }
                for kind, levels in self.intervals.items()
            },
        }
