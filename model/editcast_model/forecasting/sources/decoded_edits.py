"""Decoded edits: what the network itself generates, on the lines that it finds most probable.

They are proposed after a save only. At 148 moments between two saves of everyday edits none of them
was right. Decoding goes on edit by edit, by position, then content, until the network moves
elsewhere or the edits become too improbable.
"""

import math
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Ids
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice

import numpy as np

from editcast_model.diff import Hunk
from editcast_model.edits import DELETE, PAD, SAVE, START, Edit
from editcast_model.forecasting.candidates import UNSEEN, Candidate, NetworkView, Situation
from editcast_model.forecasting.line_ranker import Floats
from editcast_model.inference.sequence import MASKED, Sequence
from editcast_model.tokenizer import Tokenizer, lex

#: A hypothesis so far below the floor is given up, in nats.
_HOPELESS = 2.0


class DecodedEdits:
    """The candidate source of the network's decoding."""

    name = "decoded"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the best on each of the most probable lines where something fits."""
        view, text, missing = situation.view, situation.history.text, situation.count
        if view is None or situation.history.unsaved:
            return
        config = situation.config
        floor = math.log(config.floor) if config.floor else -math.inf

        def is_suggestion(edits: Ids[Edit]) -> bool:
            hunk = view.window.hunk(view.timeline, edits)
            if hunk is None or text[hunk.start : hunk.end] == hunk.text:
                return False
            return situation.accepts(hunk, self.name)

        for where in islice(view.places.on_lines(), missing + config.other_lines):
            if not situation.may_win(*self._bounds(situation, view, where)):
                continue
            one = decode(
                view.sequence,
                where=where,
                spare=config.other_starts,
                limit=config.decoded_length,
                together=config.together,
                floor=floor,
                splits=partial(_ends_token, view.tokenizer),
                fits=is_suggestion,
            )
            if one is None:
                continue
            hunk = view.window.hunk(view.timeline, one.edits)
            assert hunk is not None
            candidate = Candidate(
                hunk,
                self.name,
                edits=len(one.edits),
                log_probability=one.log_probability,
                line=float(view.places.line[one.edits[0].position]),
                prior=math.exp(min(one.log_probability, 0.0)),
            )
            yield situation.described(candidate)
            missing -= 1
            if missing == 0:
                return

    def _bounds(
        self, situation: Situation, view: NetworkView, where: Floats
    ) -> tuple[Candidate, Candidate]:
        """Return the least and the greatest features of what can be decoded on a line.

        What was made before is for other sources to propose.
        """
        history, places = situation.history, view.places
        first = int(where.argmax())
        last = history.text.count("\n", 0, history.last)
        apart = abs(int(places.line_of[first]) - last)
        line = float(places.line[first])
        low = Candidate(
            Hunk(0, 1, ""),
            self.name,
            log_probability=UNSEEN,
            line=line,
            distance=max(apart - 1, 0),
            repeating=history.repeating,
        )
        high = replace(
            low,
            hunk=Hunk(0, 0, ""),
            log_probability=float(where[first]),
            distance=apart + 1,
            is_whole_lines=True,
        )
        return low, high


def _ends_token(tokenizer: Tokenizer, before: Ids[int], token: int) -> bool:
    """Tell whether a lexical token ends between two runs of inserted subtokens."""
    left, right = tokenizer.decode(before), tokenizer.decode([token])
    if not left or not right:
        return True
    return len(lex(left + right)) == len(lex(left)) + len(lex(right))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A possible continuation of the sequence.

    Attributes:
        edits: Implicit edits that follow those of the sequence.
        log_probability: Their joint log probability.
        location: The log probability of the first position alone.
        boundaries: The points where it may be cut, each with the number of edits and the joint log
            probability up to there; the last is the end.
    """

    edits: tuple[Edit, ...]
    log_probability: float
    location: float
    boundaries: tuple[tuple[int, float], ...] = ()


