"""The networks by the names that the tables of Zhao et al. (2019) have for them."""

from dataclasses import replace

import torch
from torch import nn

from editcast_model.errors import ReproductionError
from editcast_papers.zhao2019.networks.attention import Gate
from editcast_papers.zhao2019.networks.config import ablations, paper, plus
from editcast_papers.zhao2019.networks.explicit import Explicit
from editcast_papers.zhao2019.networks.implicit_attention import ImplicitAttention
from editcast_papers.zhao2019.networks.recurrent import Recurrent

VARIANTS = ("IA-v", "IA-vg", "IA-a", "IA-ag")
ABLATIONS = tuple(ablations(8, 8))
#: With an output layer of its own, as in the paper.
UNTIED = ("IA-ag untied", "IA+ untied")
#: Started as in TensorFlow, which the paper used; with the share of values that dropout removes.
GLOROT = {"IA-ag glorot": 0.0, "IA-ag glorot dropout": 0.1}
NAMES = ("E", "IR", *VARIANTS, "IA+", *ABLATIONS, *UNTIED, *GLOROT)


def build(name: str, vocabulary: int, width: int, items: int) -> nn.Module:
    """Return a new network.

    Args:
        name: One of `NAMES`.
        vocabulary: How many tokens there are.
        width: The hidden size.
        items: The most items that an instance has: its state's tokens and its edits.

    Raises:
        ReproductionError: There is no such network; the message lists them.
    """
    if name == "E":
        return Explicit(vocabulary, width)
    if name == "IR":
        return Recurrent(vocabulary, width, items)
    if name in VARIANTS:
        return ImplicitAttention(paper(vocabulary, name, width))
    if name == "IA+":
        return ImplicitAttention(plus(vocabulary, width))
    if name in UNTIED:
        own = paper(vocabulary, "IA-ag", width) if name == UNTIED[0] else plus(vocabulary, width)
        return ImplicitAttention(replace(own, untied=True))
    if name in GLOROT:
        own = paper(vocabulary, "IA-ag", width)
        network = ImplicitAttention(replace(own, scaled=False, dropout=GLOROT[name]))
        _start_as_in_tensorflow(network)
        return network
    if name in ABLATIONS:
        return ImplicitAttention(ablations(vocabulary, width)[name])
    raise ReproductionError(f"There is no network {name}; there are {', '.join(NAMES)}.")


def _start_as_in_tensorflow(network: ImplicitAttention) -> None:
    """Draw a network's first weights as layers of TensorFlow do.

    Weights are drawn as in Glorot and Bengio (2010), each projection by itself, and biases are 0.
    The biases of a GRU's gates are 1, so that it begins by keeping most of its state.
    """
    width = network.config.width
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            for projection in layer.weight.data.split(width):
                nn.init.xavier_uniform_(projection)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    for layer in network.modules():
        if isinstance(layer, Gate):
            with torch.no_grad():
                layer.input.bias[: 2 * width] = 1.0
