"""Functions with their parameters, and calls with their arguments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tree_sitter import Node

from editcast_model.syntax.declarators import declared_name, function_declarator
from editcast_model.syntax.members import (
    class_around,
    class_named,
    made_without_field,
    object_of,
    of_class_itself,
    owner,
)
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.parameters import Parameter, is_decorated, parameters_of
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child, word_set

_FUNCTIONS = word_set("""
    function_definition function_declaration generator_function_declaration method_definition
    method_declaration arrow_function function_expression constructor_declaration function_item
    function_signature_item local_function_statement method singleton_method method_elem
    method_signature abstract_method_signature
""")
#: What may be a prototype of C, and what stands between a function's name there and all of it.
_PROTOTYPES = word_set("declaration field_declaration")
_DECLARATORS = word_set(
    "qualified_identifier function_declarator pointer_declarator reference_declarator"
)
#: A part of the types of all nodes whose code runs later, or may.
FUNCTION: Final = re.compile("function|lambda|method|closure|func_literal")
#: A class of C#, and its parameters, which are those of its constructor.
_MAKER = ("class_declaration", "parameter_list")
_ANY_FUNCTION = _FUNCTIONS | {"lambda", "func_literal"}
_CALLS = word_set("""
    call call_expression new_expression method_invocation function_call_expression
    member_call_expression nullsafe_member_call_expression scoped_call_expression
    invocation_expression object_creation_expression
""")
_CALLED = ("function", "method", "constructor", "name", "type")  # its fields
_SPREADS = word_set("""
    spread_element list_splat dictionary_splat variadic_argument variadic_unpacking
    variadic_placeholder splat_argument hash_splat_argument
