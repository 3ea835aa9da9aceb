"""What the server does for one editor: documents in, suggestions out.

Belongs to the event loop, knows nothing of messages, and hands everything slow to the engine's
thread and to the store's.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Literal, Protocol

from lsprotocol import types

from editcast_model.history import is_secret
from editcast_server import globs
from editcast_server.buffer import Units
from editcast_server.documents import Document, is_longer
from editcast_server.engine import Answer, Engine, Job, Track
from editcast_server.filters import Situation
from editcast_server.models import Choice, Model
from editcast_server.saves import Saves, now_ms
from editcast_server.settings import Settings
from editcast_server.suggestions import Suggestion

log = logging.getLogger(__name__)

PATIENCE = 2.0  # seconds that a request waits for a prediction under way
REMEMBERED = 256  # suggestions that can still be accepted or rejected
_THINKING_SHOWS_AFTER = 0.15  # seconds

State = Literal["ready", "thinking", "snoozed", "disabled", "baseline", "training"]


@dataclass(frozen=True, slots=True)
class Status:
    """What the server is doing, with a sentence for the user."""

    state: State
    model: str
    message: str


class Client(Protocol):
    """Whom the service talks to; all on the event loop."""

    def tell(self, sentence: str, *, warning: bool) -> None:
        """Show the user a sentence."""

    def has_predicted(self, document: Document) -> None:
        """The suggestions of a document are others now."""

    def has_status(self, status: Status) -> None:
        """The server does something else now."""


class Service:
    """Open documents, the engine, the store, and the settings that they follow."""

    def __init__(self, client: Client, units: Units, settings: Settings) -> None:
        self.documents: dict[str, Document] = {}
        self.settings = settings
        self._client = client
        self._units = units
        self._loop = asyncio.get_running_loop()
        self._saves = Saves(lambda sentence: self._on_loop(self._warn, sentence))
        self._engine = Engine(
            loaded=lambda model: self._on_loop(self._took_up, model),
            failed=lambda text: self._on_loop(
                self._warn, f"Editcast could not predict here ({text}); the log has more."
            ),
        )
        self._model: Model | None = None
        self._ids = count(1)
        self._offered: OrderedDict[str, tuple[Document, Suggestion]] = OrderedDict()
        self._snooze: asyncio.TimerHandle | None = None
        self._thinking: asyncio.TimerHandle | None = None
        self._is_thinking = False
        self._training = ""
        self._status: Status | None = None
        self._has_ended = False

    def start(self) -> None:
        """Load the model, and let go of what the store has had for too long."""
        self._engine.choose(self._choice)
        self._saves.prune(self.settings.history_days)

    def stop(self) -> None:
        """Finish what must be finished; returns when the last save is on the disk."""
        self._has_ended = True
        for document in self.documents.values():
            document.cancel()
        self._engine.stop()
        self._saves.close()

    # Documents

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """A document was opened."""
        self.close(uri)
        known = None if is_longer(text, self.settings.max_file_bytes) else text
        document = Document(uri, language, version, known, self._units)
        self.documents[uri] = document
        if known is None:
            self._say_too_long(document)
        elif self._is_allowed(document):
            self._engine.open(self._track(document, known))

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """A document was changed."""
        document = self.documents.get(uri)
        if document is None:
            self._warn(f"{uri} was changed but never opened; Editcast takes no notice of it.")
            return
        had = document.suggestions
        trouble = document.change(version, changes)
        if trouble:
            self._tell_once(
                document,
                f"Editcast and the editor do not agree about {document.name}: {trouble}. "
                "Suggestions there go on after the next save.",
            )
        if document.suggestions:
            if document.suggestions != had:
                self._client.has_predicted(document)
        elif self._is_served(document):
            document.pause = self._loop.call_later(
                self.settings.debounce_ms / 1000, self._ask, document, 1
            )

    def save(self, uri: str, text: str | None) -> None:
        """A document was saved, with this text if the editor told it."""
        document = self.documents.get(uri)
        if document is None:
            self._warn(f"{uri} was saved but never opened; Editcast takes no notice of it.")
            return
        if text is not None:
            if is_longer(text, self.settings.max_file_bytes):
                document.lose_track()
                self._say_too_long(document)
                return
            document.replace(text)
        if document.buffer is None or not self._is_allowed(document) or not self._fits(document):
            return
        text = document.buffer.text
        self._track(document, text).save(text)
        self._record(document, text)
        self._engine.look_for_newer()
        document.forget_suggestions()
        self._ask(document, 1)

    def close(self, uri: str) -> None:
        """A document was closed."""
        document = self.documents.pop(uri, None)
        if document:
            document.cancel()

    def _track(self, document: Document, text: str) -> Track:
        if document.track is None:
            document.track = Track(document.opened[0] if document.opened else text)
        return document.track

    def _record(self, document: Document, text: str) -> None:
        if document.path is None or not self.settings.history_enabled:
            return
        now = now_ms()
        if document.opened and document.opened[0] != text:
            self._saves.record_first(document.path, document.opened[0], now, document.language)
        document.opened = None
        self._saves.record(document.path, text, now, document.language)

    # Predictions

    async def wait_for(self, uri: str, most: int) -> Document | None:
        """The document once its suggestions are known, or `PATIENCE` is at its end.

        None when the document is unknown, or not to be served.
        """
        end = self._loop.time() + PATIENCE
        document = self.documents.get(uri)
        while document and self._is_served(document) and not document.has(most):
            left = end - self._loop.time()
            if left <= 0:
                break
            self._ask(document, most)
            await document.news(left)
        return self.at_once(uri)

    def at_once(self, uri: str) -> Document | None:
        """The document with the suggestions there are; None when it is not to be served."""
        document = self.documents.get(uri)
        return document if document and self._is_served(document) else None

    def _ask(self, document: Document, most: int) -> None:
        if document.is_under_way(most) or not self._is_served(document):
            return
        assert document.buffer is not None
        document.cancel()
        text = document.buffer.text
        document.job = Job(
            self._track(document, text),
            Situation(
                text,
                None,
                document.language,
                self.settings.confidence_threshold,
                document.rejections.now(),
            ),
            most,
            done=partial(self._on_loop, self._answered, document),
        )
        self._engine.predict(document.job)
        if self._thinking is None:
            self._thinking = self._loop.call_later(_THINKING_SHOWS_AFTER, self._set_thinking, True)

    def _answered(self, document: Document, answer: Answer) -> None:
        if document.job is not answer.job or document.buffer is None:
            self._set_thinking(False)
            return
        text = document.buffer.text
        known = {one.hunks: one.id for one in document.suggestions}
        suggestions = tuple(
            Suggestion.of(one, text, known.get(one.hunks) or str(next(self._ids)))
            for one in answer.predictions
        )
        for suggestion in suggestions:
            self._offered[suggestion.id] = document, suggestion
        while len(self._offered) > REMEMBERED:
            self._offered.popitem(last=False)
        document.take(answer, suggestions)
        self._set_thinking(False)
        self._client.has_predicted(document)

    # What the user decides

    def accept(self, id: str) -> str:
        """The user took a suggestion; the next one is predicted at once."""
        document, suggestion = self._offered.pop(id, (None, None))
        if document is None or suggestion is None:
            return f"There is no suggestion {id} to accept (any more)."
        self._record_outcome(document, suggestion, "accepted")
        document.drop(id)
        if document.pause:
            self._ask(document, 1)
        return ""

    def reject(self, id: str) -> str:
        """The user did not want a suggestion; it does not come back."""
        document, suggestion = self._offered.pop(id, (None, None))
        if document is None or suggestion is None:
            return f"There is no suggestion {id} to reject (any more)."
        self._record_outcome(document, suggestion, "rejected")
        shown = next((one for one in document.suggestions if one.id == id), None)
        document.rejections.add(shown or suggestion, current=shown is not None)
        document.drop(id)
        self._client.has_predicted(document)
        return ""

    def snooze(self, seconds: float) -> None:
        """Suggest nothing for so long; 0 ends that."""
        if self._snooze:
            self._snooze.cancel()
            self._snooze = None
        if seconds > 0:
            self._snooze = self._loop.call_later(seconds, self.snooze, 0)
            self._withdraw_all()
        self._tell_status()

    def take_settings(self, settings: Settings) -> None:
        """Follow other settings."""
        before, self.settings = self.settings, settings
        if settings == before:
            return
        if self._choice != Choice(before.model_path, before.device):
            self._engine.choose(self._choice)
        self._withdraw_all()
        self._tell_status()

    def set_training(self, message: str) -> None:
        """Training goes on, and how far; empty when it does not. A new model is taken up."""
        if self._training and not message:
            self._engine.look_for_newer()
        self._training = message
        self._tell_status()

    def _withdraw_all(self) -> None:
        for document in self.documents.values():
            had = document.suggestions
            document.forget_suggestions()
            if had:
                self._client.has_predicted(document)

    def _record_outcome(
        self, document: Document, suggestion: Suggestion, what: Literal["accepted", "rejected"]
    ) -> None:
        if document.path and self.settings.history_enabled and self._is_allowed(document):
            self._saves.record_outcome(
                suggestion.id,
                what,
                path=document.path,
                confidence=suggestion.confidence,
                model=document.model,
                language=document.language,
            )

    # What is served

    @property
    def status(self) -> Status:
        """What the server is doing now."""
        model = self._model.forecaster.name if self._model else ""
        if not self.settings.enabled:
            return Status("disabled", model, "Editcast is switched off by its setting `enabled`.")
        if self._snooze:
            seconds = max(0, round(self._snooze.when() - self._loop.time()))
            return Status("snoozed", model, f"Editcast is silent for {_duration(seconds)}.")
        if self._training:
            return Status("training", model, self._training)
        if self._is_thinking or self._model is None:
            return Status("thinking", model, "Editcast predicts." if model else "Editcast starts.")
        if self._model.problem:
            return Status("baseline", model, self._model.problem)
        return Status("ready", model, f"Editcast predicts with {model}.")

    @property
    def _choice(self) -> Choice:
        return Choice(self.settings.model_path, self.settings.device)

    def _is_served(self, document: Document) -> bool:
        """Whether suggestions are to be made in a document as it is now."""
        return not self._snooze and self._is_allowed(document) and self._fits(document)

    def _fits(self, document: Document) -> bool:
        """Whether its text is known, and is such that Editcast can do something with it."""
        if document.buffer is None:
            return False
        text = document.buffer.text
        if "\0" in text:
            self._tell_once(
                document,
                f"{document.name} holds NUL bytes, as no text does; Editcast leaves it alone.",
            )
            return False
        if is_longer(text, self.settings.max_file_bytes):
            self._say_too_long(document)
            return False
        return True

    def _is_allowed(self, document: Document) -> bool:
        """Whether the settings let Editcast look at a document at all."""
        languages = self.settings.languages
        if not self.settings.enabled or not {"*", document.language} & set(languages):
            return False
        path = document.path
        return path is None or not (
            is_secret(path) or globs.matches_any(path, self.settings.exclude)
        )

    def _say_too_long(self, document: Document) -> None:
        self._tell_once(
            document,
            f"{document.name} is longer than {self.settings.max_file_bytes:,} bytes; Editcast "
            "leaves it alone (setting maxFileBytes).",
        )

    # To the client

    def _took_up(self, model: Model) -> None:
        self._model = model
        log.info("Model: %s", model.forecaster.name)
        if model.problem:
            self._warn(model.problem)
        self._tell_status()

    def _set_thinking(self, is_thinking: bool) -> None:
        if not is_thinking and any(document.job for document in self.documents.values()):
            return
        if not is_thinking and self._thinking:
            self._thinking.cancel()
            self._thinking = None
        self._is_thinking = is_thinking
        self._tell_status()

    def _tell_status(self) -> None:
        status = self.status
        if status != self._status:
            self._status = status
            self._client.has_status(status)

    def _tell_once(self, document: Document, sentence: str) -> None:
        if sentence not in document.told:
            document.told.add(sentence)
            self._warn(sentence)

    def _warn(self, sentence: str) -> None:
        log.warning("%s", sentence)
        self._client.tell(sentence, warning=True)

    def _on_loop(self, what: Callable[..., None], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(self._until_the_end, what, *args)
        except RuntimeError:  # the loop has ended, and with it whoever wanted to know
            log.info("After the end: %s", what.__name__)

    def _until_the_end(self, what: Callable[..., None], *args: Any) -> None:
        if not self._has_ended:
            what(*args)


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{round(seconds / 60)} min"
