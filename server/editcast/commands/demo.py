"""`editcast demo`: a short editing session, replayed through a real server on the terminal."""

import tempfile
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

import click
from rapidfuzz.distance import Indel
from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from editcast.printable import printable
from editcast.render_diff import render_changes
from editcast.replay_client import ReplayClient
from editcast_model.bundle import Bundle
from editcast_model.card import Card
from editcast_model.diff import diff
from editcast_model.errors import BundleError
from editcast_model.forecasting.interface import Prediction
from editcast_model.tokenizer import lex
from editcast_server.prediction.policy import default_threshold
from editcast_store import paths
from editcast_store.models import default_bundle_path

#: The session: a name, a language, the initial text, and the changes of each save.
SESSION = tomllib.loads(Path(__file__).with_name("demo_session.toml").read_text("utf-8"))
_VERDICTS = {
    "hit": "[green]Hit[/]: this came next.\n",
    "part": "[green]Partly right[/]; this came next:",
    "later": "[green]Right, but too early[/]; this came next:",
    "miss": "[red]Miss[/]; this came next:",
}


def session_texts() -> list[str]:
    """Return the session's initial text, and the text after each save."""
    texts: list[str] = [SESSION["opened"]]
    for save in SESSION["saves"]:
        text = texts[-1]
        for old, new in save["changes"]:
            text = text.replace(old, new, 1)
        texts.append(text)
    return texts


@dataclass(frozen=True, slots=True)
class Step:
    """A save, the best prediction after it, at any confidence, and what was saved later."""

    text: str
    future: str  # of the next save
    end: str  # of the last save
    suggested: Prediction | None
    milliseconds: float  # from the save to the answer

    @property
    def verdict(self) -> str:
        """Classify the suggestion.

        `hit` is exactly a change of the next save, `part` is a part of it, `later` comes in a
        later save, and `miss` is anything else.
        """
        if self.suggested is None:
            return "miss"
        after = self.suggested.hunk.apply(self.text)
        if set(diff(self.text, after)) <= set(diff(self.text, self.future)):
            return "hit"
        moved = _distance(self.text, after)
        for verdict, wanted in (("part", self.future), ("later", self.end)):
            if _distance(self.text, wanted) - _distance(after, wanted) == moved:
                return verdict
        return "miss"


@click.command()
def demo() -> None:
    """Replay a short editing session through a real server and print each step."""
    run(Console())


def run(console: Console) -> list[Step]:
    """Replay the session and print it, without using the user's store."""
    paths.home()  # report an unusable folder first
    card = _card()
    threshold = default_threshold(card)
    settings = {"confidenceThreshold": 0, "modelPath": str(default_bundle_path())}
    texts = session_texts()
    steps = []
    with (
        tempfile.TemporaryDirectory(prefix="editcast-demo-") as folder,
        ReplayClient(settings, home=Path(folder)) as client,
    ):
        _introduce(console, client.name, threshold)
        client.open(texts[0], SESSION["language"])
        futures = [*texts[2:], ""]
        changes = zip(SESSION["saves"], pairwise(texts), futures, strict=True)
        for number, (save, (before, text), future) in enumerate(changes, 1):
            client.save(text)
            answer = client.suggest() if future else (None, 0.0)
            console.print(Rule(f"[bold]Save {number}[/]: {save['purpose']}", align="left"))
            console.print(render_changes(before, diff(before, text)), soft_wrap=True)
            if future:
                steps.append(Step(text, future, texts[-1], *answer))
                _print_step(console, steps[-1], threshold, is_probable=card is not None)
    _sum_up(console, steps, threshold)
    return steps


def _card() -> Card | None:
    try:
        return Bundle.open(default_bundle_path()).card
    except BundleError:  # the server reports it, and continues without a model
        return None


def _introduce(console: Console, name: str, threshold: float) -> None:
    model = escape(printable(name))
    console.print(
        f"A session of {len(SESSION['saves'])} saves of [bold]{SESSION['name']}[/], replayed "
        f"through a real language server.\nModel: [bold]{model}[/]. By default an editor shows "
        f"suggestions from a confidence of {threshold:.0%}.\n",
        highlight=False,
    )


def _print_step(console: Console, step: Step, threshold: float, *, is_probable: bool) -> None:
    best = step.suggested
    if best is None:
        console.print("  [yellow]Predicts nothing.[/]\n")
        return
    colour = "cyan" if best.confidence >= threshold else "yellow"
    sure = f"confidence {best.confidence:.0%}, " if is_probable else ""
    console.print(f"  [{colour}]Predicts[/] ({sure}{step.milliseconds:.1f} ms):", highlight=False)
    console.print(render_changes(step.text, [best.hunk]), soft_wrap=True)
    if best.confidence < threshold:
        console.print("  [yellow]Below the threshold: an editor would not show it.[/]")
    console.print(f"  {_VERDICTS[step.verdict]}")
    if step.verdict != "hit":
        console.print(render_changes(step.text, diff(step.text, step.future)), soft_wrap=True)
        console.print()


def _sum_up(console: Console, steps: list[Step], threshold: float) -> None:
    shown = [step for step in steps if step.suggested and step.suggested.confidence >= threshold]
    times = [step.milliseconds for step in steps if step.suggested]
    verdicts = [step.verdict for step in shown]
    console.print(
        Rule(align="left"),
        f"{len(steps)} predictions requested, {len(shown)} confident enough to be shown; of these "
        f"{verdicts.count('hit')} hit, {verdicts.count('part')} were partly right, "
        f"{verdicts.count('later')} came too early, {verdicts.count('miss')} missed.",
        f"Time from save to suggestion, median: {median(times):.1f} ms." if times else "",
        highlight=False,
    )


def _distance(before: str, after: str) -> int:
    return Indel.distance(lex(before), lex(after))
