"""The fit of the gate between the network and the project memory."""

import numpy as np
import pytest

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.card import GATE_FEATURES
from editcast_model.edits import SAVE
from editcast_model.export import load_network
from editcast_model.memory.next_tokens import Expected, gate_features, gate_shares
from editcast_training.calibration.next_tokens import Example, examples, fit
from editcast_training.evaluation.known_files import no_files
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.token_accuracy import forced_contents, token_scores

OWN = Expected({5: 1.0}, 8, 3), Expected({})
SAID = np.full(8, 1 / 8)


def example(is_right: bool, agrees: int) -> Example:
    """A subtoken that the file expects and the network does not, or the other way."""
    expected = Expected({5: 1.0}, agrees, 3), Expected({})
    likelihoods = (0.125, 1.0, 0.0) if is_right else (0.125, 0.0, 0.0)
    return Example("commits", gate_features(SAID, expected), likelihoods, (True, True, False))


def test_who_is_right_is_believed() -> None:
    known = [example(is_right=True, agrees=8), example(is_right=False, agrees=2)] * 200
    gate = np.reshape(fit(known), (len(GATE_FEATURES), 2))
    far, near = (Expected({5: 1.0}, agrees, 3) for agrees in (8, 2))
    for one, low, high in ((far, 0.85, 1.0), (near, 0.0, 0.15)):
        expected = one, Expected({})
        shares = gate_shares(gate_features(SAID, expected), expected, gate)
        assert low < shares[1] < high and shares[2] == 0


def test_nothing_to_fit_to() -> None:
    assert fit([]) == ()


def test_what_a_file_repeats_is_foreseen_with_the_memory() -> None:
    """One line is written again and again, with names that no vocabulary has."""
    line = "    registry.announce(zyxwort_quality, frobnicated_at=zyxwort_quality.sent)\n"
    texts = [f"def f():\n{line * 2}" + line * count for count in range(4)]
    session = EditingSession("p", "a.py", "python", "saves", tuple(texts))
    bundle = Bundle.open(bundled_path())
    found = list(examples(bundle, [session], no_files))
    assert len(found) > 20 and max(one.likelihoods[1] for one in found) == pytest.approx(1.0)
    scores = token_scores(bundle, [session])
    assert scores["content"] > 60


def test_contents_at_the_cursor_are_told_from_others() -> None:
    """A line is written from left to right: only its first token is elsewhere."""
    session = EditingSession("p", "a.py", "python", "saves", ("x = 1\n", "x = 1\ny = 2\n"))
    bundle = Bundle.open(bundled_path())
    found = list(forced_contents(bundle, load_network(bundle).eval(), session, no_files))
    written = bundle.tokenizer.ids("y = 2\n")
    contents = [one.content for one in found if one.content != SAVE]
    assert contents == written
    assert [one.is_at_cursor for one in found] == [False] + [True] * (len(written) - 1) + [False]
    assert all(np.exp(one.mixed).sum() == pytest.approx(1.0, abs=1e-3) for one in found)
