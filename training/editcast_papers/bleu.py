"""BLEU of translations (Papineni et al. 2002), by sacrebleu, and whether a difference is chance.

The sentences are words between blanks already, so sacrebleu's tokenizer is switched off. Counts of
each sentence are enough to have the BLEU of any sample of the sentences: lines of results keep the
counts in place of the translations.
"""

from collections.abc import Sequence
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from editcast_training.evaluation.intervals import Interval

#: Counts of a sentence: its n-grams that are right, n from 1 to 4; its words; the reference's.
Counts = Sequence[int]
_ORDER = 4
_SAMPLES = 1000
_Array = NDArray[Any]


def bleu_counts(found: Sequence[str], references: Sequence[str]) -> list[list[int]]:
    """Return the counts of each sentence."""
    scorer = BLEU(tokenize="none", force=True)
    rows = []
    for text, reference in zip(found, references, strict=True):
        score = scorer.corpus_score([text], [[reference]])
        rows.append([*map(int, score.counts), int(score.sys_len), int(score.ref_len)])
    return rows


def bleu(counts: Sequence[Counts]) -> float:
    """Return the BLEU of sentences, 0 to 100."""
    return _bleu(_with_totals(counts).sum(0))


def paired_bootstrap(
    upper: Sequence[Sequence[Counts]], lower: Sequence[Sequence[Counts]], seed: int = 0
) -> Interval:
    """Compare two systems by samples of the sentences, the same ones for both (Koehn 2004).

    Args:
        upper: The counts of each run of a system.
        lower: The counts of the other system's runs, in the order of the same seeds.
        seed: Of the samples.
    """
    pairs = [
        (_with_totals(one), _with_totals(other)) for one, other in zip(upper, lower, strict=True)
    ]
    sentences = len(upper[0])
    draw = np.random.default_rng(seed)
    gaps = []
    for _ in range(_SAMPLES):
        times = np.bincount(draw.integers(sentences, size=sentences), minlength=sentences)
        gaps.append(_mean_gap(pairs, times))
    low, high = np.percentile(gaps, [2.5, 97.5])
    points = _mean_gap(pairs, np.ones(sentences, dtype=np.int64))
    return Interval(points, float(low), float(high))


def _mean_gap(pairs: Sequence[tuple[_Array, _Array]], times: _Array) -> float:
    """Return the mean difference, when each sentence is there a number of times."""
    return mean(_bleu(times @ one) - _bleu(times @ other) for one, other in pairs)


def _with_totals(counts: Sequence[Counts]) -> _Array:
    """Put the n-grams that each sentence has, n from 1 to 4, behind its counts."""
    rows = np.array(counts, dtype=np.int64)
    totals = rows[:, _ORDER, None] - np.arange(_ORDER)
    return np.hstack([rows, totals.clip(min=0)])


def _bleu(total: _Array) -> float:
    right, (words, reference), written = np.split(total, [_ORDER, _ORDER + 2])
    score = BLEU.compute_bleu(
        right.tolist(), written.tolist(), int(words), int(reference), smooth_method="exp"
    )
    return float(score.score)
