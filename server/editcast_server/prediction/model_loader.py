"""Choice and loading of the model: the configured bundle, the newest one, or a baseline."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editcast_model.card import Card
from editcast_model.errors import BundleError, EditcastError, PredictorError
from editcast_model.forecasting.interface import Forecaster
from editcast_server.settings import Device, Settings

# numpy, tokenizers and ONNX Runtime take most of a second to import. They are imported where a
# model is loaded, on the engine's thread, long after the server has answered `initialize`.


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of a bundle and a device.

    Attributes:
        path: The bundle's folder, or the name of a baseline (repeat-best, repeat-last). If empty,
            the newest model trained on this machine, otherwise the bundled one.
    """

    path: str = ""
    device: Device = "auto"  # for the network
    predictor: str = ""  # the address of a server that runs the network; empty for none

    @classmethod
    def of(cls, settings: Settings) -> "Choice":
        """Return the choice in the settings."""
        return cls(settings.model_path, settings.device, settings.shared_predictor)


@dataclass(frozen=True, slots=True)
class Model:
    """The model in use."""

    forecaster: Forecaster  # the network, or a baseline instead
    path: Path | None  # of the bundle; None for a baseline
    problem: str  # a sentence that says why it replaces the chosen model; empty if it does not
    card: Card | None = None  # None for a baseline, whose confidence only ranks
    address: str = ""  # of the shared predictor that runs the network, if there is one


def load_shared(choice: Choice) -> Model:
    """Load the model of a choice, to be run by the shared predictor that the choice names.

    Raises:
        BundleError: The bundle cannot be used.
        PredictorError: The predictor cannot be used, or is not installed.
    """
    try:
        from editcast_predictor.network import load as load_from  # not in every installation
    except ModuleNotFoundError as error:
        raise PredictorError(
            'A shared predictor needs one more package, editcast-predictor; see "A shared '
            'predictor" in the documentation for teams.'
        ) from error
    path = bundle_path(choice)
    forecaster = load_from(path, choice.predictor)
    return Model(forecaster, path, "", forecaster.bundle.card, choice.predictor)


def load_instead(choice: Choice, error: EditcastError) -> Model:
    """Load the bundled model, small enough for any machine, in place of a shared predictor."""
    from editcast_model.bundle import bundled_path

    model = load(Choice(str(bundled_path()), choice.device))
    if model.problem:
        return replace(model, problem=f"{error} {model.problem}")
    problem = f"{error} For now Editcast predicts with {model.forecaster.name} on this machine."
    return replace(model, problem=problem)


def load(choice: Choice, failed: Mapping[Path, str] | None = None) -> Model:
    """Load the chosen model to run it here, or another if its bundle cannot be used.

    The bundled model replaces the user's own one; the repeat-best baseline replaces any other.
    Bundles that failed after they were loaded come with a sentence that says why.
    """
    from editcast_model.forecasting.sources.repeated_edits import BASELINES, RepeatBest

    if choice.path in BASELINES:
        chosen = BASELINES[choice.path]()
        return Model(chosen, None, f"Editcast repeats edits without a model ({chosen.name}).")
    problem = ""
    try:
        from editcast_model.forecasting.forecaster import NeuralForecaster

        for path in _places(choice):
            try:
                if failed and path in failed:
                    raise BundleError(failed[path])
                forecaster = NeuralForecaster.load(path, choice.device)
            except BundleError as error:
                problem = problem or str(error)
                continue
            if problem:
                problem += f" Editcast uses the bundled model, {forecaster.name}."
            return Model(forecaster, path, problem, forecaster.bundle.card)
    except (BundleError, ImportError, OSError) as error:
        problem = f"The model cannot run: {error}. Run `editcast doctor`, or reinstall editcast."
    baseline = RepeatBest()
    return Model(baseline, None, f"{problem} Editcast continues without it ({baseline.name}).")


def _places(choice: Choice) -> tuple[Path, ...]:
    """List the bundles to try in turn; only one if the user named it."""
    from editcast_model.bundle import bundled_path

    first, bundled = bundle_path(choice), bundled_path()
    return (first,) if choice.path or first == bundled else (first, bundled)


def bundle_path(choice: Choice) -> Path:
    """Return the folder of the bundle to use."""
    if choice.path:
        return Path(os.path.expanduser(choice.path))
    from editcast_store.models import default_bundle_path

    return default_bundle_path()


def mark(choice: Choice) -> tuple[str, int, int] | None:
    """Return a value that changes when the bundle is replaced; None if there is none."""
    try:
        from editcast_model.bundle import folder_of

        path = folder_of(bundle_path(choice))
        config = (path / "config.json").stat()
    except (OSError, BundleError, ImportError, ValueError):
        return None
    return str(path), config.st_mtime_ns, config.st_ino
