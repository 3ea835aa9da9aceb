"""Names and shapes of what goes into a bundle's graphs and comes out.

The exporter writes graphs like that, and a bundle whose graphs declare anything else is refused
before it runs. Nothing here needs torch.

    S  state tokens    t  rows of the cache    N  items, S + t    F  width of a cache row
    D  width           V  vocabulary           E  width of a token's vector    n  edits read at once
"""

from collections.abc import Sequence
from dataclasses import dataclass

from editcast_model.networks.config import VECTOR, NetworkConfig


def state_names(config: NetworkConfig) -> list[str]:
    """Names of the encoded state's tensors, in order.

    `hidden` is (S, D), `vectors` (S, E), `places` (S, P), and `memory0`, ... are the keys and
    values that the edits read, (S, 2D), when they read all of the state. What can be had from
    these is not kept: they are all that an open file costs.
    """
    names = ["hidden"]
    if config.equality or config.seek or config.analogy:
        names.append("vectors")
    if config.seek:
        names.append("places")
    if not config.local:
        names += [f"memory{layer}" for layer in range(config.edit_layers)]
    return names


def read_names(config: NetworkConfig, stage: str) -> list[str]:
    """Names of the state's tensors that `advance`, `point` or `content` takes, in order."""
    wanted = {"hidden"}
    if stage == "advance":
        wanted |= {f"memory{layer}" for layer in range(config.edit_layers)}
        wanted |= {"vectors"} if config.equality or config.seek else set()
    elif stage == "point":
        wanted |= {"places"} | ({"vectors"} if config.seek or config.analogy else set())
    elif config.seek:
        wanted |= {"vectors"}
    return [name for name in state_names(config) if name in wanted]


def content_names(config: NetworkConfig) -> list[str]:
    """Names of what `content` says."""
    return ["content", "spans", "deletes"] if config.spans else ["content"]


def cache_slots(config: NetworkConfig) -> dict[str, slice]:
    """Where each part of a cache row lies.

    Keys and values of every block, the edit's hidden, what asks where the next edit is and what it
    looks for, and what the content head keeps.
    """
    parts = [f"edit{layer}" for layer in range(config.edit_layers)]
    parts += [f"position{layer}" for layer in range(config.position_layers)]
    parts += [f"content{layer}" for layer in range(config.content_layers)]
    sizes = dict.fromkeys(parts, 2 * config.width)
    sizes |= {"hidden": config.width, "asks": config.width}
    if config.decoder == "analogical":
        sizes["read"] = config.width
    if config.seek:
        sizes["sought"] = config.seek * VECTOR
    slots, start = {}, 0
    for name, size in sizes.items():
        slots[name] = slice(start, start + size)
        start += size
    return slots


def cache_width(config: NetworkConfig) -> int:
    """F."""
    return max(slot.stop for slot in cache_slots(config).values())


def input_names(config: NetworkConfig, stage: str) -> list[str]:
    """Names of what a stage takes, in order."""
    if stage == "encode":
        return ["tokens"]
    own = {
        "advance": ["edits", "past", "cache", "live"],
        "point": ["past", "cache", "buckets", "live"],
        "content": ["at", "past", "cache", "tokens"],
    }
    return [*own[stage], *read_names(config, stage)]


def output_names(config: NetworkConfig, stage: str) -> list[str]:
    """Names of what a stage returns, in order."""
    if stage == "content":
        return content_names(config)
    return {"encode": state_names(config), "advance": ["rows"], "point": ["position"]}[stage]


@dataclass(frozen=True, slots=True)
class Declared:
    """What a graph says of one of its inputs or outputs.

    Attributes:
        type: As ONNX Runtime writes it.
        shape: Sizes; None for one that differs from run to run.
    """

    type: str
    shape: tuple[int | None, ...]

    def fits(self, kind: str, shape: Sequence[object]) -> bool:
        """Whether what a graph says can be this; a size that it does not say may be any."""
        return (
            kind == self.type
            and len(shape) == len(self.shape)
            and all(
                size == wanted or wanted is None or not isinstance(size, int)
                for size, wanted in zip(shape, self.shape, strict=True)
            )
        )


def declared(config: NetworkConfig, stage: str, number: str) -> dict[str, Declared]:
    """Of a stage, by name, what its inputs and outputs are.

    Args:
        config: The network.
        stage: One of the graphs.
        number: The type of what passes between graphs, `float` or `float16`.
    """
    inner, ids = f"tensor({number})", "tensor(int64)"
    rows = Declared(inner, (None, cache_width(config)))
    known = {
        "tokens": Declared(ids, (None,)),
        "edits": Declared(ids, (None, 5)),
        "past": Declared(ids, (None, 2)),
        "at": Declared(ids, (1,)),
        "buckets": Declared(ids, (None,)),
        "live": Declared("tensor(bool)", (None, None) if stage == "advance" else (None,)),
        "cache": rows,
        "rows": rows,
        "hidden": Declared(inner, (None, config.width)),
        "vectors": Declared(inner, (None, VECTOR)),
        "places": Declared(inner, (None, None)),
        "position": Declared("tensor(float)", (None,)),
        "content": Declared("tensor(float)", (config.vocabulary,)),
        "spans": Declared("tensor(float)", (None, None)),
        "deletes": Declared("tensor(float)", (None,)),
    }
    memory = Declared(inner, (None, 2 * config.width))
    names = (*input_names(config, stage), *output_names(config, stage))
    return {name: known.get(name, memory) for name in names}
