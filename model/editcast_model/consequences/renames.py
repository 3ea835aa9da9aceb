"""Renames that are left once a definition or a use has been renamed."""

from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.diff import Hunk
from editcast_model.syntax.declarators import makers_named
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role, Scope

#: Types of nodes whose statements run one after the other.
_BLOCKS = frozenset(
    {"module", "block", "program", "statement_block", "statement_list", "source_file"}
    | {"class_body", "switch_case", "body_statement", "block_body", "then", "else", "do"}
)
#: If an old and a new imported name are less similar, in per cent, something else is imported.
_ALIKE = 50
_SELF = ("self", "cls")
#: Types of scopes of Ruby that other files may extend.
_OPEN = ("instance", "singleton", "methods", "constants")
_ROLES = (Role.REFERENCE, Role.OUTER, Role.DEFINITION)


def renaming(one: Occurrence, new: str) -> Hunk:
    """Return the replacement of a name; what it is the short form of stays the key that it is."""
    if one.part.is_shorthand:
        if one.path[-2].type in ("pair", "keyword_pattern"):  # Ruby's have a colon
            end = one.path[-2].node.end_byte
            return Hunk(end, end, f" {new}")
        return Hunk(one.end, one.end, f": {new}")
    return Hunk(one.start, one.end, new)


