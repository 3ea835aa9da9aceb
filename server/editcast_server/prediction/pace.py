"""How soon and how readily something is suggested, as the user's decisions have it."""

from collections import deque
from typing import Final

_LONGEST_MS: Final = 3000.0
_LAST: Final = 30  # decisions
_PRIOR: Final = 10.0  # decisions that go as the confidence says, imagined before the first one
_LEAST, _MOST = 0.6, 1.2
#: No threshold is raised above this: who is shown nothing at all can decide nothing any more.
_STILL_SHOWN: Final = 0.95


class Debounce:
    """How long typing must pause: longer after a rejection, shorter after an accept.

    Args:
        setting_ms: The user's setting, where it starts, in milliseconds.
    """

    def __init__(self, setting_ms: float) -> None:
        self._low = setting_ms * 2 / 3
        self._high = max(setting_ms, _LONGEST_MS)
        self.milliseconds = float(setting_ms)

    def accepted(self) -> None:
        """The user took a suggestion."""
        self.milliseconds = max(self._low, self.milliseconds * 0.8)

    def rejected(self) -> None:
        """The user did not want a suggestion."""
        self.milliseconds = min(self._high, self.milliseconds * 1.5)


class Decisions:
    """The user's last decisions, of all documents, held against what confidence promised."""

    def __init__(self) -> None:
        self._last: deque[tuple[bool, float]] = deque(maxlen=_LAST)

    def add(self, is_accepted: bool, confidence: float) -> None:
        """The user decided on a suggestion that had this confidence."""
        self._last.append((is_accepted, confidence))

    @property
    def ratio(self) -> float:
        """How many were accepted for one that the confidences promised; 0.6 to 1.2."""
        accepted = sum(is_accepted for is_accepted, _ in self._last)
        promised = sum(confidence for _, confidence in self._last)
        return min(_MOST, max(_LEAST, (accepted + _PRIOR) / (promised + _PRIOR)))

    def threshold(self, wanted: float) -> float:
        """The least confidence to show, for the precision that the user wants (0 to 1).

        It is `wanted` for those who accept as often as the confidence says.
        """
        return min(wanted / self.ratio, max(wanted, _STILL_SHOWN))
