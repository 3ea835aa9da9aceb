"""Documents that are closed or excluded: nothing of them stays for the server or other files."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest_asyncio
from lsprotocol import types

from editcast_server.documents.buffer import Units
from editcast_server.service import Service
from editcast_server.settings import Settings

FOLDER, URI = "file:///shop", "file:///shop/a.py"
CALLS = "".join(f"def part_{number}():\n    return render({number})\n\n\n" for number in range(4))
SETTINGS = Settings(model_path="repeat-best", history_enabled=False, confidence_threshold=0.0)


class Screen:
    """A client that shows nothing."""

    def show_message(self, sentence: str, *, warning: bool) -> None:
        """A sentence."""

    def has_status(self, status: Any) -> None:
        """A status."""

    def has_predicted(self, document: Any) -> None:
        """A document."""


@pytest_asyncio.fixture
async def service() -> AsyncIterator[Service]:
    service = Service(Screen(), Units.of("utf-16"), SETTINGS)
    service.projects.set_folders([FOLDER])
    service.start()
    yield service
    service.stop()


async def suggest(service: Service) -> Any:
    """Open a document, rename one of its calls, and wait for the next one."""
    service.open(URI, "python", 1, CALLS)
    place = types.Range(types.Position(1, 11), types.Position(1, 17))
    service.change(URI, 2, [types.TextDocumentContentChangePartial(place, "draw")])
    service.save(URI, None)
    document = await service.wait_for(URI, 1)
    while not (document and document.suggestions):
        await asyncio.sleep(0.01)
        document = await service.wait_for(URI, 1)
    return document


async def until_done(service: Service, is_done: Callable[[], bool]) -> None:
    """Wait until the engine, which keeps its last task, has let go of a document."""
    while not is_done():
        service.engine.check_for_newer()
        await asyncio.sleep(0.01)
        gc.collect()


async def test_the_history_of_a_closed_document_is_not_kept(service: Service) -> None:
    document = await suggest(service)
    track = weakref.ref(document.track)
    service.close(URI)
    service.shown(document.suggestions[0].id)  # it may still be decided on
    await until_done(service, lambda: track() is None)


async def test_a_document_that_is_excluded_is_no_longer_open_to_other_files(
    service: Service,
) -> None:
    await suggest(service)
    project = service.projects.of(FOLDER)
    assert list(project.open_files) == [URI]
    service.apply_settings(replace(SETTINGS, exclude=("*.py",)))
    await until_done(service, lambda: not list(project.open_files))
