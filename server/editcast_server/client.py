"""Interface of an editor, as the service sees it."""

from typing import Protocol

from editcast_server.documents.document import Document
from editcast_server.status import Status


class Client(Protocol):
    """Whom the service talks to; all on the event loop."""

    def show_message(self, sentence: str, *, warning: bool) -> None:
        """Show the user a sentence."""

    def has_predicted(self, document: Document) -> None:
        """Tell the editor that the suggestions of a document have changed."""

    def has_status(self, status: Status) -> None:
        """Tell the editor what the server does now."""
