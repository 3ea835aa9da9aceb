"""Names in a parsed text: what they are, and which definitions they mean.

Nothing walks the whole tree: a name is looked up where it stands in the text, so that the answer
costs as much as the name is frequent, however long the file is.
"""

import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.roles import Part, Role, Rules, Scope
from editcast_model.syntax.rules.c import CRules
from editcast_model.syntax.rules.csharp import CSharpRules
from editcast_model.syntax.rules.go import GoRules
from editcast_model.syntax.rules.java import JavaRules
from editcast_model.syntax.rules.php import PhpRules
from editcast_model.syntax.rules.python import PythonRules
from editcast_model.syntax.rules.ruby import RubyRules
from editcast_model.syntax.rules.rust import RustRules
from editcast_model.syntax.rules.script import ScriptRules
from editcast_model.syntax.tree import Path, Tree

#: A name that occurs more often in a scope is not looked up there, since that takes too long.
MOST_OCCURRENCES = 400

_RULES: Mapping[str, Rules] = {
    "python": PythonRules(),
    "go": GoRules(),
    "java": JavaRules(),
    "csharp": CSharpRules(),
    "rust": RustRules(),
    "php": PhpRules(),
    "ruby": RubyRules(),
    **dict.fromkeys(("c", "cpp"), CRules()),
    **dict.fromkeys((*SCRIPTS, "vue"), ScriptRules()),
}


def has_rules(language: str | None) -> bool:
    """Tell whether names of a language can be looked up."""
    return language in _RULES


def opened(code: str, language: str) -> str:
    """Return a piece of code as a text of its own."""
    opening = _RULES[language].opening if has_rules(language) else ""
    return code if opening.strip() in code else opening + code


def have_same_rules(one: str | None, other: str | None) -> bool:
    """Tell whether two languages are read alike, such as TypeScript with JSX and without."""
    return has_rules(one) and _RULES.get(one or "") is _RULES.get(other or "")


@dataclass(frozen=True)
class Occurrence:
    """A name where it stands, what it is there, the nodes around it, and its language's rules."""

    name: str
    start: int
    part: Part
    path: Path
    rules: Rules

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """Return the scopes in which a name is looked up, the innermost first."""
        root = self.path[0].node  # for a text that begins with blanks, or hardly parses
        return tuple(self.rules.scopes(self.path)) or (Scope.of(root),)

    @property
    def end(self) -> int:
        """Return the offset behind the name."""
        return self.start + len(self.name)

    @property
    def role(self) -> Role:
        """Return the role of the name."""
        return self.part.role

    @property
    def scope(self) -> Scope:
        """Return the scope that a definition belongs to, but for `global` and the like."""
        return self.scopes[min(self.part.level, len(self.scopes) - 1)]

    @property
    def extent(self) -> tuple[int, int] | None:
        """Return the statement that a definition is made for, such as a loop."""
        at = self.part.extent
        return self.path[at].node.byte_range if at is not None else None

    @property
    def seen_from(self) -> int:
        """Find where a definition begins to be seen; 0 for the beginning of its scope."""
        after = self.part.seen_after
        return 0 if after is None else self.path[after].node.end_byte


