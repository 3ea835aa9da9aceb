"""Greedy and beam search for the likeliest code, many descriptions at once.

B  descriptions      K  rays of each      T  longest text      V  vocabulary      N  words read
"""

import math

import torch
from torch import Tensor

from editcast_papers.pretrained_encoder.corpus import Batch
from editcast_papers.pretrained_encoder.network import Writer
from editcast_papers.subwords import END, PAD, START


@torch.no_grad()
def search(network: Writer, batch: Batch, beam: int, longest: int) -> tuple[Tensor, Tensor]:
    """Find likely code: the rays' words with end marks, padded (B, K, T), and scores (B, K).

    Scores are log probabilities, the best first; minus infinity where a ray has no end. With a
    beam of 1 this is greedy decoding. It ends once no ray can overtake the best that has ended.
    """
    count, device = len(batch.words), batch.words.device
    rows = torch.arange(count, device=device).repeat_interleave(beam)
    memory = network.read(batch).rows(rows)
    state = network.decoder.begin(memory)
    score = torch.full((count, beam), -math.inf, device=device)
    score[:, 0] = 0.0
    text = torch.full((count, beam, longest), PAD, device=device)
    ended = torch.zeros_like(score, dtype=torch.bool)
    word = torch.full((count * beam,), START, device=device)
    origin = torch.arange(count, device=device)[:, None] * beam
    for step in range(longest):
        chances, state = network.advance(word, memory, state)
        chances = chances.unflatten(0, (count, beam))  # (B, K, V + N)
        waiting = torch.full_like(chances[0, 0], -math.inf)
        waiting[PAD] = 0.0
        chances = torch.where(ended[..., None], waiting, chances)
        score, index = (score[..., None] + chances).flatten(1).topk(beam, 1)
        parent, taken = index // chances.shape[-1], index % chances.shape[-1]
        copied = batch.words.gather(1, (taken - network.vocabulary).clamp(min=0))
        taken = torch.where(taken < network.vocabulary, taken, copied)
        text = text.gather(1, parent[..., None].expand_as(text))
        text[:, :, step] = taken
        ended = ended.gather(1, parent) | (taken == END)
        best = score.masked_fill(~ended, -math.inf).amax(1)
        if (best >= score.masked_fill(ended, -math.inf).amax(1)).all():
            break
        word = taken.flatten()
        state = tuple(one.index_select(0, (origin + parent).flatten()) for one in state)
    score, order = score.masked_fill(~ended, -math.inf).sort(dim=1, descending=True, stable=True)
    return text.gather(1, order[..., None].expand_as(text)), score
