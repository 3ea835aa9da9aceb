"""A prediction in two lines of text, made once when a bundle is loaded.

A graph can be read and yet fail, ask for more memory than there is, or never end. A bundle whose
graphs do that is refused, and another model forecasts.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from editcast_model.bundle import Bundle
from editcast_model.edits import START
from editcast_model.errors import BundleError, PredictorError
from editcast_model.inference.sequence import Network, Sequence

log = logging.getLogger(__name__)
_BEFORE = "x = a\ny = a\n"
_AFTER = "x = b\ny = a\n"
#: Characters whose UTF-8 encodings contain every byte that can occur.
_CHARACTERS = "".join(
    map(chr, (*range(0x800), *range(0x800, 0xD800, 63), *range(0xE000, 0x110000, 0x1FFF)))
)
_LONGEST = 200  # characters of a reason


class LimitedNetwork(Network, Protocol):
    """A network whose runs can be ended."""

    def deadline(self, seconds: float) -> AbstractContextManager[None]:
        """End what runs after so many seconds with an error."""


def self_check(
    open_session: Callable[[str], Any],
    network: LimitedNetwork,
    bundle: Bundle,
    seconds: float = 60.0,
) -> None:
    """Predict once.

    Args:
        open_session: Opens a session of the forecaster on a text.
        network: The forecaster's network.
        bundle: The bundle that both were made of.
        seconds: The most that it may take; hundredths of one are usual.

    Raises:
        BundleError: It cannot predict.
        PredictorError: Its graphs run on a server, which does not answer.
    """
    try:
        if bundle.tokenizer.decode(bundle.tokenizer.ids(_CHARACTERS)) != _CHARACTERS:
            raise ValueError("its tokenizer loses text")
        with network.deadline(seconds):
            _read(network, [START, *bundle.tokenizer.ids(_BEFORE)])
            session = open_session(_BEFORE)
            session.update(_AFTER, saved=True)
            found = session.predict(1)
        if not all(0 <= one.confidence <= 1 for one in found):
            raise ValueError("a confidence is not a probability")
    except PredictorError:
        raise
    # ONNX Runtime's errors have no class of their own, and what a graph returns can break anything
    # behind it. All of it means one thing: these graphs are not to be used.
    except Exception as error:
        log.exception("The model in %s cannot predict", bundle.path)
        said = " ".join(str(error).split())[:_LONGEST]
        raise BundleError(
            f"The model in {bundle.path} cannot predict ({type(error).__name__}: {said}); export "
            "the model again."
        ) from error


def _read(network: Network, ids: list[int]) -> None:
    """Compare what the graphs return with what they must.

    Raises:
        ValueError: It is of another size, or no number.
    """
    sequence = Sequence(network, ids)
    for what, numbers, size in (
        ("position", sequence.position, len(ids)),
        ("content", sequence.content(1), network.vocabulary),
    ):
        if numbers.shape != (size,):
            raise ValueError(f"{what} is of the shape {numbers.shape}, not ({size},)")
        if np.isnan(numbers).any():
            raise ValueError(f"{what} is not a number")
