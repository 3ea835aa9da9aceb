"""The network as a forecaster: texts in, predictions out, over `predictor.py`.

A session keeps the file as it was some saves ago, ``s(0)``, and the edits since then: those that
saves have fixed, and the transient ones from the last save to the text as it is now. Of a long
file it sees a window of whole lines around the edits. When the edits become many, or leave the
window, it is rebased on a later save.
"""

import math
import os
import re
from collections import Counter, deque
from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editcast_model.baselines import REMEMBERED, RepeatBest
from editcast_model.bundle import Bundle
from editcast_model.diff import Hunk, diff
from editcast_model.edits import SAVE, START, Edit, Timeline
from editcast_model.forecast import Prediction, never
from editcast_model.predictor import Decoded, Network, Sequence, decode, score
from editcast_model.ranking import Candidate, Ranking
from editcast_model.runtime import Device, OnnxNetwork
from editcast_model.tokens import Tokenizer, lex

#: Subtokens of a window.
WINDOW = 4096
#: Edits after which the session is rebased, and how many of the newest it then keeps.
_MOST_EDITS, _KEPT_EDITS = 192, 96
_MOST_SAVES = 24
_FLOOR = math.log(0.3)
#: Repeated replacements that the network scores, and how many edits of each.
_REPEATS, _SCORED = 3, 2
_UNSEEN = -15.0
_WORD = re.compile(r"\w+")


class NeuralForecaster:
    """A bundle's network.

    Attributes:
        name: The bundle's name.
        device: Where it runs.
        bundle: The bundle.
    """

    def __init__(self, bundle: Bundle, network: Network, device: str) -> None:
        self.bundle, self.network, self.device = bundle, network, device
        self.name = bundle.name
        self.tokenizer = bundle.tokenizer
        self.ranking = Ranking.of(bundle.card)

    @classmethod
    def load(cls, path: Path, device: Device = "auto") -> "NeuralForecaster":
        """Open a bundle.

        Raises:
            BundleError: It is missing, damaged, of another format version, or cannot run here.
        """
        bundle = Bundle.open(path)
        network = OnnxNetwork(bundle, device)
        return cls(bundle, network, network.device)

    def open(self, text: str) -> "NeuralSession":
        """Begin a session."""
        return NeuralSession(self, text)


