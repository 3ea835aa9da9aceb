"""Claims that the paper makes in words, beside what was run; and its example sequences."""

from collections.abc import Mapping, Sequence

from editcast_model.edits import DELETE
from editcast_papers.zhao2019.runs import RealRun, Timing
from editcast_papers.zhao2019.synthetic import FIRST, LETTERS
from editcast_papers.zhao2019.tasks import examples

#: The tasks that Figure 5 zooms in on.
ZOOMED = ("MetaFlip11", "ContextReverse51")
_SHOWN = 10  # steps of an example


def scalability(timings: Sequence[Timing]) -> str:
    """Compare IA with IR and E, as the paper does of Figure 4 a to c."""
    found = {(one.device, one.hidden, one.insertions, one.model): one.seconds for one in timings}
    cells = dict.fromkeys(key[:3] for key in found)

    def ratios(model: str, other: str) -> list[float]:
        pairs = [(found.get((*cell, model)), found.get((*cell, other))) for cell in cells]
        return [mine / theirs for mine, theirs in pairs if mine and theirs]

    own, explicit = ratios("IA-ag", "IR"), ratios("E", "IR")
    if not own:
        return ""
    said = (
        "The paper: attention takes 50 to 75 % of the time of IR, on a P100. Here IA-ag takes "
        f"{min(own):.1f} to {max(own):.1f} times as long as IR: "
    )
    said += "the claim holds." if max(own) <= 1 else "the claim does not hold on these devices."
    if explicit:
        said += (
            " The paper: the explicit model is consistently more expensive. Here E takes "
            f"{min(explicit):.0f} to {max(explicit):.0f} times as long as IR."
        )
    return said


def most_confident(chosen: Mapping[tuple[str, str], RealRun]) -> str:
    """Say where IA is not the best of the paper's three, by share of tokens left out (4 d)."""
    said = []
    for split in sorted({split for split, _ in chosen}):
        curves = {
            model: {share: accuracy for share, accuracy in chosen[split, model].curve}
            for model in ("E", "IR", "IA-ag")
            if (split, model) in chosen
        }
        own = curves.pop("IA-ag", {})
        if not own or not curves:
            continue
        below = sorted(
            share
            for share, accuracy in own.items()
            if any(other.get(share, 0.0) > accuracy for other in curves.values())
        )
        shares = ", ".join(f"{share:g}" for share in below)
        said.append(f" On the split `{split}` it is{f' not at {shares} %' if below else ''} here.")
    if not said:
        return ""
    return "The paper: IA is better than E and IR whatever share is left out." + "".join(said)


def example_of(task: str) -> str:
    """Show the first test instance step by step: what is inserted in brackets, what goes struck.

    Raises:
        ReproductionError: There is no such task.
    """
    (example,) = examples(task, "test", 1)
    states = list(example.sequence.states())
    rows = [_text(states[0])]
    for edit, before, after in zip(
        example.sequence.explicit()[:_SHOWN], states[:-1], states[1:], strict=False
    ):
        gone = edit.content == DELETE
        shown, at = (before, edit.position) if gone else (after, edit.position + 1)
        marks = ("-", "-") if gone else ("[", "]")
        rows.append(
            _text(shown[:at]) + _text(shown[at : at + 1]).join(marks) + _text(shown[at + 1 :])
        )
    given = f", the first {example.given} given" if example.given else ""
    lines = "\n".join(f"    {row}" for row in rows)
    return f"{task}, {len(example.sequence.edits)} edits{given}:\n\n{lines}"


def _text(tokens: Sequence[int]) -> str:
    return "".join(LETTERS[token - FIRST] for token in tokens if token >= FIRST)
