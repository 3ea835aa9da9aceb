"""The network as a forecaster: the life of its sessions, over the candidate sources.

A session keeps the file as it was some saves ago, ``s(0)``, and the edits since then: those that
saves have fixed, and the transient ones from the last save to the text as it is now. Of a long
file it sees a window of whole lines around the edits. When the edits become many, or leave the
window, it is rebased on a later save.
"""

import math
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from weakref import ref

from editcast_model.bundle import Bundle
from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.diff import Hunk, diff
from editcast_model.edits import SAVE, Edit
from editcast_model.forecasting.candidates import (
    Candidate,
    CandidateSource,
    NetworkView,
    Situation,
)
from editcast_model.forecasting.filters import word_at
from editcast_model.forecasting.interface import (
    NO_OPTIONS,
    OtherSave,
    Prediction,
    PredictionOptions,
    never,
)
from editcast_model.forecasting.line_ranker import LineFeatures, LineHead, line_features
from editcast_model.forecasting.ranker import Ranker
from editcast_model.forecasting.replacements import KnownReplacements, Repeat
from editcast_model.forecasting.sources.consequence_edits import ConsequenceEdits
from editcast_model.forecasting.sources.continuation import Continuations
from editcast_model.forecasting.sources.decoded_edits import DecodedEdits
from editcast_model.forecasting.sources.repeated_edits import (
    SPARE,
    CrossFileEdits,
    RepeatedEdits,
)
from editcast_model.history import EditHistory
from editcast_model.inference.memory_limit import memory_limit
from editcast_model.inference.onnx_network import Device, OnnxNetwork
from editcast_model.inference.self_check import self_check
from editcast_model.inference.sequence import Network, Sequence
from editcast_model.inference.window import Window
from editcast_model.memory.next_tokens import NextTokens
from editcast_model.tokenizer import Tokenizer

#: The candidate sources. If two of them propose a hunk, it counts as the earlier one's. The network
#: decodes last, since that takes longest and is skipped if it cannot win.
SOURCES: tuple[type[CandidateSource], ...] = (
    ConsequenceEdits,
    CrossFileEdits,
    RepeatedEdits,
    Continuations,
    DecodedEdits,
)
#: The most bytes of encoded files that are kept; a file that does not fit is encoded again.
MOST_BYTES = 64 << 20


class NeuralForecaster:
    """A bundle's network.

    Attributes:
        bundle: What it was loaded from, with its name, tokenizer, ranker, line head and settings.
        network: What runs its graphs.
        device: Where it runs.
        continuation: Weights of continuations.
        gate: Between the network and the project memory; see `memory.next_tokens`.
        sources: The candidate sources of its sessions.
        most_bytes: Most bytes of encoded files that are kept.
    """

    def __init__(self, bundle: Bundle, network: Network, device: str) -> None:
        self.sources, self.most_bytes = SOURCES, MOST_BYTES
        self.bundle, self.network, self.device = bundle, network, device
        self.name, self.tokenizer, self.config = bundle.name, bundle.tokenizer, bundle.inference
        self.ranker = Ranker.of(bundle.card)
        self.line_head = LineHead.of(bundle.card)
        self.continuation = bundle.card.continuation
        self.gate = bundle.card.next_tokens
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
        return self.resume(EditHistory(text))

    def resume(self, history: EditHistory) -> "NeuralSession":
        """Begin a session on a file's history, which the session goes on with."""
        return NeuralSession(self, history)

    def mark_used(self, session: "NeuralSession") -> None:
        """Note that a session is in use; those unused for the longest give way to it."""
        others = [one for each in self._used if (one := each()) not in (None, session)]
        if others:
            others[-1].forget_answers()
        kept, size = [session], session.nbytes
        for one in reversed(others):
            size += one.nbytes
            if size > self.most_bytes:
                one.forget_encoding()
            else:
                kept.append(one)
        self._used = [ref(one) for one in reversed(kept)]


