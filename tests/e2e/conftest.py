"""A real VS Code workbench (code-server) in a real Chromium, for the tests beside this file."""

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = Path(os.environ.get("EDITCAST_E2E_CACHE", ROOT / ".cache" / "e2e"))

# How long a step may take before the test gives up: a bound for a busy machine, no measure.
PATIENCE_S = 120.0

# Nothing of the workbench's own may type along, pop up or move the cursor.
USER_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editcast.confidenceThreshold": 0.1,
    "editor.acceptSuggestionOnEnter": "off",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.hover.enabled": "off",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.suggestOnTriggerCharacters": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}


class Driver:
    """The process that drives one page; each method is a step that has been done on return."""

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


class Workbench:
    """One window of VS Code with one folder open."""

    def __init__(self, drive: Driver, folder: Path, data: Path, home: Path, port: int) -> None:
        self.folder = folder
        self.editcast_home = home
        self._drive = drive
        self._data = data
        self._port = port

    def open(self, file: Path) -> None:
        """Open the window on `file` and wait until its text is there."""
        remote = f"vscode-remote://127.0.0.1:{self._port}{file}"
        payload = quote(json.dumps([["openFile", remote]]))
        url = f"http://127.0.0.1:{self._port}/?folder={quote(str(self.folder))}&payload={payload}"
        self._drive("open", url=url)
        self.wait(
            "the editor's text", lambda: self.texts(".monaco-workbench .view-lines .view-line")
        )

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match a CSS selector."""
        texts: list[str] = self._drive("texts", selector=selector)
        return texts

    def status_bar(self) -> list[str]:
        """The status bar's items, as screen readers are told of them."""
        labels = self._drive(
            "attributes", selector=".statusbar-item .statusbar-item-label", name="aria-label"
        )
        return [label for label in labels if label]

    def press(self, *keys: str) -> None:
        for key in keys:
            self._drive("press", key=key)

    def type(self, text: str) -> None:
        self._drive("type", text=text)

    def click(self, selector: str, text: str) -> None:
        self._drive("click", selector=selector, text=text)

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a position, both counted from 1."""
        self.press("Control+g")
        self.wait("the box for a line number", lambda: self.texts(".quick-input-widget:visible"))
        self.type(f"{line}:{column}")
        self.press("Enter")
        position = f"Ln {line}, Col {column}"
        self.wait(position, lambda: any(position in label for label in self.status_bar()))

    def run(self, command: str) -> None:
        """Run a command of the palette by its whole title."""
        rows = ".quick-input-widget:visible .quick-input-list .monaco-list-row"
        self.press("F1")
        self.wait("the command palette", lambda: self.texts(rows))
        self.type(command)
        self.wait(command, lambda: [row for row in self.texts(rows)[:1] if command in row])
        self.press("Enter")

    def wait(self, what: str, probe: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
        """Ask again and again until the answer is true; a picture and the logs tell why not."""
        end = time.monotonic() + seconds
        while not (answer := probe()):
            if time.monotonic() > end:
                picture = self._data / "failed.png"
                self._drive("screenshot", path=str(picture))
                pytest.fail(f"never came: {what}; see {picture}\n{self.logs()}")
            time.sleep(0.1)
        return answer

    def logs(self) -> str:
        """What the server has logged."""
        paths = sorted((self.editcast_home / "logs").glob("*.log"))
        return "\n".join(path.read_text(errors="replace")[-4000:] for path in paths)


def chromium() -> str:
    """The browser's path; skips the test when this machine has none."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("the workbench test runs on Linux on x86-64 only")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip(
            "no chromium: apt-get install --no-install-recommends chromium fonts-dejavu-core"
        )
    return found


@pytest.fixture(scope="session")
def browser() -> str:
    """Chromium, with code-server and the driver's library set up beside it."""
    found = chromium()
    done = subprocess.run(
        ["bash", str(HERE / "setup.sh")], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return found


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The packaged extension."""
    [package] = (ROOT / "vscode-client").glob("editcast-*.vsix") or [None]
    assert package is not None, "no packaged extension: run `make vsix`"
    return package


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that is gone afterwards."""
    process = subprocess.Popen(command, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


OpenWorkbench = Callable[..., Workbench]


@pytest.fixture
def open_workbench(browser: str, tmp_path: Path) -> Iterator[OpenWorkbench]:
    """Starts code-server with its own everything, and a browser; `vsix` is installed if given."""
    with ExitStack() as stack:

        def start(vsix: Path | None = None, python: str = sys.executable) -> Workbench:
            folder, home = tmp_path / "project", tmp_path / "editcast"
            data, extensions, port = tmp_path / "data", tmp_path / "extensions", free_port()
            for path in (folder, home, data / "User", data / "Machine", extensions):
                path.mkdir(parents=True)
            (tmp_path / "config.yaml").write_text("auth: none\ncert: false\n")
            (data / "User" / "settings.json").write_text(json.dumps(USER_SETTINGS))
            # What the baseline suggests is known, whatever model is bundled.
            machine = {"editcast.python": python, "editcast.modelPath": str(tmp_path / "no-model")}
            (data / "Machine" / "settings.json").write_text(json.dumps(machine))
            command = [
                str(CACHE / "node" / "bin" / "node"),
                str(CACHE / "code-server"),
                *("--config", str(tmp_path / "config.yaml")),
                *("--user-data-dir", str(data), "--extensions-dir", str(extensions)),
            ]
            environment = {
                **os.environ,
                "HOME": str(tmp_path),
                "EDITCAST_HOME": str(home),
                "EXTENSIONS_GALLERY": '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}',
            }
            if vsix is not None:
                subprocess.run(
                    [*command, "--install-extension", str(vsix)],
                    env=environment,
                    check=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            flags = [
                *("--auth", "none", "--bind-addr", f"127.0.0.1:{port}"),
                *("--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"),
                "--disable-getting-started-override",
            ]
            log = stack.enter_context((tmp_path / "code-server.log").open("w"))
            server = stack.enter_context(
                running(
                    [*command, *flags],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )
            wait_until_healthy(server, port)
            process = stack.enter_context(
                running(
                    [
                        str(CACHE / "node" / "bin" / "node"),
                        str(HERE / "driver.mjs"),
                        str(CACHE / "driver" / "node_modules" / "playwright-core"),
                        browser,
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            return Workbench(Driver(process), folder, tmp_path, home, port)

        yield start


def wait_until_healthy(server: subprocess.Popen[str], port: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while True:
        assert server.poll() is None, "code-server ended while starting"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            assert time.monotonic() < end, "code-server never answered"
            time.sleep(0.2)
