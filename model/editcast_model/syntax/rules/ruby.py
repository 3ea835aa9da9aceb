"""The scopes of Ruby.

A bare name is a local variable where one was assigned before, else a method. Methods see none of
the local variables around them, blocks see all. A class has two sets of methods, those of its
objects and its own; each is a scope of its own, and so are its constants.
"""

from collections.abc import Sequence
from dataclasses import replace

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules, Scope, level
from editcast_model.syntax.tree import Path, Tree, around, first_child, word_set

_METHODS = ("method", "singleton_method")
_METHOD = Part(Role.REFERENCE, "method")
_CLASSES = ("class", "module")
_BLOCKS = ("block", "do_block", "lambda")
_SIGILS = {"instance_variable": 1, "class_variable": 2}
#: Types of assignments, with the field that contains the names.
_ASSIGNING = {
    **dict.fromkeys(("assignment", "operator_assignment"), "left"),
    **dict.fromkeys(("for", "in_clause", "match_pattern", "test_pattern"), "pattern"),
    "exception_variable": None,
}
#: Calls whose symbols name methods: accessors; those whose first symbol is new; existing methods.
_ATTRIBUTES = word_set("attr_reader attr_writer attr_accessor")
_DEFINING = word_set("define_method alias_method let let! subject subject!")
_NAMING = word_set("""
    private protected public private_class_method public_class_method method module_function
    alias_method instance_method remove_method undef_method
""")


class RubyRules(Rules):
    """Ruby's scopes."""

    leaves = word_set("""
        identifier constant global_variable hash_key_symbol instance_variable class_variable
    """)
    builtins = word_set("""
        ARGV Array ArgumentError BasicObject Class Comparable Complex DATA Dir ENV EOFError Encoding
        Enumerable Enumerator Errno Exception Fiber File Float Hash IO IOError IndexError Integer
        Kernel KeyError LoadError Marshal MatchData Math Method Module Mutex NameError NilClass
        NoMethodError NotImplementedError Numeric Object Proc Process Queue RUBY_VERSION Random
        Range RangeError Rational Regexp RegexpError RuntimeError Set Signal StandardError
        StopIteration String Struct Symbol SyntaxError SystemExit Thread Time TypeError
        UnboundMethod ZeroDivisionError __method__ abort at_exit attr_accessor attr_reader
        attr_writer autoload binding block_given? caller catch class define_method eval exit extend
        fail format freeze gets hash include inspect instance_eval instance_variable_get
        instance_variable_set is_a? it lambda load loop method module_function new nil? object_id
        open p pp prepend print printf private proc protected public puts raise rand refine require
        require_relative respond_to? select send singleton_class sleep sprintf srand super system
        tap then throw to_s trap warn yield
    """)
    selves = word_set("self")
    constructor = "initialize"
    by_name = ": "
    calls_by_name = True
    rows = {
        Part(Role.MEMBER, "constant"): "scope_resolution",
        roles.METHOD_OF_CLASS: "setter",
        _METHOD: "alias.alias",
    }
    patterns = word_set("""
        optional_parameter keyword_parameter splat_parameter hash_splat_parameter block_parameter
        destructured_parameter
        left_assignment_list destructured_left_assignment rest_assignment array_pattern
        find_pattern hash_pattern keyword_pattern as_pattern
    """)
    apart = word_set("optional_parameter.value keyword_parameter.value")
    bound = {roles.PARAMETER: "method_parameters.* lambda_parameters.* block_parameters.*"}

    def read(self, tree: Tree, path: Path, offset: int) -> tuple[str, Part, Path] | None:
        """Return the name at an offset, without `@` or a colon, and what it is."""
        leaf = path[-1]
        if leaf.type == "simple_symbol" and offset == leaf.node.start_byte + 1:
            part = _symbol(tree, path, self.scopes(path))
            return (tree.of(leaf.node)[1:], part, path) if part is not None else None
        sigil = _SIGILS.get(leaf.type, 0)
        found = super().read(tree, path, offset - sigil)
        return (found[0][sigil:], *found[1:]) if found is not None else None

    def _opens(self, path: Path, index: int) -> bool:
        kind, field = path[index].type, path[index + 1].field
        if kind in _METHODS:
            return field not in ("name", "object")
        if kind in _CLASSES or kind == "singleton_class":
            return field == "body"
        if kind == "block" and path[index - 1].type == "lambda":
            return False  # parameters and body are one scope
        return kind in _BLOCKS or index == 0  # which may not parse

    def scopes(self, path: Path) -> list[Scope]:
        """Return the scopes around a name: of variables, then of methods and constants."""
        local, others, is_closed = list[Scope](), list[Scope](), False
        is_declared = path[-1].type == "simple_symbol" or path[-1].field in ("name", "alias")
        methods: tuple[str, ...] = ("instance", "singleton") if is_declared else ("singleton",)
        for index in reversed(range(len(path) - 1)):
            if not self._opens(path, index):
                continue
            kind, opened = path[index].type, tuple[str, ...]()
            if kind in _CLASSES:
                opened, methods = (*methods, "constants"), ()
            elif index == 0:
                opened = ("methods", "constants")
            elif kind in _BLOCKS and methods:  # who runs it decides whose methods it sees
                opened, methods = ("methods",), methods if is_closed else ("instance", "singleton")
            elif methods:
                methods = ("instance",) if kind == "method" else ("singleton",)
            span = path[index].node.start_byte, path[index].node.end_byte
            local += [] if is_closed else [Scope(*span, kind)]
            others += [Scope(*span, one) for one in opened]
            is_closed |= kind not in _BLOCKS
        return local + others

    def is_of_class(self, path: Path) -> bool:
        """Tell whether a member of `self` is that of a class, and not of its objects."""
        if path[-1].type in ("class_variable", "constant"):
            return False  # both have them
        is_of_object = path[-1].type == "simple_symbol"
        for step in reversed(path[:-1]):
            if step.type in ("singleton_method", "singleton_class"):
                return True
            if step.type in _CLASSES:
                return not is_of_object
            is_of_object |= step.type == "method" or step.type in _BLOCKS
        return False

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        if leaf.type in _SIGILS:
            kind = "field" if leaf.type == "instance_variable" else "field of the class"
            return Part(Role.MEMBER, kind)
        if leaf.type == "hash_key_symbol":
            return _key(path, self.scopes(path))
        match parent.type, leaf.field:
            case "call", "method":
                has_object = parent.node.child_by_field_name("receiver") is not None
                return roles.METHOD_TAKEN if has_object else _METHOD
            case (("method" | "alias"), "name"):
                return _method(self.scopes(path), "instance", "singleton", "methods")
            case "singleton_method", "name":
                return _method(self.scopes(path), "singleton", "methods")
            case (("class" | "module"), "name"):
                return Part(Role.DEFINITION, "class", level=level(self.scopes(path), "constants"))
        return self._part_bound(path)

    def _part_bound(self, path: Path) -> Part:
        """Return a name that may be a parameter, or be given a value."""
        leaf, at, scopes = path[-1], self._outermost(path), self.scopes(path)
        above, field = path[at - 1], path[at].field
        if _ASSIGNING.get(above.type, "") != field:
            return super()._part_bound(path)
        if leaf.type == "identifier":
            operator = above.node.child_by_field_name("operator")
            is_weak = operator is not None and operator.type != "||="
            return replace(_variable(path, scopes, field != "left"), is_weak=is_weak)
        if field == "pattern":  # a constant is what is compared with
            return roles.REFERENCE
        at = level(scopes, "constants") if leaf.type == "constant" else len(scopes) - 1
        return Part(Role.DEFINITION, "constant", level=at)


