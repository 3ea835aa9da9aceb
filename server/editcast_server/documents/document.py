"""One open document: its text and version, and what is suggested for them.

Belongs to the event loop. The slow part of it, the session on its saved texts, is its `Track`,
which belongs to the engine.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.filters import EditContext, cursor_after, line_at, word_at
from editcast_model.forecasting.import_lines import is_import
from editcast_model.forecasting.line_spans import is_beside
from editcast_server.documents.buffer import Buffer, OutOfRangeError, Units, split_lines
from editcast_server.documents.globs import matches_any
from editcast_server.documents.suggestion import AppliedEdits, Suggestion, is_one_of
from editcast_server.prediction.engine import Answer, Job, Track
from editcast_server.prediction.policy import (
    Conditions,
    PastTexts,
    RecentChanges,
    Rejections,
)
from editcast_server.settings import Settings
from editcast_server.store_writer import now_ms
from editcast_store.secrets import is_secret

AS_MANY_AS_THERE_ARE = 1 << 30
#: Seconds after a key until the word at it counts as typed to its end.
WORD_PAUSE = 0.4


class Document:
    """A document that the editor has open.

    Attributes:
        uri: As the editor writes it.
        language: The language identifier that the editor gave it.
        path: The file; None when it is none (an unsaved one, a notebook's cell).
        is_secret: Whether it usually holds secrets, or is a link to what does.
        version: The editor's version of it, as last heard.
        buffer: The text; None while it is not known: too long to be kept, or the editor's changes
            made no sense. The next whole text ends that.
        folder: The open folder that it is in, if any.
        track: The engine's part; None as long as nothing has been asked for.
        opened: The text when it was opened, and when (milliseconds since the epoch), until a save
            replaces it.
        rejections: What the user did not want here.
        results: What has been applied here, and is followed for a while.
        past_texts: The texts it had.
        suggestions: For the text as it is now, best first.
        answer: The last one, of which they were made; None as long as there was none.
        warned: Sentences that the user has seen about this document.
        is_open: Whether the editor still has it open.
    """

    def __init__(
        self, uri: str, language: str, version: int, text: str | None, units: Units
    ) -> None:
        self.uri = uri
        self.language = language
        self.path = path_of(uri)
        self.check_path()
        self.version = version
        self.buffer = None if text is None else Buffer(text, units)
        self.folder: str | None = None
        self.track: Track | None = None
        self.opened = None if text is None else (text, now_ms())
        self.rejections = Rejections()
        self.results = AppliedEdits()
        self.past_texts = PastTexts()
        self.suggestions: tuple[Suggestion, ...] = ()
        self.answer: Answer | None = None
        self.warned: set[str] = set()
        self.is_open = True
        self.job: Job | None = None
        self.pause: asyncio.TimerHandle | None = None
        self.word_pause: asyncio.TimerHandle | None = None
        self._units = units
        self._excluded_by: tuple[tuple[str, ...], bool] = (), False  # globs, and if one matches
        self._covered = 0
        self._had: tuple[Suggestion, ...] = ()
        self._recent = RecentChanges()
        self._is_undone = False
        self._typed_at = -math.inf  # of the monotonic clock
        self._changed = Hunk(0, 0, "")
        self._cursor: int | None = None
        self._line_before = ""
        self._waiting: list[asyncio.Future[None]] = []
        if text is not None:
            self.past_texts.brings_back(text)

    @property
    def name(self) -> str:
        """Return the name that the user knows the document by."""
        return self.path.name if self.path else self.uri.rsplit("/", 1)[-1]

    def check_path(self) -> None:
        """Check on the disk, when opened or saved, whether the file is a secret."""
        self.is_secret = self.path is not None and is_secret(self.path)

    def is_allowed(self, settings: Settings) -> bool:
        """Tell whether the settings let Editcast read the document at all."""
        return not self._refusal(settings)

    def problem(self, settings: Settings) -> str:
        """Say in a sentence why the document's text cannot be used; else empty."""
        text = None if self.buffer is None else self.buffer.text
        return settings.problem(self.name, text)

    def reason_against(self, settings: Settings) -> str:
        """Say in a sentence why nothing is suggested in the document; else empty."""
        return self._refusal(settings) or self.problem(settings)

    def _refusal(self, settings: Settings) -> str:
        if self._excluded_by[0] != settings.exclude:  # globs take too long for every key
            is_excluded = self.path is not None and matches_any(self.path, settings.exclude)
            self._excluded_by = settings.exclude, is_excluded
        return settings.refusal(
            self.name, self.language, is_secret=self.is_secret, is_excluded=self._excluded_by[1]
        )

    # Changes

    def change(
        self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> str | None:
        """Follow the editor; returns what was wrong with its changes, if anything."""
        trouble = None
        is_whole = any(
            isinstance(change, types.TextDocumentContentChangeWholeDocument) for change in changes
        )
        if version < self.version:
            trouble = f"its version went back from {self.version} to {version}"
            if not is_whole:
                self.forget_text()
        self.version = version
        self._begin_revision()
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                self.replace(change.text)
            elif self.buffer is not None:
                try:
                    self._apply(change, self.buffer)
                except OutOfRangeError as error:
                    trouble = f"{error}"
                    self.forget_text()
        return trouble

    def replace(self, text: str) -> None:
        """Replace the whole text."""
        if self.buffer is not None and self.buffer.text == text:
            return
        before, self.buffer = self.buffer, Buffer(text, self._units)
        self._begin_revision()
        if before is not None:
            hunk = shortest_hunk(before.text, text)
            self._line_before = line_at(before.text, hunk.start)
            deleted = before.text.count("\n", hunk.start, hunk.end)
            self._follow(hunk, self.buffer, hunk.text.count("\n") + deleted)
        else:
            self.warned.clear()
            if self.track is None:
                self.opened = text, now_ms()

    def forget_text(self) -> None:
        """Forget the text, which is no longer known."""
        self.buffer = None
        self._begin_revision()
        self.suggestions = ()
        self.results.clear()
        self.past_texts.clear()
        self.rejections.forget_typed_lines()  # where its lines are is not known any more either
        self.end_suppression()

    def take_applied(self) -> list[Suggestion]:
        """Look at the whole text, once after a change.

        What was suggested goes away when the change was an undo.

        Returns:
            The suggestions from before the change that the user, or the editor, has now applied.
        """
        if self.buffer is None:
            return []
        text, had = self.buffer.text, {one.id: one for one in self._had}
        if self.track:
            self.track.text = text
        self._had = ()
        self._is_undone = self.past_texts.brings_back(text)
        if self._is_undone:
            self.forget_suggestions()
        found = self.results.find({id: one.results for id, one in had.items()}, text)
        return [had[id] for id in found]

    @property
    def is_suppressed(self) -> bool:
        """Tell whether a typing pause starts no prediction: after an undo or bulk changes."""
        return self._is_undone or self._recent.is_bulk

    @property
    def typing_left(self) -> float:
        """Return for how long the last change may be the beginning of a word, in seconds."""
        return max(0.0, self._typed_at + WORD_PAUSE - time.monotonic())

    def end_typing(self) -> None:
        """Take the last change as whole, since it was saved or came from a suggestion."""
        self._typed_at = -math.inf

    def end_suppression(self) -> None:
        """Let the next typing pause start a prediction in any case."""
        self._is_undone, self._cursor = False, None
        self.end_typing()
        self._recent.clear()

    @property
    def is_on_imports(self) -> bool:
        """Tell whether the last change was on an import line."""
        if self.buffer is None:
            return False
        line = line_at(self.buffer.text, self._changed.start)
        return any(is_import(one, self.language) for one in (self._line_before, line))

    def _begin_revision(self) -> None:
        self._had = self.suggestions
        self.cancel()
        self.forget_empty_answer()

    def _apply(self, change: types.TextDocumentContentChangePartial, buffer: Buffer) -> None:
        before, line = buffer.line_count, buffer.line(change.range.start.line)
        hunk = buffer.apply(change.range, change.text)
        self._line_before = line
        inserted = len(split_lines(hunk.text)) - 1
        deleted = max(0, before + inserted - buffer.line_count)
        self._follow(hunk, buffer, inserted + deleted)

    def _follow(self, change: Hunk, buffer: Buffer, line_ends: int) -> None:
        self._changed, self._cursor = change, cursor_after(change)
        self._typed_at = time.monotonic()
        self._recent.add(self._typed_at, change.size, line_ends)
        self.results.move(change)
        self.rejections.move(change)
        if self.suggestions:
            left = [one.typed(change, buffer.text) for one in self.suggestions]
            agrees = any(left) or any(
                is_one_of(one.results, buffer.text) for one in self.suggestions
            )
            for one in () if agrees else self.suggestions:
                # Who types past a continuation refuses it, and not those that come behind it.
                if one.source != CONTINUATION:
                    self.rejections.add_typed_lines(one.hunks, change, buffer.text)
            # What is left of a suggestion is not predicted again. One that nothing contradicts
            # stays until the next prediction.
            self._covered = AS_MANY_AS_THERE_ARE if any(left) else 0
            if not any(left):
                left = [one.moved(change, buffer.text) for one in self.suggestions]
            self.suggestions = tuple(one for one in left if one)

    # Suggestions

    def conditions(self, threshold: float) -> Conditions:
        """Return what a prediction for the text is judged by; the text must be known."""
        assert self.buffer is not None
        end = self._changed.start + len(self._changed.text)
        context = EditContext(
            self.buffer.text,
            self.language,
            texts=self.past_texts.hashes,
            on_imports=self.is_on_imports,
            typed=word_at(self.buffer.text, end) if self.typing_left else None,
            cursor=self._cursor,
        )
        held_back = (*self.rejections.fresh, *self.rejections.typed_lines)
        return Conditions(context, threshold, self.rejections.now(), held_back)

    def has(self, count: int) -> bool:
        """Tell whether the best `count` suggestions for the text as it is now are known."""
        return self._covered >= count

    @property
    def is_awaiting_word(self) -> bool:
        """Tell whether nothing is suggested but may be, once the word being typed is whole."""
        return self.word_pause is not None and not self.suggestions

    def is_under_way(self, count: int) -> bool:
        """Tell whether the best `count` suggestions are being predicted."""
        return self.job is not None and self.job.most >= count

    def set_answer(self, answer: Answer, suggestions: tuple[Suggestion, ...]) -> None:
        """Take the answer for the text as it is now."""
        self.job, self.answer = None, answer
        self.end_pause()
        self._covered = answer.job.most
        self.suggestions = suggestions
        self._notify_waiting()

    def drop(self, id: str) -> None:
        """Drop a suggestion."""
        self.suggestions = tuple(one for one in self.suggestions if one.id != id)

    def reject(self, suggestion: Suggestion) -> None:
        """Drop a suggestion, and any other on its lines as long as the text stays.

        A save may have come between showing it and this: then it has another id by now, or is
        about to be suggested again by what is under way, which ends here.
        """
        self.cancel()
        text = self.buffer.text if self.buffer else ""
        shown = next((one for one in self.suggestions if one.id == suggestion.id), suggestion)
        if not shown.is_for(text):
            self.rejections.add(suggestion, None)
            return
        self.rejections.add(shown, text)
        self.suggestions = tuple(
            one for one in self.suggestions if not is_beside(self.rejections.fresh, one.hunks, text)
        )

    def forget_suggestions(self) -> None:
        """Suggest nothing until something is predicted again."""
        self.cancel()
        self.suggestions = ()
        self._covered = 0

    def expire_answer(self) -> None:
        """Let whoever asks next have it predicted again; what is suggested stays until then."""
        self._covered = 0

    def forget_empty_answer(self) -> None:
        """Forget an answer that held no suggestion."""
        if not self.suggestions:
            self._covered = 0

    def close(self) -> None:
        """End the document, which the editor has closed."""
        self.is_open = False
        if self.track:
            self.track.is_open = False
        self.cancel()

    def cancel(self) -> None:
        """End what is under way for an older text."""
        self.end_pause()
        self.cancel_job()

    def end_pause(self) -> None:
        """Have no prediction follow a typing pause."""
        for timer in (self.pause, self.word_pause):
            if timer:
                timer.cancel()
        self.pause = self.word_pause = None

    def cancel_job(self) -> None:
        """End the prediction under way."""
        if self.job:
            self.job.cancelled = True
            self.job = None
            self._notify_waiting()

    async def wait_for_answer(self, seconds: float) -> None:
        """Wait until something became of the job under way, at most so long.

        When all who wait for a job have been cancelled, and it was made for them alone, it ends.
        """
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            done, _ = await asyncio.wait([future], timeout=seconds)
            if not done and self.job:
                self.job.is_for_requests = (
                    False  # whoever waited hears of it by `editcast/didPredict`
                )
        except asyncio.CancelledError:
            self._waiting = [one for one in self._waiting if one is not future]
            if self.job and self.job.is_for_requests and not self._waiting:
                self.cancel_job()
            raise

    def _notify_waiting(self) -> None:
        """Let those who wait look again."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()


def path_of(uri: str) -> Path | None:
    """Return the file that a URI names; None when it names something else."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
    except ValueError:  # no URI at all
        return None
    return Path(path) if path else None
