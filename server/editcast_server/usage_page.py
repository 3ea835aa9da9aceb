"""The report: an HTML page on the outcomes of suggestions, from this machine's data alone.

The page is self-contained: it has no scripts, pictures or fonts. It uses VS Code's colours if its
custom properties are defined, and otherwise the browser's light or dark scheme.
"""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from editcast_model.errors import BundleError, ReportError, StoreError
from editcast_model.private_files import write_lines
from editcast_model.wording import counted
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_server.usage import BINS, interval, usage
from editcast_store.saves import Store

# Jinja2 and the model's modules take a tenth of a second to import; the server starts without them.

_TEMPLATE = Path(__file__).with_name("templates") / "usage.html"
_KINDS = {
    "commits": "commits, replayed hunk by hunk",
    "project-commits": "commits, replayed hunk by hunk with the project's other files",
    "saves": "real saves",
    "project-saves": "real saves, with the project's other files",
}


def usage_page(
    store_path: Path, model: str, bundle: Path | None, latencies: Sequence[float]
) -> str:
    """Render the page as text that UTF-8 can hold; reads the disk, not for an event loop.

    Args:
        store_path: The store; it need not be there yet, and is not made.
        model: The name of what forecasts now; empty for the name on the bundle's card.
        bundle: The folder of the model in use; None for a baseline, or while none is loaded yet.
        latencies: Milliseconds from asking to the answer, of predictions since the server
            started; empty when no server runs.
    """
    import jinja2
    import numpy as np

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "of": _part_of,
        "share_of": lambda part, whole: f"of {whole:,} ({_share(part, whole)})",
        "percent": lambda share: _number(share, "{:.1f} %", 100),
        "number": lambda value: _number(value, "{:.1f}"),
        "count": lambda value: _number(value, "{:,}"),
        "counted": counted,
    }
    name, card = _card(bundle)
    if bundle is None and not model:
        card["problem"] = "The model is still being loaded; look again in a moment."
    shares = (50, 95) if latencies else ()
    page = environment.from_string(_TEMPLATE.read_text("utf-8")).render(
        _stored(store_path),
        model=model or name,
        card=card,
        bundle=bundle,
        interval=interval,
        count=len(latencies),
        latencies=[
            (f"p{share}", np.percentile(latencies, share, method="inverted_cdf"))
            for share in shares
        ],
        made=f"{datetime.now():%Y-%m-%d %H:%M}",
        bins=BINS,
    )
    # Names may contain surrogates, which UTF-8 cannot encode.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def write_page(page: str, path: Path) -> None:
    """Write a page atomically, readable by its owner only.

    Raises:
        ReportError: The page cannot be written.
    """
    try:
        write_lines(path, [page])
    except OSError as error:
        raise ReportError(
            f"The report cannot be written to {path} ({error.strerror or error}); name another "
            "file with --out."
        ) from error


def _stored(path: Path) -> dict[str, Any]:
    """Return the template's values from the store."""
    from editcast_model.forecasting.sources.repeated_edits import BASELINES

    found: dict[str, Any] = {"store": path, "size": None, "saves": 0, "files": 0, "problem": ""}
    outcomes = []
    if path.exists():
        try:
            with Store.open(path) as store:
                outcomes = store.outcomes()
                files = store.files()
                found["size"] = store.size()
                found["saves"], found["files"] = sum(file.saves for file in files), len(files)
                found["problem"] = " ".join(store.notices)
        except StoreError as error:
            found["problem"] = str(error)
    numbers = usage(outcomes, date.today(), BASELINES)
    tallest = max((counts.shown for _, counts in numbers.days), default=0)
    return found | {"usage": numbers, "tallest": tallest}


def _card(path: Path | None) -> tuple[str, dict[str, Any]]:
    """Return the model's name, and the template's values from its card."""
    shown: dict[str, Any] = {"facts": [], "suggestions": [], "tokens": [], "problem": ""}
    if path is None:
        problem = "No network is in use. Editcast repeats earlier edits."
        return "", shown | {"problem": problem}
    try:
        from editcast_model.bundle import Bundle

        bundle = Bundle.open(path)
    except (BundleError, ImportError, OSError) as error:
        return "", shown | {"problem": str(error)}
    card = bundle.card
    trained, calibration, created = card.trained_on, card.calibration, card.created
    facts = [
        ("made", f"{created:%Y-%m-%d %H:%M}" if created else None),
        ("fine-tuned from", card.base),
        ("trained on", trained.what),
        ("sources", f"{len(trained.sources):,}" if trained.sources else None),
        ("training edits", _number(trained.edits.get("train"), "{:,}")),
        ("parameters", _number(card.network.parameters, "{:,}")),
        ("calibrated on", _number(calibration.suggestions, "{:,} suggestions")),
        ("shown from", f"a confidence of {default_threshold(card):.2f}"),
        ("clean of these", _number(measured_precision(card), "{:.0f} %", 100)),
        ("licence", card.licence),
    ]
    return bundle.name, shown | {
        "facts": [(term, value) for term, value in facts if value not in (None, "", "–")],
        "suggestions": [(_KINDS.get(kind, kind), of) for kind, of in card.suggestions.items()],
        "tokens": list(card.tokens.items()),
    }


def _part_of(part: int, whole: int) -> str:
    """Format a share with both of its numbers."""
    return f"{part:,} of {whole:,} ({_share(part, whole)})" if whole else "–"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "not known yet"


def _number(value: float | None, how: str, times: int = 1) -> str:
    return "–" if value is None else how.format(value * times)
