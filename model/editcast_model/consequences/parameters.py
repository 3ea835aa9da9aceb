"""Parameters that functions need: for an argument, to hand a value down, for a new name."""

import re
from collections.abc import Iterator, Sequence

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import inserted
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Argument,
    Call,
    Function,
    call_around,
    call_of,
    calls_of,
    function_around,
    functions_around,
    functions_named,
)
from editcast_model.syntax.declarators import is_own
from editcast_model.syntax.members import is_declared_member
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field, type_declared
from editcast_model.syntax.types import type_of_flag, type_of_option

#: Kinds of definitions that are not variables.
_NO_VALUES = ("import", "class", "function", "method", "attribute")
#: How the parsed options of a command line are given, in Python.
_OPTION = re.compile(r"(?:args|options|opts|given|arguments)\.(\w+)")
#: By language and type, what is given where nothing else is, but in tests.
_STANDARD = {("csharp", "TimeProvider"): "TimeProvider.System"}
_TESTS = re.compile(r"\[(?:Fact|Theory|Test\w*)\b|@Test\b")
_SHORTEST_TYPE = 4  # letters of a type that says what a variable is
#: Prefixes of functions that a framework or the system calls.
_CALLED_ELSEWHERE = ("test", "Test", "Benchmark", "main", "init", "__")
#: Parameters of C that say how long an array is, and the types of its elements.
_SIZE = re.compile(r"((std::)?s?size_t|int|unsigned) (\w*_)?(size|len|length|cap|capacity|n|max)")
_CHARACTERS = re.compile(r"((un)?signed )?char|u?int8_t|std::byte")
#: Types of parameters in Go whose method `Context` returns the context of a request or a command.
_WITH_CONTEXT = frozenset({"*http.Request", "*cobra.Command"})


def after_argument(change: Change) -> Iterator[Consequence]:
    """Return the parameter that a function needs of which a call has one argument more."""
    seen: set[int] = set()
    for _, start, end in change.finished():
        places = end, start, max(start, end - 1)  # the last where brackets came, too
        call = next((one for at in places if (one := call_around(change.after, at))), None)
        if call is None or call.start in seen:
            continue
        seen.add(call.start)
        functions, was = functions_named(change.after, call.called), call_before(change, call)
        if len(functions) == 1 and was and len(call.arguments) == len(was.arguments) + 1:
            new = [each for each in call.arguments if start <= each.start and each.end <= end]
            if len(new) == 1:
                yield from _parameter_for(change.after, functions[0], call, new[0])


def after_name(change: Change) -> Iterator[Consequence]:
    """Return the parameter that a function needs for a new name that its callers can give."""
    names, seen = change.after, set[str]()
    for one in change.new_names():
        if one.role is Role.REFERENCE and one.name not in seen:
            seen.add(one.name)
            if not names.is_known(one, one.name):
                yield from _parameter_of_name(names, one)


def handed_down(
    names: Names, call: Call, index: int, added: Parameter, given: Sequence[Call]
) -> Iterator[Consequence]:
    """Return the parameter that the function around a call needs to give it what it lacks.

    Methods mostly find it in their object: nothing was right there in commits.

    Args:
        names: Of the text.
        call: The call; nothing in its scope has the argument's name.
        index: Of the argument.
        added: The parameter that the call has no argument for.
        given: Calls of the same function that have it.
    """
    text, name = names.tree.text, added.name
    caller, declared = function_around(names, call.called.start), text[added.start : added.end]
    if caller is None or is_declared_member(caller.defined) or names.is_known(call.called, name):
        return
    if names.tree.language == "go" and declared == name:
        return  # its type stands behind another name
    if all(gives(names, one, name) for one in given) and may_take(names, caller, name):
        at = 0 if index == 0 < len(call.arguments) else None
        hunk = with_parameter(text, caller, at, declared)
        yield Consequence(hunk, "hand_down_parameter")


def is_value(names: Names, at: Occurrence, name: str) -> bool:
    """Tell whether a name means a variable where another one stands."""
    scope = names.resolve(at, name)
    defined = names.definitions(name, scope)
    return scope is not None and not any(one.part.kind in _NO_VALUES for one in defined)