def after_definition(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the uses that a renamed definition has left behind."""
    after, new, old = change.after, renamed.after, renamed.before.name
    if after.is_weak(new) or change.before.is_weak(renamed.before):
        return
    was, scope = change.before.home(renamed.before), after.home(new)
    taken = [
        one for one in change.before.definitions(new.name, was) if not change.before.is_weak(one)
    ]
    if any(not _are_disjoint(one, renamed.before) for one in taken):
        return  # two things have one name now, so that a use may mean either
    if _is_import(after, new) and fuzz.ratio(old, new.name) < _ALIKE:
        return
    for one in makers_named(after, old) if new.part.kind == "class" else ():
        yield Consequence(renaming(one, new.name), "rename_use")
    others = [one for one in after.definitions(old, scope) if not after.is_weak(one)]
    start, end = _reach(after, new, others)
    kind: Kind = "rename_use_beside" if others else "rename_use"
    for one in after.of(old, scope):
        if start <= one.start < end and one.role in _ROLES:
            if _is_left(change, one, was, scope) and _means(after, one, new.name, scope):
                yield Consequence(renaming(one, new.name), kind)


def after_state(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the setter of a renamed state of React, `const [page, setPage] = useState(1)`."""
    names, new = change.after, renamed.after
    pattern = new.path[-2].node
    if pattern.type != "array_pattern" or pattern.named_child_count != 2:
        return
    state, setter = pattern.named_children
    if new.start != state.start_byte or names.tree.of(setter) != _setter(renamed.before.name):
        return
    one = names.of_node(setter)
    if one is not None and not names.is_known(one, _setter(new.name)):
        hunk = Hunk(one.start, one.end, _setter(new.name))
        yield Consequence(hunk, "rename_setter", is_first=True)


def _setter(state: str) -> str:
    return f"set{state[0].upper()}{state[1:]}"


def after_use(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the definition of a renamed use that is unbound now, and the other uses of it."""
    before, after, new = change.before, change.after, renamed.after
    was = before.resolve(renamed.before)
    if was is None or new.role is not Role.REFERENCE or after.is_known(new, new.name):
        return
    if renamed.before.name in _SELF or _is_slip(after, renamed.before.name, new.name):
        return
    old = renamed.before.name
    if any(old in hunk.text and old in WORD.findall(hunk.text) for hunk in change.hunks):
        return  # it was written again: something else took its place
    defined = [
        one for one in before.definitions(renamed.before.name, was) if not before.is_weak(one)
    ]
    now = [found for one in defined if (found := change.same_now(one)) is not None]
    if not now or len(now) != len(defined):
        return
    scope = after.home(now[0])
    uses = [
        one
        for one in after.of(renamed.before.name, scope)
        if one.start not in {each.start for each in now}
        and one.role in _ROLES
        and after.resolve(one) == scope
    ]
    is_import = any(one.part.kind == "import" for one in defined)
    if is_import and uses:
        return
    is_unsure = is_import or _may_be_defined(after, now[0], uses)
    kind: Kind = "rename_definition_unsure" if is_unsure else "rename_definition"
    for one in now:
        yield Consequence(renaming(one, new.name), kind, is_first=True)
    for one in uses:
        if after.resolve(one, new.name) is None:
            yield Consequence(renaming(one, new.name), kind)


def _may_be_defined(after: Names, one: Occurrence, uses: list[Occurrence]) -> bool:
    """Tell whether a definition of the new name may follow, or be in another file."""
    is_local = len(one.scopes) > 1 or one.part.kind == "parameter"
    is_local &= one.scope.type not in _OPEN
    if not is_local and after.rules.has_other_files:
        return True
    return bool(uses) and one.part.kind in ("function", "class")


def _are_disjoint(one: Occurrence, other: Occurrence) -> bool:
    """Tell whether two definitions are made for statements, neither of which is in the other."""
    (start, end), (first, last) = one.extent or (0, 0), other.extent or (0, 0)
    return bool(one.extent and other.extent) and (end <= first or last <= start)


def _is_import(names: Names, one: Occurrence) -> bool:
    """Tell whether a definition is an import, or takes what `require` returns."""
    if one.part.kind == "import":
        return True
    return names.tree.of(one.path[-2].node.child_by_field_name("value")).startswith("require(")


def _is_slip(names: Names, old: str, new: str) -> bool:
    """Tell whether a new name is more likely a typing error for the old one.

    It differs in one letter and stands nowhere else, while the old name stands in other words and
    strings, too; or it differs in case alone.
    """
    if old.lower() == new.lower():
        return True
    if OSA.distance(old, new) > 1 or (old[0], old[-1]) != (new[0], new[-1]):
        return False
    text = names.tree.text
    return text.count(new) == 1 and text.count(old) > len(names.of(old))


def _is_left(change: Change, one: Occurrence, was: Scope, scope: Scope) -> bool:
    """Tell whether a name meant the definition that was renamed, and still would."""
    before, after = change.before, change.after
    earlier = change.same_before(one)
    if earlier is None or earlier.role not in _ROLES:
        is_open = scope.type in _OPEN  # another file may define what was just written
        return not is_open and after.would_mean(one, scope) and not after.is_known(one, one.name)
    if before.resolve(earlier) != was:
        return False
    if after.would_mean(one, scope):
        return True
    # A name that was declared global, say, and no longer is, is what hides the definition.
    origins = [change.same_before(each) for each in after.meant_by(one)]
    return all(each is not None and before.resolve(each) == was for each in origins)


def _means(names: Names, one: Occurrence, new: str, scope: Scope) -> bool:
    """Tell whether the new name would mean the renamed definition where an old one stands."""
    if one.role is Role.DEFINITION and names.home(one) == scope:
        return True
    return names.resolve(one, new) == scope


def _reach(names: Names, new: Occurrence, others: Sequence[Occurrence]) -> tuple[int, int]:
    """Return where a definition is meant by its old name, which others in its scope have still."""
    start, end = new.extent or (new.start, len(names.tree.text))
    if not others:
        return 0, len(names.tree.text)
    if new.extent:  # a loop of its own
        return start, min([end, *(one.start for one in others if start <= one.start < end)])
    if others[0].start < start:
        return 0, 0  # the old name is still bound before it
    return start, min([end, *(one.start for one in others if _begins_anew(names, one, new))])


def _begins_anew(names: Names, one: Occurrence, new: Occurrence) -> bool:
    """Tell whether a definition gives the name another meaning, not another value."""
    if one.extent or "function_signature" in (one.path[-2].type, new.path[-2].type):
        return bool(one.extent)
    at, here = _block(one), _block(new)
    statement = one.path[min(at + 1, len(one.path) - 1)].node
    uses = names.between(statement.start_byte, statement.end_byte)
    is_used = any((use.name, use.role) == (one.name, Role.REFERENCE) for use in uses)
    return one.path[at].node == new.path[here].node and not is_used


def _block(one: Occurrence) -> int:
    """Return the index in its path of the block that a name's statement is in."""
    return next((at for at in reversed(range(len(one.path))) if one.path[at].type in _BLOCKS), 0)
