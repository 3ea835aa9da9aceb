"""Reasons to wait, on folders as Linux has them."""

import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from editcast_training.fit.pauses import Pauses

BATTERY = "the machine runs on battery"
BUSY = "other programs need the processors"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such folders")


def supply(folder: Path, name: str, **files: str) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / name / file).write_text(f"{text}\n")


def times(file: Path, *, busy: float, idle: float) -> None:
    """Write processor times of so many seconds."""
    busy, idle = int(100 * busy), int(100 * idle)
    file.write_text(f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 {busy} 0 0 {idle} 0 0 0 0 0 0\n")


def test_on_battery_until_the_plug_is_in(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", scope="System")
    supply(tmp_path, "AC", type="Mains", online="0")
    pauses = Pauses(tmp_path, tmp_path / "none", every=0)
    assert pauses.reason() == BATTERY
    supply(tmp_path, "AC", online="1")
    assert pauses.reason() == ""


def test_no_battery_and_that_of_a_mouse_are_no_reason(tmp_path: Path) -> None:
    assert Pauses(tmp_path / "none", tmp_path / "none", every=0).reason() == ""
    supply(tmp_path, "hidpp_0", type="Battery", status="Discharging", scope="Device")
    assert Pauses(tmp_path, tmp_path / "none", every=0).reason() == ""


def test_others_at_work_until_they_have_almost_ended(tmp_path: Path) -> None:
    file, own = tmp_path / "stat", time.process_time()
    times(file, busy=1000, idle=1000)
    pauses = Pauses(tmp_path / "none", file, every=0)
    times(file, busy=1030, idle=1070)
    assert pauses.reason() == ""
    times(file, busy=1080, idle=1120)
    assert pauses.reason() == BUSY
    times(file, busy=1110, idle=1190)  # 30 of 100: not enough to begin again
    assert pauses.reason() == BUSY
    times(file, busy=1120, idle=1280)
    assert pauses.reason() == ""
    assert time.process_time() - own < 5  # of so little nothing above depends


def test_where_others_are_always_at_work_it_takes_turns(tmp_path: Path) -> None:
    file = tmp_path / "stat"
    times(file, busy=0, idle=0)
    pauses = Pauses(tmp_path / "none", file, every=0, turn=0.2)
    reasons = [""]
    for second in range(1, 200):
        times(file, busy=second, idle=0)
        reasons.append(pauses.reason())
        if reasons[-1] != reasons[-2] and len(changes := _changes(reasons)) >= 4:
            assert changes == [BUSY, "", BUSY, ""]
            return
        time.sleep(0.01)
    raise AssertionError(_changes(reasons))


def _changes(reasons: list[str]) -> list[str]:
    return [now for before, now in pairwise(reasons) if now != before]


def test_what_it_takes_itself_is_no_reason(tmp_path: Path) -> None:
    file = tmp_path / "stat"
    times(file, busy=0, idle=0)
    pauses, began = Pauses(tmp_path / "none", file, every=0), time.process_time()
    while time.process_time() < began + 0.5:
        sum(range(10_000))
    times(file, busy=0.5, idle=0.1)
    assert pauses.reason() == ""


def test_an_answer_holds_for_a_while(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging")
    assert Pauses(tmp_path, tmp_path / "none", every=3600).reason() == ""
