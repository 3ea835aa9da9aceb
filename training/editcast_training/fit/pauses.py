"""Reasons for a training to wait: the machine runs on battery, or others need its processors.

On a machine that is always busy a training takes turns with the others, so that it comes to an end.
Linux tells both in files. macOS and Windows tell of the battery; what other programs need is not
asked there, where the system gives a training what they leave.
"""

import ctypes
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Shares of all processor time that other programs take: more begins a pause, less ends it.
BUSY, QUIET = 0.4, 0.2
_EVERY: Final = 10.0  # seconds
_TURN: Final = 60.0  # seconds that it waits for others, and then goes on, at most and at least
_TICKS: Final = 100.0  # a second, in what Linux tells programs
_SUPPLIES, _TIMES = Path("/sys/class/power_supply"), Path("/proc/stat")


class Pauses:
    """A machine that a training asks, before each step, whether it may go on.

    Args:
        supplies: The folder of the power supplies, one folder each, as Linux has it.
        times: The file of processor times, as Linux has it.
        every: Seconds that an answer holds.
        turn: Seconds that it waits for others at most, and does not wait for them after that.
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
        """Say why to wait, as the rest of a sentence; empty to go on."""
        if time.monotonic() - self._asked >= self._every:
            self._asked = time.monotonic()
            self._reason = self._power() or self._in_turn(self._load())
        return self._reason

    def _in_turn(self, load: str) -> str:
        """Return the reason to wait for others, or none while it is the training's own turn."""
        now = time.monotonic()
        if load and load != self._reason and now >= self._turn_ends:
            self._turn_ends = now + self._turn  # of the others
        elif load and self._reason and now >= self._turn_ends:
            self._turn_ends = now + self._turn
            return ""
        elif load and not self._reason:
            return ""
        return load

    def _power(self) -> str:
        return "the machine runs on battery" if self._is_on_battery() else ""

    def _is_on_battery(self) -> bool:
        if sys.platform == "win32":
            return _is_windows_on_battery()
        if sys.platform == "darwin":
            return _is_mac_on_battery()
        supplies = sorted(self._supplies.glob("*"))
        if any(_read(one / "online") == "1" for one in supplies):
            return False
        # A mouse has a battery, too, whose scope is the device.
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
        """Read seconds of processor time: what was busy, all there was, and this process's own.

        What runs at a lower priority than usual is not counted as busy.
        """
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
