"""Everyday edits, typed key by key through the real server, at the default threshold.

`everyday.py` says what they are and when an offer is right. A file is saved after every third step,
and before another file is gone to; with `--auto-save` after each step, and in the middle of
whatever is typed. After each step there is a pause, and the server is asked for the next edit. A
right offer is taken; after anything else the next step is typed.

Run: python benchmarks/suggestions/scenarios.py [--key-delay 0.15] [--pause 0.6] [--auto-save]
[--only WORD]
[--folder FOLDER] [--json FILE]
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from lsprotocol import types

from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_model.syntax.languages import language_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))

_WORD = re.compile(r"[^\W\d]\w*")
_LOOKS = 20  # tenths of a second until other files count as not named


class Session:
    """A scenario being typed into a server of its own."""

    def __init__(
        self, editor: Any, language: str, scenario: Scenario, given: argparse.Namespace
    ) -> None:
        self.editor, self.scenario = editor, scenario
        self.delay, self.pause, self.saves_itself = given.key_delay, given.pause, given.auto_save
        self.outcome = Outcome(scenario.name, language)
        self.done: set[int] = set()
        self.uris: dict[str, str] = {}
        self._typed_word = ""
        self._shown: list[tuple[str, ...]] = []
        self._gone: set[tuple[str, ...]] = set()
        self._heard = 0
        self._taken_past: set[int] = set()

    async def run(self) -> Outcome:
        """Type all steps, and take what is right."""
        folder = types.WorkspaceFolder((self.editor.home / "project").as_uri(), "project")
        self.editor.client.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([folder], []))
        )
        for file in self.scenario.files:
            text = self.scenario.text(file, ())
            language = language_of("", file) or "plaintext"
            self.uris[file] = self.editor.open(file, text, language)
        current, since = "", 0
        while left := [step for step in self.scenario.steps if step.number not in self.done]:
            step = left[0]
            if step.file != current and current:
                self.editor.save(self.uris[current])
                await self._jump(current)
            current = step.file
            if self.done and await self._opportunity(step):
                continue
            if step.number in self._taken_past:
                self.outcome.skipped.append(step.number)
            await self._type(step)
            since += 1
            if since % 3 == 0 or self.saves_itself:
                self.editor.save(self.uris[current])
        await self._opportunity(None)
        return self.outcome

    async def _opportunity(self, step: Step | None) -> bool:
        """Ask for the next edit and judge it; whether it was taken."""
        file = step.file if step else self.scenario.steps[-1].file
        uri, text = self.uris[file], self.scenario.text(file, self.done)
        await asyncio.sleep(self.pause)
        self._listen(uri)
        started = time.perf_counter()
        result = await self.editor.next_edit(uri)
        while result and not (
            result.suggestions or result.milliseconds
        ):  # it was not there in time
            result = await self.editor.next_edit(uri)
        spent = 1e3 * (time.perf_counter() - started)
        following = [one for one in self.scenario.following(self.done) if one.file == file]
        number = step.number if step else 0
        if not (result and result.suggestions):
            found = Opportunity(number, "nothing", not following, spent)
            self.outcome.opportunities.append(found)
            return False
        best = result.suggestions[0]
        hunks = self._hunks(uri, best)
        after = apply_hunks(text, hunks)
        kind, taken = self.scenario.judge(file, hunks, self.done)
        found = Opportunity(number, kind, not following, spent, best.confidence)
        found.offered = best.title
        found.parses = parses(after, file) or not parses(text, file)
        if taken:
            found.is_in_order = following[0].number in taken
            passed = (one.number for one in following if one.number < max(taken))
            self._taken_past |= set(passed) - taken
        self.outcome.opportunities.append(found)
        if taken:
            for edit in reversed(best.edits):
                self.editor.change(uri, edit.range, edit.new_text)
            await self.editor.command("editcast.accept", best.id)
            self.done |= taken
            # The same offer for the next place of a line is another one.
            self._listen(uri)
            self._shown, self._gone = [], set()
        return bool(taken)

    async def _jump(self, file: str) -> None:
        """Ask which other file is to follow once nothing is left in one, and judge the answer."""
        if self.scenario.judge_jump(file, (), self.done) is None:
            return
        uri, heard = self.uris[file], len(self.editor.predicted)
        result = await self.editor.next_edit(uri)
        if result is None or result.suggestions:
            return
        for _ in range(_LOOKS):
            # A second notification tells of other files, once they have been looked for.
            told = (one for one in self.editor.predicted[heard:] if one.uri == uri)
            files: Sequence[Any] = next((one.other_files for one in told if one.other_files), [])
            if files:
                break
            await asyncio.sleep(0.1)
        names = {uri: name for name, uri in self.uris.items()}
        named = [names.get(one.uri, one.uri) for one in files]
        if kind := self.scenario.judge_jump(file, named, self.done):
            self.outcome.jumps[kind] = self.outcome.jumps.get(kind, 0) + 1

    def _hunks(self, uri: str, suggestion: Any) -> list[Hunk]:
        buffer = self.editor.texts[uri]
        return [
            Hunk(buffer.offset(edit.range.start), buffer.offset(edit.range.end), edit.new_text)
            for edit in suggestion.edits
        ]

    async def _type(self, step: Step) -> None:
        """Type a step as a person would: what goes is selected, what comes is typed over it."""
        uri, text = self.uris[step.file], self.scenario.text(step.file, self.done)
        after = self.scenario.text(step.file, self.done | {step.number})
        hunk = shortest_hunk(text, after)
        keys = list(hunk.text) or [""]
        for index, key in enumerate(keys):
            at = hunk.start + index
            end = hunk.end if index == 0 else at
            (edit,) = self.editor.texts[uri].text_edits([Hunk(at, end, key)])
            self._typed_word = _unfinished(after, hunk.start, at + len(key), len(keys) - index - 1)
            self.editor.change(uri, edit.range, key)
            if self.delay:
                await asyncio.sleep(self.delay)
                self._listen(uri)
            if self.saves_itself and 2 * (index + 1) in (len(keys), len(keys) + 1):
                self.editor.save(uri)
        self._typed_word = ""
        self.done.add(step.number)

    def _listen(self, uri: str) -> None:
        """Return what the server has offered since the last key."""
        for result in self.editor.predicted[self._heard :]:
            self._heard += 1
            if result.uri != uri:
                continue
            # The same text at another place of its line is another offer.
            now = [
                (
                    f"{one.line}:{one.edits[0].range.start.character}",
                    *(e.new_text for e in one.edits),
                )
                for one in result.suggestions[:1]
            ]
            self._gone |= set(self._shown) - set(now)
            self.outcome.flickers += len(set(now) & self._gone)
            self._gone -= set(now)
            self.outcome.offers += len(set(now) - set(self._shown))
            self._shown = now
            for _, *texts in now:
                words = {word for text in texts for word in _WORD.findall(text)}
                if self._typed_word and self._typed_word in words:
                    self.outcome.half_typed.append(self._typed_word)


def _unfinished(after: str, start: int, at: int, left: int) -> str:
    """The beginning of a word that is being typed, in the text as it will be; empty for none."""
    if not left or not after[at : at + 1].isidentifier():
        return ""
    word = re.split(r"\W", after[max(0, start - 41) : at])[-1]
    return word if len(word) > 1 and at - len(word) >= start - 40 else ""


async def played(language: str, scenario: Scenario, given: argparse.Namespace) -> Outcome:
    """A scenario in a server of its own."""
    from conftest import run_editor

    with tempfile.TemporaryDirectory() as home:
        settings = {"modelPath": "", "confidenceThreshold": None}
        async with run_editor(Path(home), settings, encoding="utf-32") as editor:
            await editor.until(lambda: editor.statuses and editor.statuses[-1].model)
            return await Session(editor, language, scenario, given).run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key-delay", type=float, default=0.15, help="seconds between keys")
    parser.add_argument("--pause", type=float, default=0.6, help="seconds between steps")
    parser.add_argument("--auto-save", action="store_true", help="save half-way, and after a step")
    parser.add_argument("--folder", type=Path, default=SCENARIOS, help="of scenarios")
    parser.add_argument("--only", default="", help="scenarios with this in their names")
    parser.add_argument("--json", type=Path, help="write all outcomes there")
    given = parser.parse_args()
    outcomes = []
    for language, scenario in read_scenarios(given.folder, given.only):
        outcome = asyncio.run(played(language, scenario, given))
        kinds = Counter(one.kind for one in outcome.opportunities)
        print(f"{language:<12}{scenario.name:<50}{dict(kinds)}", file=sys.stderr, flush=True)
        outcomes.append(outcome)
        if given.json:
            write_outcomes(given.json, outcomes)
    print(table(outcomes))


if __name__ == "__main__":
    main()
