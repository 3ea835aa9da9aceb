"""Contents of edits, given their positions: the network alone, and with the project memory.

    python benchmarks/suggestions/contents.py --git REPOSITORY --git REPOSITORY --saves FILE

Predicts each token that sessions insert or delete, given the edits before it. Contents "at the
cursor" go behind what was inserted last, as most of what is typed. A content is sure from a
probability of 0.5 on. Differences are paired by session.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import click
import numpy as np
import torch
from histories import cells, drawn_sessions, history_options
from rich.console import Console
from rich.progress import track

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.export import load_network
from editcast_training.evaluation.intervals import difference, intervals
from editcast_training.evaluation.known_files import files_before
from editcast_training.evaluation.token_accuracy import forced_contents
from editcast_training.sources.registry import Origin

_SURE = 0.5


class Row(NamedTuple):
    """One content, as one predictor saw it."""

    session: int
    kind: str
    is_at_cursor: bool
    is_right: bool
    is_sure: bool


@click.command()
@history_options
@click.option("--commits", default=20, show_default=True, help="Sessions of each repository.")
def main(origins: list[Origin], commits: int) -> None:
    """Ask for the contents of edits, and print a table in Markdown."""
    torch.set_num_threads(1)
    network, mixed = [], []
    for alone, both in rows(origins, commits):
        network.append(alone)
        mixed.append(both)
    print("| kind | where | contents | | right | 0.5 sure or more | right of these |")
    print("|---|---|---|---|---|---|---|")
    for kind in sorted({row.kind for row in network}):
        for where in ("everywhere", "at the cursor"):
            chosen = partial(select, kind=kind, at_cursor=where == "at the cursor")
            before, after = chosen(network), chosen(mixed)
            head = f"| {kind} | {where} | {len(before):,} |"
            found = {
                "the network": intervals(before, shares),
                "with the memory": intervals(after, shares),
                "difference": difference(before, after, shares),
            }
            for label, measured in found.items():
                print(f"{head} {label} | {cells(measured.values())} |", flush=True)


def rows(origins: Sequence[Origin], commits: int) -> Iterator[tuple[Row, Row]]:
    """Yield each content twice: by the network alone, and with the memory."""
    bundle = Bundle.open(bundled_path())
    network, files = load_network(bundle).eval(), files_before(origins)
    drawn = [one for origin in origins for one in drawn_sessions(origin, commits)]
    for number, session in enumerate(track(drawn, "contents", console=Console(stderr=True))):
        for forced in forced_contents(bundle, network, session, files):
            found = []
            for said in (forced.network, forced.mixed):
                best = int(said.argmax())
                sure = bool(np.exp(said[best]) >= _SURE)
                is_right = best == forced.content
                found.append(Row(number, session.kind, forced.is_at_cursor, is_right, sure))
            yield found[0], found[1]


def select(rows: Sequence[Row], kind: str, at_cursor: bool) -> list[Row]:
    """Return the rows of a kind, of all places or at the cursor."""
    return [row for row in rows if row.kind == kind and (row.is_at_cursor or not at_cursor)]


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """Measure rows, in percent."""
    sure = [row for row in rows if row.is_sure]
    return {
        "right": 100 * sum(row.is_right for row in rows) / max(len(rows), 1),
        "sure": 100 * len(sure) / max(len(rows), 1),
        "right of these": 100 * sum(row.is_right for row in sure) / max(len(sure), 1),
    }


if __name__ == "__main__":
    main()
