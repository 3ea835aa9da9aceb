"""Ties between two files: the imports by which one uses another, or headers of C."""

from collections.abc import Iterable, Iterator
from posixpath import basename

from editcast_model.consequences.other_files.imports import (
    BY_NAME,
    EVERYTHING,
    Import,
    indexes_of,
    is_module,
    is_same_package,
    modules_of_rust,
    package_of,
)
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.passing.prototypes import includes, is_header
from editcast_model.syntax.declarators import is_own
from editcast_model.syntax.members import class_named, object_of
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role, Scope
from editcast_model.syntax.tree import field

#: The fields that contain the module of a type.
_MODULES = ("package", "module")


class Ties:
    """The imports by which one file uses another, of a language that it can import from.

    Attributes:
        names: The names of the file.
        taken: The imports that take a name of the other.
        modules: Those that take all of it, by a name for itself.
        is_open: Whether its names need none: in one package of Go or Java, after an import of
            all, or where classes are known by their names alone.
    """

    def __init__(
        self, names: Names, path: str, change: ModuleChange, found: Iterable[Import]
    ) -> None:
        self.names = names
        self.taken: list[Import] = []
        self.modules: list[Import] = []
        self.is_open = False
        self._other, self._is_header = change.file, is_header(path)
        self._classes = {one.old: one.new for one in change.names if not one.owner}
        language = names.tree.language
        if language in ("go", "java") and is_same_package(path, change.file):
            self.is_open = language == "java" or package_of(names) == change.package
        if language in BY_NAME:
            self.is_open = True
            words = change.words | {one.new for one in change.names}
            named = (one for word in words for one in names.of(word))
            self.taken += [
                Import("", one.name, one.start, one.name, one.start)
                for one in named
                if one.part.kind == "import"
            ]
        if language == "rust":
            self.modules += modules_of_rust(names, change.file)
        for one in found:
            if is_module(one.module, path, change.file, language):
                (self.taken if one.name else self.modules).append(one)
                self.is_open |= one.name == EVERYTHING
            elif one.name in change.own_names and any(
                is_module(one.module, path, index, language) for index in indexes_of(change.file)
            ):
                self.taken.append(one)
            elif language == "python" and one.name:
                whole = one.module + ("" if one.module.endswith(".") else ".") + one.name
                if is_module(whole, path, change.file, language):
                    self.modules.append(one)

    @property
    def is_tied(self) -> bool:
        """Tell whether the file uses the other at all."""
        return bool(self.taken or self.modules or self.is_open)

    @property
    def is_declared_here(self) -> bool:
        """Tell whether what the other file declares is defined here in C, or the other way."""
        if is_header(self._other):
            return basename(self._other) in includes(self.names)
        return self._is_header

    def scope_of(self, one: Import) -> Scope | None:
        """Return the scope in which an import binds its name."""
        bound = self.names.at(one.binding) if one.binding is not None else None
        return self.names.home(bound) if bound and bound.role is Role.DEFINITION else None

    def is_only(self, one: Import, new: str) -> bool:
        """Tell whether nothing else has the name that an import binds, or the new one for it."""
        names, scope = self.names, self.scope_of(one)
        bindings = {each.binding for each in self.taken if each.name == one.name}
        return not names.definitions(new, scope) and all(
            each.start in bindings for each in names.definitions(one.bound, scope)
        )

    def uses(self, name: str, *, with_others: bool = False) -> Iterator[Occurrence]:
        """Find where a name that the other file has at its top is used, without its imports.

        Args:
            name: The name, as it is called there.
            with_others: Whether it is also looked for by other names that imports give it.
        """
        written = {name}
        if with_others:
            written |= {one.bound for one in self.taken if one.name == name and one.bound}
        for each in sorted(written):
            for one in self.names.of(each):
                is_member = one.role is Role.MEMBER and each == name and self._is_of_module(one)
                if is_member or (one.role is Role.REFERENCE and self._is_taken(one, name)):
                    yield one
                elif each == name and self._is_declaration(one):
                    yield one

    def classes(self, name: str) -> set[str]:
        """Return what `owner` calls a class of the other file here."""
        called = {name} | {old for old, new in self._classes.items() if new == name}
        found = {f"{one.bound}@" for one in self.taken if one.name in called and one.bound}
        for one in self.modules:
            written = (f"{one.bound}.{each}" for each in called)
            found |= {f"{each}@" for each in written if each in self.names.tree.text}
        if self.is_declared_here:
            defined = (one for each in called for one in self.names.of(each))
            named = (one.path[-2].node for one in defined if one.part.kind == "class")
            found |= {class_named(self.names, one) for one in named}
        return found | ({f"{each}@" for each in called} if self.is_open else set())

    def _is_taken(self, one: Occurrence, name: str) -> bool:
        """Tell whether a reference means a name that is imported from the other file."""
        names = self.names
        if names.resolve(one) is None:
            return self.is_open and one.name == name and name not in names.rules.builtins
        if self.is_declared_here and all(map(self._is_declaration, names.meant_by(one))):
            return True
        bindings = {
            each.binding for each in self.taken if each.name == name and each.bound == one.name
        }
        return bool(bindings) and all(each.start in bindings for each in names.meant_by(one))

    def _is_declaration(self, one: Occurrence) -> bool:
        """Tell whether a name declares what the other file defines, or the other way round."""
        is_function = one.role is Role.DEFINITION and one.part.kind == "function"
        is_outer = is_function and self.names.home(one) == one.scopes[-1]
        return is_outer and self.is_declared_here and not is_own(self.names, one)

    def _is_of_module(self, one: Occurrence) -> bool:
        """Tell whether a member is the other file's itself."""
        node = one.path[-2].node
        thing = object_of(node) or field(node, *_MODULES)
        if thing is None:
            return False
        names, written = self.names, self.names.tree.of(thing)
        modules = [each for each in self.modules if each.bound == written]
        first = names.of_node(thing)
        if not modules or first is None:
            return False
        if names.resolve(first) is None:
            return any(each.binding is None for each in modules)  # Go's, named by their paths
        bindings = {each.binding for each in modules}
        return all(
            each.start in bindings or (each.part.kind == "import" and "." in written)
            for each in names.meant_by(first)
        )
