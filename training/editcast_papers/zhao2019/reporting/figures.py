"""The figures of the report as PNG: the same bytes for the same lines. Agg, no display."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from editcast_papers.zhao2019.reporting.paper import INSERTIONS
from editcast_papers.zhao2019.reporting.tables import Cell
from editcast_papers.zhao2019.runs import RealRun, Timing

# Okabe and Ito's colours, which colour-blind readers tell apart.
_COLOURS = {"IA+": "#0072B2", "E": "#D55E00", "IR": "#E69F00", "IA-ag": "#009E73"}
_OTHER = "#6b7480"
_DPI = 100


def timing_figure(timings: Sequence[Timing]) -> bytes:
    """Figure 4 a-c: seconds over insertions, a panel a hidden size, a line a model and device."""
    sizes = sorted({one.hidden for one in timings})
    devices = list(dict.fromkeys(one.device for one in timings))
    styles = dict(zip(devices, ("-", "--", ":", "-.") * len(devices), strict=False))
    figure, panels = _panels(len(sizes))
    for axes, size in zip(panels, sizes, strict=True):
        lines: dict[tuple[str, str], dict[int, float]] = {}
        for one in timings:
            if one.hidden == size:
                lines.setdefault((one.model, one.device), {})[one.insertions] = one.seconds
        for (model, device), points in lines.items():
            x = sorted(points)
            axes.plot(
                x,
                [points[each] for each in x],
                styles[device],
                marker="o",
                color=_COLOURS.get(model, _OTHER),
                label=model if len(devices) == 1 else f"{model}, {device}",
            )
        axes.set_yscale("log")
        _dress(axes, f"hidden size {size}", "insertions", "s / 128 sequences")
        axes.set_xticks(sorted({one.insertions for one in timings} | set(INSERTIONS)))
    _legend(figure, panels)
    return _png(figure)


def step_figure(cells: Mapping[str, Mapping[str, Cell]]) -> bytes:
    """Figure 5: accuracy over the number of the scored edit; by task, the cells of its models."""
    figure, panels = _panels(len(cells))
    for axes, (task, models) in zip(panels, cells.items(), strict=True):
        for model, cell in models.items():
            curve = cell.runs[0].by_step
            x = range(1, len(curve) + 1)
            axes.plot(x, curve, marker=".", color=_COLOURS.get(model, _OTHER), label=model)
        axes.set_ylim(0, 101)
        _dress(axes, task, "scored edit", "accuracy, %")
    _legend(figure, panels)
    return _png(figure)


def real_figure(runs: Iterable[RealRun]) -> bytes:
    """Figure 4 d: accuracy of the most confident tokens, a panel a split."""
    runs = list(runs)
    splits = sorted({run.split for run in runs})
    figure, panels = _panels(len(splits))
    for axes, split in zip(panels, splits, strict=True):
        for run in runs:
            if run.split == split:
                x, y = zip(*run.curve, strict=True)
                axes.plot(x, y, color=_COLOURS.get(run.model, _OTHER), label=run.model)
        axes.set_ylim(0, 101)
        _dress(axes, f"split: {split}", "least confident left out, %", "accuracy, %")
    _legend(figure, panels)
    return _png(figure)


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(1.2 + 3.6 * count, 3.4), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)  # figures made without pyplot have no canvas of their own
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def _dress(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#e3e7ec", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels."""
    lines = {str(line.get_label()): line for axes in panels for line in axes.lines}
    figure.legend(
        lines.values(), lines.keys(), loc="outside right center", frameon=False, fontsize=8
    )


def _png(figure: Figure) -> bytes:
    data = BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()
