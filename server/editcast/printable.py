"""Escaping of untrusted text for the terminal: a file's name can contain control characters."""


def printable(text: str, *, keep: str = "") -> str:
    """Return the text with invisible characters escaped, except those to `keep`, as line ends."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in keep else one.encode("unicode_escape").decode()
        for one in text
    )
