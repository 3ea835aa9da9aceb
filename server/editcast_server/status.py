"""The server's status: its state, with a sentence for the user."""

import asyncio
from collections.abc import Callable
from typing import Final

from editcast_server.lsp.protocol import StatusParams
from editcast_server.prediction.model_loader import Model
from editcast_server.settings import Settings

_THINKING_SHOWS_AFTER: Final = 0.15  # seconds
_ENDLESS: Final = 1e8  # seconds; a longer snooze has no end


class Activity:
    """The activity of a server; used on the event loop only.

    `send` is called with the status whenever it changes.
    """

    def __init__(self, send: Callable[[StatusParams], None], settings: Settings) -> None:
        self.model: Model | None = None  # until one is loaded
        self.training = ""  # the last message of one that runs
        self.settings = settings
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._last: StatusParams | None = None
        self._snooze: asyncio.TimerHandle | None = None
        self._thinking: asyncio.TimerHandle | None = None
        self._is_thinking = False

    @property
    def status(self) -> StatusParams:
        """Return the status of the most important activity."""
        name = self.model.forecaster.name if self.model else ""
        if not self.settings.enabled:
            return StatusParams("disabled", name, "Editcast is turned off (setting enabled).")
        if self._snooze:
            left = max(0.0, self._snooze.when() - self._loop.time())
            return StatusParams("snoozed", name, f"Editcast is snoozed {_duration(left)}.")
        if self.training:
            return StatusParams("training", name, self.training)
        if self._is_thinking or self.model is None:
            return StatusParams(
                "thinking", name, "Editcast predicts." if name else "Editcast starts."
            )
        where = f", which runs at {self.model.address}" if self.model.address else ""
        said = self.model.problem or f"Editcast predicts with {name}{where}."
        return StatusParams("ready" if self.model.path else "baseline", name, said)

    @property
    def is_snoozed(self) -> bool:
        """Tell whether nothing is to be suggested for a while."""
        return self._snooze is not None

    def snooze(self, seconds: float) -> None:
        """Suggest nothing for this many seconds; 0 ends the pause."""
        if self._snooze:
            self._snooze.cancel()
            self._snooze = None
        if seconds > 0:
            self._snooze = self._loop.call_later(seconds, self.snooze, 0)
        self.update()

    def begin_thinking(self) -> None:
        """Begin a prediction; the status shows it if it takes long."""
        if self._thinking is None:
            self._thinking = self._loop.call_later(_THINKING_SHOWS_AFTER, self._show_thinking)

    def end_thinking(self) -> None:
        """End the predictions in progress."""
        if self._thinking:
            self._thinking.cancel()
            self._thinking = None
        self._is_thinking = False
        self.update()

    def update(self) -> None:
        """Send the status if it has changed."""
        status = self.status
        if status != self._last:
            self._last = status
            self._send(status)

    def _show_thinking(self) -> None:
        self._is_thinking = True
        self.update()


def _duration(seconds: float) -> str:
    if seconds > _ENDLESS:
        return "until you end the snooze"
    return f"for {seconds:.0f} s" if seconds < 100 else f"for {seconds / 60:.0f} min"
