"""The line ranker: features of lines, joined to the pointer."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.card import Card
from editcast_model.checked import UnfitError
from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.line_ranker import FEATURES, LineFeatures, LineHead, line_features
from editcast_model.history import RecentEdits
from editcast_model.inference.config import InferenceConfig
from editcast_model.inference.sequence import MASKED
from editcast_model.tokenizer import lines
from editcast_store.models import default_bundle_path

TEXT = (
    "import os\n\n\ndef load(path):\n    return read(path)\n\n\ndef save(path):\n    write(path)\n"
)
TEXTS = st.lists(st.sampled_from(["a\n", "b c\n", "\n", "    d\n", "e\n"]), max_size=9).map("".join)
CONFIG = InferenceConfig()
#: Columns of features.
NEAREST, BELOW, TOUCHED = 10, 11, 19
GONE, NEW, RARE_GONE, RARE_NEW = 32, 33, 38, 39


def recent_of(*texts: str) -> RecentEdits:
    recent = RecentEdits()
    for before, after in zip(texts, texts[1:], strict=False):
        recent = recent.after_save(before, diff(before, after))
    return recent


@pytest.mark.parametrize(
    ("saves", "touched"),
    [
        (("a\nb\nc\n", "a\nB\nc\n"), [(1,)]),
        (("a\nb\n", "a\nx\nb\n"), [(1,)]),
        (("a\nb\n", "x\ny\na\nb\n"), [(0, 1)]),
        (("a\nb\nc\n", "a\nc\n"), [(1,)]),
        (("a\n", "a\nb\n"), [(1,)]),
        (("a\nb\n", "a\nB\n", "x\ny\na\nB\n"), [(3,), (0, 1)]),  # it moved down
        (("a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\nd\n"), [(1,), (2, 3)]),
    ],
)
def test_a_trail_follows_the_lines(saves: Sequence[str], touched: list[tuple[int, ...]]) -> None:
    assert list(recent_of(*saves).saves) == touched


def test_a_trail_knows_the_words_of_the_newest_save() -> None:
    recent = recent_of(TEXT, TEXT.replace("return read(path)", "return parse(path, mode)"))
    assert recent.before == {"return", "read", "path"}
    assert recent.after == {"return", "parse", "path", "mode"}
    assert recent.removed == ({"read"},) and recent.inserted == ({"parse", "mode"},)


def test_a_trail_knows_what_is_gone_and_what_is_new() -> None:
    recent = recent_of(TEXT, TEXT.replace("path", "name"), TEXT.replace("path", "name", 1))
    assert recent.removed[-1] == {"name"} and recent.inserted[-1] == {"path"}
    assert recent.gone == recent.new == set()  # there and back again
    recent = recent_of(TEXT, TEXT.replace("read", "parse"), TEXT.replace("read", "parse") + "x\n")
    assert (recent.gone, recent.new) == ({"read"}, {"parse", "x"})


def test_only_the_newest_saves_are_remembered() -> None:
    texts = [f"{number}\n" for number in range(30)]
    assert len(recent_of(*texts).saves) < 15


@given(TEXTS, TEXTS)
def test_what_was_not_touched_stood_there_before(before: str, after: str) -> None:
    hunks = diff(before, after)
    (touched,) = RecentEdits().after_save(before, hunks).saves
    others = [line for number, line in enumerate(lines(after)) if number not in touched]
    rest = iter(lines(before))
    assert all(any(line == one for one in rest) for line in others)


def features_of(
    text: str, recent: RecentEdits, position: Sequence[float] | None = None
) -> LineFeatures:
    """Compute the features of a text each character of which is an item, behind a start token."""
    size = len(text) + 1
    chances = np.array(position if position else [1 / size] * size, np.float32)
    return line_features(
        text, recent, np.log(chances), np.arange(size), np.arange(size), [], CONFIG
    )


def test_lines_are_described_by_what_was_done_last() -> None:
    saved = TEXT.replace("read(path)", "parse(path)")
    seen = features_of(saved, recent_of(TEXT, saved))
    assert seen.lines.tolist() == list(range(10))  # the last is the empty one at the end
    assert seen.features.shape == (10, FEATURES) and np.isfinite(seen.features).all()
    assert np.flatnonzero(seen.features[:, NEAREST]).tolist() == [4]
    assert np.flatnonzero(seen.features[:, BELOW]).tolist() == [5]
    assert np.flatnonzero(seen.features[:, TOUCHED]).tolist() == [4]


def test_words_that_are_gone_are_looked_for() -> None:
    renamed = TEXT.replace("load(path)", "load(file)")
    recent = recent_of(TEXT, renamed, renamed + "load(file)\n")  # two saves ago, and still to do
    seen = features_of(renamed + "load(file)\n", recent)
    assert np.flatnonzero(seen.features[:, GONE]).tolist() == [4, 7, 8]
    assert seen.features[[4, 7, 8], RARE_GONE] == pytest.approx(1 / 3)
    assert np.flatnonzero(seen.features[:, NEW]).tolist() == [3, 9]
    assert seen.features[3, RARE_NEW] > seen.features[4, RARE_NEW] == 0


@given(TEXTS, TEXTS, st.integers(0, 2**32 - 1))
def test_lines_and_places_within_them_are_joined(before: str, text: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    seen = features_of(
        text, recent_of(before, text), draw.dirichlet(np.ones(len(text) + 1)).tolist()
    )
    of_lines = np.log(draw.dirichlet(np.ones(len(seen.lines)))).astype(np.float32)
    placed, line_of_each, *_ = seen.placed(of_lines)
    assert np.exp(placed).sum() == pytest.approx(1, abs=1e-3)
    for line, log_probability in zip(seen.lines, of_lines, strict=True):
        here = seen.line_of == line
        assert np.exp(placed[here]).sum() == pytest.approx(np.exp(log_probability), abs=1e-4)
        assert (line_of_each[here] == log_probability).all()
        gained = placed[here] - seen.position[here]  # within a line the pointer decides
        assert np.ptp(gained) < 1e-3


def test_dead_items_are_nowhere() -> None:
    text = "a\nb\n"
    position = np.log(np.full(8, 1 / 8, np.float32))
    order = np.array([0, 2, 3, 6, 7])
    seen = line_features(text, recent_of("", text), position, order, np.arange(5), [], CONFIG)
    placed = seen.placed(np.log(np.full(len(seen.lines), 1 / len(seen.lines), np.float32)))
    for known in (placed.where, placed.line):
        assert np.isfinite(known).all()  # a client parses what comes of it
        assert set(np.flatnonzero(known > MASKED).tolist()) == set(order.tolist())


def head_for(column: int) -> LineHead:
    """One that goes by a single feature."""
    hidden = np.zeros((FEATURES + 1, 1), np.float32)
    hidden[column] = 2_000.0  # elsewhere it is as good as impossible
    return LineHead(hidden, np.ones(1, np.float32))


def test_a_head_is_read_from_a_card() -> None:
    head = head_for(BELOW)
    again = LineHead.of(Card.of(json.loads(json.dumps({"lines": head.to_json()}))))
    assert again is not None and np.array_equal(again.hidden, head.hidden)
    features = np.zeros((3, FEATURES), np.float32)
    features[1, BELOW] = 1
    assert again.log_probabilities(features).argmax() == 1
    assert np.exp(again.log_probabilities(features)).sum() == pytest.approx(1)
    assert LineHead.of(Card()) is None
    other = {"hidden": [[1.0]] * FEATURES, "out": [1.0]}
    with pytest.raises(UnfitError, match="lines.hidden must be a list of 55 values"):
        Card.of({"lines": other})  # of another version


@pytest.fixture(scope="module")
def forecaster() -> NeuralForecaster:
    return NeuralForecaster.load(default_bundle_path(), "cpu")


def test_a_head_leads_where_it_says(forecaster: NeuralForecaster) -> None:
    after = TEXT.replace("read(path)", "load(path)")
    for column, line in ((NEAREST, 4), (BELOW, 5)):
        forecaster.line_head = head_for(column)
        session = forecaster.open(TEXT)
        session.update(after, saved=True)
        found = session.candidates(3)
        decoded = [one.hunk for one in found if one.source == "decoded"]
        assert decoded
        for hunk in decoded:
            (touched,) = RecentEdits().after_save(after, [Hunk(hunk.start, hunk.end, "")]).saves
            assert touched[0] in (line, line + 1)  # behind the end of a line is the next one


def test_nothing_is_decoded_before_a_save(forecaster: NeuralForecaster) -> None:
    session, after = forecaster.open(TEXT), TEXT.replace("read(path)", "load(path)")
    session.update(after, saved=False)
    assert not any(one.source == "decoded" for one in session.candidates(3))
    session.update(after, saved=True)
    assert any(one.source == "decoded" for one in session.candidates(3))


def test_there_is_nothing_to_look_at_before_the_first_change(forecaster: NeuralForecaster) -> None:
    assert forecaster.open(TEXT).line_features() is None
