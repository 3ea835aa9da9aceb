"""Text from outside as a terminal may show it: a file's name can hold what moves the cursor."""


def printable(text: str, *, keep: str = "") -> str:
    """Return the text with control characters, and others that are not seen, written as escapes.

    Args:
        text: A path, a model's name, a sentence that names one.
        keep: Characters to leave as they are, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in keep else one.encode("unicode_escape").decode()
        for one in text
    )
