"""Rewrites that were made in other files, and are left in this one."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from textwrap import dedent

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import OtherSaves
from editcast_model.consequences.rewrites.rewrites import rewrites_by, rules_of
from editcast_model.consequences.rewrites.rule import Rule
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names, have_same_rules, opened
from editcast_model.syntax.tree import parse

#: The most rules of other files that are applied.
_MOST_RULES = 12
#: A rule counts for other files only after this many examples.
_LEAST_TIMES = 2
#: A member of a method's own object.
_OWN_MEMBER = re.compile(r"\b(?:self|cls|this|static)(?:\.|->|::\$?)(\w+)")


def rewrites_left_in(saves: OtherSaves, names: Names) -> Iterator[Consequence]:
    """Return the rewrites of other files that are left in a text, of the newest saves first."""
    language = names.tree.language
    every = [
        rule
        for one in reversed(saves)
        if have_same_rules(language_of("", one.file), language)
        for rule in _rules_of(one.before, one.after, language)
    ]
    times = Counter(rule.cause for rule in every)
    rules = {rule.cause: rule for rule in every if times[rule.cause] >= _LEAST_TIMES}
    fitting = (rule for rule in rules.values() if _has_members(rule, names))
    for rule in islice(fitting, _MOST_RULES):
        for one in rewrites_by(rule, names):
            yield replace(one, kind="rewrite_elsewhere")


@lru_cache(256)
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
    return tuple(rule for rule in rules if rule.kind == "rewrite")


def _has_members(rule: Rule, names: Names) -> bool:
    """Tell whether a text knows the members of its own objects that a rule writes."""
    return all(names.of(member) for member in _OWN_MEMBER.findall("".join(rule.new)))
