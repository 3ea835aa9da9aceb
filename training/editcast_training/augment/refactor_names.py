"""Refactorings of names: variables, functions, attributes and imports, with their uses.

Each function yields what it changes, and nothing where it does not apply.
"""

from collections.abc import Iterator
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import field
from editcast_training.augment.syntax_tree import (
    Source,
    calls_of,
    fresh_name,
    items,
    parameter_name,
    parameters_of,
    pick,
    repeated,
    uses_of,
)


def rename_local(source: Source, rng: Random) -> Iterator[Hunk]:
    """Rename a parameter or a variable of a function, and its uses in there."""
    for function in pick(rng, source.all("function_definition")):
        parameters = [parameter_name(source, one) for one in parameters_of(function)]
        bound = map(source.of, source.parts("left", "assignment", inside=function))
        names = [name for name in [*parameters, *bound] if name and name.isidentifier()]
        for old in pick(rng, [name for name in names if name not in ("self", "cls")]):
            nodes = uses_of(source, old, function)
            if old in parameters:
                for call in calls_of(source, source.of(field(function, "name"))):
                    named = (field(given, "name") for given in items(field(call, "arguments")))
                    nodes += [one for one in named if one is not None and source.of(one) == old]
            yield from _renamed(source, rng, old, nodes)


def rename_global(source: Source, rng: Random) -> Iterator[Hunk]:
    """Rename a function, a class or a constant of the file, with all of its uses."""
    for node in pick(rng, source.parts("name", "function_definition", "class_definition")):
        old = source.of(node)
        # Methods are called as attributes.
        nodes = [one for one in source.all("identifier") if source.of(one) == old]
        yield from _renamed(source, rng, old, nodes)


def _renamed(source: Source, rng: Random, old: str, nodes: list[Node]) -> Iterator[Hunk]:
    """Yield the replacements of nodes by a new name, if there is more than one."""
    new = fresh_name(source, rng, old)
    if len(nodes) > 1:
        yield from (source.replace(node, new) for node in nodes)


def rename_attribute(source: Source, rng: Random) -> Iterator[Hunk]:
    """Rename an attribute of self, or a method, wherever it is used."""
    attributes = source.parts("attribute", "attribute")
    for old, nodes in pick(rng, repeated(source, attributes)):
        named = source.parts("name", "function_definition")
        nodes = nodes + [one for one in named if source.of(one) == old]
        yield from _renamed(source, rng, old, nodes)


def rename_import(source: Source, rng: Random) -> Iterator[Hunk]:
    """Import another name of the same module, or the same under another name."""
    for imported in pick(rng, source.all("import_from_statement", "import_statement")):
        names = imported.children_by_field_name("name")
        for node in pick(rng, [one for one in names if one.type == "dotted_name"]):
            old = source.of(node)
            if not old.isidentifier():
                return
            new = fresh_name(source, rng, old)
            uses = [one for one in uses_of(source, old) if one.parent != node]
            is_alias = imported.type == "import_statement" or rng.random() < 0.4
            if uses:
                yield source.behind(node, f" as {new}") if is_alias else source.replace(node, new)
                yield from (source.replace(one, new) for one in uses)


def import_module(source: Source, rng: Random) -> Iterator[Hunk]:
    """Replace `from m import a` by `import m`, and its uses by `m.a`."""
    for imported in pick(rng, source.all("import_from_statement")):
        module, names = field(imported, "module_name"), imported.children_by_field_name("name")
        if module is None or module.type != "dotted_name" or len(names) != 1:
            return
        name, home = source.of(names[0]), source.of(module)
        uses = [one for one in uses_of(source, name) if one.parent != names[0]]
        is_bound_again = any(one.parent and one.parent.type == "dotted_name" for one in uses)
        if name.isidentifier() and uses and not is_bound_again:
            yield source.replace(imported, f"import {home}")
            yield from (source.replace(one, f"{home}.{name}") for one in uses)


def import_names(source: Source, rng: Random) -> Iterator[Hunk]:
    """Replace `import m` by `from m import a`, and the uses of `m.a` by `a`."""
    for imported in pick(rng, source.all("import_statement")):
        names = imported.children_by_field_name("name")
        home = source.of(names[0]) if len(names) == 1 else ""
        uses: list[tuple[Node, str]] = []
        for node in source.all("attribute"):
            if source.of(field(node, "object")) == home:
                uses.append((node, source.of(field(node, "attribute"))))
        if home.isidentifier() and uses and not any(uses_of(source, name) for _, name in uses):
            wanted = ", ".join(sorted({name for _, name in uses}))
            yield source.replace(imported, f"from {home} import {wanted}")
            yield from (source.replace(node, name) for node, name in uses)