def value_for(names: Names, call: Call, parameter: Parameter, at: int = 0) -> str | None:
    """Return what a call can give for a parameter at a place, such as the variable of its name.

    Or its context in Go, or in C the size of the array before it.
    """
    name = parameter.name
    if is_value(names, call.called, name):
        defined = names.definitions(name, names.resolve(call.called, name))
        if names.tree.language in ("c", "cpp"):
            return _pointing(names, defined[0], parameter)
        is_pointer = any(type_of_flag(names, one) for one in defined)
        return f"*{name}" if is_pointer and not parameter.type.startswith("*") else name
    if names.tree.language in ("c", "cpp") and _SIZE.fullmatch(f"{parameter.type} {name}"):
        return size_given(names, call, at) if 0 < at <= len(call.arguments) else None
    if names.tree.language != "go" or parameter.type != "context.Context":
        return _value_named_as_type(names, call, parameter)
    for function in reversed(functions_around(names, call.start)):
        for one in function.parameters:
            if one.type in _WITH_CONTEXT and one.name.isidentifier() and one.name != "_":
                return f"{one.name}.Context()"
    return None


def _pointing(names: Names, one: Occurrence, parameter: Parameter) -> str | None:
    """Return a variable of C as the pointer that a parameter is, or as it is if that is none."""
    declared = [step.type for step in one.path[:-1]]
    at = max(i for i, kind in enumerate(declared) if not kind.endswith("declarator"))
    marks = sum(kind.startswith(("pointer", "array")) for kind in declared[at:])
    wanted = parameter.type.count("*")
    kind = names.tree.of(type_declared(one.path[at].node))
    if marks == wanted or kind == "auto":
        return one.name
    is_one = parameter.type.strip("* ") == kind and marks + 1 == wanted
    return f"&{one.name}" if is_one else None


def size_given(names: Names, call: Call, at: int) -> str | None:
    """Return the size of an array of characters that a call gives before an argument."""
    given = call.arguments[at - 1]
    one = names.at(given.start)
    defined = names.meant_by(one) if one is not None and one.end == given.end else []
    if len(defined) != 1 or defined[0].part.kind != "variable" or one is None:
        return None
    above = defined[0].path[-2].node
    is_array = above.type == "array_declarator" and field(above, "size") is not None
    if not is_array or not _CHARACTERS.fullmatch(names.tree.of(type_declared(above))):
        return None
    is_bare = re.search(r"\bsizeof [a-z]", names.tree.text)
    return f"sizeof {one.name}" if is_bare else f"sizeof({one.name})"


def _value_named_as_type(names: Names, call: Call, parameter: Parameter) -> str | None:
    """Return the only variable whose name or type ends as a type does.

    `systemClock` is one for a `Clock`, and so is `clock` where it is a `FakeClock` in C# or Java.
    """
    kind, text = parameter.type.strip("*&: "), names.tree.text
    if len(kind) < _SHORTEST_TYPE or not kind.isidentifier():
        return None
    last = "_".join(parts_of(kind))
    written = (
        rf"\b(?:[a-z]\w*{kind[0].upper()}{kind[1:]}|[a-z]\w*_{last}|[A-Z]\w*_{last.upper()})\b"
    )
    words = set(re.findall(written, text))
    if names.tree.language in ("csharp", "java"):
        words |= set(re.findall(rf"\b\w*{kind} (\w+)\s*[=;]", text))
    found = {
        one.name
        for word in words
        for one in names.of(word)
        if one.role is Role.DEFINITION
        and one.part.kind in ("import", "variable", "constant", "parameter", "field")
        and names.resolve(call.called, word) == names.home(one)
        and _is_given(names, one)
    }
    standard = None if found or _TESTS.search(text) else _STANDARD.get((names.tree.language, kind))
    return found.pop() if len(found) == 1 else standard


def _is_given(names: Names, defined: Occurrence) -> bool:
    """Tell whether a name is known not to be a function's, from what an import does not tell."""
    uses = [one for one in names.of(defined.name) if one.role is Role.REFERENCE]
    calls = any(call_of(names.tree, one) for one in uses)
    return not calls and (bool(uses) or defined.part.kind != "import")


def gives(names: Names, call: Call, name: str) -> Argument | None:
    """Return the argument of a call that is a variable, by its place or by a name."""
    text = names.tree.text
    written = {name, names.rules.given_by_name(name, name)}
    return next((one for one in call.arguments if text[one.start : one.end] in written), None)


def with_argument(names: Names, call: Call, index: int, written: str) -> Hunk:
    """Put an argument into a call before the one of an index, or behind the last."""
    return inserted(names.tree.text, (call.start, call.end), call.arguments, index, written)


def call_before(change: Change, call: Call) -> Call | None:
    """Find a call in the text before."""
    called = change.same_before(call.called)
    return call_of(change.before.tree, called) if called else None


