"""The rule that one rewrite is an example of.

What the rewrite kept becomes a hole. So does the name of the function around it where a new string
has that name, in any of its forms: `fmt.Errorf("get order: %w", err)` in a function `GetOrder`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.lists.word_forms import forms
from editcast_model.consequences.rewrites.rule import (
    AROUND,
    GONE,
    LEVEL,
    LEVELS,
    LOOSE,
    TEXT,
    Kept,
    Part,
    Rule,
    Span,
    function_around,
    is_called,
    parts_of,
    span_of,
    within_parentheses,
)
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field

#: The most new names in a rule: with more, a rewrite fits its own place only. The second number is
#: for rewrites that contain the name of their function, since those are written for any function.
_MOST_ADDED, _MOST_ADDED_AROUND = 2, 6
#: Shorter names of functions occur in strings by chance.
_LEAST_NAME = 3
_WORD = re.compile(r"[^\W\d]\w*")
#: A quote with the adjacent operator.
_JOINED = re.compile(r"""['"]\s*[^\w\s'"()\[\]{},;]|[^\w\s'"()\[\]{},;]\s*['"]""")
#: A number that has a meaning of its own, such as a factor of units.
_NUMBER = re.compile(r"(?<![\w.])\d{2,}(?![\w.])")
#: Types of nodes that are anonymous functions.
_FUNCTION = re.compile("function|arrow|lambda|closure|block")
#: The beginning of a call.
_OPENS = re.compile(r"\w\($")
#: What takes a member.
_LINK = re.compile(r"(?:\.|->)\w+")
#: A dotted name.
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
#: Words that mean the same everywhere, and so never become holes; words that never become anchors.
_FIXED = frozenset(
    "None True False null nil undefined true false self cls this $this super".split()
)
_PLAIN = frozenset("self cls this super".split())
#: Words that do not count as added.
_OPERATORS = frozenset("and or not in is".split())
_LOGICAL = ("&&", "||", "??")
#: Types of nodes with code that fits its own place only.
_OWN = re.compile(
    "block(?!_arg)|body|function(?!_call)|lambda|arrow|class(?!_constant)|element(?!_ref)|object"
    "|dictionary|definition|hash$|method$"
)
#: Types of nodes that map names to values.
_OBJECTS = ("object", "dictionary", "hash")
#: Types of nodes that access a member; types of operations.
_MEMBER, _OPERATION = re.compile("member|attribute|selector"), re.compile("binary|comparison")
#: Types of statements that fail.
_THROWN = re.compile("raise|throw")
#: Types of nodes that name something, which may be a function.
_NAMED = re.compile("identifier|member|attribute|selector|scoped|property|field|name$")
#: The most characters and lines of an example, without the parts that were kept.
_LONGEST, _MOST_LINES = 300, 6
#: Types of nodes whose children need no parentheses.
_ENCLOSING = re.compile(
    "argument|parenthesized|interpolation|substitution|list|tuple|^assignment|declarator|pair|block"
)


def rule_from(change: Change, old: Node, new: Node) -> Rule | None:
    """Generalize a rewrite; None where nothing was kept, or nothing is special about the old."""
    tree, now = change.before.tree, change.after.tree
    holes, kept = kept_of(tree, [old], now, [new])
    is_dropped = not holes and bool(_THROWN.search(old.type))
    if is_dropped:  # what it is about may be another thing elsewhere
        names = local_in(change.before, old, [])
        holes = {Span(one.start, one.end): f"{GONE}{one.name}" for one in names}
    spans = [part.span for part, _ in kept]
    if not (_is_general(tree, old, holes) and _is_general(now, new, spans)):
        return None
    anchors = anchors_of(tree, [old], holes)
    while holes and not anchors:  # the first name that was kept is what is special
        first = holes[min(holes)]
        holes = {span: name for span, name in holes.items() if name != first}
        kept = [one for one in kept if one[1] != first]
        anchors = anchors_of(tree, [old], holes)
    around, spans = function_around(tree, old.start_byte), [part.span for part, _ in kept]
    named = list(names_of(around, now, [new], spans))
    if not (holes or named) or not anchors or _is_replaced(old, holes):
        return None
    kept = sorted([*kept, *((part, AROUND) for part in named)], key=lambda one: one[0].span)
    pieces = between(now, [new], [part.span for part, _ in kept])
    gone, added = gone_and_added(anchors, pieces)
    are_named = added and added <= _keys(now, new, spans) and _keeps_arguments(old, holes)
    only_adds = bool(added) and not gone
    wrapped = [*_wrapped(pieces, kept)] if only_adds else []
    most_added = _MOST_ADDED_AROUND if named else _MOST_ADDED if gone else len(wrapped)
    if not are_named and count_names(pieces, added) > most_added:
        return None  # something was added, to this one
    is_unwrapped = not any(pieces)
    is_general = (gone or named or are_named) and not is_dropped
    if is_unwrapped and _MEMBER.search(old.type):
        return None  # a part of one thing says little about those of others
    if _is_of_one_condition(change, old, new, [*gone, *pieces]):
        return None
    rule = Rule(
        tree,
        (old,),
        holes,
        pieces,
        tuple(Kept(name, part.text) for part, name in kept),
        max(gone or anchors, key=len),
        frozenset(added),
        around,
        frozenset(one.name for one in local_in(change.after, new, spans)),
        "rewrite" if is_general and not is_unwrapped else "rewrite_that_adds",
        open=frozenset(name for part, name in kept if not _is_enclosed(part.node)),
        typed=frozenset(name for part, name in wrapped if _FUNCTION.search(part.node.type)),
        is_loose=bool(LOOSE.search(new.type)) and not LOOSE.search(old.type),
        is_tight=bool(LOOSE.search(old.type)) and not LOOSE.search(new.type),
        tied=_tied(tree, old, now, new, is_same=bool(are_named)),
        is_value=not is_called(old) and not _NAMED.search(new.type),
        behind=_next_link(tree, old) if is_unwrapped else "",
    )
    return None if rule.written(now, [new]) is not None else rule  # it would never end


def _next_link(tree: Tree, old: Node) -> str:
    """Return the member that is taken of a call: its own object has others."""
    found = _LINK.match(tree.text, old.end_byte) if _arguments(old) == [] else None
    return found[0] if found is not None else ""


def kept_of(
    tree: Tree, old: Sequence[Node], now: Tree, new: Sequence[Node]
) -> tuple[dict[Span, str], list[tuple[Part, str]]]:
    """Return what a rewrite kept: the ranges in the old text, and the parts of the new."""
    holes: dict[Span, str] = {}
    kept: list[tuple[Part, str]] = []
    theirs = defaultdict[str, list[Part]](list)
    for one in (part for node in new for part in parts_of(now, node)):
        theirs[_unquoted(one.text)].append(one)
    ours = (part for node in old for part in parts_of(tree, node))
    for one in sorted(ours, key=lambda part: len(part.text), reverse=True):
        if one.text in _FIXED or one.span == span_of(*old) or one.span.touches(holes):
            continue
        # The level of a log, with what it is given: `console.warn(text)`.
        is_level = one.text.lower() in LEVELS and is_called(one.node)
        is_level &= one.span.end < old[-1].end_byte
        is_apart = is_called(one.node) and not is_level
        if not one.text or is_apart or _takes_arguments(one.node):
            continue  # without text the parser misses something
        now_there, name = theirs[_unquoted(one.text)], LEVEL * is_level + one.text
        # A method of the same name is something else if the kept code also occurs elsewhere.
        for each in [part for part in now_there if is_called(part.node) == is_level] or now_there:
            if not each.span.touches([part.span for part, _ in kept]):
                kept.append((each, name))
        if any(text == name for _, text in kept):
            holes[one.span] = name
    return holes, kept


def _takes_arguments(node: Node) -> bool:
    """Tell whether a node is a type without its arguments: those of another type mean others."""
    above = node.parent
    if above is None or above.type not in ("generic_type", "generic_name"):
        return False
    return above.start_byte == node.start_byte < node.end_byte


def _arguments(call: Node) -> list[Node]:
    """Return the arguments of a call, or of one that is awaited, thrown or a statement."""
    arguments = field(_unwrapped(call), "arguments")
    return arguments.named_children if arguments is not None else []


def _unwrapped(node: Node) -> Node:
    """Return what is awaited, thrown or a statement, without that."""
    while node.named_child_count == 1:
        node = node.named_children[0]
    return node


def _tied(tree: Tree, old: Node, now: Tree, new: Node, *, is_same: bool) -> str:
    """Return the object of which another member is taken: those of others are other members.

    Or if `is_same`, that of which one is called otherwise.
    """
    (owner, member), (owner_now, member_now) = _receiver(tree, old), _receiver(now, new)
    return owner if owner == owner_now and (is_same or member != member_now) else ""


def _receiver(tree: Tree, node: Node) -> tuple[str, str]:
    """Return the object whose member a node takes, awaited or not, and how it takes it."""
    node = _unwrapped(node)
    owner = field(field(node, "function") or node, "object", "receiver", "operand", "value")
    behind = tree.text[owner.end_byte : node.end_byte] if owner is not None else ""
    return tree.of(owner), behind.partition("(")[0]


def between(tree: Tree, nodes: Sequence[Node], spans: Sequence[Span]) -> tuple[str, ...]:
    """Return what nodes have before, between and behind some parts of them."""
    whole = span_of(*nodes)
    starts = [whole.start, *(one.end for one in spans)]
    ends = [*(one.start for one in spans), whole.end]
    return tuple(tree.text[start:end] for start, end in zip(starts, ends, strict=True))


def gone_and_added(anchors: Collection[str], pieces: Collection[str]) -> tuple[list[str], set[str]]:
    """Return the words that a rewrite took away, and those that it added."""
    written = _WORD.findall(" ".join(pieces))
    gone = [word for word in anchors if word not in written]
    return gone, set(written) - {*anchors} - _OPERATORS - _FIXED


def count_names(pieces: Collection[str], words: Collection[str]) -> int:
    """Count the names with some words; `timezone.utc` is one."""
    found = {name for one in pieces for name in _DOTTED.findall(one)}
    return sum(not set(name.split(".")).isdisjoint(words) for name in found)


def local_in(names: Names, new: Node, kept: Collection[Span]) -> Iterator[Occurrence]:
    """Find the names in a node, but for what was kept, that are defined in a function."""
    for one in names.between(new.start_byte, new.end_byte):
        if one.role is Role.REFERENCE and not Span(one.start, one.end).touches(kept):
            scope = names.resolve(one)
            if scope is not None and scope != one.scopes[-1]:
                yield one


def names_of(around: str, now: Tree, new: Sequence[Node], kept: Collection[Span]) -> Iterator[Part]:
    """Find the name of a function in the strings that a rewrite wrote."""
    if len(around) < _LEAST_NAME:
        return
    for span, text, node in (part for each in new for part in parts_of(now, each)):
        is_text = not node.child_count and TEXT.search(node.type) and span == span_of(node)
        for found in forms(around).finditer(text) if is_text else ():
            place = Span(*(span.start + offset for offset in found.span()))
            if not place.touches(kept):
                yield Part(place, found[0], node)


def _has_own(node: Node, kept: Collection[Span]) -> bool:
    """Tell whether a node has code of its own, outside of what was kept."""
    if span_of(node) in kept:
        return False
    if node.type in _OBJECTS:  # names for what was kept
        return not all(span_of(field(one, "value") or one) in kept for one in node.named_children)
    return bool(_OWN.search(node.type)) or any(_has_own(one, kept) for one in node.named_children)


def _is_general(tree: Tree, node: Node, kept: Collection[Span]) -> bool:
    """Tell whether a node is short and has no code of its own, without what was kept."""
    if _has_own(node, kept):
        return False
    text = tree.of(node)
    within = [tree.text[start:end] for start, end in kept]
    lines = text.count("\n") - sum(each.count("\n") for each in within)
    return len(text) - sum(map(len, within)) <= _LONGEST and lines < _MOST_LINES


def _is_of_one_condition(change: Change, old: Node, new: Node, words: Sequence[str]) -> bool:
    """Tell whether a rewrite changed only the signs of an operation, which fits this one only.

    Then the words that it removed, and the pieces that it wrote, are none.
    """
    was, now = change.before.tree.of(old), change.after.tree.of(new)
    if now == f"!{was}":
        return True
    if not _OPERATION.search(old.type):
        return False
    is_wordless = not any(map(_WORD.search, words))
    return (is_wordless and old.type == new.type) or _unenclosed(was) == _unenclosed(now)


def _keys(tree: Tree, node: Node, kept: Collection[Span]) -> frozenset[str]:
    """Return the names that a node gives to what was kept."""
    value, own = field(node, "value"), set[str]()
    if value is not None and span_of(value) in kept:
        own = {tree.of(one) for name in ("key", "name") if (one := field(node, name)) is not None}
    return frozenset(own).union(*(_keys(tree, one, kept) for one in node.named_children))


def _keeps_arguments(old: Node, holes: Collection[Span]) -> bool:
    """Tell whether a node is a call, and all of its arguments are kept."""
    arguments = field(old, "arguments")
    return arguments is not None and all(span_of(one) in holes for one in arguments.named_children)


def _wrapped(pieces: Sequence[str], kept: Sequence[tuple[Part, str]]) -> Iterator[tuple[Part, str]]:
    """Return which of the parts between some pieces are alone within the brackets of a call."""
    for before, one, behind in zip(pieces, kept, pieces[1:], strict=False):
        if _OPENS.search(before) and behind.startswith(")"):
            yield one


def _is_replaced(old: Node, holes: Collection[Span]) -> bool:
    """Tell whether a call keeps its object alone: another thing is called, with other arguments."""
    given = _arguments(old)
    return bool(given) and all(one.end <= given[0].start_byte for one in holes)


def anchors_of(tree: Tree, nodes: Sequence[Node], holes: Mapping[Span, str]) -> list[str]:
    """Return the words of nodes outside their holes."""
    words, (at, behind), old = list[str](), span_of(*nodes), nodes[0]
    for start, end in [*sorted(holes), (behind, behind)]:
        words += _WORD.findall(tree.text[at:start])
        at = max(at, end)
    special = [word for word in words if word not in _PLAIN]
    if not special and "binary" in old.type and (found := _JOINED.search(tree.of(old))):
        special = [found.group()]  # a string that something is added to
    if not special and "binary" in old.type and (found := _NUMBER.search(tree.of(old))):
        special = [found.group()]  # a factor
    if not special and len(set(holes.values())) < len(holes):
        operator = tree.of(field(within_parentheses(old) or old, "operator"))
        special = [operator] if operator in _LOGICAL else []  # it says one thing twice: `a && a.b`
    return special


def _is_enclosed(node: Node) -> bool:
    return node.parent is None or bool(_ENCLOSING.search(node.parent.type))


def _unenclosed(code: str) -> str:
    """Return code without spaces and parentheses."""
    return re.sub(r"[\s()]", "", code)


def _unquoted(text: str) -> str:
    return text.replace('"', "'")
