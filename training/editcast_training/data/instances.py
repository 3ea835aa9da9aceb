"""File histories to instances: a window of a file, and about 100 edits made to it.

A history is cut into *steps*, one for each line hunk; those of commits, or parts of them, in an
order a person could have made them (`edit_order.py`).
Consecutive steps of a file go into one instance until it is full or the next step lies outside its
window; the next instance then begins with the text as it stands there.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from editcast_model.edits import START, Timeline
from editcast_model.tokenizer import Tokenizer, lines
from editcast_training.augment.edit_order import Part, as_saved, order_edits
from editcast_training.data.line_changes import LineChange, line_changes
from editcast_training.sources.file_history import FileHistory

#: Fewer instances (of about 100 edits) teach nothing that lasts.
LEAST_INSTANCES = 50

#: The default maximum of subtokens of a window.
MAX_STATE = 4096

#: The maximum of edits of an instance, including end-of-save marks.
MAX_EDITS = 128

#: A line hunk of more edits than this is not taught.
MAX_HUNK_EDITS = 64

#: A commit or save with more line hunks, or a larger share of changed lines, was not made by hand.
MAX_LINE_HUNKS = 40
MAX_SHARE_CHANGED = 0.6
#: A file with at most this many lines may be new as a whole.
_FEW_LINES = 10

#: A file in which a longer line changes was not written by hand, characters.
MAX_LINE = 1000

#: The share of instances with a single line hunk that is kept, since they teach no jump.
_SINGLE_KEPT = 0.5
_LINES_KNOWN = 200_000  # whose tokens are remembered


@dataclass(frozen=True, slots=True)
class Instance:
    """An initial state and T edits in the implicit representation.

    Attributes:
        state: ``s(0)``, token ids, `START` first.
        positions: Item of each edit (see `editcast_model.edits`), T.
        contents: Token id, `DELETE` or `SAVE` of each edit, T.
        jumps: Where a part of a commit or save begins, its number; 0 for all other edits, T. Edits
            of one number could have come in another order.
        time: When the first edit was saved, milliseconds since the epoch, if known.
    """

    state: list[int]
    positions: list[int]
    contents: list[int]
    jumps: list[int]
    time: int | None


@dataclass(frozen=True, slots=True)
class _Step:
    """A line hunk in the file as it is when its turn comes, and its edits as token ranks.

    Attributes:
        end: The line behind the last one changed.
        lines: What stands there afterwards.
        replacements: Start, end, ids: ranks counted from the first token of line `first`, all
            before any of them is made.
        edits: How many edits that makes, the save mark included.
        snapshot: Number of the commit or save that it is a part of; 0 for a detour.
    """

    first: int
    end: int
    lines: tuple[str, ...]
    replacements: tuple[tuple[int, int, tuple[int, ...]], ...]
    edits: int
    saved: bool
    snapshot: int
    time: int | None


#: The lines of a file, and the consecutive steps from there on.
_Run = tuple[list[str], list[_Step]]


class Cutter:
    """Cuts file histories into instances; remembers the tokens of lines it has seen.

    Args:
        tokenizer: The vocabulary.
        max_state: Most subtokens of a window, `START` included.
        seed: With the project and path it decides every random choice about a file.
        skipped: Counts what is left out, by reason.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, max_state: int, seed: int, skipped: Counter[str]
    ) -> None:
        self._tokenizer = tokenizer
        self._room = max_state - 1
        self._seed = seed
        self._skipped = skipped
        self._ids = lru_cache(_LINES_KNOWN)(tokenizer.ids)  # of a line
        self._changes: set[int] = set()

    def instances(self, history: FileHistory) -> Iterator[Instance]:
        """Yield the instances of a history in time order."""
        rng = random.Random(f"{self._seed}\0{history.project}\0{history.path}")
        for now, steps in self._runs(history, rng):
            yield from self._cut(now, steps, rng)

    # From snapshots to steps.

    def _runs(self, history: FileHistory, rng: random.Random) -> Iterator[_Run]:
        now = lines(history.snapshots[0].text)
        run: _Run = now.copy(), []
        last = 0  # the line of the last edit
        for snapshot, (before, after) in enumerate(pairwise(history.snapshots), 1):
            changes = line_changes(before.text, after.text)
            if any(len(line) > MAX_LINE for each in changes for line in each.before + each.after):
                self._skipped["file: changes a line over 1,000 characters"] += 1
                break
            reason = _too_much(changes, len(now))
            if not reason and history.kind == "commits" and self._is_known(changes):
                reason = "commit: the same change as in another file"
            if reason:
                self._skipped[reason] += 1
                yield run
                now = lines(after.text)
                run = now.copy(), []
                continue
            is_recorded = history.kind == "saves"
            for part in as_saved(changes) if is_recorded else order_edits(changes, last, rng):
                step = self._step(part, snapshot, after.time)
                now[step.first : step.end] = step.lines
                last = step.first
                if step.edits - part.saved <= MAX_HUNK_EDITS:
                    run[1].append(step)
                else:
                    self._skipped["line hunk: over 64 edits"] += 1
                    yield run
                    run = now.copy(), []
        yield run

    def _is_known(self, changes: list[LineChange]) -> bool:
        """Tell whether a commit changed other lines in the same way: a new licence, a revert."""
        key = hash(tuple((change.before, change.after) for change in changes))
        is_known = bool(changes) and key in self._changes
        self._changes.add(key)
        return is_known

    def _step(self, part: Part, snapshot: int, time: int | None) -> _Step:
        change = part.change
        starts = self._tokenizer.encode("".join(change.before)).starts
        replacements = []
        edits = int(part.saved)
        for hunk in change.hunks:
            # The last of the tokens at a place: an empty one before it ends a character.
            start, end = (starts.searchsorted((hunk.start, hunk.end), "right") - 1).tolist()
            ids = tuple(self._tokenizer.ids(hunk.text))
            replacements.append((start, end, ids))
            edits += end - start + len(ids)
        return _Step(
            first=change.first,
            end=change.end,
            lines=change.after,
            replacements=tuple(replacements),
            edits=edits,
            saved=part.saved,
            snapshot=snapshot if part.is_forward else 0,
            time=time,
        )

    # From steps to instances.

    def _cut(self, now: list[str], run: Sequence[_Step], rng: random.Random) -> Iterator[Instance]:
        at = 0
        while at < len(run):
            count, low, high = self._fit(now, run, at)
            steps = run[at : at + max(count, 1)]
            if not count:
                self._skipped["line hunk: larger than the window"] += 1
            elif count == 1 and rng.random() >= _SINGLE_KEPT:
                self._skipped["instance: a single line hunk (half of them)"] += 1
            else:
                low, high = self._widen(now, low, high, rng)
                yield self._replay(now[low:high], low, steps)
            for step in steps:
                now[step.first : step.end] = step.lines
            at += len(steps)

    def _fit(self, now: list[str], steps: Sequence[_Step], at: int) -> tuple[int, int, int]:
        """Count the steps from `at` that fit into one instance, with the lines they need."""
        low = high = -1
        size = edits = count = 0
        while at + count < len(steps):
            step = steps[at + count]
            edits += step.edits
            if edits > MAX_EDITS:
                break
            # The line before gives an insertion a token to come after.
            first, end = max(step.first - 1, 0), step.end
            for past in reversed(steps[at : at + count]):
                first, end = _back(first, past, past.first), _back(end, past, past.end)
            if low < 0:
                low = high = first
            first, end = min(first, low), max(end, high)
            if end - first > self._room:
                break
            size += sum(len(self._ids(line)) for line in now[first:low])
            size += sum(len(self._ids(line)) for line in now[high:end])
            if size > self._room:
                break
            low, high = first, end
            count += 1
        return count, low, high

    def _widen(self, now: list[str], low: int, high: int, rng: random.Random) -> tuple[int, int]:
        """Fill the window with whole lines, a random share of them before what it must hold."""
        room = self._room - sum(len(self._ids(line)) for line in now[low:high])
        before = int(room * rng.random())
        spared = room - before
        low, before = self._up(now, low, before)
        room = spared + before
        while high < len(now) and (size := len(self._ids(now[high]))) <= room:
            room -= size
            high += 1
        low, _ = self._up(now, low, room)
        return low, high

    def _up(self, now: list[str], low: int, room: int) -> tuple[int, int]:
        while low and (size := len(self._ids(now[low - 1]))) <= room:
            room -= size
            low -= 1
        return low, room

    def _replay(self, window: list[str], low: int, steps: Sequence[_Step]) -> Instance:
        sizes = [len(self._ids(line)) for line in window]
        timeline = Timeline([START, *(token for line in window for token in self._ids(line))])
        jumps: list[int] = []
        for step in steps:
            first, end = step.first - low, step.end - low
            rank = 1 + sum(sizes[:first])
            for start, stop, ids in step.replacements:
                timeline.replace(rank + start, rank + stop, ids)
                rank += len(ids) - (stop - start)
            if step.saved:
                timeline.save()
            jumps += [step.snapshot, *[0] * (len(timeline) - len(jumps) - 1)]
            sizes[first:end] = (len(self._ids(line)) for line in step.lines)
        return Instance(
            state=list(timeline.initial),
            positions=[edit.position for edit in timeline.edits],
            contents=[edit.content for edit in timeline.edits],
            jumps=jumps,
            time=steps[0].time,
        )


def _back(line: int, past: _Step, inside: int) -> int:
    """Map a line boundary back to before a step; `inside` if the step wrote both its sides."""
    if line <= past.first:
        return line
    if line >= past.first + len(past.lines):
        return line - len(past.lines) + past.end - past.first
    return inside


def _too_much(changes: list[LineChange], size: int) -> str | None:
    """Say why a commit or save is not trained on; None when it is."""
    if len(changes) > MAX_LINE_HUNKS:
        return "snapshot: over 40 line hunks changed"
    changed = sum(max(len(each.before), len(each.after)) for each in changes)
    grown = sum(each.growth for each in changes)
    if changed > max(_FEW_LINES, MAX_SHARE_CHANGED * max(size, size + grown)):
        return "snapshot: over 60 % of the lines changed"
    return None
