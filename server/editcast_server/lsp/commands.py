"""Handlers of `workspace/executeCommand`: decisions on suggestions, status and training.

Arguments of another number or type than a handler's are refused before it is called.
"""

import asyncio
from typing import Any, Final

import attrs
from pygls.exceptions import JsonRpcInvalidParams

from editcast_model.errors import EditcastError
from editcast_server.lsp import protocol
from editcast_server.lsp.server import EditcastServer
from editcast_server.service import Service
from editcast_server.usage_page import usage_page
from editcast_store import paths

_UNTRUSTED = (
    "Editcast does not train on a folder that you do not trust; trust it, or open another one."
)
_UNKNOWN: Final = "This is not a document that Editcast serves."
_LONGEST_SNOOZE: Final = 1e9  # seconds


def register_commands(server: EditcastServer) -> None:
    """Serve `workspace/executeCommand`."""
    _register_training(server)

    @server.command(protocol.ACCEPT)
    def accept(ls: EditcastServer, id: str) -> None:
        ls.service.accept(id)

    @server.command(protocol.REJECT)
    def reject(ls: EditcastServer, id: str) -> None:
        ls.service.reject(id)

    @server.command(protocol.SHOWN)
    def shown(ls: EditcastServer, id: str) -> None:
        ls.service.shown(id)

    @server.command(protocol.SNOOZE)
    def snooze(ls: EditcastServer, seconds: float) -> None:
        if not 0 <= seconds <= _LONGEST_SNOOZE:
            raise JsonRpcInvalidParams(
                f"{protocol.SNOOZE} takes one argument, the seconds; 0 ends a snooze."
            )
        ls.service.snooze(seconds)

    @server.command(protocol.REPORT)
    async def report(ls: EditcastServer, *arguments: Any) -> str:
        return await _report(ls.service)

    @server.command(protocol.SHOW_STATUS)
    async def status(ls: EditcastServer, *arguments: Any) -> protocol.StatusParams:
        now = ls.service.activity.status
        match arguments:
            case []:
                return now
            case [str() as uri]:
                document = ls.service.documents.get(uri)
                reason = document.reason_against(ls.service.settings) if document else _UNKNOWN
                return attrs.evolve(now, message=reason or now.message)
        raise JsonRpcInvalidParams(
            f"{protocol.SHOW_STATUS} takes no argument, or one, a document's URI."
        )


def _register_training(server: EditcastServer) -> None:
    @server.command(protocol.TRAIN)
    async def train(ls: EditcastServer, *arguments: Any) -> None:
        match arguments:
            case []:
                without: list[str] = []
            case [list() as without] if all(isinstance(kind, str) for kind in without):
                pass
            case _:
                raise JsonRpcInvalidParams(
                    f"{protocol.TRAIN} takes no argument, or one, the sources to leave out."
                )
        if ls.service.projects.is_trusted:
            ls.training.start(without)
        else:
            ls.show_message(_UNTRUSTED, warning=True)

    @server.command(protocol.COUNT_HISTORY)
    async def count_history(ls: EditcastServer, *arguments: Any) -> Any:
        if ls.service.projects.is_trusted:
            return await ls.training.count()
        ls.show_message(_UNTRUSTED, warning=True)
        return None

    @server.command(protocol.REVERT)
    async def revert(ls: EditcastServer, *arguments: Any) -> None:
        try:
            ls.show_message(await _revert(ls.service), warning=False)
        except EditcastError as error:
            ls.show_message(str(error), warning=True)


async def _report(service: Service) -> str:
    """Make the report page (HTML) from the data on this machine."""
    await service.saves.written()
    model = service.activity.model
    return await asyncio.to_thread(
        usage_page,
        paths.store_path(),
        model.forecaster.name if model else "",
        model.path if model else None,
        tuple(service.latencies),
    )


async def _revert(service: Service) -> str:
    """Go back to the model before the last training; return a sentence for the user.

    Raises:
        BundleError: There is no such model, or it cannot be used.
    """
    from editcast_store.models import revert  # imports the tokenizer

    sentence = await asyncio.to_thread(revert, paths.models_dir())
    service.engine.check_for_newer()
    return sentence
