"""Handlers of `workspace/executeCommand`: decisions on suggestions, status and training."""

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
    def accept(ls: EditcastServer, *arguments: Any) -> None:
        ls.service.accept(_one_text(protocol.ACCEPT, arguments))

    @server.command(protocol.REJECT)
    def reject(ls: EditcastServer, *arguments: Any) -> None:
        ls.service.reject(_one_text(protocol.REJECT, arguments))

    @server.command(protocol.SHOWN)
    def shown(ls: EditcastServer, *arguments: Any) -> None:
        ls.service.shown(_one_text(protocol.SHOWN, arguments))

    @server.command(protocol.SNOOZE)
    def snooze(ls: EditcastServer, *arguments: Any) -> None:
        match arguments:
            case [int() | float() as seconds] if not isinstance(seconds, bool) and (
                0 <= seconds <= _LONGEST_SNOOZE
            ):
                ls.service.snooze(seconds)
            case _:
                raise JsonRpcInvalidParams(
                    f"{protocol.SNOOZE} takes one argument, the seconds; 0 ends a snooze."
                )

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
        if ls.is_trusted:
            ls.training.start(without)
        else:
            ls.show_message(_UNTRUSTED, warning=True)

    @server.command(protocol.COUNT_HISTORY)
    async def count_history(ls: EditcastServer, *arguments: Any) -> Any:
        if ls.is_trusted:
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


def _one_text(command: str, arguments: tuple[Any, ...]) -> str:
    match arguments:
        case [str() as text]:
            return text
    raise JsonRpcInvalidParams(f"{command} takes one argument, the suggestion's id.")
