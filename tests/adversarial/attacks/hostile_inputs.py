"""Hostile models, repositories, Local Histories, saves, stores and settings, at random.

Each is made by a round of its own, given to a process under watch (see `jail`) and thrown away.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from attacks import hostile_bundles, hostile_sources
from attacks.figures import Figures, Finding, Limit
from attacks.jail import Jail

#: What is given, in what share: makes it in a folder; returns it and what was done to it.
MAKERS: dict[str, tuple[int, Callable[[Path, Path, Random], tuple[Any, Any]]]] = {
    "bundle": (3, hostile_bundles.make),
    "git": (4, hostile_sources.git),
    "local_history": (5, hostile_sources.local_history),
    "saves": (5, hostile_sources.saves),
    "store": (3, hostile_sources.store),
    "settings": (10, hostile_sources.settings),
}


def attack(limit: Limit, seed: int, *, kept: Path | None = None, only: str = "") -> Figures:
    """Give hostile inputs to Editcast.

    Args:
        limit: How many.
        seed: Where the randomness comes from.
        kept: Where inputs that did harm are copied to.
        only: One kind of input instead of all.
    """
    figures = Figures()
    kinds = [only] if only else list(MAKERS)
    weights = [MAKERS[kind][0] for kind in kinds]
    with tempfile.TemporaryDirectory() as folder, Jail(Path(folder)) as jail:
        if not jail.is_watched:
            figures.note("strace cannot be used here: what native code opens is not seen.")
        for number, draw in limit.each(figures, seed):
            (kind,) = draw.choices(kinds, weights)
            place = jail.inside / str(number)
            given, done = MAKERS[kind][1](place, jail.outside, draw)
            end, trouble = jail.give(kind, given)
            figures.tried["bad inputs"] += 1
            figures.tried[f"{kind}: {end}"] += 1
            if trouble:
                figures.findings.append(Finding(f"{kind}: {trouble}", seed, number, done))
                if kept and place.exists():
                    _keep(place, kept / f"{kind}-{seed}-{number}")
            shutil.rmtree(place, ignore_errors=True)
    return figures


def _keep(place: Path, copy: Path) -> None:
    """Copy what can be copied: pipes and links are in what is said of the finding."""

    def without_pipes(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if (Path(folder) / name).is_fifo()]

    shutil.copytree(place, copy, symlinks=True, ignore=without_pipes, dirs_exist_ok=True)
