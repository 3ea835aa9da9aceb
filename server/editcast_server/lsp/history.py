"""Commands by which an editor shows, exports and deletes recorded saves.

They do the same as `editcast history`. If a command fails, the user sees a sentence, and the editor
gets null.
"""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from editcast_model.errors import EditcastError
from editcast_server.lsp import protocol
from editcast_server.lsp.server import EditcastServer
from editcast_store import paths
from editcast_store.forgetting import ALWAYS, Period
from editcast_store.saves import Store, project_of

_Result = TypeVar("_Result")


def register_history(server: EditcastServer) -> None:
    """Register the commands about recorded saves."""

    @server.command(protocol.HISTORY)
    async def history(ls: EditcastServer) -> dict[str, Any] | None:
        await ls.service.saves.written()
        if not paths.store_path().exists():
            return {"files": [], "bytes": 0}
        return await _in_store(ls, files_of)

    @server.command(protocol.SAVES)
    async def saves(ls: EditcastServer, path: str) -> list[dict[str, int]] | None:
        return await _in_store(ls, partial(saves_of, path=path))

    @server.command(protocol.SAVED_TEXT)
    async def saved_text(ls: EditcastServer, path: str, number: int) -> str | None:
        return await _in_store(ls, partial(_saved_text, path=path, number=number))

    @server.command(protocol.FORGET)
    async def forget(
        ls: EditcastServer, files: list[str] | None, since: int | None, until: int | None
    ) -> str | None:
        period = Period(
            ALWAYS.since if since is None else since,
            ALWAYS.until if until is None else until,
        )
        for document in ls.service.documents.values():
            document.opened = None  # the next save must not record it again
        try:
            said = await ls.service.saves.forget(files, period)
        except EditcastError as error:
            ls.show_message(str(error), warning=True)
            return None
        ls.service.projects.forget_history()
        return said

    @server.command(protocol.EXPORT_HISTORY)
    async def export(ls: EditcastServer, out: str, files: list[str] | None) -> str | None:
        return await _in_store(ls, partial(_export, out=Path(out), files=files))


async def _in_store(ls: EditcastServer, work: Callable[[Store], _Result]) -> _Result | None:
    """Run `work` on the store after all earlier saves; show the user what goes wrong."""

    def run() -> _Result:
        with Store.open(paths.store_path()) as store:
            try:
                return work(store)
            finally:
                notices.extend(store.notices)

    notices: list[str] = []
    await ls.service.saves.written()
    try:
        return await asyncio.to_thread(run)
    except EditcastError as error:
        notices.append(str(error))
        return None
    finally:
        for notice in notices:
            ls.show_message(notice, warning=True)


def files_of(store: Store) -> dict[str, Any]:
    """Return the recorded files, and the size of the store on the disk."""
    files, projects = [asdict(file) for file in store.files()], dict[Path, str]()
    for file in files:
        folder = Path(file["path"]).parent
        if folder not in projects:
            projects[folder] = project_of(file["path"])
        file["project"] = projects[folder]
    return {"files": files, "bytes": store.size()}


def saves_of(store: Store, path: str) -> list[dict[str, int]]:
    """Return the numbers, counted from 1, and the times of a file's saves."""
    found = enumerate(store.snapshots(path), 1)
    return [{"number": number, "time": snapshot.time} for number, snapshot in found]


def _saved_text(store: Store, path: str, number: int) -> str | None:
    snapshots = store.snapshots(path)
    return snapshots[number - 1].text if 1 <= number <= len(snapshots) else None


def _export(store: Store, out: Path, files: list[str] | None) -> str:
    store.export_to(out, files)
    return f"The histories are in {out}; only you can read it."
