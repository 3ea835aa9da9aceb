"""Literals that entries of a table stand for, once one of them was replaced by its entry.

After a title of the catalogue of translations has become `t("profile.title")`, the same is due for
the other texts in it; after `"active"` has become `Status.ACTIVE`, for `"closed"`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.members.operands import thing_of
from editcast_model.consequences.other_files.entry_index import (
    CATALOGUE,
    EntryIndex,
    Keys,
    Place,
    is_literal,
    literal_text,
    table_entries,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import REFERENCE, Role
from editcast_model.syntax.tree import Path, Tree, first_child

_LONGEST = 200  # code points of a reference
#: Larger trees are not searched for literals.
_MOST_NODES = 100_000
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = re.compile(r"[^\"'`\\\n]+")  # what may stand between quotes
_WORD = re.compile(r"[\w-]+")  # a text that may mean several things
#: Characters that make code more than a reference.
_MORE = re.compile(r"[?+|&{},\n]|\b(?:if|and|or)\b")
_IN_BRACES = re.compile(r"\{\s*(.*?)\s*\}", re.DOTALL)
#: Types of nodes in which a literal is not the value of an expression.
_APART = re.compile("import|literal_type|expression_statement|concatenated")
#: Fields that contain names, and the texts of tagged templates.
_FIELDS = frozenset("key name index subscript source arguments".split())
#: What follows on the key of a text that values are put into.
_VALUES = re.compile(r"([\"'`]), .*\)$", re.DOTALL)
_ASKS = re.compile(r"(?:require|import|typeof)\b")
#: What writes a log, which is for developers.
_LOGS = re.compile(r"(?:\b[Ll]og(?:ger|ging)?|LOG|\bconsole)(?:\??\.|->|::)\w+\s*$")
#: Attributes whose values are for the browser, not for people.
_MARKUP = frozenset("class className for htmlFor href id key name rel role src style type".split())
#: The template of a Vue file; in it the text between tags, or an attribute with its value.
_TEMPLATE = re.compile(r"^<template\b.*^</template>", re.MULTILINE | re.DOTALL)
_TEXT = re.compile(r"(?<![=/])>\s*(?P<text>[^\s<>{}](?:[^<>{}]*[^\s<>{}])?)\s*(?=<)")
_ATTRIBUTE = re.compile(r'(?<=\s)(?P<all>(?P<name>[a-z][\w-]*)="(?P<text>[^"{}<>]+)")')


#: The translator of a component, with the part of the catalogues that it is for.
_TRANSLATOR = re.compile(
    r"const (?:\{ (?P<taken>t)\b[^}]*\}|(?P<name>t)) = use(?:Translations?|I18n|T)"
    r"""\((?:["'](?P<space>[\w.-]+)["'])?\)"""
)
#: The keys around all texts of a language.
_OF_ALL = re.compile(r"[a-z]{2}([-_][A-Za-z]{2})?|translations?|messages")
_QUOTE = re.compile(r"""(?m)^import [^"'\n]*(["'])""")


class _Text(NamedTuple):
    """A text of a template for people: where it stands, and the attribute whose value it is."""

    start: int
    end: int
    text: str
    attribute: str = ""

    def placed(self, code: str) -> str:
        """Return code as it stands in place of the text."""
        return f':{self.attribute}="{code}"' if self.attribute else f"{{{{ {code} }}}}"


class _Reference(NamedTuple):
    """A way to write entries of a table.

    Attributes:
        before: The code before the keys.
        after: The code behind them.
        keys: The keys of the example.
        roots: Files of tables, with the keys of these that all have in common.
        is_flat: Whether a single key is written.
        is_quoted: Whether the keys are in quotes.
        bound: The name that the code begins with, if it has a meaning in the file; else empty.
        thing: The name of what the text of the example was given to, or compared with, if it is
            one word: it means something else beside another thing.
    """

    before: str
    after: str
    keys: Keys
    roots: frozenset[Place]
    is_flat: bool
    is_quoted: bool
    bound: str = ""
    thing: str = ""

    @property
    def cause(self) -> str:
        """Name what all uses of it have in common."""
        return f"{self.before}*{self.after}"

    def keys_of(self, entries: Sequence[Place]) -> Keys | None:
        """Return the keys to write for a text; None unless its entries agree on them."""
        depths = {len(root.keys) for root in self.roots}
        rests = {
            one.keys[depth:]
            for one in entries
            for depth in depths
            if Place(one.file, one.keys[:depth]) in self.roots
        }
        allowed = _PLAIN if self.is_quoted else _NAME
        found = [
            keys
            for keys in rests
            if keys and not (self.is_flat and keys[1:]) and all(map(allowed.fullmatch, keys))
        ]
        if len(found) > 1:
            found = [keys for keys in found if keys[:-1] == self.keys[:-1]]
        return found[0] if len(found) == 1 else None


def after_reference(change: Change, entries: EntryIndex) -> Iterator[Consequence]:
    """Return the references to entries that are left to be put in place of literals."""
    tree = change.after.tree
    found = chain(_references(change, entries), _references_in_template(change, entries))
    references = dict.fromkeys(found) or dict.fromkeys(_first_references(change, entries))
    if not references:
        return
    yield from _in_template(change, entries, references)
    own = {value.start_byte: keys for value, _, keys in table_entries(tree)}
    for node in literals(tree):
        known = entries.of(literal_text(tree, node) or "")
        start, end = _extent(tree, node)
        if not known or change.wrote(start, end) or change.is_active(start, end):
            continue
        path = path_of(tree, start)
        for one in references if not is_apart(tree, path) else ():
            keys = one.keys_of(known)
            if one.thing and thing_of(tree, path) not in ("", one.thing):
                continue
            if keys is None or own.get(start, ())[-len(keys) :] == keys:  # the table itself
                continue
            if tree.text.endswith(one.before[:-1], 0, start):  # keys that are written already
                continue
            code = placed(f"{one.before}{'.'.join(keys)}{one.after}", path)
            if code is not None and _is_bound(change.after, path, start, one.bound):
                yield Consequence(Hunk(start, end, code), "use_entry", cause=one.cause)
                break


def _references(change: Change, entries: EntryIndex) -> Iterator[_Reference]:
    """Yield the references that a change put in place of literals with the same meaning."""
    tree, names = change.before.tree, change.after
    for offset in sorted({at for one in change.hunks for at in (one.start, one.end - 1)}):
        path = path_of(tree, max(offset, 0))
        whole = path[-1].node if is_literal(path[-1].node) else None
        text = literal_text(tree, whole) if whole is not None else None
        known = entries.of(text) if text else entries.places() if whole is not None else ()
        span = _span_now(change, *_extent(tree, path[-1].node)) if known else None
        if span is None or change.is_active(*span) or span[1] - span[0] > _LONGEST:
            continue
        code = names.tree.text[slice(*span)]
        asked = _unplaced(code, path) if text else _VALUES.sub(r"\1)", code)
        found = _reference(asked, known)
        if found is None or (text and text in found.before + found.after):
            continue
        first = WORD.search(code)
        one = names.at(span[0] + first.start()) if first else None
        is_bound = one and one.role is Role.REFERENCE and names.resolve(one)
        thing = "" if found.is_quoted or not _WORD.fullmatch(text or "") else thing_of(tree, path)
        yield found._replace(bound=one.name if one and is_bound else "", thing=thing)


def _template_texts(tree: Tree) -> Iterator[_Text]:
    """Yield the texts for people in the template of a Vue file."""
    template = _TEMPLATE.search(tree.text) if tree.language == "vue" else None
    for found in _TEXT.finditer(tree.text, *template.span()) if template else ():
        yield _Text(*found.span("text"), found["text"])
    for found in _ATTRIBUTE.finditer(tree.text, *template.span()) if template else ():
        if found["name"] not in _MARKUP:
            yield _Text(*found.span("all"), found["text"], found["name"])


def _in_template(
    change: Change, entries: EntryIndex, references: Iterable[_Reference]
) -> Iterator[Consequence]:
    """Return the references that are left to be put in place of texts of a template."""
    for one in _template_texts(change.after.tree):
        known = entries.of(one.text)
        for each in references if known and not change.is_active(one.start, one.end) else ():
            keys = each.keys_of(known)
            code = f"{each.before}{'.'.join(keys)}{each.after}" if keys else '"'
            if '"' not in code:
                hunk = Hunk(one.start, one.end, one.placed(code))
                yield Consequence(hunk, "use_entry", cause=each.cause)
                break


def _references_in_template(change: Change, entries: EntryIndex) -> Iterator[_Reference]:
    """Yield the references that a change put in place of texts of a template."""
    changed = [hunk for hunk, *_ in change.finished()]
    for one in _template_texts(change.before.tree):
        if any(hunk.start <= one.end and one.start <= hunk.end for hunk in changed):
            span = _span_now(change, one.start, one.end)
            now = change.after.tree.text[slice(*span)] if span else ""
            head, tail = one.placed("*").split("*")
            known = entries.of(one.text) if now.startswith(head) and now.endswith(tail) else ()
            found = _reference(now.removeprefix(head).removesuffix(tail), known) if known else None
            first = WORD.match(found.before) if found else None
            if found is not None and first is not None:
                yield found._replace(bound=first[0])


def _first_references(change: Change, entries: EntryIndex) -> Iterator[_Reference]:
    """Yield the reference by a translator that was just taken from its library, and not used."""
    text = change.after.tree.text
    for _, start, end in change.finished():
        for found in _TRANSLATOR.finditer(text, start, end):
            name, space = found["name"] or found["taken"], found["space"] or ""
            is_used = re.search(rf"(?<![\w.$]){name}\(", text) is not None
            places = () if is_used else entries.places()
            roots = {root for one in places if (root := _root(one, space))}
            quote = "'" if change.after.tree.language == "vue" else _QUOTE.findall(text)[:1]
            if roots:
                before, after = f"{name}({''.join(quote)}", f"{''.join(quote)})"
                yield _Reference(before, after, (), frozenset(roots), False, True, name)


def _root(place: Place, space: str) -> Place | None:
    """Return the part of a catalogue that a translator reads; None for another table."""
    if CATALOGUE.search(place.file) is None:
        return None
    depth = next((at for at, key in enumerate(place.keys) if not _OF_ALL.fullmatch(key)), 0)
    keys = place.keys[: depth + (bool(space) and place.keys[depth] == space)]
    return Place(place.file, keys) if keys[depth:] or space in place.file else None


def _reference(code: str, known: Sequence[Place]) -> _Reference | None:
    """Read how code refers to an entry, one of those that are known to have its text."""
    spelled = [
        (one.keys[depth:], Place(one.file, one.keys[:depth]))
        for one in known
        for depth in range(len(one.keys))
        if ".".join(one.keys[depth:]) in code
    ]
    found = {keys: [*_pattern(keys).finditer(code)] for keys, _ in spelled}
    keys = max((keys for keys, places in found.items() if len(places) == 1), key=len, default=())
    if not keys:
        return None
    roots = [root for each, root in spelled if each == keys]
    start, end = found[keys][0].span()
    is_quoted, is_flat = code[end : end + 1] in ('"', "'", "`"), len(keys) == 1
    if not is_quoted and not code[:start].endswith("."):  # the first of them is a name here
        start += len(keys[0]) + 1
        roots = [Place(root.file, (*root.keys, keys[0])) for root in roots]
        keys = keys[1:]
    before, after = code[:start], code[end:]
    is_reference = keys and before[is_quoted:]  # and no other literal
    if not is_reference or _MORE.search(before) or _MORE.search(after):
        return None
    return _Reference(before, after, keys, frozenset(roots), is_flat, is_quoted)


def _pattern(keys: Keys) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$-]){re.escape('.'.join(keys))}(?![\w$-])")


