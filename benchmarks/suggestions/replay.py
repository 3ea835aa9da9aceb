"""Everyday edits, step by step in one process: no keys, no pauses and no server.

A set takes half a minute, so that a change of the rules can be tried on all of them; what is
reported is typed (`scenarios.py`). What is missed is printed with what is offered instead.

Run: python benchmarks/suggestions/replay.py SET[:WORD] ... [--json FILE] [--quiet]
SET is `own` or a folder of `scenarios`, WORD a part of the names of its scenarios.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from everyday import (
    SCENARIOS,
    Opportunity,
    Outcome,
    Scenario,
    Step,
    parses,
    read_scenarios,
    table,
    write_outcomes,
)

from editcast_model.bundle import bundled_path
from editcast_model.diff import apply_hunks
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import Prediction, never
from editcast_model.syntax.languages import language_of
from editcast_server.prediction.engine import Conditions, Job, Thresholds
from editcast_server.prediction.projects import Project, Track

_NEVER = 2.0  # no continuation is asked for: nothing is being typed


@dataclass
class Replay:
    """A scenario, made step by step in a project of its own."""

    forecaster: NeuralForecaster
    scenario: Scenario
    outcome: Outcome
    is_quiet: bool = False
    done: set[int] = field(default_factory=set)
    _project: Project = field(default_factory=Project)
    _tracks: dict[str, Track] = field(default_factory=dict)
    _texts: dict[str, list[str]] = field(default_factory=dict)  # of each file, oldest first
    _passed: set[int] = field(default_factory=set)

    def run(self) -> Outcome:
        """Make all steps, and take what is right."""
        for file in self.scenario.files:
            text = self.scenario.text(file, ())
            uri = f"file:///project/{file}"
            self._tracks[file] = Track(text, self._project, uri, _language(file))
            self._texts[file] = [text]
        self._project.prepare()
        for track in self._tracks.values():
            track.session(self.forecaster)
        current, since = "", 0
        while left := [step for step in self.scenario.steps if step.number not in self.done]:
            step = left[0]
            if step.file != current and current:
                self._save(current)
                self._jump(current)
            current = step.file
            if self.done and self._opportunity(step):
                continue
            if step.number in self._passed:
                self.outcome.skipped.append(step.number)
            self._make({step.number}, current)
            since += 1
            if since % 3 == 0:
                self._save(current)
        self._opportunity(None)
        return self.outcome

    def _opportunity(self, step: Step | None) -> bool:
        """Ask for the next edit and judge it; whether it was taken."""
        file = step.file if step else self.scenario.steps[-1].file
        text, number = self._texts[file][-1], step.number if step else 0
        following = [one for one in self.scenario.following(self.done) if one.file == file]
        best = next(iter(self._predict(file)), None)
        found = Opportunity(number, "nothing", not following, 0.0)
        self.outcome.opportunities.append(found)
        taken: set[int] = set()
        if best is not None:
            found.kind, taken = self.scenario.judge(file, [best.hunk], self.done)
            found.confidence = best.confidence
            found.offered = f"{text[best.hunk.start : best.hunk.end]!r} -> {best.hunk.text!r}"
            after = apply_hunks(text, [best.hunk])
            found.parses = parses(after, file) or not parses(text, file)
        if taken:
            found.is_in_order = following[0].number in taken
            passed = {one.number for one in following if one.number < max(taken)}
            self._passed |= passed - taken
            self._make(taken, file)
        elif not self.is_quiet and (best or following):
            self._print(found, step if following else None)
        return bool(taken)

    def _predict(self, file: str) -> list[Prediction]:
        """Return what is shown after the last step."""
        texts, language = self._texts[file], _language(file)
        context = replace(EditContext.of(texts[-2:], language), texts=frozenset(map(hash, texts)))
        threshold = self.forecaster.bundle.card.calibration.threshold
        assert threshold is not None  # the bundled model is calibrated
        conditions = Conditions(context, Thresholds(threshold, _NEVER))
        job = Job(self._tracks[file], conditions, 3, lambda answer: None)
        found = self._tracks[file].predict(self.forecaster, job)
        self._tracks[file].prepare(never)
        return conditions.shown(found)

    def _make(self, steps: set[int], file: str) -> None:
        self.done |= steps
        self._texts[file].append(self.scenario.text(file, self.done))
        self._tracks[file].text = self._texts[file][-1]

    def _save(self, file: str) -> None:
        track = self._tracks[file]
        track.save(self._texts[file][-1])
        track.share_saves()
        self._project.prepare()
        track.session(self.forecaster)

    def _jump(self, file: str) -> None:
        """Judge which other file is named once nothing is left in one."""
        if self.scenario.judge_jump(file, (), self.done) is None or self._predict(file):
            return
        uris = {f"file:///project/{one}": one for one in self.scenario.files}
        named = self._project.other_files(f"file:///project/{file}", never)
        files = [uris.get(one.uri, one.uri) for one in named]
        if kind := self.scenario.judge_jump(file, files, self.done):
            self.outcome.jumps[kind] = self.outcome.jumps.get(kind, 0) + 1

    def _print(self, found: Opportunity, step: Step | None) -> None:
        wanted = f"{step.file}: {step.old!r} -> {step.new!r}" if step else "silence"
        print(f"  {found.kind:<8}{found.step:>3} {wanted}")
        if found.offered:
            print(f"              got {found.confidence:.2f} {found.offered}")


def chosen(names: list[str]) -> Iterator[tuple[str, Scenario]]:
    """All scenarios of some sets, with their languages."""
    for name in names:
        folder, _, only = name.partition(":")
        yield from read_scenarios(SCENARIOS / folder if folder != "own" else SCENARIOS, only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="own, second, third ...; SET:WORD for a part")
    parser.add_argument("--json", type=Path, help="write all outcomes there")
    parser.add_argument("--quiet", action="store_true", help="print the table alone")
    given = parser.parse_args()
    forecaster = NeuralForecaster.load(bundled_path(), "cpu")
    outcomes = []
    for language, scenario in chosen(given.sets):
        if not given.quiet:
            print(f"== {language} {scenario.name}")
        outcome = Outcome(scenario.name, language)
        outcomes.append(Replay(forecaster, scenario, outcome, given.quiet).run())
    if given.json:
        write_outcomes(given.json, outcomes)
    print(table(outcomes))


def _language(file: str) -> str:
    return language_of("", file) or "plaintext"


if __name__ == "__main__":
    main()
