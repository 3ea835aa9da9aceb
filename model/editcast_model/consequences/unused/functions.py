"""Private functions and classes whose last use a change took away.

And public exceptions of Python: what is raised in its own file is raised in no other, as a rule.

Only where the uses were in single lines, what took their place has a meaning, and little else
changed: else the function was renamed, or needed again at another place. Of commits made from the
bottom up 12 of 18 of these were clean, and 15 of the functions deleted; without these conditions
7 of 40 were clean.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.unused.removal import start_with_head, without_lines
from editcast_model.syntax.calls import function_of
from editcast_model.syntax.names import WORD, Names, Occurrence, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, outermost, word_set

_DEFINED = (Role.DEFINITION, Role.MEMBER_DEFINITION)
#: Nodes around a function that are a part of its statement.
_AROUND = word_set(
    "variable_declarator lexical_declaration variable_declaration decorated_definition"
)
#: Decorators that give a function to nobody else.
_DECORATORS = re.compile(r"@(?:staticmethod|classmethod|property|(?:functools\.)?\w*cache\w*)\b")
_CLASSES = ("class_definition", "class_declaration")
_EXCEPTION = re.compile(r"class \w+\([\w.]*(?:Error|Exception)\)")
_PRIVATE = re.compile(r"(?:\w+\s+)*?private\b|[^(]*#")
#: After more changes, few were clean.
_MOST_CHANGES = 6
_MODULE = re.compile(r"^(?:import|export)\b|\brequire\(", re.MULTILINE)


def after_last_use_of_function(change: Change) -> Iterator[Consequence]:
    """Return the private definitions of a file that are used no longer since a change."""
    names, renamed = change.after, {one.before.name for one in change.renamed}
    if names.tree.language == "vue" or len(change.made) > _MOST_CHANGES:
        return  # the markup of Vue may use them
    taken = _taken(change)
    for word in sorted({*taken.values()} - renamed):
        defined = [one for one in names.of(word) if one.role in _DEFINED]
        node = _statement(names, defined[0]) if len(defined) == 1 else None
        if node is None or change.same_before(defined[0]) is None:
            continue
        own = range(start_with_head(names.tree, node), node.end_byte)
        is_used = any(at not in own for at in _written(names, word))
        if is_used or not _is_private(names.tree, word, node):
            continue
        uses = (at for at in _written(change.before, word) if change.is_now_at(at) not in own)
        are_taken = all(at in taken for at in uses)
        hunk = without_lines(names.tree, node, own.start) if are_taken else None
        if hunk is not None and (node.prev_named_sibling or node.next_named_sibling):
            yield Consequence(hunk, "remove_function")


def _taken(change: Change) -> dict[int, str]:
    """Return the names that single lines had before, where only known ones took their place."""
    text, new = change.before.tree.text, change.after.tree.text
    return {
        one.start: one.name
        for hunk, start, end in change.finished()
        if text.count("\n", hunk.start, hunk.end) < 2
        and "\n" not in hunk.text.strip()
        and not change.after.unbound(start, end, WORD.findall(new, start, end))
        for word in WORD.finditer(text, *whole_words(text, hunk.start, hunk.end))
        if (one := change.before.at(word.start() - text.startswith("#", word.start() - 1)))
    }


def _written(names: Names, word: str) -> Iterator[int]:
    """Find where a word is written, as a name or in a text."""
    found = re.finditer(rf"(?<![\w$]){re.escape(word)}(?![\w$])", names.tree.text)
    return (one.start() for one in found)


def _statement(names: Names, defined: Occurrence) -> Node | None:
    """Return all of the statement of a function or a class; None for anything else."""
    function, node = function_of(names, defined), defined.path[-2].node
    is_class = node.type in _CLASSES and defined.path[-1].field == "name"
    if function.is_constructor if function else not is_class:
        return None
    return outermost(function.node if function else node, _AROUND)


def _is_private(tree: Tree, name: str, node: Node) -> bool:
    """Tell whether nothing but its file knows a name, and nothing else is in its statement."""
    around = tree.around(node)
    declared = sum(one.type == "variable_declarator" for one in node.named_children)
    if not around or declared > 1:
        return False
    if tree.language == "python":
        decorators = (one for one in node.named_children if one.type == "decorator")
        is_free = all(_DECORATORS.match(tree.of(one)) for one in decorators)
        is_outer = around[0].type == "module" or around[1].type == "class_definition"
        is_private = name.startswith("_") and not name.endswith("__")
        return is_free and is_outer and (is_private or bool(_EXCEPTION.match(tree.of(node))))
    if around[0].type == "program":
        return _MODULE.search(tree.text) is not None
    is_member = around[0].type in ("class_body", "declaration_list")
    return is_member and _PRIVATE.match(tree.of(node)) is not None
