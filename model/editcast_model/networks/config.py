"""Sizes and options of networks: the paper's variants, the bundled one, IA+ and its ablations.

`model.py` says what the options do. Nothing here needs torch: a server reads these of
a bundle it does not know, so sizes have bounds.
"""

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

from editcast_model.checked import Between

Aggregate = Literal["sum", "gru", "residual"]
Decoder = Literal["vanilla", "analogical", "edits"]
Width = Annotated[int, Between(1, 4096)]
Layers = Annotated[int, Between(0, 32)]
Heads = Annotated[int, Between(0, 64)]
Sizes = Annotated[int, Between(0, 16_384)]
#: Width of a token's vector, by which tokens are known to be equal.
VECTOR = 24


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes and options; written into checkpoints and bundles.

    Attributes:
        vocabulary: V.
        width: D, a multiple of `heads`.
        heads: H.
        state_layers: Self-attention over the state (the paper's s2s).
        edit_layers: Pairs of self-attention over the edits and attention from them to the state
            (e2e, s2e).
        position_layers: Attention over what the decoder has seen, before the pointer.
        content_layers: Attention before the content head.
        aggregate: What a block does with what it read; see `attention.Block`.
        decoder: What the two decoders read: anchors and contents (the paper's two), or the edits.
        feed_forward: Width of the feed-forward layer of residual blocks; 0 for none.
        local: W, the block of local attention over the state, and how far from its site an edit
            sees the state; 0 for all of it.
        analogy: Heads of the analogy pointer; 0 for none.
        distance: Whether the pointer is biased by distance.
        scan: Whether a scanning pointer is mixed with the softmax pointer.
        copy: Whether contents can be copied.
        asked: Whether relative positions in attention depend on the hidden that asks, and the copy
            head prefers tokens by where they stand.
        spans: Whether runs of tokens are copied and deleted in one decision.
        deletions: Whether the edits see that tokens of the state are deleted.
        equality: Whether tokens and edits are told which of their neighbours are equal.
        seek: Heads of the pointer that looks for tokens which stood at earlier edits; 0 for none.
        scaled: Whether embeddings are multiplied by the root of the width, so that beside sinusoids
            and what else enters a block they count as much as these do (Vaswani et al. 2017, 3.4).
        dropout: Of the embeddings, in training.
    """

    vocabulary: Annotated[int, Between(1, 65_536)]
    width: Width = 128
    heads: Annotated[int, Between(1, 64)] = 8
    state_layers: Layers = 1
    edit_layers: Layers = 1
    position_layers: Layers = 1
    content_layers: Layers = 1
    aggregate: Aggregate = "gru"
    decoder: Decoder = "analogical"
    feed_forward: Sizes = 0
    local: Sizes = 0
    analogy: Heads = 0
    distance: bool = False
    scan: bool = False
    copy: bool = False
    asked: bool = False
    spans: bool = False
    deletions: bool = False
    equality: bool = False
    seek: Heads = 0
    scaled: bool = False
    dropout: Annotated[float, Between(0, 1)] = 0.0

    def to_json(self) -> dict[str, Any]:
        """A JSON object, from which `NetworkConfig(**object)` makes the same again."""
        return asdict(self)


def paper(vocabulary: int, variant: str, width: int = 128) -> NetworkConfig:
    """One of the paper's variants: IA-v, IA-vg, IA-a, IA-ag."""
    return NetworkConfig(
        vocabulary,
        width,
        decoder="analogical" if "a" in variant[3:] else "vanilla",
        aggregate="gru" if variant.endswith("g") else "sum",
        scaled=True,
    )


def bundled(vocabulary: int) -> NetworkConfig:
    """The network of the bundled model."""
    return NetworkConfig(
        vocabulary,
        width=160,
        state_layers=2,
        edit_layers=2,
        aggregate="residual",
        decoder="edits",
        feed_forward=320,
        local=32,
        equality=True,
        analogy=4,
        distance=True,
        copy=True,
        asked=True,
        spans=True,
        scaled=True,
        dropout=0.05,
    )


def plus(vocabulary: int, width: int = 128) -> NetworkConfig:
    """IA+: what has been learned since, at the paper's sizes and data."""
    return NetworkConfig(
        vocabulary,
        width=width,
        aggregate="residual",
        decoder="edits",
        feed_forward=2 * width,
        local=16,
        equality=True,
        seek=4,
        distance=True,
        scan=True,
        copy=True,
        asked=True,
        deletions=True,
        scaled=True,
    )


def ablations(vocabulary: int, width: int = 128) -> dict[str, NetworkConfig]:
    """IA+ without one of its parts each, and without all of them but the copy head."""
    full = plus(vocabulary, width)
    without: dict[str, dict[str, Any]] = {
        "equality": {"equality": False},
        "seeking": {"seek": 0},
        "scanning": {"scan": False},
        "asking": {"asked": False},
        "deletions": {"deletions": False},
        "copying": {"copy": False},
        "distance": {"distance": False},
        "scaling": {"scaled": False},
    }
    made = {f"IA+ without {name}": replace(full, **parts) for name, parts in without.items()}
    plain = replace(
        full, equality=False, seek=0, scan=False, asked=False, deletions=False, distance=False
    )
    return made | {"plain transformer": plain}
