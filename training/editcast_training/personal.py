"""A training for one person: continuations are fitted to them first, and then the network.

Continuations are fitted to the older part of the history, in a minute or two and without a network.
The fit is taken in if it spares more characters on the newest tenth, outside the interval. It says
what it changes before the network is trained for longer, and is kept where the network learns
nothing that is better.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from editcast_model.bundle import Bundle
from editcast_model.errors import NoBetterModelError, TooLittleHistoryError, TrainingError
from editcast_model.private_files import discard
from editcast_training.calibration.continuation import examples, fit
from editcast_training.calibration.ranker import with_card
from editcast_training.disk import explained
from editcast_training.evaluation.continuations_alone import ContinuationsAlone
from editcast_training.evaluation.intervals import Interval, difference
from editcast_training.evaluation.known_files import FilesOf, files_before
from editcast_training.evaluation.project_sessions import readable_sessions
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typing_replay import TypingRow, measured, replay_typing
from editcast_training.pipeline import Progress, Request, train_to_bundle
from editcast_training.sources.registry import Origin

_FITTED: Final = "fitted"
_COMMITS: Final = 40  # of each project
_MOST_SAVES, _MOST_CHARACTERS = 60, 80_000  # of a session, and of its file
_MOST_EXAMPLES, _MOST_TYPED = 60_000, 12_000
#: The measure that decides, and the least share of offers that are to be taken, in per cent.
_SPARED, _TAKEN, _LEAST_TAKEN = "both: spared", "both: taken", 45.0


@explained(TrainingError)
def train_for_person(request: Request, base: Bundle, threshold: float, progress: Progress) -> Path:
    """Fit, train, and return the bundle; the threshold is the least confidence of what is shown.

    Raises:
        NoBetterModelError: Nothing was better than the bundle.
        TooLittleHistoryError: Nothing was better, and there is too little history to train the
            network.
        TrainingError: The network cannot be trained, such as for lack of space on the disk.
        CorpusError: The corpus cannot be read or written.
    """
    progress.stage("Fitting continuations to your history: a minute or two")
    found = fit_to_person(request.origins, base.card.continuation, threshold, request.seed)
    progress.stage(found.sentence)
    if not found.is_better:
        return _trained(request, progress)
    folder = request.folder / _FITTED
    card = {name: value for name, value in base.card.written.items() if name != "comparison"}
    calibration = card.get("calibration", {}) | {"continuation": list(found.weights)}
    fitted = with_card(base, card | {"calibration": calibration}, folder)
    try:
        return _trained(replace(request, fitted=fitted), progress)
    except (NoBetterModelError, TooLittleHistoryError) as error:
        progress.stage(str(error))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"name": request.provenance.name, "base": base.name, "created": now}
        return with_card(fitted, {**fitted.card.written, **about}, request.folder / "bundle").path
    finally:
        discard(folder)


def _trained(request: Request, progress: Progress) -> Path:
    made = train_to_bundle(request, progress)
    assert made is not None  # one process alone trains for a person
    return made


@dataclass(frozen=True, slots=True)
class PersonalFit:
    """Weights of continuations that were fitted to one person, and what they change.

    Attributes:
        weights: See `forecasting.sources.continuation`; empty where there was nothing to fit to.
        before: Characters that were spared on the newest tenth without them, in per cent.
        after: With them.
        taken: How many of the offers were taken with them, in per cent.
        gain: The difference, with its interval.
        characters: How many there were to type.
    """

    weights: tuple[float, ...]
    before: float = 0.0
    after: float = 0.0
    taken: float = 0.0
    gain: Interval = Interval(0.0, 0.0, 0.0)
    characters: int = 0

    @property
    def is_better(self) -> bool:
        """Tell whether more is spared, and enough of what is offered is taken."""
        return self.gain.low > 0 and self.taken >= _LEAST_TAKEN

    @property
    def sentence(self) -> str:
        """Say it to the person."""
        if not self.characters:
            return "There is too little history to fit continuations to it."
        compared = (
            f"would have typed {self.after:.0f} % of your last {self.characters:,} characters for "
            f"you, instead of {self.before:.0f} %."
        )
        if self.is_better:
            return f"Continuations fitted to your history {compared}"
        return f"Continuations stay as they are. Fitted to your history they {compared}"


def fit_to_person(
    origins: Sequence[Origin], weights: Sequence[float], threshold: float, seed: int
) -> PersonalFit:
    """Fit continuations to the older part of histories; compare with `weights` on the newest."""
    files = files_before(origins)
    older = _drawn(origins, seed, "train")
    fitted = fit(islice(examples(older, files), _MOST_EXAMPLES))
    newest = _typed_at_most(_drawn(origins, seed, "dev"))
    if not fitted or not newest:
        return PersonalFit(())
    before = _replayed(weights, newest, threshold, files)
    after = _replayed(fitted, newest, threshold, files)
    now = measured(after)
    return PersonalFit(
        fitted,
        measured(before)[_SPARED],
        now[_SPARED],
        now[_TAKEN],
        difference(before, after, measured)[_SPARED],
        sum(row.characters for row in after),
    )


def _replayed(
    weights: Sequence[float], sessions: Sequence[EditingSession], threshold: float, files: FilesOf
) -> list[TypingRow]:
    resume = partial(ContinuationsAlone, weights=weights)
    replayed = replay_typing(resume, sessions, {"": threshold}, files)
    return [row for rows in replayed for row in rows]


def _drawn(
    origins: Sequence[Origin], seed: int, part: Literal["train", "dev"]
) -> list[EditingSession]:
    """Draw sessions of short files with their last saves; return them in another order."""
    drawn = readable_sessions(origins, count=_COMMITS, seed=seed, part=part, in_projects=False)
    found = [_last_saves(one) for one in drawn if len(one.texts[-1]) <= _MOST_CHARACTERS]
    random.Random(seed).shuffle(found)
    return found


def _last_saves(session: EditingSession) -> EditingSession:
    left_out = max(0, len(session.texts) - 1 - _MOST_SAVES)
    if session.kind == "commits" or not left_out:
        return session
    first = max(1, session.first - left_out)
    texts, times = session.texts[left_out:], session.times[left_out:]
    return replace(session, texts=texts, times=times, first=first)


def _typed_at_most(sessions: Iterable[EditingSession]) -> list[EditingSession]:
    """Return the first sessions in which no more is typed than there is time for."""
    out, typed = [], 0
    for one in sessions:
        typed += one.inserted
        if typed <= _MOST_TYPED:
            out.append(one)
    return out