""")
#: Languages in which methods may share a name.
_OVERLOADING = ("java", "csharp", "cpp")
_NEW = "new"  # the method of a class that makes an object, in Ruby


@dataclass(frozen=True, slots=True)
class Function:
    """A function that has a name.

    Attributes:
        name: What it is called by; a class's name for its constructor.
        node: All of it.
        defined: Its name where it is defined.
        parameters: Without Python's `self`.
        span: Where the parameters stand, without the brackets.
        owner: The class that it is a method of, if any.
        is_constructor: Whether it is called by its class's name.
    """

    name: str
    node: Node
    defined: Occurrence
    parameters: tuple[Parameter, ...]
    span: tuple[int, int]
    owner: str | None
    is_constructor: bool

    @property
    def start(self) -> int:
        """Return where it begins."""
        return self.node.start_byte

    @property
    def is_prototype(self) -> bool:
        """Tell whether it is declared without its code."""
        return self.node.child_by_field_name("body") is None

    def has(self, offset: int) -> bool:
        """Tell whether an offset is in it."""
        return self.start <= offset < self.node.end_byte

    def runs(self, offset: int) -> bool:
        """Tell whether an offset is in its body."""
        body = self.node.child_by_field_name("body")
        return body is not None and body.start_byte <= offset < body.end_byte


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument, with its name if it has one; in shorthand it is the variable of its name."""

    start: int
    end: int
    keyword: str = ""
    is_spread: bool = False
    is_shorthand: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call.

    Attributes:
        called: The name called.
        node: All of it.
        start: Where its arguments begin, behind the bracket.
        end: Where they end.
        arguments: The arguments.
        span: Where they stand with their brackets, if these go with the only argument.
    """

    called: Occurrence
    node: Node
    start: int
    end: int
    arguments: tuple[Argument, ...]
    span: tuple[int, int] | None = None

    @property
    def positional(self) -> list[Argument]:
        """Return the arguments that have no name."""
        return [one for one in self.arguments if not one.keyword]

    @property
    def spreads(self) -> bool:
        """Tell whether an argument spreads, so that it is not known what is given."""
        return any(one.is_spread for one in self.arguments)

    def gives_by_name(self, parameter: str) -> bool:
        """Tell whether an argument has the name of a parameter."""
        return any(one.keyword == parameter for one in self.arguments)


def function_at(names: Names, offset: int) -> Function | None:
    """Return the innermost function with a name in whose parameters an offset is."""
    found = reversed(functions_around(names, offset))
    return next((one for one in found if one.span[0] <= offset <= one.span[1]), None)


def functions_around(names: Names, offset: int) -> list[Function]:
    """Return the functions with a name that an offset is in, the outermost first."""
    path, kinds = names.tree.path_near(offset), _FUNCTIONS | _PROTOTYPES
    found = (
        _function(names, step.node, above.node)
        for at, (above, step) in enumerate(pairwise(path), 2)
        if step.type in kinds or (step.type, *(one.type for one in path[at : at + 1])) == _MAKER
    )
    return [one for one in found if one is not None]


def function_around(names: Names, offset: int) -> Function | None:
    """Return the outermost function with a name in whose body an offset is."""
    return next((one for one in functions_around(names, offset) if one.runs(offset)), None)


def function_node_around(tree: Tree, node: Node) -> Node | None:
    """Return the innermost function that a node is in, with a name or without."""
    return next((one for one in tree.around(node) if one.type in _ANY_FUNCTION), None)


def is_async(function: Node) -> bool:
    """Tell whether a function is a coroutine."""
    return any(x.type == "async" for one in function.children for x in (one, *one.children[:1]))


def function_of(names: Names, defined: Occurrence) -> Function | None:
    """Return the function that a definition names."""
    parent = defined.path[-2].node
    if parent.type in (*_FUNCTIONS, _MAKER[0]) and defined.path[-1].field == "name":
        return _function(names, parent, defined.path[-3].node)
    if parent.type == "variable_declarator":
        value = parent.child_by_field_name("value")
        if value is not None and value.type in _FUNCTIONS:
            return _function(names, value, parent)
    at = len(defined.path) - 1
    while defined.path[at - 1].type in _DECLARATORS:
        at -= 1
    if defined.path[-2].type in _DECLARATORS and at > 1:
        return _function(names, defined.path[at - 1].node, defined.path[at - 2].node)
    return None


def calls_of(names: Names, function: Function) -> Iterator[Call]:
    """Return the calls that mean a function, in the order of the text."""
    for one in uses_of(names, function):
        if (call := call_of(names.tree, one)) is not None:
            yield call


def uses_of(names: Names, function: Function) -> Iterator[Occurrence]:
    """Return the names that mean a function, in the order of the text."""
    if _is_overloaded(names, function):
        return
    called = list(names.of(function.name))
    words = (*names.rules.selves, _NEW) if names.rules.calls_by_name else names.rules.selves
    for word in words if function.is_constructor else ():
        called += names.of(word)
    for one in sorted(called, key=lambda each: each.start):
        if one.start != function.defined.start and _means(names, one, function):
            yield one


def call_of(tree: Tree, called: Occurrence) -> Call | None:
    """Return the call whose function is a name; None where the name is not called."""
    at = len(called.path) - 1
    if called.role is Role.MEMBER and called.path[-2].type not in _CALLS:
        at -= 1
    if at < 1:
        return None
    above = called.path[at - 1]
    if called.path[at].node == called_by(above.node) or _makes(tree, called, above.node):
        is_written = above.field == "left" and "assignment" in called.path[at - 2].type
        return None if is_written else call_at(tree, called, above.node)
    is_bare = called.rules.calls_by_name and called.path[-1].type == "identifier"
    if is_bare and called.role is Role.REFERENCE and above.type != "alias":
        return Call(called, called.path[-1].node, called.end, called.end, ())
    return None


def call_around(names: Names, offset: int) -> Call | None:
    """Return the innermost call in whose arguments an offset is."""
    for step in reversed(names.tree.path_near(offset)):
        named = called_by(step.node)
        if named is None:
            continue
        called = names.of_node(field(named, "name", "field", "property", "attribute") or named)
        maker = names.of_node(step.node.child_by_field_name("receiver"))
        if maker is not None and _makes(names.tree, maker, step.node):
            called = maker
        call = call_at(names.tree, called, step.node) if called else None
        if call is not None and call.start <= offset <= call.end:
            return call
    return None


def called_by(call: Node) -> Node | None:
    """Return what a call calls; None for what is no call."""
    if call.type not in _CALLS:
        return None
    return field(call, *_CALLED) or made_without_field(call)


def functions_named(names: Names, called: Occurrence) -> list[Function]:
    """Return the functions of this file that a called name means."""
    maker = names.rules.constructor
    named = (*names.of(called.name), *(names.of(maker) if maker else ()))
    found = [function for one in named if (function := function_of(names, one))]
    meant = [one for one in found if one.name == called.name and _means(names, called, one)]
    return [one for one in meant if not one.is_prototype] or meant


def _is_overloaded(names: Names, function: Function) -> bool:
    """Tell whether a class has several methods of a name, of which a call means any."""
    if names.tree.language not in _OVERLOADING:
        return False
    found = filter(None, (function_of(names, one) for one in names.of(function.name)))
    alike = [one for one in found if is_same_owner(one.owner, function.owner)]
    if names.tree.language != "cpp":
        return len(alike) > 1
    in_class = [one.owner is not None and one.defined.role is Role.DEFINITION for one in alike]
    declared = sum(one.is_prototype or within for one, within in zip(alike, in_class, strict=True))
    return declared > 1 or len(alike) - declared > 1


def _means(names: Names, one: Occurrence, function: Function) -> bool:
    if function.is_constructor:
        named = function.owner or "@"
        if one.name == _NEW and names.rules.calls_by_name:
            is_own = one.role is Role.REFERENCE and names.resolve(one) is None
            return is_own and class_around(names, one.path) == of_class_itself(named)
        return one.role is Role.REFERENCE and _class_of(names, one) == named
    is_bare = names.tree.language == "cpp" and names.resolve(one) is None
    if function.owner is not None and (one.role is Role.MEMBER or is_bare):
        return owner(names, one) == function.owner and not _gives_self(names, one, function)
    return (
        one.role is Role.REFERENCE
        and function.defined.role is Role.DEFINITION
        and names.resolve(one) == names.home(function.defined)
        and _is_only(names, function)
    )


def _is_only(names: Names, function: Function) -> bool:
    """Tell whether nothing else has a function's name, but for its prototypes in C."""
    defined = names.definitions(function.name, names.home(function.defined))
    is_c = function_declarator(function.node) is not None
    return len(defined) == 1 or (is_c and all(function_of(names, one) for one in defined))


