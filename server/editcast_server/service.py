"""The service for one editor: documents in, suggestions out.

The service runs on the event loop and does not know LSP. It passes slow work to the engine's thread
and to the store's.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from lsprotocol import types

from editcast_server.documents.buffer import Units
from editcast_server.documents.document import Document
from editcast_server.lsp.protocol import StatusParams
from editcast_server.prediction.engine import Answer, Engine, Job
from editcast_server.prediction.folder_reader import reads
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.policy import Feedback, Offer, Policy
from editcast_server.prediction.projects import Projects, Track
from editcast_server.settings import Settings
from editcast_server.status import Activity
from editcast_server.store_writer import StoreWriter
from editcast_store.saves import What

log = logging.getLogger(__name__)

#: The beginning of the message about a prediction that failed.
FAILURE: Final = "Editcast could not predict here"
PATIENCE: Final = 2.0  # seconds that a request waits for a prediction in progress
_TIMED: Final = 1000  # predictions whose latency is kept


class Client(Protocol):
    """The editor, as the service sees it; called on the event loop."""

    def show_message(self, sentence: str, *, warning: bool) -> None:
        """Show the user a sentence."""

    def has_predicted(self, document: Document) -> None:
        """Tell the editor that the suggestions of a document have changed."""

    def has_status(self, status: StatusParams) -> None:
        """Tell the editor what the server is doing."""


class Service:
    """The open documents by URI, the engine, the store and the settings.

    Args:
        client: The editor.
        units: The units in which the editor counts characters.
        settings: The initial settings.
        later_s: Seconds after an accept until the accepted text is checked, and after the start
            until old saves are deleted: some editors send their settings only then.
    """

    def __init__(
        self, client: Client, units: Units, settings: Settings, *, later_s: float = 60.0
    ) -> None:
        self.documents: dict[str, Document] = {}
        self.settings = settings
        self.projects = Projects()
        self.latencies: deque[float] = deque(maxlen=_TIMED)  # in milliseconds
        self._client = client
        self.units = units
        self._loop = asyncio.get_running_loop()
        self.saves = StoreWriter(lambda sentence: self._on_loop(self._warn, sentence))
        self.engine = Engine(
            loaded=lambda model: self._on_loop(self._on_model, model),
            failed=lambda text: self._on_loop(self._warn, f"{FAILURE} ({text}); see the log."),
        )
        self._policy = Policy(settings)
        self._feedback = Feedback(self._policy, self._record_outcome, self._has_applied, later_s)
        self.activity = Activity(client.has_status, settings)
        self._has_ended = False
        self._loop.call_later(
            later_s, self._until_the_end, lambda: self.saves.prune(self.settings.history_days)
        )

    def start(self) -> None:
        """Load the model, and count the decisions in the store."""
        self.engine.choose(Choice.of(self.settings))
        self.saves.restore(partial(self._on_loop, self._feedback.restore))

    def stop(self) -> None:
        """Close all documents, and return when the last save is on the disk."""
        self._has_ended = True
        for uri in list(self.documents):
            self.close(uri)
        self.saves.close()  # first, since the process may be killed while the engine stops
        self.engine.stop()

    # Documents

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """Open a document."""
        self.close(uri)
        known = None if self.settings.is_too_long(text) else text
        document = Document(uri, language, version, known, self.units)
        document.folder = self.projects.folder_of(uri)
        self.documents[uri] = document
        if known is None:
            self._warn_once(document, document.too_long(self.settings))
        self._begin(document)

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Apply changes to a document."""
        document = self.documents.get(uri)
        if document is None:
            log.warning("%s was changed but never opened; Editcast ignores it.", uri)
            return
        had = document.suggestions
        trouble = document.change(version, changes)
        if trouble:
            self._warn_once(
                document,
                f"Editcast and the editor disagree about {document.name}: {trouble}. "
                "Suggestions in it resume after the next save.",
            )
        is_served = self._is_served(document)
        if is_served:
            self._feedback.take_applied(document)
        if document.suggestions != had:
            self._client.has_predicted(document)
        if is_served and not (document.has(1) or document.job or document.is_suppressed):
            document.pause = self._loop.call_later(self._policy.pause, self._ask, document, 1)

    def save(self, uri: str, text: str | None) -> None:
        """Process a save of a document, with its text if the editor sent it."""
        document = self.documents.get(uri)
        if document is None:
            log.warning("%s was saved but never opened; Editcast ignores it.", uri)
            return
        if text is not None:
            if self.settings.is_too_long(text):
                document.forget_text()
                self._warn_once(document, document.too_long(self.settings))
                return
            document.replace(text)
        document.check_path()
        is_allowed = not document.refusal(self.settings) and self._fits(document)
        if document.buffer is None or not is_allowed:
            document.opened = None
            return
        text = document.buffer.text
        self._feedback.pass_over(document)
        document.rejections.typed_lines = ()
        document.end_suppression()
        self._track(document, text).save(text)
        for other in self.documents.values():
            if other is not document and document.folder and other.folder == document.folder:
                other.expire_answer()
        opened, document.opened = document.opened, None
        if document.path and self.settings.history_enabled:
            self.saves.record(document.path, text, document.language, before=opened)
        document.forget_suggestions()
        self._ask(document, 1)
        self.engine.check_for_newer()

    def move(self, moved: Sequence[tuple[str, str | None]]) -> None:
        """Process files that were renamed, or deleted (None): other files may name them."""
        folders = {self.projects.move(old, new) for old, new in moved}
        for document in self.documents.values():
            if document.folder and document.folder in folders:
                document.expire_answer()
                self._ask(document, 1)

    def close(self, uri: str) -> None:
        """Close a document."""
        if document := self.documents.pop(uri, None):
            document.close()

    def _begin(self, document: Document) -> None:
        """Prepare the predictions of a document if it may be read."""
        if document.refusal(self.settings):
            document.leave_project()
        elif document.buffer is not None:
            self.engine.open(self._track(document, document.buffer.text))
            self.projects.read(document.folder, self.settings)
            if self.projects.of(document.folder).has_saves:
                self._ask(document, 1)

    def _track(self, document: Document, text: str) -> Track:
        if document.track is None:
            opened = text if document.opened is None else document.opened
            document.track = Track(
                opened, self.projects.of(document.folder), document.uri, document.language
            )
        return document.track

    # Predictions

    async def wait_for(self, uri: str, most: int, *, is_wanted: bool = True) -> Document | None:
        """Return the document once its suggestions are known, or after `PATIENCE`.

        Return None if the document is unknown or not served. Without `is_wanted`, the request did
        not come from the user and starts no prediction that a typing pause would not start.
        """
        end = self._loop.time() + PATIENCE
        while (document := self.at_once(uri)) and not document.has(most):
            left = end - self._loop.time()
            if left <= 0 or (document.is_suppressed and not is_wanted):
                break
            if not document.is_awaiting_word:
                self._ask(document, most, is_for_request=True)
            await document.wait_for_answer(left)
        return document

    def at_once(self, uri: str) -> Document | None:
        """Return the document with its current suggestions; None if it is not served."""
        document = self.documents.get(uri)
        return document if document and self._is_served(document) else None

    def _ask(self, document: Document, most: int, *, is_for_request: bool = False) -> None:
        if not is_for_request:
            document.end_pause()
        if not self._is_served(document):
            return
        if document.job:
            is_for_request = is_for_request and document.job.is_for_requests
            if document.job.most >= most:
                document.job.is_for_requests = is_for_request
                return
        document.cancel_job()
        conditions = document.conditions(self._policy.thresholds)
        document.job = Job(
            self._track(document, conditions.context.text),
            conditions,
            most,
            done=partial(self._on_loop, self._answered, document),
            is_for_requests=is_for_request,
        )
        self.engine.predict(document.job)
        self.activity.begin_thinking()

    def _answered(self, document: Document, answer: Answer) -> None:
        if answer.other_files:
            if document.answer and document.answer.job is answer.job:
                document.answer = answer
                self._client.has_predicted(document)
            return
        is_current = document.job is answer.job and document.buffer is not None
        if is_current:
            self.latencies.append(answer.milliseconds)
            is_typing = answer.job.conditions.context.typed is not None
            offered = self._feedback.offer(document, answer)
            # A half-typed line, which cannot be parsed, takes no suggestion back.
            document.set_answer(answer, offered or (document.suggestions if is_typing else ()))
            if is_typing:
                document.forget_empty_answer()
                left = document.typing_left
                document.word_pause = self._loop.call_later(left, self._ask, document, 1)
        if not any(one.job for one in self.documents.values()):
            self.activity.end_thinking()
        if is_current:
            self._client.has_predicted(document)

    # Decisions; an unknown id is not an error: the suggestion may have expired

    def shown(self, id: str) -> None:
        """Record that the user has seen a suggestion."""
        self._feedback.shown(id)

    def accept(self, id: str) -> None:
        """Record an accept, and predict the next suggestion at once."""
        offer = self._feedback.accept(id)
        if offer and offer.document.pause:  # it may have come with other changes
            self._ask(offer.document, 1)

    def reject(self, id: str) -> None:
        """Record a rejection; the suggestion is not offered again."""
        if offer := self._feedback.reject(id):
            self._client.has_predicted(offer.document)

    def snooze(self, seconds: float) -> None:
        """Suggest nothing for this many seconds; 0 ends the pause."""
        self.activity.snooze(seconds)
        if seconds > 0:
            self._withdraw_all()

    def apply_settings(self, settings: Settings) -> None:
        """Use other settings from now on."""
        before, self.settings = self.settings, settings
        if settings == before:
            return
        if Choice.of(settings) != Choice.of(before):
            self.engine.choose(Choice.of(settings))
        if settings.history_days != before.history_days:
            self.saves.prune(settings.history_days)
        self._policy.follow(settings)
        if reads(settings) != reads(before):
            self.projects.forget_files()
            for document in self.documents.values():
                self._begin(document)
        self._withdraw_all()
        self.activity.settings = settings
        self.activity.update()

    def set_training(self, message: str) -> None:
        """Set the progress of a training, empty when none runs; load the new model at its end."""
        if self.activity.training and not message:
            self.engine.check_for_newer()
        self.activity.training = message
        self.activity.update()

    def _withdraw_all(self) -> None:
        for document in self.documents.values():
            had = document.suggestions
            document.forget_suggestions()
            if had:
                self._client.has_predicted(document)

    def _record_outcome(self, offer: Offer, what: What) -> None:
        """Record the outcome of a suggestion."""
        document = offer.document
        if document.path and self.settings.history_enabled and not document.refusal(self.settings):
            self.saves.record_outcome(
                offer.suggestion.id,
                what,
                path=document.path,
                confidence=offer.suggestion.confidence,
                model=offer.model,
                language=document.language,
            )

    def _has_applied(self, document: Document) -> None:
        """Predict the next suggestion, now that this one was applied."""
        document.end_typing()
        if document.is_open and not document.has(1):
            self._ask(document, 1)

    # What is served

    def _is_served(self, document: Document) -> bool:
        """Tell whether suggestions may be made in a document in its current state."""
        return (
            not self.activity.is_snoozed
            and not document.refusal(self.settings)
            and self._fits(document)
        )

    def _fits(self, document: Document) -> bool:
        """Tell whether a document's text is known and can be used."""
        problem = document.problem(self.settings)
        if problem and document.buffer is not None:
            self._warn_once(document, problem)
        return not problem

    # To the client

    def _on_model(self, model: Model) -> None:
        self.activity.model, self._policy.card = model, model.card
        log.info("Model: %s", model.forecaster.name)
        if model.problem:
            self._warn(model.problem)
        self.activity.update()
        for document in self.documents.values():
            if document.has(1) or document.job:  # the answer came from another model
                document.forget_suggestions()
                self._ask(document, 1)

    def _warn_once(self, document: Document, sentence: str) -> None:
        if sentence not in document.warned:
            document.warned.add(sentence)
            self._warn(sentence)

    def _warn(self, sentence: str) -> None:
        log.warning("%s", sentence)
        self._client.show_message(sentence, warning=True)

    def _on_loop(self, what: Callable[..., None], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(self._until_the_end, what, *args)
        except RuntimeError:  # the loop has ended
            log.info("After the end: %s", what.__name__)

    def _until_the_end(self, what: Callable[..., None], *args: Any) -> None:
        if not self._has_ended:
            what(*args)
