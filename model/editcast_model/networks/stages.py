"""Inputs and outputs of a bundle's graphs, and the layout of a cache row, without torch."""

from editcast_model.networks.config import NetworkConfig

#: Inputs and outputs of each graph, in order.
SIGNATURES: dict[str, tuple[list[str], list[str]]] = {
    "encode": (["tokens"], ["hidden", "vectors"]),
    "advance": (["edits", "past", "cache", "hidden", "vectors"], ["rows"]),
    "point": (["past", "cache", "buckets", "live", "hidden", "vectors"], ["position"]),
    "content": (["at", "past", "cache", "tokens", "hidden"], ["content"]),
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
