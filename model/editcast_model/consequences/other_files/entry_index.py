"""The index of the texts that a project's files give names to, for code that writes them out.

They stand in tables: catalogues of translations, enums, objects of constants.
"""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.consequences.other_files.project_index import ProjectIndex
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.tree import Tree, field, first_child, parse

#: The keys that lead to a text in a file, the outermost first.
Keys = tuple[str, ...]

_MOST_CHARACTERS: Final = 300_000  # of a file
_MOST_KEYS: Final = 12  # from the outermost one to a text
_VALUE: Final = range(3, 201)  # characters
_LETTER: Final = re.compile(r"[^\W\d_]")
_LITERAL: Final = re.compile(r"^(?:template_)?string$|string_literal$|^encapsed_string$")
#: Types of nodes that are literal parts of a string, not interpolated values.
_PART: Final = re.compile("string_|escape")
_QUOTED: Final = re.compile(r"[rRuU]?(\"\"\"|'''|[\"'`])(.*)\1", re.DOTALL)
#: A line of YAML with a key, and perhaps a text.
_YAML_LINE: Final = re.compile(
    r"""^(?P<indent>[ ]*)(?P<key>[\w.-]{1,100}):
    (?:[ ]+(?:(?P<quote>["'])(?P<text>.*)(?P=quote)[ ]*|(?P<plain>[^\s"'#&*|>\[{].*)))?\r?$""",
    re.MULTILINE | re.VERBOSE,
)
#: Paths of catalogues of translations.
CATALOGUE: Final = re.compile(r"locale|lang|i18n|translation|messages", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"\\([\"'`])")
_KEY: Final = re.compile(r"(?P<name>[\w$-]{1,100})|([\"'])(?P<text>[^\"'\\\n]{1,100})\2")
#: An entry of a table: alone on a line, or in braces.
_ENTRY: Final = re.compile(
    r"""(?:^[^"'`:=\n]*(?:["'][\w.$-]+)?["']?\s*(?:[:=]|=>)|[{,]\s*["']?[\w$-]+["']?\s*:)"""
    r"""\s*(["'`])[^"'`\n]{3,200}\1"""
    r"""(?=\s*(?:$|[,;}#/]|as const))""",
    re.MULTILINE,
)
#: Constants of enums of Java and C#, and of types of Go; the beginning of such an enum.
_CONSTANT: Final = re.compile("enum_constant$|enum_member_declaration$|const_spec$")
_ENUM: Final = re.compile(r"\benum\s+\w")
#: Types of nodes that contain code, whose tables are local, and of operators that name nothing.
_CODE: Final = re.compile(
    "function|method|lambda|arrow|constructor|keyword_argument|^jsx_|binary|augmented"
)


class Place(NamedTuple):
    """The place of a text in a table: its file and its keys, the outermost first."""

    file: str
    keys: Keys


class EntryIndex(ProjectIndex[tuple[str, Place]]):
    """The entries of one project's tables by their texts."""

    def of(self, text: str) -> list[Place]:
        """Return the entries that have a text."""
        with self._lock:
            return [place for _, place in self._known.get(text, ())]

    def places(self) -> list[Place]:
        """Return the places of all entries."""
        with self._lock:
            return [place for things in self._files.values() for _, place in things]

    def _things(self, file: str, language: str, text: str) -> tuple[tuple[str, Place], ...]:
        """Return the texts of the tables of a file, each with its place."""
        texts = entries_of(text, language, file) if _may_have_table(text, file) else ()
        return tuple(dict.fromkeys((one, Place(file, keys)) for one, keys in texts))

    def _keys(self, thing: tuple[str, Place]) -> tuple[str, str]:
        """Return the text of an entry, and the name of its table with a point behind it."""
        return thing[0], f"{''.join(thing[1].keys[-2:-1])}."


def _may_have_table(text: str, file: str) -> bool:
    """Tell whether a file may hold two entries or more, by its looks: most need no parsing."""
    found = _ENTRY.finditer(text)
    has_two = next(found, None) is not None and next(found, None) is not None
    return is_table(file) or has_two or _ENUM.search(text) is not None


