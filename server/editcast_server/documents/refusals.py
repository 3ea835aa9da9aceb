"""Sentences for the user on why Editcast leaves a document alone; empty where it does not."""

from pathlib import Path

from editcast_server.documents import globs
from editcast_server.settings import Settings


def by_settings(
    name: str, language: str, path: Path | None, settings: Settings, *, is_secret: bool
) -> str:
    """Say why the settings do not let Editcast read a document."""
    wanted = settings.languages
    if not settings.enabled:
        return "Editcast is switched off by its setting `enabled`."
    if not {"*", language} & set(wanted) or f"!{language}" in wanted:
        return f"Editcast is off for {language} (setting languages)."
    if is_secret:
        return f"{name} usually holds secrets; Editcast leaves it alone."
    if path is not None and globs.matches_any(path, settings.exclude):
        return f"Editcast leaves {name} alone (setting exclude)."
    return ""


def by_text(name: str, text: str | None, most_bytes: int) -> str:
    """Say why a text cannot be used; None is a text that is not known."""
    if text is None:
        return f"{name} is too long (setting maxFileBytes), or has to be saved to be known again."
    if "\0" in text:
        return f"{name} holds NUL bytes, as no text does; Editcast leaves it alone."
    return too_long(name, most_bytes) if is_longer(text, most_bytes) else ""


def too_long(name: str, most_bytes: int) -> str:
    """Say that the document is too long."""
    return (
        f"{name} is longer than {most_bytes:,} bytes; Editcast leaves it alone (setting "
        "maxFileBytes)."
    )


def is_longer(text: str, most_bytes: int) -> bool:
    """Tell whether `text` takes more bytes than that in UTF-8."""
    if len(text) > most_bytes:
        return True
    if text.isascii() or 4 * len(text) <= most_bytes:
        return False
    return len(text.encode("utf-8", "surrogatepass")) > most_bytes
