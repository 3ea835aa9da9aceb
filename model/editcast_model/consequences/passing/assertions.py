"""Assertions of tests about the calls that a function's stand-in got."""

import re
from typing import Final

from editcast_model.syntax.calls import Call, call_at, call_of, called_by
from editcast_model.syntax.names import Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

#: Methods that say with which arguments a function's stand-in was called in a test.
_ASSERTIONS: Final = re.compile(
    r"(to(HaveBeen|Be)(Last)?C|lastC|c)alled(Once)?With(Exactly)?"
    r"|assert_(called|awaited)(_once)?_with|assert_any_(call|await)"
)


def call_or_assertion_of(tree: Tree, called: Occurrence) -> Call | None:
    """Return the call whose function is a name, or what a test says of the arguments of one.

    `expect(send).toHaveBeenCalledWith(mail)` and `api.send.assert_called_with(mail)` say it.
    """
    if (call := call_of(tree, called)) is not None:
        return call
    thing = called.path[-2 if called.role is Role.MEMBER else -1].node
    expected = first_child(thing.parent) == thing and thing.parent and thing.parent.parent
    if expected and tree.of(called_by(expected)) == "expect":
        thing = expected
    method = thing.parent
    name = tree.of(field(method, "property", "attribute"))
    if method is None or method.parent is None or not _ASSERTIONS.fullmatch(name):
        return None
    return call_at(tree, called, method.parent) if called_by(method.parent) == method else None
