"""Members, and the class, interface or struct of this file that they belong to.

Types are not inferred: an object's type is known where it is `self` or `this`, where its one
definition names it, where it is made on the spot, and where a function says what it returns.
"""

import re

from tree_sitter import Node

from editcast_model.syntax.declarators import declared_name, function_declarator
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.parameters import is_decorated
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Path, around, field, first_child, type_declared, word_set
from editcast_model.syntax.types import (
    WRAPPED,
    element_of,
    given_to,
    is_own_type,
    looped_over,
    properties_of,
)

_CLASS_NODES = word_set("""
    class_definition class_declaration class abstract_class_declaration interface_declaration
    type_alias_declaration type_spec enum_declaration record_declaration trait_declaration
    annotation_type_declaration struct_declaration struct_item enum_item union_item trait_item
    struct_specifier union_specifier class_specifier enum_specifier module anonymous_class
""")
#: Types of scopes whose fields and methods are members: class bodies of Java, C#, C++ and Ruby.
_BODIES = word_set("""
    class_body interface_body enum_body declaration_list field_declaration_list instance singleton
    constants
""")
_DECLARED = ("field", "method", "attribute", "constant")
#: Kinds of members that may share a name.
_APART = frozenset({"method", "field", "field of the class", "constant"})
_TYPES = word_set("identifier type_identifier name variable_name constant")
#: Types of names that are members of `self` by their spelling.
_OF_SELF = ("instance_variable", "class_variable")
#: Types of nodes that name something in a module: `shop.Basket`.
_QUALIFIED = word_set(
    "attribute member_expression selector_expression qualified_type nested_type_identifier"
)
#: The fields that contain the object of a member.
_OBJECTS = ("object", "operand", "expression", "path", "value", "argument", "scope", "receiver")
#: A constructor function of Go, with the name of its type.
_MAKER = re.compile(r"(\w+\.)?New([A-Z]\w*)$")
#: Languages in which an unknown name with a capital letter is a class of another file.
_CAPITAL = ("java", "ruby", "php", "csharp")
_DEEPEST = 3  # variables that are given the value of another
#: The most nested look-ups of owners, such as those of `c`, `b` and `a` in `x.a.b.c`.
_MOST_SOUGHT = 50
_MADE_BY = {
    "call": "function",
    "new_expression": "constructor",
    **dict.fromkeys(("struct_expression", "struct_specifier", "template_type"), "name"),
    **dict.fromkeys(("composite_literal", "object_creation_expression"), "type"),
    **dict.fromkeys(("generic_type", "reference_type", "type_descriptor"), "type"),
    "subscript_expression": "argument",
}


def is_member(one: Occurrence) -> bool:
    """Tell whether a name is a member of something, or declares one."""
    return one.role is Role.MEMBER or is_declared_member(one)


def is_declared_member(one: Occurrence) -> bool:
    """Tell whether a name declares a member."""
    if one.role is not Role.DEFINITION:
        return one.role is Role.MEMBER_DEFINITION
    is_of_body = one.scope.type in _BODIES and one.part.kind in _DECLARED
    is_of_python = one.scope.type == "class_definition" and one.part.level == 0
    return is_of_python or is_of_body or _is_parameter_property(one)


def are_apart(one: Occurrence, other: Occurrence) -> bool:
    """Tell whether one of two members is a method, say, and the other a field of the same name."""
    return one.part.kind != other.part.kind and {one.part.kind, other.part.kind} <= _APART


def owner(names: Names, one: Occurrence) -> str | None:
    """Return what a member belongs to; None where the text does not say.

    The same text names the same class within one tree, and no other.
    """
    if one.start not in names.owners and names.owners_sought < _MOST_SOUGHT:
        names.owners[one.start] = None  # a value may be taken from itself: `node = node.next`
        names.owners_sought += 1
        try:
            names.owners[one.start] = _owner(names, one)
        finally:
            names.owners_sought -= 1
    return names.owners.get(one.start)


