"""`editcast demo`: a short editing session, replayed through a real server on the terminal."""

import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
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
from editcast_server.prediction.policy import default_threshold
from editcast_store import paths
from editcast_store.models import default_bundle_path
from editcast_training.evaluation.metrics import score_over_time
from editcast_training.evaluation.sessions import EditingSession, Step

#: The session: a name, a language, the initial text, and the changes of each save.
SESSION = tomllib.loads(Path(__file__).with_name("demo_session.toml").read_text("utf-8"))


def session() -> EditingSession:
    """Return the session: its initial text, and the text after each save."""
    texts: list[str] = [SESSION["opened"]]
    for save in SESSION["saves"]:
        text = texts[-1]
        for old, new in save["changes"]:
            text = text.replace(old, new, 1)
        texts.append(text)
    return EditingSession("demo", SESSION["name"], SESSION["language"], "saves", tuple(texts))


@dataclass(frozen=True, slots=True)
class Answer:
    """The best prediction after a save, at any confidence; None if there was none.

    Attributes:
        milliseconds: The time from the save to the answer.
    """

    step: Step
    suggested: Prediction | None
    milliseconds: float

    @property
    def verdict(self) -> str:
        """Classify the suggestion.

        `hit` is exactly a change of the next save, `part` is a part of it, `later` comes in a
        later save, and `miss` is anything else.
        """
        if self.suggested is None:
            return "miss"
        step, hunk = self.step, self.suggested.hunk
        if set(diff(step.text, hunk.apply(step.text))) <= set(diff(step.text, step.future)):
            return "hit"
        score = score_over_time(hunk, step)
        return "part" if score.clean else "later" if score.later else "miss"


@click.command()
def demo() -> None:
    """Replay a short editing session through a real server and print each step."""
    run(Console())


def run(console: Console) -> list[Answer]:
    """Replay the session and print it, without using the user's store."""
    paths.home()  # report an unusable folder first
    card = _card()
    threshold = default_threshold(card)
    settings = {"confidenceThreshold": 0, "modelPath": str(default_bundle_path())}
    replayed = session()
    answers = []
    with (
        tempfile.TemporaryDirectory(prefix="editcast-demo-") as folder,
        ReplayClient(settings, home=Path(folder)) as client,
    ):
        _introduce(console, client.name, threshold)
        client.open(replayed.texts[0], replayed.language)
        for number, step in replayed.replay(client.save, client.add_other_save):
            answers.append(Answer(step, *client.suggest()))
            _print_save(console, replayed, number)
            _print_answer(console, answers[-1], threshold, is_probable=card is not None)
        _print_save(console, replayed, len(SESSION["saves"]))
    _sum_up(console, answers, threshold)
    return answers


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


def _print_save(console: Console, replayed: EditingSession, number: int) -> None:
    before, text = replayed.texts[number - 1 : number + 1]
    purpose = SESSION["saves"][number - 1]["purpose"]
    console.print(Rule(f"[bold]Save {number}[/]: {purpose}", align="left"))
    console.print(render_changes(before, diff(before, text)), soft_wrap=True)


def _print_answer(console: Console, answer: Answer, threshold: float, *, is_probable: bool) -> None:
    step, best = answer.step, answer.suggested
    if best is None:
        console.print("  [yellow]Predicts nothing.[/]\n")
        return
    colour = "cyan" if best.confidence >= threshold else "yellow"
    sure = f"confidence {best.confidence:.0%}, " if is_probable else ""
    console.print(f"  [{colour}]Predicts[/] ({sure}{answer.milliseconds:.1f} ms):", highlight=False)
    console.print(render_changes(step.text, [best.hunk]), soft_wrap=True)
    if best.confidence < threshold:
        console.print("  [yellow]Below the threshold: an editor would not show it.[/]")
    match answer.verdict:
        case "hit":
            console.print("  [green]Hit[/]: this came next.\n")
        case "part":
            console.print("  [green]Partly right[/]; this came next:")
        case "later":
            console.print("  [green]Right, but too early[/]; this came next:")
        case _:
            console.print("  [red]Miss[/]; this came next:")
    if answer.verdict != "hit":
        console.print(render_changes(step.text, diff(step.text, step.future)), soft_wrap=True)
        console.print()


def _sum_up(console: Console, answers: list[Answer], threshold: float) -> None:
    shown = [one for one in answers if one.suggested and one.suggested.confidence >= threshold]
    times = [one.milliseconds for one in answers if one.suggested]
    verdicts = [one.verdict for one in shown]
    console.print(
        Rule(align="left"),
        f"{len(answers)} predictions requested, {len(shown)} confident enough to be shown; of "
        f"these {verdicts.count('hit')} hit, {verdicts.count('part')} were partly right, "
        f"{verdicts.count('later')} came too early, {verdicts.count('miss')} missed.",
        f"Time from save to suggestion, median: {median(times):.1f} ms." if times else "",
        highlight=False,
    )
