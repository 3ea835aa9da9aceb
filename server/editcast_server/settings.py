"""The user's settings: their defaults, how they are read from JSON, and what they exclude."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_type_hints

from editcast_model.checked import UnfitError, between, structure
from editcast_model.errors import SettingsError
from editcast_server.documents import globs

Device = Literal["auto", "cpu", "cuda"]
Eagerness = Literal["low", "medium", "high"]

SECTION = "editcast"

#: The key in initializationOptions that tells whether the user trusts the open folders.
TRUSTED = "isWorkspaceTrusted"


def _at_least_one(value: int) -> str:
    return "" if value >= 1 else "must be at least 1"


Positive = Annotated[int, _at_least_one]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; editors show their names in camel case."""

    enabled: bool = True  # whether to suggest edits and record saves at all
    eagerness: Eagerness = "medium"  # how confident a suggestion must be to be shown
    confidence_threshold: Annotated[float, between(0, 1)] | None = None  # None: as `eagerness` says
    debounce_ms: Annotated[int, between(0, 60_000)] = 75  # pause of typing before a prediction
    languages: tuple[str, ...] = ("*",)  # to serve; `*` means all, `!python` excludes one
    exclude: tuple[str, ...] = ()  # globs of files where nothing is recorded or predicted
    history_enabled: bool = True  # whether saves are recorded in the store
    history_days: Positive = 365  # how many days the store keeps them
    max_file_bytes: Positive = 1_000_000  # of a file in UTF-8
    model_path: str = ""  # a bundle; empty for the newest one trained here, else the bundled one
    team_model: str = ""  # the folder of a team's models; the user is told of new ones
    shared_predictor: str = ""  # the address of a server that runs the model; empty to run it here
    device: Device = "auto"  # for the network

    def serves(self, language: str) -> bool:
        """Tell whether files in a language may be read."""
        wanted = self.languages
        return self.enabled and bool({"*", language} & {*wanted}) and f"!{language}" not in wanted

    def is_too_long(self, text: str) -> bool:
        """Tell whether a text in UTF-8 exceeds the maximum size."""
        most = self.max_file_bytes
        if len(text) > most:
            return True
        if text.isascii() or 4 * len(text) <= most:
            return False
        return len(text.encode("utf-8", "surrogatepass")) > most


def read_settings(given: Any) -> tuple[Settings, list[str]]:
    """Read the settings in an editor's JSON object; return them and a sentence for each bad value.

    A bad value is replaced by its default. Unknown keys are ignored, since an editor keeps its own
    settings in the same section; null means "not set".
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
    """Tell whether the user trusts the folders; the default is yes."""
    return not isinstance(options, Mapping) or options.get(TRUSTED) in (None, True)


def _within_bounds(given: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Return the globs within the limits, and a sentence for each problem.

    A bad glob does not invalidate the others, since the files that they exclude must not be read.
    """
    kept, complaints, count, characters = [], [], 0, 0
    for number, glob in enumerate(given):
        path = f"{SECTION}.exclude[{number}]"
        try:
            own_count, own_characters = globs.size(glob)
        except SettingsError as error:
            complaints.append(f"The setting {path} {error}, not {_shown(glob)}; it is ignored.")
            continue
        count, characters = count + own_count, characters + own_characters
        if count > globs.MOST_GLOBS or characters > globs.MOST_CHARACTERS_TOGETHER:
            complaints.append(
                f"The setting {path} and those after it are ignored: at most {globs.MOST_GLOBS} "
                f"globs of {globs.MOST_CHARACTERS_TOGETHER:,} characters in total are matched, "
                "with braces expanded."
            )
            break
        kept.append(glob)
    return tuple(kept), complaints


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _shown(value: Any) -> str:
    """Write a value as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
