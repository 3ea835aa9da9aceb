"""Fits the weights of a calibration that stand beside the ranker's."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from editcast_model.bundle import Bundle
from editcast_training.calibration import continuation, next_tokens
from editcast_training.evaluation.known_files import FilesOf
from editcast_training.evaluation.sessions import EditingSession

#: With fewer continuations, or fewer inserted subtokens, the present weights are kept.
LEAST_CONTINUATIONS, LEAST_INSERTED = 5_000, 2_000
_MOST_INSERTED: Final = 60_000


def fit_weights(
    bundle: Bundle,
    sessions: Sequence[EditingSession],
    files: FilesOf,
    without: Collection[str] = (),
) -> dict[str, tuple[float, ...]]:
    """Fit the confidence of continuations, and the weight of the project memory for contents.

    Return weights by their names in a `Calibration`, but for those of `without` and those with too
    little to fit to. The sessions are of single files.
    """
    found: dict[str, tuple[float, ...]] = {}
    if "continuation" not in without:
        offered = list(continuation.examples(sessions, files))
        if len(offered) >= LEAST_CONTINUATIONS:
            found["continuation"] = continuation.fit(offered)
    if "next_tokens" not in without:
        inserted = list(islice(next_tokens.examples(bundle, sessions, files), _MOST_INSERTED))
        if len(inserted) >= LEAST_INSERTED:
            found["next_tokens"] = next_tokens.fit(inserted)
    return found
