"""Entries that lists lack beside the same neighbours as an entry that another one just got.

Whoever adds a field to a class adds it to the constructor, to the JSON form and to the table of
columns, too. There the entries of its neighbours stand side by side in the same order, and what
belongs between them reads like theirs but for the name. A list is whatever has entries of one kind:
fields, arguments, keys, members of an enumeration, cases, statements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.consequences.word_forms import forms, has, renamed
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
#: What has a name and is made of a list.
_OWNERS = re.compile("class|interface|enum|type_alias|type_spec|declarator|^assignment$|_spec$")
_FUNCTIONS = re.compile("function|method|lambda")
_CONSTRUCTORS = ("__init__", "constructor")
#: Statements that are no entries: code that runs, one after the other.
_CODE = re.compile("function|method|class|decorated|statement|lambda|import|comprehension")
_FIELDS = re.compile("assignment|augmented")
_LITERAL = re.compile("content|fragment|string_literal|integer|float|number|int_literal")


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
                return None if _is_code(node) else _described(tree, found, node)
    return None


def _is_code(node: Node) -> bool:
    """Tell whether a node is a statement that runs, or declares more than a field."""
    parent = node.parent
    if parent is not None and parent.parent is not None and _FUNCTIONS.search(parent.parent.type):
        if "parameter" not in parent.type:
            return True  # of a function's body
    if node.type == "expression_statement":
        (only,) = node.named_children[:1] or (node,)
        return _FIELDS.search(only.type) is None
    return _CODE.search(node.type) is not None


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
        _same(renamed(text_before, others[at], words[at]), text),
        after is not None and _same(renamed(tree.of(after), name(after), words[at]), text),
    )
    neighbours = others[at], name(further), name(after)
    owner = _owner(tree, node)
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
    places = [one.start() for one in forms(added.before).finditer(tree.text)]
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
        if step.node.end_byte - step.node.start_byte > _LONGEST:
            return None
        found = _list_of(step.node)
        if found is None:
            continue
        if found.node.start_byte == added.list_start:
            return None
        before, after = found.beside(step.node)
        entry, behind, ahead = (tree.of(one) if one else "" for one in (step.node, before, after))
        if added.after:
            is_it = has(ahead, added.after) and not (
                has(entry, added.after) or has(ahead, added.before)
            )
        else:
            is_last = after is None or after.type != step.node.type
            is_it = is_last and bool(added.further) and has(behind, added.further)
            is_it = is_it and not (has(entry, added.further) or has(behind, added.before))
        if is_it:
            is_there = any(has(tree.of(one), added.name) for one in found.entries)
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
    if separator.strip(_BLANK) or not separator.strip(" \t"):
        return  # a comment, a word such as "and", or no list at all
    is_related = _is_related(tree, added, entry)
    says_enough = len(WORD.findall(added.text)) > 1
    if not (is_related or (added.after and any(added.is_like) and says_enough)):
        return
    source, old = entry, added.before
    if added.after and added.is_like == (False, True):
        source, old = beside, added.after
    text = tree.of(source)
    if _is_passed(tree, source, added.owner) or _says_more(tree, source, old):
        return
    if _same(tree.of(entry), added.text_before):
        new = added.text
    elif not _is_regular(tree, found, source, old):
        return
    else:
        new = _aligned(text, renamed(text, old, added.name), len(old) - len(added.name))
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
    at = next((at for at, word in enumerate(words) if has(word, name)), None)
    if at is None:
        return False
    kind = renamed(tree.of(entry), words[at], "")
    for other in found.entries:
        of_other = WORD.findall(tree.of(other))
        if other != entry and at < len(of_other):
            if _same(renamed(tree.of(other), of_other[at], ""), kind):
                return True
    return False


def _is_passed(tree: Tree, entry: Node, owner: str) -> bool:
    """Tell whether an entry is an argument that is known by its place alone.

    What is called need not take one more, but for a constructor.
    """
    parent = entry.parent
    if parent is None or parent.type not in ("argument_list", "arguments"):
        return False
    called = parent.parent.named_children[0] if parent.parent is not None else parent
    words = WORD.findall(tree.of(called))
    is_made = bool(words) and words[-1] in (owner, "cls", "super", *_CONSTRUCTORS)
    return entry.child_by_field_name("name") is None and not is_made


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
        if is_literal and any(map(str.isalnum, text)) and not has(text, name):
            return True
    return False


def _list_of(node: Node) -> _List | None:
    """Return the list that a node is an entry of."""
    parent = node.parent
    if parent is None:
        return None
    while parent.parent is not None and parent.parent.type == parent.type:
        parent = parent.parent  # `a | b | c` is a list in a list
    if parent.named_child_count > _MOST_ENTRIES:
        return None
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


def _owner(tree: Tree, node: Node) -> Node | None:
    """Return the node with a name that is made of a list; of a constructor's, the class."""
    found: Node | None = None
    around = node.parent
    while around is not None:
        name = _name(around)
        if _FUNCTIONS.search(around.type):
            # What is local to a function has no name for others.
            if found is not None or name is None or tree.of(name) not in _CONSTRUCTORS:
                return None
        elif found is None and name is not None and _OWNERS.search(around.type):
            found = around
        around = around.parent
    return found


def _name(node: Node | None) -> Node | None:
    """Return the name of what a node declares; None for anything else."""
    if node is None:
        return None
    return node.child_by_field_name("name") or node.child_by_field_name("left")


def _alike(one: Node | None, other: Node) -> Node | None:
    return one if one is not None and one.type == other.type else None


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()
