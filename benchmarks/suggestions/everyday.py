"""Everyday edits: the files that have them, what is right after each step, and the table.

`scenarios/*.txt` has them. Somebody who did not know the code wrote `scenarios/second` to
`twentyfifth` and `scenarios/test`. Editcast was developed on all of them since but `seventh` and
`test`.

A scenario begins with `== its name`, each of its files with `-- the file's name`. `{{2:old=>new}}`
is its second step; `{{2*:old=>new}}` is one that nobody can foresee, and until the next of those
the steps after it follow from it. Where none follows, silence is right.

An offer is right when the text after it is the text after one or several of the steps that follow,
near when it changes a line of one of them, wrong otherwise. Where nothing is left to do in a file
and a step that follows is in another one, a jump is right when the first file that is named has
such a step.
"""

import ast
import itertools
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.tree import parse

SCENARIOS = Path(__file__).parent / "scenarios"
KINDS = ("right", "near", "wrong", "nothing")
_STEP = re.compile(r"\{\{(\d+)(\*?):(.*?)=>", re.DOTALL)
_MOST_SUBSETS = 8


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

    def steps_of(self, file: str, after: str, done: set[int]) -> set[int]:
        """Return the steps that follow and make a file what it is after an offer."""
        following = [one.number for one in self.following(done) if one.file == file]
        few = following[:_MOST_SUBSETS]
        sizes = range(1, len(few) + 1)
        subsets = itertools.chain.from_iterable(itertools.combinations(few, n) for n in sizes)
        for subset in (*subsets, *((one,) for one in following)):
            if self.text(file, done | set(subset)) == after:
                return set(subset)
        return set()

    def judge(self, file: str, hunks: Sequence[Hunk], done: set[int]) -> tuple[str, set[int]]:
        """Judge an offer for a file: right, near or wrong, and the steps that it takes."""
        text = self.text(file, done)
        if taken := self.steps_of(file, apply_hunks(text, hunks), done):
            return "right", taken
        lines = {line for hunk in hunks for line in _lines(text, hunk)}
        steps = (one for one in self.following(done) if one.file == file)
        changed = (self.text(file, done | {one.number}) for one in steps)
        is_near = any(lines & _lines(text, shortest_hunk(text, each)) for each in changed)
        return "near" if is_near else "wrong", set()

    def judge_jump(self, file: str, named: Sequence[str], done: set[int]) -> str | None:
        """Judge the files that are named when a file is left: right, wrong or nothing.

        None if nothing follows, or in this file.
        """
        following = {one.file for one in self.following(done)}
        if not following or file in following:
            return None
        return "nothing" if not named else "right" if named[0] in following else "wrong"


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


def _lines(text: str, hunk: Hunk) -> set[int]:
    first = text.count("\n", 0, hunk.start)
    return set(range(first, first + text.count("\n", hunk.start, hunk.end) + 1))


def parses(text: str, file: str) -> bool:
    if file.endswith(".py"):
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    tree = parse(text, language_of("", file))
    return tree is None or tree.parses


def _row(name: str, outcomes: list[Outcome]) -> str:
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
    rows = [_row(each, [one for one in outcomes if one.language == each]) for each in languages]
    rule = "|".join(["---"] * (head.count("|") + 1))
    return "\n".join([f"| {head} |", f"|{rule}|", *rows, _row("all", outcomes)])


def write_outcomes(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write outcomes as JSON, one scenario a line."""
    written = ",\n".join(json.dumps(asdict(one), ensure_ascii=False) for one in outcomes)
    path.write_text(f"[\n{written}\n]\n", encoding="utf-8")


def read_outcomes(path: Path) -> list[Outcome]:
    """Read the outcomes that `write_outcomes` wrote."""
    return [
        Outcome(**{**one, "opportunities": [Opportunity(**each) for each in one["opportunities"]]})
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]
