"""The two pictures of a report: precision against coverage, and calibration. Agg, no display."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from editcast_training.evaluation.metrics import (
    BINS,
    PRECISIONS,
    Outcome,
    bin_of,
    calibration_bins,
    curve,
    expected_calibration_error,
)

#: Okabe and Ito's colours, which colour-blind readers tell apart; the first is the model's.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_INK, _FAINT, _GRID = "#22272e", "#6b7480", "#e3e7ec"
_LEAST = 10  # suggestions; the precision of fewer is noise and is not drawn
_DPI = 144

#: By name, the suggestions that an evaluation made and the number of its steps.
Series = Mapping[str, tuple[Sequence[Outcome], int]]


def plot_curves(series: Series) -> bytes:
    """Draw a PNG of clean precision against coverage, one line an evaluation."""
    figure = Figure(figsize=(7.6, 4.6), dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    for precision in PRECISIONS:
        axes.axhline(precision, color=_INK, linewidth=0.8, linestyle=(0, (2, 4)), zorder=1)
    for colour, (name, (outcomes, steps)) in zip(cycle(_COLOURS), series.items(), strict=False):
        points = [p for p in curve(outcomes, steps) if p.coverage * steps >= _LEAST]
        x, y = [p.coverage for p in points], [p.precision for p in points]
        axes.plot(x, y, color=colour, label=name, linewidth=2)
        axes.plot(x[-1:], y[-1:], "o", color=colour, clip_on=False)
    _dress(axes, "Suggestions taken by confidence, surest first", "clean precision")
    axes.set_xlabel("coverage: share of all steps with a suggestion")
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.legend(frameon=False, labelcolor=_INK)
    return _png(figure)


def plot_calibration(series: Series) -> bytes:
    """Draw a PNG of the clean share against confidence, over how many suggestions have it."""
    figure = Figure(figsize=(7.6, 5.6), dpi=_DPI, layout="constrained")
    axes, counts = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    axes.plot((0, 1), (0, 1), color=_INK, linewidth=0.8, linestyle=(0, (2, 4)), zorder=1)
    width = 0.8 / BINS / max(len(series), 1)
    for place, (name, (outcomes, _)) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        bins = calibration_bins(outcomes)
        x = [b.confidence for b in bins]
        label = f"{name} (error {expected_calibration_error(outcomes):.1%})"
        axes.plot(x, [b.clean for b in bins], "o-", color=colour, label=label, clip_on=False)
        left = [(bin_of(c) + 0.1) / BINS + place * width for c in x]
        counts.bar(left, [b.count for b in bins], width, align="edge", color=colour)
    _dress(axes, "Confidence, and how often it was right", "clean")
    axes.legend(frameon=False, labelcolor=_INK, loc="upper left")
    _dress(counts, "", "suggestions")
    counts.relim()
    counts.autoscale(axis="y")
    counts.set_xlabel("confidence")
    counts.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    counts.yaxis.set_major_formatter("{x:.0f}")
    counts.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    return _png(figure)


def _dress(axes: Axes, title: str, y_label: str) -> None:
    axes.set_title(title, loc="left", color=_INK, fontsize=12, fontweight="bold")
    axes.set_ylabel(y_label)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_FAINT, labelcolor=_INK, length=0)
    axes.xaxis.label.set_color(_INK)
    axes.yaxis.label.set_color(_INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_FAINT)
    for line in axes.lines:
        line.set_solid_capstyle("round")


def _png(figure: Figure) -> bytes:
    data = BytesIO()
    FigureCanvasAgg(figure)  # figures made without pyplot have no canvas of their own
    figure.savefig(data, format="png")
    return data.getvalue()
