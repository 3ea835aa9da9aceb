"""The scopes of JavaScript and TypeScript."""

from dataclasses import replace

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, around, first_child, word_set

_NAMED = """
    function_declaration function_expression generator_function generator_function_declaration
    arrow_function
"""
_FUNCTIONS = word_set(_NAMED + "method_definition")
_CLASSES = """
    class_declaration abstract_class_declaration interface_declaration type_alias_declaration
"""
_METHODS = "method_definition method_signature abstract_method_signature"
_FIELDS = "public_field_definition field_definition property_signature"


class ScriptRules(Rules):
    """The scopes of JavaScript and TypeScript."""

    leaves = word_set("""
        identifier property_identifier private_property_identifier type_identifier
        shorthand_property_identifier shorthand_property_identifier_pattern
    """)
    builtins = word_set("""
        AbortController AbortSignal Array ArrayBuffer BigInt Blob Boolean Buffer CustomEvent Date
        Document Element Error Event EventTarget File FormData Function HTMLElement Headers Infinity
        Intl Iterable Iterator JSON Map Math NaN Node Number Object Omit Partial Pick Promise Proxy
        Range RangeError Readonly ReadonlyArray Record Reflect RegExp Request Required Response
        ReturnType Set String Symbol SyntaxError TypeError URL URLSearchParams Uint8Array WeakMap
        WeakSet Worker XMLHttpRequest __dirname __filename afterEach alert arguments atob beforeEach
        btoa clearInterval clearTimeout confirm console const crypto decodeURIComponent describe
        document encodeURIComponent eval event expect exports fetch global globalThis history isNaN
        it jest localStorage location module navigator parseFloat parseInt performance process
        prompt queueMicrotask require requestAnimationFrame screen self sessionStorage setInterval
        setTimeout structuredClone test undefined vi window
    """)
    has_other_files = False
    constructor = "constructor"
    outside = {
        "": """
            program statement_block for_statement catch_clause switch_body class_static_block
            function_expression generator_function class
        """,
        "name": f"""
            function_declaration generator_function_declaration arrow_function function_signature
            function_type constructor_type call_signature construct_signature {_METHODS} {_CLASSES}
        """,
        "right": "for_in_statement",
    }
    rows = {
        roles.MEMBER: "member_expression.property nested_type_identifier",
        roles.METHOD_OF_CLASS: _METHODS,
        roles.FIELD_OF_CLASS: f"{_FIELDS} field_definition.property",
        roles.KEYWORD: "jsx_attribute.*",
        roles.FUNCTION: f"{_NAMED} function_signature",
        roles.CLASS: f"{_CLASSES} class enum_declaration type_parameter",
        Part(Role.DEFINITION, "class", extent=-3): "mapped_type_clause",
        roles.VARIABLE: "internal_module module",
        roles.PARAMETER: "arrow_function.parameter",
        roles.IMPORT: "import_clause.* namespace_import.* import_require_clause.*",
        roles.OTHER: "export_specifier.alias index_signature",
    }
    patterns = word_set("""
        object_pattern array_pattern rest_pattern pair_pattern assignment_pattern
        object_assignment_pattern
    """)
    apart = word_set("assignment_pattern.right object_assignment_pattern.right pair_pattern.key")
    bound = {
        roles.PARAMETER: """
            required_parameter.pattern required_parameter
            optional_parameter.pattern optional_parameter formal_parameters.*
        """,
        roles.VARIABLE: "catch_clause.parameter",
    }

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        if leaf.type in ("property_identifier", "private_property_identifier"):
            return roles.KEY
        if leaf.type == "shorthand_property_identifier":
            return roles.SHORTHAND
        if parent.type == "import_specifier":
            is_bound = leaf.field == "alias" or not parent.node.child_by_field_name("alias")
            return roles.IMPORT if is_bound else roles.OTHER
        if parent.type == "export_specifier" and leaf.field == "name":
            return roles.OTHER if path[-4].node.child_by_field_name("source") else roles.REFERENCE
        if parent.type == "infer_type" and leaf.node == first_child(parent.node):
            condition = around(path, "conditional_type") or -2
            return Part(Role.DEFINITION, "class", extent=condition)
        if "jsx" in parent.type and parent.type.endswith("element") and leaf.field == "name":
            return roles.OTHER if name[:1].islower() else roles.REFERENCE
        is_shorthand = leaf.type == "shorthand_property_identifier_pattern"
        return replace(self._part_bound(path), is_shorthand=is_shorthand)

    def _part_bound(self, path: Path) -> Part:
        at = self._outermost(path)
        above = path[at - 1]
        match above.type, path[at].field:
            case "variable_declarator", "name":
                return self._variable(path, path[at - 2].type == "variable_declaration")
            case "for_in_statement", "left" if kind := above.node.child_by_field_name("kind"):
                return self._variable(path, kind.type == "var")
        return super()._part_bound(path)

    def _variable(self, path: Path, is_var: bool) -> Part:
        """Return a variable, which belongs to the function around it if `var` declares it."""
        level = roles.level(self.scopes(path), "program", *_FUNCTIONS) if is_var else 0
        return replace(roles.VARIABLE, level=level)
