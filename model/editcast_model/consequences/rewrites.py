"""Expressions and statements that are left to be rewritten as another one just was.

Whoever writes `assert a == b` for `self.assertEqual(a, b)` does the same to the next one, whatever
its arguments are. What a rewrite kept is a hole in the rule that it shows: a part of the syntax
tree, or the words of a string between its placeholders. The rule is applied where the rest of the
old code stands, node by node.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree

#: Longer code, in characters or lines, is another matter than the one that was rewritten.
_LONGEST, _MOST_LINES = 300, 6
#: How many nodes above what was changed a rule is looked for.
_MOST_STEPS = 6
#: A rule whose anchor stands at more places than this says nothing about any of them.
_MOST_PLACES = 300
#: More new words than this belong to one place.
_MOST_ADDED = 2
#: The strength of a rule by which a word goes, and of any other.
_STRENGTH, _STRENGTH_KEPT = 0.6, 0.3
_WORD, _QUOTE = re.compile(r"[^\W\d]\w*"), re.compile("['\"]")
#: Words that mean the same everywhere, so that they are no holes, and words that are no anchors.
_FIXED = frozenset("None True False null nil undefined true false self cls this super".split())
_PLAIN = frozenset("self cls this super".split())
#: Types of nodes that rules rewrite, and types that no such node may contain: code of one place.
_REWRITTEN = re.compile(
    "call|subscript|member|attribute|selector|binary|comparison|operator|unary|type|index"
    "|expression_statement|assert|raise|return|await|new_expression|conditional|ternary|generic"
)
_OWN = re.compile("block|body|function|lambda|arrow|class|element|object|dictionary|definition")
#: Types of leaves that are the text of a string.
_TEXT = re.compile("string|content|fragment|chars")
#: Words that a rewrite may add anywhere.
_OPERATORS = frozenset("and or not in is".split())
#: The placeholders of a format.
_PLACEHOLDER = re.compile(r"%[-+#0 ]*[\d.*]*[a-zA-Z]|\{[^{}]*\}|%%|\{\{|\}\}")
#: Types of nodes that need parentheses where they replace another node, and of nodes around them
#: that do as well.
_LOOSE = re.compile("operator|binary|unary|boolean|compar|conditional|ternary|lambda|arrow|await")
_ENCLOSING = re.compile(
    "argument|parenthesized|interpolation|substitution|list|tuple|^assignment|declarator|pair|block"
)


class _Span(NamedTuple):
    start: int
    end: int

    def touches(self, spans: Collection["_Span"]) -> bool:
        """Tell whether it shares a character with one of them."""
        return any(one.start < self.end and self.start < one.end for one in spans)


class _Part(NamedTuple):
    """A part of a node that may be kept: a node inside it, or words of a string."""

    span: _Span
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rewrite that was made.

    Attributes:
        tree: The text before it.
        old: What was rewritten, a node of `tree`.
        holes: What was kept, by its range in `tree`, with its name.
        new: What was written, in pieces between holes.
        kept: Of the hole behind each piece but the last, its name and its text there.
        open: The names of holes that nothing encloses, so that they take no looser code in.
        anchor: The longest word of `old` outside its holes; of those that are gone, if any is.
        strength: How much speaks for it.
    """

    tree: Tree
    old: Node
    holes: dict[_Span, str]
    new: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]
    open: frozenset[str]
    anchor: str
    strength: float

    @property
    def cause(self) -> str:
        """Return the name of the rule."""
        return f"{self.anchor} {'…'.join(self.new)}"

    def written(self, tree: Tree, node: Node) -> str | None:
        """Return what a node becomes by the rule; None where it does not fit."""
        bound: dict[str, str] = {}
        if not self._fits(self.old, tree, node, bound):
            return None
        pieces = [self.new[0]]
        for (name, text), piece in zip(self.kept, self.new[1:], strict=True):
            pieces += [_quoted_as(text, name, bound[name]), piece]
        return "".join(pieces)

    def _fits(self, old: Node, tree: Tree, node: Node, bound: dict[str, str]) -> bool:
        """Tell whether a node reads as what was rewritten, and bind what stands in its holes."""
        name = self.holes.get(_span(old))
        if name is not None:
            is_loose = bool(_LOOSE.search(node.type)) and node.type != old.type
            if not node.is_named or (is_loose and (name in self.open or _is_chained(node))):
                return False
            return bound.setdefault(name, tree.of(node)) == tree.of(node)
        if old.type != node.type or old.child_count != node.child_count:
            return False
        if not old.child_count:
            return self._reads_as(old, tree, node, bound)
        pairs = zip(old.children, node.children, strict=True)
        return all(self._fits(one, tree, other, bound) for one, other in pairs)

    def _reads_as(self, old: Node, tree: Tree, node: Node, bound: dict[str, str]) -> bool:
        """Tell whether two leaves are the same, but for words of strings that are holes."""
        mine, theirs = list(_pieces(self.tree, old)), list(_pieces(tree, node))
        if not any(span in self.holes for span, *_ in mine):
            return self.tree.of(old) == tree.of(node)
        if len(mine) != len(theirs):
            return False
        for (span, text, is_words), (_, other, is_words_too) in zip(mine, theirs, strict=True):
            name = self.holes.get(span)
            if is_words != is_words_too or (name is None and text != other):
                return False
            if name is not None and bound.setdefault(name, other) != other:
                return False
        return True


