"""Entries of lists: fields, arguments, keys, members of an enumeration, cases, statements.

A list is whatever has entries of one kind, side by side.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from editcast_model.consequences.lists.declarations import declared, inner_of
from editcast_model.consequences.lists.word_forms import forms, renamed
from editcast_model.syntax.names import WORD
from editcast_model.syntax.tree import Path, Tree, field

#: Longer entries, in code points, contain more than their name tells.
LONGEST = 400
#: The kind of an entry that is a column of a query.
COLUMN = "column"
#: The kind of an entry that is a column of a table.
SCHEMA = "schema"
#: Languages whose names are written as those of columns are.
AS_COLUMNS = ("python", "ruby", "rust", "php", "c", "cpp")
#: The number of nodes around a name that may be its list.
_MOST_STEPS = 8
#: An entry with more lines contains more than its name tells.
_MOST_LINES = 3
#: A name with more occurrences is not treated as the name of an entry.
MOST_PLACES = 100
#: A list with more entries is data.
_MOST_ENTRIES = 300
#: What may separate entries.
BLANK = " \t\r\n,;|"
#: Operators that separate conditions or types in a list.
_OPERATORS = ("&&", "||", "and", "or", "&", "|")
#: Types of nodes that name a list.
_OWNERS = re.compile(
    "class|record|interface|enum|type_alias|type_spec|declarator|^assignment$|_spec$"
)
_FUNCTIONS = re.compile("function|method|lambda")
CONSTRUCTORS = ("__init__", "constructor", "initialize", "__construct", "new")
#: Types of nodes with positional type parameters and arguments, which other types need not share.
_TYPES_GIVEN = re.compile("type_parameter|type_argument|template_")
#: Types of members and statements, which form lists with others of their type.
_MEMBERS = re.compile("declaration|definition|statement|method|function")
#: Types of statements that are not entries: code that runs one after the other.
_CODE = re.compile("function|method|class|decorated|statement|lambda|import|comprehension")
_FIELDS = re.compile("assignment|augmented")
#: Types of nodes between a function and its statements.
_IN_BODIES = re.compile("block|body|statement|clause|then|else")
#: Types of nodes of Ruby that contain statements; the statements have no type of their own.
_BODIES = ("body_statement", "block_body", "then", "else", "do")


#: Where two neighbours stand, with what is between them.
Beside = tuple[re.Match[str], re.Match[str], re.Match[str]]


@dataclass(frozen=True, slots=True)
class EntryList:
    """A list of a text, seen from one of its entries.

    Attributes:
        tree: The tree of the text.
        node: The node that the entries are the children of.
        entries: The entries, without comments, ascending; members of one kind.
        entry: One of them.
    """

    tree: Tree
    node: Node
    entries: list[Node]
    entry: Node

    def beside(self, by: int) -> Node | None:
        """Return the entry that comes so many places later; None for none."""
        at = self.entries.index(self.entry) + by
        return self.entries[at] if 0 <= at < len(self.entries) else None

    def by_distance(self, entry: Node) -> list[Node]:
        """Return the other entries, starting with the nearest to `entry`."""
        at = self.entries.index(entry)
        places = sorted(range(len(self.entries)), key=lambda place: abs(place - at))
        return [self.entries[place] for place in places[1:]]

    def separator(self, beside: Node | None) -> str:
        """Return what separates the entry from a neighbour; empty where something else does."""
        if beside is None:
            return ""
        first, last = sorted((self.entry, beside), key=lambda one: one.start_byte)
        text = self.tree.text[end_of(self.tree, first) : last.start_byte]
        return text if self.is_separator(text) and text.strip(" \t") else ""

    def is_separator(self, text: str) -> bool:
        """Tell whether the text between two entries is only a separator."""
        rest, operator = text.strip(BLANK), _operator(self.node)
        return not rest or (rest == operator and rest in _OPERATORS)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list, with its neighbours.

    Attributes:
        name: The word that tells the entry from its neighbours.
        before: The same word of the entry before it; empty for none.
        further: That of the entry before that; empty for none.
        after: That of the entry behind it; empty for none.
        others: The same words of all other entries of the list, in order.
        text: The entry as it is written.
        text_before: The one before it.
        is_like: Whether it reads like the entry before it, and like the one behind it, but for
            their names.
        owner: The name of what is made of the list, such as a class; empty for nothing.
        owner_span: Where that stands in the text; of another file, nowhere.
        list_start: Where the list begins; -1 in another file.
        kind: The kind of its node.
        scope: Where it has a meaning, if it is a parameter: in its function.
        all_alike: The names of the entries that are declared with the same type, or read like it
            but for their names, the nearest first.
        type: The type that it is declared with; empty for none.
        types: Those of the others.
    """

    name: str
    before: str
    further: str
    after: str
    others: tuple[str, ...]
    text: str
    text_before: str
    is_like: tuple[bool, bool]
    owner: str = ""
    owner_span: tuple[int, int] = (0, 0)
    list_start: int = -1
    kind: str = ""
    scope: tuple[int, int] = (0, 0)
    all_alike: tuple[str, ...] = ()
    type: str = ""
    types: tuple[str, ...] = ()

    @property
    def alike(self) -> str:
        """Return the name of the nearest entry of the same type; empty for none."""
        return next(iter(self.all_alike), "")

    @property
    def for_other_files(self) -> "Entry":
        """Return the entry without the places that it has in its file."""
        return replace(self, owner_span=(0, 0), list_start=-1)

    def is_known_at(self, offset: int) -> bool:
        """Tell whether the entry is in scope at an offset."""
        start, end = self.scope
        return not end or start <= offset < end

    @property
    def cause(self) -> str:
        """Return the cause of what follows from it."""
        return f"{self.before} {self.name}"

    @property
    def neighbours(self) -> tuple[str, str]:
        """Return the two names between which it stands, or behind which if it is the last."""
        return (self.before, self.after) if self.after else (self.further, self.before)

    def neighbours_in(self, text: str, between: re.Pattern[str]) -> Iterator[Beside]:
        """Yield where the neighbours stand in a text, with what is between them."""
        first, second = self.neighbours
        found = list(forms(first).finditer(text)) if first and second else []
        for one in found if len(found) <= MOST_PLACES else ():
            separator = between.match(text, one.end())
            other = forms(second).match(text, separator.end()) if separator else None
            if separator is not None and other is not None:
                yield one, separator, other

    @property
    def later(self) -> tuple[str, ...]:
        """Return the names of the entries after the added one."""
        return self.others[self.others.index(self.before) + 1 :] if self.after else ()

    def counterparts(self, name: str, together: Sequence["Entry"]) -> Iterator[str]:
        """Return the names that `name` has in the other lists to which this entry was added."""
        at = self.others.index(name)
        for one in together:
            if one.name == self.name and len(one.others) == len(self.others):
                yield one.others[at]


