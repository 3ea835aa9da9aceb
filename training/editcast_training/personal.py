"""A training for one person: continuations are fitted to them first, and then the network.

The fit takes a minute or two, and says what it changes before the network is trained for longer. A
fit that gained is kept where the network learns nothing that is better.
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from editcast_model.bundle import Bundle
from editcast_model.errors import NoBetterModelError, TooLittleHistoryError, TrainingError
from editcast_model.private_files import discard
from editcast_training.calibration.personal_fit import fit_to_person
from editcast_training.calibration.ranker import with_card
from editcast_training.disk import explained
from editcast_training.pipeline import Progress, Request, train_to_bundle

_FITTED: Final = "fitted"


@explained(TrainingError)
def train_for_person(request: Request, base: Bundle, threshold: float, progress: Progress) -> Path:
    """Fit, train, and return the bundle.

    Args:
        request: Of a personal training.
        base: The bundle to begin with.
        threshold: The least confidence of what is shown.
        progress: Is told of both.

    Raises:
        NoBetterModelError: Nothing was better than the bundle.
        TooLittleHistoryError: Nothing was better, and there is too little history to train the
            network.
        TrainingError: The network cannot be trained, such as for lack of space on the disk.
        CorpusError: The corpus cannot be read or written.
    """
    progress.stage("Fitting continuations to your history: a minute or two")
    found = fit_to_person(request.origins, base.card.continuation, threshold, request.seed)
    progress.stage(found.sentence)
    if not found.is_better:
        return _trained(request, progress)
    folder = request.folder / _FITTED
    card = {name: value for name, value in base.card.written.items() if name != "comparison"}
    calibration = card.get("calibration", {}) | {"continuation": list(found.weights)}
    fitted = with_card(base, card | {"calibration": calibration}, folder)
    try:
        return _trained(replace(request, fitted=fitted), progress)
    except (NoBetterModelError, TooLittleHistoryError) as error:
        progress.stage(str(error))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"name": request.provenance.name, "base": base.name, "created": now}
        return with_card(fitted, {**fitted.card.written, **about}, request.folder / "bundle").path
    finally:
        discard(folder)


def _trained(request: Request, progress: Progress) -> Path:
    made = train_to_bundle(request, progress)
    assert made is not None  # one process alone trains for a person
    return made
