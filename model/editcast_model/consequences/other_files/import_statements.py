"""Import statements that a file lacks, each at its place in the order of the others.

Of 367 imports that commits of nine Python projects added, 322 stand exactly at this place (counted
once, by a script that was not kept).
"""

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from editcast_model.consequences.lists.placing import put_behind
from editcast_model.consequences.other_files.import_order import (
    NAME_ORDERS,
    next_in_order,
    put_in_order,
    put_in_order_of_scripts,
)
from editcast_model.consequences.other_files.imports import EVERYTHING, Import, family_of, imports
from editcast_model.consequences.other_files.origins import STATEMENTS
from editcast_model.diff import Hunk
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.tree import Tree, first_child, parse
from editcast_model.syntax.vue import script_start

_BEFORE_IMPORTS = (
    "comment",
    "line_comment",
    "block_comment",
    "package_clause",
    "package_declaration",
    "hash_bang_line",
)
_DEFINITIONS = ("class_definition", "function_definition", "decorated_definition")
#: The lines of scripts that name a module.
_IMPORTED = re.compile(
    r"^(?:import|export|const|\})[^\n]*(?:from|import|require\()[ \t]*[\"'][^\n]*", re.MULTILINE
)
_ABSTRACT = "from collections.abc import "
#: An import of what `typing` and `collections.abc` both have.
_ABSTRACT_OF_TYPING = re.compile(
    r"^from typing import .*\b(?:Awaitable|Callable|Collection|Generator|Iterable|Iterator|Mapping"
    r"|Sequence)\b",
    re.MULTILINE,
)
_ENDED = re.compile(r";[ \t]*\r?$", re.MULTILINE)
#: Comments for tools, and licence headers.
_ABOUT_FILE = re.compile(r"#!|@|coding[:=]|lint|licen[cs]e|copyright", re.IGNORECASE)


def missing(
    names: Names, wanted: Mapping[str, str], start: int, end: int
) -> Iterator[tuple[Occurrence, Hunk]]:
    """Find names in a part of a text that mean nothing there, each with its import.

    Args:
        names: The names of the text.
        wanted: Import statements by the name that they bind.
        start: First offset of the part.
        end: Last offset of the part.
    """
    done: set[str] = set()
    for one in names.unbound(start, end, among=wanted):
        if names.tree.language == "go":  # whose imports define no names in their files
            if one.path[-2].type not in ("selector_expression", "qualified_type"):
                continue
            done |= {each.bound for each in imports(names)}
        if one.name in done:
            continue
        done.add(one.name)
        statement = wanted.get(one.name)
        hunk = _inserted(names, statement) if statement else None
        if hunk:
            yield one, hunk


def _inserted(names: Names, statement: str) -> Hunk | None:
    """Put an import statement among those of a text, or into one of them."""
    tree = names.tree
    if tree.language == "go":
        return _inserted_in_go(names, statement)
    start = script_start(tree.text) if tree.language == "vue" else 0
    if start is None:
        return None
    if statement.startswith(_ABSTRACT) and "collections.abc" not in tree.text:
        if _ABSTRACT_OF_TYPING.search(tree.text):
            statement = statement.replace("collections.abc", "typing")
    there = parse(statement, "typescript" if tree.language == "vue" else tree.language)
    wanted = imports(Names(there)) if there else []
    can_join = tree.language != "java" and "require(" not in statement
    if can_join and wanted and wanted[0].name not in ("", "default"):
        hunk = _joined(names, wanted[0])
        if hunk is not None:
            return hunk
    if family_of(tree.language) == "script":
        statement = _in_style(tree.text, statement)
    children = [one for one in tree.root.named_children if one.start_byte >= start]
    return _beneath(children, tree.text, statement, start)


def _joined(names: Names, wanted: Import) -> Hunk | None:
    """Put a name into a statement that takes others out of its module.

    It goes where it belongs if they are in order, else behind the last one.
    """
    tree = names.tree
    there = [
        (one, statement.node)
        for one in imports(names)
        if one.module == wanted.module and one.name not in ("", "default", EVERYTHING)
        if one.binding is not None and "import" in (statement := tree.path(one.at)[1]).type
    ]
    taken = [one for one, statement in there if statement == there[-1][1]]
    if not taken or (taken[-1].is_type and not wanted.is_type):
        return None
    if tree.language == "python" and len(there) > len(taken) == 1:
        return None  # each name has a statement of its own
    last = taken[-1]
    renamed = f" as {wanted.bound}" if wanted.bound != wanted.name else ""
    kind = "type " if wanted.is_type and not last.is_type else ""
    line = tree.text[tree.text.rfind("\n", 0, last.at) + 1 : last.at]
    between = f",\n{line}" if not line.strip() else ", "
    orders = NAME_ORDERS[tree.language != "python" :]
    following = next_in_order([one.name for one in taken], wanted.name, orders)
    if following is not None:
        at = taken[following].at
        return Hunk(at, at, f"{kind}{wanted.name}{renamed}{between}")
    end = (last.binding or 0) + len(last.bound)
    return put_behind(tree.text, end, between, f"{kind}{wanted.name}{renamed}")


