"""The user's settings: their defaults, how an editor's JSON becomes them, what they leave alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_type_hints

from editcast_model.checked import Between, UnfitError, structure
from editcast_model.errors import SettingsError
from editcast_server.documents import globs

Device = Literal["auto", "cpu", "cuda"]
Eagerness = Literal["low", "medium", "high"]

SECTION = "editcast"

#: Beside the settings in initializationOptions: whether the user trusts the folders that are open.
TRUSTED = "isWorkspaceTrusted"


def _at_least_one(value: int) -> str:
    return "" if value >= 1 else "must be at least 1"


Positive = Annotated[int, _at_least_one]


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
        team_model: Folder of a team's models, of whose newest one the user is told; see `team`.
        shared_predictor: Address of a server that runs the model; empty to run it here.
        device: Where the network runs.
    """

    enabled: bool = True
    eagerness: Eagerness = "medium"
    confidence_threshold: Annotated[float, Between(0, 1)] | None = None
    debounce_ms: Annotated[int, Between(0, 60_000)] = 75
    languages: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    history_enabled: bool = True
    history_days: Positive = 365
    max_file_bytes: Positive = 1_000_000
    model_path: str = ""
    team_model: str = ""
    shared_predictor: str = ""
    device: Device = "auto"

    def serves(self, language: str) -> bool:
        """Tell whether files in a language may be read."""
        wanted = self.languages
        return self.enabled and bool({"*", language} & {*wanted}) and f"!{language}" not in wanted

    def refusal(self, name: str, language: str, *, is_secret: bool, is_excluded: bool) -> str:
        """Say why Editcast may not read a document, for the user; empty where it may."""
        if not self.enabled:
            return "Editcast is switched off by its setting `enabled`."
        if not self.serves(language):
            return f"Editcast is off for {language} (setting languages)."
        if is_secret:
            return f"{name} usually holds secrets; Editcast leaves it alone."
        if is_excluded:
            return f"Editcast leaves {name} alone (setting exclude)."
        return ""

    def problem(self, name: str, text: str | None) -> str:
        """Say why a document's text cannot be used; None is a text that is not known."""
        if text is None:
            return (
                f"{name} is too long (setting maxFileBytes), or has to be saved to be known again."
            )
        if "\0" in text:
            return f"{name} holds NUL bytes, as no text does; Editcast leaves it alone."
        return self.too_long(name) if self.is_too_long(text) else ""

    def too_long(self, name: str) -> str:
        """Say that a document is too long."""
        return (
            f"{name} is longer than {self.max_file_bytes:,} bytes; Editcast leaves it alone "
            "(setting maxFileBytes)."
        )

    def is_too_long(self, text: str) -> bool:
        """Tell whether a text takes more bytes in UTF-8 than it may."""
        most = self.max_file_bytes
        if len(text) > most:
            return True
        if text.isascii() or 4 * len(text) <= most:
            return False
        return len(text.encode("utf-8", "surrogatepass")) > most


def read_settings(given: Any) -> tuple[Settings, list[str]]:
    """Read the settings in an editor's JSON object, with a sentence for each bad value.

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
    for name, kind in get_type_hints(Settings, include_extras=True).items():
        key = _camel_case(name)
        value = given.get(key)
        if value is None:
            continue
        try:
            values[name] = structure(list(value) if isinstance(value, tuple) else value, kind)
        except UnfitError as error:
            place, _, problem = str(error).partition(" ")
            place, default = place.removeprefix("it"), _shown(getattr(Settings(), name))
            complaints.append(
                f"The setting {SECTION}.{key}{place} {problem}, not {_shown(value)}; its default, "
                f"{default}, is used."
            )
    values["exclude"], beyond = _within_bounds(values.get("exclude", ()))
    return Settings(**values), complaints + beyond


def is_trusted(options: Any) -> bool:
    """Tell whether the folders are trusted; those of an editor that does not say are."""
    return not isinstance(options, Mapping) or options.get(TRUSTED) in (None, True)


def _within_bounds(given: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Return the globs that can be matched in bounded time; say in a sentence what others lack.

    The others are kept: what they exclude is not to be read because of a mistake beside them.
    """
    kept, complaints, count, characters = [], [], 0, 0
    for number, glob in enumerate(given):
        path = f"{SECTION}.exclude[{number}]"
        try:
            own_count, own_characters = globs.size(glob)
        except SettingsError as error:
            complaints.append(f"The setting {path} {error}, not {_shown(glob)}; it is left out.")
            continue
        count, characters = count + own_count, characters + own_characters
        if count > globs.MOST_GLOBS or characters > globs.MOST_CHARACTERS_TOGETHER:
            complaints.append(
                f"The setting {path} and those after it are left out: at most {globs.MOST_GLOBS} "
                f"globs of {globs.MOST_CHARACTERS_TOGETHER:,} characters together are matched, "
                "braces multiplied out."
            )
            break
        kept.append(glob)
    return tuple(kept), complaints


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _shown(value: Any) -> str:
    """Write a value as JSON, cut short."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, tuple):
        value = list(value)
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
