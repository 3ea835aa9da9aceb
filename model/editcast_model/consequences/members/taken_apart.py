"""What is taken out of an object by its names since a change, or no longer is.

After `const { rows, total } = load()` has become `const page = load()`, `rows` is `page.rows`, and
the other way round. So it is of parameters that became the fields of one.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.consequences.renames import renaming
from editcast_model.diff import Hunk
from editcast_model.syntax.members import object_of
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, around, field
from editcast_model.syntax.types import fields_of

_LISTS: Final = ("formal_parameters", "parameters", "parameter_list")
_GIVEN: Final = ("variable_declarator", "assignment")
_PATTERNS: Final = ("object_pattern", "array_pattern", "pattern_list", "tuple_pattern")
_REST: Final = ("rest_pattern", "list_splat_pattern", "object_assignment_pattern")


class _Binding(NamedTuple):
    """A list of parameters, or what gives a value to variables; with what it defines, by name."""

    names: Names
    node: Node
    defined: Mapping[str, Occurrence]

    def without(self, other: "_Binding") -> list[Occurrence]:
        """Return what it defines and another one does not."""
        return [one for name, one in self.defined.items() if name not in other.defined]

    def pattern(self, one: Occurrence) -> Node | None:
        """Return the pattern that a definition of it is in."""
        at = around(one.path, *_PATTERNS)
        inside = at is not None and one.path[at].node.start_byte >= self.node.start_byte
        return one.path[at].node if at is not None and inside else None

    def is_like(self, other: "_Binding") -> bool:
        """Tell whether another one gets its value from the same, perhaps by other arguments."""
        values = (one.names.tree.of(field(one.node, "value", "right")) for one in (self, other))
        was, now = (one.removeprefix("await ").partition("(")[0] for one in values)
        return self.node.type == other.node.type and was == now


def after_taking_apart(change: Change) -> Iterator[Consequence]:
    """Return the uses of what is a member of something now, or a variable of its own."""
    seen = set[int]()
    for hunk, start, _ in change.finished():
        was, now = _binding(change.before, hunk.start), _binding(change.after, start)
        if was is None or now is None or now.node.start_byte in seen or not was.is_like(now):
            continue
        gone, come = was.without(now), now.without(was)
        seen.add(now.node.start_byte)
        if gone and len(come) == 1 and now.pattern(come[0]) is None:
            yield from _as_members(change, was, gone, now, come[0])
        elif come and len(gone) == 1 and was.pattern(gone[0]) is None:
            yield from _as_variables(change, gone[0], now, come)


def _binding(names: Names, offset: int) -> _Binding | None:
    """Return the innermost list of parameters, or declaration, that an offset is in."""
    path = names.tree.path_near(offset)
    at = around(path, *_LISTS, *_GIVEN)
    if at is None:
        return None
    node = path[at].node
    left = field(node, "name", "left") if node.type in _GIVEN else node
    if left is None or not left.start_byte <= offset <= left.end_byte:
        return None
    found = names.between(left.start_byte, left.end_byte)
    own = (one for one in found if one.role is Role.DEFINITION and one.part.kind != "function")
    inner = ((one, around(one.path, *_LISTS, *_GIVEN)) for one in own)
    defined = {one.name: one for one, place in inner if place is not None and place == at}
    return _Binding(names, node, defined)


def _as_members(
    change: Change, was: _Binding, gone: list[Occurrence], now: _Binding, new: Occurrence
) -> Iterator[Consequence]:
    """Return the uses of what was a variable, as members of a new one."""
    names = change.after
    kind = names.tree.of(field(new.path[-2].node, "type")).strip(":*& ")
    fields = {parts_of(one): one for one in fields_of(names, kind)}
    scope = names.home(new)
    for one in gone:
        pattern = was.pattern(one)
        key = _key(was.names.tree, one, pattern)
        if pattern is None:
            key = fields.get(parts_of(one.name), "")
        elif pattern.type == "array_pattern":
            key = ""  # it may still be an array
        for use in names.unbound(now.node.end_byte, scope.end, {one.name}) if key else ():
            earlier = change.same_before(use)
            if earlier and was.names.resolve(earlier) == was.names.home(one):
                yield Consequence(renaming(use, f"{new.name}.{key}"), "take_apart")


def _as_variables(
    change: Change, gone: Occurrence, now: _Binding, come: list[Occurrence]
) -> Iterator[Consequence]:
    """Return the members of what was a variable, as the variables that they are now."""
    names = change.after
    for one in come:
        key = _key(names.tree, one, now.pattern(one))
        for use in names.of(key, names.home(one)) if key else ():
            thing = object_of(use.path[-2].node) if use.role is Role.MEMBER else None
            whole = names.of_node(thing)
            if thing is None or whole is None or names.tree.of(thing) != gone.name:
                continue
            is_free = not names.is_known(whole, gone.name)
            if is_free and names.resolve(whole, one.name) == names.home(one):
                yield Consequence(Hunk(thing.start_byte, use.end, one.name), "take_apart")


def _key(tree: Tree, one: Occurrence, pattern: Node | None) -> str:
    """Return the name of the member that a variable takes; empty where it may be another value."""
    if pattern is None:
        return one.name
    around_it = [step.node for step in one.path if step.node.start_byte >= pattern.start_byte]
    within = around_it[around_it.index(pattern) + 1 :]
    if any(node.type in _REST for node in within):
        return ""
    if len(within) > 1:
        is_pair = within[0].type == "pair_pattern" and len(within) == 2
        return tree.of(field(within[0], "key")) if is_pair else ""
    return one.name
