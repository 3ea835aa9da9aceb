"""Imports of Python, JavaScript and TypeScript that a change leaves without a use, or makes twice.

Of those that commits left without a use, 119 of 128 were taken out by the commits of two projects
in JavaScript and TypeScript; of commits of Python made from the bottom up 70 of 95 were clean.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.imports import Import, imports
from editcast_model.consequences.unused.removal import without_lines
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import WORD, Names, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Path, Tree, around

#: With more removed words, the text was replaced.
_MOST_WORDS = 500
_STATEMENTS = ("import_statement", "import_from_statement")
#: What the compiler of markup may use, although the file never names it.
_IN_MARKUP = "React"
#: Roles of names that cannot mean an import.
_OTHERS = (Role.MEMBER, Role.MEMBER_DEFINITION, Role.KEYWORD, Role.KEY)
#: A statement that imports one module as a whole.
_MODULE = re.compile(r"import [\w.]+(?=\s*$)", re.MULTILINE)
_ENTRIES = ("aliased_import", "dotted_name", "import_specifier")


def after_last_use(change: Change) -> Iterator[Consequence]:
    """Return the imports that are used no longer since a change."""
    names, gone = change.after, _words_gone(change)
    for path, taken in _statements(names) if gone else ():
        lost = [one for one in taken if _word(one) in gone and not _is_used(names, one)]
        if not any(_was_used(change, one) for one in lost):
            continue
        kept = [one for one in taken if one not in lost and _is_used(names, one)]
        if (hunk := _without(names.tree, path, taken, kept)) is not None:
            yield Consequence(hunk, "remove_import")


def _words_gone(change: Change) -> set[str]:
    """Return the words that a change took away somewhere; none where it replaced the text."""
    before = change.before.tree.text
    gone = {
        word
        for hunk, _, _ in change.finished()
        for word in WORD.findall(before, *whole_words(before, hunk.start, hunk.end))
    }
    return gone if len(gone) <= _MOST_WORDS else set()


def after_import(change: Change) -> Iterator[Consequence]:
    """Return the imports of names that a new import binds again in their scope, or the module."""
    tree, new = change.after.tree, list[tuple[Path, Import]]()
    places = ((made.text, tree.path_near(start)) for made, start, _ in change.finished())
    is_import = any("import" in text or around(path, *_STATEMENTS) for text, path in places)
    statements = _statements(change.after) if is_import else []
    for path, taken in statements:
        if not change.is_active(*path[-1].node.byte_range):
            new += [(path, one) for one in taken if change.wrote(one.at, one.at + 1)]
    for path, taken in statements if new else ():
        old = (one for one in taken if not change.wrote(one.at, one.at + 1))
        gone = [one for one in old if any(_replaces(*each, path, one) for each in new)]
        kept = [one for one in taken if one not in gone]
        hunk = _without(tree, path, taken, kept) if gone else None
        if hunk is not None:
            yield Consequence(hunk, "remove_duplicate")


def _replaces(new_path: Path, new: Import, old_path: Path, old: Import) -> bool:
    """Tell whether an import binds a name of another: in its body, or from above its function."""
    if new_path[-2].node == old_path[-2].node:
        return new.bound == old.bound != ""
    is_in_function = len(old_path) > 3 and old_path[-3].type == "function_definition"
    return len(new_path) == 2 and is_in_function and _key(new) == _key(old)


def _key(one: Import) -> tuple[str, str, str]:
    return one.module, one.name, one.bound


def _statements(names: Names) -> list[tuple[Path, list[Import]]]:
    """Return the import statements of a text, by the ways to them, each with what it imports."""
    found, language = dict[int, tuple[Path, list[Import]]](), names.tree.language
    for one in imports(names) if language in ("python", *SCRIPTS) else ():
        path = names.tree.path(one.at)
        path = path[: (around(path, *_STATEMENTS) or 0) + 1]
        if len(path) > 1:
            found.setdefault(path[-1].node.start_byte, (path, []))[1].append(one)
    return list(found.values())


def exchanged(
    tree: Tree, found: Iterable[Consequence], added: list[Consequence]
) -> Iterator[Consequence]:
    """Yield all consequences, with one for a module that is imported in the place of another."""
    for one in found:
        span = one.hunk.start, one.hunk.end
        old = _MODULE.match(tree.text, *span) if one.kind == "remove_import" else None
        beside = (each for each in added if span[0] <= each.hunk.start <= span[1])
        new = next((each for each in beside if _MODULE.match(each.hunk.text.strip())), None)
        if old is not None and new is not None:
            added.remove(new)
            yield replace(new, hunk=Hunk(old.start(), old.end(), new.hunk.text.strip()))
        else:
            yield one
    yield from added


def _word(one: Import) -> str:
    return one.bound.partition(".")[0]


def _is_used(names: Names, one: Import) -> bool:
    """Tell whether a file uses an import, or may: by its name in a string, or in a comment."""
    word = _word(one)
    if not word or word == _IN_MARKUP or names.is_too_frequent(word):
        return True
    places = (found.start() for found in re.finditer(rf"\b{re.escape(word)}\b", names.tree.text))
    return any(
        place not in (one.at, one.binding) and names.tree.path(place)[1].type not in _STATEMENTS
        for place in places
        if _may_mean(names, place)
    )


def _may_mean(names: Names, place: int) -> bool:
    """Tell whether a word may mean an import: not as a member, but in a string or a comment."""
    one = names.at(place)
    return one is None or one.role not in _OTHERS or one.part.is_shorthand


def _was_used(change: Change, one: Import) -> bool:
    """Tell whether the same import was used before."""
    place = change.was_at(one.at)
    before = [each for each in imports(change.before) if each.at == place]
    if not before or _word(before[0]) != _word(one):
        return False
    return any(each.role is Role.REFERENCE for each in change.before.of(_word(one)))


def _without(tree: Tree, path: Path, taken: list[Import], kept: list[Import]) -> Hunk | None:
    """Take names out of an import statement, or the whole statement; None where that is unsure."""
    statement = path[-1].node
    if "#" in tree.of(statement):
        return None
    if not kept:
        return without_lines(tree, statement)
    nodes = [node for one in taken if (node := _entry(tree, one)) is not None]
    if len(nodes) < len(taken) or len({one.parent for one in nodes}) > 1:
        return None
    text, start, end = tree.text, nodes[0].start_byte, nodes[-1].end_byte
    left = [at for at, one in enumerate(taken) if one in kept]
    gaps = [text[one.end_byte : other.start_byte] for one, other in pairwise(nodes)]
    new = tree.of(nodes[left[0]])
    for last, at in pairwise(left):  # the end of a line stays
        new += max(gaps[last], gaps[at - 1], key=lambda gap: "\n" in gap) + tree.of(nodes[at])
    return shortest_hunk(text[start:end], new, start)


def _entry(tree: Tree, one: Import) -> Node | None:
    """Return the node of a name in an import statement, with its alias."""
    nodes = (step.node for step in tree.path(one.at) if step.type in _ENTRIES)
    return next(nodes, None)
