"""Sizes and options of the paper's variants, and of IA+ and its ablations.

`implicit_attention.py` says what the options do.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

Aggregate = Literal["sum", "gru", "residual"]
Decoder = Literal["vanilla", "analogical", "edits"]


@dataclass(frozen=True)
class PaperConfig:
    """Sizes and options of an `ImplicitAttention`.

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
        distance: Whether the pointer is biased by distance.
        scan: Whether a scanning pointer is mixed with the softmax pointer.
        copy: Whether contents can be copied.
        asked: Whether relative positions in attention depend on the hidden that asks, and the copy
            head prefers tokens by where they stand.
        deletions: Whether the edits see that tokens of the state are deleted.
        equality: Whether tokens and edits are told which of their neighbours are equal.
        seek: Heads of the pointer that looks for tokens which stood at earlier edits; 0 for none.
        scaled: Whether embeddings are multiplied by the root of the width, so that beside sinusoids
            and what else enters a block they count as much as these do (Vaswani et al. 2017, 3.4).
        untied: Whether contents are scored by an output layer of its own, as in the paper, and not
            by the embeddings.
        dropout: The share of the embeddings' values, and of what the paper's blocks read, that a
            step of training sets to 0.
    """

    vocabulary: int
    width: int = 128
    heads: int = 8
    state_layers: int = 1
    edit_layers: int = 1
    position_layers: int = 1
    content_layers: int = 1
    aggregate: Aggregate = "gru"
    decoder: Decoder = "analogical"
    feed_forward: int = 0
    local: int = 0
    distance: bool = False
    scan: bool = False
    copy: bool = False
    asked: bool = False
    deletions: bool = False
    equality: bool = False
    seek: int = 0
    scaled: bool = False
    untied: bool = False
    dropout: float = 0.0


def paper(vocabulary: int, variant: str, width: int = 128) -> PaperConfig:
    """Return one of the paper's variants: IA-v, IA-vg, IA-a, IA-ag."""
    return PaperConfig(
        vocabulary,
        width,
        decoder="analogical" if "a" in variant[3:] else "vanilla",
        aggregate="gru" if variant.endswith("g") else "sum",
        scaled=True,
    )


def plus(vocabulary: int, width: int = 128) -> PaperConfig:
    """Return IA+: what has been learned since, at the paper's sizes and data."""
    return PaperConfig(
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


def ablations(vocabulary: int, width: int = 128) -> dict[str, PaperConfig]:
    """Return IA+ without one of its parts each, and without all of them but the copy head."""
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
