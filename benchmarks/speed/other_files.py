"""Time to find the other files that have to follow a renamed function.

    python benchmarks/speed/other_files.py [FILES]

A folder holds that many files of the interpreter's library and of what is installed beside it. Some
of them, one in fifty, import the function and call it twice. The first search reads and parses
them; the ones after it, as the engine makes them after each save, parse only what has changed.
"""

import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from editcast_model.forecasting.interface import never
from editcast_server.prediction.projects import Project, Projects
from editcast_server.settings import Settings

_FILES, _EVERY, _AGAIN = 2_000, 50, 5
_CALLS = "\n\ndef total(price):\n    return prices.tax(price) + prices.tax(price)\n"
_BEFORE = "def tax(price):\n    return price * 0.2\n"


def sources() -> Iterator[bytes]:
    """Yield the bytes of files that Python can read."""
    paths = sysconfig.get_paths()
    for root in (paths["stdlib"], paths["purelib"]):
        yield from (path.read_bytes() for path in sorted(Path(root).rglob("*.py")))


def write_folder(folder: Path, files: int) -> None:
    """Write the files, a hundred in a folder, and the module that some of them import."""
    (folder / "prices.py").write_text(_BEFORE)
    for number, content in enumerate(islice(sources(), files)):
        path = folder / f"part{number // 100}" / f"file{number}.py"
        path.parent.mkdir(exist_ok=True)
        uses = number % _EVERY == 0
        path.write_bytes(b"import prices\n" + content + _CALLS.encode() if uses else content)


def read_project(folder: Path) -> Project:
    """Have the folder read, as the server does when it is opened."""
    projects = Projects()
    projects.is_trusted = True
    projects.set_folders([folder.as_uri()])
    projects.read(folder.as_uri(), Settings())
    for thread in threading.enumerate():
        if thread.name == "folder reader":
            thread.join()
    return projects.of(folder.as_uri())


def main() -> None:
    """Measure, and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else _FILES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_folder(folder, count)
        began = time.perf_counter()
        project = read_project(folder)
        print(f"{count} files read in the background in {time.perf_counter() - began:.1f} s")
        file = f"{folder.as_uri()}/prices.py"
        project.add(file, _BEFORE, _BEFORE.replace("tax", "sales_tax"), "python")
        seconds = []
        for _ in range(1 + _AGAIN):
            began = time.perf_counter()
            found = project.other_files(file, never)
            seconds.append(time.perf_counter() - began)
        places = sum(len(one.hunks) for one in found)
        print(f"{places} places in {len(found)} other files")
        again = sorted(seconds[1:])[_AGAIN // 2]
        print(f"found in {1e3 * seconds[0]:.0f} ms, again in {1e3 * again:.0f} ms")


if __name__ == "__main__":
    main()