def entries_of(text: str, identifier: str, file: str) -> Iterator[tuple[str, Keys]]:
    """Yield the texts of the tables of a file, each with its keys.

    Args:
        text: The file's text.
        identifier: The editor's language identifier.
        file: The file's path; JSON and YAML are known by it, since they have no grammar.
    """
    found: Iterator[tuple[str, Keys]] = iter(())
    if len(text) > _MOST_CHARACTERS:
        return
    if is_table(file):
        found = (_entries_of_yaml if _is_catalogue_of_yaml(file) else _entries_of_json)(text)
    elif (tree := parse(text, language_of(identifier, file))) is not None:
        found = ((value, keys) for _, value, keys in table_entries(tree))
    for value, keys in found:
        if len(value) in _VALUE and _LETTER.search(value):
            yield value, keys


def is_table(file: str) -> bool:
    """Tell whether all of a file may be a table: JSON, and YAML of translations."""
    return PurePath(file).suffix.lower() == ".json" or _is_catalogue_of_yaml(file)


def _is_catalogue_of_yaml(file: str) -> bool:
    """Tell whether a file is YAML of translations: other YAML is of settings."""
    is_yaml = PurePath(file).suffix.lower() in (".yml", ".yaml")
    return is_yaml and CATALOGUE.search(file) is not None


def _entries_of_yaml(text: str) -> Iterator[tuple[str, Keys]]:
    above: list[tuple[int, str]] = []
    for line in _YAML_LINE.finditer(text):
        indent, value = len(line["indent"]), line["text"] or (line["plain"] or "").strip()
        above = [one for one in above if one[0] < indent][:_MOST_KEYS] + [(indent, line["key"])]
        if value:
            yield value, tuple(key for _, key in above)


def _entries_of_json(text: str) -> Iterator[tuple[str, Keys]]:
    try:
        left: list[tuple[object, Keys]] = [(json.loads(text), ())]
    except (ValueError, RecursionError):
        return
    while left:
        value, keys = left.pop()
        if isinstance(value, dict) and len(keys) < _MOST_KEYS:
            left += [(inner, (*keys, key)) for key, inner in value.items()]
        elif isinstance(value, str) and keys:
            yield value, keys


def table_entries(tree: Tree) -> Iterator[tuple[Node, str, Keys]]:
    """Yield the literals to which names are given outside of functions, their texts and keys."""
    left: list[tuple[Node, Keys]] = [(tree.root, ())]
    while left:
        node, keys = left.pop()
        if _CODE.search(node.type) or len(keys) >= _MOST_KEYS:
            continue
        for child in node.named_children:
            name, value = field(child, "key", "name", "left"), field(child, "value", "right")
            value = value if value is not None else field(child, "body")
            if child.type == "array_element_initializer" and child.named_child_count == 2:
                name, value = child.named_children  # of PHP
            if _CONSTANT.match(child.type) and name is not None:
                yield from _constants_of(tree, child, name, keys)
                continue
            if name is None or value is None or _CODE.search(child.type):
                left.append((child, keys))
                continue
            found = _KEY.fullmatch(tree.of(name))
            inner = (*keys, found["name"] or found["text"]) if found else keys
            text = literal_text(tree, value) if found else None
            if text is not None:
                yield value, text, inner
            else:
                left.append((value, inner))


def _constants_of(
    tree: Tree, one: Node, name: Node, keys: Keys
) -> Iterator[tuple[Node, str, Keys]]:
    """Yield the texts of a constant of an enum, or of a type of Go: in its code, or its name."""
    written = tree.of(name)
    if one.type == "const_spec":
        kind, value = field(one, "type"), first_child(field(one, "value"))
        keys = (*keys, tree.of(kind)) if kind is not None else keys
    else:
        value = first_child(field(one, "arguments"))
    if value is not None and (text := literal_text(tree, value)) is not None:
        yield value, text, (*keys, written)
    elif value is None and one.type != "const_spec":
        for text in {written, written.lower(), "_".join(parts_of(written))}:
            yield name, text, (*keys, written)


def is_literal(node: Node) -> bool:
    """Tell whether a node is a text in the code: a string, or what stands between JSX tags."""
    return node.type == "jsx_text" or (node.is_named and bool(_LITERAL.search(node.type)))


def literal_text(tree: Tree, node: Node) -> str | None:
    """Return the text of a literal; None for one that something is put into, and for other code."""
    if node.type == "jsx_text":
        return " ".join(tree.of(node).split())
    if not is_literal(node) or not all(_PART.search(one.type) for one in node.named_children):
        return None
    found = _QUOTED.fullmatch(tree.of(node))
    text = _ESCAPED.sub(r"\1", found[2]) if found else "\\"
    return None if "\\" in text else text
