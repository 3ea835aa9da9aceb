"""The line ranker: how probable the next edit is on each line, by the pointer and by features.

The pointer knows the places it was trained to know. How far a line is from the last save, whether
it reads like what was just changed, whether a replacement could be made there again: a small
network with one hidden layer weighs all of that, and its probability of the line is joined to the
pointer's of the token within it. `editcast_training.calibration.line_ranker` fits it on sessions,
once the network is trained; it lies in the bundle's card.

    N  items of the sequence    L  lines that are looked at    F  features    H  hidden units
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editcast_model.card import LINE_FEATURES, Card
from editcast_model.forecasting.replacements import Repeat
from editcast_model.history import RecentEdits, Words, words_of
from editcast_model.inference.config import InferenceConfig
from editcast_model.inference.sequence import MASKED
from editcast_model.tokenizer import lines

Floats = npt.NDArray[np.float32]
#: The number of features of a line.
FEATURES = LINE_FEATURES
#: The number of saves before the newest with features of their own.
_APART = 3
_LEAST = 1e-7
#: The upper bound of the feature of rare words.
_RARE = 3.0
_DEFINES = ("async ", "class ", "def ", "export ", "from ", "func ", "function ", "import ")


@dataclass(frozen=True, slots=True)
class LineFeatures:
    """The lines that the next edit may be on, and what can be said of each.

    Attributes:
        lines: Their numbers from 0, ascending, (L,); the last of a text is the empty one at its
            end.
        features: (L, F).
        line_of: The line that an edit at each item touches, (N,); -1 for what is dead.
        position: Log probabilities of the pointer, (N,).
    """

    lines: npt.NDArray[np.int64]
    features: Floats
    line_of: npt.NDArray[np.int64]
    position: Floats

    def placed(self, of_lines: Floats) -> "Places":
        """Compute log probabilities of the next position and of its line from those of the lines.

        Elsewhere than on these lines they are `MASKED`: improbable, and still a number that JSON
        has.
        """
        seen, index, within = self._on_lines()
        line = np.full(len(self.position), MASKED, np.float32)
        line[seen] = of_lines[index]
        position = np.full(len(self.position), MASKED, np.float32)
        position[seen] = self.position[seen] - within[index] + line[seen]
        by_line = dict(zip(self.lines.tolist(), np.exp(of_lines).tolist(), strict=True))
        return Places(position, line, self.line_of, by_line)

    def pointed(self) -> Floats:
        """Log probabilities of the lines as the pointer alone has them, (L,)."""
        within = self._on_lines()[2]
        return np.asarray(within - np.logaddexp.reduce(within), np.float32)

    def _on_lines(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Find the items on these lines, the line of each, and the log probability of each line."""
        index = np.searchsorted(self.lines, self.line_of).clip(max=len(self.lines) - 1)
        seen = self.lines[index] == self.line_of
        index = index[seen]
        within = np.full(len(self.lines), -np.inf)
        np.logaddexp.at(within, index, self.position[seen].astype(np.float64))
        return seen, index, within


class Places(NamedTuple):
    """Log probabilities of the next position, and of its line, (N,).

    And the line of each place, (N,), -1 for none, and how probable lines are that are looked at.
    """

    where: Floats
    line: Floats
    line_of: npt.NDArray[np.int64]
    lines: dict[int, float]

    def on_lines(self) -> Iterator[Floats]:
        """Yield log probabilities of positions on the most probable line, on the next, ..."""
        line = self.line.copy()
        while line.max() > MASKED:
            here = self.line_of == self.line_of[line.argmax()]
            yield np.where(here, self.where, np.float32(MASKED))
            line[here] = MASKED