def _owner(names: Names, one: Occurrence) -> str | None:
    parent = one.path[-2].node
    receiver = first_child(field(parent, "receiver"))
    if one.role is Role.MEMBER_DEFINITION and receiver is not None:  # in Go
        return _declared_type(names, receiver)
    if one.role is Role.MEMBER_DEFINITION and parent.type == "qualified_identifier":
        return _type_of(names, object_of(parent))
    if is_declared_member(one) or parent.type == "constructor_declaration":
        return class_around(names, one.path)
    if one.path[-1].type in _OF_SELF:  # outside of classes all share one object
        return class_around(names, one.path) or "@0"
    if one.role is Role.KEY or one.part.is_shorthand:
        return _owner_of_key(names, one)
    if one.role is Role.REFERENCE and names.tree.language == "vue":
        given = properties_of(names)
        return _type_of(names, given) if given and names.resolve(one) is None else None
    if one.role is Role.REFERENCE and names.tree.language == "cpp":  # in a method
        return class_around(names, one.path) if names.resolve(one) is None else None
    if one.role is not Role.MEMBER:
        return None
    thing = object_of(parent)
    if thing is None:  # in Java a method of this class, or of one around it
        return class_around(names, one.path) if parent.type == "method_invocation" else None
    if thing.type == "this":  # a function of a script has its own
        function = around(one.path, "function_declaration", "function_expression")
        return class_around(names, one.path[function:])
    if names.tree.of(thing) in names.rules.selves:
        return class_around(names, one.path)
    if thing.type not in _TYPES:
        return _type_of(names, thing)
    found = _owner_of_object(names, thing)
    is_class = thing.type == "constant" and one.part.kind == "method"
    return of_class_itself(found) if found is not None and is_class else found


def object_of(node: Node) -> Node | None:
    """Return what a member is taken from, by the node around the member."""
    if node.type in ("method_reference", "class_constant_access_expression"):
        return node.children[0]
    return field(node, *_OBJECTS)


def made_without_field(node: Node) -> Node | None:
    """Return the class of `new Shop()` in PHP, whose grammar gives it no field."""
    made = first_child(node) if node.type == "object_creation_expression" else None
    return made if made is not None and made.type in _TYPES else None


def key_owner(names: Names, thing: Node) -> str | None:
    """Return what a key in brackets behind an object belongs to, by `owner`'s names."""
    return _owner_of_object(names, thing) if thing.type in _TYPES else None


def fields_defined(names: Names, name: str, whose: str) -> list[Occurrence]:
    """Find where a member of a class is declared, or first given a value."""
    defined = (one for one in names.of(name) if is_declared_member(one) or is_assigned(one))
    return [one for one in defined if owner(names, one) == whose]


def is_assigned(one: Occurrence) -> bool:
    """Tell whether a member is given a value."""
    if one.role is not Role.MEMBER or len(one.path) < 3:
        return False
    at = -1 if one.path[-1].type in _OF_SELF else -2
    is_left = one.path[at].field == "left" and "assignment" in one.path[at - 1].type
    return is_left or one.path[at - 1].type == "left_assignment_list"


def defines_member(names: Names, one: Occurrence, whose: str) -> bool:
    """Tell whether a member of a class is declared where it stands, or first given a value."""
    defined = fields_defined(names, one.name, whose)
    return is_declared_member(one) or any(each.start == one.start for each in defined)


def _is_parameter_property(one: Occurrence) -> bool:
    parent = one.path[-2]
    return parent.type in ("required_parameter", "optional_parameter") and any(
        child.type in ("accessibility_modifier", "readonly") for child in parent.node.children
    )


def class_named(names: Names, node: Node) -> str:
    """Return what the members of a class belong to, by `owner`'s names."""
    above = node if node.type == "type_definition" else node.parent
    if above is None or above.type != "type_definition":
        return f"{names.tree.of(node.child_by_field_name('name'))}@{node.start_byte}"
    kind = field(above, "type") or node  # of C, which has the name that others call it by
    if kind.child_by_field_name("body") is None:
        return (_type_of(names, kind) if kind.type in _CLASS_NODES else None) or "@"
    return f"{names.tree.of(declared_name(above))}@{kind.start_byte}"


def of_class_itself(whose: str) -> str:
    """Return what the members of a class itself belong to, by what those of its objects do."""
    return whose.replace("@", ".self@")


