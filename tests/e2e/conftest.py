"""A real VS Code workbench (code-server) in a real Chromium, for the tests beside this file."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from code_server import CodeServer, chromium, packaged_extension, set_up
from workbench import Driver, Workbench, driving

OpenWorkbench = Callable[..., Workbench]

# What the baseline suggests is known, whatever model is bundled.
BASELINE = "repeat-best"


@pytest.fixture(scope="session")
def drive() -> Iterator[Driver]:
    """Chromium, with code-server set up beside it."""
    browser = chromium()
    set_up()
    with driving(browser) as driver:
        yield driver


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The packaged extension."""
    return packaged_extension()


@pytest.fixture(scope="session")
def code_server(
    drive: Driver, vsix: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CodeServer]:
    """One code-server with the extension, for all tests that leave it as it is."""
    server = CodeServer(tmp_path_factory.mktemp("code-server"), model=BASELINE)
    server.install(vsix)
    with server.running():
        yield server


@pytest.fixture
def workbench(drive: Driver, code_server: CodeServer, tmp_path: Path) -> Iterator[Workbench]:
    """A fresh window on a fresh folder, in the code-server of all tests."""
    folder = tmp_path / "project"
    folder.mkdir()
    code_server.configure({})
    window = Workbench(drive, code_server, folder)
    yield window
    window.close()


@pytest.fixture
def open_workbench(drive: Driver, tmp_path: Path) -> Iterator[OpenWorkbench]:
    """Starts a code-server of the test's own, with these extensions."""
    with ExitStack() as stack:

        def start(
            *extensions: Path,
            python: str = sys.executable,
            model: str = BASELINE,
            release: str = ".",
            trusts: bool = True,
        ) -> Workbench:
            server = CodeServer(tmp_path / "server", python, model, release)
            for vsix in extensions:
                server.install(vsix)
            stack.enter_context(server.running(trusts=trusts))
            folder = tmp_path / "project"
            folder.mkdir()
            window = Workbench(drive, server, folder)
            stack.callback(window.close)
            return window

        yield start
