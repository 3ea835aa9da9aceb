"""The network in four stages for incremental inference, which read the state and each edit once.

There is no batch dimension. An edit adds one row of width F to a cache, and one row to `past`.
Edits that are known together, such as those of a save, are read together.

Dimensions:

    S  state tokens, M+1    t  edits so far    N  items, S+t    F  width of a cache row
    D  width    V  vocabulary    E  width of a token's vector
    n  edits read, or predicted, together

`Encode`, `Advance`, `Point` and `Content` become the ONNX graphs of a bundle. The cost of reading
an edit does not depend on the size of the file; only `Point` and `Content` read the whole state,
once for one or several predictions.
"""

import torch
from torch import Tensor, nn

from editcast_model.edits import DELETE, SAVE
from editcast_model.networks.attention import Block, hidden_bias, window_attention
from editcast_model.networks.config import cache_slots
from editcast_model.networks.equality import EARLIER, around
from editcast_model.networks.heads import mix
from editcast_model.networks.model import EditNetwork


def _ago(rows: Tensor, steps: Tensor) -> Tensor:
    """Count the edits from each of the rows (R, ...) to each of `steps` (n,): (n, R)."""
    return steps.unsqueeze(-1) - torch.arange(rows.shape[0], device=rows.device)


class _Stage(nn.Module):
    """The base of the stages, with the network and the layout of a cache row."""

    def __init__(self, network: EditNetwork) -> None:
        super().__init__()
        self.network = network
        self.slots = cache_slots(network.config)

    def item(self, position: Tensor, hidden: Tensor, edits: Tensor) -> Tensor:
        """Gather the hidden vectors of items (n,) from the state (S, D) or the rows (R, D): (n, D).

        Concatenating both would copy the whole state for each item.
        """
        size = hidden.shape[0]
        of_state = hidden.index_select(0, position.clamp(max=size - 1))
        of_edits = edits.index_select(0, (position - size + 1).clamp(min=0))
        return torch.where((position < size).unsqueeze(-1), of_state, of_edits)

    def against_items(self, query: Tensor, hidden: Tensor, edits: Tensor) -> Tensor:
        """Multiply queries (n, D) with the keys of all items: (n, N)."""
        of_state = self.network.against_keys(query, hidden)
        return torch.cat([of_state, self.network.against_keys(query, edits)[:, 1:]], 1)


class Encode(_Stage):
    """The stage that encodes the state: ids (S,) -> hidden vectors (S, D) and vectors (S, E)."""

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """Encode ``s(0)``."""
        hidden = self.network.encode(state.unsqueeze(0)).squeeze(0)
        return hidden, self.network.vectors[state]


class Advance(_Stage):
    """The stage that reads edits."""

    def forward(
        self, edits: Tensor, past: Tensor, cache: Tensor, hidden: Tensor, vectors: Tensor
    ) -> Tensor:
        """Compute a cache row for each edit.

        Args:
            edits: Content, position, site and move of each edit, int64 (n, 4). The very first row
                is not an edit, and is read alone: `START` at 0 and 0, with the middle bucket.
            past: Content and site of the rows before, int64 (t, 2).
            cache: Their cache rows, (t, F).
            hidden: Of the state, (S, D).
            vectors: Of the state, (S, E).

        Returns:
            The rows' cache (n, F).
        """
        network, slots = self.network, self.slots
        content, position, site, move = edits.unbind(-1)
        step = past.shape[0] + torch.arange(content.shape[0], device=content.device)
        contents = torch.cat([past[:, 0], content])
        ago = _ago(contents, step)
        bias = hidden_bias(ago >= 0, hidden.dtype)

        earlier = step.unsqueeze(-1) - torch.arange(1, EARLIER + 1, device=site.device)
        before = network.vectors[contents[earlier.clamp(min=0)]] * (earlier >= 0)[..., None]
        at_site = hidden.index_select(0, site)
        x = network.edit_inputs(content, move, at_site, around(vectors, site), before)

        def read_state(block: Block, x: Tensor) -> Tensor:
            return self._read_state(block, x, site, hidden)

        layers = [name for name in slots if name.startswith("edit")]
        own, kept = network.read_edits(
            x, [cache[:, slots[name]] for name in layers], bias, ago, read_state
        )
        parts = dict(zip(layers, kept, strict=True)) | {"hidden": own}
        parts["asks"], parts["position"] = network.position_hidden(
            own, cache[:, slots["position"]], bias, ago
        )
        parts["content"] = network.content_block.memory(own)
        return torch.cat([parts[name] for name in slots], 1)

    def _read_state(self, block: Block, x: Tensor, site: Tensor, hidden: Tensor) -> Tensor:
        """Attend from each row (n, D) to the state around its site."""
        reach, size = self.network.config.local, hidden.shape[0]
        place = site.unsqueeze(-1) - reach + torch.arange(2 * reach + 1, device=x.device)
        near = place.clamp(min=0).minimum(torch.full_like(place, 0) + (size - 1))
        around_each = hidden.index_select(0, near.flatten()).unflatten(0, near.shape)
        memory = block.memory(around_each)  # (n, 2 reach + 1, 2D): each row has its own
        return window_attention(block, x, memory, near == place)


