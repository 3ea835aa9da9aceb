"""Messages from JSON as LSP has them, and nothing made to fit.

cattrs calls `str(None)` and `int(2.7)` where a message has a value of the wrong type; the text of a
document would become "None".
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Optional, Union, get_origin

import attrs
from cattrs import Converter, transform_error
from cattrs.cols import list_structure_factory
from pygls.protocol import default_converter

#: As lsprotocol writes it; to cattrs `int | str` is another type.
_IDENTIFIER: Final[Any] = Union[int, str]  # noqa: UP007


def strict_converter() -> Converter:
    """Make a converter of pygls that raises where a value is not of the type that LSP wants."""
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
    """Return the first thing that was wrong with a message, without any of its values."""
    return transform_error(error, "message", _in_words)[0]


def _exactly(value: Any, kind: type[Any]) -> Any:
    """Read a value of a primitive type or an enumeration of such; 2.0 is as whole as 2."""
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
        if not isinstance(value, list):  # a text has items too
            raise TypeError("no list")
        return inner(value, kind)

    return structure


def _in_words(error: BaseException, kind: type | None) -> str:
    if isinstance(error, KeyError):
        return "a field is missing"
    if kind is None or attrs.has(kind):
        return "a value is not as it must be"
    return f"a value is not {getattr(kind, '__name__', 'as it must be')}"
