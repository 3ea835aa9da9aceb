"""Token-level accuracy of a bundle on editing sessions: cut like a corpus, teacher-forced."""

from collections import Counter
from collections.abc import Iterable, Iterator

from editcast_model.bundle import Bundle
from editcast_model.edits import Edit
from editcast_model.export import load_network
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_training.data.instances import Cutter
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.fit.loss import score
from editcast_training.sources.file_history import FileHistory, Snapshot

_MAX_STATE = 4096


def token_scores(bundle: Bundle, sessions: Iterable[EditingSession]) -> dict[str, float]:
    """Return the shares of right positions, contents and both, as `TokenScores.shares` gives them.

    The saves of a session are cut into instances by the rules of the corpus, so what it leaves
    out (hunks of more edits than it teaches) is not scored here either.

    Raises:
        BundleError: The bundle's weights do not fit its architecture.
    """
    network = load_network(bundle)
    cutter = Cutter(bundle.tokenizer, max_state=_MAX_STATE, seed=0, skipped=Counter())

    def batches() -> Iterator[Batch]:
        for session in sessions:
            snapshots = tuple(Snapshot(text, None) for text in session.texts)
            # Saves in their order: as commits their hunks would be shuffled.
            history = FileHistory(
                session.project, session.path, session.language, "saves", snapshots
            )
            for cut in cutter.instances(history):
                pairs = zip(cut.positions, cut.contents, strict=True)
                edits = [Edit(position, content) for position, content in pairs]
                yield collate([Instance(cut.state, edits)])

    return score(network, batches()).shares()
