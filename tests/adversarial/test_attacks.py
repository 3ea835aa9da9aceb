"""The short form of every attack: what it tried is enough, and it found nothing.

What is found is reproduced by its seed: `python tests/adversarial/soak.py --attack attacks.changes
--seed 0 --rounds 1400`.
"""

from pathlib import Path

import pytest

from attacks import (
    changes,
    cycles,
    disk_full,
    eight_servers,
    hostile_inputs,
    kills_models,
    kills_store,
    protocol_abuse,
    served_changes,
)
from attacks.figures import Figures, Limit

pytestmark = pytest.mark.timeout(600)


def check(figures: Figures, **at_least: int) -> None:
    """Print the figures; fail on findings, and when too little was tried."""
    print(figures)
    assert not figures.findings, figures
    for what, count in at_least.items():
        assert figures.tried[what.replace("_", " ")] >= count, figures


def test_random_changes_of_documents() -> None:
    check(changes.attack(Limit(rounds=1500), 0), changes=100_000, whole_texts=1_000)


def test_random_changes_through_a_server() -> None:
    check(served_changes.attack(Limit(rounds=3), 0), changes=1_500)


def test_a_store_whose_writers_are_killed() -> None:
    check(kills_store.attack(Limit(rounds=14), 0), kills=14)


def test_models_whose_installation_is_killed() -> None:
    check(kills_models.attack(Limit(rounds=6), 0), kills=6)


def test_a_full_disk() -> None:
    figures = disk_full.attack(Limit(rounds=1), 0)
    check(figures)
    assert figures.tried["disks filled"] or figures.notes


@pytest.mark.parametrize(
    ("kind", "rounds"),
    [
        ("bundle", 30),
        ("git", 40),
        ("local_history", 60),
        ("saves", 60),
        ("store", 30),
        ("settings", 100),
    ],
)
def test_hostile_inputs(kind: str, rounds: int) -> None:
    check(hostile_inputs.attack(Limit(rounds=rounds), 0, only=kind), bad_inputs=rounds)


def test_damaged_messages() -> None:
    check(protocol_abuse.attack(Limit(rounds=3), 0), bad_messages=150)


def test_eight_servers_on_one_store() -> None:
    check(eight_servers.attack(Limit(rounds=1), 0), servers=8)


def test_memory_stays_flat() -> None:
    check(cycles.attack(Limit(rounds=300), 0), cycles=300)


def test_what_is_found_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcast_server.documents.buffer.split_lines", str.splitlines)
    figures = changes.attack(Limit(rounds=5), 0)
    assert figures.findings and figures.findings[0].input["steps"]
    assert Figures.from_json(figures.to_json()) == figures
