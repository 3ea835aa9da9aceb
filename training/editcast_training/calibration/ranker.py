"""Fits the ranker: three logistic models with weights for each source, and calibration."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression

from editcast_model.bundle import Bundle, copy_bundle, fresh_bundle, write_card
from editcast_model.card import RANKER_FEATURES, VERSION
from editcast_model.errors import TrainingError
from editcast_model.forecasting.candidates import CONSEQUENCE
from editcast_model.forecasting.ranker import Ranker, features
from editcast_training.calibration.collected import Collected
from editcast_training.calibration.logistic import kind_weights, logistic
from editcast_training.disk import explained
from editcast_training.evaluation.metrics import Outcome, Score, curve
from editcast_training.evaluation.results import Row, by_kind, hardware, outcomes, versions

#: The precisions on replayed commits and saves for which the default threshold and those of low and
#: high eagerness are chosen. Of the suggestions that 0.6 would show in addition to 0.65, 52 of 152
#: are clean on commits and 1 of 33 on recorded saves (candidates of `make calibrated`).
PRECISION, LOW, HIGH = 0.65, 0.85, 0.35
_FOLDS = 5

LEAST_BIN = 25  # suggestions whose clean share is believed
MOST_BINS = 40
PRIOR = 2.0  # how many suggestions of average luck are added to each bin
LEAST_SHOWN = 20  # suggestions that a threshold must be measured on


def fit(steps: Sequence[Collected], without: Collection[str] = ()) -> Ranker:
    """Fit the weights and the calibration to these steps, of which each kind counts the same.

    The calibration is fitted to suggestions that other sessions' weights have chosen. Features that
    are named in `without` get no weight.
    """
    weights, found = kind_weights(step.row.kind for step in steps), list[Outcome]()
    for others, own in _parts(steps, lambda step: step.row.session % _FOLDS):
        ranker = _fit_weights(others or steps, without)
        for step in own:
            chosen = outcomes([best(step, ranker)])
            found += (replace(one, weight=weights[step.row.kind]) for one in chosen)
    return replace(_fit_weights(steps, without), points=tuple(calibrate(found)))


def fit_across(
    steps: Sequence[Collected],
    group: Callable[[Collected], Hashable],
    without: Collection[str] = (),
) -> list[Row]:
    """Return the best suggestion of every step, by rankers fitted to the other groups.

    A group, such as the project of a step, is never both fitted to and ranked. See also `fit`.
    """
    rows: list[Row] = []
    for others, own in _parts(steps, group):
        ranker = fit(others or steps, without)
        rows += (best(step, ranker) for step in own)
    return sorted(rows, key=lambda row: (row.session, row.step))


def best(step: Collected, ranker: Ranker) -> Row:
    """Return the step with its most probable suggestion, if there is one."""
    ranked = ranker.ranked(step.candidates)
    if not ranked:
        return step.row
    chosen, confidence = ranked[0]
    score = step.scores[step.candidates.index(chosen)]
    return replace(
        step.row, confidence=confidence, log_probability=chosen.log_probability, score=score
    )


def calibration(steps: Sequence[Collected]) -> tuple[list[Row], dict[str, Any]]:
    """Fit a bundle's ranker.

    Returns:
        Every step with the suggestion and confidence that other sessions' rankers give, and what
        the card says under `calibration`. Its precision is the measured one at the threshold, null
        where nothing reaches it.
    """
    ranker = fit(steps)
    rows = fit_across(steps, lambda step: step.row.session % _FOLDS)
    return rows, {
        "features": list(RANKER_FEATURES),
        "weights": {name: list(weights) for name, weights in ranker.weights.items()},
        "places": {name: list(weights) for name, weights in ranker.places.items()},
        "wholes": {name: list(weights) for name, weights in ranker.wholes.items()},
        "points": [list(point) for point in ranker.points],
        **_thresholds(rows),
    }


def _thresholds(rows: Sequence[Row]) -> dict[str, Any]:
    """Choose the thresholds by these steps' suggestions, in the form of the card."""
    known = outcomes(rows)
    threshold = threshold_for(PRECISION, known)
    shown = [one.clean for one in known if one.confidence >= threshold]
    return {
        "threshold": threshold,
        "precision": sum(shown) / len(shown) if len(shown) >= LEAST_SHOWN else None,
        "low": threshold_for(LOW, known),
        "high": threshold_for(HIGH, known),
        "suggestions": len(known),
    }


def calibrate(outcomes: Iterable[Outcome]) -> list[tuple[float, float]]:
    """Fit points (probability, confidence) for `ranker.Ranker`.

    Isotonic regression over bins that are large enough to be believed; of bins that come to the
    same share one point remains, so that confidence rises between all points and still ranks. It
    rises from 0 at the probability 0, and above the last point a little. Both ascend strictly;
    there are no points for no outcomes. The confidence of these is the model's probability.
    """
    ranked = sorted(outcomes, key=lambda outcome: outcome.confidence)
    if not ranked:
        return []
    bins = _bins([outcome.confidence for outcome in ranked])
    clean = np.array([outcome.clean for outcome in ranked], np.float64)
    weights = np.array([outcome.weight for outcome in ranked])
    at = np.array([outcome.confidence for outcome in ranked])
    sizes = np.array([weights[start:end].sum() for start, end in bins])
    means = np.array([np.average(at[s:e], weights=weights[s:e]) for s, e in bins])
    prior = PRIOR * np.average(clean, weights=weights)
    smooth = np.array([clean[s:e] @ weights[s:e] + prior for s, e in bins])
    shares = IsotonicRegression().fit_transform(
        means, smooth / (sizes + PRIOR), sample_weight=sizes + PRIOR
    )
    points = [(0.0, 0.0)]
    for share in np.unique(shares):
        same = shares == share
        middle = float(np.average(means[same], weights=sizes[same]))
        point = round(middle, 6), round(float(share), 6)
        if point[0] > points[-1][0] and point[1] > points[-1][1]:
            points.append(point)
    last, top = points[-1]
    if last < 1.0 and top < 0.99999:
        points.append((1.0, round(top + 0.1 * (1.0 - top), 6)))
    return points


