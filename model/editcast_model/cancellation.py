"""The question that long work asks again and again: has it been cancelled?"""


def never() -> bool:
    """Answer that nothing was cancelled; the default."""
    return False