def after_rewrite(change: Change) -> Iterator[Consequence]:
    """Return the rewrites that are left where one was made in a change."""
    for rule in {rule.cause: rule for rule in _rules(change)}.values():
        for span, text in _places(change.after.tree, rule):
            hunk = Hunk(span.start, span.end, text)
            yield Consequence(hunk, "rewrite", rule.strength, cause=rule.cause)


def _rules(change: Change) -> Iterator[_Rule]:
    """Return the rules that a change shows, one for each node that was rewritten."""
    done = -1
    for hunk, start, end in change.spans():
        if hunk.start < done or change.is_active(start, end):
            continue
        for old, new in _rewritten(change, hunk):
            rule = _rule(change, old, new)
            if rule is not None:
                done = old.end_byte
                yield rule
                break


def _rewritten(change: Change, hunk: Hunk) -> Iterator[tuple[Node, Node]]:
    """Return the nodes around a hunk with what they are now, the smallest first."""
    tree, now, steps = change.before.tree, change.after.tree, 0
    for step in reversed(tree.path(hunk.start)):
        old = step.node
        if not old.is_named or old.start_byte > hunk.start or old.end_byte < hunk.end:
            continue
        if steps == _MOST_STEPS or not _is_short(tree.of(old)):
            return
        steps += 1
        if old.named_child_count and _REWRITTEN.search(old.type) and not _is_own(old):
            new = _counterpart(change, old)
            if new is None or not _is_short(now.of(new)) or _assigns(new) or _is_own(new):
                continue
            if not _is_like(tree, old, now, new):
                yield old, new


def _counterpart(change: Change, old: Node) -> Node | None:
    """Return the node that is now where a node was; None where something else begins or ends."""
    before = within = 0
    for hunk in change.hunks:
        if hunk.end < old.start_byte:
            before += hunk.growth
        elif hunk.start <= old.end_byte:
            if hunk.start < old.start_byte or old.end_byte < hunk.end:
                return None
            within += hunk.growth
    span = _Span(old.start_byte + before, old.end_byte + before + within)
    node = change.after.tree.root.named_descendant_for_byte_range(*span)
    found = None
    while node is not None and _span(node) == span:
        if node.type == old.type:
            return node
        found, node = node, node.parent
    return found


def _rule(change: Change, old: Node, new: Node) -> _Rule | None:
    """Generalise a rewrite; None where nothing was kept, or nothing is special about the old."""
    tree, now = change.before.tree, change.after.tree
    holes: dict[_Span, str] = {}
    kept: list[tuple[_Part, str]] = []
    theirs = sorted(_parts(now, new), key=_size, reverse=True)
    for one in sorted(_parts(tree, old), key=_size, reverse=True):
        if one.text in _FIXED or one.span == _span(old) or one.span.touches(holes):
            continue
        if not one.text:  # something that the parser misses
            continue
        if _is_called(one.node):
            continue
        name = _unquoted(one.text)
        found = [each for each in theirs if _unquoted(each.text) == name]
        for each in found:
            if not each.span.touches([part.span for part, _ in kept]):
                kept.append((each, one.text))
        if any(text == one.text for _, text in kept):
            holes[one.span] = one.text
    anchors = _anchors(tree, old, holes)
    while holes and not anchors:  # the first name that was kept is what is special
        first = holes[min(holes)]
        holes = {span: name for span, name in holes.items() if name != first}
        kept = [one for one in kept if one[1] != first]
        anchors = _anchors(tree, old, holes)
    if not holes:
        return None
    kept.sort(key=lambda one: one[0].span)
    pieces, at = list[str](), new.start_byte
    for part, _ in kept:
        pieces.append(now.text[at : part.span.start])
        at = part.span.end
    pieces.append(now.text[at : new.end_byte])
    written = _WORD.findall(" ".join(pieces))
    gone = [word for word in anchors if word not in written]
    added = set(written) - {*anchors} - _OPERATORS - _FIXED
    if len(added) > (_MOST_ADDED if gone else 0):
        return None  # something was added, to this one
    rule = _Rule(
        tree,
        old,
        holes,
        tuple(pieces),
        tuple((name, part.text) for part, name in kept),
        frozenset(name for part, name in kept if not _is_enclosed(part.node)),
        max(gone or anchors, key=len),
        _STRENGTH if gone else _STRENGTH_KEPT,
    )
    return None if rule.written(now, new) is not None else rule  # it would never end


