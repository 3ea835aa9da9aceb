"""One window of VS Code in a real Chromium: what a user does in it, and what a user sees."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from code_server import CACHE, HERE, PATIENCE_S, CodeServer, running

LINES = ".monaco-editor .view-lines .view-line"
PALETTE_ROWS = ".quick-input-widget:visible .quick-input-list .monaco-list-row"
NOTIFICATIONS = ".notification-list-item"
MENU_ROWS = ".action-widget .monaco-list-row.action"


class Driver:
    """The process that drives one page; each call is a step that has been done on return."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, step: str, **parameters: object) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"step": step, **parameters}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the browser's driver ended"
        answer = json.loads(line)
        assert "error" not in answer, f"{step} {parameters}: {answer['error']}"
        return answer["value"]


@contextmanager
def driving(browser: str) -> Iterator[Driver]:
    """A browser and what drives it, while the context lasts."""
    command = [
        str(CACHE / "node" / "bin" / "node"),
        str(HERE / "driver.mjs"),
        str(CACHE / "driver" / "node_modules" / "playwright-core"),
        browser,
    ]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Driver(process)
        assert process.stdin is not None
        process.stdin.close()  # the driver closes the browser and ends
        process.wait(timeout=PATIENCE_S)


_IS_RENAMING = "document.querySelector('.explorer-item-edited input') !== null"


