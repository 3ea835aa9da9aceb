"""Replayed editing sessions: the texts a forecaster sees, and the texts it is scored against.

From a commit: the file before it, its line hunks applied left to right, each followed by a save;
the future of a step is the commit's final text. From real saves: the future of a step is the next
saved text. A line hunk is a group of adjacent changed lines.
"""

import hashlib
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Literal

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.forecasting.interface import OtherSave
from editcast_model.tokenizer import lines
from editcast_training.data.line_changes import line_changes
from editcast_training.sources.file_history import FileHistory, first_held_out, split_by_time

_HUNKS = range(3, 11)  # of a commit that is replayed, by lines
_YEAR = 365 * 24 * 3600 * 1000  # milliseconds
_SHOWN = 10  # saves before the first scored one
_AWAITED = 10  # saved texts towards which a suggestion may turn out right

LineHunk = tuple[Hunk, ...]
# By commit (its time, if known), the lowest rank drawn and its session.
_Drawn = dict[int | str, tuple[int, "EditingSession"]]


@dataclass(frozen=True, slots=True)
class Step:
    """One forecast that is scored.

    Attributes:
        text: The file as it was just saved.
        future: The text it is on its way to.
        remaining: The line hunks from `text` to `future`, ascending; offsets into `text`.
        later: The texts saved after `future`, the next ones; none of a commit.
    """

    text: str
    future: str
    remaining: tuple[LineHunk, ...]
    later: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditingSession:
    """A file opened and saved again and again; texts[0] is as opened, texts[i] as saved then.

    Attributes:
        kind: "commits" when the saves are the hunks of one commit, "saves" when they were real;
            "project-commits" and "project-saves" when other files are saved, too.
        first: The first save after which a forecast is scored; those before it are only shown. 0
            when it is scored as soon as the file is opened.
        times: When each text but the first was saved, milliseconds since the epoch; empty if that
            is not known.
        others: What is saved in other files, each with how many saves of this one come before it.
    """

    project: str
    path: str
    language: str
    kind: str
    texts: tuple[str, ...]
    first: int = 1
    times: tuple[int, ...] = ()
    others: tuple[tuple[int, OtherSave], ...] = ()

    @property
    def is_in_project(self) -> bool:
        """Tell whether what is saved in other files belongs to it."""
        return self.kind.startswith("project")

    @property
    def inserted(self) -> int:
        """Count the characters that its scored saves insert."""
        pairs = pairwise(self.texts[self.first :])
        return sum(len(hunk.text) for before, after in pairs for hunk in diff(before, after))

    def replay(
        self, save: Callable[[str], None], add_other_save: Callable[[OtherSave], None]
    ) -> Iterator[tuple[int, Step]]:
        """Yield the numbered steps, each after `save` and `add_other_save` had the saves before."""
        waiting = deque(self.others)

        def add_other_saves(saves: int) -> None:
            while waiting and waiting[0][0] <= saves:
                add_other_save(waiting.popleft()[1])

        add_other_saves(0)
        for number, text in enumerate(self.texts[1 : self.first], 1):
            save(text)
            add_other_saves(number)
        for number, step in enumerate(self.steps(), self.first):
            if number:
                save(step.text)
            yield number, step
            add_other_saves(number)

    def steps(self) -> Iterator[Step]:
        """Return a step after every save from `first` on but the last, in order."""
        if self.kind.endswith("saves"):
            for number, (text, future) in enumerate(pairwise(self.texts[self.first :]), self.first):
                later = self.texts[number + 2 : number + 1 + _AWAITED]
                yield Step(text, future, line_hunks(text, future), later)
            return
        before, future = self.texts[0], self.texts[-1]
        hunks = line_hunks(before, future)
        for done, text in list(enumerate(self.texts[:-1]))[self.first :]:
            grown = sum(hunk.growth for group in hunks[:done] for hunk in group)
            remaining = tuple(
                tuple(hunk.shifted(grown) for hunk in group) for group in hunks[done:]
            )
            yield Step(text, future, remaining)


def line_hunks(before: str, after: str) -> tuple[LineHunk, ...]:
    """Return the line hunks from `before` to `after`, ascending; offsets into `before`."""
    starts = list(accumulate(map(len, lines(before)), initial=0))
    return tuple(
        tuple(hunk.shifted(starts[change.first]) for hunk in change.hunks)
        for change in line_changes(before, after)
    )


