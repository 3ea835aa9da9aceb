"""Comparison of a fine-tuned model with its base, on the newest tenth of the history."""

from collections.abc import Sequence
from typing import get_args

from editcast_model.bundle import Bundle
from editcast_model.card import Card
from editcast_server.prediction.policy import threshold_of
from editcast_server.settings import Eagerness

#: For each save, the confidence of the best suggestion and whether it was clean; None without one.
Seen = Sequence[tuple[float, bool] | None]
_FEW = 100  # saves


def page(bundle: Bundle) -> str:
    """Return the comparison in Markdown, a table and a sentence; empty if there is none."""
    found = _found(bundle.card)
    if found is None:
        return ""
    before, after = found
    lines = [
        f"# {bundle.name} compared with {bundle.card.base}",
        "",
        f"On {len(after)} saves of the newest tenth of your history, which {bundle.name} was not "
        "trained on.",
        "",
        "| Eagerness | Saves with a suggestion, before | now | Of these right, before | now |",
        "|---|---|---|---|---|",
    ]
    for level in get_args(Eagerness):
        threshold = threshold_of(bundle.card, level)
        (shown, right), (more, better) = (_counts(one, threshold) for one in found)
        shares = (shown, len(before)), (more, len(after)), (right, shown), (better, more)
        lines.append(f"| {level} | {' | '.join(_percent(*one) for one in shares)} |")
    return "\n".join([*lines, "", sentence(bundle), ""])


def sentence(bundle: Bundle) -> str:
    """Describe the change at the default eagerness; empty if nothing was compared."""
    found = _found(bundle.card)
    if found is None:
        return ""
    threshold = threshold_of(bundle.card, "medium")
    (shown, right), (more, better) = (_counts(one, threshold) for one in found)
    count = len(found[1])
    said = (
        f"After {count} saves you would have seen {more} suggestions instead of {shown}, and "
        f"{better} right ones instead of {right}"
    )
    return f"{said}. With so few saves this may be chance." if count < _FEW else f"{said}."


def _found(card: Card) -> tuple[Seen, Seen] | None:
    known = card.written.get("comparison")
    return (known["before"], known["after"]) if known and known["after"] else None


def _counts(seen: Seen, threshold: float) -> tuple[int, int]:
    """Count the suggestions shown at a threshold, and the right ones among them."""
    shown = [one for one in seen if one is not None and one[0] >= threshold]
    return len(shown), sum(is_clean for _, is_clean in shown)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
