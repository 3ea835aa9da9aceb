"""Two measurements of the same everyday edits, paired by scenario, with bootstrap intervals.

Prints the scenarios in which they differ, and the difference in points of the opportunities that
are right, of the offers that are, and of the silences.

Run: python benchmarks/suggestions/compare.py BEFORE.json ... --with AFTER.json ...
The files are those that `scenarios.py --json` and `replay.py --json` write.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from everyday import KINDS, Opportunity, Outcome, read_outcomes

from editcast_training.evaluation.intervals import difference


@dataclass(frozen=True)
class _Moment:
    """An opportunity, with the number of its scenario."""

    session: int
    found: Opportunity


def measure(moments: Sequence[_Moment]) -> dict[str, float]:
    """Return what is right, in percent."""
    found = [one.found for one in moments]
    asked = [one for one in found if not one.is_silence_right]
    return {
        "right": _share(asked, "right"),
        "offers right": _share([one for one in found if one.kind != "nothing"], "right"),
        "silent where right": _share([one for one in found if one.is_silence_right], "nothing"),
    }


def _share(found: Sequence[Opportunity], kind: str) -> float:
    return 100 * sum(one.kind == kind for one in found) / max(1, len(found))


def _kinds(outcome: Outcome) -> dict[str, int]:
    asked = Counter(one.kind for one in outcome.opportunities if not one.is_silence_right)
    silent = Counter(one.kind for one in outcome.opportunities if one.is_silence_right)
    return {kind: asked[kind] for kind in KINDS} | {"where silence is right": silent["wrong"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", nargs="+", type=Path)
    parser.add_argument("--with", dest="after", nargs="+", type=Path, required=True)
    given = parser.parse_args()
    before, after = (
        {(one.language, one.name): one for path in paths for one in read_outcomes(path)}
        for paths in (given.before, given.after)
    )
    names = [name for name in before if name in after]
    for name in names:
        first, second = _kinds(before[name]), _kinds(after[name])
        changed = [f"{kind} {first[kind]} -> {second[kind]}" for kind in first]
        if first != second:
            print(f"{' '.join(name)}: {', '.join(changed)}")
    moments = [
        [
            _Moment(number, each)
            for number, name in enumerate(names)
            for each in of[name].opportunities
        ]
        for of in (before, after)
    ]
    print(f"{len(names)} scenarios")
    for share, gain in difference(moments[0], moments[1], measure, samples=5000).items():
        was, is_now = (measure(each)[share] for each in moments)
        print(
            f"{share}: {was:.1f} -> {is_now:.1f} %, "
            f"{gain.value:+.1f} ({gain.low:.1f}, {gain.high:.1f}) points"
        )


if __name__ == "__main__":
    main()
