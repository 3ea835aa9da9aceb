"""The network as a forecaster: texts in, predictions out, over `sequence.py`.

A session keeps the file as it was some saves ago, ``s(0)``, and the edits since then: those that
saves have fixed, and the transient ones from the last save to the text as it is now. Of a long
file it sees a window of whole lines around the edits. When the edits become many, or leave the
window, it is rebased on a later save.
"""

import math
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Ids
from concurrent.futures import CancelledError
from dataclasses import replace
from itertools import islice
from pathlib import Path
from weakref import ref

import numpy as np

from editcast_model.bundle import Bundle
from editcast_model.cancellation import never
from editcast_model.diff import Hunk, diff
from editcast_model.edits import SAVE, Edit
from editcast_model.forecasting.cross_file import Heard, OtherSave
from editcast_model.forecasting.interface import Fits, Prediction, anything
from editcast_model.forecasting.line_ranker import LineHead, Look, Places, look
from editcast_model.forecasting.ranker import Candidate, Ranking
from editcast_model.forecasting.recent_edits import Trail
from editcast_model.forecasting.repeated_edits import RepeatBest
from editcast_model.forecasting.session_features import Habits, changes
from editcast_model.inference.decoding import Decoded, decode, score
from editcast_model.inference.memory_limit import memory_limit
from editcast_model.inference.onnx_network import Device, OnnxNetwork
from editcast_model.inference.self_check import self_check
from editcast_model.inference.sequence import Network, Sequence
from editcast_model.inference.window import MOST_EDITS, Window, growth
from editcast_model.tokenizer import Tokenizer, lex

