"""Random damage: to JSON values, and to bytes."""

import copy
import random
from typing import Any

#: What somebody may write where something else is expected.
ODD_VALUES = (
    *(None, True, False, 0, -1, 1, 0.5, 1e308, -1e-308, 2**31, 2**63, 10**400, float("nan")),
    *(
        float("inf"),
        "",
        "x",
        "\0",
        "../..",
        "/dev/zero",
        "\ud800",
        "1",
        "a" * 5000,
        "%s%n",
        "{{7}}",
    ),
    *([], {}, [[]], [None], {"": None}, [0] * 2000, {"x": {"y": {"z": []}}}),
)


def damaged(value: Any, draw: random.Random, times: int = 1) -> Any:
    """A copy of a JSON value in which some places are others, gone, doubled or deeper."""
    value = copy.deepcopy(value)
    for _ in range(times):
        value = _damaged_once(value, draw)
    return value


def _damaged_once(value: Any, draw: random.Random) -> Any:
    places = list(_places(value))
    if not places:
        return draw.choice(ODD_VALUES)
    holder, key = draw.choice(places)
    match draw.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(draw.choice(holder)))
        case 1:
            holder[draw.choice(("", "x", "__proto__", "ranges", "\0"))] = holder.pop(key)
        case 2:
            for _ in range(draw.choice((1, 20, 200))):
                holder[key] = [holder[key]]
        case 3 if isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
            holder[key] = holder[key] * draw.choice((-1, 0, 2, 1000, 2**40)) + draw.randrange(-1, 2)
        case 3 if isinstance(holder[key], str):
            text = holder[key]
            at = draw.randrange(len(text) + 1)
            holder[key] = (
                text[:at] + draw.choice(("", "/", "..", "\0", "🎉", "\n", "%")) + text[at:]
            )
        case _:
            holder[key] = copy.deepcopy(draw.choice(ODD_VALUES))
    return value


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def damaged_bytes(data: bytes, draw: random.Random) -> bytes:
    """Bytes with some of them others, gone, or doubled; or cut off; or none at all."""
    data = bytearray(data)
    match draw.randrange(6):
        case 0:
            return bytes(data[: draw.randrange(len(data) + 1)])
        case 1:
            at = draw.randrange(len(data) + 1)
            size = draw.choice((1, 8, 1000))
            return bytes(data[:at] + data[at : at + size] + data[at:])
        case 2:
            at = draw.randrange(len(data) + 1)
            del data[at : at + draw.choice((1, 8, 1000))]
            return bytes(data)
        case 3:
            return draw.randbytes(draw.choice((0, 1, 100, 5000)))
        case _:
            for _ in range(draw.choice((1, 3, 30))):
                if data:
                    data[draw.randrange(len(data))] = draw.randrange(256)
            return bytes(data)
