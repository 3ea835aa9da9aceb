"""The user's decisions on suggestions: shown, accepted or rejected, later kept or changed."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final

from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion, TrackedEdit
from editcast_server.prediction.engine import Answer
from editcast_server.prediction.policy import Policy
from editcast_store.saves import What

REMEMBERED: Final = 256  # suggestions that can still be accepted or rejected


@dataclass(slots=True)
class Offer:
    """A suggestion that was offered, with its document, its model, and whether the user saw it."""

    document: Document
    suggestion: Suggestion
    model: str
    is_shown: bool = False


class Feedback:
    """The suggestions that the user can decide on, and the effects of the decisions.

    Args:
        policy: The policy that the decisions adjust.
        record: Called with the outcome of a suggestion.
        has_applied: Called when an accepted suggestion is in the text of its document.
        follow_s: Seconds after an accept until the accepted text is checked.
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
            one.suggestion.hunks: id
            for id, one in self._offers.items()
            if one.document is document and one.suggestion.is_for(text)
        }
        ids |= {one.hunks: one.id for one in document.suggestions}
        offered = tuple(
            Suggestion.of(
                one,
                text,
                ids.get(one.hunks) or str(next(self._ids)),
                is_probable=model is not None and model.card is not None,
            )
            for one in answer.predictions
        )
        for one in offered:
            before = self._offers.get(one.id)
            is_shown = before is not None and before.is_shown
            self._offers[one.id] = Offer(document, one, answer.model_name, is_shown)
        while len(self._offers) > REMEMBERED:
            self._offers.popitem(last=False)
        return offered

    def take_applied(self, document: Document) -> None:
        """Count suggestions that a change has completed as accepted."""
        for suggestion in document.take_applied():
            document.end_typing()
            self._policy.count_decision(True, suggestion.confidence)

    def shown(self, id: str) -> Offer | None:
        """Record that a suggestion was seen; None if the id is unknown."""
        offer = self._offers.get(id)
        if offer and not offer.is_shown:
            offer.is_shown = True
            self._record(offer, "shown")
        return offer

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
        document.drop(id)
        document.end_suppression()
        was_there = document.results.accept(id, now.results, partial(self._watch, offer))
        if not was_there:  # otherwise it was counted when it was found
            self._policy.count_decision(True, suggestion.confidence)
        return offer

    def reject(self, id: str) -> Offer | None:
        """Record that a suggestion was rejected; None if the id is unknown."""
        offer = self._offers.pop(id, None)
        if offer is None:
            return None
        self._record(offer, "rejected")
        self._policy.lengthen_pause()
        self._policy.count_decision(False, offer.suggestion.confidence)
        offer.document.reject(offer.suggestion)
        return offer

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
