"""From a save to a suggestion: how long, how it grows with the edits and with the file.

Also how long the network takes to read all of a long file. The peer in the same run is repeat-best,
which has no model. The file is written here: methods that are alike but for their names, to about
5,000 subtokens, and each edit renames one argument.
"""

import statistics
import time

import numpy as np

from editcast_model.edits import START
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import Forecaster
from editcast_model.forecasting.sources.repeated_edits import RepeatBest
from editcast_model.history import EditHistory
from editcast_store.models import default_bundle_path

METHOD = '''
    def read_{name}(self, path, encoding="utf-8"):
        """Read the {name} from a file and count it."""
        with open(path, encoding=encoding) as file:
            value = self.parse(file.read(), "{name}")
        self.counts["{name}"] += len(value)
        return value
'''


def source(methods: int) -> str:
    """A class of so many methods."""
    body = "".join(METHOD.format(name=f"field_{index}") for index in range(methods))
    return "class Reader:\n" + body


def milliseconds(forecaster: Forecaster, methods: int, edits: int, runs: int) -> list[float]:
    """Times from a save to its suggestion, once `edits` saves have gone before."""
    text = source(methods)
    session = forecaster.resume(EditHistory(text))
    times = []
    for step in range(edits + runs):
        text = text.replace("(self, path, encoding", f"(self, place{step}, encoding", 1)
        started = time.perf_counter()
        session.update(text, saved=True)
        if step >= edits or step == 0:
            session.predict()
            if step >= edits:
                times.append(1e3 * (time.perf_counter() - started))
        session.prepare()  # as the server does when nobody waits
    return times


def line(name: str, times: list[float]) -> str:
    """One row of the table."""
    ranked = sorted(times)
    return (
        f"{name:<44}{statistics.median(ranked):>8.1f}{ranked[int(len(ranked) * 0.95)]:>8.1f}"
        f"{ranked[0]:>8.1f}"
    )


def first(forecaster: NeuralForecaster, methods: int) -> float:
    """Milliseconds of the first suggestion after opening."""
    text = source(methods)
    started = time.perf_counter()
    session = forecaster.open(text)
    session.update(text.replace("path", "place", 1), saved=True)
    session.predict()
    return 1e3 * (time.perf_counter() - started)


def reading(forecaster: NeuralForecaster, subtokens: int) -> float:
    """Milliseconds to encode a state of so many subtokens."""
    ids = forecaster.tokenizer.ids(source(subtokens // 40))[: subtokens - 1]
    tokens = np.array([START, *ids], np.int64)
    assert len(tokens) == subtokens
    started = time.perf_counter()
    forecaster.network.encode(tokens)
    return 1e3 * (time.perf_counter() - started)


def main() -> None:
    model = NeuralForecaster.load(default_bundle_path())

    def size(methods: int) -> int:
        return len(model.tokenizer.ids(source(methods)))

    small = next(count for count in range(10, 500) if size(count) >= 5_000 // 4)
    print(f"{model.name} on {model.device}; milliseconds         median     p95     min")
    for forecaster in (model, RepeatBest()):
        for methods, edits in ((small, 4), (4 * small, 4), (4 * small, 20)):
            name = f"{forecaster.name}, {size(methods)} subtokens, save {edits}+"
            print(line(name, milliseconds(forecaster, methods, edits, 20)))
    print(line("first suggestion after opening", [first(model, 4 * small) for _ in range(5)]))
    print(line("state of 16,000 subtokens encoded", [reading(model, 16_000) for _ in range(5)]))


if __name__ == "__main__":
    main()