class Point(_Stage):
    """The stage that predicts the position of the edit after each of the last rows."""

    def forward(
        self,
        past: Tensor,
        cache: Tensor,
        buckets: Tensor,
        live: Tensor,
        hidden: Tensor,
        vectors: Tensor,
    ) -> Tensor:
        """Compute log probabilities of the next position, after each of the last n rows.

        Args:
            past: Content and site of all rows so far, int64 (t, 2).
            cache: Their cache rows, (t, F).
            buckets: Distances from the last edit of each row, int64 (n, N).
            live: The items that the next edit may point at, none of a later row, bool (n, N).
            hidden: Of the state, (S, D).
            vectors: Of the state, (S, E).

        Returns:
            (n, N).
        """
        network, slots = self.network, self.slots
        last = _last(past, buckets)
        asks = cache[:, slots["asks"]].index_select(0, last)
        edits = cache[:, slots["hidden"]]
        bias = hidden_bias(_ago(edits, last) >= 0, edits.dtype)
        weights = network.analogy.weights(asks, edits, bias)
        looks_for = network.analogy.query(weights, around(vectors, past[:, 1]).flatten(-2))
        return network.position_log_probabilities(
            asks,
            self.against_items(network.pointer_of(asks), hidden, edits),
            network.analogy.scores_of_few(looks_for, vectors),
            buckets,
            live,
        )


class Content(_Stage):
    """The stage that predicts the content of the edit after each of the last rows."""

    def forward(
        self, at: Tensor, past: Tensor, cache: Tensor, tokens: Tensor, hidden: Tensor
    ) -> Tensor:
        """Compute log probabilities of the next content, after each of the last n rows.

        Args:
            at: The item pointed at after each, int64 (n,).
            past: Content and site of all rows so far, int64 (t, 2).
            cache: Their cache rows, (t, F).
            tokens: The state's ids, int64 (S,).
            hidden: Of the state, (S, D).

        Returns:
            (n, V).
        """
        network, slots = self.network, self.slots
        step = _last(past, at)
        edits, memory = cache[:, slots["hidden"]], cache[:, slots["content"]]
        anchor, ago = self.item(at, hidden, edits), _ago(memory, step)
        bias = hidden_bias(ago >= 0, edits.dtype)
        x = network.content_hidden(anchor, edits.index_select(0, step), memory, bias, ago)

        contents, size = past[1:, 0], tokens.shape[0]
        of_edit = past[:, 1].index_select(0, (at - size + 1).clamp(min=0))
        site = torch.where(at < size, at, of_edit)
        edits_ago = ago[:, 1:]
        scores = self.against_items(network.copy.query_of(x), hidden, edits)
        scores = scores + network.copy.nearness(x, site, size, edits_ago)
        inserted = (contents != DELETE) & (contents != SAVE) & (edits_ago >= 0)
        of_state = torch.ones_like(tokens, dtype=torch.bool).expand(at.shape[0], -1)
        weights = network.copy.weights(x, scores, torch.cat([of_state, inserted], 1))
        every = torch.cat([tokens, contents])
        return mix(network.content_logits(x, at), weights, every)


def _last(past: Tensor, asked: Tensor) -> Tensor:
    """Return the numbers of the last rows, as many as `asked` has, (n,)."""
    count = asked.shape[0]
    return torch.arange(count, device=past.device) + (past.shape[0] - count)
