"""Fields that keep their names while their numbers become durations.

After `poll_interval: float = 5.0` has become `poll_interval: timedelta = timedelta(seconds=5)`, a
number that it is compared with, or given, is a `timedelta`, and what wants seconds asks for them.
"""

from collections.abc import Iterator

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.values import adapted
from editcast_model.consequences.value_changes import value_change
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.members import is_declared_member, is_member, owner
from editcast_model.syntax.roles import Role


def new_durations(change: Change) -> Iterator[Renamed]:
    """Return the fields whose numbers are durations now, under the names that they had."""
    text = change.after.tree.text
    lines = dict.fromkeys(line_around(text, start) for _, start, _ in change.finished())
    for line in lines:
        for one in change.after.between(*line):
            was = change.same_before(one) if is_declared_member(one) else None
            if was is not None and value_change(change, Renamed(was, one)).unit_before:
                yield Renamed(was, one)


def after_duration(change: Change) -> Iterator[Consequence]:
    """Return the places of the same file that still take such a field for a number."""
    names = change.after
    for renamed in new_durations(change):
        name, whose = renamed.after.name, owner(names, renamed.after)
        value = value_change(change, renamed)
        for one in names.of(name):
            is_given = one.role is Role.KEYWORD
            if is_given or (one != renamed.after and is_member(one) and owner(names, one) == whose):
                made = Consequence(Hunk(one.start, one.end, name), "replace_unit", cause=name)
                new = adapted(names.tree, made, value)
                if new is not made:
                    yield new
