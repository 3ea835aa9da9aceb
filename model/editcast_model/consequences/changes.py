"""A change of a text at the level of its names: what was renamed between two parsed texts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.diff import Hunk, diff
from editcast_model.history import changes
from editcast_model.syntax.calls import Function, function_of, functions_around
from editcast_model.syntax.members import is_declared_member, is_member
from editcast_model.syntax.names import WORD, Names, Occurrence, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field
from editcast_model.tokenizer import lex

# More changed places than this are another text, not a change of names.
_MOST_HUNKS = 200
_LONGEST_HUNK = 5_000
#: The most adjacent lines that replace as many others, and the most such lines in all.
_MOST_LINES, _MOST_REWRITTEN = 5, 40
#: Separators of list elements.
_SEPARATORS = re.compile(r"[,\s]+")
#: Types of several things.
_MANY = re.compile(
    r"\[\]|\b(?:\w*(?:Set|List|Map|Array|Collection|Sequence|Vec)|set|list|dict|tuple)\b"
)
#: If two names are less similar, in per cent, and their types differ, they name two things.
_ALIKE = 60


@dataclass(frozen=True, slots=True)
class Renamed:
    """A name that stood where another one stands now."""

    before: Occurrence
    after: Occurrence


class Change:
    """Two parsed texts of one file, and what changed between them.

    Attributes:
        before: The names before.
        after: The names after.
        hunks: The changed ranges, in offsets of the text before; those of the diff unless given.
        active: Where something is being typed, in offsets of the text after.
    """

    def __init__(
        self,
        before: Names,
        after: Names,
        active: range | None = None,
        hunks: tuple[Hunk, ...] | None = None,
    ) -> None:
        self.before, self.after, self.active = before, after, active
        self.hunks = diff(before.tree.text, after.tree.text) if hunks is None else hunks

    @cached_property
    def made(self) -> frozenset[tuple[str, str]]:
        """The old and new texts of all hunks, without common ends."""
        return frozenset(changes(self.before.tree.text, self.hunks))

    def slid(self) -> "Change | None":
        """Return the same change with insertions after the separators that they begin with.

        `a[, f(b], c[)]` as `a, [f(b, ]c[)]`. None where no insertion can be moved so.
        """
        text, hunks = self.before.tree.text, list[Hunk]()
        behind = [*(hunk.start for hunk in self.hunks), len(text)][1:]
        for hunk, end in zip(self.hunks, behind, strict=True):
            found = _SEPARATORS.match(hunk.text) if hunk.start == hunk.end else None
            start = hunk.start + len(found[0]) if found else end
            if found and start < end and text.startswith(found[0], hunk.start):
                hunks.append(Hunk(start, start, hunk.text[len(found[0]) :] + found[0]))
            else:
                hunks.append(hunk)
        if tuple(hunks) == self.hunks:
            return None
        return Change(self.before, self.after, self.active, tuple(hunks))

    @property
    def is_legible(self) -> bool:
        """Tell if a change is small enough, and leaves a text that parses as well as before."""
        before = self.before.tree
        gone = sum(before.text.count("\n", hunk.start, hunk.end) for hunk in self.hunks)
        come = sum(hunk.text.count("\n") for hunk in self.hunks)
        if len(self.hunks) > _MOST_HUNKS or min(gone, come) > _MOST_REWRITTEN:
            return False
        return self.after.tree.parses or not before.parses

    def spans(self) -> Iterator[tuple[Hunk, int, int]]:
        """Return each hunk, with the first and last offset of what it put into the text after."""
        grown = 0
        for hunk in self.hunks:
            start = hunk.start + grown
            yield hunk, start, start + len(hunk.text)
            grown += hunk.growth

    def finished(self) -> Iterator[tuple[Hunk, int, int]]:
        """Return the same as `spans`, without what is being typed."""
        return (one for one in self.spans() if not self.is_active(*one[1:]))

    def new_names(self) -> Iterator[Occurrence]:
        """Return the names in what was written in one piece each, without those being typed."""
        for _, start, end in self.spans():
            if end - start <= _LONGEST_HUNK:
                for one in self.after.between(start, end):
                    if not self.is_active(one.start, one.end):
                        yield one

    @cached_property
    def functions(self) -> list[tuple[Function, Function]]:
        """The functions around what changed, each as it was before and as it is now."""
        now = dict[int, Function]()
        for _, start, end in self.finished():
            for place in (max(start - 1, 0), start, max(start, end - 1), end):
                for one in functions_around(self.after, place):
                    now.setdefault(one.start, one)
        pairs = ((self._function_before(one), one) for one in now.values())
        return [(was, one) for was, one in pairs if was is not None]

    def _function_before(self, now: Function) -> Function | None:
        """Find what a function was before, perhaps under another name."""
        was = self.same_before(now.defined)
        if was is None:
            pairs = (one for one in self.renamed if one.after.start == now.defined.start)
            was = next((one.before for one in pairs), None)
        return function_of(self.before, was) if was is not None else None

    def wrote(self, start: int, end: int) -> bool:
        """Tell whether something between two offsets of the text after is new."""
        return any(first < end and start < last for _, first, last in self.spans())

    def was_at(self, offset: int) -> int | None:
        """Find where what stands at an offset now stood before; None for what is new."""
        return _moved(offset, (((start, end), hunk.end) for hunk, start, end in self.spans()))

    def is_now_at(self, offset: int) -> int | None:
        """Find where what stood at an offset stands now; None for what is gone."""
        return _moved(offset, (((hunk.start, hunk.end), end) for hunk, _, end in self.spans()))

    def same_before(self, one: Occurrence) -> Occurrence | None:
        """Find the same name in the text before; None where it was another one, or none."""
        return _same(one, self.before, self.was_at(one.start))

    def same_now(self, one: Occurrence) -> Occurrence | None:
        """Find the same name in the text after; None where it is another one, or none."""
        return _same(one, self.after, self.is_now_at(one.start))

    def is_active(self, start: int, end: int) -> bool:
        """Tell whether something is being typed at a place of the text after."""
        return self.active is not None and start <= self.active.stop and self.active.start <= end

    @cached_property
    def renamed(self) -> list[Renamed]:
        """The names that were replaced by others, without those being typed."""
        return [
            pair
            for hunk, start, end in self.spans()
            if max(hunk.end - hunk.start, end - start) <= _LONGEST_HUNK
            for pair in self._pairs(hunk, start, end)
            if not self.is_active(pair.after.start, pair.after.end)
            and not self.is_rewritten(pair.after.start)
        ]

    def is_rewritten(self, offset: int) -> bool:
        """Tell whether what is new at an offset is in the place of many other lines.

        It may have nothing to do with what stood there.
        """
        return any(offset in one for one in self._rewritten)

    @cached_property
    def _rewritten(self) -> list[range]:
        """The ranges of adjacent lines that took the place of many others."""
        before, after = self.before.tree.text, self.after.tree.text
        return [
            new
            for old, new in self.groups
            if before.count("\n", old.start, old.stop) >= _MOST_LINES
            and after.count("\n", new.start, new.stop) >= _MOST_LINES
        ]

    @cached_property
    def groups(self) -> list[tuple[range, range]]:
        """The ranges of adjacent lines that changed, before and after."""
        after = self.after.tree.text
        groups: list[tuple[range, range]] = []
        for hunk, start, end in self.spans():
            old, new = range(hunk.start, hunk.end), range(start, end)
            if groups and after.count("\n", groups[-1][1].stop, start) <= 1:
                was, now = groups.pop()
                old, new = range(was.start, hunk.end), range(now.start, end)
            groups.append((old, new))
        return groups

    def _pairs(self, hunk: Hunk, start: int, end: int) -> Iterator[Renamed]:
        old = _occurrences(self.before, hunk.start, hunk.end)
        new = _occurrences(self.after, start, end)
        removed = self.before.tree.text[hunk.start : hunk.end]
        is_alike = _differs_in_names(_tokens(removed), _tokens(hunk.text))
        for part in ("definition", "use", "member", "key"):
            gone, come = _without_common(
                [one for one in old if _part(one) == part],
                [one for one in new if _part(one) == part],
            )
            if len(gone) != len(come):
                continue
            # Only the name went: what came may have a type and a default, too.
            is_name = part == "definition" and len(gone) == 1 and removed.strip() == gone[0].name
            is_name |= _differ_in_marks(gone, come) or _is_named_anew(gone, come)
            if not (is_alike or is_name or are_declared_alike(gone, come)):
                continue
            for left, right in zip(gone, come, strict=True):
                if not _is_counterpart(left, right):
                    continue
                if self._is_of_same_type(left, right) and self._is_given_alike(left, right):
                    yield Renamed(left, right)

    def _is_of_same_type(self, left: Occurrence, right: Occurrence) -> bool:
        """Tell whether two names may be of one thing, by the types that they are declared with.

        Parameters have the same: else another thing is passed. What is many of something now is
        used in another way than the one before.
        """
        was, now = (
            names.tree.of(field(one.path[-2].node, "type"))
            for names, one in ((self.before, left), (self.after, right))
        )
        if left.part.kind != "parameter":
            return not was or not _MANY.search(now) or bool(_MANY.search(was))
        if ("splat" in left.path[-2].type) != ("splat" in right.path[-2].type):
            return False
        return not (was and now) or was == now

    def _is_given_alike(self, left: Occurrence, right: Occurrence) -> bool:
        """Tell whether two variables have like values, or like names: else it is another one."""
        values = _value(self.before, left), _value(self.after, right)
        pairs = values, (left.name, right.name)
        return values[0] == values[1] or any(fuzz.ratio(*pair) >= _ALIKE for pair in pairs)


def _value(names: Names, one: Occurrence) -> str:
    """Return what is given to a variable where its name stands; empty for nothing."""
    value = field(one.path[-2].node, "value", "right") if one.part.kind == "variable" else None
    return names.tree.of(value) if value is not None and value.start_byte != one.start else ""


def _moved(offset: int, changed: Iterable[tuple[tuple[int, int], int]]) -> int | None:
    """Find where an offset is in the other text, by what changed and its ends there."""
    by = 0
    for (start, end), other in changed:
        if offset < start:
            break
        if offset < end:
            return None
        by = other - end
    return offset + by


def _same(one: Occurrence, names: Names, place: int | None) -> Occurrence | None:
    found = names.at(place) if place is not None else None
    return found if found and found.name == one.name else None


def are_declared_alike(gone: Sequence[Occurrence], come: Sequence[Occurrence]) -> bool:
    """Tell whether a field or parameter has a name like its old one, and another type or value.

    A field may share the first of as many parts: `pollSeconds: number`, `pollInterval: Duration`.
    """
    if len(gone) != 1 or not (is_declared_member(gone[0]) or gone[0].part.kind == "parameter"):
        return False
    parts, others = parts_of(gone[0].name), parts_of(come[0].name)
    is_field = is_declared_member(gone[0]) and len(parts) == len(others) > 1
    names = gone[0].name.lower(), come[0].name.lower()
    return is_field and parts[0] == others[0] or fuzz.ratio(*names) >= _ALIKE


def is_alike(change: Change, renamed: Renamed) -> bool:
    """Tell whether most of what is defined stayed: else it is another thing in the same place.

    Or the names of two fields are alike, whose types need not be.
    """
    old, new = renamed.before, renamed.after
    if are_declared_alike([old], [new]):
        return True
    was, now = (
        Counter(WORD.findall(names.tree.of(one.path[-2].node)))
        for names, one in ((change.before, old), (change.after, new))
    )
    was[new.name] += was.pop(old.name, 0)
    return 2 * (was & now).total() >= max(was.total(), now.total())


def _differ_in_marks(gone: Sequence[Occurrence], come: Sequence[Occurrence]) -> bool:
    """Tell whether one name has another mark at its end, or none, as of methods in Ruby."""
    names = {one.name.rstrip("?!") for one in (*gone, *come)}
    return len(gone) == 1 and len(names) == 1


def _is_named_anew(gone: Sequence[Occurrence], come: Sequence[Occurrence]) -> bool:
    """Tell whether what is taken from a key by its name has a name of its own now."""
    shorts = [one.part.is_shorthand for one in (*gone, *come)]
    return shorts == [True, False] and come[0].path[-2].type == "pair_pattern"


def _differs_in_names(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether tokens are the same but for one name: else one thing took another's place."""
    if len(old) != len(new):
        return False
    changed = {pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]}
    is_names = all(WORD.fullmatch(one) and WORD.fullmatch(other) for one, other in changed)
    return is_names and len(changed) <= 1


