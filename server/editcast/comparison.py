"""Comparison of a fine-tuned model with its base, on the newest tenth of the history."""

from collections.abc import Sequence
from typing import get_args

from editcast_model.bundle import Bundle
from editcast_server.prediction.policy import threshold_of
from editcast_server.settings import Eagerness

#: For each save, the confidence of the best suggestion and whether it was clean; None without one.
Seen = Sequence[tuple[float, bool] | None]
_FEW = 100  # saves


def compared(bundle: Bundle) -> tuple[str, str] | None:
    """Return a sentence on the change at the default eagerness, and a page in Markdown.

    The page has a table of all levels, and the sentence. None means that nothing was compared.
    """
    known = bundle.card.written.get("comparison")
    if not known or not known["after"]:
        return None
    before, after = known["before"], known["after"]
    sentence = _sentence(before, after, threshold_of(bundle.card, "medium"))
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
        (shown, right), (more, better) = _counts(before, threshold), _counts(after, threshold)
        shares = (shown, len(before)), (more, len(after)), (right, shown), (better, more)
        lines.append(f"| {level} | {' | '.join(_percent(*one) for one in shares)} |")
    return sentence, "\n".join([*lines, "", sentence, ""])


def _sentence(before: Seen, after: Seen, threshold: float) -> str:
    (shown, right), (more, better) = _counts(before, threshold), _counts(after, threshold)
    said = (
        f"After {len(after)} saves you would have seen {more} suggestions instead of {shown}, and "
        f"{better} right ones instead of {right}."
    )
    return f"{said} With so few saves this may be chance." if len(after) < _FEW else said


def _counts(seen: Seen, threshold: float) -> tuple[int, int]:
    """Count the suggestions shown at a threshold, and the right ones among them."""
    shown = [one for one in seen if one is not None and one[0] >= threshold]
    return len(shown), sum(is_clean for _, is_clean in shown)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
