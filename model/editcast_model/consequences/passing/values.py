"""Values that a call can give for a parameter that it gives nothing for yet."""

from editcast_model.consequences.parameters import is_value
from editcast_model.syntax.calls import Call, functions_around
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.types import type_of_flag

#: Types of parameters in Go whose method `Context` returns the context of a request or a command.
_WITH_CONTEXT = frozenset({"*http.Request", "*cobra.Command"})
_CONTEXT = "context.Context"


def value_for(names: Names, call: Call, parameter: Parameter) -> str | None:
    """Return what a call can give for a parameter: the variable of its name, or its context."""
    name = parameter.name
    if is_value(names, call.called, name):
        defined = names.definitions(name, names.resolve(call.called, name))
        is_pointer = any(type_of_flag(names, one) for one in defined)
        return f"*{name}" if is_pointer and not parameter.type.startswith("*") else name
    if names.tree.language != "go" or parameter.type != _CONTEXT:
        return None
    for function in reversed(functions_around(names, call.start)):
        for one in function.parameters:
            if one.type in _WITH_CONTEXT and one.name.isidentifier() and one.name != "_":
                return f"{one.name}.Context()"
    return None