def class_around(names: Names, path: Path) -> str | None:
    """Return what the members of `self` belong to, by `owner`'s names."""
    is_in_method = False
    for step in reversed(path[:-1]):
        is_in_method |= step.type == "method_definition"
        if step.type == "function_definition":
            scope = object_of(field(function_declarator(step.node), "declarator") or step.node)
            if scope is not None:
                return _type_of(names, scope)
        if is_own_type(step.node):
            return f"@{step.node.start_byte}"
        if step.type in _CLASS_NODES:
            whose = class_named(names, step.node)
            return of_class_itself(whose) if names.rules.is_of_class(path) else whose
        if step.type == "impl_item":
            return _type_of(names, field(step.node, "type"))
        if step.type == "object" and is_in_method:
            return None  # elsewhere in it `this` is that around it
    return None


def class_of_method(path: Path) -> Node | None:
    """Return the class in whose body the node at the end of a path is, or its decorators are."""
    above = [step for step in path[:-1] if step.type != "decorated_definition"]
    found = above[-2].node if len(above) > 1 else None
    return found if found is not None and found.type in _CLASS_NODES else None


def _owner_of_key(names: Names, one: Occurrence) -> str | None:
    is_element = False  # of an array in C
    for index in reversed(range(len(one.path))):
        step, above = one.path[index], one.path[index - 1].node
        if step.type == "composite_literal":
            element = element_of(names, field(step.node, "type"))
            return _type_of(names, element or step.node)
        if step.type in ("object_creation_expression", "struct_expression"):
            return _type_of(names, step.node)
        if step.type == "initializer_list":
            given = first_child(above)
            if "list" in above.type or (given and given.type == "subscript_designator"):
                is_element = True
                continue
            is_array = "array_declarator" in {one.type for one in above.children}
            return _type_of(names, type_declared(above)) if is_array or not is_element else None
        if step.type in ("object", "object_pattern"):
            kind = field(above, "type")
            if kind is None and above.type == "array":
                kind = element_of(names, field(one.path[index - 2].node, "type"))
            if kind is None and step.type == "object":
                return f"@{step.node.start_byte}"
            return _type_of(names, kind) if kind is not None else _declared_type(names, above)
    return None


def _owner_of_object(names: Names, thing: Node, depth: int = 0) -> str | None:
    found = names.of_node(thing)
    if found is None:
        return None
    if names.resolve(found) is None:  # one of the same package, or any one
        is_class = names.tree.language in _CAPITAL and found.name[0].isupper()
        return f"{found.name}@" if is_class else None
    defined = names.meant_by(found)
    if len(defined) != 1:
        return None
    (one,) = defined
    if one.part.kind == "import":  # a class of another file, as it is called here
        return f"{found.name}@"
    if one.part.kind == "class":
        return class_named(names, one.path[-2].node)
    if _is_self(names, one):
        return class_around(names, one.path)
    collection = looped_over(names, one)
    if collection is not None:
        kind = _type_written(names, collection) if depth < _DEEPEST else None
        return _type_of(names, element_of(names, kind), depth + 1)
    above = one.path[-2].node
    if above.type == "expression_list" and first_child(above) != one.path[-1].node:
        return None  # a further result
    return _declared_type(names, above, depth)


def _type_written(names: Names, thing: Node) -> Node | None:
    """Return the written type of a variable, or of a field where its class is known."""
    is_name = thing.type in _TYPES
    defined = names.meant_by(names.of_node(thing)) if is_name else _fields_meant(names, thing)
    written = (field(one.path[-2].node, "type") for one in defined)
    return next((one for one in written if one is not None), None)


def _is_self(names: Names, one: Occurrence) -> bool:
    """Tell whether a definition is the first parameter of a method of Python."""
    parameters = one.path[-2]
    if names.tree.language != "python" or parameters.type != "parameters":
        return False
    declared = (each for each in parameters.node.named_children if each.type != "comment")
    if next(declared, None) != one.path[-1].node or class_of_method(one.path[:-2]) is None:
        return False
    above, function = (step.node for step in one.path[-4:-2])
    return not is_decorated(names.tree, function, above, "staticmethod")


def _declared_type(names: Names, node: Node, depth: int = 0) -> str | None:
    """Return the type that a declaration gives to what it declares."""
    kind = type_declared(node)
    while node.parent is not None and node.type in ("reference_declarator", "pointer_declarator"):
        node = node.parent
    if kind is not None and names.tree.of(kind) not in ("var", "auto"):
        return _type_of(names, kind, depth)
    if node.type in ("expression_list", "as_pattern_target"):  # Go's `a := T{}`, `with T() as a`
        node = node.parent or node
    value = first_child(node) if node.type == "as_pattern" else field(node, "value", "right")
    if value is None and node.type == "variable_declarator" and node.named_child_count == 2:
        value = node.named_children[1]  # in C#
    if value is not None and value.type == "expression_list" and value.named_child_count == 1:
        value = first_child(value)
    return _type_of(names, value, depth)


