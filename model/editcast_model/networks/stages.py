"""Names and shapes of what goes into a bundle's graphs and comes out.

The exporter writes graphs like that, and a bundle whose graphs declare anything else is refused
before it runs. Nothing here needs torch.

Dimensions:

    S  state tokens    t  rows of the cache    N  items, S + t    F  width of a cache row
    D  width           V  vocabulary           E  width of a token's vector    n  edits read at once
"""

from collections.abc import Sequence
from dataclasses import dataclass

from editcast_model.networks.config import VECTOR, NetworkConfig

#: Inputs and outputs of each graph, in order.
SIGNATURES: dict[str, tuple[list[str], list[str]]] = {
    "encode": (["tokens"], ["hidden", "vectors"]),
    "advance": (["edits", "past", "cache", "hidden", "vectors"], ["rows"]),
    "point": (["past", "cache", "buckets", "live", "hidden", "vectors"], ["position"]),
    "content": (["at", "past", "cache", "tokens", "hidden"], ["content"]),
}
#: What graphs of format 3 may take and return besides. Nothing depends on it.
_EARLIER: dict[str, tuple[list[str], list[str]]] = {
    "advance": (["live"], []),
    "content": ([], ["spans", "deletes"]),
}


def cache_slots(config: NetworkConfig) -> dict[str, slice]:
    """Say where each part of a cache row lies.

    The parts are the keys and values of every block, the edit's hidden, and what asks where the
    next edit is.
    """
    parts = [*(f"edit{layer}" for layer in range(config.edit_layers)), "position", "content"]
    sizes = dict.fromkeys(parts, 2 * config.width) | {"hidden": config.width, "asks": config.width}
    slots, start = {}, 0
    for name, size in sizes.items():
        slots[name] = slice(start, start + size)
        start += size
    return slots


def cache_width(config: NetworkConfig) -> int:
    """Return F."""
    return max(slot.stop for slot in cache_slots(config).values())


@dataclass(frozen=True, slots=True)
class Declared:
    """Type and shape of an input or output of a graph.

    Attributes:
        type: As ONNX Runtime writes it.
        shape: Sizes; None for one that differs from run to run.
    """

    type: str
    shape: tuple[int | None, ...]

    def fits(self, kind: str, shape: Sequence[object]) -> bool:
        """Tell whether what a graph says can be this; a size that it does not say may be any."""
        return (
            kind == self.type
            and len(shape) == len(self.shape)
            and all(
                size == wanted or wanted is None or not isinstance(size, int)
                for size, wanted in zip(shape, self.shape, strict=True)
            )
        )


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs and outputs that a graph must have, and those that it may have, by name.

    Attributes:
        inputs: What it may take.
        outputs: What it must return.
        more_outputs: What it may return besides.
    """

    inputs: dict[str, Declared]
    outputs: dict[str, Declared]
    more_outputs: dict[str, Declared]


def signature(config: NetworkConfig, stage: str, version: int) -> Signature:
    """Describe a graph.

    Args:
        config: The network.
        stage: One of `SIGNATURES`.
        version: The bundle's format.
    """
    number, ids = "tensor(float)", "tensor(int64)"
    several = () if version < 5 else (None,)  # predictions at once
    known = {
        "tokens": Declared(ids, (None,)),
        "edits": Declared(ids, (None, 5 if version == 3 else 4)),
        "past": Declared(ids, (None, 2)),
        "at": Declared(ids, (1,) if version < 5 else (None,)),
        "buckets": Declared(ids, (*several, None)),
        "live": Declared("tensor(bool)", (None, None) if stage == "advance" else (*several, None)),
        "cache": Declared(number, (None, cache_width(config))),
        "rows": Declared(number, (None, cache_width(config))),
        "hidden": Declared(number, (None, config.width)),
        "vectors": Declared(number, (None, VECTOR)),
        "position": Declared(number, (*several, None)),
        "content": Declared(number, (*several, config.vocabulary)),
        "spans": Declared(number, (None, None)),
        "deletes": Declared(number, (None,)),
    }
    inputs, outputs = SIGNATURES[stage]
    more_inputs, more = _EARLIER.get(stage, ([], [])) if version == 3 else ([], [])
    return Signature(
        {name: known[name] for name in (*inputs, *more_inputs)},
        {name: known[name] for name in outputs},
        {name: known[name] for name in more},
    )