def _span_now(change: Change, start: int, end: int) -> tuple[int, int] | None:
    """Find what stands where a literal stood; None where its line is another one around it.

    A diff may take parts of the literal for parts of what took its place.
    """
    before, after = change.before.tree.text, change.after.tree.text
    line = before.rfind("\n", 0, start) + 1
    begin = change.is_now_at(line)
    if begin is None:
        return None
    head, tail = before[line:start], before[end:].partition("\n")[0]
    now = after[begin:].partition("\n")[0]
    is_same = now.startswith(head) and now.endswith(tail) and len(now) > len(head) + len(tail)
    return (begin + len(head), begin + len(now) - len(tail)) if is_same else None


def literals(tree: Tree) -> Iterator[Node]:
    """Yield the texts in a tree, unless it is too large."""
    left = [tree.root] if tree.root.descendant_count <= _MOST_NODES else []
    while left:
        node = left.pop()
        if is_literal(node) and literal_text(tree, node) is not None:
            yield node
        else:
            left.extend(reversed(node.named_children))


def _extent(tree: Tree, node: Node) -> tuple[int, int]:
    """Return where a literal begins and ends, without the blanks around text between tags."""
    start, end = node.start_byte, node.end_byte
    if node.type == "jsx_text":
        text = tree.of(node)
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
    return start, max(start, end)


