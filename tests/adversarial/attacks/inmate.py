"""The process that is given hostile inputs; see `jail`.

It reads JSON lines `{kind, given}` and answers each with `[how it ended, words, whether that is
expected]`.
"""

import json
import os
import resource
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from editcast_model.errors import EditcastError

_MOST_MEMORY = 12 << 30


def bundle(given: str) -> str:
    """Open a model and predict with it, as the server and the command line do."""
    from editcast_model.bundle import Bundle
    from editcast_model.forecasting.forecaster import NeuralForecaster
    from editcast_server.prediction import model_loader

    # This never raises: there is always a baseline.
    model = model_loader.load(model_loader.Choice(given))
    try:
        Bundle.open(Path(given))
        forecaster = NeuralForecaster.load(Path(given))
    except EditcastError:
        if not model.problem:
            raise AssertionError("the server took up a model that cannot be opened") from None
        raise
    session = forecaster.open("one(a)\ntwo(a)\nthree(a)\n")
    session.update("one(b)\ntwo(a)\nthree(a)\n", saved=True)
    session.predict(1)
    return model.forecaster.name


def git(given: str) -> str:
    """Read a repository."""
    from editcast_training.sources.git import read_files, read_git

    histories = list(read_git(Path(given), project="p", skipped=Counter(), languages=None))
    files = list(read_files(Path(given), skipped=Counter(), languages=None))
    return f"{len(histories)} {len(files)}"


def local_history(given: str) -> str:
    """Read a folder of VS Code's Local History."""
    from editcast_training.sources.local_history import read_local_history

    return str(len(list(read_local_history(Path(given), skipped=Counter()))))


def saves(given: str) -> str:
    """Read a file of save histories."""
    from editcast_training.sources.saves import read_saves

    return str(len(list(read_saves(Path(given), skipped=Counter()))))


def store(given: str) -> str:
    """Open a damaged store, read all of it and write to it."""
    from editcast_store.saves import Store

    with Store.open(Path(given)) as it:
        for file in it.files():
            it.snapshots(file.path)
        it.outcomes()
        list(it.export())
        it.record("/w/new.py", "new\n", 1, "python")
        it.prune(365, 1_000_000)
        it.forget("/w/**")
    return "read"


def settings(given: Any) -> str:
    """Read an editor's settings, and look at files by them."""
    from editcast_server.documents.buffer import Units
    from editcast_server.documents.document import Document
    from editcast_server.settings import read_settings

    found, complaints = read_settings(given)
    for uri in (
        "file:///w/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/aaaaaaaaaaaaaaaaaaaa.py",
        "untitled:1",
    ):
        document = Document(uri, "python", 1, "x = 1\n", Units.of("utf-16"))
        document.refusal(found)
        document.problem(found)
    return "; ".join(complaints)


_KINDS = {one.__name__: one for one in (bundle, git, local_history, saves, store, settings)}


def main() -> None:
    """Take inputs until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    # What a library prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    for line in sys.stdin:
        message = json.loads(line)
        try:
            answer = ["success", _KINDS[message["kind"]](message["given"]), True]
        except EditcastError as error:
            answer = [type(error).__name__, str(error), True]
        except BaseException as error:
            answer = [type(error).__name__, str(error)[:500], False]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
