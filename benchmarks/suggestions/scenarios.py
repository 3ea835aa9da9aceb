"""Everyday edits, typed key by key through the real server, at the default threshold.

`scenarios/*.txt` has them. Somebody who did not know the code wrote `scenarios/second` to
`fourteenth` and `scenarios/test`. Editcast was developed on all of them since but `seventh`,
`fourteenth` and `test`.

A scenario begins with `== its name`, each of its files with `-- the file's name`. `{{2:old=>new}}`
is its second step; `{{2*:old=>new}}` is one that nobody can foresee, and until the next of those
the steps after it follow from it. Where none follows, silence is right. The file is saved after
every third step, and before another file is gone to; with `--auto-save` after each step, and in
the middle of whatever is typed.

After each step there is a pause, and the server is asked for the next edit. An offer is right when
the text after it is the text after one or several of the steps that follow, near when it changes a
line of one of them, wrong otherwise. A right one is taken; after anything else the next step is
typed. Where nothing is left to do in a file and a step that follows is in another one, a jump is
right when the first file that the server names has such a step.

Run: python benchmarks/suggestions/scenarios.py [--key-delay 0.15] [--pause 0.6] [--auto-save]
[--only WORD]
[--folder FOLDER] [--json FILE]
"""

import argparse
import ast
import asyncio
import itertools
import json
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.tree import parse

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))