def _method(scopes: Sequence[Scope], *types: str) -> Part:
    return Part(Role.DEFINITION, "method", level=level(scopes, *types))


def _key(path: Path, scopes: Sequence[Scope]) -> Part:
    """Return a key before a colon, behind which the value of its name may be left out."""
    if path[-2].node.child_by_field_name("value") is not None:
        is_argument = path[max(-3, -len(path))].type == "argument_list"
        return roles.KEYWORD if is_argument else roles.KEY
    if path[-2].type == "keyword_pattern":
        return replace(_variable(path, scopes, True), is_shorthand=True)
    return roles.SHORTHAND


def _variable(path: Path, scopes: Sequence[Scope], is_bound: bool) -> Part:
    """Return a local variable that is given a value; maybe one of the scopes around has it."""
    return Part(
        Role.DEFINITION,
        "variable",
        extent=around(path, "rescue", "in_clause") if is_bound else None,
        seen_after=len(path) - 1,
        reach=next(at for at, one in enumerate(scopes) if one.type not in _BLOCKS),
    )


def _symbol(tree: Tree, path: Path, scopes: Sequence[Scope]) -> Part | None:
    """Return a symbol that names a method; None for any other."""
    if path[-2].type == "block_argument":
        return roles.METHOD_TAKEN
    call, leaf = path[max(-3, -len(path))].node, path[-1].node
    method = call.child_by_field_name("method")
    if path[-2].type != "argument_list" or method is None or call.child_by_field_name("receiver"):
        return None
    called, is_first = tree.of(method), leaf == first_child(path[-2].node)
    types = ("instance", "singleton", "methods")
    if called in _ATTRIBUTES:
        return Part(Role.DEFINITION, "attribute", level=level(scopes, *types))
    if called in _DEFINING and is_first:
        return _method(scopes, *types)
    return _METHOD if called in _NAMING else None
