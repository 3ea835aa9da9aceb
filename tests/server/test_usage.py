"""From what the store has of suggestions to numbers."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_server.usage import (
    BINS,
    DAYS,
    Counts,
    Suggested,
    bin_of,
    interval,
    suggestions,
    usage,
)
from editcast_store.saves import Outcome, Store, What

NOW = datetime(2026, 3, 10, 15, 0)
TODAY = NOW.date()
MINUTE = 60_000


def outcome(
    what: str,
    minutes: float = 0,
    *,
    id: str = "1",
    path: str = "/a.py",
    language: str = "python",
    model: str = "m",
    confidence: float = 0.55,
) -> Outcome:
    """Return what happened so many minutes after `NOW`."""
    time = int(NOW.timestamp() * 1000 + minutes * MINUTE)
    return Outcome(id, what, path, language, model, confidence, time)


def counts(*outcomes: Outcome) -> Counts:
    return usage(outcomes, TODAY).total


def test_one_suggestion_is_counted_once() -> None:
    life = outcome("shown"), outcome("accepted", 1), outcome("kept", 2)
    assert counts(*life) == Counts(shown=1, accepted=1, kept=1)
    assert counts(*life[:2]) == Counts(shown=1, accepted=1)
    assert counts(*life[:1]).ignored == 1
    gone = outcome("shown"), outcome("accepted", 1), outcome("changed", 2)
    assert counts(*gone) == Counts(shown=1, accepted=1, changed=1)
    assert counts(outcome("shown"), outcome("rejected", 1)) == Counts(shown=1, rejected=1)


def test_an_id_means_something_within_one_run_of_the_server_only() -> None:
    run = outcome("shown"), outcome("accepted", 1)
    again = outcome("shown", 5), outcome("rejected", 6)
    assert counts(*run, *again) == Counts(shown=2, accepted=1, rejected=1)
    tomorrow = outcome("accepted", 24 * 60)
    assert counts(outcome("shown"), tomorrow) == Counts(shown=2, accepted=1)
    for other in (outcome("accepted", path="/b.py"), outcome("accepted", model="n")):
        assert counts(outcome("shown"), other) == Counts(shown=2, accepted=1)
    # Two windows at once, whose servers count alike.
    both = [outcome(what, path=path) for what in ("shown", "accepted") for path in ("/a", "/b")]
    assert counts(*both) == Counts(shown=2, accepted=2)


def test_what_was_decided_was_shown_and_what_is_half_there_counts_as_nothing() -> None:
    assert counts(outcome("accepted"), outcome("kept", 1)) == Counts(shown=1, accepted=1, kept=1)
    assert counts(outcome("rejected")) == Counts(shown=1, rejected=1)
    assert counts(outcome("kept"), outcome("changed")) == Counts()
    assert counts(outcome("shown"), outcome("rejected"), outcome("kept")) == Counts(1, 0, 1)
    assert counts(outcome("shown"), outcome("something new")) == Counts(shown=1)
    assert counts() == Counts()


def test_by_day_language_model_and_confidence() -> None:
    day = 24 * 60
    found = usage(
        [
            outcome("shown", -40 * day, id="1", confidence=0.05),
            outcome("shown", -3 * day, id="2", language="c", confidence=0.5),
            outcome("accepted", -3 * day, id="2", language="c", confidence=0.5),
            outcome("shown", id="3", model="n", confidence=0.58),
            outcome("shown", 1, id="4", model="n", confidence=1.0),
            outcome("rejected", 2, id="4", model="n", confidence=1.0),
        ],
        TODAY,
    )
    assert found.first == date(2026, 1, 29)
    assert len(found.days) == DAYS and found.days[-1] == (TODAY, Counts(shown=2, rejected=1))
    assert {day: c for day, c in found.days if c.shown} == {
        date(2026, 3, 7): Counts(shown=1, accepted=1),
        TODAY: Counts(shown=2, rejected=1),
    }
    assert [(name, c.shown) for name, c in found.languages] == [("python", 3), ("c", 1)]
    assert [(name, c.shown) for name, c in found.models] == [("n", 2), ("m", 2)]
    assert [found.bins.index(bin) for bin in found.bins if bin.counts.shown] == [0, 5, 9]
    middle = found.bins[5]
    assert middle.low == 0.5 and middle.confidence == pytest.approx(0.54)
    assert middle.counts == Counts(shown=2, accepted=1)
    assert found.bins[1].confidence is None


def test_it_reads_what_a_store_wrote(tmp_path: Path) -> None:
    lives: list[list[What]] = [["shown", "accepted", "kept"], ["shown", "rejected"], ["shown"]]
    with Store.open(tmp_path / "history.sqlite3") as store:
        for number, life in enumerate(lives):
            for step, what in enumerate(life):
                store.record_outcome(
                    str(number),
                    what,
                    path="/a.py",
                    confidence=0.7,
                    time_ms=int(NOW.timestamp() * 1000) + step * MINUTE,
                    model="m",
                    language="python",
                )
        found = usage(store.outcomes(), TODAY)
    assert found.total == Counts(shown=3, accepted=1, rejected=1, kept=1)


@st.composite
def lives(draw: st.DrawFn) -> Iterator[Outcome]:
    """Outcomes of a few suggestions and runs, in any order that a store might have."""
    what = st.sampled_from(["shown", "accepted", "rejected", "kept", "changed"])
    lines = draw(
        st.lists(
            st.tuples(
                what,
                st.integers(-50 * 24 * 60, 0),
                st.sampled_from("123"),
                st.sampled_from(["/a", "/b"]),
                st.sampled_from(["python", "c", ""]),
                st.sampled_from("mn"),
                st.floats(0, 1),
            ),
            max_size=40,
        )
    )
    return iter(
        outcome(what, time, id=id, path=path, language=language, model=model, confidence=sure)
        for what, time, id, path, language, model, sure in lines
    )


@given(lives())
def test_the_numbers_add_up(outcomes: Iterator[Outcome]) -> None:
    known = list(outcomes)
    found, ones = usage(known, TODAY), suggestions(known)
    total = found.total
    assert total.shown == len(ones) == total.accepted + total.rejected + total.ignored
    for what in ("accepted", "rejected"):  # none is lost, none is counted twice
        assert getattr(total, what) == sum(one.what == what for one in known)
    assert sum(one.what == "shown" for one in known) <= total.shown
    for parts in (found.languages, found.models, [(bin.low, bin.counts) for bin in found.bins]):
        for name in ("shown", "accepted", "rejected", "ignored", "kept", "changed"):
            assert sum(getattr(c, name) for _, c in parts) == getattr(total, name)
    assert sum(c.shown for _, c in found.days) <= total.shown
    every = [total, *(c for _, c in (*found.days, *found.languages, *found.models))]
    for c in every + [bin.counts for bin in found.bins]:
        assert 0 <= c.followed <= c.accepted <= c.decided <= c.shown and c.ignored >= 0
    for number, bin in enumerate(found.bins):
        assert (bin.confidence is None) == (bin.counts.shown == 0)
        assert bin.confidence is None or bin_of(bin.confidence) in (number - 1, number, number + 1)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_every_confidence_has_its_bin(values: list[float]) -> None:
    ones = [Suggested(0, "", "", value) for value in values]
    assert all(0 <= bin_of(one.confidence) < BINS for one in ones)
    assert [bin_of(value) for value in sorted(values)] == sorted(map(bin_of, values))


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_interval_holds_the_share(one: int, other: int) -> None:
    hits, of = sorted((one, other))
    low, high = interval(hits, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low - 1e-9 <= hits / of <= high + 1e-9


def test_one_of_one_is_not_a_hundred_per_cent() -> None:
    assert interval(1, 1)[0] == pytest.approx(0.2065, abs=1e-4)
    assert interval(90, 100) == pytest.approx((0.8256, 0.9448), abs=1e-4)
