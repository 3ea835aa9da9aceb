"""Functions that a file no longer needs.

After `return new(cart) if flags.new else _old(cart)` has become `return new(cart)`, nothing needs
`_old`: of 101 private functions whose last call commits of six projects took away together with a
condition, they took 80 away (counted once, by a script that was not kept). And a function that was
copied to another file, word by word, is imported from there.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.imports import family_of
from editcast_model.consequences.replaced.saves import Save
from editcast_model.consequences.unused.removal import start_with_head, without_lines
from editcast_model.syntax.calls import Function, function_of
from editcast_model.syntax.languages import SCRIPTS, language_of
from editcast_model.syntax.names import WORD, Names, whole_words
from editcast_model.syntax.tree import Tree, field

_CONDITION: Final = re.compile(r"\b(?:if|unless|else|elif|elsif|when|case)\b|\?|&&|\|\|")
#: With more removed words, the text was replaced.
_MOST_WORDS: Final = 500
_FUNCTION: Final = re.compile(r"(?:async )?(?:def|function)\b")
#: Shorter functions may be alike by chance.
_LEAST_LINES: Final = 3
_WHOLE: Final = ("decorated_definition", "lexical_declaration", "export_statement")
_PRIVATE: Final = re.compile(r"\bprivate\b")
_SECTION: Final = re.compile(
    r"^[ \t]*(private|public|protected)[ \t\r]*$|^[ \t]*(?:class|module)\b", re.M
)


def after_last_call(change: Change) -> Iterator[Consequence]:
    """Return the private functions that are called no longer since a change."""
    names = change.after
    for word in sorted(_words_gone(change)):
        defined = names.of(word)
        if len(defined) != 1 or len(re.findall(rf"\b{word}\b", names.tree.text)) != 1:
            continue
        function = function_of(names, defined[0])
        if function is None or function.is_constructor or not _was_called(change, word):
            continue
        node = _whole(function.node)
        if _is_private(names.tree, function, node):
            hunk = without_lines(names.tree, node, start_with_head(names.tree, node))
            if hunk is not None:
                yield Consequence(hunk, "remove_function")


def copied_elsewhere(saves: Sequence[Save], names: Names) -> Iterator[Consequence]:
    """Return the functions that another file has since a save as well, and that are used here."""
    tree = names.tree
    family = family_of(tree.language)
    own = [one for one in saves if family_of(language_of("", one.file) or "") == family]
    for one in tree.root.named_children if own and family in ("python", "script") else ():
        name = tree.of(field(one, "name"))
        text = tree.of(one)
        if not name or not _FUNCTION.match(text) or text.count("\n") + 1 < _LEAST_LINES:
            continue
        is_copied = any(text in each.after and text not in each.before for each in own)
        if is_copied and len(re.findall(rf"\b{name}\b", tree.text)) > 1:
            hunk = without_lines(tree, one, start_with_head(tree, one))
            if hunk is not None:
                yield Consequence(hunk, "remove_function", is_first=True)


def _words_gone(change: Change) -> set[str]:
    """Return the words that a change took away, if it took a condition away as well."""
    before = change.before.tree.text
    hunks = [hunk for hunk, _, _ in change.finished()]
    is_condition = any(_CONDITION.search(before, hunk.start, hunk.end) for hunk in hunks)
    gone = set[str]()
    for hunk in hunks if is_condition else ():
        gone.update(WORD.findall(before, *whole_words(before, hunk.start, hunk.end)))
    return gone if len(gone) <= _MOST_WORDS else set()


def _was_called(change: Change, word: str) -> bool:
    """Tell whether a function of this name was there before, and was called once."""
    found = re.findall(rf"\b{word}\b(\s*\()?", change.before.tree.text)
    return len(found) == 2


def _whole(node: Node) -> Node:
    """Return a function with its decorators, or with the constant that is its name."""
    while node.parent is not None and (
        node.parent.type in _WHOLE or node.parent.type == "variable_declarator"
    ):
        node = node.parent
    return node


def _is_private(tree: Tree, function: Function, node: Node) -> bool:
    """Tell whether other files cannot call a function."""
    head = tree.text[node.start_byte : function.defined.start]
    language, name = tree.language, function.name
    if language == "python":
        return name.startswith("_") and not name.endswith("__")
    if language in SCRIPTS:
        is_outer = node.parent is not None and node.parent.type == "program"
        is_module = re.search(r"^(?:import|export)\b", tree.text, re.MULTILINE) is not None
        if function.owner is None:
            return is_outer and is_module and node.type != "export_statement"
        return name.startswith("#") or bool(_PRIVATE.search(head))
    if language == "go":
        return name[0].islower() and name not in ("main", "init")
    if language == "ruby":
        above = [one[1] for one in _SECTION.finditer(tree.text, 0, node.start_byte)]
        return bool(above) and above[-1] == "private"
    if language in ("c", "cpp"):
        return head.startswith("static ") and function.owner is None
    if language == "rust":
        return not re.search(r"\bpub\b", head) and name != "main"
    return bool(_PRIVATE.search(head))
