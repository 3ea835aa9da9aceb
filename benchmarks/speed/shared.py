"""A shared predictor against this machine: from a save to a suggestion, and what is sent for it.

    python benchmarks/speed/shared.py [--repository FOLDER]

The bundled network, and one of some twenty times its parameters with random weights, each here and
on a server of the Open Inference Protocol on this machine
(`tests/server/predictor/open_inference.py`). Both use the same processors, so what is added is the
protocol. With --repository the model repository of the larger network is left in a folder, to serve
it on a GPU; with --address as well, the larger one is asked there.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import torch
from suggest import source

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.export import export
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.model import EditNetwork
from editcast_predictor.__main__ import write_repository
from editcast_predictor.network import SharedNetwork, load

_SERVER = Path(__file__).parents[2] / "tests" / "server" / "predictor" / "open_inference.py"
_METHODS, _RUNS, _BEFORE = 10, 5, 2
_PATIENCE = 120.0  # seconds of a run: nothing is to fail here


def larger(folder: Path) -> tuple[Bundle, float]:
    """Export an untrained network of the bundled vocabulary; how many times larger it is."""
    base = Bundle.open(bundled_path())
    torch.manual_seed(0)
    config = NetworkConfig(
        base.network.vocabulary, 640, state_layers=3, edit_layers=3, feed_forward=2560
    )
    sizes = [
        sum(one.numel() for one in EditNetwork(each).parameters())
        for each in (base.network, config)
    ]
    network = EditNetwork(config).eval()
    return export(network, base.tokenizer, {"name": "larger"}, folder), sizes[1] / sizes[0]


def measured(name: str, forecaster: NeuralForecaster) -> None:
    """Print the times of a forecaster, and the runs and bytes of each save."""
    network, runs, sent = forecaster.network, 0, 0
    if isinstance(network, SharedNetwork):
        ask = network._client._ask

        def counted(method, path, body=None, headers=None):  # type: ignore[no-untyped-def]
            nonlocal runs, sent
            found = ask(method, path, body, headers)
            runs, sent = runs + 1, sent + len(body or b"") + len(found[0])
            return found

        network._client._ask = counted  # type: ignore[method-assign]
    text = source(_METHODS)
    began = time.perf_counter()
    session = forecaster.open(text)
    opened = 1e3 * (time.perf_counter() - began)
    times = []
    for step in range(_BEFORE + _RUNS):
        if step == _BEFORE:
            runs = sent = 0
        text = text.replace("(self, path, encoding", f"(self, place{step}, encoding", 1)
        began = time.perf_counter()
        session.update(text, saved=True)
        session.predict()
        if step >= _BEFORE:
            times.append(1e3 * (time.perf_counter() - began))
    click.echo(
        f"{name:<28}{opened:>10.0f}{statistics.median(times):>10.0f}{max(times):>10.0f}"
        f"{runs / _RUNS:>8.1f}{sent / _RUNS / 1e6:>8.1f}"
    )


@click.command()
@click.option("--repository", type=click.Path(path_type=Path))
@click.option("--address")
def main(repository: Path | None, address: str | None) -> None:
    """Measure all four."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle, times = larger(folder / "larger")
        count = len(bundle.tokenizer.ids(source(_METHODS)))
        click.echo(f"A file of {count:,} subtokens; the larger network has {times:.1f} times more.")
        click.echo(
            f"{'ms, but for the last two':<28}{'open':>10}{'median':>10}{'most':>10}", nl=False
        )
        click.echo(f"{'runs':>8}{'MB':>8}")
        for label, path in (("bundled", bundled_path()), ("larger", bundle.path)):
            measured(f"{label}, here", NeuralForecaster.load(path, "cpu"))
            models = repository if repository and label == "larger" else folder / f"{label}-served"
            write_repository(path, models)
            if address and label == "larger":
                measured(f"{label}, at {address}", load(path, address, _PATIENCE))
                continue
            process = subprocess.Popen(
                [sys.executable, _SERVER, models],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert process.stdout
            served = process.stdout.readline().strip()
            measured(f"{label}, over loopback", load(path, served, _PATIENCE))
            process.communicate()


if __name__ == "__main__":
    main()
