"""Fixtures of the model's tests: a small tokenizer, and a small bundle."""

from collections.abc import Callable
from pathlib import Path

import pytest

from editcast_model.bundle import Bundle
from editcast_model.tokenizer import Tokenizer

#: The folder of a name, and what fills it if it is not there yet.
MadeOnce = Callable[[str, Callable[[Path], object]], Path]

_CODE = '''
def parse(self, text, default=None):
    """Return the value of text, or default."""
    if not isinstance(text, str):
        raise TypeError("text is not a string: %r" % (text,))
    for index, line in enumerate(text.splitlines()):
        if line.startswith("#"):
            continue
        self.values[index] = line.strip()
    return self.values.get(0, default)


class Parser(object):
    def __init__(self, values=()):
        self.values = dict(values)

    def close(self):
        return None
'''


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Bytes and a few of Python's words."""
    return Tokenizer.train([_CODE], vocabulary=350)


@pytest.fixture(scope="session")
def code() -> str:
    """The text that the tokenizer knows."""
    return _CODE


@pytest.fixture(scope="session")
def bundle(tokenizer: Tokenizer, made_once: MadeOnce) -> Bundle:
    """An exported network of the bundled model's kind, tiny and untrained, but with opinions."""
    import torch

    from editcast_model.export import export
    from editcast_model.networks.config import NetworkConfig
    from editcast_model.networks.model import EditNetwork

    torch.manual_seed(1)
    # One layer of each: exporting takes its time.
    config = NetworkConfig(
        len(tokenizer), width=32, feed_forward=64, local=8, state_layers=1, edit_layers=1
    )
    network = EditNetwork(config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    place = made_once(
        "models", lambda to: export(network, tokenizer, {"name": "tiny"}, to / "tiny")
    )
    return Bundle.open(place / "tiny")