def decode(
    sequence: Sequence,
    *,
    where: Floats | None = None,
    spare: int = 3,
    limit: int = 20,
    together: int = 16,
    floor: float = -np.inf,
    splits: Callable[[Ids[int], int], bool] = lambda before, token: True,
    fits: Callable[[tuple[Edit, ...]], bool] = lambda edits: True,
) -> Decoded | None:
    """Decode the next edits: a whole suggestion, or None.

    The most probable first edit is continued greedily while the edits stay together. A suggestion
    ends where the network saves or moves elsewhere, or when its edits, given the first position,
    are less probable than `floor`. Then it is cut back to the last boundary above the floor that
    fits or, if there is none, extended to the first one below. If that fails, less probable first
    edits are tried.

    Args:
        sequence: The sequence, which is not changed.
        where: Log probabilities of the first position, (N,), if not the sequence's own.
        spare: The number of other first edits to try.
        limit: The maximum number of edits of a suggestion.
        together: The maximum number of tokens between two edits of a suggestion.
        floor: The minimum joint log probability, without that of the first position.
        splits: Tells whether a lexical token ends between these inserted tokens and the next.
        fits: Tells whether these edits may be a suggestion; called rarely, since it may parse.
    """
    edits = list(sequence.timeline.edits)
    where = sequence.position if where is None else where
    decoder = _Decoder(sequence, edits, limit, together, floor, splits, cache(fits))
    tried: set[int] = set()
    try:
        for most in (1, 1 + spare):
            sequence.follow(edits)
            for first in _firsts(sequence, where, most):
                position = first.edits[0].position
                if position in tried:
                    continue
                tried.add(position)
                whole = decoder.go_on(first)
                if whole is not None:
                    return whole
        return None
    finally:
        sequence.follow(edits)


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Greedy decoder of a suggestion after `edits`, which the sequence has read; see `decode`."""

    sequence: Sequence
    edits: list[Edit]
    limit: int
    together: int
    floor: float
    splits: Callable[[Ids[int], int], bool]
    fits: Callable[[tuple[Edit, ...]], bool]

    def go_on(self, so_far: Decoded) -> Decoded | None:
        """Return the suggestion that begins with some edits, or None; this extends the sequence."""
        sequence = self.sequence
        while True:
            sequence.follow([*self.edits, *so_far.edits])
            position = int(sequence.position.argmax())
            choice = _best_at(sequence, position, float(sequence.position[position]))
            if choice is None:
                return None
            edit, count, joint = choice.edits[0], len(so_far.edits), so_far.log_probability
            rank = sequence.timeline.rank[edit.position]
            apart = abs(int(rank) - sequence.timeline.last_rank)
            leaves = edit.content == SAVE or apart > self.together
            if leaves or self._is_boundary(so_far, edit):
                so_far = replace(so_far, boundaries=(*so_far.boundaries, (count, joint)))
            grown, floor = joint + choice.log_probability, self.floor + so_far.location
            is_last = leaves or count >= self.limit
            if is_last or grown < floor:
                ended = self._cut(so_far)
                if ended is not None or is_last or grown < floor - _HOPELESS:
                    return ended
            so_far = replace(so_far, edits=(*so_far.edits, edit), log_probability=grown)

    def _is_boundary(self, so_far: Decoded, edit: Edit) -> bool:
        """Tell whether a lexical token ends between the inserted tokens and the next one."""
        if so_far.edits[-1].content == DELETE or edit.content == DELETE:
            return False
        return self.splits(_inserted(so_far.edits), edit.content)

    def _cut(self, decoded: Decoded) -> Decoded | None:
        """Return the longest part above the floor that fits, else the shortest one below it."""
        floor = self.floor + decoded.location
        above = [one for one in decoded.boundaries if one[1] >= floor]
        below = decoded.boundaries[len(above) :]
        for count, joint in (*reversed(above), *below):
            if self.fits(decoded.edits[:count]):
                return replace(decoded, edits=decoded.edits[:count], log_probability=joint)
        return None


def _firsts(sequence: Sequence, where: Floats, count: int) -> list[Decoded]:
    """Return the most probable single edits at different places, without saves."""
    out: list[Decoded] = []
    for item in _largest(where, count + 1):
        if where[item] <= MASKED:
            break
        if len(out) >= count and float(where[item]) <= out[count - 1].log_probability:
            break  # whatever is said there
        best = _best_at(sequence, item, float(where[item]), save=False)
        if best is not None:
            out.append(best)
            out.sort(key=lambda one: -one.log_probability)
    return out[:count]


def _best_at(
    sequence: Sequence, item: int, location: float, *, save: bool = True
) -> Decoded | None:
    """Return the most probable single edit at an item, or None; a save only with `save`."""
    if not sequence.timeline.live[item]:
        return None
    # A copy can be of the start token, and rounding can leave a little to anything.
    content = sequence.content(item).copy()
    content[[PAD, START, DELETE if item == 0 else SAVE]] = -np.inf
    if not save:
        content[SAVE] = -np.inf
    token = int(content.argmax())
    joint = location + float(content[token])
    return Decoded((Edit(item, token),), joint, location) if joint > MASKED else None


def _largest(values: Floats, count: int) -> list[int]:
    """Return the indices of the `count` largest values, the largest first."""
    count = min(count, len(values))
    some = np.argpartition(-values, count - 1)[:count]
    return [int(index) for index in some[np.argsort(-values[some], kind="stable")]]


def _inserted(edits: Ids[Edit]) -> list[int]:
    """Return the last inserted tokens that follow one another."""
    out: list[int] = []
    for edit in reversed(edits):
        if edit.content == DELETE:
            break
        out.append(edit.content)
    return out[::-1]