def _parameter_for(
    names: Names, function: Function, call: Call, argument: Argument
) -> Iterator[Consequence]:
    """Return the parameter that takes an argument which the function has no place for."""
    text, parameters, sigil = names.tree.text, function.parameters, names.rules.sigil
    written = argument.keyword or text[argument.start : argument.end]
    name = written.removeprefix("*") if names.tree.language == "go" else written
    kind = ""
    if not argument.keyword and (member := _OPTION.fullmatch(name)):
        name, kind = member[1], type_of_option(text, member[1])
    is_name = name.startswith(sigil) and name.removeprefix(sigil).isidentifier()
    if not is_name or not _is_plain(function, name):
        return
    if not argument.keyword and len(call.positional) != len(parameters) + 1:
        return
    value = re.split(r"[=:*\s]", text[argument.start : argument.end])[-1]
    one = names.at(argument.end - len(value))
    is_variable = one is not None and one.role is Role.REFERENCE and one.end == argument.end
    scope = names.resolve(one) if one is not None and is_variable else None
    defined = names.definitions(name, scope) if scope is not None else ()
    declared = _declared(names, function, name, defined, kind)
    if declared is not None:
        if argument.keyword and names.tree.language == "ruby":
            declared += ":"
        index = len(parameters) if argument.keyword else call.arguments.index(argument)
        above = parameters[index - 1] if index else None
        if names.tree.language == "python" and above and not (above.is_required or above.is_named):
            declared += "=None"  # one without a default cannot be behind one that has it
        hunk = inserted(text, function.span, parameters, index, declared)
        yield Consequence(hunk, "add_parameter", is_first=True)


def _parameter_of_name(names: Names, one: Occurrence) -> Iterator[Consequence]:
    """Return the parameter for a name that means nothing, if all callers can give it."""
    function = function_around(names, one.start)
    if function is None or not may_take(names, function, one.name):
        return
    calls = list(calls_of(names, function))
    if not calls or not all(is_value(names, call.called, one.name) for call in calls):
        return
    called = calls[0].called
    defined = names.definitions(one.name, names.resolve(called, one.name))
    declared = _declared(names, function, one.name, defined)
    if declared is not None:
        around = call_around(names, one.start)
        given = around.arguments if around else ()
        index = 0 if len(given) > 1 and given[0].start == one.start else None
        hunk = with_parameter(names.tree.text, function, index, declared)
        yield Consequence(hunk, "add_parameter", is_first=True)


def _is_plain(function: Function, name: str) -> bool:
    """Tell whether all parameters of a function are single names, and none is a given one."""
    return all(each.name not in ("", name) and not each.is_rest for each in function.parameters)


def may_take(names: Names, function: Function, name: str) -> bool:
    """Tell whether a function may get a parameter: nobody but its callers knows those it has."""
    if not _is_plain(function, name) or function.name.startswith(_CALLED_ELSEWHERE):
        return False
    path = function.defined.path
    if names.tree.language in ("c", "cpp") and not is_own(names, function.defined):
        return False
    if any(step.type == "decorated_definition" for step in path[-4:]):
        return False
    calls = {call.called.start for call in calls_of(names, function)}
    return all(
        one.start in calls or one.start == function.defined.start
        for one in names.of(function.name)
        if function.owner is None and one.role is Role.REFERENCE
    )


def with_parameter(text: str, function: Function, index: int | None, declared: str) -> Hunk:
    """Put a parameter at an index, or behind the last that a call must give."""
    listed = function.parameters
    if index is None:
        is_given = [each.is_required and not each.is_named for each in listed]
        index = is_given.index(False) if False in is_given else len(listed)
    return inserted(text, function.span, listed, index, declared)


def _declared(
    names: Names, function: Function, name: str, defined: Sequence[Occurrence], kind: str = ""
) -> str | None:
    """Return a parameter as its language declares it; None where its type is not known."""
    language = names.tree.language
    declared = type_declared(defined[0].path[-2].node) if len(defined) == 1 else None
    written = names.tree.of(declared) or kind
    if language == "python" and written and all(one.type for one in function.parameters):
        return f"{name}: {written}"
    if language in ("c", "cpp"):
        return None  # marks of pointers and arrays stand at the name
    if language in ("python", "ruby") or language.startswith("javascript"):
        return name
    written = written or (type_of_flag(names, defined[0]) if defined else "")
    if not written or written == "var":
        text = names.tree.text
        are_typed = not all(text.startswith(one.name, one.start) for one in function.parameters)
        return None if are_typed or language != "php" else name
    if language in ("java", "csharp", "php"):
        return f"{written} {name}"
    if language == "rust":
        return f"{name}: {written}"
    return f"{name} {written}" if language == "go" else f"{name}{written}"
