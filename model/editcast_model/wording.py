"""Words of messages that depend on a number."""


def counted(count: int, what: str) -> str:
    """Return a count with its noun: "1 save", "2,000 saves"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
