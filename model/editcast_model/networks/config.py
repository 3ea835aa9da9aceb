"""Sizes of the network, as bundles and checkpoints store them, and of what its graphs exchange.

This module does not need torch. Each size has bounds, since a server reads untrusted bundles.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Annotated, Any

from editcast_model.checked import UnfitError, between, structure

#: The width of the vectors by which equal tokens recognize each other.
VECTOR = 24
#: Inputs and outputs of each graph, in order.
SIGNATURES: dict[str, tuple[list[str], list[str]]] = {
    "encode": (["tokens"], ["hidden", "vectors"]),
    "advance": (["edits", "past", "cache", "hidden", "vectors"], ["rows"]),
    "point": (["past", "cache", "buckets", "live", "hidden", "vectors"], ["position"]),
    "content": (["at", "past", "cache", "tokens", "hidden"], ["content"]),
}
#: The values that options of earlier versions must have if a stored network is to be this one.
#: `spans` may have any value: the weights of heads that copied spans are skipped.
_EARLIER_OPTIONS = {
    "position_layers": 1,
    "content_layers": 1,
    "aggregate": "residual",
    "decoder": "edits",
    "distance": True,
    "scan": False,
    "copy": True,
    "asked": True,
    "deletions": False,
    "equality": True,
    "seek": 0,
    "scaled": True,
}


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of an `EditNetwork`.

    Attributes:
        vocabulary: V.
        width: D, a multiple of `heads`.
        heads: H.
        state_layers: Layers of local self-attention over the state.
        edit_layers: Pairs of self-attention over the edits and attention from them to the state.
        feed_forward: Width of a block's feed-forward layer.
        local: W, the block size of local attention over the state, and the distance from its site
            within which an edit reads the state.
        analogy: Heads of the analogy pointer.
        dropout: The dropout of the embeddings in training.
    """

    vocabulary: Annotated[int, between(1, 65_536)]
    width: Annotated[int, between(1, 4096)] = 160
    heads: Annotated[int, between(1, 64)] = 8
    state_layers: Annotated[int, between(1, 32)] = 2
    edit_layers: Annotated[int, between(1, 32)] = 2
    feed_forward: Annotated[int, between(1, 16_384)] = 320
    local: Annotated[int, between(1, 16_384)] = 32
    analogy: Annotated[int, between(1, 64)] = 4
    dropout: Annotated[float, between(0, 1)] = 0.05

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object that `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: object) -> "NetworkConfig":
        """Read the sizes from a bundle or a checkpoint, including those of earlier versions.

        Raises:
            UnfitError: A size is out of bounds, or they belong to another network.
        """
        config = structure(given, cls)
        assert isinstance(given, Mapping)
        check_earlier_options(given)
        return config


def check_earlier_options(given: Mapping[str, Any]) -> None:
    """Check that the options stored by earlier versions are those of `EditNetwork`.

    Raises:
        UnfitError: They belong to another network.
    """
    for name, value in _EARLIER_OPTIONS.items():
        option = given.get(name, value)
        if type(option) is not type(value) or option != value:
            raise UnfitError(f"network.{name} must be {json.dumps(value)}")


def cache_slots(config: NetworkConfig) -> dict[str, slice]:
    """Say where each part of a cache row lies.

    The parts are the keys and values of every block, the edit's hidden, and what asks where the
    next edit is.
    """
    parts = [*(f"edit{layer}" for layer in range(config.edit_layers)), "position", "content"]
    sizes = dict.fromkeys(parts, 2 * config.width) | {"hidden": config.width, "asks": config.width}
    ends = accumulate(sizes.values())
    return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}


def cache_width(config: NetworkConfig) -> int:
    """Return F."""
    return max(slot.stop for slot in cache_slots(config).values())
