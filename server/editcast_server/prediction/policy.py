"""The policy that decides which predictions are shown, and when; the decisions that change it.

The policy consists of the threshold on confidence (from the card, the user's eagerness and the
user's last decisions) and the typing pause.

Users pass over most unwanted suggestions instead of rejecting them: they see a suggestion, continue
to work, and save. This counts as a decision, too. Continuations of the line count only if they are
accepted or rejected, because typing past one says little.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Final

from editcast_model.card import Calibration, Card
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion, TrackedEdit
from editcast_server.prediction.engine import Answer, Thresholds
from editcast_server.settings import Eagerness, Settings
from editcast_store.saves import Outcome, What

#: The threshold of an uncalibrated model, and the highest default threshold. Suggestions of this
#: confidence are right often enough, even if there were too few development data to show it.
UNCALIBRATED, HIGHEST = 0.5, 0.85
# Thresholds of low and high eagerness if the card has none
_LOW, _HIGH = 0.8, 0.3
# The user's decisions: how many count, how many decisions in line with the confidences are assumed
# before the first one, and how far decisions move a threshold
# (benchmarks/suggestions/decisions.py).
_DECISIONS, _IMAGINED, _LEAST_RATIO, _MOST_RATIO = 30, 5.0, 0.4, 1.2
#: Decisions never raise a threshold above this: without suggestions there are no new decisions.
_STILL_SHOWN: Final = 0.95
_LONGEST_PAUSE_MS: Final = 3000.0
_OFFERS: Final = 256  # suggestions that can still be accepted or rejected
_MOST_PASSED: Final = 2  # texts in which a suggestion is passed over before it goes
#: Prefix of the ids of continuations, which distinguishes their outcomes in the store.
_CONTINUATION = "c"


def default_threshold(card: Card | None) -> float:
    """Return the default threshold; a baseline has no card."""
    threshold = card.calibration.threshold if card else None
    return UNCALIBRATED if threshold is None else min(HIGHEST, threshold)


def threshold_of(card: Card | None, eagerness: Eagerness) -> float:
    """Return the threshold at a level of eagerness."""
    wanted, known = default_threshold(card), card.calibration if card else Calibration()
    match eagerness:
        case "low":
            return max(wanted, _LOW if known.low is None else min(HIGHEST, known.low))
        case "high":
            return min(wanted, _HIGH if known.high is None else known.high)
        case _:
            return wanted


def measured_precision(card: Card) -> float | None:
    """Return the share of clean suggestions at the default threshold on development data.

    None if it was not measured, because the default differs from the threshold in the card.
    """
    known = card.calibration
    return known.precision if known.threshold == default_threshold(card) else None


class Policy:
    """The thresholds and the typing pause of one editor; used on the event loop only.

    The pause before a prediction, in seconds, grows after a rejection and shrinks after an accept.
    """

    def __init__(self, settings: Settings) -> None:
        self.card: Card | None = None  # of the model in use; None for a baseline
        # Of edits and of continuations: whether a suggestion was accepted, and its confidence
        self._decisions = [deque[tuple[bool, float]](maxlen=_DECISIONS) for _ in range(2)]
        self._settings = settings
        self.pause = settings.debounce_ms / 1000

    def follow(self, settings: Settings) -> None:
        """Use other settings from now on."""
        if settings.debounce_ms != self._settings.debounce_ms:
            self.pause = settings.debounce_ms / 1000
        self._settings = settings

    @property
    def thresholds(self) -> Thresholds:
        """Return the thresholds.

        They equal the threshold of the settings if the user accepts as often as the confidences
        promise.
        """
        wanted = self._settings.confidence_threshold
        if wanted is None:
            wanted = threshold_of(self.card, self._settings.eagerness)
        highest = max(wanted, _STILL_SHOWN)
        return Thresholds(*(min(wanted / _ratio(one), highest) for one in self._decisions))

    def count_decision(
        self, is_accepted: bool, confidence: float, *, is_continuation: bool = False
    ) -> None:
        """Count a decision on a suggestion of this confidence."""
        self._decisions[is_continuation].append((is_accepted, confidence))

    def shorten_pause(self) -> None:
        """Predict sooner, since the user accepted a suggestion."""
        self.pause = max(self._settings.debounce_ms / 1500, self.pause * 0.8)

    def lengthen_pause(self) -> None:
        """Predict later, since the user rejected a suggestion."""
        longest = max(self._settings.debounce_ms, _LONGEST_PAUSE_MS) / 1000
        self.pause = min(longest, self.pause * 1.5)


def _ratio(decisions: Collection[tuple[bool, float]]) -> float:
    """Compute the ratio of accepted to promised suggestions, between 0.4 and 1.2."""
    accepted = sum(is_accepted for is_accepted, _ in decisions)
    promised = sum(confidence for _, confidence in decisions)
    ratio = (accepted + _IMAGINED) / (promised + _IMAGINED)
    return min(_MOST_RATIO, max(_LEAST_RATIO, ratio))


@dataclass(slots=True)
class Offer:
    """A suggestion that was offered."""

    document: Document
    suggestion: Suggestion
    model: str
    shown_at: float | None = None  # in seconds of the loop's clock; None if it was not
    is_decided: bool = False  # whether a decision on it was counted
    passed_in: set[int] = field(default_factory=set)  # hashes of the texts saved without it


class Feedback:
    """The suggestions that the user can decide on, and the effects of the decisions.

    Args:
        policy: The policy that the decisions adjust.
        record: Called with the outcome of a suggestion.
        has_applied: Called when an accepted suggestion is in the text of its document.
        follow_s: Seconds after an accept until the accepted text is checked. After half this time
            on screen, a suggestion that is still open at a save counts as passed over.
    """

    def __init__(
        self,
        policy: Policy,
        record: Callable[[Offer, What], None],
        has_applied: Callable[[Document], None],
        follow_s: float,
    ) -> None:
        self._policy, self._follow_s = policy, follow_s
        self._record, self._has_applied = record, has_applied
        self._loop = asyncio.get_running_loop()
        self._ids = count(1)
        self._offers: OrderedDict[str, Offer] = OrderedDict()

    def offer(self, document: Document, answer: Answer) -> tuple[Suggestion, ...]:
        """Turn an answer into suggestions; a suggestion that is repeated keeps its id."""
        text, model = answer.job.conditions.context.text, answer.model
        # A save forgets the suggestions before it is known whether they are made again.
        ids = {
            one.suggestion.hunk: id
            for id, one in self._offers.items()
            if one.document is document and one.suggestion.is_for(text)
        }
        ids |= {one.hunk: one.id for one in document.suggestions}
        offered = tuple(
            Suggestion.of(
                one,
                text,
                ids.get(one.hunk) or self._new_id(one),
                is_probable=model is not None and model.card is not None,
            )
            for one in answer.predictions
        )
        for one in offered:
            known = self._offers.setdefault(one.id, Offer(document, one, answer.model_name))
            known.suggestion, known.model = one, answer.model_name
        while len(self._offers) > _OFFERS:
            self._offers.popitem(last=False)
        return offered

    def take_applied(self, document: Document) -> None:
        """Count suggestions that a change has completed as accepted."""
        for suggestion in document.take_applied():
            document.end_typing()
            self._count(True, suggestion)
            if suggestion.id in self._offers:
                self._offers[suggestion.id].is_decided = True

    def pass_over(self, document: Document) -> None:
        """Count the suggestions that a save leaves open although they were shown for a while.

        What the user has passed over in two different texts is not suggested again: of edits
        that came a third time in a row, 3 of 34 were right in recorded saves.
        """
        self.take_applied(document)
        text = document.buffer.text if document.buffer else ""
        latest = self._loop.time() - self._follow_s / 2
        for offer in self._offers.values():
            was_shown = offer.shown_at is not None and offer.shown_at <= latest
            is_edit = offer.suggestion.source != CONTINUATION
            if not (offer.document is document and was_shown and is_edit):
                continue
            if not offer.is_decided:
                offer.is_decided = True
                self._record(offer, "passed")
                self._count(False, offer.suggestion)
            if any(one.id == offer.suggestion.id for one in document.suggestions):
                offer.passed_in.add(hash(text))
                if len(offer.passed_in) == _MOST_PASSED:
                    document.rejections.add(offer.suggestion, None)

    def shown(self, id: str) -> None:
        """Record that a suggestion was seen, if the id is known."""
        offer = self._offers.get(id)
        if offer and offer.shown_at is None:
            offer.shown_at = self._loop.time()
            self._record(offer, "shown")

    def accept(self, id: str) -> Offer | None:
        """Record that a suggestion was accepted; None if the id is unknown."""
        offer = self._offers.pop(id, None)
        if offer is None:
            return None
        document, suggestion = offer.document, offer.suggestion
        # The user may have typed a part of it since.
        now = next((one for one in document.suggestions if one.id == id), suggestion)
        self._record(offer, "accepted")
        self._policy.shorten_pause()
        document.suggestions = tuple(one for one in document.suggestions if one.id != id)
        document.end_suppression()
        was_there = document.results.accept(now, partial(self._watch, offer))
        if not was_there:  # otherwise it was counted when it was found
            self._count(True, suggestion)
        return offer

    def reject(self, id: str) -> Offer | None:
        """Record that a suggestion was rejected; None if the id is unknown."""
        offer = self._offers.pop(id, None)
        if offer is None:
            return None
        self._record(offer, "rejected")
        self._policy.lengthen_pause()
        if not offer.is_decided:
            self._count(False, offer.suggestion)
        offer.document.reject(offer.suggestion)
        return offer

    def restore(self, outcomes: Sequence[Outcome]) -> None:
        """Count the decisions of earlier sessions, oldest first."""
        for one in outcomes:
            if one.what in ("accepted", "rejected", "passed"):
                is_continuation = one.suggestion.startswith(_CONTINUATION)
                self._policy.count_decision(
                    one.what == "accepted", one.confidence, is_continuation=is_continuation
                )

    def _count(self, is_accepted: bool, suggestion: Suggestion) -> None:
        is_continuation = suggestion.source == CONTINUATION
        self._policy.count_decision(
            is_accepted, suggestion.confidence, is_continuation=is_continuation
        )

    def _new_id(self, prediction: Prediction) -> str:
        kind = _CONTINUATION if prediction.source == CONTINUATION else ""
        return f"{kind}{next(self._ids)}"

    def _watch(self, offer: Offer, tracked: TrackedEdit) -> None:
        self._loop.call_later(self._follow_s, self._judge, offer, tracked)
        offer.document.end_suppression()
        self._has_applied(offer.document)

    def _judge(self, offer: Offer, tracked: TrackedEdit) -> None:
        document = offer.document
        if document.is_open and document.buffer:
            what = document.results.judge(tracked, document.buffer.text)
            if what:
                self._record(offer, what)
