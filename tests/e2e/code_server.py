"""code-server, the real VS Code workbench as a web server, with everything of its own."""

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = Path(os.environ.get("EDITCAST_E2E_CACHE", ROOT / ".cache" / "e2e"))

# How long a step may take before the test gives up: a bound for a busy machine, no measure.
PATIENCE_S = 120.0

# VS Code's defaults, of the desktop where those of a browser differ. But for the baseline, which is
# never sure, these only keep away what would cover the editor when a window opens.
USER_SETTINGS: dict[str, object] = {
    "chat.disableAIFeatures": True,
    "editcast.confidenceThreshold": 0.1,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}

#: What the bundled model shows by default.
SHOWN_BY_DEFAULT: dict[str, object] = {"editcast.confidenceThreshold": None}


class CodeServer:
    """One code-server: its own data, extensions, settings and home.

    Args:
        root: An empty folder for all of that; it is the home folder as well.
        python: What `editcast.python` names.
        model: What `editcast.modelPath` names.
        release: The folder of `.cache/e2e` that holds the node and code-server to run.
    """

    def __init__(
        self, root: Path, python: str = sys.executable, model: str = "", release: str = "."
    ) -> None:
        self.root = root
        self.editcast_home = root / "editcast"
        # Where code-server keeps them by itself, so that Local History is found there too.
        self.data = root / ".local" / "share" / "code-server"
        self.extensions = root / "extensions"
        self.port = free_port()
        self._release = CACHE / release
        for path in (
            self.editcast_home,
            self.data / "User",
            self.data / "Machine",
            self.extensions,
        ):
            path.mkdir(parents=True)
        (root / "config.yaml").write_text("auth: none\ncert: false\n")
        self.configure({})
        machine = {"editcast.python": python, "editcast.modelPath": model}
        (self.data / "Machine" / "settings.json").write_text(json.dumps(machine))

    def configure(self, settings: Mapping[str, object]) -> None:
        """Write the user's settings: those of all tests, and these over them."""
        file = self.data / "User" / "settings.json"
        file.write_text(json.dumps({**USER_SETTINGS, **settings}))

    def install(self, vsix: Path) -> None:
        """Install an extension; a running window has it after a reload."""
        self.command("--install-extension", str(vsix), "--force")

    def command(self, *flags: str) -> str:
        """Run code-server's command line to its end; what it prints."""
        done = subprocess.run(
            [*self._command(), *flags],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self, *, trusts: bool = True) -> Iterator[None]:
        """Runs it, until it answers and while the context lasts.

        Args:
            trusts: Whether every folder is trusted; otherwise none is.
        """
        flags = [
            *("--auth", "none", "--bind-addr", f"127.0.0.1:{self.port}"),
            *("--disable-telemetry", "--disable-update-check"),
            "--disable-getting-started-override",
            *(["--disable-workspace-trust"] if trusts else []),
        ]
        with (
            (self.root / "code-server.log").open("w") as log,
            running(
                [*self._command(), *flags],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            wait_until_healthy(process, self.port)
            yield

    def processor_seconds(self) -> float:
        """Return the processor time that its processes and those they waited for have had."""
        home = f"EDITCAST_HOME={self.editcast_home}".encode()
        ticks = 0
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it may end while being looked at
                if home in (process / "environ").read_bytes().split(b"\0"):
                    figures = (process / "stat").read_text().rpartition(")")[2].split()
                    ticks += sum(map(int, figures[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def language_servers(self) -> list[int]:
        """The process ids of the `editcast serve` that its windows have started."""
        home = f"EDITCAST_HOME={self.editcast_home}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it may end while being looked at
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"serve" in words and home in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
        return sorted(found)

    def logs(self) -> str:
        """Return what the language servers have logged."""
        paths = sorted((self.editcast_home / "logs").glob("*.log"))
        return "\n".join(path.read_text(errors="replace")[-4000:] for path in paths)

    def _command(self) -> list[str]:
        return [
            str(self._release / "node" / "bin" / "node"),
            str(self._release / "code-server"),
            *("--config", str(self.root / "config.yaml")),
            *("--user-data-dir", str(self.data), "--extensions-dir", str(self.extensions)),
        ]

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(self.root),
            "EDITCAST_HOME": str(self.editcast_home),
            # Else the extension host of a window that was left goes on for hours.
            "CODE_SERVER_RECONNECTION_GRACE_TIME": "2",
            "EXTENSIONS_GALLERY": '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}',
        }


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


def packaged_extension() -> Path:
    """Find what `make vsix` has made."""
    [package] = (ROOT / "vscode-client").glob("editcast-*.vsix") or [None]
    assert package is not None, "no packaged extension: run `make vsix`"
    return package


def set_up() -> None:
    """Install code-server and the driver's library beside the tests, if they are not there."""
    done = subprocess.run(
        ["bash", str(HERE / "setup.sh")], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


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
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_until_healthy(server: subprocess.Popen[str], port: int) -> None:
    """Until code-server answers."""
    end = time.monotonic() + PATIENCE_S
    while True:
        assert server.poll() is None, "code-server ended while starting"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            assert time.monotonic() < end, "code-server never answered"
            time.sleep(0.2)
