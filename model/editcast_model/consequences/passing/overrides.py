"""Parameters that methods need which implement, or override, a method that has others now."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import shortest_hunk
from editcast_model.syntax.members import class_of_method
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field
from editcast_model.syntax.types import bases_of


@dataclass(frozen=True, slots=True)
class NewSignature:
    """A method that has other parameters or results now.

    Attributes:
        name: Its name.
        before: Its parameters as they were written, with their brackets, and in Go its results.
        after: Those that it has.
        owner: The class or interface that it belongs to; empty in Go.
        bases: What that one extends and implements.
    """

    name: str
    before: str
    after: str
    owner: str = ""
    bases: frozenset[str] = frozenset()


def after_method(change: Change) -> Iterator[Consequence]:
    """Return the methods that have the parameters which a method related to them had."""
    for signature in new_signatures(change):
        yield from overriding(change.after, signature)


def new_signatures(change: Change) -> Iterator[NewSignature]:
    """Return the methods whose parameters a change changed, but for what is being typed."""
    names, seen = change.after, set[int]()
    for _, _, end in change.finished():
        for step in reversed(names.tree.path_near(end)):
            parameters, name = field(step.node, "parameters"), field(step.node, "name")
            if parameters is None or name is None:
                continue
            one = names.of_node(name)
            was = change.same_before(one) if one else None
            if one is None or was is None or one.start in seen or not _is_method(one):
                break
            seen.add(one.start)
            nodes = was.path[-2].node, step.node
            # Other types alone may be those of one class, such as of a generic one.
            if _count(nodes[0]) != _count(nodes[1]):
                before, after = map(_written, (change.before.tree, names.tree), nodes)
                yield NewSignature(one.name, before, after, *_class(names, one))
            break


def _count(method: Node) -> list[int]:
    """Count the parameters of a method, and its results in Go."""
    listed = (method.child_by_field_name(one) for one in ("parameters", "result"))
    return [len(one.named_children) if one is not None else -1 for one in listed]


def _written(tree: Tree, method: Node) -> str:
    """Return the parameters of a method as they are written, with its results in Go."""
    start, end = field(method, "parameters"), field(method, "result", "parameters")
    return tree.text[start.start_byte : end.end_byte] if start and end else ""


def methods_like(names: Names, name: str, owner: str) -> Iterator[Node]:
    """Return the methods of that name in what extends or implements a class, or an interface."""
    for one in names.of(name) if owner and names.of(owner) else ():
        if _is_method(one) and owner in _class(names, one)[1]:
            yield one.path[-2].node


def class_name(names: Names, method: Node) -> str:
    """Return the name of the class around a method; empty for none."""
    found = (one for one in names.tree.around(method) if one.type.startswith("class"))
    return names.tree.of(field(next(found, None), "name"))


def overriding(names: Names, signature: NewSignature) -> Iterator[Consequence]:
    """Return the methods of a text that have to follow a signature."""
    for one in names.of(signature.name):
        parameters = one.path[-2].node.child_by_field_name("parameters")
        if parameters is None or not _is_method(one):
            continue
        written = _written(names.tree, one.path[-2].node)
        if written == signature.before and _is_related(names, one, signature):
            hunk = shortest_hunk(written, signature.after, parameters.start_byte)
            cause = f"{signature.name} {signature.after}"
            yield Consequence(hunk, "follow_signature", cause=cause)


def _is_method(one: Occurrence) -> bool:
    """Tell whether a name is that of a method where it is declared."""
    if one.role is Role.MEMBER_DEFINITION:
        return one.part.kind == "method"
    is_function = one.role is Role.DEFINITION and one.part.kind in ("function", "method")
    return is_function and class_of_method(one.path[:-1]) is not None


def _is_related(names: Names, one: Occurrence, signature: NewSignature) -> bool:
    """Tell whether a method belongs to what implements or extends the other one's, or the like."""
    if names.tree.language == "go":
        return WORD.search(signature.before) is not None  # interfaces are implemented silently
    owner, bases = _class(names, one)
    # What both extend counts if it is of this file: a framework calls its own methods.
    shared = (each for base in signature.bases & bases for each in names.of(base))
    is_own = any(one.role is Role.DEFINITION and one.part.kind != "import" for one in shared)
    return is_own or signature.owner in bases or owner in signature.bases


def _class(names: Names, one: Occurrence) -> tuple[str, frozenset[str]]:
    """Return the class around a method, and what it extends and implements."""
    found = class_of_method(one.path[:-1])
    name = names.tree.of(field(found, "name"))
    return name, bases_of(names, found) if found is not None and name else frozenset()
