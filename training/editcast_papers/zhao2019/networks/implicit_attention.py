"""The implicit attention model (Zhao et al. 2019, section 4), and IA+ as a configuration of it.

    B   batch                      D  width                 H  heads
    S   state tokens, M+1          T  edits                 R  rows, T+1: row 0 is no edit
    N   items, S+T                 V  vocabulary

Row t of the edits stands for edit t, and its outputs are about edit t+1; row 0 takes the place of
the paper's shift: it points at the start token and its content is START.

The paper's model is one state layer, one edit layer and `sum` or `gru` aggregation, decoded by
`vanilla` or `analogical`. IA+: `residual` blocks, `local` attention over the state and around
each edit's site, decoded from the `edits`, with additions that are options:

- `distance`: a bias by the distance from the last edit;
- `scan`: go on from the last edit to the first place that will do;
- `copy`: contents are a mixture of the vocabulary and of the tokens that stand in the state or
  were contents of earlier edits;
- `asked`: which neighbours are read, must be equal, or are copied, depends on who asks;
- `deletions`: what is deleted is no longer read;
- `equality` and `seek` (`equality.py`): which tokens are equal, whatever they are.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import BUCKETS, DELETE, HERE, PAD, SAVE, START
from editcast_model.networks.attention import hidden_bias
from editcast_model.networks.batch import Batch
from editcast_model.networks.equality import EARLIER, Neighbours, Written, around, token_vectors
from editcast_model.networks.heads import Copy, Distance, Forecasts, pointer_logits
from editcast_papers.zhao2019.networks.attention import Block, Stack, local_attention, sinusoid
from editcast_papers.zhao2019.networks.config import PaperConfig
from editcast_papers.zhao2019.networks.equality import Seek
from editcast_papers.zhao2019.networks.heads import PlainCopy, Scan


class ImplicitAttention(nn.Module):
    """A network of the tables."""

    vectors: Tensor

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.config = config
        width, residual = config.width, config.aggregate == "residual"
        self.embedding = nn.Embedding(config.vocabulary, width)
        # Multiplied by the root of the width, those of residual blocks enter as small as they would
        # without, and Adam, whose steps are of one size, moves them that much faster.
        small = residual and config.scaled
        nn.init.normal_(self.embedding.weight, std=1 / width if small else width**-0.5)
        self.was_edit = nn.Parameter(torch.zeros(width))

        def block(offsets: int, cross: bool = False) -> Block:
            return Block(
                width,
                config.heads,
                config.aggregate,
                feed_forward=config.feed_forward,
                offsets=offsets,
                asked=config.asked,
                cross=cross,
                dropout=config.dropout,
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
        if config.equality or config.seek:
            self.register_buffer("vectors", token_vectors(config.vocabulary))
        if config.equality:
            self.neighbours = Neighbours(width)
            self.written = Written(width)
        if config.seek:
            self.seek = Seek(width, config.seek)
        if config.distance:
            self.distance = Distance(width)
        if config.copy:
            self.copy = Copy(width) if config.asked else PlainCopy(width)
        if config.scan:
            self.scan = Scan(width)
        self.content_bias = nn.Parameter(torch.zeros(config.vocabulary))
        if config.untied:
            self.output = nn.Parameter(torch.randn(config.vocabulary, width) * width**-0.5)

    def embed(self, tokens: Tensor) -> Tensor:
        """Embeddings of ids (...) -> (..., D)."""
        x = self.embedding(tokens)
        if self.config.scaled:
            x = x * self.config.width**0.5
        return functional.dropout(x, self.config.dropout, self.training)

    # -- the state ---------------------------------------------------------------------------

    def read_state(self, state: Tensor) -> Tensor:
        """State ids (B, S) -> hiddens (B, S, D)."""
        config = self.config
        visible = state != PAD
        x = self.embed(state)
        if config.equality:
            x = x + self.neighbours(state)
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
        """Compute inputs of the edit layers: (..., R) four times, (..., S, D) -> (..., R, D)."""
        x = self.embed(contents) + self.was_edit
        if self.config.aggregate == "residual":
            at_site = torch.gather(state, -2, sites[..., None].expand(*sites.shape, x.shape[-1]))
            return x + self.anchor(at_site) + self.move(moves)
        return x + sinusoid(ranks, self.config.width).to(x.dtype)

    def places_read(self, batch: Batch) -> tuple[Tensor, Tensor | None]:
        """Return a bias (B, 1, R, S) to the state of each row, and the offsets (B, R, S)."""
        config, size = self.config, batch.state.shape[1]
        seen = (batch.state != PAD)[:, None, :]
        if config.deletions:  # the last row says nothing, so what it reads is of no consequence
            seen = seen & functional.pad(batch.live[..., :size], (0, 0, 0, 1), value=True)
        offset = None
        if config.local:
            reach = config.local
            apart = torch.arange(size, device=batch.state.device) - batch.sites[..., None]
            seen = seen & (apart.abs() <= reach)
            offset = (apart + reach).clamp(0, 2 * reach)
        return hidden_bias(seen, self.embedding.weight.dtype)[:, None], offset

    def finish_edits(self, x: Tensor) -> Tensor:
        """Return the hiddens of the edits, from the last layer's output (..., D)."""
        return self.edit_norm(x) if self.config.aggregate == "residual" else x

    # -- the decoders' inputs ------------------------------------------------------------------

    def content_input(self, anchor: Tensor, content: Tensor, edit: Tensor) -> Tensor:
        """Compute the query for a content, given the anchor: (..., D) three times -> (..., D).

        `content` is the embedding of the content before, `edit` the hidden of the edit before.
        """
        if self.config.decoder == "edits":
            return self.combine(torch.cat([anchor, edit], -1))
        return anchor + content

    def content_logits(self, hidden: Tensor, position: Tensor) -> Tensor:
        """Vocabulary logits (..., V); what cannot be at the position (...) is masked."""
        if self.config.aggregate == "residual":
            hidden = self.content_norm(hidden)
        entries = self.output if self.config.untied else self.embedding.weight
        logits = functional.linear(hidden, entries, self.content_bias)
        entry = torch.arange(self.config.vocabulary, device=logits.device)
        at_start = (position == 0)[..., None]
        possible = (entry != PAD) & (entry != START)
        possible = possible & ((entry != DELETE) | ~at_start) & ((entry != SAVE) | at_start)
        return logits + hidden_bias(possible, logits.dtype)

    def query_of(self, hidden: Tensor) -> Tensor:
        """Return the pointer's query (..., D)."""
        if self.config.aggregate == "residual":
            return self.pointer_query(hidden) * hidden.shape[-1] ** -0.5
        return hidden

    def keys_of(self, hidden: Tensor) -> Tensor:
        """Return what the pointer and the copy head are held against, from hiddens (..., D)."""
        return self.pointer_key(hidden) if self.config.aggregate == "residual" else hidden

    def position_hidden(self, x: Tensor) -> Tensor:
        """Return what the position head reads, from the last block's output (..., D)."""
        return self.position_norm(x) if self.config.aggregate == "residual" else x

    # -- whole instances -----------------------------------------------------------------------

    def forward(self, batch: Batch) -> Forecasts:
        """Teacher-forced log probabilities of edits 1..T."""
        config = self.config
        rows = batch.positions.shape[1]
        index = torch.arange(rows, device=batch.state.device)
        state = self.read_state(batch.state)
        visible = batch.state != PAD

        causal = index[:, None] >= index[None, :]
        causal_bias = hidden_bias(causal, state.dtype)
        ago = (index[:, None] - index[None, :]).clamp(0, 127)

        x = self.edit_inputs(batch.contents, batch.ranks, batch.sites, batch.moves, state)
        if config.equality or config.seek:
            text, wrote = self.vectors[batch.state], self.vectors[batch.contents]
            beside = around(text, batch.sites)
        if config.equality:
            earlier = index[:, None] - torch.arange(1, EARLIER + 1, device=index.device)
            before = wrote[:, earlier.clamp(min=0)] * (earlier >= 0)[..., None]
            x = x + self.written(wrote, beside, before)
        places, offset = self.places_read(batch)
        for own, read in zip(self.edit_blocks, self.state_reads, strict=True):
            query = own.query(x, index)
            x = own(x, query, *own.memory(query), causal_bias, ago)
            query = read.query(x, index)
            x = read(x, query, *read.memory(state), places, offset)
        edits = self.finish_edits(x)

        items = torch.cat([state, edits[:, 1:]], 1)
        expanded = batch.positions[..., None].expand(-1, -1, config.width)
        anchors = torch.gather(items, 1, expanded)  # U, with row 0 at the start token

        x = edits if config.decoder == "edits" else anchors
        for block in self.position_blocks:
            query = block.query(x, index)
            x = block(x, query, *block.memory(query), causal_bias, ago)
        hidden = self.position_hidden(x)[:, :-1]
        logits = pointer_logits(self.query_of(hidden), self.keys_of(items))
        if config.distance:
            logits = logits + self.distance(hidden, batch.buckets)
        size = batch.state.shape[1]
        ahead = batch.live[..., :size] & (batch.buckets[..., :size] >= HERE)
        if config.seek:
            follows = self.seek.rows(hidden, edits[:, :-1], causal_bias[:-1, :-1])
            tokens = torch.cat([beside, wrote[..., None, :]], -2)[:, :-1]
            sought = self.seek.sought(hidden, follows, tokens)
            found, stands = self.seek(hidden, sought, text, self.seek.place(state), ahead)
            hung = torch.gather(found, -1, batch.sites[:, None, 1:].expand(-1, rows - 1, -1))
            logits = logits + torch.cat([found, hung], -1)
        logits = logits + hidden_bias(batch.live, logits.dtype) + batch.stands[:, None, :]
        if config.scan:
            last = index[None, :-1, None] + (size - 1)
            position = self.scan(hidden, logits, ahead, last, batch.live)
        else:
            position = torch.log_softmax(logits.float(), -1)

        content = self.embed(batch.contents)
        if config.decoder == "analogical":
            x = (content - anchors)[:, :-1]
        else:
            x = self.content_input(anchors[:, 1:], content[:, :-1], edits[:, :-1])
        if config.seek:
            # Where what is sought stands around the site pointed at.
            profile = around(stands.transpose(-1, -2), batch.sites[:, 1:, None])
            x = x + self.seek.profile(profile.flatten(-3))
        seen, since, steps = causal_bias[:-1, :-1], ago[:-1, :-1], index[:-1]
        for block in self.content_blocks:
            query = block.query(x, steps)
            memory = edits[:, :-1] if config.decoder == "edits" else query
            x = block(x, query, *block.memory(memory), seen, since)
        if config.decoder == "analogical":
            x = x + anchors[:, 1:]
        vocabulary = self.content_logits(x, batch.positions[:, 1:])
        if not config.copy:
            return Forecasts(position, vocabulary, None)
        earlier = torch.cat(
            [
                visible[:, None, :].expand(-1, rows - 1, -1),
                batch.copyable[:, None, :] & (index[:-1, None] > index[None, :-1]),
            ],
            2,
        )
        scores = pointer_logits(self.copy.query_of(x), self.keys_of(items))
        if config.asked:
            since = index[:-1, None] - index[None, 1:]
            scores = scores + self.copy.nearness(x, batch.sites[:, 1:], batch.state.shape[1], since)
        weights = self.copy.weights(x, scores, earlier)
        return Forecasts(position, vocabulary, weights)