class Names:
    """The names of a parsed text, looked up as they are asked for.

    Attributes:
        tree: The parsed text; its language is one that `has_rules`.
        rules: The rules of its language.
        owners: What members belong to, by where they begin; kept for `members`.
        owners_sought: How many of them are being looked for, one for the other.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.owners: dict[int, str | None] = {}
        self.owners_sought = 0
        self.rules = _RULES[tree.language]
        self._places: dict[str, list[int]] = {}
        self._at: dict[int, Occurrence | None] = {}
        self._defined: dict[tuple[str, Scope], list[Occurrence]] = {}
        self._outer: dict[tuple[str, Scope], str] = {}
        self._homes: dict[int, Scope] = {}

    def of(self, name: str, scope: Scope | None = None) -> list[Occurrence]:
        """Return every place in a scope, or anywhere, where a name stands as a name, ascending.

        Nothing if it stands there too often.
        """
        places = self._written(name)
        if scope is not None:
            low, high = bisect_left(places, scope.start), bisect_left(places, scope.end)
            places = places[low:high]
        if len(places) > MOST_OCCURRENCES:
            return []
        found = map(self.at, places)
        return [one for one in found if one is not None and one.name == name]

    def is_too_frequent(self, name: str) -> bool:
        """Tell whether a name stands too often to be looked up in all of the text."""
        return len(self._written(name)) > MOST_OCCURRENCES

    def at(self, offset: int) -> Occurrence | None:
        """Return the name that begins at an offset."""
        if offset not in self._at:
            self._at[offset] = self._read(offset)
        return self._at[offset]

    def of_node(self, node: Node | None) -> Occurrence | None:
        """Return the name that a node is, or begins with; None for none."""
        return self.at(node.start_byte) if node is not None else None

    def between(self, start: int, end: int) -> Iterator[Occurrence]:
        """Return the names that begin with a word in a part of the text, ascending."""
        for found in WORD.finditer(self.tree.text, start, end):
            begins_twice = found[0].startswith("$") and self.rules.sigil
            for place in (found.start(), found.start() + 1)[: 2 if begins_twice else 1]:
                if (one := self.at(place)) is not None:
                    yield one

    def definitions(self, name: str, scope: Scope | None) -> list[Occurrence]:
        """Return the definitions of a name that belong to a scope, ascending."""
        if scope is None:
            return []
        key = name, scope
        if key not in self._defined:
            found = (one for one in self.of(name, scope) if one.role is Role.DEFINITION)
            self._defined[key] = [one for one in found if self.home(one) == scope]
        return self._defined[key]

    def meant_by(self, one: Occurrence | None) -> list[Occurrence]:
        """Return the definitions that a name means, ascending; none for those of other files."""
        return self.definitions(one.name, self.resolve(one)) if one is not None else []

    def home(self, one: Occurrence) -> Scope:
        """Return the scope in which a definition defines its name."""
        if one.part.reach:
            return self._first_given(one)
        declared = self._declared(one.name, one.scope)
        return self._outside(one, declared) if declared else one.scope

    def is_weak(self, one: Occurrence) -> bool:
        """Tell whether a definition only changes what another one defined."""
        return one.part.is_weak or bool(self._declared(one.name, one.scope))

    def resolve(
        self, one: Occurrence, name: str | None = None, supposed: Scope | None = None
    ) -> Scope | None:
        """Return the scope whose definition of a name is meant where `one` stands.

        None for none here.

        Args:
            one: A reference, or a definition, which means its own scope.
            name: The name looked up; the one that stands there if None.
            supposed: A scope that is taken to have a definition of the name.
        """
        name = name or one.name
        if one.role is Role.DEFINITION and name == one.name:
            return self.home(one)
        for scope in one.scopes:
            declared = self._declared(name, scope)
            if declared in _GLOBAL:
                top = one.scopes[-1]
                return top if top == supposed or self.definitions(name, top) else None
            if declared:
                continue
            if scope == supposed:
                return scope
            found = self.definitions(name, scope)
            if one.role is Role.REFERENCE and one.part.kind == "method" and one.name == name:
                found = [each for each in found if each.part.kind not in _LOCAL]
            if any(each.seen_from <= one.start for each in found):
                return scope
            if self.rules.hides(scope, name) and not self._declared(one.name, scope):
                return None
        return None

    def would_mean(self, one: Occurrence, scope: Scope) -> bool:
        """Tell if a reference would mean a definition of its name in a scope, if one were there."""
        return self.resolve(one, supposed=scope) == scope

    def is_known(self, one: Occurrence, name: str) -> bool:
        """Tell whether a name has a meaning where `one` stands, as far as this file tells."""
        return (
            name in self.rules.builtins
            or self.is_too_frequent(name)
            or self.resolve(one, name) is not None
            or self._takes_everything
        )

    def unbound(self, start: int, end: int, among: Container[str]) -> list[Occurrence]:
        """Return names used in a part of the text that are defined nowhere, as far as known."""
        words = WORD.finditer(self.tree.text, start, end)
        found = (self.at(word.start()) for word in words if word[0] in among)
        used = (one for one in found if one is not None and one.role is Role.REFERENCE)
        return [one for one in used if not self.is_known(one, one.name)]

    @cached_property
    def _takes_everything(self) -> bool:
        """Tell whether an import brings names that are not written down."""
        return self.tree.language == "python" and _STAR.search(self.tree.text) is not None

    def _read(self, offset: int) -> Occurrence | None:
        path = self.tree.path(offset)
        found = self.rules.read(self.tree, path, offset) if len(path) > 1 else None
        return Occurrence(found[0], offset, found[1], found[2], self.rules) if found else None

    def _written(self, name: str) -> list[int]:
        """Find where a name is written as a word, in strings and comments as well."""
        if name not in self._places:
            text, places, at, sigil = self.tree.text, [], -1, self.rules.sigil
            is_variable = bool(sigil) and name.startswith(sigil)  # which may follow on a word
            while (at := text.find(name, at + 1)) >= 0:
                begins = is_variable or not _goes_on(text, at - 1, sigil)
                if begins and not _goes_on(text, at + len(name), sigil):
                    places.append(at)
            self._places[name] = places
        return self._places[name]

    def _declared(self, name: str, scope: Scope) -> str:
        """Return the statement that declares a name to be another scope's; empty for none."""
        if scope.type not in self.rules.borrowing:
            return ""
        key = name, scope
        if key not in self._outer:
            found = (one for one in self.of(name, scope) if one.role is Role.OUTER)
            kinds = (one.part.kind for one in found if one.scope == scope)
            self._outer[key] = next(kinds, "")
        return self._outer[key]

    def _outside(self, one: Occurrence, declared: str) -> Scope:
        scopes = one.scopes
        if declared in _GLOBAL:
            return scopes[-1]
        outer = (each for each in scopes[1:] if each.type != "class_definition")
        return next((each for each in outer if not self._declared(one.name, each)), scopes[-1])

    def _first_given(self, one: Occurrence) -> Scope:
        """Return the outermost scope, up to a parameter, in which a variable had a value before."""
        if one.start not in self._homes:
            home = one.scope
            for scope in one.scopes[: one.part.reach + 1]:
                before = (each for each in self.of(one.name, scope) if each.start < one.start)
                given = (each for each in before if each.role is Role.DEFINITION)
                found = [each.part.kind for each in given if each.scope == scope]
                home = scope if found else home
                if "parameter" in found:
                    break
            self._homes[one.start] = home
        return self._homes[one.start]


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range of a text with the rest of the words in which it begins and ends."""
    while _goes_on(text, start - 1, ""):
        start -= 1
    while _goes_on(text, end, ""):
        end += 1
    return start, end


def _goes_on(text: str, at: int, sigil: str) -> bool:
    """Tell whether a word goes on at an offset, where a sigil would begin another one."""
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] in "_$") and text[at] != sigil


#: Types of statements that declare a name as global.
_GLOBAL = ("global_statement", "global_declaration")
WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
#: Kinds of definitions that a name with arguments cannot mean in Ruby, since it names a method.
_LOCAL = ("variable", "parameter")
_STAR = re.compile(r"^[ \t]*from .* import \*", re.MULTILINE)