def _places(tree: Tree, rule: _Rule) -> Iterator[tuple[_Span, str]]:
    """Return where a rule fits a text, and what it makes of it."""
    seen = set[_Span]()
    anchor = re.escape(rule.anchor)
    if rule.anchor.isidentifier():
        anchor = rf"(?<!\w){anchor}(?!\w)"
    found = [match.start() for match in re.finditer(anchor, tree.text)]
    for offset in found if len(found) <= _MOST_PLACES else ():
        for step in tree.path(offset):
            span = _span(step.node)
            if step.type != rule.old.type or span in seen or _is_chained(step.node):
                continue
            seen.add(span)
            text = rule.written(tree, step.node)
            if text is not None:
                yield span, text
                break


def _parts(tree: Tree, node: Node) -> Iterator[_Part]:
    """Return a node, all that is named inside it, and the words of its strings."""
    yield _Part(_span(node), tree.of(node), node)
    if not node.child_count and _TEXT.search(node.type):
        for span, text, is_words in _pieces(tree, node):
            if is_words and span != _span(node):
                yield _Part(span, text, node)
    for child in node.named_children:
        yield from _parts(tree, child)


def _pieces(tree: Tree, node: Node) -> Iterator[tuple[_Span, str, bool]]:
    """Return the words and the placeholders of a string, and whether it is words."""
    text, at = tree.of(node), 0
    for match in _PLACEHOLDER.finditer(text):
        if at < match.start():
            yield _within(node, at, match.start()), text[at : match.start()], True
        yield _within(node, *match.span()), match.group(), False
        at = match.end()
    if at < len(text):
        yield _within(node, at, len(text)), text[at:], True


def _within(node: Node, start: int, end: int) -> _Span:
    return _Span(node.start_byte + start, node.start_byte + end)


def _anchors(tree: Tree, old: Node, holes: Collection[_Span]) -> list[str]:
    """Return the words of a node outside its holes."""
    words, at = list[str](), old.start_byte
    for start, end in [*sorted(holes), (old.end_byte, old.end_byte)]:
        words += _WORD.findall(tree.text[at:start])
        at = max(at, end)
    special = [word for word in words if word not in _PLAIN]
    if not special and "binary" in old.type and (found := _QUOTE.search(tree.of(old))):
        special = [found.group()]  # a string that something is added to
    return special


def _is_chained(node: Node) -> bool:
    """Tell whether a node is a part of a longer chain of one operator."""
    chain = node.parent
    return "binary" in node.type and chain is not None and chain.type == node.type


def _is_own(node: Node) -> bool:
    """Tell whether a node has code of its own inside."""
    return bool(_OWN.search(node.type)) or any(map(_is_own, node.named_children))


def _assigns(node: Node) -> bool:
    """Tell whether a node gives a value to a name, which is that one's alone."""
    return any("assignment" in one.type for one in (node, *node.named_children))


def _is_like(tree: Tree, old: Node, now: Tree, new: Node) -> bool:
    """Tell whether two nodes differ in their words alone: renames follow from the names."""
    if old.type != new.type or old.child_count != new.child_count:
        return False
    if not old.child_count and _TEXT.search(old.type):
        formats = (_PLACEHOLDER.findall(each) for each in (tree.of(old), now.of(new)))
        return next(formats) == next(formats)
    pairs = zip(old.children, new.children, strict=True)
    return all(_is_like(tree, one, now, other) for one, other in pairs)


def _is_called(node: Node) -> bool:
    """Tell whether a node is the function of a call, or the name of its method."""
    parent = node.parent
    if parent is not None and _field(node) in ("attribute", "property", "field"):
        node = parent
    return _field(node) == "function"


def _field(node: Node) -> str | None:
    """Return the field of its parent that a node is."""
    for index, one in enumerate(node.parent.children if node.parent else ()):
        if one == node:
            return node.parent.field_name_for_child(index) if node.parent else None
    return None


def _is_enclosed(node: Node) -> bool:
    return node.parent is None or bool(_ENCLOSING.search(node.parent.type))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and text.count("\n") < _MOST_LINES


def _unquoted(text: str) -> str:
    return text.replace('"', "'")


def _quoted_as(now: str, before: str, text: str) -> str:
    """Return a text with the other quotes, if they were changed in what was rewritten."""
    if now == before:
        return text
    return text.replace('"', "'") if "'" in now else text.replace("'", '"')


def _size(part: _Part) -> int:
    return part.span.end - part.span.start


def _span(node: Node) -> _Span:
    return _Span(node.start_byte, node.end_byte)
