"""Validation of messages from the editor, and their strict conversion.

By default cattrs coerces values of the wrong type, with `str(None)` or `int(2.7)`: the text of a
document could become "None".
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Optional, Union, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.cols import list_structure_factory
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import default_converter

#: Written as in lsprotocol; cattrs treats `int | str` as a different type.
_IDENTIFIER: Final[Any] = Union[int, str]  # noqa: UP007


def id_of(message: Any) -> int | str | None:
    """Return the valid id of a message, else None."""
    found = message.get("id") if isinstance(message, dict) else None
    is_id = isinstance(found, (int, str)) and not isinstance(found, bool)
    return found if is_id else None


def is_notification(message: Any) -> bool:
    """Tell whether a message is a notification."""
    return isinstance(message, dict) and "method" in message and "id" not in message


def is_response(message: Any) -> bool:
    """Tell whether a message is the response to a request."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and ("result" in message or "error" in message)
    )


def check_form(message: Any) -> None:
    """Check that a message is a single message of JSON-RPC 2.0.

    Raises:
        JsonRpcInvalidRequest: It is not.
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
    """Check that LSP allows a message now, after `initialize` (begun) or `shutdown` (ended).

    Raises:
        JsonRpcServerNotInitialized: The message comes before `initialize`.
        JsonRpcInvalidRequest: It comes after `shutdown`, or is a second `initialize`.
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


def strict_converter() -> Converter:
    """Create a converter for pygls that raises on values of the wrong type."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (str, bool, int, float):
        converter.register_structure_hook(kind, _exactly)
    converter.register_structure_hook(_IDENTIFIER, _identifier)
    converter.register_structure_hook(
        Optional[_IDENTIFIER],  # noqa: UP045
        lambda value, kind: None if value is None else _identifier(value, kind),
    )
    converter.register_structure_hook_factory(_is_sequence, _sequence)
    return converter


def what_is_wrong(error: BaseException) -> str:
    """Describe the first error in a message, without quoting its values."""
    return transform_error(error, "message", _in_words)[0]


def _exactly(value: Any, kind: type[Any]) -> Any:
    """Convert a value of a primitive type or an enumeration; 2.0 counts as an integer."""
    if issubclass(kind, Enum):
        return kind(value)
    if isinstance(value, bool):
        fits = kind is bool
    elif kind is int and isinstance(value, float):
        fits = value.is_integer()
    elif kind is float:
        fits = isinstance(value, (int, float))
    else:
        fits = isinstance(value, kind)
    if not fits:
        raise TypeError(f"not {kind.__name__}")
    return kind(value)


def _identifier(value: Any, _: Any) -> int | str:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError("neither a number nor text")
    return value


def _is_sequence(kind: Any) -> bool:
    return get_origin(kind) in (list, Sequence)


def _sequence(kind: Any, converter: Converter) -> Any:
    inner = list_structure_factory(kind, converter)

    def structure(value: Any, kind: Any) -> Any:
        if not isinstance(value, list):  # a string is a sequence too
            raise TypeError("no list")
        return inner(value, kind)

    return structure


def _in_words(error: BaseException, kind: type | None) -> str:
    if isinstance(error, KeyError):
        return "a field is missing"
    if kind is None or attrs.has(kind):
        return "a value is invalid"
    return f"a value is not {getattr(kind, '__name__', 'of the right type')}"
