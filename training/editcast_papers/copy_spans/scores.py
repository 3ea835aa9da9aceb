"""Scores of what a network writes: right at once, right among twenty, and by what actions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from editcast_papers.copy_spans.likelihood import text_likelihoods
from editcast_papers.copy_spans.network import Copier
from editcast_papers.copy_spans.pairs import END, PAD, Corpus, Pair, in_batches
from editcast_papers.copy_spans.search import GENERATED, Found, Merge, search

BEAM = 20
#: Words of a text at most, with the end: what is longer is in none of the pairs of a size.
LONGEST = {"small": 51, "medium": 101, "edits": 61}
_AT_ONCE = 32
_NAME = re.compile(r"[A-Z]+_\d+")  # an abstracted name, as VAR_1 or METHOD_2


def probability_of_words(network: Copier, pairs: Sequence[Pair], *, forced: bool) -> float:
    """Return the geometric mean of the probability of a word, end marks too, in percent."""
    network.eval()
    total, words = 0.0, 0
    with torch.no_grad():
        for _, batch in in_batches(pairs, 2 * _AT_ONCE):
            total += float(text_likelihoods(network, batch, forced=forced).sum())
            words += int((batch.after != PAD).sum())
    return 100 * float(torch.tensor(total / words).exp())


def score(
    network: Copier, corpus: Corpus, pairs: Sequence[Pair], longest: int, beam: int, merge: Merge
) -> dict[str, float]:
    """Score the search on pairs.

    Returns:
        In percent ``accuracy`` and ``structural``: the first text is the right one, or is with
        other numbers in its names; ``within``: it is in the beam. Mean reciprocal ranks of the
        right text, ``mrr``, and of the unchanged one, ``unchanged``; 0 where it is not found.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for places, found in _searched(network, pairs, longest, beam, merge):
        for row, place in enumerate(places):
            pair = pairs[place]
            rank, unchanged = (
                _rank(found, row, text, longest) for text in (pair.after, pair.before)
            )
            first = found.text[row, 0]
            first = first[(first != PAD) & (first != END)]
            same = bool(found.score[row, 0].isfinite()) and (
                structure(corpus.words, first) == structure(corpus.words, pair.after)
            )
            totals["accuracy"] += 100 * (rank == 1)
            totals["within"] += 100 * (rank is not None)
            totals["structural"] += 100 * same
            totals["mrr"] += 1 / rank if rank else 0
            totals["unchanged"] += 1 / unchanged if unchanged else 0
    names = ("accuracy", "within", "mrr", "structural", "unchanged")
    return {name: round(totals[name] / max(len(pairs), 1), 4) for name in names}


def transfers(
    network: Copier, corpus: Corpus, longest: int, beam: int
) -> dict[str, dict[str, float]]:
    """Score what edits do that are shown at another place.

    Returns:
        By kind, how many there are (``count``), and percent that are right at once (``first``) and
        within the beam (``within``).
    """
    ranks: dict[str, list[int | None]] = {kind: [] for kind in corpus.kinds}
    for places, found in _searched(network, corpus.transfer, longest, beam, "always"):
        for row, place in enumerate(places):
            right = corpus.transfer[place].after
            ranks[corpus.kinds[place]].append(_rank(found, row, right, longest))
    return {
        kind: {
            "count": len(own),
            "first": round(100 * own.count(1) / len(own), 2),
            "within": round(100 * (len(own) - own.count(None)) / len(own), 2),
        }
        for kind, own in sorted(ranks.items())
    }


def spans_of(
    network: Copier, pairs: Sequence[Pair], longest: int
) -> tuple[Counter[int], dict[int, list[str]]]:
    """Decode greedily: how often a span of each length is copied, and each pair's actions."""
    lengths: Counter[int] = Counter()
    actions: dict[int, list[str]] = {}
    for places, found in _searched(network, pairs, longest, 1, "never"):
        words = max(len(pairs[place].before) for place in places)
        for row, place in enumerate(places):
            made = []
            text = found.text[row, 0].tolist()
            for word, how in zip(text, found.made[row, 0].tolist(), strict=True):
                if how == GENERATED and word != PAD:
                    made.append(f"Gen({word})")
                elif how >= 0:
                    first, last = divmod(how, words)
                    made.append(f"Copy({first}:{last + 1})")
                    lengths[last - first + 1] += 1
            actions[place] = made
    return lengths, actions


def _searched(
    network: Copier, pairs: Sequence[Pair], longest: int, beam: int, merge: Merge
) -> Iterator[tuple[list[int], Found]]:
    network.eval()
    for places, batch in in_batches(pairs, _AT_ONCE):
        yield places, search(network, batch, beam, longest, merge)


def _rank(found: Found, row: int, text: Tensor, longest: int) -> int | None:
    """Return the place of a text among the rays, from 1."""
    if len(text) >= longest:
        return None
    wanted = torch.full((longest,), PAD)
    wanted[: len(text)] = text
    wanted[len(text)] = END
    hits = ((found.text[row] == wanted).all(-1) & found.score[row].isfinite()).nonzero()
    return int(hits[0, 0]) + 1 if len(hits) else None


def structure(words: Sequence[str], text: Tensor) -> list[str]:
    """Return the words of a text, with abstracted names numbered by their first places."""
    numbers: dict[str, str] = {}
    found = []
    for word in (words[one] for one in text.tolist()):
        if _NAME.fullmatch(word):
            kind = word.rsplit("_", 1)[0]
            word = numbers.setdefault(word, f"{kind}_{len(numbers)}")
        found.append(word)
    return found


def named(actions: Sequence[str], words: Sequence[str]) -> str:
    """Write actions out, with words in place of ids."""
    found = (re.fullmatch(r"Gen\((\d+)\)", one) for one in actions)
    return " ".join(
        f"Gen({words[int(hit[1])]})" if hit else one
        for hit, one in zip(found, actions, strict=True)
    )