def is_same_owner(one: str | None, other: str | None) -> bool:
    """Tell whether two methods, perhaps of different files, belong to classes of one name."""
    return (one or "").split("@")[0] == (other or "").split("@")[0]


def _gives_self(names: Names, one: Occurrence, function: Function) -> bool:
    """Tell whether a method of Python is taken from its class, whose call gives `self` as well."""
    if names.tree.language != "python":
        return False
    above = names.tree.around(function.node)[0]
    if is_decorated(names.tree, function.node, above, "staticmethod", "classmethod"):
        return False
    defined = names.meant_by(names.of_node(object_of(one.path[-2].node)))
    return any(each.part.kind == "class" for each in defined)


def _class_of(names: Names, one: Occurrence) -> str | None:
    if one.name in names.rules.selves:
        return class_around(names, one.path)
    defined = names.meant_by(one)
    is_class = [each.part.kind for each in defined] == ["class"]
    return class_named(names, defined[0].path[-2].node) if is_class else None


def _function(names: Names, node: Node, parent: Node) -> Function | None:
    tree = names.tree
    declarator, is_maker = function_declarator(node), node.type == _MAKER[0]
    lists = (one for one in node.named_children if one.type == _MAKER[1] and is_maker)
    listed = field(declarator or node, "parameters") or next(lists, None)
    is_value = parent.type == "variable_declarator"
    name = field(node, "name") or (field(parent, "name") if is_value else None)
    if declarator is not None:  # a variable may be made of what is in brackets
        name = declared_name(node) if parent.type != "compound_statement" else None
    defined = names.of_node(name)
    may_be_called = listed is not None or (names.rules.calls_by_name and not is_maker)
    if defined is None or defined.path[-1].node != name or not may_be_called:
        return None
    parameters, is_named = [], False
    for child in listed.named_children if listed is not None else ():
        if child.type in ("keyword_separator", "list_splat_pattern"):
            is_named = True
        parameters += parameters_of(tree, child, is_named)
    whose = class_named(names, node) if is_maker else owner(names, defined)
    is_static = is_decorated(tree, node, parent, "staticmethod")
    if tree.language == "python" and whose is not None and not is_static:
        parameters = parameters[1:]
    made = names.rules.constructor if declarator is None else (whose or "").split("@")[0]
    is_maker |= defined.name == made or node.type == "constructor_declaration"
    is_constructor = whose is not None and is_maker
    return Function(
        (whose or "").split("@")[0] if is_constructor else defined.name,
        node,
        defined,
        tuple(parameters),
        _inside(tree, listed) if listed is not None else (defined.end, defined.end),
        whose,
        is_constructor,
    )


def call_at(tree: Tree, called: Occurrence, node: Node) -> Call | None:
    """Return a call of a name that a node is; None for one without arguments in brackets."""
    listed, method = field(node, "arguments"), field(node, "method")
    if listed is None:  # of `new` in PHP
        listed = next((child for child in node.named_children if child.type == "arguments"), None)
    if listed is None and called.rules.calls_by_name:
        end = method.end_byte if method is not None else called.end
        return Call(called, node, end, end, ())
    if listed is None or listed.type not in ("arguments", "argument_list"):
        return None
    arguments = []
    for child in listed.named_children:
        if child.type in ("comment", "block_argument"):
            continue
        is_named = child.type in ("keyword_argument", "argument", "pair")
        keyword = field(child, "name", "key") if is_named else None
        text = called.rules.sigil + tree.of(keyword) if keyword else ""
        given = first_child(child) if child.type == "argument" else child
        is_spread = given is not None and given.type in _SPREADS
        is_spread |= child.type == "pair" and not text.isidentifier()
        is_shorthand = child.type == "pair" and child.child_by_field_name("value") is None
        one = Argument(child.start_byte, child.end_byte, text, is_spread, is_shorthand)
        arguments.append(one)
    start, end = _inside(tree, listed)
    span = (method.end_byte, listed.end_byte) if method is not None else None
    return Call(called, node, start, end, tuple(arguments), span)


def _inside(tree: Tree, listed: Node) -> tuple[int, int]:
    """Return where a list stands, without its brackets, which in Ruby it may lack."""
    start, end = listed.start_byte, listed.end_byte
    may_lack = listed.type in ("method_parameters", "argument_list")
    is_bare = may_lack and not tree.text.startswith("(", start)
    return (start, end) if is_bare else (start + 1, max(start + 1, end - 1))


def _makes(tree: Tree, called: Occurrence, node: Node) -> bool:
    """Tell whether a call makes an object of a class, by a method of the class."""
    if not called.rules.calls_by_name or called.path[-1].field != "receiver":
        return False
    return called.path[-2].node == node and tree.of(field(node, "method")) == _NEW
