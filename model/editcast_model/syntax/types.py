"""Types as they are written: of elements, of flags, of what a class extends, without a name."""

import re

from tree_sitter import Node

from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child, word_set

#: What a type is wrapped in: `*T`, `&T{}`, `: T`.
WRAPPED = word_set("type type_annotation pointer_type unary_expression named_type optional_type")
_LOOPS = ("for_statement", "for_in_clause", "for_in_statement")
#: Methods that call a function with each element.
_EACH = word_set("every filter find findIndex flatMap forEach map some")
#: Functions of Python that go through their first argument.
_ORDERING = ("max", "min", "sorted")
#: Types whose first parameter is the type of their elements.
_COLLECTIONS = word_set("""
    list List set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable Iterator
    Collection deque Deque Array ReadonlyArray ReadonlySet
""")
#: What a class extends and implements, and words there that say nothing about it.
_BASES = re.compile(
    "argument_list|heritage|extends|superclass|super_interfaces|base_(class_)?(clause|list)"
    "|class_interface_clause"
)
_NO_BASES = word_set("object extends implements ABC Protocol Generic metaclass")
#: Types of nodes that declare fields, and of those around them up to their class.
_FIELDS = word_set("property_signature field_declaration assignment formal_parameter parameter")
_AROUND_FIELDS = word_set("""
    interface_body object_type union_type block expression_statement struct_type parameter_list
    field_declaration_list formal_parameters
""")
#: What defines a flag in Go, as a pointer to its value.
_FLAG = re.compile(r"p?flag\.(Bool|Int|Int64|Uint|Uint64|Float64|String|Duration)\(")
#: What gives a component of Vue its properties, and what takes that with their defaults.
_PROPERTIES, _WITH_DEFAULTS = "defineProps", "withDefaults"


def looped_over(names: Names, one: Occurrence) -> Node | None:
    """Return the collection that a loop variable or a function's parameter goes through.

    None for other definitions, and for those whose own type is written down.
    """
    leaf, above = one.path[-1], one.path[-2]
    if above.node.child_by_field_name("type") is not None:
        return None
    if above.type in _LOOPS and leaf.field == "left":
        is_in = any(child.type == "in" for child in above.node.children)
        is_keys = above.type == "for_in_statement" and is_in
        return None if is_keys else above.node.child_by_field_name("right")
    if above.type == "expression_list" and one.path[-3].type == "range_clause":
        is_value = above.node.named_child_count == 2 and leaf.node == above.node.named_child(1)
        return one.path[-3].node.child_by_field_name("right") if is_value else None
    if above.type == "lambda_parameters" and one.path[-4].type == "keyword_argument":
        return _ordered(names, one.path[-4].node)
    at = len(one.path) - 1
    while one.path[at - 1].type in ("required_parameter", "formal_parameters"):
        if one.path[at].node != first_child(one.path[at - 1].node):
            return None
        at -= 1
    if at < 3 or one.path[at - 1].type != "arrow_function" or one.path[at - 2].type != "arguments":
        return None
    called = field(one.path[at - 3].node, "function")
    is_each = names.tree.of(field(called, "property")) in _EACH
    return field(called, "object") if is_each else None


def _ordered(names: Names, keyword: Node) -> Node | None:
    """Return the collection that a call of Python goes through in the order of a `key`."""
    called = field(keyword.parent.parent if keyword.parent is not None else None, "function")
    is_key = names.tree.of(field(keyword, "name")) == "key"
    if is_key and names.tree.of(called) in _ORDERING:
        return first_child(keyword.parent)
    is_sort = is_key and names.tree.of(field(called, "attribute")) == "sort"
    return field(called, "object") if is_sort else None


def element_of(names: Names, kind: Node | None) -> Node | None:
    """Return the type of the elements of a collection, by the collection's type."""
    while kind is not None and kind.type in (*WRAPPED, "readonly_type"):
        kind = first_child(kind)
    if kind is None:
        return None
    if kind.type in ("array_type", "slice_type", "map_type"):
        return field(kind, "element", "value") or first_child(kind)
    if kind.type == "generic_type" and kind.named_child_count == 2:
        name, listed = kind.named_children
        if names.tree.of(name) in _COLLECTIONS:
            return first_child(listed)
    return None


def bases_of(names: Names, node: Node) -> frozenset[str]:
    """Return the words for what a class extends and implements."""
    bases = (child for child in node.children if _BASES.search(child.type))
    words = {word for base in bases for word in WORD.findall(names.tree.of(base))}
    return frozenset(words - _NO_BASES)


def fields_of(names: Names, kind: str) -> dict[str, str]:
    """Return the fields of the only class of a name in this file, each with its type."""
    classes = [one for one in names.of(kind) if one.part.kind == "class"]
    return fields_in(names.tree, classes[0].path[-2].node) if len(classes) == 1 else {}


def fields_in(tree: Tree, node: Node) -> dict[str, str]:
    """Return the fields that a class declares, or a type without a name, each with its type."""
    found = dict[str, str]()
    for one in node.named_children:
        if one.type in _FIELDS:
            kind = tree.of(field(one, "type")).lstrip(": ")
            named = one.children_by_field_name("name") or one.children_by_field_name("left")
            found |= {tree.of(each): kind for each in named if kind}
        elif one.type in _AROUND_FIELDS:
            found |= fields_in(tree, one)
    return found


def is_own_type(node: Node) -> bool:
    """Tell whether a type of TypeScript has no name, and is written where it is used."""
    above = node.parent if node.type == "object_type" else None
    return above is not None and above.type in ("type_annotation", "type_arguments")


def properties_of(names: Names) -> Node | None:
    """Return the call that gives a component of Vue its properties, if it has a script for it."""
    found = names.of(_PROPERTIES) if names.tree.language == "vue" else ()
    return next((one.path[-2].node for one in found if one.role is Role.REFERENCE), None)


def given_to(names: Names, call: Node) -> Node | None:
    """Return the type or literal of the properties that a call of Vue returns."""
    if names.tree.of(field(call, "function")) not in (_PROPERTIES, _WITH_DEFAULTS):
        return None
    return first_child(field(call, "type_arguments", "arguments"))


def type_of_option(text: str, name: str) -> str:
    """Return the type of an option of `argparse` or Click; empty where a text does not say it."""
    option = re.escape(name.replace("_", "-"))
    found = re.search(rf"""["']--{option}["']([^()]*(?:\([^()]*\)[^()]*)*)\)""", text)
    if found is None:
        return ""
    if re.search(r"action=[\"']store_(?:true|false)|is_flag=True", found[1]):
        return "bool"
    kind = re.search(r"\btype=(int|float|str|Path)\b", found[1])
    return kind[1] if kind else ""


def type_of_flag(names: Names, defined: Occurrence) -> str:
    """Return the type of the value that a flag of Go points at; empty for other variables."""
    if names.tree.language != "go":
        return ""
    around = (step.node for step in reversed(defined.path[:-1]))
    value = next((found for node in around if (found := field(node, "right", "value"))), None)
    flag = _FLAG.match(names.tree.of(value))
    if flag is None:
        return ""
    return "time.Duration" if flag[1] == "Duration" else flag[1].lower()