class NeuralSession:
    """One open file; see the head of this module.

    Attributes:
        history: The file's edit history.
    """

    def __init__(self, forecaster: NeuralForecaster, history: EditHistory) -> None:
        self.history = history
        self._forecaster = forecaster
        self._tokenizer: Tokenizer = forecaster.tokenizer
        self._config = forecaster.config
        self._sources = [source() for source in forecaster.sources]
        self._consequences = Consequences(history.language, history.path)
        self._replacements = KnownReplacements(history)
        self._modules: dict[str, ModuleChange] = {}
        self._last_number = history.saves[-1].number if history.saves else 0
        self._window: Window | None = None
        self._sequence: Sequence | None = None
        self._next_tokens: NextTokens | None = None
        self._cancelled: Callable[[], bool] = never
        if history.is_untouched:  # a text of several windows waits: which one depends on changes
            self._window = Window.whole(self._tokenizer, self._config, history.text)
            if self._window is not None:
                self._follow(self._window, [])

    @property
    def nbytes(self) -> int:
        """Return the bytes of the encoded state."""
        return self._sequence.nbytes if self._sequence else 0

    def forget_answers(self) -> None:
        """Forget what the network said of this file; another one is in use."""
        if self._sequence:
            self._sequence.forget_answers()

    def forget_encoding(self) -> None:
        """Forget the encoded state; the next prediction encodes the text again."""
        self._sequence = None

    def update(self, text: str, *, saved: bool) -> None:
        """Take in the text as it is now, and whether it was just saved."""
        for save in self.history.update(text, saved=saved):
            window, is_again = self._window, save.number == self._last_number
            self._last_number = save.number
            if window is not None and is_again and not window.take_back_save():
                window = None
            if window is not None and not window.save(save.hunks):
                window = None
            self._window = window

    def add_other_save(self, save: OtherSave) -> None:
        """Take in a save of another file of the project."""
        self._replacements.add_other_save(save)
        self._consequences.add_other_save(
            save.file, save.number, save.before, save.after, save.event
        )
        self._modules.pop(save.file, None)
        if save.change is not None:
            self._modules[save.file] = save.change

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        """Predict the likeliest next edits that fit, for the text last given."""
        ranker, candidates = self._forecaster.ranker, list[Candidate]()
        with self._cancelling(options.cancelled):
            candidates = self.candidates(count, options, only_best=True)
        if options.cancelled():
            return []
        return [
            Prediction(one.hunk, one.log_probability, sure, one.edits, one.everywhere, one.source)
            for one, sure in ranker.ranked(candidates)[:count]
        ]

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Make the window anew before it is used up or left, and read what it keeps.

        Both together take some 0.2 s: too long to begin once somebody has saved.
        """
        window = self._window
        if window is None or self.history.unsaved:
            return
        if self._is_nearly_spent(window):
            fresh = Window.over(self._tokenizer, self._config, self.history.snapshots, [])
            if fresh is not None and not self._is_nearly_spent(fresh):
                self._window, self._sequence = fresh, None
                window = fresh
        with self._cancelling(cancelled):
            self._follow(window, list(window.fixed.edits))

    @contextmanager
    def _cancelling(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """End the block before the network's next run once `cancelled` says so."""
        self._cancelled = cancelled
        try:
            yield
        except CancelledError:
            pass
        finally:
            self._cancelled = never
            if self._sequence:
                self._sequence.is_cancelled = never

    def line_features(self) -> LineFeatures | None:
        """Return what the line head sees of the text; None before its first change."""
        view = self.situation(1).view
        return view.lines if view else None

    def candidates(
        self, count: int, options: PredictionOptions = NO_OPTIONS, *, only_best: bool = False
    ) -> list[Candidate]:
        """Return what all sources propose, where `count` predictions are wanted.

        With `only_best`, sources may leave out what cannot be among the best `count`.
        """
        situation, text = self.situation(count, options), self.history.text
        found, ranker = dict[Hunk, Candidate](), self._forecaster.ranker
        for source in self._sources:
            if only_best:
                others = list(_without_contradicted(text, found.values()))
                may_win = partial(ranker.may_win, others, count, options.least_confidence)
                situation = replace(situation, may_win=may_win)
            for one in source.propose(situation):
                found.setdefault(one.hunk, one)
        return list(_without_contradicted(text, found.values()))

    def situation(self, count: int, options: PredictionOptions = NO_OPTIONS) -> Situation:
        """Return what candidates are proposed for, where `count` predictions are wanted."""
        replacements, most = self._replacements, self._config.repeated_edits
        repeats = replacements.best(replacements.own, most + SPARE)[:most]
        return Situation(
            self.history,
            replacements,
            repeats,
            self._consequences,
            self._view(repeats),
            count,
            options,
            self._modules.values(),
            self._forecaster.continuation,
            self._config,
        )

    def _view(self, repeats: list[Repeat]) -> NetworkView | None:
        """Make the network's view with all edits read; None when no edit can come next."""
        history, head = self.history, self._forecaster.line_head
        if history.is_untouched:
            return None
        window = self._current_window()
        transient = window.transient(history.unsaved) if window else None
        if window is None or transient is None:
            return None
        edits = list(transient.edits)
        sequence = self._follow(window, edits)
        self._read_memory(sequence)
        if edits[-1].content != SAVE and _ends_save(sequence):
            sequence.extend([Edit(0, SAVE)])
        timeline = sequence.timeline.copy()
        ends, order = window.starts(timeline), timeline.order()
        lines = line_features(
            history.text, history.recent, sequence.position, order, ends, repeats, self._config
        )
        of_lines = head.log_probabilities(lines.features) if head else lines.pointed()
        places = lines.placed(of_lines)
        return NetworkView(window, sequence, timeline, self._tokenizer, lines, places)

    def _read_memory(self, sequence: Sequence) -> None:
        """Mix the project memory, with the text as it is now, into the network's contents."""
        gate, memory = self._forecaster.gate, self.history.memory
        if not gate:
            return
        tokens = self._next_tokens
        if tokens is None or tokens.memory is not memory:
            tokens = NextTokens(memory, self.history.path, self._tokenizer, gate)
            self._next_tokens = tokens
        tokens.read(self.history.text)
        sequence.mix = tokens.mixed

    def _current_window(self) -> Window | None:
        """Return the window over the saves, made anew when it is used up or left."""
        window, unsaved = self._window, self.history.unsaved
        if window is not None and (window.is_spent or not window.holds(unsaved)):
            window = None
        if window is None:
            window = Window.over(self._tokenizer, self._config, self.history.snapshots, unsaved)
            self._window, self._sequence = window, None
        return window

    def _is_nearly_spent(self, window: Window) -> bool:
        history = self.history
        spent = self._config.most_edits * 3 // 4  # well before it has to be made anew
        return len(window.fixed) > spent or window.is_near_edge(history.last, len(history.text))

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
            self._forecaster.mark_used(self)
        return sequence


def _without_contradicted(text: str, found: Collection[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates without those that a consequence contradicts.

    A consequence is right about the name or the expression that it changes, so no other candidate
    changes a part of it; and where an expression is rewritten, a part of the rewrite is not
    repeated on its own elsewhere.
    """
    following = [one for one in found if one.cause]
    places = [word_at(text, one.hunk.start) for one in following]
    places += [range(one.hunk.start, one.hunk.end) for one in following]
    parts = {
        (old[part.start : part.end], part.text)
        for one in following
        for old in (text[one.hunk.start : one.hunk.end],)
        for part in diff(old, one.hunk.text)
        if part.size < one.hunk.size
    }
    for one in found:
        start, end = one.hunk.start, one.hunk.end
        is_inside = any(place.start <= start and end <= place.stop for place in places)
        if one.cause or not (is_inside or (text[start:end], one.hunk.text) in parts):
            yield one


def _ends_save(sequence: Sequence) -> bool:
    """Tell whether the network thinks that what was typed is all there is to this save."""
    return float(sequence.position[0]) + float(sequence.content(0)[SAVE]) > math.log(0.5)
