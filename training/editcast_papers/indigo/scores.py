"""Scores of a network that was trained: BLEU and exact texts by beam, time, orders of writing."""

import time
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Any

import torch

from editcast_papers.bleu import bleu, bleu_counts
from editcast_papers.indigo.networks.decoding import Decoded, decode
from editcast_papers.indigo.networks.network import Indigo
from editcast_papers.indigo.tasks import LONGEST, Corpus, Example, collate

_ROWS = 1_000  # rays at once on a processor
_ROWS_OF_CARD = 20_000


def decode_all(
    network: Indigo, examples: Sequence[Example], beam: int, device: torch.device
) -> list[Decoded]:
    """Write a text for each example."""
    network.eval()
    found: list[Decoded] = [Decoded((), ())] * len(examples)
    ranked = sorted(range(len(examples)), key=lambda at: len(examples[at].source))
    most = _ROWS_OF_CARD if device.type == "cuda" else _ROWS
    for places in _chunks(ranked, max(most // beam, 1)):
        batch = collate([examples[at] for at in places], device)
        for at, one in zip(places, decode(network, batch.source, beam, LONGEST), strict=True):
            found[at] = one
    return found


def _chunks(places: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(places), size):
        yield places[start : start + size]


def words_of(corpus: Corpus, found: Decoded) -> list[str]:
    """Return the words of a text."""
    return [corpus.words[word] for word in found.text()]


def score(
    network: Indigo, corpus: Corpus, examples: Sequence[Example], beam: int, device: torch.device
) -> dict[str, Any]:
    """Return BLEU, the percentage of exact texts, milliseconds and words of a text, and counts.

    Time is the processor's own on a processor, so that other work on the machine is not in it.
    """
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    began = clock()
    found = decode_all(network, examples, beam, device)
    seconds = clock() - began
    texts = [words_of(corpus, one) for one in found]
    counts = bleu_counts(
        [" ".join(text) for text in texts], [" ".join(one.words) for one in examples]
    )
    right = [one.is_right(text) for one, text in zip(examples, texts, strict=True)]
    return {
        "bleu": round(bleu(counts), 2),
        "exact": round(100 * mean(right), 2),
        "ms": round(1000 * seconds / len(examples), 2),
        "words": round(mean(len(text) for text in texts), 2),
        "counts": counts,
    }


def appended(found: Sequence[Decoded]) -> float:
    """Return the percentage of words, but first ones, that go right behind the one before."""
    steps = [
        # Between two words stand those written later: compare places among those there are.
        sum(1 for other in one.places[: at + 1] if place < other < next_place) == 0
        and next_place > place
        for one in found
        for at, (place, next_place) in enumerate(zip(one.places[:-1], one.places[1:], strict=True))
    ]
    return round(100 * mean(steps), 1) if steps else 0.0


def picture(corpus: Corpus, found: Decoded) -> str:
    """Show a text with the number of the step in which each word was written."""
    steps = {place: step for step, place in enumerate(found.places, 1)}
    words = words_of(corpus, found)
    return " ".join(f"{word}:{steps[place]}" for place, word in enumerate(words))
