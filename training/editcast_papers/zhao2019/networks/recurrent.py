"""IR, the implicit baseline of Zhao et al. (2019), section 3.2: a sequence-to-sequence LSTM.

    B  batch          S  state tokens, M+1      T  edits
    N  items, S+T     P  columns                D  width

An LSTM reads s(0), and from its last state another one reads the edits, each as the embedding of
its position beside that of its content. What it puts out at edit t points at the position of edit
t+1, by a softmax over learned columns, and, beside the embedding of that position, names its
content. An item has the same column in every batch: M+1 tokens of the instance's own s(0) come
first, and then its edits, however the batch is padded. Items past the last column share it.

Nothing in the columns knows whether an item is still there: impossible positions are masked, as
for every network.
"""

import torch
from torch import Tensor, nn

from editcast_model.edits import PAD
from editcast_model.networks.attention import hidden_bias
from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import Forecasts


class Recurrent(nn.Module):
    """The network; its width is that of both embeddings and of both LSTMs.

    `items` is P: the most items an instance has.
    """

    def __init__(self, vocabulary: int, width: int, items: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.place = nn.Embedding(items, width)
        self.encoder = nn.LSTM(width, width, batch_first=True)
        self.decoder = nn.LSTM(2 * width, width, batch_first=True)
        self.position = nn.Linear(width, items)
        self.content = nn.Linear(2 * width, vocabulary)

    def columns(self, batch: Batch) -> Tensor:
        """Return the column of each item, int64 (B, N)."""
        size = batch.state.shape[1]
        item = torch.arange(batch.live.shape[-1], device=batch.state.device)
        padding = size - (batch.state != PAD).sum(-1, keepdim=True)
        return (item - padding * (item >= size)).clamp(max=self.place.num_embeddings - 1)

    def forward(self, batch: Batch) -> Forecasts:
        """Teacher-forced log probabilities of edits 1..T."""
        columns = self.columns(batch)
        place = self.place(columns.gather(1, batch.positions))  # (B, T+1, D)
        edits = torch.cat([place, self.embedding(batch.contents)], -1)
        # The encoder's final state is the one after an instance's own last token.
        state = nn.utils.rnn.pack_padded_sequence(
            self.embedding(batch.state),
            (batch.state != PAD).sum(-1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        _, final = self.encoder(state)
        hidden, _ = self.decoder(edits[:, :-1], final)  # (B, T, D)

        logits = self.position(hidden)  # (B, T, P)
        logits = logits.gather(2, columns[:, None, :].expand(-1, hidden.shape[1], -1))
        logits = logits + hidden_bias(batch.live, logits.dtype)
        content = self.content(torch.cat([hidden, place[:, 1:]], -1))
        return Forecasts(torch.log_softmax(logits.float(), -1), content, None)
