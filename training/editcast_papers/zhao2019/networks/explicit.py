"""E, the explicit baseline of Zhao et al. (2019), section 3.1: an LSTM over LSTMs.

    B  batch               S  state tokens, M+1          T  edits
    N  items, S+T          L  tokens of the longest state of all
    R  states that are read, at most B*T                 D  width

The first level reads every state s(0) .. s(T-1) from left to right. Its input at place m of s(t)
is the pair of the token there one step ago and the token there now (the paper's second path of
context; before s(0) there is `PAD` everywhere). The second level reads the states' last hidden
vectors and puts out o(t), which says both halves of edit t+1: the content by a softmax, the
position by pointing at the first level's hidden vectors of s(t). The content does not know the
position.

Positions are told over items, as by every network, and so that impossible ones have none of the
probability.
"""

import torch
from torch import Tensor, nn

from editcast_model.edits import DELETE, PAD, SAVE
from editcast_model.networks.attention import hidden_bias
from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import Forecasts


def explicit_states(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return the states just before each edit, s(0) .. s(T-1), one row each.

    Returns:
        The item that stands at each place, int64 (B, T, L), and its token; behind a state's end,
        the item is N, which there is none of, and the token `PAD`. Steps behind an instance's
        own edits have the start token only.
    """
    size, steps = batch.state.shape[1], batch.contents.shape[1] - 1
    nothing = size + steps
    lengths = batch.live.sum(-1)  # (B, T)
    longest = int(lengths.max())
    # One more column, always empty, for a deletion to draw from. What moves beyond is of a padded
    # step: no state before an edit is longer than the longest.
    place = torch.arange(max(longest, size) + 1, device=batch.state.device)
    order = torch.full((len(batch.state), len(place)), nothing, device=place.device)
    order[:, :size] = torch.where(batch.state != PAD, place[:size], nothing)
    content = batch.contents[:, 1:]
    deletes = content == DELETE
    inserts = (content != DELETE) & (content != SAVE) & (content != PAD)
    ranks = batch.ranks[:, 1:]
    orders = []
    for step in range(steps):
        orders.append(order[:, :longest])
        offset = place - ranks[:, step, None]
        # Behind an insertion things come from one place to the left, from a deletion on from one
        # to the right.
        moved = (offset >= 0) & deletes[:, step, None]
        pushed = (offset > 1) & inserts[:, step, None]
        source = (place + moved.long() - pushed.long()).clamp(max=len(place) - 1)
        order = order.gather(1, source)
        order = order.masked_fill((offset == 1) & inserts[:, step, None], size + step)
    items = torch.stack(orders, 1)
    items = torch.where(place[:longest] < lengths[..., None], items, nothing)
    tokens = nn.functional.pad(batch.tokens, (0, 1), value=PAD)
    return items, tokens.gather(1, items.flatten(1)).view_as(items)


class Explicit(nn.Module):
    """The network; its width is that of the embeddings and of both LSTMs."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.states = nn.LSTM(2 * width, width, batch_first=True)
        self.history = nn.LSTM(width, width, batch_first=True)
        self.content = nn.Linear(width, vocabulary)

    def forward(self, batch: Batch) -> Forecasts:
        """Teacher-forced log probabilities of edits 1..T."""
        items, tokens = explicit_states(batch)
        earlier = nn.functional.pad(tokens, (0, 0, 1, 0), value=PAD)[:, :-1]
        # Each state is one sequence, and states of padded steps are not read.
        read = batch.contents[:, 1:] != PAD
        items = items[read]  # (R, L)
        pair = torch.cat([self.embedding(earlier[read]), self.embedding(tokens[read])], -1)
        hidden, _ = self.states(pair)  # (R, L, D)
        end = batch.live.sum(-1)[read] - 1
        last = hidden.new_zeros(*read.shape, hidden.shape[-1])
        last[read] = hidden[torch.arange(len(end), device=end.device), end]
        output, _ = self.history(last)  # (B, T, D)

        pointed = torch.matmul(hidden, output[read][..., None]).squeeze(-1)  # (R, L)
        spread = pointed.new_zeros(len(pointed), batch.live.shape[-1] + 1)
        logits = pointed.new_zeros(batch.live.shape)
        logits[read] = spread.scatter(1, items, pointed)[:, :-1]
        logits = logits + hidden_bias(batch.live, logits.dtype)
        return Forecasts(torch.log_softmax(logits.float(), -1), self.content(output), None)
