"""Uses of a member that may be those of a class: of objects about which the text says nothing."""

import re
from collections.abc import Collection, Iterator

from editcast_model.consequences.kinds import Kind
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.syntax.members import is_declared_member, object_of, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import word_set

#: Members so common that an object of unknown type probably has its own.
COMMON = word_set("""
    add all append apply at call catch clear close concat copy count data delete entries error
    errors every filter find first flat forEach format get has index indexOf items join key keys
    last length log map match message name next open pop push read reduce remove replace reverse
    run set shift size slice some sort split start status then title toString trim type update
    url value values write Close Error Len Name String Type
""")
#: Languages whose compilers reject undeclared members.
_CHECKED = ("typescript", "typescriptreact", "vue", "go", "java", "csharp", "rust")
_UNCHECKED = ("python", "ruby", "javascript", "javascriptreact")
#: The last word of an expression: `store` of `app["store"]`, `get_store` of `get_store()`.
_LAST = re.compile(r"""(\w+)(?:\(\)|['"]\])?!?$""")
#: What the names of functions that return an object begin with.
_RETURNING = word_set("build create find get load make new open")


def possible_uses(
    names: Names, member: str, whose: Collection[str], *, is_tied: bool = True
) -> Iterator[tuple[Occurrence, Kind]]:
    """Find where a member is probably one of some classes, each with the kind of a rename there.

    The classes go by `owner`'s names; the text is tied to them if it has them, or imports something
    of their file.
    """
    named = list(of_named(names, member, whose))
    yield from ((one, "rename_field_of_named") for one in named)
    for one in of_unknown(names, member, whose, is_tied=is_tied):
        if one not in named:
            is_compound = len(parts_of(member)) > 1
            yield one, "rename_compound_field" if is_compound else "rename_field_of_unknown"


def possible_keys(names: Names, member: str) -> Iterator[Occurrence]:
    """Find where a member is probably given by its name, to a call or in an object literal.

    Only a name of several parts says enough.
    """
    for one in names.of(member) if len(parts_of(member)) > 1 else ():
        if one.role is Role.KEY or one.part.is_shorthand:
            if (owner(names, one) or "@").startswith("@"):
                yield one
        elif one.role is Role.KEYWORD:
            yield one


def of_named(names: Names, member: str, whose: Collection[str]) -> Iterator[Occurrence]:
    """Find where a member is one of objects that are named as one of some classes.

    `user` and `current_user` are of `User`, `store` and `get_store()` of `OrderStore` unless the
    text has a `Store`.
    """
    if any(is_declared_member(one) for one in names.of(member)):
        return
    known_as = {one.partition("@")[0] for one in whose}
    classes = {*map(parts_of, known_as)}
    for one in names.of(member):
        known = owner(names, one) or ""
        maker = known.partition(".")[0]  # a class, or a function of another file
        is_made = (known[:1].islower() or maker in known_as) and known.endswith("@")
        if one.role is Role.MEMBER and (not known or is_made) and not _is_imported(names, one):
            thing = object_of(one.path[-2].node)
            found = _LAST.search(names.tree.of(thing)) if thing is not None else None
            if found is not None and _is_named(names, parts_of(found[1]), classes):
                yield one


def _is_named(names: Names, called: tuple[str, ...], classes: Collection[tuple[str, ...]]) -> bool:
    """Tell whether a name, in its parts, is that of a class, or only one of the two ends alike."""
    while len(called) > 1 and called[0] in _RETURNING:
        called = called[1:]
    if any(called[-len(one) :] == one for one in classes):
        return True
    own = "".join(part.capitalize() for part in called)
    is_end = any(one[-len(called) :] == called for one in classes)
    return is_end and re.search(rf"\b{re.escape(own)}\b", names.tree.text) is None


def of_unknown(
    names: Names, member: str, whose: Collection[str], *, is_tied: bool
) -> Iterator[Occurrence]:
    """Find where a member of some classes may be one of objects of which nothing is known.

    Only where nothing else in the text declares such a member. Without a tie to the classes the
    name has several parts, and the language is one in which nobody declares an object's type.
    """
    is_sure = is_tied or len(parts_of(member)) > 1
    languages = (*_UNCHECKED, *(_CHECKED if is_tied else ()))
    if member in COMMON or not is_sure or names.tree.language not in languages:
        return
    declared = [one for one in names.of(member) if is_declared_member(one) or one.role is Role.KEY]
    if any(owner(names, one) not in whose for one in declared):
        return
    for one in names.of(member):
        if one.role is Role.MEMBER and owner(names, one) is None and not _is_imported(names, one):
            yield one


def _is_imported(names: Names, one: Occurrence) -> bool:
    """Tell whether a member is a module's."""
    thing = object_of(one.path[-2].node)
    found = names.of_node(thing)
    if thing is None or "call" in thing.type or found is None or found.role is not Role.REFERENCE:
        return False
    if names.resolve(found) is None:  # Go's packages are named by their paths
        return names.tree.language != "cpp" or thing.type != "identifier"
    return any(each.part.kind == "import" for each in names.meant_by(found))