def _in_style(text: str, statement: str) -> str:
    """Return a statement with the quotes and the ends that most imports of a script have.

    In a script without imports its other lines say how.
    """
    lines = _IMPORTED.findall(text)
    quotes = "".join(lines) or text
    quote = "'" if quotes.count("'") > quotes.count('"') else '"'
    statement = statement.replace("'", quote).replace('"', quote).rstrip(";")
    ended = [one.rstrip().endswith(";") for one in lines]
    is_ended = 2 * sum(ended) > len(ended) if ended else _ENDED.search(text) is not None
    return f"{statement};" if is_ended else statement


def _beneath(children: list[Node], text: str, statement: str, start: int) -> Hunk:
    """Put a statement among the imports that code begins with, or beneath what must be first."""
    found: list[Node] = []
    head: list[Node] = []
    following = None
    for one in children:
        if one.type in STATEMENTS or "require(" in _line(text, one):
            found.append(one)
        elif one.type not in _BEFORE_IMPORTS and not _is_string(one):
            following = one
            break
        elif not found:
            head.append(one)
    if found:
        is_quoted = '"' in statement or "'" in statement
        return (put_in_order_of_scripts if is_quoted else put_in_order)(found, text, statement)
    # Python's style guide asks for two blank lines before a definition.
    is_definition = following is not None and following.type in _DEFINITIONS
    ends, place = "\n\n\n" if is_definition else "\n\n", following
    while head and place is not None and _is_about(text, head[-1], place):
        place = head.pop()
    if head:
        end = head[-1].end_byte
        is_close = place is not None and text.count("\n", end, place.start_byte) < 2
        return Hunk(end, end, "\n\n" + statement + (ends[1:] if is_close else ""))
    if start:
        return Hunk(start, start, "\n" + statement)
    return Hunk(0, 0, statement + ends)


def _is_about(text: str, comment: Node, code: Node) -> bool:
    """Tell whether a comment is about the code on the next line, and not about the whole file."""
    is_above = "comment" in comment.type and text.count("\n", comment.end_byte, code.start_byte) < 2
    return is_above and not _ABOUT_FILE.search(text, comment.start_byte, comment.end_byte)


def _line(text: str, node: Node) -> str:
    return text[node.start_byte : node.end_byte].split("\n", 1)[0]


def _is_string(node: Node) -> bool:
    """Tell whether a statement is the docstring of a module, or a directive."""
    inner = first_child(node) if node.type == "expression_statement" else None
    return inner is not None and inner.type == "string"


def _inserted_in_go(names: Names, statement: str) -> Hunk:
    """Put an import of Go among those of its kind: the standard library's, or others.

    It goes where it belongs if they are in order, else behind the last one; a single one becomes a
    group.
    """
    tree, line = names.tree, statement.removeprefix("import ")
    declared = [one for one in tree.root.named_children if one.type == "import_declaration"]
    groups = [one for each in declared for one in each.named_children]
    listed = [one for group in groups for one in group.named_children]
    specs = [one for one in listed if one.type == "import_spec"]
    if specs:
        return _in_group(tree, specs, line)
    # The comment above `import "C"` is code, for that statement alone.
    if len(groups) == 1 and tree.of(groups[0]) != '"C"':
        other = tree.of(groups[0])
        between = "\n\t" if _is_others(other) == _is_others(line) else "\n\n\t"
        grouped = between.join(sorted((other, line), key=_place_in_go))
        return Hunk(groups[0].start_byte, groups[0].end_byte, f"(\n\t{grouped}\n)")
    package = [one for one in tree.root.named_children if one.type == "package_clause"]
    if not declared and not package:
        return Hunk(0, 0, statement + "\n")
    end = (declared or package)[-1].end_byte
    return Hunk(end, end, ("\n" if declared else "\n\n") + statement)


def _in_group(tree: Tree, specs: list[Node], line: str) -> Hunk:
    alike = [one for one in specs if _is_others(tree.of(one)) == _is_others(line)]
    following = next_in_order([tree.of(one) for one in alike], line, (_place_in_go,))
    if following is not None:
        start = alike[following].start_byte
        return Hunk(start, start, line + "\n\t")
    end = (alike or specs)[-1].end_byte
    return put_behind(tree.text, end, "\n\t" if alike else "\n\n\t", line)


def _place_in_go(line: str) -> tuple[bool, str]:
    """Return by what imports are sorted: the standard library first, then by their paths."""
    return _is_others(line), line.split()[-1]


def _is_others(line: str) -> bool:
    return "." in line.split()[-1].split("/")[0]
