"""Makes the pictures of a real VS Code with suggestions in it: `docs/*-dark.png`.

Run: python docs/workbench.py, after `make vsix`; it needs Chromium, as the workbench tests do.
"""

import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "e2e"))

from code_server import CodeServer, chromium, packaged_extension, set_up  # noqa: E402
from workbench import Workbench, driving  # noqa: E402

THEME = "Default Dark Modern"
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


def take(window: Workbench, name: str, height: int) -> None:
    """Keep a picture of the upper part of the editor."""
    window.screenshot(DOCS / f"{name}.png", (0, 36, 960, height))
    print(f"wrote {name}.png")


def pictures(window: Workbench) -> None:
    """Take pictures of a replacement, an edit that is far away, and new lines."""
    file = open_file(window, "report.py", REPORT)
    for line in (2, 3):
        change(window, file, line, REPORT.split("\n")[line - 1].index(OLD) + 1, OLD, NEW)
    window.wait("a replacement", lambda: window.struck() == [OLD])
    take(window, "replacement-dark", 170)
    window.press("Tab")
    window.wait("a hint", lambda: any("line 69" in ghost for ghost in window.ghosts()))
    take(window, "far-dark", 170)
    file = open_file(window, "views.py", CHECKS)
    for line in (1, 8):
        end = len(file.read_text().split("\n")[line - 1]) + 1
        change(window, file, line, end, "", "\nif not request.user:\nreturn login()")
    window.wait("a block", lambda: any("│" in ghost for ghost in window.ghosts()))
    take(window, "lines-dark", 380)


def main() -> None:
    """Make all pictures."""
    browser = chromium()
    set_up()
    with tempfile.TemporaryDirectory() as folder, driving(browser) as drive:
        server = CodeServer(Path(folder) / "server", model="repeat-best")
        server.install(packaged_extension())
        with server.running():
            server.configure({**BARE, "workbench.colorTheme": THEME})
            place = Path(folder) / "window"
            place.mkdir()
            window = Workbench(drive, server, place)
            pictures(window)
            window.close()


if __name__ == "__main__":
    main()
