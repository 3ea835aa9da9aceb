"""Checks of messages from the editor, made before a message is read as LSP."""

from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)


def id_of(message: Any) -> int | str | None:
    """Return the id that a message is answered by; None when it has none that can be."""
    found = message.get("id") if isinstance(message, dict) else None
    is_id = isinstance(found, (int, str)) and not isinstance(found, bool)
    return found if is_id else None


def is_notification(message: Any) -> bool:
    """Tell whether nobody waits for an answer to a message."""
    return isinstance(message, dict) and "method" in message and "id" not in message


def is_response(message: Any) -> bool:
    """Tell whether it answers a request of ours."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and ("result" in message or "error" in message)
    )


def check_form(message: Any) -> None:
    """Look at what JSON-RPC says of a message.

    Raises:
        JsonRpcInvalidRequest: It is no single message of JSON-RPC 2.0.
    """
    if not isinstance(message, dict):
        raise JsonRpcInvalidRequest("A message must be one JSON object.")
    if message.get("jsonrpc") != "2.0":
        raise JsonRpcInvalidRequest('The "jsonrpc" of a message must be "2.0".')
    if is_response(message):
        return
    if not isinstance(message.get("method"), str):
        raise JsonRpcInvalidRequest("The method of a message must be text.")
    if "id" in message and id_of(message) is None:
        raise JsonRpcInvalidRequest("The id of a request must be a whole number or text.")


def check_time(method: str, *, has_begun: bool, has_ended: bool) -> None:
    """Look at what LSP says of when a message may come.

    Args:
        method: The message's.
        has_begun: Whether `initialize` has been served.
        has_ended: Whether `shutdown` has been.

    Raises:
        JsonRpcServerNotInitialized: It comes before `initialize`.
        JsonRpcInvalidRequest: It comes after `shutdown`, or it is a second `initialize`.
    """
    if method == types.EXIT:
        return
    if has_ended:
        raise JsonRpcInvalidRequest("The server was shut down; only exit may follow.")
    if method == types.INITIALIZE:
        if has_begun:
            raise JsonRpcInvalidRequest("The server was initialized already.")
    elif not has_begun:
        raise JsonRpcServerNotInitialized("The server has not been initialized yet.")