class NeuralSession:
    """One open file; see the head of this file."""

    def __init__(self, forecaster: NeuralForecaster, text: str) -> None:
        self._forecaster = forecaster
        self._tokenizer: Tokenizer = forecaster.tokenizer
        self._saves = [text]
        self._text = text
        self._repeats = RepeatBest().open(text)
        self._seen: list[Hunk] = []  # transient hunks, in the order they were first seen
        self._last = 0  # where the last change ends
        self._replaced: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)
        self._window: _Window | None = None
        self._sequence: Sequence | None = None

    def update(self, text: str, *, saved: bool) -> None:
        """The buffer now reads `text`."""
        self._text = text
        self._repeats.update(text, saved=saved)
        self._seen = _in_order_seen(diff(self._saves[-1], text), self._seen)
        if self._seen:
            grown = sum(_growth(hunk) for hunk in self._seen if hunk.end <= self._seen[-1].end)
            self._last = self._seen[-1].end + grown
        if saved and self._seen:
            if self._window is not None and not self._window.save(self._seen):
                self._window = None
            self._replaced += replacements(self._saves[-1], self._seen)
            self._saves = [*self._saves[-_MOST_SAVES:], text]
            self._seen = []

    def predict(self, count: int = 1, *, cancelled: Callable[[], bool] = never) -> list[Prediction]:
        """The surest next edits for the text last given."""
        ranking = self._forecaster.ranking
        ranked = [(ranking.confidence(one), one) for one in self.candidates(count, cancelled)]
        if cancelled():
            return []
        ranked.sort(key=lambda pair: -pair[0])
        return [
            Prediction((one.hunk,), one.log_probability, sure, one.edits)
            for sure, one in ranked[:count]
        ]

    def candidates(self, count: int, cancelled: Callable[[], bool] = never) -> list[Candidate]:
        """What may come next: `count` that the network decodes, and repeated replacements."""
        if len(self._saves) == 1 and not self._seen:
            return []
        window = self._settle()
        timeline = window.transient(self._seen) if window else None
        if window is None or timeline is None or cancelled():
            return []
        edits = list(timeline.edits)
        sequence = self._follow(window, edits)
        if edits[-1].content != SAVE and _saves_next(sequence):
            sequence.append(Edit(0, SAVE))
        decoded = decode(
            sequence, count=count, floor=_FLOOR, splits=self._splits, cancelled=cancelled
        )
        out: dict[Hunk, Candidate] = {}
        for one in decoded:
            hunk = self._hunk(window, sequence.timeline, one)
            if hunk is not None:
                size = len(one.edits)
                joint, location = one.log_probability, one.location
                out[hunk] = Candidate(hunk, size, size, joint, location, 0.0, True)
        if self._forecaster.ranking.weights:
            for repeat in self._repeats.predict(_REPEATS):
                hunk = repeat.hunks[0]
                scored = self._scored(window, sequence, hunk, repeat.confidence)
                out[hunk] = replace(scored, decoded=hunk in out)
        made = self._replacements()
        return [self._beside(one, made) for one in out.values()]

    def _replacements(self) -> Counter[tuple[str, str]]:
        """How often each replacement was made lately, saved or not."""
        unsaved = replacements(self._saves[-1], self._seen)
        return Counter([*self._replaced, *unsaved])

    def _beside(self, candidate: Candidate, made: Counter[tuple[str, str]]) -> Candidate:
        """A candidate with what can be said of it beside what was done before."""
        hunk, text = candidate.hunk, self._text
        (replacement,) = replacements(text, [hunk])
        start, end = sorted((hunk.start, self._last))
        lines = text.count("\n", start, end)
        return replace(
            candidate,
            times=made[replacement],
            lines=lines if hunk.start >= self._last else -lines,
            known=all(word in text for word in _WORD.findall(hunk.text)),
        )

    def _scored(
        self, window: "_Window", sequence: Sequence, hunk: Hunk, repeated: float
    ) -> Candidate:
        """A repeated replacement with the network's opinion of how it begins."""
        edits = window.edits(sequence.timeline, hunk)
        if not edits:
            return Candidate(hunk, 1, 1, _UNSEEN, _UNSEEN, repeated, False)
        joint, location = score(sequence, edits, _SCORED)
        scored = min(len(edits), _SCORED)
        return Candidate(hunk, len(edits), scored, joint, location, repeated, False)

    def _settle(self) -> "_Window | None":
        """The window over the saves, made anew when it is used up or left."""
        window = self._window
        if window is not None and (len(window.fixed) > _MOST_EDITS or not window.holds(self._seen)):
            window = None
        if window is None:
            window = _Window.over(self._tokenizer, self._saves, self._seen)
            self._window, self._sequence = window, None
        return window

    def _follow(self, window: "_Window", edits: list[Edit]) -> Sequence:
        if self._sequence is None:
            self._sequence = Sequence(self._forecaster.network, window.fixed.initial)
        self._sequence.follow(edits)
        return self._sequence

    def _splits(self, before: Ids[int], token: int) -> bool:
        """Whether a lexical token ends between two runs of inserted tokens."""
        left, right = self._tokenizer.decode(before), self._tokenizer.decode([token])
        if not left or not right:
            return True
        return len(lex(left + right)) == len(lex(left)) + len(lex(right))

    def _hunk(self, window: "_Window", timeline: Timeline, decoded: Decoded) -> Hunk | None:
        """Decoded edits as a hunk of the text, or None where they are no whole characters."""
        before, here = timeline.order(), len(timeline)
        starts = window.starts(timeline)
        for edit in decoded.edits:
            timeline.append(edit)
        after = timeline.order()
        tokens = timeline.tokens()
        timeline.truncate(here)
        size = min(len(before), len(after))
        differs = np.flatnonzero(before[:size] != after[:size])
        head = int(differs[0]) if len(differs) else size
        differs = np.flatnonzero(before[::-1][: size - head] != after[::-1][: size - head])
        tail = int(differs[0]) if len(differs) else size - head
        text = self._tokenizer.decode(tokens[head : len(after) - tail].tolist())
        start, end = int(starts[head - 1]), int(starts[len(before) - tail - 1])
        if "\ufffd" in text or self._text[start:end] == text:
            return None
        return Hunk(start, end, text)


