"""Makes the pictures of a real VS Code with suggestions in it: `docs/*-dark.png`.

With a folder it makes those of every state in three themes and two sizes of the font, with the
minimap, to be looked at.

Run: python docs/workbench.py [FOLDER], after `make vsix`; it needs Chromium, as the workbench tests
do.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "e2e"))

from code_server import CodeServer, chromium, packaged_extension, set_up  # noqa: E402
from workbench import Workbench, driving  # noqa: E402

THEME = "Default Dark Modern"
THEMES = {
    "dark": THEME,
    "light": "Default Light Modern",
    "contrast": "Default High Contrast",
}
SIZES = (12, 20)
BARE = {
    "breadcrumbs.enabled": False,
    "editor.fontSize": 15,
    "editor.lightbulb.enabled": "off",
    "workbench.activityBar.location": "hidden",
    "workbench.editor.showTabs": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
}
FAR = 60
REPORT = f"""\
def totals(database, day):
    users = fetch_rows(database, "users", day)
    orders = fetch_rows(database, "orders", day)
    taxes = fetch_rows(database, "taxes", day)
    return users, orders, taxes
{chr(10) * FAR}

def rates(database, day):
    return fetch_rows(database, "rates", day)
"""
CHECKS = "".join(
    f"def {name}(request):\n    user = request.user\n    return pages.{name}(user)\n\n\n"
    for name in ("index", "profile", "orders")
)
OLD, NEW = "fetch_rows", "load_records"
AREA = """\
def area(width, height):
    size = width * height
    if width > 3:
        return size + width
    return size
"""
PRICES = "def tax(amount):\n    return amount * 0.2\n"
BILL = "from prices import tax\n\nTOTAL = 1 + tax(1)\n"


def change(window: Workbench, file: Path, line: int, column: int, old: str, new: str) -> None:
    """Write over `old`, which stands at a position counted from 1, and save."""
    before = file.read_text()
    window.go_to(line, column)
    window.press(*["Shift+ArrowRight"] * len(old))
    for part in new.split("\n"):
        window.type(part)
        if part != new.split("\n")[-1]:
            window.press("Enter")
    window.press("Control+s")
    window.wait("the file", lambda: file.read_text() != before)


def open_file(window: Workbench, name: str, text: str) -> Path:
    """Open a window on a new file, without the side bar."""
    file = window.start(text, name)
    window.press("Control+b")
    window.focus_editor()
    return file


def baseline_states(window: Workbench) -> Iterator[tuple[str, int]]:
    """Reach a replacement, an edit that is far away, and new lines; yields names and heights."""
    file = open_file(window, "report.py", REPORT)
    for line in (2, 3):
        change(window, file, line, REPORT.split("\n")[line - 1].index(OLD) + 1, OLD, NEW)
    window.wait("a replacement", lambda: window.struck() == [OLD])
    yield "replacement", 170
    window.press("Tab")
    window.wait("a hint", lambda: any("line 69" in ghost for ghost in window.ghosts()))
    yield "far", 170
    file = open_file(window, "views.py", CHECKS)
    for line in (1, 8):
        end = len(file.read_text().split("\n")[line - 1]) + 1
        change(window, file, line, end, "", "\nif not request.user:\nreturn login()")
    window.wait("a block", lambda: any("│" in ghost for ghost in window.ghosts()))
    yield "lines", 380


def model_states(window: Workbench) -> Iterator[tuple[str, int]]:
    """Reach an edit of several places, the end of a chain, and a file that has to follow."""
    file = open_file(window, "area.py", AREA)
    change(window, file, 1, 10, "width", "breadth")
    window.wait("all places", lambda: any("all 3 places" in ghost for ghost in window.ghosts()))
    yield "everywhere", 170
    (window.folder / "bill.py").write_text(BILL)
    file = open_file(window, "prices.py", PRICES)
    change(window, file, 1, 5, "tax", "sales_tax")
    window.wait("the next file", lambda: any("bill.py" in ghost for ghost in window.ghosts()))
    yield "other-file", 110


STATES = {"repeat-best": baseline_states, "": model_states}


@contextmanager
def a_window(model: str, settings: dict[str, object]) -> Iterator[Workbench]:
    """Open a window of a server with a model."""
    with tempfile.TemporaryDirectory() as folder, driving(chromium()) as drive:
        server = CodeServer(Path(folder) / "server", model=model)
        server.install(packaged_extension())
        with server.running():
            server.configure(settings)
            place = Path(folder) / "window"
            place.mkdir()
            window = Workbench(drive, server, place)
            yield window
            window.close()


def documented() -> None:
    """Make the pictures of the documents."""
    for model, states in STATES.items():
        with a_window(model, {**BARE, "workbench.colorTheme": THEME}) as window:
            for name, height in states(window):
                window.screenshot(DOCS / f"{name}-dark.png", (0, 36, 960, height))
                print(f"wrote {name}-dark.png", flush=True)


def in_all_themes(out: Path) -> None:
    """Make the pictures of every state in all themes and sizes, with the minimap."""
    out.mkdir(parents=True, exist_ok=True)
    for (theme, title), size in product(THEMES.items(), SIZES):
        settings: dict[str, object] = {"workbench.colorTheme": title, "editor.fontSize": size}
        for model, states in STATES.items():
            with a_window(model, {**settings, "editor.minimap.enabled": True}) as window:
                for name, _ in states(window):
                    window.screenshot(out / f"{name}-{theme}-{size}.png")
                    print(f"wrote {name}-{theme}-{size}.png", flush=True)


def main() -> None:
    """Make all pictures."""
    set_up()
    if sys.argv[1:]:
        in_all_themes(Path(sys.argv[1]))
    else:
        documented()


if __name__ == "__main__":
    main()