def threshold_for(precision: float, outcomes: Iterable[Outcome]) -> float:
    """Return the lowest confidence from which on suggestions are clean with this precision.

    A precision that is only reached on fewer than `LEAST_SHOWN` suggestions is luck; if it is not
    reached at all, the threshold is 1.0.
    """
    known = list(outcomes)
    reached = [
        point.threshold
        for point in curve(known, len(known))
        if point.precision >= precision and round(point.coverage * len(known)) >= LEAST_SHOWN
    ]
    return min(reached, default=1.0)


@explained(TrainingError)
def recalibrate(
    bundle: Bundle,
    steps: Sequence[Collected],
    out: Path,
    fitted: Mapping[str, Sequence[float]] = MappingProxyType({}),
    *,
    keeps_ranker: bool = False,
) -> Bundle:
    """Write a bundle that is another one with its ranker fitted to collected candidates.

    Args:
        bundle: The other one.
        steps: Of sessions that neither it nor its line head was trained on.
        out: The folder; the bundle that lies there, which may be the same, is replaced.
        fitted: Other weights of a `Calibration` that were fitted anew, by their names; of the rest,
            and of those that are empty, the bundle's stay.
        keeps_ranker: Whether the ranker and its calibration stay, and only the thresholds are
            chosen anew.

    Raises:
        TrainingError: There is nothing to fit to, or the bundle cannot be written.
    """
    if not any(step.candidates for step in steps):
        raise TrainingError("There is nothing to calibrate with: no file has two changes.")
    if keeps_ranker:
        ranker = Ranker.of(bundle.card)
        rows = [best(step, ranker) for step in steps]
        known = {**asdict(bundle.card.calibration), **_thresholds(rows)}
    else:
        rows, known = calibration(steps)
    for name in ("continuation", "next_tokens"):
        known[name] = list(fitted.get(name) or getattr(bundle.card.calibration, name))
    found = {"version": VERSION, "calibration": known, "suggestions": by_kind(rows)}
    machine = {"hardware": hardware("cpu"), "versions": versions()}
    return with_card(bundle, {**bundle.card.written, **found, **machine}, out)


def with_card(bundle: Bundle, card: dict[str, Any], out: Path) -> Bundle:
    """Write a bundle that is another one with this card; a bundle in the folder is replaced.

    Raises:
        BundleError: The folder has other contents.
    """
    with fresh_bundle(out) as fresh:
        copy_bundle(bundle.path, fresh)
        write_card(fresh, card)
    return Bundle.open(out)


def _parts(
    steps: Sequence[Collected], group: Callable[[Collected], Hashable]
) -> Iterator[tuple[list[Collected], list[Collected]]]:
    """Yield, for each group, the steps of all others and its own."""
    for name in dict.fromkeys(map(group, steps)):
        own = [step for step in steps if group(step) == name]
        yield [step for step in steps if group(step) != name], own


def _fit_weights(steps: Sequence[Collected], without: Collection[str]) -> Ranker:
    kept = [float(name not in without) for name in RANKER_FEATURES]
    kinds = kind_weights(step.row.kind for step in steps)
    known: dict[str, list[tuple[list[float], Score, float]]] = {}
    for step in steps:
        for one, score in zip(step.candidates, step.scores, strict=True):
            numbers = [a * b for a, b in zip(features(one), kept, strict=True)]
            known.setdefault(one.source, []).append((numbers, score, kinds[step.row.kind]))

    def fitted(is_right: Callable[[Score], bool]) -> dict[str, tuple[float, ...]]:
        out = {}
        for name in sorted(known):
            rows, scores, counted = zip(*known[name], strict=True)
            out[name] = logistic(rows, [is_right(one) for one in scores], counted)
        return out

    weights = fitted(lambda one: one.clean)
    weights.pop(CONSEQUENCE, None)  # which has a prior by its kind
    places, wholes = fitted(lambda one: one.located), fitted(lambda one: one.exact)
    wholes.pop(CONSEQUENCE, None)  # they are ranked by their own confidence
    return Ranker(weights, places=places, wholes=wholes)


def _bins(ascending: Sequence[float]) -> list[tuple[int, int]]:
    """Cut into bins of equal counts, (start, end), but never between equal values."""
    size = max(LEAST_BIN, -(-len(ascending) // MOST_BINS))
    bins: list[tuple[int, int]] = []
    start = 0
    while start < len(ascending):
        end = min(start + size, len(ascending))
        if len(ascending) - end < size:
            end = len(ascending)
        while end < len(ascending) and ascending[end] == ascending[end - 1]:
            end += 1
        bins.append((start, end))
        start = end
    return bins