def commit_session(history: FileHistory, index: int) -> EditingSession:
    """Make the session of the change from snapshot `index` to the next one."""
    before, change = history.snapshots[index].text, history.snapshots[index + 1]
    after = change.text
    groups = line_hunks(before, after)
    texts = [
        apply_hunks(before, [hunk for group in groups[:done] for hunk in group])
        for done in range(len(groups) + 1)
    ]
    about = history.project, history.path, history.language, "commits"
    times = () if change.time is None else (change.time,) * len(groups)
    return EditingSession(*about, tuple(texts), times=times)


def save_session(history: FileHistory, first: int = 1) -> EditingSession:
    """Make the session of a history of real saves, of which the `first` one is scored first."""
    texts = tuple(snapshot.text for snapshot in history.snapshots)
    times = tuple(one.time for one in history.snapshots[1:] if one.time is not None)
    about = history.project, history.path, history.language, "saves"
    return EditingSession(*about, texts, first, times if len(times) == len(texts) - 1 else ())


def held_out_session(history: FileHistory) -> EditingSession | None:
    """Return the session of the saves that training on this history holds back, if there are any.

    The `_SHOWN` saves before them are shown, so that the forecaster knows what went on.
    """
    last = len(history.snapshots) - 1
    cut = max(first_held_out(last), 1)
    if cut >= last:
        return None
    opened = max(0, cut - _SHOWN - 1)
    return save_session(replace(history, snapshots=history.snapshots[opened:]), cut - opened)


def draw_sessions(
    histories: Iterable[FileHistory],
    *,
    count: int = 40,
    seed: int = 0,
    part: Literal["train", "dev"] | None = None,
) -> list[EditingSession]:
    """Draw sessions to evaluate on: `count` commits of every project, then all real saves.

    A history of two saves has no step and is left out. Another seed draws other commits. With a
    `part`, of each history only its older changes count, which are trained on, or the newest ones,
    which training holds back.
    """
    saves: list[EditingSession] = []

    def commits() -> Iterator[FileHistory]:
        for history in histories:
            if history.kind != "commits" and part == "dev":
                session = held_out_session(history)
                saves.extend([session] if session else [])
                continue
            for name, one in split_by_time(history, None) if part else [(part, history)]:
                if name == part and one.kind == "commits":
                    yield one
                elif name == part and len(one.snapshots) > 2:
                    saves.append(save_session(one))

    return sample_commits(commits(), count=count, seed=seed) + saves


def some_steps(sessions: Sequence[EditingSession], most: int, seed: int) -> list[EditingSession]:
    """Draw as many sessions as have `most` steps together; they stay in the order given."""
    order = list(range(len(sessions)))
    random.Random(seed).shuffle(order)
    chosen: list[int] = []
    steps = 0
    for index in order:
        count = len(sessions[index].texts) - 1 - sessions[index].first
        if count > 0 and (steps == 0 or steps + count <= most):
            chosen.append(index)
            steps += count
    return [sessions[index] for index in sorted(chosen)]


def sample_commits(
    histories: Iterable[FileHistory], *, count: int = 40, seed: int = 0
) -> list[EditingSession]:
    """Return `count` sessions of every project, spread over the years of its history.

    A change is drawn by a hash of its place and the seed, so the sample depends neither on the
    order of the histories nor on what else there is. Each commit is drawn once at most.
    """
    years: dict[tuple[str, int], _Drawn] = defaultdict(dict)
    for history in histories:
        for index, (_, after) in enumerate(pairwise(history.snapshots)):
            key = f"{seed}\0{history.project}\0{history.path}\0{index}\0{after.time}"
            rank = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())
            drawn = years[history.project, (after.time or 0) // _YEAR]
            commit = key if after.time is None else after.time
            if commit in drawn and drawn[commit][0] < rank:
                continue
            if len(drawn) >= count and rank > max(map(itemgetter(0), drawn.values())):
                continue
            if len(line_hunks(history.snapshots[index].text, after.text)) not in _HUNKS:
                continue
            drawn[commit] = rank, commit_session(history, index)
            if len(drawn) > count:
                del drawn[max(drawn, key=lambda name: drawn[name][0])]
    return _spread(years, count)


def _spread(years: dict[tuple[str, int], _Drawn], count: int) -> list[EditingSession]:
    """Choose sessions of a project, in turn from each year until there are `count`."""
    projects: dict[str, list[tuple[int, int, int, EditingSession]]] = defaultdict(list)
    for (project, year), drawn in years.items():
        ranked = sorted(drawn.values(), key=itemgetter(0))
        projects[project] += [
            (turn, rank, year, session) for turn, (rank, session) in enumerate(ranked)
        ]
    out: list[EditingSession] = []
    for _, sessions in sorted(projects.items()):
        chosen = sorted(sessions, key=itemgetter(0, 1))[:count]
        out += [session for *_, session in sorted(chosen, key=itemgetter(2, 1))]
    return out
