"""The scopes of JavaScript and TypeScript."""

from editcast_model.syntax.roles import OTHER, REFERENCE, Part, Role, Rules
from editcast_model.syntax.tree import Path

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
    }
)
_SIGNATURES = frozenset(
    {
        "function_signature",
        "method_signature",
        "abstract_method_signature",
        "function_type",
        "constructor_type",
        "call_signature",
        "construct_signature",
    }
)
_BLOCKS = frozenset(
    {"program", "statement_block", "for_statement", "catch_clause", "switch_body"}
    | {"class_static_block"}
)
CLASSES = frozenset(
    {"class_declaration", "class", "abstract_class_declaration", "interface_declaration"}
    | {"type_alias_declaration"}
)
_NAMED = {
    **dict.fromkeys(
        ("function_declaration", "generator_function_declaration", "function_signature"), "function"
    ),
    **dict.fromkeys(
        ("class_declaration", "abstract_class_declaration", "interface_declaration"), "class"
    ),
    **dict.fromkeys(("type_alias_declaration", "enum_declaration"), "class"),
    **dict.fromkeys(("internal_module", "module"), "variable"),
}
_PATTERNS = frozenset(
    {"object_pattern", "array_pattern", "rest_pattern", "pair_pattern"}
    | {"assignment_pattern", "object_assignment_pattern"}
)
_DECLARED_MEMBERS = {
    "method_definition": "method",
    "method_signature": "method",
    "abstract_method_signature": "method",
    "public_field_definition": "field",
    "field_definition": "field",
    "property_signature": "field",
}
_BUILTINS = """
    AbortController AbortSignal Array ArrayBuffer BigInt Blob Boolean Buffer CustomEvent Date
    Document Element Error Event EventTarget File FormData Function HTMLElement Headers Infinity
    Intl Iterable Iterator JSON Map Math NaN Node Number Object Omit Partial Pick Promise Proxy
    Range RangeError Readonly ReadonlyArray Record Reflect RegExp Request Required Response
    ReturnType Set String Symbol SyntaxError TypeError URL URLSearchParams Uint8Array WeakMap
    WeakSet Worker XMLHttpRequest __dirname __filename afterEach alert arguments atob beforeEach
    btoa clearInterval clearTimeout confirm console const crypto decodeURIComponent describe
    document encodeURIComponent eval event expect exports fetch global globalThis history isNaN it
    jest localStorage location module navigator parseFloat parseInt performance process prompt
    queueMicrotask require requestAnimationFrame screen self sessionStorage setInterval setTimeout
    structuredClone test undefined vi window
"""


class ScriptRules(Rules):
    """The scopes of JavaScript and TypeScript."""

    leaves = frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "type_identifier",
        }
    )
    builtins = frozenset(_BUILTINS.split())
    has_other_files = False
    constructor = "constructor"

    def opens(self, path: Path, index: int) -> bool:
        """Tell whether a node opens a scope for the next one."""
        return _is_inside(path[index].type, path[index + 1].field)

    def part(self, path: Path, name: str) -> Part:
        """Return what a name is."""
        leaf, parent = path[-1], path[-2]
        if leaf.type in ("property_identifier", "private_property_identifier"):
            return _member(path)
        if leaf.type == "shorthand_property_identifier":
            return Part(Role.REFERENCE, is_shorthand=True)
        named = _NAMED.get(parent.type)
        if named and leaf.field == "name":
            return Part(Role.DEFINITION, named)
        match parent.type, leaf.field:
            case (("function_expression" | "generator_function"), "name"):
                return Part(Role.DEFINITION, "function")
            case "class", "name":
                return Part(Role.DEFINITION, "class")
            case "arrow_function", "parameter":
                return Part(Role.DEFINITION, "parameter")
            case "type_parameter", "name":
                return Part(Role.DEFINITION, "class")
            case (("import_clause" | "namespace_import" | "import_require_clause"), _):
                return Part(Role.DEFINITION, "import")
            case "import_specifier", _:
                is_bound = leaf.field == "alias" or not parent.node.child_by_field_name("alias")
                return Part(Role.DEFINITION, "import") if is_bound else OTHER
            case ("export_specifier", "alias") | ("index_signature", "name"):
                return OTHER
            case "export_specifier", "name":
                return OTHER if path[-4].node.child_by_field_name("source") else REFERENCE
            case "nested_type_identifier", "name":
                return Part(Role.MEMBER)
        if "jsx" in parent.type and parent.type.endswith("element") and leaf.field == "name":
            return OTHER if name[:1].islower() else REFERENCE
        return _target(path)


def _is_inside(kind: str, field: str | None) -> bool:
    """Tell whether a child is in the scope that a node opens."""
    if kind in _BLOCKS:
        return True
    if kind == "for_in_statement":
        return field != "right"
    if kind in ("function_expression", "generator_function", "class"):
        return True
    return (kind in FUNCTIONS or kind in _SIGNATURES or kind in CLASSES) and field != "name"


def _member(path: Path) -> Part:
    parent, field = path[-2].type, path[-1].field
    if parent == "member_expression":
        return Part(Role.MEMBER)
    if parent in _DECLARED_MEMBERS and field in ("name", "property"):
        return Part(Role.MEMBER_DEFINITION, _DECLARED_MEMBERS[parent])
    if parent == "jsx_attribute":
        return Part(Role.KEYWORD)
    return Part(Role.KEY)


def _target(path: Path) -> Part:
    """Return a name that may be in the pattern of a declaration."""
    at, is_shorthand = len(path) - 1, path[-1].type == "shorthand_property_identifier_pattern"
    while path[at - 1].type in _PATTERNS and path[at].field not in ("right", "key"):
        at -= 1
    above, field = path[at - 1], path[at].field
    found = REFERENCE
    if above.type == "variable_declarator" and field == "name":
        is_var = path[at - 2].type == "variable_declaration"
        level = _function_level(path) if is_var else 0
        found = Part(Role.DEFINITION, "variable", level=level, is_shorthand=is_shorthand)
    elif (
        above.type in ("required_parameter", "optional_parameter") and field in ("pattern", "name")
    ) or above.type == "formal_parameters":
        found = Part(Role.DEFINITION, "parameter", is_shorthand=is_shorthand)
    elif above.type == "catch_clause" and field == "parameter":
        found = Part(Role.DEFINITION, "variable", is_shorthand=is_shorthand)
    elif above.type == "for_in_statement" and field == "left":
        kind = above.node.child_by_field_name("kind")
        if kind is not None:
            level = _function_level(path) if kind.type == "var" else 0
            found = Part(Role.DEFINITION, "variable", level=level, is_shorthand=is_shorthand)
    return Part(Role.REFERENCE, is_shorthand=True) if found is REFERENCE and is_shorthand else found


def _function_level(path: Path) -> int:
    """Compute how many scopes are between a name and the function around it."""
    level = 0
    for index in reversed(range(len(path) - 1)):
        kind = path[index].type
        if _is_inside(kind, path[index + 1].field):
            if kind == "program" or kind in FUNCTIONS:
                break
            level += 1
    return level