def line_features(
    text: str,
    recent: RecentEdits,
    position: Floats,
    order: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    repeats: Sequence[Repeat],
    config: InferenceConfig,
) -> LineFeatures:
    """Compute the features of the lines that the next edit may be on.

    Args:
        text: As it is now.
        recent: The edits that led to it; at least one save.
        position: The pointer's log probabilities of the next edit's item, (N,).
        order: The items in the order of the text, (R,).
        ends: Where each of them ends in the text, code points, (R,), ascending.
        repeats: Replacements that could be made again, the best first.
        config: How many lines are described.
    """
    texts = [*lines(text), ""]
    count = len(texts)
    starts = np.array(list(accumulate(map(len, texts[:-1]), initial=0)), np.int64)
    line = np.searchsorted(starts, ends, side="right") - 1
    line_of = np.full(len(position), -1, np.int64)
    line_of[order] = line
    probability = np.exp(position[order].astype(np.float64))
    mass = np.bincount(line, probability, count)
    peak = np.zeros(count)
    np.maximum.at(peak, line, probability)
    again, rank_again = _repeated(starts, repeats)
    last = min((recent.saves[-1] or (0,))[-1], count - 1)
    distance = np.arange(count) - last
    near = np.argsort(abs(distance))[: config.near_lines]
    seen = np.unique(
        np.concatenate([np.argsort(-mass)[: config.probable_lines], near, np.flatnonzero(again)])
    )
    there = np.bincount(line, minlength=count) > 0
    seen = seen[there[seen]]
    columns = [
        *_pointed(mass, peak, seen),
        *_placed(texts, there, seen, last),
        *_touched(recent, seen),
        _is_next_stride(recent, distance, seen),
        *_read(texts, there, seen, last, recent),
        again[seen],
        rank_again[seen],
    ]
    columns += [np.full(len(seen), same) for same in _of_the_file(recent, mass, again)]
    return LineFeatures(seen, np.stack(columns, axis=1).astype(np.float32), line_of, position)


