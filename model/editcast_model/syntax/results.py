"""Keys of the objects that functions of JavaScript and TypeScript return, and their uses."""

from editcast_model.syntax.calls import called_by, function_node_around
from editcast_model.syntax.components import name_of_function
from editcast_model.syntax.members import object_of
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import first_child

#: Types of nodes that may enclose the value that a function of a script returns.
_AROUND_VALUES = ("parenthesized_expression", "as_expression", "satisfies_expression")


def returned_by(names: Names, key: Occurrence) -> Occurrence | None:
    """Return the function whose result has a key, as its object literal in a script says."""
    at = -2 if key.part.is_shorthand else -3
    is_key = key.part.is_shorthand or key.role in (Role.KEY, Role.MEMBER_DEFINITION)
    if not is_key or len(key.path) < 4 or key.path[at].type != "object":
        return None
    value = key.path[at].node
    while value.parent is not None and value.parent.type in _AROUND_VALUES:
        value = value.parent
    above = value.parent
    if above is None or above.type not in ("return_statement", "arrow_function"):
        return None
    function = function_node_around(names.tree, value)
    return name_of_function(names, function) if function is not None else None


def taken_of(names: Names, one: Occurrence) -> Occurrence | None:
    """Return the function, where it is called, in whose result a name is a key."""
    at = len(one.path) - 1
    if one.role is Role.MEMBER:
        defined = names.meant_by(names.of_node(object_of(one.path[-2].node)))
        if len(defined) != 1 or defined[0].path[-1].field != "name":
            return None
        path = defined[0].path[:-1]
    elif one.role is Role.KEY or one.part.is_shorthand:
        while at > 1 and one.path[at].type != "object_pattern":
            at -= 1
        path = one.path[:at]
    else:
        return None
    value = path[-1].node.child_by_field_name("value")
    if value is not None and value.type == "await_expression":
        value = first_child(value)
    if path[-1].type != "variable_declarator" or value is None or value.type != "call_expression":
        return None
    called = called_by(value)
    return names.of_node(called) if called and called.type == "identifier" else None