class Workbench:
    """One window of VS Code with one folder, or one `.code-workspace` file, open."""

    def __init__(self, drive: Driver, server: CodeServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.editcast_home = server.editcast_home
        self._drive = drive

    # Opening

    def open(self, *files: Path, workspace: Path | None = None) -> None:
        """Open a window on the folder (or a workspace file) and wait for the last file's text."""
        # A path as it is: VS Code leaves no `%2F` in the folder's URI.
        key, place = ("workspace", workspace) if workspace else ("folder", self.folder)
        remote = f"vscode-remote://127.0.0.1:{self.server.port}"
        payload = quote(json.dumps([["openFile", f"{remote}{file}"] for file in files]))
        url = f"http://127.0.0.1:{self.server.port}/?{key}={quote(str(place))}&payload={payload}"
        self._drive("open", url=url)
        if files:
            self.wait("the editor's text", self.lines)
        else:
            self.wait("the workbench", lambda: self.texts(".monaco-workbench .statusbar-item"))

    def start(self, text: str, name: str = "report.py") -> Path:
        """Open a window on a new file, with a server that is ready and the cursor in the text."""
        file = self.folder / name
        file.write_text(text)
        self.open(file)
        self.wait_until_ready()
        self.focus_editor()
        return file

    def reload(self) -> None:
        """Load the window again, with a new extension host."""
        self._drive("reload")
        self.wait("the workbench", lambda: self.texts(".monaco-workbench .statusbar-item"))

    def close(self) -> None:
        """Leave the window."""
        self._drive("close")

    def configure(self, settings: Mapping[str, object]) -> None:
        """Write user settings beside those of all tests; the window takes them up by itself."""
        self.server.configure(settings)

    # What a user does

    def press(self, *keys: str) -> None:
        """Press keys one after the other, such as `Control+s`."""
        for key in keys:
            self._drive("press", key=key)

    def type(self, text: str, delay: float = 0) -> None:
        """Type a text, its characters `delay` milliseconds apart."""
        self._drive("type", text=text, delay=delay)

    def click(self, selector: str, text: str) -> None:
        """Click on the first match that has this text in it."""
        self._drive("click", selector=selector, text=text)

    def focus_editor(self) -> None:
        """Put the cursor into the text, by a click on its first line."""
        self._drive("click", selector=LINES, text="")

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a position, both counted from 1."""
        self.press("Control+g")
        self.wait("the box for a line number", lambda: self.texts(".quick-input-widget:visible"))
        self.type(f"{line}:{column}")
        self.press("Enter")
        position = f"Ln {line}, Col {column}"
        self.wait(position, lambda: any(position in label for label in self.status_bar()))
        # The position is shown as soon as it is typed; keys go to the box until it is gone.
        self.wait("no box", lambda: not self.texts(".quick-input-widget:visible"))

    def new_line(self, indent: str) -> None:
        """Press Enter at a line's end, and bring the cursor to an indentation of spaces.

        VS Code indents by a language's rules only once it has tokenized the text down to the
        line, which a busy machine puts off; without that, the new line is like the one above it.
        """
        number = self.cursor()[0] + 1
        self.press("Enter")
        self.wait(f"line {number}", lambda: self.cursor()[0] == number)
        column = self.cursor()[1]
        self.type(indent[column - 1 :])

    def replace(self, file: Path, line: int, old: str, new: str) -> None:
        """Select `old` on a line of a saved file, type `new` over it, and save."""
        lines = file.read_text().splitlines(keepends=True)
        self.go_to(line, lines[line - 1].index(old) + 1)
        self.press(*["Shift+ArrowRight"] * len(old))
        self.type(new)
        lines[line - 1] = lines[line - 1].replace(old, new, 1)
        expected = "".join(lines)
        self.press("Control+s")
        self._wait_until_saved(file, expected)

    def dismiss(self, what: str, is_gone: Callable[[], bool]) -> None:
        """Press Escape, and once more while something is not gone.

        A list of completions that comes late takes the first Escape, as in any editor.
        """

        def attempt() -> bool:
            self.press("Escape")
            return any(is_gone() for _ in range(50))

        self.wait(what, attempt)

    def save(self, file: Path, expected: str) -> None:
        """Save once the editor shows what is expected, and wait until the file reads so too.

        VS Code asks the extensions before it writes: they know of all keys before this by then.
        """
        self.wait(f"shown:\n{expected}", lambda: self.lines() == expected.split("\n"))
        before = file.stat().st_mtime_ns
        self.press("Control+s")
        self.wait("written anew", lambda: file.stat().st_mtime_ns != before)
        self._wait_until_saved(file, expected)

    def show(self, file: Path) -> None:
        """Open one more file in the window, or go back to it."""
        self.press("Control+p")
        self.wait("the box for a file", lambda: self.texts(".quick-input-widget:visible"))
        self.type(str(file))
        self.wait(file.name, lambda: file.name in "".join(self.texts(PALETTE_ROWS)[:1]))
        self.press("Enter")
        self.wait(f"the title {file.name}", lambda: file.name in self.evaluate("document.title"))
        self.wait("the file's text", self.lines)

    def rename(self, file: Path, name: str) -> Path:
        """Rename the file in the editor, without its suffix, as in the explorer."""
        self.run("File: Reveal Active File in Explorer View")
        self.wait("the explorer", lambda: self.texts(".explorer-folders-view .focused"))
        self.press("F2")
        self.wait("its name", lambda: self.evaluate(_IS_RENAMING))
        self.type(name)
        self.press("Enter")
        other = file.with_stem(name)
        self.wait("renamed", other.exists)
        self.wait("the title", lambda: other.name in self.evaluate("document.title"))
        self.focus_editor()
        return other

    def run(self, command: str) -> None:
        """Run a command of the palette by its whole title."""

        # The palette lists what could be run when it was opened: a folder may not be trusted yet.
        def attempt() -> bool:
            self.press("F1")
            self.wait("the command palette", lambda: self.texts(PALETTE_ROWS))
            self.type(command)
            for _ in range(50):
                if any(command in row for row in self.texts(PALETTE_ROWS)[:1]):
                    return True
            self.press("Escape")
            print(f"the palette has no {command}: another attempt")
            return False

        self.wait(command, attempt)
        self.press("Enter")

    def code_actions(self) -> list[str]:
        """Open the code action menu, again until it has a next edit; the rows of these."""

        # Escape would dismiss the suggestion, unless it closes a menu.
        def attempt() -> list[str]:
            self.press("Control+.")
            for _ in range(50):
                rows = self.texts(MENU_ROWS)
                found = [row for row in rows if row.startswith("Next edit")]
                if found:
                    return found
                if rows:
                    self.press("Escape")
                    break
            print("the code action menu has no next edit: another attempt")
            return []

        rows: list[str] = self.wait("a next edit in the code action menu", attempt)
        return rows

    # What a user sees

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match a CSS selector."""
        texts: list[str] = self._drive("texts", selector=selector)
        return texts

    def lines(self) -> list[str]:
        """The visible lines of the text, from top to bottom, without what decorations add."""
        return self._read("text")

    def ghosts(self) -> list[str]:
        """Return what decorations add to the visible lines, from top to bottom."""
        return self._read("ghosts")

    def struck(self) -> list[str]:
        """The runs of text that are struck through, from top to bottom."""
        return self._read("struck")

    def gutter_icons(self) -> list[int]:
        """The numbers of the visible lines that have a picture in the gutter."""
        return self._read("gutterIcons")

    def texts_of_pseudo(self, selector: str) -> list[str]:
        """The texts of the `::before` and `::after` of all elements that match."""
        return self._read("textsOfPseudo", selector)

    def status_bar(self) -> list[str]:
        """The status bar's items, as screen readers are told of them."""
        labels = self._drive(
            "attributes", selector=".statusbar-item .statusbar-item-label", name="aria-label"
        )
        return [label for label in labels if label]

    def cursor(self) -> tuple[int, int]:
        """Return line and column of the cursor, both counted from 1, as the status bar says."""
        found = self.wait(
            "a position in the status bar",
            lambda: re.search(r"Ln (\d+), Col (\d+)", " ".join(self.status_bar())),
        )
        return int(found[1]), int(found[2])

    def editcast_item(self) -> str:
        """Return what the status bar says of Editcast, or nothing."""
        return next((item for item in self.status_bar() if item.startswith("Editcast")), "")

    def has_message(self, words: str) -> bool:
        """Tell whether an item of the status bar, such as a passing message, has these words."""
        return any(words in item for item in self.status_bar())

    def notifications(self) -> list[str]:
        """The notifications that are shown."""
        return self.texts(NOTIFICATIONS)

    def complaints(self) -> list[str]:
        """The notifications but for the one that says that the baseline is in use."""
        return [text for text in self.notifications() if "without a model" not in text]

    def announcements(self) -> list[str]:
        """Return what screen readers have been told last."""
        return [text for text in self.texts(".monaco-aria-container > *") if text]

    def has_unsaved_text(self) -> bool:
        """Tell whether the file at hand is marked as changed."""
        return bool(self.texts(".tab.active.dirty"))

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, such as its performance marks."""
        return self._drive("evaluate", expression=expression)

    def time_to_ghost(self, text: str, *keys: str, delay: float = 0) -> float | None:
        """Milliseconds from the last key to the frame that draws something new; None: nothing."""
        took: float | None = self._drive("timeToGhost", text=text, keys=keys, delay=delay)
        return took

    def screenshot(self, path: Path, clip: tuple[int, int, int, int] | None = None) -> None:
        """A picture of the window, or of a part of it: left, top, width, height."""
        box = dict(zip(("x", "y", "width", "height"), clip, strict=True)) if clip else None
        self._drive("screenshot", path=str(path), clip=box)

    # Waiting

    def wait_until_ready(self) -> None:
        """Until a server has told what it runs on."""
        self.wait("ready", lambda: self.editcast_item().startswith("Editcast is ready"))

    def wait(self, what: str, probe: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
        """Ask again and again until the answer is true; a picture and the logs tell why not."""
        end = time.monotonic() + seconds
        while not (answer := probe()):
            if time.monotonic() > end:
                picture = self.server.root / "failed.png"
                self.screenshot(picture)
                print(f"lines: {self.lines()}", file=sys.stderr)
                pytest.fail(f"never came: {what}; see {picture}\n{self.server.logs()}")
            time.sleep(0.1)
        return answer

    def _wait_until_saved(self, file: Path, expected: str) -> None:
        """Wait for a file's text, and until the workbench itself knows of the save.

        It tells the extensions of the save only then. If a key changed the text between the two,
        they would take the changed text for the saved one.
        """
        self.wait(f"on disk:\n{expected}", lambda: file.read_text() == expected)
        self.wait("no unsaved text", lambda: not self.has_unsaved_text())

    def _read(self, what: str, *parameters: object) -> list[Any]:
        found: list[Any] = self._drive("read", what=what, parameters=parameters)
        return found