def _occurrences(names: Names, start: int, end: int) -> list[Occurrence]:
    """Return the names in a part of a text, those that reach out of it included."""
    return list(names.between(*whole_words(names.tree.text, start, end)))


def _tokens(text: str) -> list[str]:
    return [token for token in lex(text) if not token.isspace()]


def _part(one: Occurrence) -> str:
    if one.role in (Role.DEFINITION, Role.MEMBER_DEFINITION):
        return "definition"
    if one.role is Role.REFERENCE:
        return "use"
    return "member" if is_member(one) else "key"


def _without_common(
    old: list[Occurrence], new: list[Occurrence]
) -> tuple[list[Occurrence], list[Occurrence]]:
    """Return the two lists without the names that are in both."""
    common = Counter(one.name for one in old) & Counter(one.name for one in new)

    def left(names: list[Occurrence]) -> list[Occurrence]:
        spare, out = common.copy(), []
        for one in names:
            if spare[one.name]:
                spare[one.name] -= 1
            else:
                out.append(one)
        return out

    return left(old), left(new)


def _is_counterpart(left: Occurrence, right: Occurrence) -> bool:
    """Tell whether two names play the same part in their texts."""
    if left.role is not right.role or left.part.kind != right.part.kind:
        return False
    return left.scopes[0].type == right.scopes[0].type
