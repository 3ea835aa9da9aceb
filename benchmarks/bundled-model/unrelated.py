"""Suggestions in files that a change has nothing to do with, once the change is made.

Of each test project's sampled commits all files are saved; then files that the commit left as they
were are opened, and whatever is suggested there is wrong. Needs the repositories.
"""

import random
from collections import Counter
from pathlib import Path, PurePosixPath

import click

from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import PredictionOptions
from editcast_server.prediction.policy import default_threshold
from editcast_store.models import default_bundle_path
from editcast_training.evaluation.project_sessions import Changes
from editcast_training.evaluation.sessions import draw_sessions
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.registry import listed_repositories, read_origin

_PATH = click.Path(path_type=Path)
_FILES = 4  # of the folder of the changed file, and of the project, that are opened


@click.command()
@click.option("--repositories", type=_PATH, required=True, help="A TOML file with a list `test`.")
@click.option("--mirror", type=_PATH, required=True, help="The folder of these repositories.")
def main(repositories: Path, mirror: Path) -> None:
    """Open unrelated files after the commits of the test projects; print how many are disturbed."""
    forecaster = NeuralForecaster.load(default_bundle_path(), "cpu")
    threshold = default_threshold(forecaster.bundle.card)
    generator = random.Random(0)
    opened: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    origins, _ = listed_repositories(repositories, mirror)
    for origin in origins:
        if origin.split != "test":
            continue
        changes = Changes()
        histories = list(changes.watched(read_origin(origin, Skipped())))
        for session in draw_sessions(histories, count=40):
            saves = changes.at(session.project, session.times[0])
            left = {save.file for save in saves}
            others = [one for one in histories if one.path not in left]
            generator.shuffle(others)
            folder = PurePosixPath(session.path).parent
            near = [one for one in others if PurePosixPath(one.path).parent == folder]
            for where, files in (("the same folder", near), ("the project", others)):
                texts = (_text_at(one, session.times[0]) for one in files)
                for text in [one for one in texts if one is not None][:_FILES]:
                    opening = forecaster.open(text)
                    for save in saves:
                        opening.add_other_save(save)
                    context = EditContext.of([text], session.language)
                    found = opening.predict(1, PredictionOptions(context.accepts))
                    opened[where] += 1
                    shown[where] += bool(found) and found[0].confidence >= threshold
    for where, count in opened.items():
        click.echo(f"{where}: {count} files opened, something shown in {shown[where]}")


def _text_at(history: FileHistory, time: int) -> str | None:
    """Return what a file read at a time; None if it was not there, or is not written in Python."""
    if history.language != "python":
        return None
    before = [one.text for one in history.snapshots if one.time is not None and one.time < time]
    return before[-1] if before else None


if __name__ == "__main__":
    main()
