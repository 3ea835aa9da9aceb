"""The memory of one project: where units of its files follow on others.

Lines that a file had before a save and has no more are kept for a while, as a file of their own:
what is moved, or taken back after all, is typed again.

The units of all files lie in one array, the newest last. What was added lately is scanned; the rest
is in *blocks*, each with an index from three units to the places behind them. All of it stays in
memory: four bytes for a unit, five for its place in an index; of a file only its text as it is now.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from editcast_model.memory.units import END, Ids, LineUnits, Vocabulary, unspaced

Numbers = npt.NDArray[np.int64]

#: The most units of all files together, and of a block.
MOST_UNITS: Final = 6_000_000
BLOCK: Final = 200_000
#: The most texts, including replaced ones that are not cleaned up yet.
MOST_FILES: Final = 20_000
#: The number of files that count as recently saved.
RECENT: Final = 40
#: The most characters of recently saved files whose units are kept by line.
_MOST_CHARACTERS: Final = 1_000_000
#: The most removed lines that are kept, and the name of the file that they form.
MOST_REMOVED: Final = 400
_LEAST_LINE: Final = 12  # bytes of three units, the line's end among them
_LONGEST_LINE: Final = 4_000  # bytes: nobody retypes a longer one, and 400 of them fill the memory
_REMOVED: Final = "\0"
#: The most units that are compared before a place, and that are returned after it.
LONGEST, AHEAD = 8, 24
#: The least number of matching units: in other files, and in the file itself.
_KEY, _LEAST_OWN = 3, 2
_LOOKED_AT, _MOST_PLACES = 1_000, 100  # in other files; in the file itself as many
_FACTORS: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


@dataclass(frozen=True, slots=True)
class Places:
    """Places where the units before are those before a cursor, blanks apart; N of them.

    Attributes:
        ahead: The units that follow, int32 (N, AHEAD); behind `END` they mean nothing.
        length: How many units before the place agree, int64 (N,), at most `LONGEST`.
        is_recent: Whether it is in a file that was saved lately, bool (N,).
    """

    ahead: Ids
    length: Numbers
    is_recent: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.length)


def padded(*parts: Ids) -> Ids:
    """Units of several texts with `END` between, and room before and behind for `Places`."""
    end = np.array([END], np.int32)
    between = [piece for part in parts for piece in (part, end)]
    return np.concatenate([end.repeat(LONGEST), *between, end.repeat(AHEAD)])


def own_places(above: Ids, below: Ids, before: Ids) -> Places:
    """Find the places in the text of a file but for the line of the cursor, the nearest ones.

    Args:
        above: Units above that line.
        below: Units below it.
        before: The units before the cursor.
    """
    ids = padded(above, below)
    found = _scanned(ids, before, _LEAST_OWN, LONGEST, len(ids) - AHEAD)
    distance = np.abs(found - (LONGEST + len(above)))
    found = found[np.argsort(distance, kind="stable")[:_LOOKED_AT]]
    return _places(ids, found, before, _LEAST_OWN, np.zeros(len(found), np.bool_))


def _scanned(ids: Ids, before: Ids, least: int, start: int, end: int) -> Numbers:
    """Return the places in a range of units with `least` of the units before."""
    if len(before) < least:
        return np.zeros(0, np.int64)
    found = np.flatnonzero(unspaced(ids[start:end]) == unspaced(before[-1:])) + (start + 1)
    for back in range(2, least + 1):
        found = found[unspaced(ids[found - back]) == unspaced(before[-back])]
    return found


def _places(
    ids: Ids, found: Numbers, before: Ids, least: int, is_recent: npt.NDArray[np.bool_]
) -> Places:
    """Compare what is before some places; of those left the first ones that agree longest."""
    length = np.zeros(len(found), np.int64)
    agrees = np.ones(len(found), np.bool_)
    for back in range(1, min(len(before), LONGEST) + 1):
        agrees &= unspaced(ids[found - back]) == unspaced(before[-back])
        length += agrees
    order = np.argsort(-length, kind="stable")[:_MOST_PLACES]
    order = order[length[order] >= least]
    found = found[order]
    return Places(ids[found[:, None] + np.arange(AHEAD)], length[order], is_recent[order])


class _Block:
    """An index of a range of units, which are never changed.

    Args:
        ids: All units.
        start: The place of the first of the range; `LONGEST` at least.
        end: The place behind the last.
    """

    def __init__(self, ids: Ids, start: int, end: int) -> None:
        before = _KEY - 1
        buckets = _buckets(ids[start - before : end])[before:]
        self._order = (np.argsort(buckets, kind="stable") + (start + 1)).astype(np.int32)
        counts = np.bincount(buckets, minlength=1 << _bits())
        self._ends = np.cumsum([0, *counts]).astype(np.int32)

    def places(self, bucket: int) -> Numbers:
        """Return the places behind the units of a bucket."""
        return self._order[self._ends[bucket] : self._ends[bucket + 1]].astype(np.int64)


def _bits() -> int:
    """Return the bits of a bucket's number: there are a quarter as many buckets as units."""
    return max(2, (BLOCK // 4).bit_length())


def _buckets(ids: Ids) -> npt.NDArray[np.uint32]:
    """Return the bucket of the `_KEY` units that end with each unit, uint32 (N,)."""
    known = unspaced(ids).astype(np.uint32)
    mixed = known * np.uint32(_FACTORS[0])
    for back, factor in enumerate(_FACTORS[1:], 1):
        mixed[back:] = (mixed[back:] ^ (mixed[back:] >> 15)) + known[:-back] * np.uint32(factor)
    mixed ^= mixed >> 15
    return (mixed * np.uint32(_FACTORS[1])) >> np.uint32(32 - _bits())


def _filled(most: int) -> int:
    """Return the part of a bound that files from the disk may fill; the rest is for saves."""
    return most - most // 12


class ProjectMemory:
    """The files of one project by name; any thread may read and add.

    Attributes:
        vocabulary: The units that were seen.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._unread: dict[str, str] = {}
        self.forget()

    def forget(self) -> None:
        """Forget all files."""
        self._unread.clear()
        with self._lock:
            self.vocabulary = Vocabulary()
            self._recent: OrderedDict[str, None] = OrderedDict()
            self._removed: deque[bytes] = deque(maxlen=MOST_REMOVED)
            self._saved: OrderedDict[str, LineUnits] = OrderedDict()
            self._clear()

    def _clear(self) -> None:
        self._ids: Ids = np.full(LONGEST + AHEAD, END, np.int32)
        self._used: int = LONGEST  # of these, with those of files that are gone
        self._indexed: int = LONGEST  # of these
        self._blocks: list[_Block] = []
        self._numbers: dict[str, int] = {}  # of the files that are not gone
        self._size: int = 0  # units of these
        self._count: int = 0  # of all files
        self._starts: Ids = np.zeros(MOST_FILES, np.int32)
        self._is_gone = np.zeros(MOST_FILES, np.bool_)

    def forget_removed(self) -> None:
        """Forget the lines that files have no more."""
        with self._lock:
            self._removed.clear()
            for file in (_REMOVED, *list(self._unread)):  # what `read` compares with is older
                self._drop(file)

    def update(self, file: str, text: str) -> None:
        """Note the text of a file, for `read`."""
        self._unread[file] = text

    def read(self) -> None:
        """Read the texts of `update`."""
        while self._unread:
            file, text = self._unread.popitem()
            self.put(file, text)

    def put(self, file: str, text: str, is_wanted: Callable[[], bool] | None = None) -> None:
        """Take in the text of a file at once.

        Args:
            file: Its path.
            text: The text.
            is_wanted: Given for what is only wanted as long as it says so, and as long as nothing
                else is known of the file: what the editor has is newer than what is on the disk.
        """
        vocabulary = self.vocabulary
        ids = vocabulary.ids(text) if is_wanted else self._units_of_save(file, text)
        with self._lock:
            if vocabulary is not self.vocabulary:  # all was forgotten meanwhile
                return
            if is_wanted:
                is_full = self._used + len(ids) >= LONGEST + _filled(MOST_UNITS)
                is_full = is_full or self._count >= _filled(MOST_FILES)
                if is_full or file in self._numbers or not is_wanted():
                    return
            else:
                self._keep_removed(file, ids)
                self._recent[file] = None
                self._recent.move_to_end(file)
                if len(self._recent) > RECENT:
                    self._recent.popitem(last=False)
            self._drop(file)
            self._add(file, ids)

    def _units_of_save(self, file: str, text: str) -> Ids:
        """Return the units of a saved text; of a file saved lately only new lines are read."""
        with self._lock:
            units = self._saved.pop(file, None) or LineUnits(self.vocabulary)
        (ids,) = units.ids(text)
        with self._lock:
            if units.vocabulary is self.vocabulary:
                self._saved[file] = units
                left = sum(one.size for one in self._saved.values()) - _MOST_CHARACTERS
                while left > 0:
                    left -= self._saved.popitem(last=False)[1].size
        return ids

    def settle(self) -> None:
        """Index what was added, block by block, and make room of what was replaced."""
        with self._lock:
            gone = self._used - LONGEST - self._size
            if gone > self._size + BLOCK:
                self._make_room()
        while True:
            with self._lock:
                start, end, ids = self._indexed, self._indexed + BLOCK, self._ids
                if end > self._used:
                    return
            block = _Block(ids, start, end)  # it takes time, and nobody waits for it
            with self._lock:
                if self._ids is ids and self._indexed == start:
                    self._blocks.append(block)
                    self._indexed = end

    def occurrences(self, before: Ids, file: str) -> Places:
        """Find the places behind the last units of `before` in the other files of a project.

        Args:
            before: The units before the cursor, of this memory's vocabulary.
            file: The file with the cursor, which is left out.
        """
        with self._lock:
            ids = self._ids
            found = [_scanned(ids, before, _KEY, self._indexed, self._used)]
            if len(before) >= _KEY:
                bucket = int(_buckets(before[-_KEY:])[-1])
                found += [block.places(bucket) for block in self._blocks]
            places = np.concatenate(found)
            number = np.searchsorted(self._starts[: self._count], places - 1, side="right") - 1
            kept = ~self._is_gone[number] & (number != self._numbers.get(file, -1))
            places, number = places[kept], number[kept]
            if len(places) > _LOOKED_AT:
                some = np.linspace(0, len(places) - 1, _LOOKED_AT).astype(np.int64)
                places, number = places[some], number[some]
            names = [*self._recent, _REMOVED]
            recent = [self._numbers[one] for one in names if one in self._numbers]
            return _places(ids, places, before, _KEY, np.isin(number, recent))

    def _keep_removed(self, file: str, ids: Ids) -> None:
        """Keep the lines that a file has no more now that it has these units."""
        number = self._numbers.get(file)
        if number is None:
            return
        before = self._units(number)
        now = set(self._lines(ids))
        removed = [one for one in self._lines(before) if one not in now]
        self._removed.extend(removed)
        if removed and self._removed:
            self._drop(_REMOVED)
            self._add(_REMOVED, np.frombuffer(b"".join(self._removed), np.int32))

    def _lines(self, ids: Ids) -> Iterator[bytes]:
        """Yield the lines of units that say something."""
        ends = np.isin(unspaced(ids), unspaced(self.vocabulary.ids("\n\r\n")))
        data, start = ids.tobytes(), 0
        for end in (4 * (np.flatnonzero(ends) + 1)).tolist():
            if _LEAST_LINE < end - start <= _LONGEST_LINE:
                yield data[start:end]
            start = end

    def _add(self, file: str, ids: Ids) -> None:
        needed = len(ids) + 1
        if needed > _filled(MOST_UNITS):
            return
        if self._used + needed > LONGEST + MOST_UNITS or self._count == MOST_FILES:
            self._drop_oldest(needed)
            self._make_room()
        start, end = self._used, self._used + len(ids)
        if end + 1 + AHEAD > len(self._ids):
            grown = np.empty(max(end + 1, min(2 * end, LONGEST + MOST_UNITS)) + AHEAD, np.int32)
            grown[: len(self._ids)] = self._ids
            self._ids = grown
        self._starts[self._count] = start
        self._numbers[file] = self._count
        self._count += 1
        self._ids[start:end] = ids
        self._ids[end : end + AHEAD + 1] = END
        self._used = end + 1
        self._size += len(ids) + 1

    def _drop_oldest(self, needed: int) -> None:
        """Drop files until so many units fit with room to spare; those saved lately go last."""
        recent = [*self._recent, _REMOVED]
        for file in [*(one for one in self._numbers if one not in recent), *recent]:
            is_small = self._size + needed <= _filled(MOST_UNITS)
            if is_small and len(self._numbers) < _filled(MOST_FILES):
                return
            self._drop(file)

    def _drop(self, file: str) -> None:
        number = self._numbers.pop(file, None)
        if number is not None:
            self._is_gone[number] = True
            self._size -= len(self._units(number)) + 1

    def _units(self, number: int) -> Ids:
        end = self._starts[number + 1] if number + 1 < self._count else self._used
        return self._ids[self._starts[number] : end - 1]

    def _make_room(self) -> None:
        """Move the files that are not gone together; they are indexed again."""
        files = [(file, self._units(number)) for file, number in self._numbers.items()]
        self._clear()
        for file, units in files:
            self._add(file, units)