def _type_of(names: Names, node: Node | None, depth: int = 0) -> str | None:
    """Return the class of this file that a type, or an expression that makes one, names."""
    while node is not None and (node.type in WRAPPED or _annotated(names, node) is not None):
        node = _annotated(names, node) or first_child(node)
    if node is None:
        return None
    if node.type in ("object", "dictionary", "hash") or is_own_type(node):
        return f"@{node.start_byte}"
    if node.type == "call_expression":
        given = given_to(names, node)
        return _type_of(names, given, depth) if given is not None else _result_of(names, node)
    maker = _MADE_BY.get(node.type)
    if names.tree.of(node.child_by_field_name("method")) == "new":
        maker = "receiver"
    if maker:
        return _type_of(names, field(node, maker) or made_without_field(node), depth)
    if node.type in _QUALIFIED:
        return _imported_type(names, node) or _type_of_field(names, node, depth)
    if node.type not in _TYPES and node.type != "namespace_identifier":
        return None
    name = names.tree.of(node)
    if name in names.rules.selves:
        return class_around(names, names.tree.path(node.start_byte))
    classes = [one for one in names.of(name) if one.part.kind == "class"]
    if len(classes) == 1:
        return class_named(names, classes[0].path[-2].node)
    if classes or depth > _DEEPEST:
        return None
    found = names.at(node.start_byte) if node.type != "type_identifier" else None
    if found is not None and names.resolve(found) is not None:  # another variable's value
        return _owner_of_object(names, node, depth + 1)
    return None if node.type == "variable_name" else f"{name}@"


def _annotated(names: Names, node: Node) -> Node | None:
    """Return the type in an `Annotated` of Python; None for another type."""
    is_one = node.type in ("generic_type", "subscript") and node.named_child_count > 1
    if not is_one or names.tree.of(first_child(node)) != "Annotated":
        return None
    given = node.named_children[1]
    return given if node.type == "subscript" else first_child(given)


def _fields_meant(names: Names, node: Node) -> list[Occurrence]:
    """Find where the field that a node takes from an object is declared, or first given a value."""
    found = names.of_node(field(node, "attribute", "property", "field"))
    whose = owner(names, found) if found and found.role is Role.MEMBER else None
    return fields_defined(names, found.name, whose) if found and whose else []


def _type_of_field(names: Names, node: Node, depth: int) -> str | None:
    """Return the type of a field whose class is known: it is declared, or that of its value."""
    defined = _fields_meant(names, node) if depth <= _DEEPEST else ()
    declared = (one.path[-2 if is_declared_member(one) else -3].node for one in defined)
    types = {_declared_type(names, each, depth + 1) for each in declared} - {None}
    return types.pop() if len(types) == 1 else None


def _result_of(names: Names, call: Node) -> str | None:
    """Return the type that a function of this file returns, or one of Go that is named for it."""
    called = field(call, "function")
    defined = names.meant_by(names.of_node(called))
    if called is not None and called.type == "identifier" and len(defined) == 1:
        above = [step.node for step in defined[0].path[:-1]]
        is_c = above[-1].type == "function_declarator"
        declared = next(filter(function_declarator, above), None) if is_c else None
        result = field(declared or above[-1], "result", "return_type", "type")
        if result is not None and result.type == "parameter_list":  # Go's, with an error
            result = type_declared(first_child(result))
        return _type_of(names, result)
    made = _MAKER.match(names.tree.of(called)) if names.tree.language == "go" else None
    return f"{made[1] or ''}{made[2]}@" if made else None


def _imported_type(names: Names, node: Node) -> str | None:
    """Return the class of another file that is named by its module, as it is written here."""
    module = names.of_node(node)
    defined = names.meant_by(module)
    is_imported = all(one.part.kind == "import" for one in defined)
    # Packages of Go are named by their paths.
    if module is None or not is_imported or not (defined or names.tree.language == "go"):
        return None
    return f"{names.tree.of(node)}@"
