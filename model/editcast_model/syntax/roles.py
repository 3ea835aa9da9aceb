"""Types that the languages' rules share: the part that a name plays, and the scopes around it.

The parts and scopes are those of editors' `locals` queries (definition, reference, scope); what
those leave to the editor (hoisting, class scopes, defaults evaluated outside) is in the rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.syntax.tree import Path, Tree


class Role(Enum):
    """The part that a name plays where it stands."""

    DEFINITION = "definition"
    REFERENCE = "reference"
    #: Python's `global` and `nonlocal`.
    OUTER = "outer"
    #: A part of something else: `b` in `a.b`, and where such a part is declared.
    MEMBER = "member"
    MEMBER_DEFINITION = "member definition"
    #: The name of an argument in a call, of an attribute in JSX.
    KEYWORD = "keyword"
    #: A key in an object literal, a pattern, or a composite literal.
    KEY = "key"
    #: A label, the name of a module, a name of another file.
    OTHER = "other"


class Scope(NamedTuple):
    """A part of the text in which names are defined: where it begins and ends, and its node."""

    start: int
    end: int
    type: str

    @classmethod
    def of(cls, node: Node) -> "Scope":
        """Return all of a node."""
        return cls(node.start_byte, node.end_byte, node.type)


@dataclass(frozen=True, slots=True)
class Part:
    """The role of a name where it stands.

    Attributes:
        role: The part it plays.
        kind: Of a definition: parameter, variable, function, class, import, method, field or
            constant, or in Ruby attribute; of another name method, field or constant where that is
            known.
        level: Which of the scopes around it a definition belongs to, 0 for the innermost.
        is_weak: Whether a definition only changes what must be defined already.
        is_shorthand: Whether the name is a key as well, as in `{name}`.
        extent: Index in the path of the statement that a definition is made for, such as a loop;
            from the end if negative.
        seen_after: Index in the path of the node behind which a definition can be seen; from the
            end if negative; None for all of its scope.
        reach: How many scopes further out a definition may belong to: to one that has a definition
            of the name before it, as in blocks of Ruby.
    """

    role: Role
    kind: str = ""
    level: int = 0
    is_weak: bool = False
    is_shorthand: bool = False
    extent: int | None = None
    seen_after: int | None = None
    reach: int = 0

    def inside(self, depth: int) -> "Part":
        """Return the part of a name that is so much deeper, in a pattern."""
        extent, seen_after = (
            None if at is None else at - depth for at in (self.extent, self.seen_after)
        )
        return replace(self, extent=extent, seen_after=seen_after)


REFERENCE, OTHER, MEMBER = Part(Role.REFERENCE), Part(Role.OTHER), Part(Role.MEMBER)
KEY, KEYWORD = Part(Role.KEY), Part(Role.KEYWORD)
CLASS, FUNCTION = Part(Role.DEFINITION, "class"), Part(Role.DEFINITION, "function")
IMPORT, PARAMETER = Part(Role.DEFINITION, "import"), Part(Role.DEFINITION, "parameter")
VARIABLE, FIELD = Part(Role.DEFINITION, "variable"), Part(Role.DEFINITION, "field")
WEAK_VARIABLE = Part(Role.DEFINITION, "variable", is_weak=True)
#: A method or a field that is taken from an object, and one that a class declares.
METHOD_TAKEN, FIELD_TAKEN = Part(Role.MEMBER, "method"), Part(Role.MEMBER, "field")
METHOD_OF_CLASS = Part(Role.MEMBER_DEFINITION, "method")
FIELD_OF_CLASS = Part(Role.MEMBER_DEFINITION, "field")
#: A name that is a key as well.
SHORTHAND = Part(Role.REFERENCE, is_shorthand=True)
#: A variable of the statement around its name, such as a loop, and one that is seen behind it.
LOOP_VARIABLE = Part(Role.DEFINITION, "variable", extent=-2)
LOCAL_VARIABLE = Part(Role.DEFINITION, "variable", seen_after=-2)


def level(scopes: Sequence[Scope], *kinds: str) -> int:
    """Compute how many scopes there are before the first one of some types."""
    return next((at for at, one in enumerate(scopes) if one.type in kinds), len(scopes))


class Rules:
    """A language's rules.

    Attributes:
        leaves: The types of nodes that are names.
        builtins: Names that are defined everywhere.
        has_other_files: Whether other files define names that are in scope without an import.
        rows: The places where a name plays a part: `type.field` of the node around it, `type` for
            its field `name`, or `type.*` for all of its fields.
        patterns: The types of nodes that bind each name in them, as in `(a, b) = c`.
        apart: The places in patterns whose names are not bound, such as defaults.
        bound: The places where all names of a pattern, or one name, play a part, like `rows`.
        outside: The types of nodes that open a scope, by the field that stands outside of it.
        functions: Types of functions, whose parameters and bodies are one scope.
        bodies: Types of their bodies, which open a scope elsewhere.
        sigil: Begins the name of each variable, and of nothing else; empty for nothing.
        selves: Words for the object, or the class, around them.
        opening: Begins each text, which is no code without it; empty for nothing.
        borrowing: Types of scopes that can say of a name that it is one of a scope around them.
        constructor: The name of the method that a call of its class's name calls.
        by_name: What stands between the name of an argument and its value.
        calls_by_name: Whether a method's name calls it without brackets, too.
    """

    leaves: frozenset[str]
    builtins: frozenset[str]
    has_other_files = True
    rows: Mapping[Part, str] = {}
    _rows: dict[tuple[str, str], Part]
    patterns = frozenset[str]()
    apart = frozenset[str]()
    bound: Mapping[Part, str] = {}
    _bound: dict[tuple[str, str], Part]
    outside: Mapping[str, str] = {}
    _outside: dict[str, str]
    functions = frozenset[str]()
    bodies = frozenset[str]()
    sigil = ""
    opening = ""
    selves = frozenset[str]()
    borrowing = frozenset[str]()
    constructor = ""
    by_name = "="
    calls_by_name = False

    def __init_subclass__(cls) -> None:
        """Read the tables."""
        cls._rows, cls._bound = _by_place(cls.rows), _by_place(cls.bound)
        cls._outside = {
            kind: field for field, kinds in cls.outside.items() for kind in kinds.split()
        }

    def read(self, tree: Tree, path: Path, offset: int) -> tuple[str, Part, Path] | None:
        """Return the name that begins at an offset, by the path there, what it is, and its path."""
        leaf = path[-1]
        if leaf.type not in self.leaves or leaf.node.start_byte != offset:
            return None
        name = tree.of(leaf.node)
        return (name, self._part(path, name), path) if name else None

    def is_of_class(self, path: Path) -> bool:
        """Tell whether a member of `self` is that of a class, and not of its objects."""
        return False

    def _part(self, path: Path, name: str) -> Part:
        """Return what the name at the end of a path is."""
        return _at_place(self._rows, path, len(path) - 1) or self._other_part(path, name)

    def _other_part(self, path: Path, name: str) -> Part:
        """Return what a name is whose place is not in the table."""
        return self._part_bound(path)

    def _part_bound(self, path: Path) -> Part:
        """Return what the name at the end of a path is if something binds it, else a reference."""
        at = self._outermost(path)
        return (_at_place(self._bound, path, at) or REFERENCE).inside(len(path) - 1 - at)

    def _outermost(self, path: Path) -> int:
        """Return the index of the outermost pattern that binds a name; of the name without any."""
        at = len(path) - 1
        while path[at - 1].type in self.patterns:
            if f"{path[at - 1].type}.{path[at].field}" in self.apart:
                break
            at -= 1
        return at

    def _opens(self, path: Path, index: int) -> bool:
        """Tell whether the node at an index of a path opens a scope for the next one."""
        kind = path[index].type
        if kind in self.bodies and index and path[index - 1].type in self.functions:
            return False
        outside = self._outside.get(kind)
        return outside is not None and path[index + 1].field != outside

    def given_by_name(self, name: str, value: str) -> str:
        """Return an argument that says which parameter it is for."""
        return f"{name.removeprefix(self.sigil)}{self.by_name}{value}"

    def hides(self, scope: Scope, name: str) -> bool:
        """Tell whether a scope hides a name from what is inside, whether or not it defines it.

        A function with sigils hides the variables of what is around it.
        """
        return bool(self.sigil) and scope.type in self.borrowing and name.startswith(self.sigil)

    def scopes(self, path: Path) -> list[Scope]:
        """Return the scopes in which that name is looked up, the innermost first."""
        opening = (step for at, step in enumerate(path[:-1]) if self._opens(path, at))
        return [Scope.of(step.node) for step in opening][::-1]


def _by_place(rows: Mapping[Part, str]) -> dict[tuple[str, str], Part]:
    """Return the rows of a table by type and field."""
    found = dict[tuple[str, str], Part]()
    for part, places in rows.items():
        for place in places.split():
            kind, _, field = place.partition(".")
            found[kind, field or "name"] = part
    return found


def _at_place(table: Mapping[tuple[str, str], Part], path: Path, at: int) -> Part | None:
    """Return the part that a table has for the place of a node of a path."""
    kind = path[at - 1].type
    return table.get((kind, path[at].field or "")) or table.get((kind, "*"))
