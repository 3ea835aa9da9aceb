"""The user's settings: what they mean, their defaults, and how an editor's JSON becomes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from editcast_model.errors import SettingsError
from editcast_server.documents import globs

Device = Literal["auto", "cpu", "cuda"]
Eagerness = Literal["low", "medium", "high"]

SECTION = "editcast"

#: Beside the settings in initializationOptions: whether the user trusts the folders that are open.
TRUSTED = "isWorkspaceTrusted"

#: The least confidence that is shown where the model's own threshold is not asked for.
_LOW, _HIGH = 0.8, 0.3


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set, under the names that editors show in camel case.

    Attributes:
        enabled: Whether to suggest (and to remember saves) at all.
        eagerness: How sure a suggestion must be to be shown.
        confidence_threshold: The same as a number, 0 to 1; None for what `eagerness` says.
        debounce_ms: How long typing must pause before a prediction, in milliseconds.
        languages: Language identifiers to serve; `*` is all of them, `!python` leaves one out.
        exclude: Globs of files that are neither stored nor predicted in; see `globs`.
        history_enabled: Whether saves go to the store of snapshots.
        history_days: How long the store keeps them.
        max_file_bytes: Files longer than this in UTF-8 are left alone.
        model_path: The bundle to use; empty for the newest one trained here, else the bundled one.
        device: Where the network runs.
    """

    enabled: bool = True
    eagerness: Eagerness = "medium"
    confidence_threshold: float | None = None
    debounce_ms: int = 75
    languages: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    history_enabled: bool = True
    history_days: int = 365
    max_file_bytes: int = 1_000_000
    model_path: str = ""
    device: Device = "auto"

    def threshold(self, model: float) -> float:
        """The least confidence to show, 0 to 1.

        Args:
            model: The model's own threshold, at which 85 % of what is shown was clean on the data
                that it was calibrated by.
        """
        if self.confidence_threshold is not None:
            return self.confidence_threshold
        return {"low": max(_LOW, model), "medium": model, "high": min(_HIGH, model)}[self.eagerness]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a value must be: its JSON type in words, and its bounds."""

    kind: Literal["true or false", "a number", "a whole number", "text", "a list of texts"]
    low: float = 0
    high: float = float("inf")
    choices: tuple[str, ...] = field(default=())

    def read(self, value: Any) -> Any:
        """The value as `Settings` holds it; raises `SettingsError` saying what it must be."""
        if not self._is_of_kind(value):
            raise SettingsError(f"must be {self.kind}, not {_shown(value)}")
        if self.kind in ("a number", "a whole number") and not self.low <= value <= self.high:
            raise SettingsError(f"must be {self._bounds()}, not {_shown(value)}")
        if self.choices and value not in self.choices:
            raise SettingsError(f"must be one of {', '.join(self.choices)}, not {_shown(value)}")
        if self.kind == "a list of texts":
            return tuple(value)
        return float(value) if self.kind == "a number" else value

    def _is_of_kind(self, value: Any) -> bool:
        # In Python True is an int; in JSON it is no number.
        match self.kind:
            case "true or false":
                return isinstance(value, bool)
            case "a number":
                return isinstance(value, (int, float)) and not isinstance(value, bool)
            case "a whole number":
                return isinstance(value, int) and not isinstance(value, bool)
            case "text":
                return isinstance(value, str)
            case "a list of texts":
                return isinstance(value, (list, tuple)) and all(
                    isinstance(item, str) for item in value
                )

    def _bounds(self) -> str:
        if self.high == float("inf"):
            return f"at least {self.low:g}"
        return f"from {self.low:g} to {self.high:g}"


_RULES = {
    "enabled": _Rule("true or false"),
    "eagerness": _Rule("text", choices=get_args(Eagerness)),
    "confidence_threshold": _Rule("a number", 0, 1),
    "debounce_ms": _Rule("a whole number", 0, 60_000),
    "languages": _Rule("a list of texts"),
    "exclude": _Rule("a list of texts"),
    "history_enabled": _Rule("true or false"),
    "history_days": _Rule("a whole number", 1),
    "max_file_bytes": _Rule("a whole number", 1),
    "model_path": _Rule("text"),
    "device": _Rule("text", choices=("auto", "cpu", "cuda")),
}


def read_settings(given: Any) -> tuple[Settings, list[str]]:
    """The settings in an editor's JSON object, and one sentence for each value that is no good.

    A bad value is replaced by its default. Keys that are not the server's (an editor keeps its own
    under the same section) are passed over; null stands for "not set".
    """
    if given is None:
        return Settings(), []
    if not isinstance(given, Mapping):
        return Settings(), [
            f"The setting {SECTION} must be an object, not {_shown(given)}; the defaults are used."
        ]
    values: dict[str, Any] = {}
    complaints = []
    for one in fields(Settings):
        key = _camel_case(one.name)
        value = given.get(key)
        if value is None:
            continue
        try:
            values[one.name] = _RULES[one.name].read(value)
        except SettingsError as error:
            default = _shown(getattr(Settings(), one.name))
            complaints.append(
                f"The setting {SECTION}.{key} {error}; its default, {default}, is used."
            )
    values["exclude"], beyond = _within_bounds(values.get("exclude", ()))
    return Settings(**values), complaints + beyond


def is_trusted(options: Any) -> bool:
    """Whether the folders are trusted; those of an editor that does not say are."""
    return not isinstance(options, Mapping) or options.get(TRUSTED) in (None, True)


def _within_bounds(given: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The globs that can be matched in bounded time, and a sentence for each that cannot.

    The others are kept: what they exclude is not to be read because of a mistake beside them.
    """
    kept, complaints, left = [], [], globs.MOST_CHARACTERS_TOGETHER
    for number, glob in enumerate(given):
        path = f"{SECTION}.exclude[{number}]"
        try:
            left -= globs.length(glob)
        except SettingsError as error:
            complaints.append(f"The setting {path} {error}, not {_shown(glob)}; it is left out.")
            continue
        if left < 0:
            complaints.append(
                f"The setting {path} and those after it are left out: the globs must have at most "
                f"{globs.MOST_CHARACTERS_TOGETHER:,} characters together, braces multiplied out."
            )
            break
        kept.append(glob)
    return tuple(kept), complaints


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _shown(value: Any) -> str:
    """A value as JSON would write it, cut short."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, tuple):
        value = list(value)
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
