"""The network, an extension of the implicit attention model of Zhao et al. (2019, section 4).

Dimensions:

    B  batch                S  state tokens, M+1    N  items, S+T    V  vocabulary
    D  width                T  edits                R  rows, T+1: row 0 is no edit
    O  offsets around a site                        E  width of a token's vector

Row t of the edits represents edit t, and its outputs predict edit t+1. Row 0 replaces the paper's
shift: its position is the start token and its content is START.

The state is encoded once, by local self-attention. Each edit attends to earlier edits and to the
state around its *site*, the token of the state that it was inserted after, directly or indirectly.
The *pointer* predicts the position of the next edit by an inner product with every item, a bias by
distance, and an analogy with the surroundings of earlier edits. The *content head* predicts its
content, given the position, by a mixture of the vocabulary and the tokens in the state or inserted
before.

`forward` reads whole instances, for training. `incremental.py` calls the same functions for one
edit at a time, for inference.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import BUCKETS, DELETE, PAD, SAVE, START
from editcast_model.networks.attention import (
    Block,
    Stack,
    hidden_bias,
    local_attention,
    window_attention,
)
from editcast_model.networks.batch import Batch
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.equality import (
    EARLIER,
    Neighbours,
    Written,
    around,
    token_vectors,
)
from editcast_model.networks.heads import Analogy, Copy, Distance, Forecasts, pointer_logits

#: The number of relative positions among the edits; the last one covers all earlier edits.
STEPS = 128


class EditNetwork(nn.Module):
    """The network of a bundle."""

    vectors: Tensor

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width

        def block(offsets: int, cross: bool = False) -> Block:
            return Block(width, config.heads, config.feed_forward, offsets, cross=cross)

        self.embedding = nn.Embedding(config.vocabulary, width)
        # Multiplied by the root of the width in `embed`, small embeddings enter the blocks as small
        # as usual, and Adam, whose steps are of one size, moves them that much faster.
        nn.init.normal_(self.embedding.weight, std=1 / width)
        self.was_edit = nn.Parameter(torch.zeros(width))
        self.dropout = nn.Dropout(config.dropout)
        self.register_buffer("vectors", token_vectors(config.vocabulary))
        self.neighbours = Neighbours(width)
        self.state_blocks = Stack(block(4 * config.local) for _ in range(config.state_layers))
        self.state_norm = nn.LayerNorm(width)

        self.anchor = nn.Linear(width, width)
        self.move = nn.Embedding(BUCKETS, width)
        self.written = Written(width)
        self.edit_blocks = Stack(block(STEPS) for _ in range(config.edit_layers))
        around_site = 2 * config.local + 1
        self.state_reads = Stack(block(around_site, True) for _ in range(config.edit_layers))
        self.edit_norm = nn.LayerNorm(width)

        self.position_block = block(STEPS)
        self.position_norm = nn.LayerNorm(width)
        self.pointer_query = nn.Linear(width, width)
        self.pointer_key = nn.Linear(width, width)
        self.distance = Distance(width)
        self.analogy = Analogy(width, config.analogy)

        self.combine = nn.Linear(2 * width, width)
        self.content_block = block(STEPS, cross=True)
        self.content_norm = nn.LayerNorm(width)
        self.content_bias = nn.Parameter(torch.zeros(config.vocabulary))
        self.copy = Copy(width)

    def embed(self, tokens: Tensor) -> Tensor:
        """Embed ids (...) -> (..., D)."""
        embedded: Tensor = self.embedding(tokens) * self.config.width**0.5
        return embedded

    def encode(self, state: Tensor) -> Tensor:
        """Encode the state: ids (B, S) -> hidden vectors (B, S, D)."""
        x = self.dropout(self.embed(state)) + self.neighbours(state)
        for block in self.state_blocks:
            x = local_attention(block, x, state != PAD, self.config.local)
        encoded: Tensor = self.state_norm(x)
        return encoded

    # -- the edits ---------------------------------------------------------------------------

    def edit_inputs(
        self, contents: Tensor, moves: Tensor, at_site: Tensor, beside: Tensor, before: Tensor
    ) -> Tensor:
        """Compute what enters the edit layers.

        Args:
            contents: Ids, (..., R).
            moves: Buckets of the distances from the edit before, (..., R).
            at_site: Hiddens of the sites, (..., R, D).
            beside: Vectors of the tokens around the sites, (..., R, O, E).
            before: Vectors of the `EARLIER` contents before each, (..., R, EARLIER, E).

        Returns:
            (..., R, D).
        """
        x = self.embed(contents) + self.was_edit + self.anchor(at_site) + self.move(moves)
        return x + self.written(self.vectors[contents], beside, before)

    def read_edits(
        self,
        x: Tensor,
        past: Sequence[Tensor],
        bias: Tensor,
        ago: Tensor,
        read_state: Callable[[Block, Tensor], Tensor],
    ) -> tuple[Tensor, list[Tensor]]:
        """Run the edit layers.

        Args:
            x: From `edit_inputs`, (..., R, D).
            past: Keys and values of earlier rows for each layer, (..., t, 2D).
            bias: Hides later rows, (R, t + R).
            ago: How many rows before each row the others are, (R, t + R).
            read_state: Attends from rows to the state around their sites, by a block.

        Returns:
            The hiddens of the rows (..., R, D), and their keys and values for each layer.
        """
        kept: list[Tensor] = []
        for own, across, before in zip(self.edit_blocks, self.state_reads, past, strict=True):
            x, memory = self._attend_rows(own, x, before, bias, ago)
            kept.append(memory)
            x = read_state(across, x)
        return self.edit_norm(x), kept

    def position_hidden(
        self, edits: Tensor, past: Tensor, bias: Tensor, ago: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Compute what asks where the next edit is, and the keys and values to keep.

        Args:
            edits: Hiddens of the rows, (..., R, D).
            past: As in `read_edits`, like the other two.
            bias: See `past`.
            ago: See `past`.

        Returns:
            (..., R, D) and (..., R, 2D).
        """
        x, memory = self._attend_rows(self.position_block, edits, past, bias, ago)
        return self.position_norm(x), memory

    def _attend_rows(
        self, block: Block, x: Tensor, past: Tensor, bias: Tensor, ago: Tensor
    ) -> tuple[Tensor, Tensor]:
        query = block.norm(x)
        memory = block.memory(query)
        rows = torch.cat([past, memory], -2)
        return block(x, rows, bias, ago.clamp(0, STEPS - 1), query), memory

    # -- where -------------------------------------------------------------------------------

    def against_keys(self, query: Tensor, items: Tensor) -> Tensor:
        """Multiply queries with the keys of items: (..., T, D), (..., N, D) -> (..., T, N).

        The keys themselves are not computed: there are many more items than queries.
        """
        key = self.pointer_key
        products = pointer_logits(torch.matmul(query, key.weight), items)
        return products + torch.matmul(query, key.bias.unsqueeze(-1))

    def pointer_of(self, hidden: Tensor) -> Tensor:
        """Compute the pointer's query, (..., T, D)."""
        query: Tensor = self.pointer_query(hidden) * hidden.shape[-1] ** -0.5
        return query

    def position_log_probabilities(
        self, hidden: Tensor, products: Tensor, similar: Tensor, buckets: Tensor, live: Tensor
    ) -> Tensor:
        """Compute log probabilities of the next position.

        Args:
            hidden: From `position_hidden`, (..., T, D).
            products: Of the pointer's queries with all items, (..., T, N).
            similar: Of the analogy with the tokens of the state, (..., T, S).
            buckets: Distances of the items from the last edit, (..., T, N).
            live: What the next edit may point at, bool (..., T, N), or a bias of that shape.

        Returns:
            (..., T, N).
        """
        inserted = products.shape[-1] - similar.shape[-1]
        logits = products + self.distance(hidden, buckets)
        logits = logits + functional.pad(similar, (0, inserted))
        hide = hidden_bias(live, logits.dtype) if live.dtype == torch.bool else live
        return torch.log_softmax((logits + hide).float(), -1)

    # -- what --------------------------------------------------------------------------------

    def content_hidden(
        self, anchor: Tensor, edit: Tensor, memory: Tensor, bias: Tensor, ago: Tensor
    ) -> Tensor:
        """Compute what asks for a content, given where it goes.

        Args:
            anchor: Hiddens of the items pointed at, (..., T, D).
            edit: Hiddens of the edits before, (..., T, D).
            memory: Keys and values of the rows for the content block, (..., R, 2D).
            bias: Hides later rows, (T, R).
            ago: As in `read_edits`.

        Returns:
            (..., T, D).
        """
        x = self.combine(torch.cat([anchor, edit], -1))
        block = self.content_block
        hidden: Tensor = block(x, memory, bias, ago.clamp(0, STEPS - 1), block.norm(x))
        return hidden

    def content_logits(self, hidden: Tensor, position: Tensor) -> Tensor:
        """Compute vocabulary logits (..., V); what cannot be at the position (...) is masked."""
        hidden = self.content_norm(hidden)
        logits = functional.linear(hidden, self.embedding.weight, self.content_bias)
        entry = torch.arange(self.config.vocabulary, device=logits.device)
        at_start = (position == 0)[..., None]
        possible = (entry != PAD) & (entry != START)
        possible = possible & ((entry != DELETE) | ~at_start) & ((entry != SAVE) | at_start)
        return logits + hidden_bias(possible, logits.dtype)

    # -- whole instances ---------------------------------------------------------------------

    def forward(self, batch: Batch) -> Forecasts:
        """Compute the teacher-forced log probabilities of edits 1..T."""
        rows, size = batch.positions.shape[1], batch.state.shape[1]
        index = torch.arange(rows, device=batch.state.device)
        ago = index[:, None] - index[None, :]
        state = self.encode(batch.state)
        bias = hidden_bias(ago >= 0, state.dtype)
        vectors = self.vectors[batch.state]
        beside = around(vectors, batch.sites)

        edits = self._edits(batch, state, beside, bias, ago)
        items = torch.cat([state, edits[:, 1:]], 1)

        hidden, _ = self.position_hidden(edits, self._no_past(edits), bias, ago)
        hidden, seen, since = hidden[:, :-1], bias[:-1, :-1], ago[:-1, :-1]
        weights = self.analogy.weights(hidden, edits[:, :-1], seen)
        looks_for = self.analogy.query(weights, beside[:, :-1].flatten(-2))
        hide = hidden_bias(batch.live, hidden.dtype) + batch.stands[:, None, :]
        position = self.position_log_probabilities(
            hidden,
            self.against_keys(self.pointer_of(hidden), items),
            self.analogy.scores(looks_for, vectors),
            batch.buckets,
            hide,
        )

        targets = batch.positions[:, 1:]
        anchors = items.gather(1, targets[..., None].expand(-1, -1, self.config.width))
        memory = self.content_block.memory(edits[:, :-1])
        x = self.content_hidden(anchors, edits[:, :-1], memory, seen, since)
        scores = self.against_keys(self.copy.query_of(x), items)
        sites, edits_ago = batch.sites[:, 1:], index[:-1, None] - index[None, 1:]
        scores = scores + self.copy.nearness(x, sites, size, edits_ago)
        copyable = batch.copyable[:, None, :] & (edits_ago >= 0)
        visible = (batch.state != PAD)[:, None, :].expand(-1, rows - 1, -1)
        weights = self.copy.weights(x, scores, torch.cat([visible, copyable], 2))
        return Forecasts(position, self.content_logits(x, targets), weights)

    def _edits(
        self, batch: Batch, state: Tensor, beside: Tensor, bias: Tensor, ago: Tensor
    ) -> Tensor:
        """Compute the hiddens of all edits, (B, R, D)."""
        index = torch.arange(ago.shape[0], device=ago.device)
        earlier = index[:, None] - torch.arange(1, EARLIER + 1, device=ago.device)
        wrote = self.vectors[batch.contents]
        before = wrote[:, earlier.clamp(min=0)] * (earlier >= 0)[..., None]
        sites = batch.sites[..., None].expand(-1, -1, self.config.width)
        x = self.edit_inputs(batch.contents, batch.moves, state.gather(1, sites), beside, before)

        reach, size = self.config.local, batch.state.shape[1]
        place = batch.sites[..., None] + torch.arange(-reach, reach + 1, device=ago.device)
        near = place.clamp(0, size - 1)  # (B, R, O)
        first = size * torch.arange(len(near), device=ago.device)
        flat = (near + first[:, None, None]).flatten()
        visible = (near == place) & (batch.state != PAD).flatten()[flat].view_as(near)

        def read_state(block: Block, x: Tensor) -> Tensor:
            # The keys and values of a token are computed once, however many edits are near it.
            memory = block.memory(state).flatten(0, 1).index_select(0, flat)
            return window_attention(block, x, memory.unflatten(0, near.shape), visible)

        no_past = [self._no_past(x)] * self.config.edit_layers
        return self.read_edits(self.dropout(x), no_past, bias, ago, read_state)[0]

    def _no_past(self, x: Tensor) -> Tensor:
        """Make the keys and values of no rows, (B, 0, 2D)."""
        return x.new_zeros(x.shape[0], 0, 2 * self.config.width)


def read_weights(config: NetworkConfig, weights: dict[str, Any]) -> EditNetwork:
    """Create a network with stored weights, including those of earlier versions.

    Raises:
        RuntimeError: The weights do not fit the sizes.
    """
    network = EditNetwork(config)
    current = {
        re.sub(r"^(position|content)_blocks\.0\.", r"\1_block.", name): value
        for name, value in weights.items()
        if not name.startswith("spans.") and name != "analogy.vectors"
    }
    network.load_state_dict(current)
    return network
