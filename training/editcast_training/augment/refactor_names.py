"""Refactorings of names: variables, functions, attributes and imports, with their uses.

Each function returns what it changes, or nothing where it does not apply.
"""

from collections import defaultdict
from random import Random

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_training.augment.syntax_tree import (
    Source,
    calls_of,
    field,
    fresh_name,
    items,
    parameter_name,
    parameters_of,
    pick,
    repeated,
    uses_of,
)


def rename_local(source: Source, rng: Random) -> list[Hunk]:
    """Rename a parameter or a variable of a function, and its uses in there."""
    for function in pick(rng, source.all("function_definition")):
        parameters = [parameter_name(source, one) for one in parameters_of(function)]
        lefts = [field(one, "left") for one in source.all("assignment", inside=function)]
        bound = [source.of(left) for left in lefts if left is not None]
        names = [name for name in [*parameters, *bound] if name and name.isidentifier()]
        for old in pick(rng, [name for name in names if name not in ("self", "cls")]):
            new = fresh_name(source, rng, old)
            out = [source.replace(node, new) for node in uses_of(source, old, function)]
            own = field(function, "name")
            if old in parameters and own is not None:
                for call in calls_of(source, source.of(own)):
                    for given in items(field(call, "arguments")):
                        named = field(given, "name")
                        if named is not None and source.of(named) == old:
                            out.append(source.replace(named, new))
            return out if len(out) > 1 else []
    return []


def rename_global(source: Source, rng: Random) -> list[Hunk]:
    """Rename a function, a class or a constant of the file, with all of its uses."""
    definitions = source.all("function_definition", "class_definition")
    named = [field(one, "name") for one in definitions]
    for node in pick(rng, [one for one in named if one is not None]):
        old = source.of(node)
        new = fresh_name(source, rng, old)
        # Methods are called as attributes.
        out = [one for one in source.all("identifier") if source.of(one) == old]
        return [source.replace(one, new) for one in out] if len(out) > 1 else []
    return []


def rename_attribute(source: Source, rng: Random) -> list[Hunk]:
    """Rename an attribute of self, or a method, wherever it is used."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for node in source.all("attribute"):
        attribute = field(node, "attribute")
        if attribute is not None:
            groups[source.of(attribute)].append(attribute)
    for old, nodes in pick(rng, repeated(groups)):
        new = fresh_name(source, rng, old)
        named = [field(one, "name") for one in source.all("function_definition")]
        nodes = nodes + [one for one in named if one is not None and source.of(one) == old]
        return [source.replace(node, new) for node in nodes]
    return []


def rename_import(source: Source, rng: Random) -> list[Hunk]:
    """Import another name of the same module, or the same under another name."""
    for imported in pick(rng, source.all("import_from_statement", "import_statement")):
        names = imported.children_by_field_name("name")
        for node in pick(rng, [one for one in names if one.type == "dotted_name"]):
            old = source.of(node)
            if not old.isidentifier():
                return []
            new = fresh_name(source, rng, old)
            uses = [one for one in uses_of(source, old) if one.parent != node]
            is_alias = imported.type == "import_statement" or rng.random() < 0.4
            first = source.behind(node, f" as {new}") if is_alias else source.replace(node, new)
            return [first, *(source.replace(one, new) for one in uses)] if uses else []
    return []


def import_module(source: Source, rng: Random) -> list[Hunk]:
    """Replace `from m import a` by `import m`, and its uses by `m.a`."""
    for imported in pick(rng, source.all("import_from_statement")):
        module, names = field(imported, "module_name"), imported.children_by_field_name("name")
        if module is None or module.type != "dotted_name" or len(names) != 1:
            return []
        name, home = source.of(names[0]), source.of(module)
        uses = [one for one in uses_of(source, name) if one.parent != names[0]]
        if name.isidentifier() and uses:
            out = [source.replace(imported, f"import {home}")]
            return out + [source.replace(one, f"{home}.{name}") for one in uses]
    return []


def import_names(source: Source, rng: Random) -> list[Hunk]:
    """Replace `import m` by `from m import a`, and the uses of `m.a` by `a`."""
    for imported in pick(rng, source.all("import_statement")):
        names = imported.children_by_field_name("name")
        home = source.of(names[0]) if len(names) == 1 else ""
        uses: list[tuple[Node, str]] = []
        for node in source.all("attribute"):
            owner, attribute = field(node, "object"), field(node, "attribute")
            if owner is not None and attribute is not None and source.of(owner) == home:
                uses.append((node, source.of(attribute)))
        if home.isidentifier() and uses:
            wanted = ", ".join(sorted({name for _, name in uses}))
            out = [source.replace(imported, f"from {home} import {wanted}")]
            return out + [source.replace(node, name) for node, name in uses]
    return []
