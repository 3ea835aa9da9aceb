"""In a real VS Code workbench: from a keystroke to the decoration, and what typing has to wait for.

Budgets: while 200 characters are typed at 20 a second, the extension host never pauses for longer
than 16 ms. The numbers go to `benchmarks/speed/editor.json` as well. What is not Editcast's is part
of all: the browser, VS Code, and the extensions that come with it; the peer in the same run is the
same typing without Editcast.

Run: python benchmarks/speed/editor.py, after `make vsix`; it needs Chromium, as the workbench tests
do.
"""

import json
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from statistics import quantiles

import pytest
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from code_server import HERE, CodeServer, chromium, packaged_extension, set_up  # noqa: E402
from typing_probe import PER_SECOND, SETTINGS, type_evenly  # noqa: E402
from vsix_files import pack  # noqa: E402
from workbench import Driver, Workbench, driving  # noqa: E402

OUT = Path(__file__).with_suffix(".json")
OLD, NEW = "fetch_rows", "load_records"
# Changing one line makes the next one the next edit.
NAMES = "users orders items taxes rates prices stores brands labels offers boxes routes parts tools"
SOURCE = "".join(f'{name} = storage.{OLD}(database, "{name}")\n' for name in NAMES.split())


def keystroke_to_decoration(workbench: Workbench) -> list[float | None]:
    """Milliseconds from the last key of each change to the frame that draws its next edit."""
    file = workbench.folder / "handlers.py"
    file.write_text(SOURCE)
    workbench.open(file)
    workbench.wait_until_ready()
    workbench.focus_editor()
    took = []
    for number, line in enumerate(SOURCE.splitlines(), 1):
        workbench.go_to(number, line.index(OLD) + 1)
        workbench.press(*["Shift+ArrowRight"] * len(OLD))
        took.append(workbench.time_to_ghost(NEW, delay=1000 / PER_SECOND))
    return took


def measured(drive: Driver, folder: Path, *extensions: Path) -> dict[str, object]:
    """Return what one workbench with these extensions shows."""
    server = CodeServer(folder / "server")
    for extension in extensions:
        server.install(extension)
    result = folder / "pauses.json"
    server.configure({**SETTINGS, "probe.result": str(result)})
    with server.running():
        (folder / "project").mkdir()
        window = Workbench(drive, server, folder / "project")
        file = window.folder / "typed.py"
        file.write_text(SOURCE)
        window.open(file)
        if len(extensions) > 1:
            window.wait_until_ready()
        pauses = type_evenly(window, file, result)
        found: dict[str, object] = {"pauses": asdict(pauses)}
        if len(extensions) > 1:
            took = keystroke_to_decoration(window)
            drawn = [one for one in took if one is not None]
            found |= {"changes": len(took), "drawn": len(drawn)}
            if len(drawn) > 1:
                cuts = quantiles(drawn, n=20, method="inclusive")
                found["keystroke_to_decoration"] = {"p50": cuts[9], "p95": cuts[18]}
        window.close()
        return found


def main() -> None:
    try:
        browser = chromium()
    except pytest.skip.Exception as reason:
        print(reason)
        return
    set_up()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        drive = stack.enter_context(driving(browser))
        probe = pack(HERE / "probe", folder / "probe.vsix")
        results = {
            "without Editcast": measured(drive, folder / "without", probe),
            "with Editcast": measured(drive, folder / "with", probe, packaged_extension()),
        }
    OUT.write_text(json.dumps(results, indent=1) + "\n")
    table = Table("milliseconds", "p50", "p95", "p99", "longest")
    for name, found in results.items():
        for what, numbers in found.items():
            if isinstance(numbers, dict):
                cells = [f"{value:.1f}" for value in numbers.values()]
                table.add_row(f"{what.replace('_', ' ')}, {name}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