#: Bytes of encoded files that are kept; what does not fit costs what opening the file did.
MOST_BYTES = 64 << 20
_MOST_SAVES = 24
_FLOOR = math.log(0.3)
#: Edits after which a window is made anew when there is time, well before it has to be.
_SPENT = MOST_EDITS * 3 // 4
#: Edits that are read together while somebody may begin to wait.
_AT_ONCE = 16
#: Of the best repeated replacements, how many edits of each the network scores.
_SCORED = 2, 1
#: Repeated replacements whose lines are looked at.
_REPEATS = 8
_UNSEEN = -15.0
#: The least that a line's probability counts when repeated replacements are put in order.
_LEAST = 1e-4
#: How many other lines are tried in place of those where nothing fits.
_OTHER_LINES = 3
#: Of what other files replaced, how many are looked at, and how many edits of each are scored.
_HEARD, _HEARD_EDITS = 2, 2


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
        self.line_head = LineHead.of(bundle.card)
        self._used: list[ref[NeuralSession]] = []  # the encoded ones; the last is in use

    @classmethod
    def load(cls, path: Path, device: Device = "auto") -> "NeuralForecaster":
        """Open a bundle.

        Raises:
            BundleError: It is missing, damaged, of another format version, or cannot run here.
        """
        bundle = Bundle.open(path)
        with memory_limit():
            network = OnnxNetwork(bundle, device)
            made = cls(bundle, network, network.device)
            self_check(made.open, network, bundle)
        return made

    def open(self, text: str) -> "NeuralSession":
        """Begin a session; the text is encoded now, so that the first save need not wait."""
        session = NeuralSession(self, text)
        session.warm()
        return session

    def keep(self, session: "NeuralSession") -> None:
        """A session is in use; those that were not for the longest give way to it."""
        others = [one for each in self._used if (one := each()) not in (None, session)]
        if others:
            others[-1].rest()
        kept, size = [session], session.nbytes
        for one in reversed(others):
            size += one.nbytes
            if size > MOST_BYTES:
                one.cool()
            else:
                kept.append(one)
        self._used = [ref(one) for one in reversed(kept)]


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
        self._trail = Trail()
        self._habits = Habits()
        self._window: Window | None = None
        self._sequence: Sequence | None = None
        self._cancelled: Callable[[], bool] = never

    def warm(self) -> None:
        """Encode the text, if it is one window: of a longer one it depends on what is changed."""
        window = Window.whole(self._tokenizer, self._saves[0])
        if window is not None:
            self._window = window
            self._follow(window, [])

    @property
    def nbytes(self) -> int:
        """Bytes of what is encoded."""
        return self._sequence.nbytes if self._sequence else 0

    def rest(self) -> None:
        """Forget what the network said of this file; another one is in use."""
        if self._sequence:
            self._sequence.forget_answers()

    def cool(self) -> None:
        """Forget what was encoded; the next prediction encodes it again."""
        self._sequence = None

    def update(self, text: str, *, saved: bool) -> None:
        """The buffer now reads `text`."""
        self._text = text
        self._repeats.update(text, saved=saved)
        self._seen = _in_order_seen(diff(self._saves[-1], text), self._seen)
        if self._seen:
            grown = sum(growth(hunk) for hunk in self._seen if hunk.end <= self._seen[-1].end)
            self._last = self._seen[-1].end + grown
        if saved and self._seen:
            if self._window is not None and not self._window.save(self._seen):
                self._window = None
            self._habits.save(changes(self._saves[-1], self._seen))
            self._trail = self._trail.followed(self._saves[-1], self._seen)
            self._saves = [*self._saves[-_MOST_SAVES:], text]
            self._seen = []

    def hear(self, save: OtherSave) -> None:
        """Another file of the project was saved."""
        self._repeats.hear(save)

    def predict(
        self, count: int = 1, *, fits: Fits = anything, cancelled: Callable[[], bool] = never
    ) -> list[Prediction]:
        """The likeliest next edits that fit, for the text last given."""
        ranking = self._forecaster.ranking
        self._cancelled = cancelled
        try:
            candidates = self.candidates(count, fits=fits)
        except CancelledError:
            return []
        finally:
            self._cancelled = never
            if self._sequence:
                self._sequence.is_cancelled = never
        ranked = sorted(candidates, key=ranking.worth, reverse=True)
        if cancelled():
            return []
        return [
            Prediction((one.hunk,), one.log_probability, ranking.confidence(one), one.edits)
            for one in ranked[:count]
        ]

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Make the window anew before it is used up or left, and read what it keeps.

        Both together take some 0.2 s: too long to begin once somebody has saved.
        """
        window = self._window
        if window is None or self._seen:
            return
        if self._is_worn(window):
            fresh = Window.over(self._tokenizer, self._saves, [])
            if fresh is not None and not self._is_worn(fresh):
                self._window, self._sequence = fresh, None
                window = fresh
        edits = list(window.fixed.edits)
        read = len(self._sequence.timeline) if self._sequence else 0
        for count in (*range(min(read, len(edits)), len(edits), _AT_ONCE), len(edits)):
            if cancelled():
                return
            self._follow(window, edits[:count])

    def look(self) -> Look | None:
        """What the line head sees of the text last given; None before the first change of it."""
        here = self._here()
        if here is None:
            return None
        return self._look(*here, self._repeats.own(_REPEATS))

    def candidates(self, count: int, *, fits: Fits = anything) -> list[Candidate]:
        """What may come next: `count` that the network decodes, and repeated replacements."""
        if self._is_untouched:  # only what other files tell
            alone = [self._unscored(*one) for one in self._elsewhere(fits)]
            return self._told(alone)
        here = self._here()
        if here is None:
            return []
        window, sequence = here
        timeline = sequence.timeline.copy()
        repeats = self._repeats.own(_REPEATS)
        places = self._places(window, sequence, repeats)

        def is_suggestion(edits: Ids[Edit]) -> bool:
            hunk = window.hunk(timeline, edits)
            if hunk is None or self._text[hunk.start : hunk.end] == hunk.text:
                return False
            return fits((hunk,))

        out: dict[Hunk, Candidate] = {}
        for one in self._decoded(sequence, places, count, is_suggestion):
            hunk = window.hunk(timeline, one.edits)
            assert hunk is not None
            size = len(one.edits)
            joint, location = one.log_probability, one.location
            told = places.told(one.edits[0].position)
            said = Candidate(hunk, size, size, joint, location, 0.0, True, *told)
            out.setdefault(hunk, said)
        if self._forecaster.ranking.weights:
            likeliest = sorted(repeats, key=lambda one: -self._worth(one, places))
            fitting = (repeat for repeat in likeliest if fits(repeat.hunks))
            for repeat, most in zip(fitting, _SCORED, strict=False):
                hunk = repeat.hunks[0]
                scored = self._scored(window, sequence, places, hunk, repeat.confidence, most)
                out[hunk] = replace(scored, decoded=hunk in out)
        own = {repeat.hunks[0] for repeat in repeats}
        for repeat, heard in self._elsewhere(fits):
            hunk = repeat.hunks[0]
            if hunk not in own:
                first = _HEARD_EDITS
                scored = self._scored(window, sequence, places, hunk, repeat.confidence, first)
                out[hunk] = replace(scored, decoded=hunk in out, heard=heard)
        return self._told(list(out.values()))

    @property
    def _is_untouched(self) -> bool:
        """Whether nothing has changed here since the file was opened."""
        return len(self._saves) == 1 and not self._seen

    def _elsewhere(self, fits: Fits) -> Iterator[tuple[Prediction, Heard]]:
        """What was replaced in other files, again here."""
        if self._forecaster.ranking.elsewhere:
            yield from self._repeats.elsewhere(_HEARD, fits)

    def _unscored(self, repeat: Prediction, heard: Heard) -> Candidate:
        """A candidate of which the network cannot say anything yet."""
        (hunk,) = repeat.hunks
        return Candidate(hunk, 1, 0, 0.0, 0.0, repeat.confidence, decoded=False, heard=heard)

    def _told(self, candidates: Ids[Candidate]) -> list[Candidate]:
        """The candidates with what is known of them beside what was done before."""
        if not self._seen:
            self._habits.say(changes(self._text, [one.hunk for one in candidates]))
        unsaved = changes(self._saves[-1], self._seen)
        return [self._habits.beside(one, self._text, unsaved, self._last) for one in candidates]

    def _decoded(
        self,
        sequence: Sequence,
        places: Places,
        count: int,
        fits: Callable[[Ids[Edit]], bool],
    ) -> Iterator[Decoded]:
        """The best on each of the `count` most probable lines where something fits."""
        for where in islice(places.on_lines(), count + _OTHER_LINES):
            for one in decode(
                sequence,
                where=where,
                spare=1,
                floor=_FLOOR,
                splits=self._splits,
                fits=fits,
            ):
                yield one
                count -= 1
            if count == 0:
                return

    def _worth(self, repeat: Prediction, places: Places) -> float:
        """How good a repeated replacement is, and how probable its line."""
        line = self._text.count("\n", 0, repeat.hunks[0].start)
        return repeat.confidence * max(places.lines.get(line, 0.0), _LEAST)

    def _here(self) -> tuple[Window, Sequence] | None:
        """The window, and the sequence with all edits read; None when nothing can come next."""
        if self._is_untouched:
            return None
        window = self._settle()
        timeline = window.transient(self._seen) if window else None
        if window is None or timeline is None:
            return None
        edits = list(timeline.edits)
        sequence = self._follow(window, edits)
        if edits[-1].content != SAVE and _saves_next(sequence):
            sequence.extend([Edit(0, SAVE)])
        return window, sequence

    def _places(self, window: Window, sequence: Sequence, repeats: Ids[Prediction]) -> Places:
        seen, head = self._look(window, sequence, repeats), self._forecaster.line_head
        of_lines = head.log_probabilities(seen.features) if head else seen.pointed()
        lines = dict(zip(seen.lines.tolist(), np.exp(of_lines).tolist(), strict=True))
        return Places(*seen.placed(of_lines), seen.position, seen.line_of, lines)

    def _look(self, window: Window, sequence: Sequence, repeats: Ids[Prediction]) -> Look:
        trail = self._trail
        if self._seen:
            trail = trail.followed(self._saves[-1], self._seen)
        timeline = sequence.timeline
        ends = window.starts(timeline)
        return look(self._text, trail, sequence.position, timeline.order(), ends, repeats)

    def _scored(
        self,
        window: Window,
        sequence: Sequence,
        places: Places,
        hunk: Hunk,
        repeated: float,
        most: int,
    ) -> Candidate:
        """A repeated replacement with the network's opinion of how it begins."""
        edits = window.edits(sequence.timeline, hunk)
        if not edits:
            unseen = _UNSEEN
            return Candidate(hunk, 1, 1, unseen, unseen, repeated, False, unseen, unseen)
        told = places.told(edits[0].position)
        joint, location = score(sequence, places.where, edits, most)
        size = min(len(edits), most)
        return Candidate(hunk, len(edits), size, joint, location, repeated, False, *told)

    def _settle(self) -> Window | None:
        """The window over the saves, made anew when it is used up or left."""
        window = self._window
        if window is not None and (len(window.fixed) > MOST_EDITS or not window.holds(self._seen)):
            window = None
        if window is None:
            window = Window.over(self._tokenizer, self._saves, self._seen)
            self._window, self._sequence = window, None
        return window

    def _is_worn(self, window: Window) -> bool:
        return len(window.fixed) > _SPENT or window.is_near_edge(self._last, len(self._text))

    def _follow(self, window: Window, edits: list[Edit]) -> Sequence:
        if self._sequence is None:
            if self._cancelled():
                raise CancelledError
            self._sequence = Sequence(self._forecaster.network, window.fixed.initial)
        sequence = self._sequence
        sequence.is_cancelled = self._cancelled
        try:
            sequence.follow(edits)
        finally:
            self._forecaster.keep(self)
        return sequence

    def _splits(self, before: Ids[int], token: int) -> bool:
        """Whether a lexical token ends between two runs of inserted tokens."""
        left, right = self._tokenizer.decode(before), self._tokenizer.decode([token])
        if not left or not right:
            return True
        return len(lex(left + right)) == len(lex(left)) + len(lex(right))


def _saves_next(sequence: Sequence) -> bool:
    """Whether the network thinks that what was typed is all there is to this save."""
    return float(sequence.position[0]) + float(sequence.content(0)[SAVE]) > math.log(0.5)


def _in_order_seen(hunks: tuple[Hunk, ...], seen: list[Hunk]) -> list[Hunk]:
    """Hunks in the order they were first seen; new ones last, left to right."""

    def rank(hunk: Hunk) -> int:
        for index, old in enumerate(seen):
            if hunk.start <= old.end and old.start <= hunk.end:
                return index
        return len(seen)

    return sorted(hunks, key=rank)