SCENARIOS = Path(__file__).with_suffix("")
_STEP = re.compile(r"\{\{(\d+)(\*?):(.*?)=>", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")
_MOST_SUBSETS = 8
_LOOKS = 20  # tenths of a second until other files count as not named
KINDS = ("right", "near", "wrong", "nothing")


@dataclass(frozen=True)
class Step:
    """A step: its number, its file, whether it can be foreseen, and what it replaces."""

    number: int
    file: str
    is_surprise: bool
    old: str
    new: str


@dataclass
class Scenario:
    """A scenario: its files, as text between steps, and its steps."""

    name: str
    files: dict[str, list[str | Step]]

    @property
    def steps(self) -> list[Step]:
        """The steps of all files, in their order."""
        found = (part for parts in self.files.values() for part in parts if isinstance(part, Step))
        return sorted(found, key=lambda step: step.number)

    def text(self, file: str, done: Iterable[int]) -> str:
        """A file once some steps are done."""
        done = set(done)
        return "".join(
            part if isinstance(part, str) else part.new if part.number in done else part.old
            for part in self.files[file]
        )

    def following(self, done: set[int]) -> list[Step]:
        """The steps that follow from what is done."""
        left = [step for step in self.steps if step.number not in done]
        return list(itertools.takewhile(lambda step: not step.is_surprise, left))


@dataclass
class Opportunity:
    """A moment at which something, or nothing, should be offered."""

    step: int
    kind: str
    is_silence_right: bool
    milliseconds: float
    confidence: float = 0.0
    is_in_order: bool = True
    parses: bool = True
    offered: str = ""


@dataclass
class Outcome:
    """A scenario as it went."""

    name: str
    language: str
    opportunities: list[Opportunity] = field(default_factory=list)
    offers: int = 0
    flickers: int = 0
    half_typed: list[str] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    jumps: dict[str, int] = field(default_factory=dict)  # right, wrong, nothing


def read_scenarios(folder: Path, only: str) -> list[tuple[str, Scenario]]:
    """All scenarios of a folder, with the names of the files that they are in."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        heads = re.split(r"^== (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for name, body in zip(heads[::2], heads[1::2], strict=True):
            files = re.split(r"^-- (.*)\n", body, flags=re.MULTILINE)[1:]
            pairs = zip(files[::2], files[1::2], strict=True)
            scenario = Scenario(name, {file: _parts(file, text) for file, text in pairs})
            if only in f"{path.stem} {name}":
                found.append((path.stem, scenario))
    return found


def _parts(file: str, text: str) -> list[str | Step]:
    parts: list[str | Step] = []
    done = 0
    text = text.rstrip("\n") + "\n"
    for match in _STEP.finditer(text):
        end = text.index("}}", match.end())
        while text.startswith("}}}", end) and _is_open(text[match.end() : end]):
            end += 1  # a bracket of what is typed itself
        parts.append(text[done : match.start()])
        parts.append(Step(int(match[1]), file, bool(match[2]), match[3], text[match.end() : end]))
        done = end + 2
    return [*parts, text[done:]]


def _is_open(text: str) -> bool:
    return text.count("{") > text.count("}")


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
        taken = self._steps_of(file, after, following)
        found = Opportunity(number, "right", not following, spent, best.confidence)
        found.offered = best.title
        found.parses = _parses(after, file) or not _parses(text, file)
        if taken:
            found.is_in_order = following[0].number in taken
            passed = (one.number for one in following if one.number < max(taken))
            self._taken_past |= set(passed) - taken
        else:
            is_near = self._is_near(file, text, hunks, following)
            found.kind = "near" if is_near else "wrong"
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
        following = {one.file for one in self.scenario.following(self.done)}
        if not following or file in following:
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
        right = {self.uris[one] for one in following}
        kind = "nothing" if not files else "right" if files[0].uri in right else "wrong"
        self.outcome.jumps[kind] = self.outcome.jumps.get(kind, 0) + 1

    def _hunks(self, uri: str, suggestion: Any) -> list[Hunk]:
        buffer = self.editor.texts[uri]
        return [
            Hunk(buffer.offset(edit.range.start), buffer.offset(edit.range.end), edit.new_text)
            for edit in suggestion.edits
        ]

    def _steps_of(self, file: str, after: str, following: list[Step]) -> set[int]:
        """The steps that make the text what it is after an offer."""
        numbers = [one.number for one in following][:_MOST_SUBSETS]
        sizes = range(1, len(numbers) + 1)
        subsets = itertools.chain.from_iterable(itertools.combinations(numbers, n) for n in sizes)
        for subset in (*subsets, *((one.number,) for one in following)):
            if self.scenario.text(file, self.done | set(subset)) == after:
                return set(subset)
        return set()

    def _is_near(self, file: str, text: str, hunks: list[Hunk], following: list[Step]) -> bool:
        lines = {line for hunk in hunks for line in _lines(text, hunk)}
        steps = (self.scenario.text(file, self.done | {one.number}) for one in following)
        return any(lines & _lines(text, shortest_hunk(text, changed)) for changed in steps)

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


def _lines(text: str, hunk: Hunk) -> set[int]:
    first = text.count("\n", 0, hunk.start)
    return set(range(first, first + text.count("\n", hunk.start, hunk.end) + 1))


def _parses(text: str, file: str) -> bool:
    if file.endswith(".py"):
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    tree = parse(text, language_of("", file))
    return tree is None or tree.parses


async def played(language: str, scenario: Scenario, given: argparse.Namespace) -> Outcome:
    """A scenario in a server of its own."""
    from conftest import run_editor

    with tempfile.TemporaryDirectory() as home:
        settings = {"modelPath": "", "confidenceThreshold": None}
        async with run_editor(Path(home), settings, encoding="utf-32") as editor:
            await editor.until(lambda: editor.statuses and editor.statuses[-1].model)
            return await Session(editor, language, scenario, given).run()


def row(name: str, outcomes: list[Outcome]) -> str:
    """One row of the table."""
    every = [one for outcome in outcomes for one in outcome.opportunities]
    asked = [one for one in every if not one.is_silence_right]
    silent = [one for one in every if one.is_silence_right]
    kinds = Counter(one.kind for one in asked)
    offers = [one for one in every if one.kind != "nothing"]
    right = [one for one in asked if one.kind == "right"]
    times = sorted(one.milliseconds for one in every)
    jumps = sum((Counter(one.jumps) for one in outcomes), Counter[str]())
    return (
        f"| {name} | {len(asked)} | "
        + " | ".join(f"{kinds[kind]} ({_share(kinds[kind], len(asked))})" for kind in KINDS)
        + f" | {_share(len(right), len(offers))} of {len(offers)}"
        f" | {sum(one.kind == 'nothing' for one in silent)} of {len(silent)}"
        f" | {_share(sum(one.is_in_order for one in right), len(right))}"
        f" | {jumps['right']} of {jumps.total()}"
        f" | {sum(len(one.skipped) for one in outcomes)}"
        f" | {sum(len(one.half_typed) for one in outcomes)}"
        f" | {sum(not one.parses for one in offers)}"
        f" | {sum(one.flickers for one in outcomes)} of {sum(one.offers for one in outcomes)}"
        f" | {statistics.median(times):.0f} / {times[int(len(times) * 0.95)]:.0f} |"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def table(outcomes: list[Outcome]) -> str:
    """The Markdown table."""
    head = (
        "scenarios in | opportunities | right | near | wrong | nothing | offers right"
        " | silent where right | in order | other file named | skipped for good | half-typed words"
        " | unparsable | flicker | ms, p50 / p95"
    )
    languages = sorted({one.language for one in outcomes})
    rows = [row(each, [one for one in outcomes if one.language == each]) for each in languages]
    rule = "|".join(["---"] * (head.count("|") + 1))
    return "\n".join([f"| {head} |", f"|{rule}|", *rows, row("all", outcomes)])


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
            written = ",\n".join(json.dumps(asdict(one), ensure_ascii=False) for one in outcomes)
            given.json.write_text(f"[\n{written}\n]\n", encoding="utf-8")
    print(table(outcomes))


if __name__ == "__main__":
    main()
