"""The implicit attention model (Zhao et al. 2019, section 4), and ours as a configuration of it.

    B   batch                      D  width                 H  heads
    S   state tokens, M+1          T  edits                 R  rows, T+1: row 0 is no edit
    N   items, S+T                 V  vocabulary            C  width of the surroundings

Row t of the edits stands for edit t, and its outputs are about edit t+1; row 0 takes the place of
the paper's shift: it points at the start token and its content is START.

The paper's model is one state layer, one edit layer and `sum` or `gru` aggregation, decoded by
`vanilla` or `analogical`. Ours: `residual` blocks, `local` attention over the state and around
each edit's site, decoded from the `edits`, with three additions to the heads, each an option:

- `analogy`: point where the text looks as it looked around an earlier edit (surroundings are
  fixed random vectors of the neighbouring tokens, compared by a learned weight a neighbour);
- `distance`: a bias by the distance from the last edit;
- `copy`: contents are a mixture of the vocabulary and of the tokens that stand in the state or
  were contents of earlier edits.

`forward` reads whole instances; `incremental.py` is the same computation one row at a time.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import DELETE, PAD, SAVE, START
from editcast_model.networks.attention import (
    Aggregate,
    Block,
    Stack,
    hidden_bias,
    local_attention,
    sinusoid,
)
from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import Analogy, Copy, Distance, pointer_logits
from editcast_model.places import BUCKETS

Decoder = Literal["vanilla", "analogical", "edits"]


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
        copy: Whether contents can be copied.
        dropout: Of the embeddings, in training.
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
    analogy: int = 0
    distance: bool = False
    copy: bool = False
    dropout: float = 0.0

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
        analogy=4,
        distance=True,
        copy=True,
        dropout=0.05,
    )


class ImplicitAttention(nn.Module):
    """The network. Its parameters serve `forward` and `incremental.py` alike."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        width, residual = config.width, config.aggregate == "residual"
        self.embedding = nn.Embedding(config.vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.was_edit = nn.Parameter(torch.zeros(width))
        self.dropout = nn.Dropout(config.dropout)

        def block(offsets: int, cross: bool = False) -> Block:
            return Block(
                width,
                config.heads,
                config.aggregate,
                feed_forward=config.feed_forward,
                offsets=offsets,
                cross=cross,
            )

        def stack(count: int, offsets: int, cross: bool = False) -> Stack:
            return Stack(block(offsets, cross) for _ in range(count))

        self.state_blocks = stack(config.state_layers, 4 * config.local)
        self.edit_blocks = stack(config.edit_layers, 128)
        self.state_reads = stack(config.edit_layers, 2 * config.local + 1, cross=True)
        self.position_blocks = stack(config.position_layers, 128)
        self.content_blocks = stack(config.content_layers, 128, cross=config.decoder == "edits")
        if residual:
            self.state_norm = nn.LayerNorm(width)
            self.edit_norm = nn.LayerNorm(width)
            self.anchor = nn.Linear(width, width)
            self.pointer_query = nn.Linear(width, width)
            self.pointer_key = nn.Linear(width, width)
            self.position_norm = nn.LayerNorm(width)
            self.content_norm = nn.LayerNorm(width)
            self.move = nn.Embedding(BUCKETS, width)
        if config.decoder == "edits":
            self.combine = nn.Linear(2 * width, width)
        if config.analogy:
            self.analogy = Analogy(config.vocabulary, width, config.analogy)
        if config.distance:
            self.distance = Distance(width)
        if config.copy:
            self.copy = Copy(width)
        self.content_bias = nn.Parameter(torch.zeros(config.vocabulary))

    # -- the state ---------------------------------------------------------------------------

    def read_state(self, state: Tensor) -> Tensor:
        """State ids (B, S) -> hiddens (B, S, D)."""
        config = self.config
        visible = state != PAD
        x = self.dropout(self.embedding(state))
        if config.local:
            for block in self.state_blocks:
                x = local_attention(block, x, visible, config.local)
        else:
            index = torch.arange(state.shape[1], device=state.device)
            bias = hidden_bias(visible, x.dtype)[:, None, None, :]
            for block in self.state_blocks:
                query = block.query(x, index)
                x = block(x, query, *block.memory(query), bias)
        return self.state_norm(x) if config.aggregate == "residual" else x

    # -- the edits ---------------------------------------------------------------------------

    def edit_inputs(
        self, contents: Tensor, ranks: Tensor, sites: Tensor, moves: Tensor, state: Tensor
    ) -> Tensor:
        """What enters the edit layers: (..., R) four times, hiddens (..., S, D) -> (..., R, D)."""
        x = self.embedding(contents) + self.was_edit
        if self.config.aggregate == "residual":
            at_site = torch.gather(state, -2, sites[..., None].expand(*sites.shape, x.shape[-1]))
            return x + self.anchor(at_site) + self.move(moves)
        return x + sinusoid(ranks, self.config.width).to(x.dtype)

    def cross_bias(self, block: Block, sites: Tensor, visible: Tensor) -> Tensor:
        """The bias from rows at `sites` (B, R) to the state (B, S): (B, H or 1, R, S)."""
        dtype = self.embedding.weight.dtype
        if not self.config.local:
            return hidden_bias(visible, dtype)[:, None, None, :]
        reach = self.config.local
        offset = torch.arange(visible.shape[1], device=sites.device) - sites[..., None]
        seen = (offset.abs() <= reach) & visible[:, None, :]
        bias = hidden_bias(seen, dtype)[:, None]
        if block.offsets:
            relative = block.relative_bias((offset + reach).clamp(0, 2 * reach))
            assert isinstance(relative, Tensor)
            bias = bias + relative.transpose(0, 1)
        return bias

    def finish_edits(self, x: Tensor) -> Tensor:
        """The hiddens of the edits, from the last layer's output (..., D)."""
        return self.edit_norm(x) if self.config.aggregate == "residual" else x

    # -- the decoders' inputs ------------------------------------------------------------------

    def content_input(self, anchor: Tensor, content: Tensor, edit: Tensor) -> Tensor:
        """What asks for a content, given the anchor pointed at: (..., D) three times -> (..., D).

        `content` is the embedding of the content before, `edit` the hidden of the edit before.
        """
        if self.config.decoder == "edits":
            return self.combine(torch.cat([anchor, edit], -1))
        return anchor + content

    def content_logits(self, hidden: Tensor, position: Tensor) -> Tensor:
        """Vocabulary logits (..., V); what cannot be at the position (...) is masked."""
        if self.config.aggregate == "residual":
            hidden = self.content_norm(hidden)
        logits = functional.linear(hidden, self.embedding.weight, self.content_bias)
        entry = torch.arange(self.config.vocabulary, device=logits.device)
        at_start = (position == 0)[..., None]
        possible = (entry != PAD) & (entry != START)
        possible = possible & ((entry != DELETE) | ~at_start) & ((entry != SAVE) | at_start)
        return logits + hidden_bias(possible, logits.dtype)

    def query_of(self, hidden: Tensor) -> Tensor:
        """The pointer's query (..., D)."""
        if self.config.aggregate == "residual":
            return self.pointer_query(hidden) * hidden.shape[-1] ** -0.5
        return hidden

    def keys_of(self, hidden: Tensor) -> Tensor:
        """What the pointer and the copy head are held against, from hiddens (..., D)."""
        return self.pointer_key(hidden) if self.config.aggregate == "residual" else hidden

    def position_hidden(self, x: Tensor) -> Tensor:
        """What the position head reads, from the last block's output (..., D)."""
        return self.position_norm(x) if self.config.aggregate == "residual" else x

    # -- whole instances -----------------------------------------------------------------------

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor | None]:
        """Teacher-forced log probabilities of edits 1..T.

        Returns:
            Of every position, (B, T, N); of the vocabulary, logits (B, T, V), normalised unless
            contents can be copied; and then the copy head's log weights (B, T, 1 + N), of which
            the first is the vocabulary's (`content_log_probability` and `mix` read them).
        """
        config = self.config
        rows = batch.positions.shape[1]
        index = torch.arange(rows, device=batch.state.device)
        state = self.read_state(batch.state)
        visible = batch.state != PAD

        causal = index[:, None] >= index[None, :]
        causal_bias = hidden_bias(causal, state.dtype)
        ago = (index[:, None] - index[None, :]).clamp(0, 127)

        x = self.edit_inputs(batch.contents, batch.ranks, batch.sites, batch.moves, state)
        x = self.dropout(x)
        for own, read in zip(self.edit_blocks, self.state_reads, strict=True):
            query = own.query(x, index)
            x = own(x, query, *own.memory(query), causal_bias + own.relative_bias(ago))
            query = read.query(x, index)
            bias = self.cross_bias(read, batch.sites, visible)
            x = read(x, query, *read.memory(state), bias)
        edits = self.finish_edits(x)

        items = torch.cat([state, edits[:, 1:]], 1)
        expanded = batch.positions[..., None].expand(-1, -1, config.width)
        anchors = torch.gather(items, 1, expanded)  # U, with row 0 at the start token

        x = edits if config.decoder == "edits" else anchors
        for block in self.position_blocks:
            query = block.query(x, index)
            x = block(x, query, *block.memory(query), causal_bias + block.relative_bias(ago))
        hidden = self.position_hidden(x)[:, :-1]
        logits = pointer_logits(self.query_of(hidden), self.keys_of(items))
        if config.distance:
            logits = logits + self.distance(hidden, batch.buckets)
        if config.analogy:
            around = self.analogy.surroundings(batch.state)
            weights = self.analogy.weights(hidden, edits[:, :-1], causal[:-1, :-1])
            at_sites = torch.gather(
                around, 1, batch.sites[:, :-1, None].expand(-1, -1, around.shape[-1])
            )
            similar = pointer_logits(self.analogy.query(weights, at_sites), around)
            logits = logits + functional.pad(similar, (0, rows - 1))
        logits = logits + hidden_bias(batch.live, logits.dtype)
        position = torch.log_softmax(logits.float(), -1)

        content = self.embedding(batch.contents)
        if config.decoder == "analogical":
            x = (content - anchors)[:, :-1]
        else:
            x = self.content_input(anchors[:, 1:], content[:, :-1], edits[:, :-1])
        seen, since, steps = causal_bias[:-1, :-1], ago[:-1, :-1], index[:-1]
        for block in self.content_blocks:
            query = block.query(x, steps)
            memory = edits[:, :-1] if config.decoder == "edits" else query
            x = block(x, query, *block.memory(memory), seen + block.relative_bias(since))
        if config.decoder == "analogical":
            x = x + anchors[:, 1:]
        vocabulary = self.content_logits(x, batch.positions[:, 1:])
        if not config.copy:
            return position, vocabulary, None
        keys = self.keys_of(items)
        earlier = torch.cat(
            [
                visible[:, None, :].expand(-1, rows - 1, -1),
                batch.copyable[:, None, :] & (index[:-1, None] > index[None, :-1]),
            ],
            2,
        )
        return position, vocabulary, self.copy(x, keys, earlier)
