"""Strict conversion of JSON to typed values, with errors that name the path of a bad value.

Cards and configurations may come from anybody. Numbers must be finite and not booleans, texts must
be encodable, lists and objects must have the declared types, and `Annotated` bounds must hold.
Unknown keys of an object are ignored. cattrs does the conversion.
"""

import math
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from cattrs import Converter, transform_error
from cattrs.cols import homogenous_tuple_structure_factory, mapping_structure_factory
from cattrs.errors import BaseValidationError
from cattrs.gen import make_dict_structure_fn

T = TypeVar("T")
_Hook = Callable[[Any, Any], Any]
_LONGEST = 300  # maximum characters of a message, since keys may be of any length


class UnfitError(ValueError):
    """A value of the wrong type or out of bounds; the message is `PATH must be ...`."""


def between(least: float, most: float) -> Callable[[float], str]:
    """Return what says what a number must be, empty if it is within the bounds, inclusive."""

    def check(value: float) -> str:
        if least <= value <= most:
            return ""
        kind = "a whole number" if isinstance(value, int) else "a number"
        return f"must be {kind} between {least:g} and {most:g}"

    return check


def long(least: int, most: int) -> Callable[[tuple[Any, ...]], str]:
    """Return what says how long a list must be, empty if it is."""
    count = least if least == most else f"{least} to {most}"
    return lambda value: "" if least <= len(value) <= most else f"must be a list of {count} values"


def matching(pattern: str, what: str) -> Callable[[str], str]:
    """Return what says that a text must be `what`, empty if all of it matches the pattern."""
    return lambda value: "" if re.fullmatch(pattern, value) else f"must be {what}"


def structure(value: object, to: type[T]) -> T:
    """Convert a JSON value to a typed one.

    Raises:
        UnfitError: The value has another type, or is out of bounds.
    """
    try:
        return _CONVERTER.structure(value, to)
    except (BaseValidationError, UnfitError) as error:
        first = transform_error(error, format_exception=_reason)[0]
        said, _, path = first.rpartition(" @ $")
        path = path.removeprefix(".") or "it"
        raise UnfitError(f"{path} {said}"[:_LONGEST]) from error


def _reason(error: BaseException, _type: type | None) -> str:
    if isinstance(error, UnfitError):
        return str(error)
    if isinstance(error, KeyError):
        return "is missing"
    return "must be of another type"


def _integer(value: Any, _type: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnfitError("must be a whole number")
    return value


def _number(value: Any, _type: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnfitError("must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnfitError("must be a finite number")
    return number


def _truth(value: Any, _type: Any) -> bool:
    if not isinstance(value, bool):
        raise UnfitError("must be true or false")
    return value


def _text(value: Any, _type: Any) -> str:
    if not isinstance(value, str):
        raise UnfitError("must be a text")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise UnfitError("must be a text that UTF-8 can hold")
    return value


def _time(value: Any, _type: Any) -> datetime:
    try:
        return datetime.fromisoformat(value).astimezone()
    except (TypeError, ValueError, OverflowError, OSError):
        raise UnfitError("must be a time in ISO 8601") from None


def _is(origin: object) -> Callable[[Any], bool]:
    return lambda to: get_origin(to) is origin


def _annotated(to: Any) -> _Hook:
    of, *checks = get_args(to)

    def hook(value: Any, _type: Any) -> Any:
        made = _CONVERTER.structure(value, of)
        for check in checks:
            if problem := check(made):
                raise UnfitError(problem)
        return made

    return hook


def _literal(to: Any) -> _Hook:
    allowed = get_args(to)

    def hook(value: Any, _type: Any) -> Any:
        if not any(value == one and type(value) is type(one) for one in allowed):
            raise UnfitError(f"must be one of {', '.join(map(str, allowed))}")
        return value

    return hook


def _only(kind: type, what: str, inner: _Hook) -> _Hook:
    """Restrict a hook to values of one type; cattrs would accept a text as a list."""

    def hook(value: Any, to: Any) -> Any:
        if not isinstance(value, kind):
            raise UnfitError(f"must be {what}")
        return inner(value, to)

    return hook


def _converter() -> Converter:
    made = Converter()
    made.register_structure_hook(int, _integer)
    made.register_structure_hook(float, _number)
    made.register_structure_hook(bool, _truth)
    made.register_structure_hook(str, _text)
    made.register_structure_hook(datetime, _time)

    def add(fits: Callable[[Any], bool], factory: Callable[[Any], _Hook]) -> None:
        made.register_structure_hook_factory(fits, factory)

    add(_is(tuple), lambda to: _only(list, "a list", homogenous_tuple_structure_factory(to, made)))
    add(_is(dict), lambda to: _only(dict, "an object", mapping_structure_factory(to, made)))
    add(is_dataclass, lambda to: _only(dict, "an object", make_dict_structure_fn(to, made)))
    add(_is(Annotated), _annotated)
    add(_is(Literal), _literal)
    return made


_CONVERTER = _converter()
