"""`editcast demo`: a small editing session through a real server, step by step, on the terminal."""

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
from editcast_model.diff import apply_hunks, diff
from editcast_model.errors import BundleError
from editcast_model.forecasting.interface import Prediction
from editcast_model.tokenizer import lex
from editcast_server.prediction.policy import default_threshold
from editcast_store import paths
from editcast_store.models import default_bundle_path

#: What is replayed: a name, a language, the text as opened, and saves with their changes.
SESSION = tomllib.loads(Path(__file__).with_name("demo_session.toml").read_text("utf-8"))


def session_texts() -> list[str]:
    """Return the session's file as opened, and as each save left it."""
    texts: list[str] = [SESSION["opened"]]
    for save in SESSION["saves"]:
        text = texts[-1]
        for old, new in save["changes"]:
            text = text.replace(old, new, 1)
        texts.append(text)
    return texts


@dataclass(frozen=True, slots=True)
class Step:
    """A save, what was predicted after it, and what really came next.

    Attributes:
        end: The text as the session leaves it.
        suggested: The best prediction, however unsure; None when there was none.
        milliseconds: From the save to the answer.
    """

    text: str
    future: str
    end: str
    suggested: Prediction | None
    milliseconds: float

    @property
    def verdict(self) -> str:
        """Say how right a suggestion was, by the best word that holds.

        `hit` (a change that came next, exactly), `part` (of it), `later` (it comes), or `miss`.
        """
        if self.suggested is None:
            return "miss"
        after = apply_hunks(self.text, self.suggested.hunks)
        if after == self.future or set(diff(self.text, after)) <= set(diff(self.text, self.future)):
            return "hit"
        moved = _distance(self.text, after)
        for verdict, wanted in (("part", self.future), ("later", self.end)):
            if _distance(self.text, wanted) - _distance(after, wanted) == moved:
                return verdict
        return "miss"


@click.command()
def demo() -> None:
    """Replay a small editing session through a real server and print each step."""
    run(Console())


def run(console: Console) -> list[Step]:
    """Replay the session and print it; the user's own store is never touched."""
    paths.home()  # before anything is shown: where nothing can be written, nothing is
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
    except BundleError:  # the server says so, and goes on without a model
        return None


def _introduce(console: Console, name: str, threshold: float) -> None:
    model = escape(printable(name))
    console.print(
        f"A session of {len(SESSION['saves'])} saves of [bold]{SESSION['name']}[/], replayed "
        f"through a real language server.\nModel: [bold]{model}[/]. What it is less than "
        f"{threshold:.0%} sure of, an editor would not show by default.\n",
        highlight=False,
    )


def _print_step(console: Console, step: Step, threshold: float, *, is_probable: bool) -> None:
    best = step.suggested
    if best is None:
        console.print("  [yellow]Predicts nothing.[/] It has no idea what comes next.\n")
        return
    colour = "cyan" if best.confidence >= threshold else "yellow"
    sure = f"confidence {best.confidence:.0%}, " if is_probable else ""
    console.print(
        f"  [{colour}]Predicts[/] ({sure}{step.milliseconds:.1f} ms):",
        highlight=False,
    )
    console.print(render_changes(step.text, best.hunks), soft_wrap=True)
    if best.confidence < threshold:
        console.print("  [yellow]Not confident enough: an editor would not show it.[/]")
    match step.verdict:
        case "hit":
            console.print("  [green]Hit[/]: this came next.\n")
        case "part":
            console.print("  [green]Right[/] as far as it goes; this came next:")
        case "later":
            console.print("  [green]Right[/], but not yet; this came next:")
        case _:
            console.print("  [red]Miss[/]; this came next:")
    if step.verdict != "hit":
        console.print(render_changes(step.text, diff(step.text, step.future)), soft_wrap=True)
        console.print()


def _sum_up(console: Console, steps: list[Step], threshold: float) -> None:
    shown = [step for step in steps if step.suggested and step.suggested.confidence >= threshold]
    times = [step.milliseconds for step in steps if step.suggested]
    verdicts = [step.verdict for step in shown]
    console.print(
        Rule(align="left"),
        f"{len(steps)} predictions asked for, {len(shown)} confident enough to be shown; of these "
        f"{verdicts.count('hit')} hit, {verdicts.count('part')} were right as far as they went, "
        f"{verdicts.count('later')} came later, {verdicts.count('miss')} missed.",
        f"Time from save to suggestion, median: {median(times):.1f} ms." if times else "",
        highlight=False,
    )


def _distance(before: str, after: str) -> int:
    return Indel.distance(lex(before), lex(after))
