"""Entries that lists lack beside the same neighbours as an entry that another one just got.

Whoever adds a field to a class adds it to the constructor, to the JSON form and to the table of
columns, too. There the entries of its neighbours stand side by side in the same order, and what
belongs between them reads like theirs but for the name. A list is whatever has entries of one kind:
fields, arguments, keys, members of an enumeration, cases, statements.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Tree

#: Longer entries say more than their name.
_LONGEST, _MOST_LINES = 400, 3
#: A list with more entries is data, and a name that stands at more places is no name of an entry.
_MOST_ENTRIES, _MOST_PLACES = 300, 100
#: How many nodes above a name its list is looked for.
_MOST_STEPS = 8
#: The strength where the code around a list names what the entry was added to, and elsewhere.
_STRENGTH, _STRENGTH_ELSEWHERE = 0.8, 0.5
#: What is between two entries of a list, beside blanks.
_SEPARATORS = ",;|"
_BLANK = " \t\r\n" + _SEPARATORS
_FUNCTION = re.compile("function|method|constructor|lambda|parameter")
_LITERAL = re.compile("content|fragment|string_literal|integer|float|number|int_literal")
_PART = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True, slots=True)
class _List:
    """A list of a text.

    Attributes:
        entries: Its entries, without comments, ascending.
        node: The node that they are the children of.
    """

    entries: list[Node]
    node: Node

    def beside(self, entry: Node) -> tuple[Node | None, Node | None]:
        """Return the entries before and behind one."""
        starts = [one.start_byte for one in self.entries]
        at = starts.index(entry.start_byte)
        before = self.entries[at - 1] if at else None
        after = self.entries[at + 1] if at + 1 < len(self.entries) else None
        return before, after


@dataclass(frozen=True, slots=True)
class AddedEntry:
    """An entry that was added to a list.

    Attributes:
        name: The word that tells the entry from its neighbours.
        before: The same word of the entry before it.
        further: That of the entry before that; empty for none.
        after: That of the entry behind it; empty for none.
        text: The entry as it is written.
        text_before: The one before it.
        is_like: Whether it reads like the entry before it, and like the one behind it, but for
            their names.
        owner: The name of what is made of the list, such as a class; empty for nothing.
        owner_span: Where that stands in the text; of another file, nowhere.
        list_start: Where the list begins; -1 in another file.
    """

    name: str
    before: str
    further: str
    after: str
    text: str
    text_before: str
    is_like: tuple[bool, bool]
    owner: str
    owner_span: tuple[int, int] = (0, 0)
    list_start: int = -1

    @property
    def for_other_files(self) -> "AddedEntry":
        """Return the entry without the places that it has in its file."""
        return replace(self, owner_span=(0, 0), list_start=-1)


def after_entry(change: Change) -> Iterator[Consequence]:
    """Return the entries that lists lack which have the neighbours of one that was just added."""
    for added in added_entries(change):
        yield from lacking(change.after.tree, added)


def added_entries(change: Change) -> Iterator[AddedEntry]:
    """Return the entries that a change added to lists, but for what is being typed."""
    for hunk, start, end in change.spans():
        removed = change.before.tree.text[hunk.start : hunk.end]
        if end - start <= _LONGEST and not removed.strip() and not change.is_active(start, end):
            added = _added(change.after.tree, start, end)
            if added is not None:
                yield added


def _added(tree: Tree, start: int, end: int) -> AddedEntry | None:
    """Return the entry that was inserted between two offsets; None for anything else."""
    inserted = tree.text[start:end]
    start += len(inserted) - len(inserted.lstrip(_BLANK))
    end -= len(inserted) - len(inserted.rstrip(_BLANK))
    if start >= end:
        return None
    for step in tree.path(start)[1:]:
        node = step.node
        if node.start_byte == start and start < node.end_byte <= end + 1:
            if tree.text[node.end_byte : end].strip(_BLANK):
                return None  # more than one entry
            found = _list_of(node)
            if found is not None and len(found.entries) > 2:
                return _described(tree, found, node)
    return None


def _described(tree: Tree, found: _List, node: Node) -> AddedEntry | None:
    before, after = (_alike(one, node) for one in found.beside(node))
    if before is None or tree.text.count("\n", node.start_byte, node.end_byte) >= _MOST_LINES:
        return None
    further = _alike(found.beside(before)[0], node)
    text, text_before = tree.of(node), tree.of(before)
    words, others = WORD.findall(text), WORD.findall(text_before)
    pairs = zip(words, others, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    if at is None or len(words[at]) < 2 or len(others[at]) < 2:
        return None

    def name(other: Node | None) -> str:
        found = WORD.findall(tree.of(other)) if other is not None else []
        return found[at] if at < len(found) else ""

    is_like = (
        _same(_renamed(text_before, others[at], words[at]), text),
        after is not None and _same(_renamed(tree.of(after), name(after), words[at]), text),
    )
    neighbours = others[at], name(further), name(after)
    owner = _owner(node)
    called = _name(owner)
    return AddedEntry(
        words[at],
        *neighbours,
        text,
        text_before,
        is_like,
        tree.of(called) if called else "",
        (owner.start_byte, owner.end_byte) if owner else (0, 0),
        found.node.start_byte,
    )


def lacking(tree: Tree, added: AddedEntry) -> Iterator[Consequence]:
    """Return the entries that lists of a text lack once one has another one."""
    seen: set[int] = set()
    places = [one.start() for one in _forms(added.before).finditer(tree.text)]
    if len(places) > _MOST_PLACES:
        return
    for place in places:
        found = _entry_at(tree, place, added)
        if found is None or found[1].start_byte in seen:
            continue
        seen.add(found[1].start_byte)
        yield from _copied(tree, added, *found)


def _entry_at(tree: Tree, place: int, added: AddedEntry) -> tuple[_List, Node] | None:
    """Return the list at a place, and its entry behind which the added one belongs."""
    path = tree.path(place)
    for step in reversed(path[max(1, len(path) - _MOST_STEPS) :]):
        found = _list_of(step.node)
        if found is None or step.node.end_byte - step.node.start_byte > _LONGEST:
            continue
        if found.node.start_byte == added.list_start:
            return None
        before, after = found.beside(step.node)
        entry, behind, ahead = (tree.of(one) if one else "" for one in (step.node, before, after))
        if added.after:
            is_it = _has(ahead, added.after) and not (
                _has(entry, added.after) or _has(ahead, added.before)
            )
        else:
            is_last = after is None or after.type != step.node.type
            is_it = is_last and bool(added.further) and _has(behind, added.further)
            is_it = is_it and not (_has(entry, added.further) or _has(behind, added.before))
        if is_it:
            is_there = any(_has(tree.of(one), added.name) for one in found.entries)
            return None if is_there else (found, step.node)
    return None


def _copied(tree: Tree, added: AddedEntry, found: _List, entry: Node) -> Iterator[Consequence]:
    """Return the added entry as the list around another one has it, behind that one."""
    before, after = found.beside(entry)
    beside = after if added.after else before
    if beside is None:
        return
    first, last = sorted((entry, beside), key=lambda one: one.start_byte)
    separator = tree.text[first.end_byte : last.start_byte]
    if separator.strip(_BLANK):
        return  # a comment, or a word such as "and"
    is_related = _is_related(tree, added, entry)
    if not (is_related or (added.after and any(added.is_like))):
        return
    source, old = entry, added.before
    if added.after and added.is_like == (False, True):
        source, old = beside, added.after
    text = tree.of(source)
    if _same(tree.of(entry), added.text_before):
        new = added.text
    elif _is_passed(source) or _says_more(tree, source, old):
        return
    elif not _is_regular(tree, found, source, old):
        return
    else:
        new = _aligned(text, _renamed(text, old, added.name), len(old) - len(added.name))
    strength = _STRENGTH if is_related else _STRENGTH_ELSEWHERE
    hunk = _as_line(tree.text, entry.end_byte, separator, new)
    yield Consequence(hunk, "add_entry", strength, cause=f"{added.before} {added.name}")


def _as_line(text: str, at: int, separator: str, new: str) -> Hunk:
    """Put an entry behind another one: as a whole line, where each has its own."""
    end = separator.find("\n") + 1
    if text.startswith(separator[:end], at):
        return Hunk(at + end, at + end, separator[end:] + new + separator[:end])
    return Hunk(at, at, separator + new)


def _is_related(tree: Tree, added: AddedEntry, entry: Node) -> bool:
    """Tell whether the code around an entry names the owner of the added one, or lies in it."""
    start, end = added.owner_span
    if start <= entry.start_byte < end:
        return True
    around = entry.parent
    while around is not None and around.parent is not None and _name(around) is None:
        around = around.parent
    return around is not None and added.owner in WORD.findall(tree.of(around))


def _is_regular(tree: Tree, found: _List, entry: Node, name: str) -> bool:
    """Tell whether another entry of a list reads like one but for their names."""
    words = WORD.findall(tree.of(entry))
    at = next((at for at, word in enumerate(words) if _has(word, name)), None)
    if at is None:
        return False
    kind = _renamed(tree.of(entry), words[at], "")
    for other in found.entries:
        of_other = WORD.findall(tree.of(other))
        if other != entry and at < len(of_other):
            if _same(_renamed(tree.of(other), of_other[at], ""), kind):
                return True
    return False


def _is_passed(entry: Node) -> bool:
    """Tell whether an entry is an argument that is known by its place alone.

    What is called need not take one more.
    """
    parent = entry.parent
    is_argument = parent is not None and parent.type in ("argument_list", "arguments")
    return is_argument and entry.child_by_field_name("name") is None


def _aligned(before: str, after: str, shorter: int) -> str:
    """Keep the column of a value that stands behind several blanks."""
    blanks = re.search(r"(?<=\S) {2,}(?=\S)", before)
    if blanks is None:
        return after
    width = max(1, len(blanks[0]) + shorter)
    return re.sub(r"(?<=\S) {2,}(?=\S)", " " * width, after, count=1)


def _says_more(tree: Tree, entry: Node, name: str) -> bool:
    """Tell whether an entry has a literal that is not made of its name."""
    nodes = [entry]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        text = tree.of(node)
        is_literal = _LITERAL.search(node.type) and not node.named_children
        if is_literal and any(map(str.isalnum, text)) and not _has(text, name):
            return True
    return False


def _list_of(node: Node) -> _List | None:
    """Return the list that a node is an entry of."""
    parent = node.parent
    if parent is None:
        return None
    while parent.parent is not None and parent.parent.type == parent.type:
        parent = parent.parent  # `a | b | c` is a list in a list
    entries: list[Node] = []
    waiting = [parent]
    while waiting:
        one = waiting.pop()
        if one is parent or one.type == parent.type:
            waiting += reversed(one.named_children)
        elif "comment" not in one.type:
            entries.append(one)
        if len(entries) > _MOST_ENTRIES:
            return None
    is_entry = any(one == node for one in entries)
    return _List(entries, parent) if is_entry and len(entries) > 1 else None


def _owner(node: Node) -> Node | None:
    """Return the nearest node around a list that has a name and is no function."""
    around = node.parent
    while around is not None:
        if _name(around) is not None and not _FUNCTION.search(around.type):
            return around
        around = around.parent
    return None


def _name(node: Node | None) -> Node | None:
    """Return the name of what a node declares; None for anything else."""
    if node is None:
        return None
    return node.child_by_field_name("name") or node.child_by_field_name("left")


def _alike(one: Node | None, other: Node) -> Node | None:
    return one if one is not None and one.type == other.type else None


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _has(text: str, name: str) -> bool:
    """Tell whether a text has a word, in any of its forms."""
    return bool(name) and _forms(name).search(text) is not None


@lru_cache(1000)
def _forms(name: str) -> re.Pattern[str]:
    """Return an expression for a word as each kind of name writes it."""
    written = sorted({style(_parts(name)) for style in _STYLES} | {name}, key=len, reverse=True)
    words = "|".join(map(re.escape, written))
    return re.compile(rf"(?<![\w$])(?:{words})(?![\w$])")


def _renamed(text: str, old: str, new: str) -> str:
    """Put one word in the place of another, each time in the form that the other has there."""

    def form(found: re.Match[str]) -> str:
        if found[0] == old:
            return new
        style = next(each for each in _STYLES if each(_parts(old)) == found[0])
        return style(_parts(new))

    return _forms(old).sub(form, text) if old else text


@lru_cache(1000)
def _parts(name: str) -> tuple[str, ...]:
    """Return the parts of a name in small letters, without what separates them."""
    return tuple(part.lower() for part in _PART.findall(name)) or (name,)


def _camel(parts: Sequence[str]) -> str:
    return parts[0] + "".join(part.capitalize() for part in parts[1:])


#: The forms of a name, from its parts in small letters.
_STYLES = (
    "_".join,
    lambda parts: "_".join(parts).upper(),
    _camel,
    lambda parts: "".join(part.capitalize() for part in parts),
    "-".join,
    lambda parts: " ".join(parts).capitalize(),
)