def path_of(tree: Tree, offset: int) -> Path:
    """Return the nodes around the innermost literal at an offset, or all where there is none."""
    path = tree.path(offset)
    found = (at for at in reversed(range(len(path))) if is_literal(path[at].node))
    return path[: next(found, len(path)) + 1]


def is_apart(tree: Tree, path: Path) -> bool:
    """Tell whether a literal is a name, a type or the like, or for the browser."""
    above = path[-2]
    if above.type == "jsx_attribute":
        return tree.of(first_child(above.node)) in _MARKUP
    asks = any(_ASKS.match(tree.of(step.node)) for step in path[-3:-1])
    calls = (tree.of(step.node).partition("(")[0] for step in path if "call" in step.type)
    asks |= any(map(_LOGS.search, calls))
    return asks or path[-1].field in _FIELDS or bool(_APART.search(above.type))


def _unplaced(code: str, path: Path) -> str:
    """Return the reference that stands in place of a literal, without the braces of JSX."""
    if path[-1].type != "jsx_text" and path[-2].type != "jsx_attribute":
        return code
    found = _IN_BRACES.fullmatch(code)
    return found[1] if found else code if code.startswith("<") else ""


def placed(code: str, path: Path) -> str | None:
    """Return a reference as it stands in place of a literal; None for an element elsewhere."""
    is_text = path[-1].type == "jsx_text"
    if code.startswith("<"):
        return code if is_text else None
    return f"{{{code}}}" if is_text or path[-2].type == "jsx_attribute" else code


def _is_bound(names: Names, path: Path, offset: int, name: str) -> bool:
    """Tell whether a name has a meaning at an offset, or had none in the example either."""
    return not name or names.is_known(Occurrence(name, offset, REFERENCE, path, names.rules), name)
