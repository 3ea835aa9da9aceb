"""Settings of Hypothesis, shared fixtures, and a line on the tests that could not run."""

import os
import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from editcast_model.edits import START, Edit, Timeline

# Tests wait for conditions, never for times: a busy machine draws an example in seconds.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

_APT = "apt-get install --no-install-recommends"
#: The reason of a test that is skipped because a program is missing: `no NAME: apt-get ...`.
_MISSING = re.compile(rf"no (?P<name>[^:]+): {_APT} (?P<packages>[\w. +-]+)")

#: Files of few tests that take minutes, the longest first.
_LONG = """
test_kills test_train_command test_streaming test_cluster_training test_network test_cluster
test_full_disk test_private_output
""".split()

#: (state, edits) of a number of state tokens, edits, and entries of the vocabulary, from a seed.
Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

#: The folder of a name, and what fills it if it is not there yet.
MadeOnce = Callable[[str, Callable[[Path], object]], Path]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: one that came last would keep the other processes waiting."""
    places = {name: place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Run torch with one thread: the order of sums, and so the last bits, depends on it."""
    import torch  # most tests need none

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Make a folder that all processes of a run read, and none changes, in the first to ask."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # of all processes of this run

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, complete = place / name, place / f"{name}.complete"
        with FileLock(place / f"{name}.lock"):
            if not complete.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of one that failed
                folder.mkdir(mode=0o700)
                make(folder)
                complete.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def draw() -> Draw:
    """Random instances: replacements of 0 to 2 tokens by 0 to 3, with a save after each."""

    def instance(size: int, steps: int, vocabulary: int, seed: int) -> tuple[list[int], list[Edit]]:
        choose = random.Random(seed)
        timeline = Timeline([START, *(choose.randrange(4, vocabulary) for _ in range(size - 1))])
        while len(timeline) < steps:
            here = len(timeline.order())
            start = choose.randint(1, here)
            end = min(here, start + choose.randint(0, 2))
            new = [choose.randrange(4, vocabulary) for _ in range(choose.randint(0, 3))]
            timeline.replace(start, end, new)
            if choose.random() < 0.7:
                timeline.save()
        return list(timeline.initial), timeline.edits[:steps]

    return instance


def not_run(reasons: Iterable[str]) -> str:
    """Return a sentence on what tests were skipped for, empty when none was."""
    names: dict[str, int] = {}
    packages: dict[str, None] = {}
    for reason in reasons:
        found = _MISSING.search(reason)
        name = f"no {found['name']}" if found else reason.removeprefix("Skipped: ")
        names[name] = names.get(name, 0) + 1
        if found:
            packages |= dict.fromkeys(found["packages"].split())
    if not names:
        return ""
    said = f"{sum(names.values())} tests were not run ({', '.join(names)})."
    return f"{said} What is missing: {_APT} {' '.join(packages)}" if packages else said


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the line, and leave it where `make test` prints it after all tests."""
    skipped = terminalreporter.getreports("skipped")
    line = not_run(one.longrepr[2] for one in skipped if isinstance(one.longrepr, tuple))
    if line:
        terminalreporter.write_line(line, yellow=True)
    if place := os.environ.get("EDITCAST_NOT_RUN"):
        Path(place).write_text(f"{line}\n" if line else "")
