"""Rewrites that were made in other files, and are left in this one."""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.consequences.rewrites.from_example import WEAK
from editcast_model.consequences.rewrites.rewrites import rewrites_by, rules_of
from editcast_model.consequences.rewrites.rule import Rule
from editcast_model.syntax.names import Names, opened
from editcast_model.syntax.tree import parse

#: Saves of other files that are kept, and the rules of the last ones that are looked for.
_SAVES, _MOST_RULES = 30, 12
#: A rule that was followed less often says little about other files.
_LEAST_TIMES = 2
#: A member of the object that a method belongs to.
_OWN_MEMBER = re.compile(r"\b(?:self|cls|this|static)(?:\.|->|::\$?)(\w+)")


class _Save(NamedTuple):
    """The changed lines of a save of another file, before and after, with its number there."""

    file: str
    number: int | None
    before: str
    after: str


class RewritesElsewhere:
    """The rewrites that the last saves of other files show.

    Args:
        language: The language of this file, by whose rules the other ones are read, too.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._saves: deque[_Save] = deque(maxlen=_SAVES)

    def add(self, file: str, number: int | None, before: str, after: str) -> None:
        """Take in a save of another file.

        It replaces an earlier one of the same number. One that undoes another removes it.
        """
        if number is not None:
            self._drop(lambda one: (one.file, one.number) == (file, number))
        if not self._drop(lambda one: (one.file, one.before, one.after) == (file, after, before)):
            self._saves.append(_Save(file, number, before, after))

    def left_in(self, names: Names) -> Iterator[Consequence]:
        """Return the rewrites that are left in a text, those of the newest saves first."""
        every = [
            rule
            for one in reversed(self._saves)
            for rule in _rules_of(one.before, one.after, self._language)
        ]
        times = Counter(rule.cause for rule in every)
        rules = {rule.cause: rule for rule in every if times[rule.cause] >= _LEAST_TIMES}
        fitting = (rule for rule in rules.values() if _has_members(rule, names))
        for rule in islice(fitting, _MOST_RULES):
            for one in rewrites_by(rule, names):
                yield replace(one, kind="rewrite_elsewhere")

    def _drop(self, is_so: Callable[[_Save], bool]) -> bool:
        """Remove the saves of which something is so; return whether there are any."""
        dropped = [one for one in self._saves if is_so(one)]
        for one in dropped:
            self._saves.remove(one)
        return bool(dropped)


@lru_cache(4 * _SAVES)
def _rules_of(before: str, after: str, language: str) -> tuple[Rule, ...]:
    """Return the rules that a save shows; cached, since every open file asks for the same saves.

    Without those by which no word goes, or nothing else: what was wrong there may be right here. Of
    those 2 of 17 edits were clean on commits.
    """
    texts = (opened(dedent(text), language) for text in (before, after))
    was, now = (Names(tree) if tree else None for tree in (parse(text, language) for text in texts))
    if was is None or now is None:
        return ()
    change = Change(was, now)
    rules = rules_of(change) if change.is_legible else ()
    return tuple(rule for rule in rules if rule.strength > WEAK)


def _has_members(rule: Rule, names: Names) -> bool:
    """Tell whether a text knows the members of its own objects that a rule writes."""
    return all(names.of(member) for member in _OWN_MEMBER.findall("".join(rule.new)))
