"""Which documents Editcast looks at, and which it leaves alone."""

from editcast_server.documents import globs
from editcast_server.documents.document import Document, is_longer
from editcast_server.settings import Settings


def is_allowed(document: Document, settings: Settings) -> bool:
    """Whether the settings let Editcast look at a document at all."""
    languages, language = settings.languages, document.language
    if not settings.enabled or not {"*", language} & set(languages) or f"!{language}" in languages:
        return False
    path = document.path
    return path is None or not (document.is_secret or globs.matches_any(path, settings.exclude))


def why_not(document: Document, settings: Settings) -> str:
    """Why nothing can be done with a document's text, as a sentence for the user; empty if it can.

    Its text must be known.
    """
    assert document.buffer is not None
    text = document.buffer.text
    if "\0" in text:
        return f"{document.name} holds NUL bytes, as no text does; Editcast leaves it alone."
    if is_longer(text, settings.max_file_bytes):
        return too_long(document, settings)
    return ""


def too_long(document: Document, settings: Settings) -> str:
    """That a document is too long, as a sentence for the user."""
    return (
        f"{document.name} is longer than {settings.max_file_bytes:,} bytes; Editcast "
        "leaves it alone (setting maxFileBytes)."
    )
