"""Token-level accuracy of a bundle on editing sessions: cut like a corpus, teacher-forced."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import nn

from editcast_model.bundle import Bundle
from editcast_model.edits import SAVE, Edit, Timeline
from editcast_model.export import load_network
from editcast_model.memory.next_tokens import Expected, NextTokens
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.tokenizer import Tokenizer
from editcast_training.data.instances import MAX_STATE, Cutter
from editcast_training.data.instances import Instance as Cut
from editcast_training.evaluation.known_files import FilesOf, Project, no_files
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.fit.loss import TokenScores, forced
from editcast_training.sources.file_history import FileHistory, Snapshot


def token_scores(
    bundle: Bundle, sessions: Iterable[EditingSession], files: FilesOf = no_files
) -> dict[str, float]:
    """Return the shares of right positions, contents and both, as `TokenScores.shares` gives them.

    The saves of a session are cut into instances by the rules of the corpus, so what it leaves
    out (hunks of more edits than it teaches) is not scored here either. A network with a gate is
    scored together with the project memory.

    Raises:
        BundleError: The bundle's weights do not fit its architecture.
    """
    network, total = load_network(bundle).eval(), TokenScores()
    for cut, remembered in _instances(bundle, sessions, files):
        batch = _batch(cut)
        found, said = forced(network, batch)
        if bundle.card.next_tokens:
            rows = said[0].numpy()
            for row, (timeline, edit) in enumerate(remembered.replayed(cut)):
                rows[row] = remembered.tokens.mixed(timeline, edit.position, rows[row])
        total.add(batch, found, said)
    return total.shares()


@dataclass(frozen=True, slots=True)
class ForcedContent:
    """Predictions of the content of one edit, after the edits before it.

    Attributes:
        is_at_cursor: Whether it goes behind what was inserted last, as most of what is typed.
        network: The network's log probabilities, (V,).
        expected: What the project memory expects, in the file and elsewhere.
        mixed: Log probabilities of both, (V,); the network's without a gate.
    """

    content: int
    is_at_cursor: bool
    network: npt.NDArray[np.float32]
    expected: tuple[Expected, Expected]
    mixed: npt.NDArray[np.float32]


def forced_contents(
    bundle: Bundle, network: nn.Module, session: EditingSession, files: FilesOf
) -> Iterator[ForcedContent]:
    """Yield what the network and the project memory say of each content of a session."""
    for cut, remembered in _instances(bundle, [session], files):
        said = forced(network, _batch(cut))[1][0].numpy()
        for row, (timeline, edit) in enumerate(remembered.replayed(cut)):
            at, tokens = edit.position, remembered.tokens
            expected = tokens.expected(timeline, at)
            has_gate = bool(bundle.card.next_tokens)
            mixed = tokens.mixed(timeline, at, said[row]) if has_gate else said[row]
            is_at_cursor = bool(timeline.edits) and at == timeline.items - 1
            yield ForcedContent(edit.content, is_at_cursor, said[row], expected, mixed)


class _Remembered:
    """The project memory while the instances of a session are replayed."""

    def __init__(self, bundle: Bundle, session: EditingSession, files: FilesOf) -> None:
        self._session, self._tokenizer = session, bundle.tokenizer
        self._project = Project(session, files(session))
        self.tokens = NextTokens(
            self._project.memory, session.path, bundle.tokenizer, bundle.card.next_tokens
        )

    def begin(self, cut: Cut) -> None:
        """Take in what was saved before an instance."""
        if cut.time is not None:
            self._project.follow(bisect_left(self._session.times, cut.time))
        self._project.memory.put(self._session.path, _text(self._tokenizer, Timeline(cut.state)))

    def replayed(self, cut: Cut) -> Iterator[tuple[Timeline, Edit]]:
        """Yield each edit, with the edits before it; the file is read after each save."""
        timeline = Timeline(cut.state)
        self.tokens.read(_text(self._tokenizer, timeline))
        for edit in map(Edit, cut.positions, cut.contents):
            yield timeline, edit
            timeline.append(edit)
            if edit.content == SAVE:
                self.tokens.read(_text(self._tokenizer, timeline))


def _text(tokenizer: Tokenizer, timeline: Timeline) -> str:
    return tokenizer.decode(timeline.tokens()[1:].tolist())


def _instances(
    bundle: Bundle, sessions: Iterable[EditingSession], files: FilesOf
) -> Iterator[tuple[Cut, _Remembered]]:
    cutter = Cutter(bundle.tokenizer, max_state=MAX_STATE, seed=0, skipped=Counter())
    for session in sessions:
        remembered = _Remembered(bundle, session, files)
        times = (None, *(session.times or [None] * (len(session.texts) - 1)))
        snapshots = tuple(map(Snapshot, session.texts, times))
        # Saves in their order: as commits their hunks would be shuffled.
        history = FileHistory(session.project, session.path, session.language, "saves", snapshots)
        for cut in cutter.instances(history):
            remembered.begin(cut)
            yield cut, remembered


def _batch(cut: Cut) -> Batch:
    return collate([Instance(cut.state, [*map(Edit, cut.positions, cut.contents)])])
