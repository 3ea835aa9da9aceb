"""An open document: its text, its version and its suggestions.

A document is used on the event loop only. Its slow part, the session on its saved texts, is its
`Track`, which the engine's thread uses.
"""

import asyncio
import math
import time
from collections.abc import Sequence

from lsprotocol import types

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.filters import (
    EditContext,
    cursor_after,
    line_at,
    word_at,
)
from editcast_model.forecasting.import_lines import is_import
from editcast_model.forecasting.line_spans import is_beside
from editcast_server.documents.buffer import (
    Buffer,
    OutOfRangeError,
    PastTexts,
    RecentChanges,
    Units,
    split_lines,
)
from editcast_server.documents.globs import matches_any
from editcast_server.documents.suggestion import AppliedEdits, Rejections, Suggestion
from editcast_server.prediction.engine import Answer, Conditions, Job, Thresholds
from editcast_server.prediction.projects import Track, path_of
from editcast_server.settings import Settings
from editcast_store.secrets import is_secret

AS_MANY_AS_THERE_ARE = 1 << 30
#: Seconds after a key press until the word at the cursor counts as complete.
WORD_PAUSE = 0.4


class Document:
    """A document that the editor has open.

    Attributes:
        buffer: The text; None while it is unknown, because it is too long or the editor's changes
            made no sense. The next whole text replaces it.
    """

    def __init__(
        self, uri: str, language: str, version: int, text: str | None, units: Units
    ) -> None:
        self.uri = uri
        self.language = language
        self.path = path_of(uri)  # None of an unsaved document, or of a notebook's cell
        self.check_path()
        self.version = version
        self.buffer = None if text is None else Buffer(text, units)
        self.folder: str | None = None  # the open folder that contains the document
        self.track: Track | None = None  # None until the first prediction
        self.opened = text  # until a save replaces it
        self.rejections = Rejections()
        self.results = AppliedEdits()
        self.past_texts = PastTexts()
        self.suggestions: tuple[Suggestion, ...] = ()  # for the current text, best first
        self.answer: Answer | None = None  # that they come from
        self.warned: set[str] = set()  # what the user was told about this document
        self.is_open = True
        self.job: Job | None = None
        self.pause: asyncio.TimerHandle | None = None
        self.word_pause: asyncio.TimerHandle | None = None
        self._units = units
        self._excluded_by: tuple[tuple[str, ...], bool] = (), False  # globs, whether one matches
        self._covered = 0
        self._had: tuple[Suggestion, ...] = ()
        self._recent = RecentChanges()
        self._is_undone = False
        self._typed_at = -math.inf  # of the monotonic clock
        self._changed = Hunk(0, 0, "")
        self._cursor: int | None = None
        self._line_before = ""
        self._job_ended = asyncio.Event()
        self._waiting = 0  # requests that wait for it
        if text is not None:
            self.past_texts.brings_back(text)

    @property
    def name(self) -> str:
        """Return the name of the document for messages to the user."""
        return self.path.name if self.path else self.uri.rsplit("/", 1)[-1]

    def check_path(self) -> None:
        """Check whether the file is a secret, which reads links from the disk."""
        self.is_secret = self.path is not None and is_secret(self.path)

    def refusal(self, settings: Settings) -> str:
        """Return a sentence that says why Editcast may not read the document; empty if it may."""
        if self._excluded_by[0] != settings.exclude:  # matching is too slow for every key press
            is_excluded = self.path is not None and matches_any(self.path, settings.exclude)
            self._excluded_by = settings.exclude, is_excluded
        if not settings.enabled:
            return "Editcast is turned off (setting enabled)."
        if not settings.serves(self.language):
            return f"Editcast is turned off for {self.language} (setting languages)."
        if self.is_secret:
            return f"Files like {self.name} usually hold secrets; Editcast ignores them."
        return f"Editcast ignores {self.name} (setting exclude)." if self._excluded_by[1] else ""

    def problem(self, settings: Settings) -> str:
        """Return a sentence that says why the text cannot be used; empty if it can."""
        if self.buffer is None:
            return f"{self.name} is too long (setting maxFileBytes), or must be saved first."
        if "\0" in self.buffer.text:
            return f"{self.name} contains NUL bytes, so it is not text; Editcast ignores it."
        return self.too_long(settings) if settings.is_too_long(self.buffer.text) else ""

    def too_long(self, settings: Settings) -> str:
        """Return a sentence that says that the document is too long."""
        return (
            f"{self.name} is longer than {settings.max_file_bytes:,} bytes; Editcast ignores it "
            "(setting maxFileBytes)."
        )

    # Changes

    def change(
        self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> str | None:
        """Apply the editor's changes; return what was wrong with them, if anything."""
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
                self.opened = text

    def forget_text(self) -> None:
        """Forget the text, because it is no longer known."""
        self.buffer = None
        self._begin_revision()
        self.suggestions = ()
        self.results.clear()
        self.past_texts.clear()
        self.rejections.typed_lines = ()  # their places are no longer known either
        self.end_suppression()

    def take_applied(self) -> list[Suggestion]:
        """Find the suggestions that a change has applied; call this once after each change.

        If the change was an undo, all suggestions are dropped.

        Returns:
            The earlier suggestions that the user, or the editor, has now applied.
        """
        if self.buffer is None:
            return []
        text, had = self.buffer.text, self._had
        if self.track:
            self.track.text = text
        self._had = ()
        self._is_undone = self.past_texts.brings_back(text)
        if self._is_undone:
            self.forget_suggestions()
        return self.results.find(had, text)

    @property
    def is_suppressed(self) -> bool:
        """Tell whether typing pauses start no predictions, after an undo or bulk changes."""
        return self._is_undone or self._recent.is_bulk

    @property
    def typing_left(self) -> float:
        """Return the seconds until the word being typed counts as complete."""
        return max(0.0, self._typed_at + WORD_PAUSE - time.monotonic())

    def end_typing(self) -> None:
        """Treat the last word as complete, since it was saved or came from a suggestion."""
        self._typed_at = -math.inf

    def end_suppression(self) -> None:
        """Let the next typing pause start a prediction again."""
        self._is_undone, self._cursor = False, None
        self.end_typing()
        self._recent.clear()

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
            agrees = any(left) or any(one.applied_in(buffer.text) for one in self.suggestions)
            for one in () if agrees else self.suggestions:
                # Typing past a continuation rejects it, but not the ones that follow it.
                if one.source != CONTINUATION:
                    self.rejections.add_typed_lines(one.hunk, change, buffer.text)
            # A partly typed suggestion is not predicted again, unless its rest may be there. One
            # that nothing contradicts stays until the next prediction.
            is_sure = any(left) and not any(one.may_be_there(buffer.text) for one in left if one)
            self._covered = AS_MANY_AS_THERE_ARE if is_sure else 0
            if not any(left):
                left = [one.moved(change, buffer.text) for one in self.suggestions]
            self.suggestions = tuple(one for one in left if one)

    # Suggestions

    def conditions(self, thresholds: Thresholds) -> Conditions:
        """Return the conditions of a prediction for the current text, which must be known."""
        assert self.buffer is not None
        changed = self._line_before, line_at(self.buffer.text, self._changed.start)
        end = self._changed.start + len(self._changed.text)
        context = EditContext(
            self.buffer.text,
            self.language,
            texts=self.past_texts.hashes,
            on_imports=any(is_import(line, self.language) for line in changed),
            typed=word_at(self.buffer.text, end) if self.typing_left else None,
            cursor=self._cursor,
        )
        return Conditions(context, thresholds, self.rejections.now(), self.rejections.lines)

    def has(self, count: int) -> bool:
        """Tell whether the best `count` suggestions for the current text are known."""
        return self._covered >= count

    @property
    def is_awaiting_word(self) -> bool:
        """Tell whether there may be suggestions once the word being typed is complete."""
        return self.word_pause is not None and not self.suggestions

    def set_answer(self, answer: Answer, suggestions: tuple[Suggestion, ...]) -> None:
        """Set the answer for the current text."""
        self.job, self.answer = None, answer
        self.end_pause()
        self._covered = answer.job.most
        self.suggestions = suggestions
        self._notify_waiting()

    def reject(self, suggestion: Suggestion) -> None:
        """Drop a suggestion, and all others on its lines until the text changes.

        A save may have come between showing the suggestion and rejecting it. Then it may have
        another id, or the prediction in progress may suggest it again, so that prediction ends.
        """
        self.cancel()
        text = self.buffer.text if self.buffer else ""
        shown = next((one for one in self.suggestions if one.id == suggestion.id), suggestion)
        if not shown.is_for(text):
            self.rejections.add(suggestion, None)
            return
        self.rejections.add(shown, text)
        self.suggestions = tuple(
            one for one in self.suggestions if not is_beside(self.rejections.fresh, one.hunk, text)
        )

    def forget_suggestions(self) -> None:
        """Drop all suggestions until the next prediction."""
        self.cancel()
        self.suggestions = ()
        self._covered = 0

    def expire_answer(self) -> None:
        """Let the next request predict again; the suggestions stay until then."""
        self._covered = 0

    def forget_empty_answer(self) -> None:
        """Forget an answer without suggestions."""
        if not self.suggestions:
            self._covered = 0

    def close(self) -> None:
        """Mark the document as closed by the editor."""
        self.is_open = False
        self.leave_project()
        self.cancel()

    def leave_project(self) -> None:
        """Forget the saved texts; no other file learns of the document any more."""
        if self.track:
            self.track.is_open = False
        self.track = self.answer = None

    def cancel(self) -> None:
        """Cancel the pause and the prediction for an older text."""
        self.end_pause()
        self.cancel_job()

    def end_pause(self) -> None:
        """Cancel the predictions that would follow a typing pause."""
        for timer in (self.pause, self.word_pause):
            if timer:
                timer.cancel()
        self.pause = self.word_pause = None

    def cancel_job(self) -> None:
        """Cancel the prediction in progress."""
        if self.job:
            self.job.cancelled = True
            self.job = None
            self._notify_waiting()

    async def wait_for_answer(self, seconds: float) -> None:
        """Wait until the job in progress has ended, at most this many seconds.

        When all requests that wait for a job have been cancelled, and no one else needs its
        answer, the job is cancelled too.
        """
        self._waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._job_ended.wait()
        except TimeoutError:
            if self.job:
                self.job.is_for_requests = False  # `editcast/didPredict` brings the answer
        except asyncio.CancelledError:
            if self.job and self.job.is_for_requests and self._waiting == 1:
                self.cancel_job()
            raise
        finally:
            self._waiting -= 1

    def _notify_waiting(self) -> None:
        """Wake up the requests that wait for an answer."""
        self._job_ended.set()
        self._job_ended = asyncio.Event()
