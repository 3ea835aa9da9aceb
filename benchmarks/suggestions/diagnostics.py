"""Measure if new TypeScript errors say where the next edit is, while commits are made hunk by hunk.

    python benchmarks/suggestions/diagnostics.py --commits 60 zod zustand

The repositories are bare or not. An error is new if the last hunk brought it, and right if a hunk
that is still to be made touches its line. The compiler is that of `vscode-client/node_modules`; the
repositories' own dependencies are missing, and what is missing before a hunk and after it is not
new.
"""

import io
import json
import random
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import click

_SCRIPT = Path(__file__).with_suffix(".js")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_DRAWN_FROM = 600  # newest commits
_MOST_FILES, _LEAST_HUNKS, _MOST_HUNKS = 6, 2, 14
_SHOWN = 12  # kinds of errors


class Hunk(NamedTuple):
    """Lines that a commit replaces: where, once the hunks before it are made, and how many."""

    file: str
    line: int
    removed: int
    added: int


class Error(NamedTuple):
    """An error that the compiler reports."""

    file: str
    start: int
    code: int
    message: str


@dataclass
class Commit:
    """A commit by states: of all files before it, then of the file that each hunk changes."""

    root: str
    files: list[str]
    states: list[dict[str, str]]
    hunks: list[Hunk]


@dataclass
class Found:
    """Counts over steps; a step is a state after which something is left to do."""

    steps: int = 0
    with_new: int = 0
    some_right: int = 0
    first_right: int = 0
    errors: Counter[int] = field(default_factory=Counter)
    right: Counter[int] = field(default_factory=Counter)


@click.command()
@click.argument("repositories", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--commits", default=60, show_default=True, help="Of each repository.")
def main(repositories: tuple[Path, ...], commits: int) -> None:
    """Measure, and print a line for each repository, then the kinds of errors."""
    for repository in repositories:
        with tempfile.TemporaryDirectory() as folder:
            drawn = list(_drawn(repository, commits, Path(folder)))
            given = json.dumps([vars(one) for one in drawn])
            said = subprocess.run(
                ["node", str(_SCRIPT)], input=given, capture_output=True, text=True, check=True
            )
        found = Found()
        for commit, states in zip(drawn, json.loads(said.stdout), strict=True):
            _count(commit, [[Error(*one) for one in state] for state in states], found)
        print(
            f"{repository.name}: {found.steps} steps, new errors after {found.with_new}; one is"
            f" right after {found.some_right}, the first after {found.first_right}"
        )
        for code, count in found.errors.most_common(_SHOWN):
            print(f"  TS{code}: {found.right[code]} of {count} right")


def _git(repository: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True
    )
    return done.stdout


def _drawn(repository: Path, count: int, folder: Path) -> Iterator[Commit]:
    """Yield commits that change a few places of TypeScript files, each with its parent's tree."""
    log = _git(repository, "log", "--no-merges", f"-{_DRAWN_FROM}", "--format=%H %P").decode()
    found = [line.split() for line in log.splitlines()]
    random.Random(0).shuffle(found)
    for identity, *parents in found:
        if count and len(parents) == 1:
            commit = _read(repository, parents[0], identity, folder / identity)
            if commit is not None:
                count -= 1
                yield commit


def _read(repository: Path, parent: str, commit: str, root: Path) -> Commit | None:
    listed = _git(repository, "diff", "--name-only", "--diff-filter=M", parent, commit).decode()
    files = [file for file in listed.splitlines() if re.search(r"(?<!\.d)\.tsx?$", file)]
    if not 0 < len(files) <= _MOST_FILES:
        return None
    states, hunks = [dict[str, str]()], list[Hunk]()
    for file in files:
        old, new = (
            _git(repository, "show", f"{one}:{file}").decode(errors="replace").splitlines(True)
            for one in (parent, commit)
        )
        states[0][file] = "".join(old)
        diff = _git(repository, "diff", "-U0", "--no-ext-diff", parent, commit, "--", file)
        for match in _HUNK.finditer(diff.decode(errors="replace")):
            at, removed, to, added = (1 if one is None else int(one) for one in match.groups())
            start = to - 1 if added else to  # once the hunks above are made
            old[start : start + removed] = new[start : start + added]
            states.append({file: "".join(old)})
            hunks.append(Hunk(file, start, removed, added))
        if old != new:
            return None
    if not _LEAST_HUNKS <= len(hunks) <= _MOST_HUNKS:
        return None
    with tarfile.open(fileobj=io.BytesIO(_git(repository, "archive", parent))) as tree:
        tree.extractall(root, filter="data")
    return Commit(str(root), files, states, hunks)


def _count(commit: Commit, errors: list[list[Error]], found: Found) -> None:
    texts = dict(commit.states[0])
    before = Counter(_key(one, texts) for one in errors[0])
    for number in range(1, len(commit.hunks)):
        texts |= commit.states[number]
        keys = {one: _key(one, texts) for one in errors[number]}
        now = Counter(keys.values())
        new = [one for one, key in keys.items() if now[key] > before[key]]
        left = _places(commit.hunks[number:])
        right = [(one.file, _line(one, texts)) in left for one in new]
        found.steps += 1
        found.with_new += bool(new)
        found.some_right += any(right)
        found.first_right += right[:1] == [True]
        found.errors.update(one.code for one in new)
        found.right.update(one.code for one, is_right in zip(new, right, strict=True) if is_right)
        before = now


def _places(hunks: list[Hunk]) -> set[tuple[str, int]]:
    """Return the lines that hunks will change, as they are numbered before the first one."""
    places, growth = set[tuple[str, int]](), Counter[str]()
    for one in hunks:
        start = one.line - growth[one.file]
        places |= {(one.file, line) for line in range(start, start + max(one.removed, 1))}
        growth[one.file] += one.added - one.removed
    return places


def _line(error: Error, texts: dict[str, str]) -> int:
    return texts[error.file].count("\n", 0, error.start)


def _key(error: Error, texts: dict[str, str]) -> tuple[str, int, str, str]:
    """Return what an error is recognized by when lines above it come and go."""
    line = texts[error.file].split("\n")[_line(error, texts)].strip()
    return error.file, error.code, error.message, line


if __name__ == "__main__":
    main()
