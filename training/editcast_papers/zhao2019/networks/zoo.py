"""The networks by the names that the tables of Zhao et al. (2019) have for them."""

from dataclasses import replace

from torch import nn

from editcast_model.errors import ReproductionError
from editcast_papers.zhao2019.networks.config import ablations, paper, plus
from editcast_papers.zhao2019.networks.explicit import Explicit
from editcast_papers.zhao2019.networks.implicit_attention import ImplicitAttention
from editcast_papers.zhao2019.networks.recurrent import Recurrent

VARIANTS = ("IA-v", "IA-vg", "IA-a", "IA-ag")
ABLATIONS = tuple(ablations(8, 8))
#: With an output layer of its own, as in the paper.
UNTIED = ("IA-ag untied", "IA+ untied")
NAMES = ("E", "IR", *VARIANTS, "IA+", *ABLATIONS, *UNTIED)


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
    if name in ABLATIONS:
        return ImplicitAttention(ablations(vocabulary, width)[name])
    raise ReproductionError(f"There is no network {name}; there are {', '.join(NAMES)}.")