def _saves_next(sequence: Sequence) -> bool:
    """Whether the network thinks that what was typed is all there is to this save."""
    return float(sequence.position[0]) + float(sequence.content(0)[SAVE]) > math.log(0.5)


def replacements(text: str, hunks: Ids[Hunk]) -> list[tuple[str, str]]:
    """What stood where hunks of a text are and what they put there, without common ends."""
    out = []
    for hunk in hunks:
        old, new = text[hunk.start : hunk.end], hunk.text
        head = len(os.path.commonprefix([old, new]))
        tail = len(os.path.commonprefix([old[head:][::-1], new[head:][::-1]]))
        out.append((old[head : len(old) - tail], new[head : len(new) - tail]))
    return out


def _growth(hunk: Hunk) -> int:
    return len(hunk.text) - (hunk.end - hunk.start)


def _in_order_seen(hunks: tuple[Hunk, ...], seen: list[Hunk]) -> list[Hunk]:
    """Hunks in the order they were first seen; new ones last, left to right."""

    def rank(hunk: Hunk) -> int:
        for index, old in enumerate(seen):
            if hunk.start <= old.end and old.start <= hunk.end:
                return index
        return len(seen)

    return sorted(hunks, key=rank)


class _Window:
    """A range of whole lines of the saved text, and the edits that saves made to it.

    Attributes:
        fixed: The edits up to the last save.
    """

    def __init__(self, tokenizer: Tokenizer, text: str, low: int, high: int) -> None:
        self._tokenizer = tokenizer
        self._low, self._high = low, high  # code points of the last saved text
        self.fixed = Timeline([START, *tokenizer.ids(text[low:high])])
        self._fixed_starts = self.starts(self.fixed)

    @classmethod
    def over(cls, tokenizer: Tokenizer, saves: list[str], transient: Ids[Hunk]) -> "_Window | None":
        """A window on the newest save that leaves `_KEPT_EDITS` edits or more, if there is one.

        None when the window cannot hold the transient changes.
        """
        steps = [diff(before, after) for before, after in zip(saves, saves[1:], strict=False)]
        first, edits = len(steps), 0
        while first > 0 and edits < _KEPT_EDITS:
            first -= 1
            edits += sum(_size(tokenizer, saves[first], hunk) for hunk in steps[first])
        # Too much for one save: its text is where the sequence begins.
        if edits > _MOST_EDITS and first < len(steps):
            first += 1
        near = steps[-1][-1] if steps and steps[-1] else None
        spot = transient[-1] if transient else near
        while True:
            text = saves[first]
            low, high = _range(tokenizer, text, min(spot.start if spot else 0, len(text)))
            window = cls(tokenizer, text, low, high)
            followed = all(window._pass(hunks) for hunks in steps[first:])
            if first == len(steps) or (followed and window.holds(transient)):
                break
            first += 1  # a change crosses the edge, or moved the place away: begin later
        if not window.holds(transient) or len(window.fixed) + len(transient) == 0:
            return None
        return window

    def holds(self, hunks: Ids[Hunk]) -> bool:
        """Whether all hunks of the saved text lie inside."""
        return all(self._low <= hunk.start and hunk.end <= self._high for hunk in hunks)

    def _pass(self, hunks: Ids[Hunk]) -> bool:
        """`save`, wherever the hunks are; False when one crosses the window's edge."""
        inside = [hunk for hunk in hunks if self.holds([hunk])]
        outside = [hunk for hunk in hunks if hunk not in inside]
        if any(hunk.start < self._high and hunk.end > self._low for hunk in outside):
            return False
        return self.save(inside, outside)

    def save(self, hunks: Ids[Hunk], outside: Ids[Hunk] = ()) -> bool:
        """A save made these hunks; False when they are not all inside."""
        if not self.holds(hunks):
            return False
        self._apply(self.fixed, hunks)
        if hunks:
            self.fixed.save()
        grown = sum(map(_growth, hunks))
        moved = sum(_growth(hunk) for hunk in outside if hunk.end <= self._low)
        self._low, self._high = self._low + moved, self._high + grown + moved
        self._fixed_starts = self.starts(self.fixed)
        return True

    def transient(self, hunks: Ids[Hunk]) -> Timeline | None:
        """The edits up to the last save and these; None when they are too many to follow."""
        edits = sum(len(self._tokenizer.ids(hunk.text)) + hunk.end - hunk.start for hunk in hunks)
        if edits > 4 * _MOST_EDITS:
            return None
        timeline = self.fixed.copy()
        self._apply(timeline, hunks)
        return timeline if timeline.edits else None

    def starts(self, timeline: Timeline) -> npt.NDArray[np.int64]:
        """Code point offsets in the text where the tokens of a state begin, and its end.

        The start token is left out: entry r - 1 belongs to rank r.
        """
        sizes = self._tokenizer.sizes[timeline.tokens()[1:]]
        return self._low + np.concatenate([[0], np.cumsum(sizes)])

    def edits(self, timeline: Timeline, hunk: Hunk) -> list[Edit]:
        """The implicit edits that a hunk of the text as it is now would be; none outside."""
        starts = self.starts(timeline)
        if not starts[0] <= hunk.start <= hunk.end <= starts[-1]:
            return []
        start, end = (int(np.searchsorted(starts, at, "right")) for at in (hunk.start, hunk.end))
        here = len(timeline)
        timeline.replace(start, end, self._tokenizer.ids(hunk.text))
        edits = timeline.edits[here:]
        timeline.truncate(here)
        return edits

    def _apply(self, timeline: Timeline, hunks: Ids[Hunk]) -> None:
        """Hunks of the saved text, in this order, to a timeline that stands at that text."""
        order = timeline.order()
        places = []
        for hunk in hunks:
            start, end = (
                max(0, int(np.searchsorted(self._fixed_starts, at, "right")) - 1)
                for at in (hunk.start, hunk.end)
            )
            places.append((int(order[start]), order[1 + start : 1 + end]))
        for hunk, (anchor, deleted) in zip(hunks, places, strict=True):
            timeline.replace_items(anchor, deleted, self._tokenizer.ids(hunk.text))


def _size(tokenizer: Tokenizer, before: str, hunk: Hunk) -> int:
    """How many edits a hunk is."""
    return len(tokenizer.ids(before[hunk.start : hunk.end])) + len(tokenizer.ids(hunk.text))


def _range(tokenizer: Tokenizer, text: str, spot: int) -> tuple[int, int]:
    """The largest range of lines or tokens around a code point, `WINDOW` subtokens or less."""
    encoding = tokenizer.encode(text)
    if len(encoding.ids) < WINDOW:
        return 0, len(text)
    at = int(np.searchsorted(encoding.starts, spot, "right")) - 1
    first = min(max(0, at - WINDOW // 2), len(encoding.ids) - WINDOW + 1)
    last = first + WINDOW - 1
    # Lexical tokens stay whole, so that the window reads as the text does.
    while 0 < first < last and not encoding.ends_token[first - 1]:
        first += 1
    while last > first and not encoding.ends_token[last - 1]:
        last -= 1
    low, high = int(encoding.starts[first]), int(encoding.starts[last])
    line = text.find("\n", low, high)
    if low and 0 <= line < spot:
        low = line + 1
    last = text.rfind("\n", low, high)
    if high < len(text) and last >= spot:
        high = last + 1
    return low, high