def among(listed: Sequence[str], at: int) -> tuple[str, str, str, str, tuple[str, ...]]:
    """Return one of the names of a list as an `Entry` begins: with those beside it."""
    further, before = listed[at - 2] if at > 1 else "", listed[at - 1]
    after = "".join(listed[at + 1 : at + 2])
    return listed[at], before, further, after, (*listed[:at], *listed[at + 1 :])


def entry_between(tree: Tree, start: int, end: int) -> Entry | None:
    """Return the one entry that lies between two offsets, maybe with comments; None for others."""
    start = _behind_comments(tree, start, end)
    end = start + len(tree.text[start:end].rstrip(BLANK))
    if start >= end:
        return None
    for step in tree.path(start)[1:]:
        node = step.node
        if node.start_byte == start and start < node.end_byte <= end + 1:
            if _behind_comments(tree, node.end_byte, end) < end:
                return None  # more than one entry
            found = _list_of(tree, node)
            if found is not None and len(found.entries) > 2:
                return None if _is_code(tree, node) else _described(found)
    return None


def _behind_comments(tree: Tree, start: int, end: int) -> int:
    """Return where a range continues behind the blanks and comments that it begins with."""
    while True:
        start = end - len(tree.text[start:end].lstrip(BLANK))
        leaf = tree.path_near(start)[-1].node
        if start >= end or "comment" not in leaf.type or leaf.start_byte != start:
            return start
        start = leaf.end_byte


def lists_around(tree: Tree, path: Path) -> Iterator[EntryList]:
    """Return the lists at the end of a path, the innermost first, seen from their entries there."""
    for step in reversed(path[max(1, len(path) - _MOST_STEPS) :]):
        if step.node.end_byte - step.node.start_byte > LONGEST:
            return
        found = _list_of(tree, step.node)
        if found is not None:
            yield found


def _list_of(tree: Tree, node: Node) -> EntryList | None:
    """Return the list that a node is an entry of."""
    parent = node.parent
    if parent is None or _TYPES_GIVEN.match(parent.type):
        return None
    while parent.parent is not None and _is_part(parent, parent.parent):
        parent = parent.parent  # `a | b | c` is a list in a list
    if parent.named_child_count > _MOST_ENTRIES or parent.child_by_field_name("body") is not None:
        return None
    entries: list[Node] = []
    waiting = [parent]
    while waiting:
        one = waiting.pop()
        if one is parent or _is_part(one, parent):
            waiting += reversed(one.named_children)
        elif "comment" not in one.type and one.type != "jsx_text":
            entries.append(one)
        if len(entries) > _MOST_ENTRIES:
            return None
    if not any(one == node for one in entries):
        return None
    kind = kind_of(node)
    entries = [one for one in entries if kind_of(one) == kind or not _MEMBERS.search(one.type)]
    return EntryList(tree, parent, entries, node) if len(entries) > 1 else None