def _repeated(
    starts: npt.NDArray[np.int64], repeats: Sequence[Repeat]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Compute the best score and the best inverse rank of the repeats on each line, (lines,)."""
    scores, ranks = np.zeros(len(starts)), np.zeros(len(starts))
    for rank, repeat in enumerate(repeats, 1):
        line = bisect_right(starts, repeat.hunk.start) - 1
        scores[line] = max(scores[line], repeat.score)
        ranks[line] = max(ranks[line], 1 / rank)
    return scores, ranks


def _of_the_file(
    recent: RecentEdits, mass: npt.NDArray[Any], again: npt.NDArray[np.float64]
) -> list[float]:
    """Describe the file: features that are equal for all lines, and decide what others mean."""
    return [
        math.log(len(mass)),
        -float(np.sum(mass * np.log(mass + _LEAST))),
        any(recent.removed[-1:]),
        any(recent.inserted[-1:]),
        len(recent.saves) == 1,
        float(again.max()),
        math.log1p(len(recent.saves[-1] or (0,))),
        *_moves(recent),
    ]


def _pointed(
    mass: npt.NDArray[Any], peak: npt.NDArray[Any], seen: npt.NDArray[np.int64]
) -> list[npt.ArrayLike]:
    """Describe what the pointer says of a line: all of it, its likeliest item, its neighbours."""
    rank_of = np.empty(len(mass))
    rank_of[np.argsort(-mass)] = np.arange(len(mass))
    padded = np.pad(np.log(mass + _LEAST), 3, constant_values=math.log(_LEAST))
    return [
        padded[seen + 3],
        np.log(peak[seen] + _LEAST),
        padded[seen + 2],
        padded[seen + 4],
        np.log(sum(np.exp(padded[seen + by]) for by in range(7))),
        -np.log1p(rank_of[seen]),
        rank_of[seen] == 0,
        rank_of[seen] == 1,
    ]


def _placed(
    texts: Sequence[str], there: npt.NDArray[np.bool_], seen: npt.NDArray[np.int64], last: int
) -> list[npt.ArrayLike]:
    """Describe how far a line is from the last change, and where in the file."""
    away = seen - last
    known = zip(there.tolist(), texts, strict=True)
    blocks = np.cumsum([here and line.lstrip().startswith(_DEFINES) for here, line in known])
    parted = abs(blocks[seen] - blocks[last])
    return [
        np.sign(away) * np.log1p(abs(away)),
        np.log1p(abs(away)),
        away == 0,
        away == 1,
        away == -1,
        away > 0,
        (away > 1) & (away < 6),
        np.log1p(seen) - math.log1p(last),
        seen / len(texts),
        parted == 0,
        np.log1p(parted),
    ]


def _read(
    texts: Sequence[str],
    there: npt.NDArray[np.bool_],
    seen: npt.NDArray[np.int64],
    last: int,
    recent: RecentEdits,
) -> list[npt.ArrayLike]:
    """Describe what stands on a line, and how it compares to what was changed."""
    numbers = seen.tolist()
    read = [texts[one] for one in numbers]
    words = [words_of(line) for line in read]
    return [
        [not line.strip() for line in read],
        [line.lstrip()[:1] in ("#", "/", "*") for line in read],
        [line.lstrip().startswith(_DEFINES) for line in read],
        [_indent(line) == _indent(texts[last]) for line in read],
        [_alike(one, recent.before) for one in words],
        [_alike(one, recent.after) for one in words],
        *_shared(recent, words, [texts[one] for one in np.flatnonzero(there).tolist()]),
        [_same(texts, one - 1, last - 1) and one != last for one in numbers],
        [_same(texts, one + 1, last + 1) and one != last for one in numbers],
    ]


def _touched(recent: RecentEdits, seen: npt.NDArray[np.int64]) -> list[npt.NDArray[np.bool_]]:
    """Tell whether the newest save touched a line, the one before, and so on."""
    saves = [*recent.saves[-_APART - 1 :][::-1], *[()] * (_APART + 1)][: _APART + 1]
    return [np.isin(seen, np.array(save, np.int64)) for save in saves]


def _shared(
    recent: RecentEdits, words: Sequence[Words], there: Sequence[str]
) -> Iterator[list[float]]:
    """Describe which words of the last saves stand on each line, and how rare they are."""
    none = Words()
    newest = [next(reversed(of), none) for of in (recent.removed, recent.inserted)]
    earlier = [none.union(*of[-1 - _APART : -1]) for of in (recent.removed, recent.inserted)]
    kept = [recent.gone, recent.new]
    sought = none.union(*newest, *earlier, *kept)
    lines_with = Counter(chain.from_iterable(sought & words_of(line) for line in there))
    for known in (*newest, *kept):
        yield [float(not known.isdisjoint(one)) for one in words]
    for known in (*newest, *earlier, *kept):
        yield [min(sum(1 / lines_with[each] for each in known & one), _RARE) for one in words]


def _is_next_stride(
    recent: RecentEdits, distance: npt.NDArray[np.int64], seen: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell whether a line is as far from the last change as that is from the one before."""
    ends = [save[-1] for save in recent.saves[-2:] if save]
    stride = ends[-1] - ends[0] if len(ends) == 2 else 0
    return np.asarray((distance[seen] == stride) & (stride != 0))


def _moves(recent: RecentEdits) -> list[float]:
    """Compute the shares of the saves that went up, stayed on their line, and went down."""
    ways = np.sign(np.diff([save[-1] for save in recent.saves if save])).tolist()
    return [ways.count(way) / max(len(ways), 1) for way in (-1, 0, 1)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _alike(one: Words, other: Words) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _same(texts: Sequence[str], one: int, other: int) -> bool:
    """Tell whether two lines read the same; those outside the text are no lines."""
    return 0 <= one < len(texts) and 0 <= other < len(texts) and texts[one] == texts[other]


@dataclass(frozen=True)
class LineHead:
    """The small network.

    Attributes:
        hidden: Weights and, last, bias of the hidden units, (F + 1, H).
        out: Their weights, (H,).
    """

    hidden: Floats
    out: Floats

    @classmethod
    def of(cls, card: Card) -> "LineHead | None":
        """Read the line head from a bundle's card; return None if the card has none."""
        given = card.lines
        if given is None:
            return None
        return cls(np.array(given.hidden, np.float32), np.array(given.out, np.float32))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that a card has."""
        return {"hidden": self.hidden.tolist(), "out": self.out.tolist()}

    def log_probabilities(self, features: Floats) -> Floats:
        """Compute the log probability that the next edit is on each line, (L,)."""
        hidden = np.maximum(features @ self.hidden[:-1] + self.hidden[-1], 0)
        logits = hidden @ self.out
        logits = logits - logits.max()
        return np.asarray(logits - np.log(np.exp(logits).sum()), np.float32)
