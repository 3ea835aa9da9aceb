"""Reasons for a training to pause: the machine runs on battery, or other programs need it.

On a machine that is always busy a training takes turns with other programs, so that it still ends.
Linux reports both in files. On macOS and Windows only the battery is checked: their schedulers give
a low-priority training the time that other programs leave.
"""

import ctypes
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Shares of processor time used by other programs: a pause begins above the first, and ends below
#: the second.
BUSY, QUIET = 0.4, 0.2
_BATTERY: Final = "the machine runs on battery"
_EVERY: Final = 10.0  # seconds
_TURN: Final = 60.0  # seconds of a pause at most, and of the training after it at least
_TICKS: Final = 100.0  # per second, in Linux's files
_SUPPLIES, _TIMES = Path("/sys/class/power_supply"), Path("/proc/stat")


class Pauses:
    """The state of the machine, which a training checks before each step.

    Args:
        supplies: Linux's folder of power supplies.
        times: Linux's file of processor times.
        every: Seconds between two checks.
        turn: Seconds of a pause for other programs at most, and until the next pause at least.
    """

    def __init__(
        self,
        supplies: Path = _SUPPLIES,
        times: Path = _TIMES,
        every: float = _EVERY,
        turn: float = _TURN,
    ) -> None:
        self._supplies, self._times = supplies, times
        self._every, self._turn = every, turn
        self._turn_ends = time.monotonic()
        self._reason = ""
        self._asked = time.monotonic()
        self._before = self._processors()

    def reason(self) -> str:
        """Return the reason for a pause, as the rest of a sentence; empty if there is none."""
        if time.monotonic() - self._asked >= self._every:
            self._asked = time.monotonic()
            self._reason = _BATTERY * self._is_on_battery() or self._in_turn(self._load())
        return self._reason

    def _in_turn(self, load: str) -> str:
        """Return the reason to wait for other programs, unless it is the training's turn."""
        now = time.monotonic()
        if load and load != self._reason and now >= self._turn_ends:
            self._turn_ends = now + self._turn  # of the others
        elif load and self._reason and now >= self._turn_ends:
            self._turn_ends = now + self._turn
            return ""
        elif load and not self._reason:
            return ""
        return load

    def _is_on_battery(self) -> bool:
        if sys.platform == "win32":
            return _is_windows_on_battery()
        if sys.platform == "darwin":
            return _is_mac_on_battery()
        supplies = sorted(self._supplies.glob("*"))
        if any(_read(one / "online") == "1" for one in supplies):
            return False
        # The battery of a mouse has the scope Device.
        return any(
            (_read(one / "type"), _read(one / "status")) == ("Battery", "Discharging")
            and _read(one / "scope") != "Device"
            for one in supplies
        )

    def _load(self) -> str:
        (busy, whole, own), self._before = self._before, self._processors()
        now_busy, now_whole, now_own = self._before
        if now_whole <= whole:
            return ""
        others = (now_busy - busy - (now_own - own)) / (now_whole - whole)
        if others > BUSY or (self._reason and others > QUIET):
            return "other programs need the processors"
        return ""

    def _processors(self) -> tuple[float, float, float]:
        """Read processor seconds: busy, but for programs of low priority, total, and our own."""
        found = re.match(r"cpu +(.*)", _read(self._times))
        own = time.process_time()
        if found is None:
            return 0.0, 0.0, own
        user, nice, system, idle, wait, *others = map(float, found[1].split()[:8])
        busy = user + system + sum(others)
        return busy / _TICKS, (busy + nice + idle + wait) / _TICKS, own


def _read(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text("utf-8").strip()
    return ""


def _is_mac_on_battery() -> bool:
    command = ["/usr/bin/pmset", "-g", "batt"]
    with suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(command, capture_output=True, text=True, timeout=10).stdout
        return "'Battery Power'" in said
    return False


def _is_windows_on_battery() -> bool:
    if sys.platform != "win32":
        return False
    status = ctypes.create_string_buffer(12)  # SYSTEM_POWER_STATUS; begins with 0 on battery
    is_known = ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status))
    return bool(is_known) and status.raw[0] == 0