def _is_part(one: Node, whole: Node) -> bool:
    """Tell whether a node continues a longer list: same type, and same operator if any."""
    return one.type == whole.type and _operator(one) == _operator(whole)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def kind_of(node: Node) -> str:
    """Return the type of a node, or of the expression of a statement."""
    return inner_of(node).type


def _owner(tree: Tree, node: Node) -> Node | None:
    """Return the node with a name that is made of a list; of a constructor's, the class."""
    found: Node | None = None
    for one in tree.around(node):
        name = name_of(one)
        if _FUNCTIONS.search(one.type):
            # What is local to a function has no name for others.
            if found is not None or tree.of(name) not in CONSTRUCTORS:
                return None
        elif found is None and name is not None and _OWNERS.search(one.type):
            found = one
    return found


def name_of(node: Node | None) -> Node | None:
    """Return the name of what a node declares; None for anything else."""
    return field(node, "name", "left")


def _is_code(tree: Tree, node: Node) -> bool:
    """Tell whether a node is a statement that runs, or declares more than a field."""
    parent = node.parent
    above = next((one for one in tree.around(node) if not _IN_BODIES.search(one.type)), None)
    if above is not None and above != parent and _FUNCTIONS.search(above.type):
        return True  # of a function's body
    if node.type == "expression_statement" or (parent is not None and parent.type in _BODIES):
        return _FIELDS.search(kind_of(node)) is None
    return _CODE.search(node.type) is not None


def _described(found: EntryList) -> Entry | None:
    tree, node = found.tree, found.entry
    beside = (found.beside(by) for by in (-2, -1, 1))
    further, before, after = (one if one and one.type == node.type else None for one in beside)
    neighbour = before or after
    if neighbour is None or tree.text.count("\n", node.start_byte, node.end_byte) >= _MOST_LINES:
        return None
    text, text_before = tree.of(node), tree.of(neighbour)
    pairs = [*zip(WORD.findall(text), WORD.findall(text_before), strict=False)]
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), LONGEST)
    called, kind = declared(node)
    is_behind = called is not None and kind is not None and kind.start_byte < called.start_byte

    def name(other: Node | None) -> str:
        if is_behind:
            word = WORD.search(tree.of(declared(other)[0]))
            return word[0] if word else ""
        found = WORD.findall(tree.of(other))
        return found[at] if at < len(found) else ""

    own = name(node)
    if len(own) < 2 or len(name(neighbour)) < 2:
        return None

    def reads_alike(one: Node | None) -> bool:
        return one is not None and renamed(tree.of(one), name(one), own).split() == text.split()

    def type_of(one: Node) -> str:
        return tree.of(declared(one)[1])

    def is_alike(one: Node) -> bool:
        return bool(name(one)) and (reads_alike(one) or ("" != type_of(node) == type_of(one)))

    all_alike = tuple(name(one) for one in found.by_distance(node) if is_alike(one))
    owner = _owner(tree, node)
    # Nothing else names a group of constants of Go.
    is_group = found.node.type == "const_declaration"
    whose = name_of(owner) or (field(found.entries[0], "type") if is_group else None)
    function = _function_with(found) if owner is None else None
    return Entry(
        own,
        name(before),
        name(further),
        name(after),
        tuple(name(one) for one in found.entries if one != node),
        text,
        text_before,
        (reads_alike(before), reads_alike(after)),
        _type_of(tree, tree.of(whose)),
        (owner.start_byte, owner.end_byte) if owner else (0, 0),
        found.node.start_byte,
        kind_of(node),
        (function.start_byte, function.end_byte) if function else (0, 0),
        all_alike,
        type_of(node),
        tuple(type_of(one) for one in found.entries if one != node),
    )


def _type_of(tree: Tree, owner: str) -> str:
    """Return the type that is made of a constant, as others name it; else the constant itself."""
    found = owner and re.search(rf"\btype\s+(\w+)\s*=[^;\n]*\btypeof\s+{owner}\b", tree.text)
    return found[1] if found else owner


def _function_with(parameters: EntryList) -> Node | None:
    """Return the function that has these parameters, with its decorators; None for other lists."""
    function = parameters.node.parent if "parameter" in parameters.node.type else None
    above = function.parent if function is not None else None
    return above if above is not None and "decorated" in above.type else function


def end_of(tree: Tree, entry: Node) -> int:
    """Return where an entry ends; the end of its last line is not its own."""
    return entry.start_byte + len(tree.of(entry).rstrip())
