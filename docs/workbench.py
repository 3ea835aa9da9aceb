"""Makes the pictures of a real VS Code with suggestions in it: `docs/*-dark.png`.

With a folder it makes those of every state in three themes and two sizes of the font, on VS Code's
default settings, to be looked at. With `--moving` it makes `vscode-client/demo.gif`, the picture of
the marketplace: a rename by Tab, at a typist's pace, however long the machine takes.

Run: python docs/workbench.py [FOLDER | --moving], after `make vsix`; it needs Chromium, as the
workbench tests do.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "e2e"))

import inline_suggestions as inline  # noqa: E402
from code_server import HERE, CodeServer, chromium, packaged_extension, set_up  # noqa: E402
from vsix_files import pack  # noqa: E402
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
    "editor.minimap.enabled": False,
    "editor.quickSuggestions": {"other": "off"},
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
#: Milliseconds for which a key, and what is to be looked at, stand in the moving picture.
KEY_MS, LOOK_MS = 130, 1300
#: Left, top, width and height of what the moving picture shows of the window.
CLIP = (0, 36, 640, 150)
COLORS = 48
MOST_BYTES = 400_000
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
    first, *others = new.split("\n")
    window.type(first)
    for part in others:
        window.new_line(part[: len(part) - len(part.lstrip())])
        window.type(part.lstrip())
    window.press("Control+s")
    # VS Code empties a file before it writes it.
    window.wait("the file", lambda: file.read_text() not in ("", before))


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
        change(window, file, line, end, "", "\n    if not request.user:\n        return login()")
    window.wait("new lines", lambda: any("login()" in ghost for ghost in window.ghosts()))
    yield "lines", 380


def model_states(window: Workbench) -> Iterator[tuple[str, int]]:
    """Reach an edit of several places, the end of a chain, and a file that has to follow."""
    file = open_file(window, "area.py", AREA)
    change(window, file, 1, 10, "width", "breadth")
    window.wait("all places", lambda: any("all 3" in ghost for ghost in window.ghosts()))
    yield "everywhere", 170
    (window.folder / "bill.py").write_text(BILL)
    file = open_file(window, "prices.py", PRICES)
    change(window, file, 1, 5, "tax", "sales_tax")
    window.wait("the next file", lambda: any("bill.py" in ghost for ghost in window.ghosts()))
    yield "other-file", 110


STATES = {"repeat-best": baseline_states, "": model_states}


@contextmanager
def a_window(
    model: str, settings: dict[str, object], extension: Path | None = None
) -> Iterator[Workbench]:
    """Open a window of a server with a model, with Editcast or another extension."""
    with tempfile.TemporaryDirectory() as folder, driving(chromium()) as drive:
        server = CodeServer(Path(folder) / "server", model=model)
        server.install(extension or packaged_extension())
        with server.running():
            server.configure(settings)
            place = Path(folder) / "window"
            place.mkdir()
            window = Workbench(drive, server, place)
            yield window
            window.close()


class Film:
    """Pictures of a window, each with the milliseconds for which it stands."""

    def __init__(self, window: Workbench) -> None:
        self._window = window
        self._frames: list[Image.Image] = []
        self._times: list[int] = []

    def take(self, milliseconds: int) -> None:
        """Take a picture of the window as it is."""
        with tempfile.TemporaryDirectory() as folder:
            self._window.screenshot(Path(folder) / "frame.png", CLIP)
            self._frames.append(Image.open(Path(folder) / "frame.png").convert("RGB"))
        self._times.append(milliseconds)

    def write(self, path: Path) -> None:
        """Write all pictures, with the colours of them all."""
        sheet = Image.new("RGB", (CLIP[2], CLIP[3] * len(self._frames)))
        for number, frame in enumerate(self._frames):
            sheet.paste(frame, (0, CLIP[3] * number))
        palette = sheet.quantize(COLORS)
        no_dither = Image.Dither.NONE
        first, *others = (one.quantize(palette=palette, dither=no_dither) for one in self._frames)
        first.save(path, save_all=True, append_images=others, duration=self._times, loop=0)
        size = path.stat().st_size
        assert size < MOST_BYTES, f"{path.name} has {size} bytes"
        print(f"wrote {path.name}, {len(self._frames)} pictures, {size} bytes", flush=True)


def moving() -> None:
    """Make the moving picture: a parameter is renamed, and Tab takes its uses."""
    with a_window("", {**BARE, "workbench.colorTheme": THEME}) as window:
        open_file(window, "area.py", AREA)
        film = Film(window)
        window.go_to(1, 10)
        film.take(LOOK_MS)
        window.press(*["Shift+ArrowRight"] * len("width"))
        film.take(LOOK_MS // 2)
        new = "breadth"
        for typed in range(1, len(new) + 1):
            window.type(new[typed - 1])
            line = f"def area({new[:typed]}, height):"
            window.wait(line, lambda line=line: window.lines()[0] == line)  # type: ignore[misc]
            film.take(KEY_MS)
        text = AREA.replace("(width", f"({new}")
        while "width" in text:
            window.wait("an offer", lambda: window.struck() == ["width"] and new in window.ghosts())
            film.take(LOOK_MS)
            window.press("Tab")
            text = text.replace("width", new, 1)
            window.wait(text, lambda text=text: window.lines() == text.split("\n"))  # type: ignore[misc]
        film.take(LOOK_MS * 2)
        film.write(DOCS.parent / "vscode-client" / "demo.gif")


def documented() -> None:
    """Make the pictures of the documents."""
    for model, states in STATES.items():
        with a_window(model, {**BARE, "workbench.colorTheme": THEME}) as window:
            for name, height in states(window):
                window.screenshot(DOCS / f"{name}-dark.png", (0, 36, 960, height))
                print(f"wrote {name}-dark.png", flush=True)
    by_inline_suggestions()


def by_inline_suggestions() -> None:
    """Make the picture of what VS Code draws of edits that are its own inline suggestions."""
    rows: list[Image.Image] = []
    edits = (inline.AT_THE_CURSOR, inline.LINES_AT_THE_CURSOR)
    edits += (inline.REPLACEMENT, inline.ON_ANOTHER_LINE)
    with tempfile.TemporaryDirectory() as folder:
        probe = pack(HERE / "probe", Path(folder) / "probe.vsix")
        with a_window("", {**BARE, "workbench.colorTheme": THEME}, probe) as window:
            file = window.folder / "area.py"
            file.write_text(inline.TEXT)
            window.open(file)
            window.press("Control+b")
            window.focus_editor()
            for number, (suggestion, line) in enumerate(edits, 1):
                inline.suggest_inline(window, file, suggestion, line)
                asked = f"suggestion {number} was asked for"
                window.wait(asked, lambda asked=asked: window.has_message(asked))  # type: ignore[misc]
                window.screenshot(Path(folder) / "row.png", (0, 36, 480, 120))
                rows.append(Image.open(Path(folder) / "row.png").convert("RGB"))
    sheet = Image.new("RGB", (2 * rows[0].width + 1, 2 * rows[0].height + 1), "gray")
    for place, row in enumerate(rows):
        sheet.paste(row, ((place % 2) * (row.width + 1), (place // 2) * (row.height + 1)))
    sheet.save(DOCS / "inline-suggestions-dark.png", optimize=True)
    print("wrote inline-suggestions-dark.png", flush=True)


def in_all_themes(out: Path) -> None:
    """Make the pictures of every state in all themes and sizes."""
    out.mkdir(parents=True, exist_ok=True)
    for (theme, title), size in product(THEMES.items(), SIZES):
        settings: dict[str, object] = {"workbench.colorTheme": title, "editor.fontSize": size}
        for model, states in STATES.items():
            with a_window(model, settings) as window:
                for name, _ in states(window):
                    window.screenshot(out / f"{name}-{theme}-{size}.png")
                    print(f"wrote {name}-{theme}-{size}.png", flush=True)


def main() -> None:
    """Make all pictures."""
    set_up()
    if sys.argv[1:] == ["--moving"]:
        moving()
    elif sys.argv[1:]:
        in_all_themes(Path(sys.argv[1]))
    else:
        documented()


if __name__ == "__main__":
    main()
