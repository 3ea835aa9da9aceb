"""Rewrites that are left where one was made, in this file or in others.

After `self.assertEqual(a, b)` has become `assert a == b`, the same is due at the next one, whatever
its arguments are.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from textwrap import dedent

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.formats.formats import converted_in
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import Save
from editcast_model.consequences.rewrites.containers import declared_anew
from editcast_model.consequences.rewrites.counterparts import BODY, count_others, counterpart
from editcast_model.consequences.rewrites.from_example import rule_from
from editcast_model.consequences.rewrites.retyped import after_type
from editcast_model.consequences.rewrites.rule import (
    ENCLOSED,
    KEYED,
    PLACEHOLDER,
    TEXT,
    Rule,
    Span,
    is_chained,
    is_written_to,
    span_of,
    within_parentheses,
)
from editcast_model.consequences.rewrites.statements import Siblings, statement_rules
from editcast_model.diff import shortest_hunk
from editcast_model.syntax.calls import called_by
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names, Occurrence, have_same_rules, opened
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Path, Tree, field, first_child, parse

#: Longer nodes, in code points, are skipped.
_LONGEST = 1000
#: The number of nodes around a change that are tried as the example of a rule.
_MOST_STEPS = 6
#: A rule is dropped if its anchor occurs more often.
_MOST_PLACES = 300
#: The most rules of other files that are applied.
_MOST_RULES = 12
#: A rule counts for other files only after this many examples.
_LEAST_TIMES = 2
#: A member of a method's own object.
_OWN_MEMBER = re.compile(r"\b(?:self|cls|this|static)(?:\.|->|::\$?)(\w+)")
#: Types of nodes that a rule can rewrite.
_REWRITTEN = re.compile(
    "call|subscript|member|attribute|selector|binary|comparison|operator|unary|index"
    r"|type(?!_(?:argument|parameter)s?$)"
    "|expression_statement|assert|raise|throw|return|await|new_expression|conditional|ternary|generic"
    "|invocation|field_access|property_access|constant_access|creation|cast|reference|resolution"
    "|parenthesized"
)
#: Types of nodes that assign a value to a name.
_ASSIGNING = re.compile("assignment|^(local_variable_|let_)?declaration|local_declaration")
_WORD = re.compile(r"[^\W\d]\w*")
#: What can be read as well as given a value.
_STORED = re.compile(r"[@$\w]+((\.|->|::)[$\w]+|\[[^\[\]]*\])*")
#: Fields that contain the name that a node defines.
_DEFINED = ("name", "left", "declarator")


def after_rewrite(change: Change) -> Iterator[Consequence]:
    """Return the rewrites that are left where one was made in a change."""
    examples = defaultdict[str, list[Rule]](list)
    converted = [*map(span_of, converted_in(change)), *declared_anew(change)]
    for rule in rules_of(change):
        if not span_of(*rule.old).touches(converted):
            examples[rule.cause].append(rule)
    for rules in examples.values():
        others = count_others(change, [span_of(*rule.old) for rule in rules])
        for one in rewrites_by(_untied(rules), change.after):
            yield replace(one, others=others)
    yield from after_type(change)


def rewrites_left_in(saves: Sequence[Save], names: Names) -> Iterator[Consequence]:
    """Return the rewrites of other files that are left in a text, of the newest saves first."""
    language = names.tree.language
    read = (one for one in reversed(saves) if have_same_rules(language_of("", one.file), language))
    changes = (change_of_save(one.before, one.after, language) for one in read)
    alike = defaultdict[str, list[Rule]](list)
    for rule in (rule for one in changes if one is not None for rule in _rules_of_save(one)):
        alike[rule.cause].append(rule)
    rules = (_untied(examples) for examples in alike.values() if len(examples) >= _LEAST_TIMES)
    fitting = (rule for rule in rules if _has_members(rule, names))
    for rule in islice(fitting, _MOST_RULES):
        for one in rewrites_by(rule, names):
            yield replace(one, kind="rewrite_elsewhere")


def _untied(rules: Sequence[Rule]) -> Rule:
    """Return the last of some rules, for the members of any object if they were of several."""
    return replace(rules[-1], tied="") if len({rule.tied for rule in rules}) > 1 else rules[-1]


@lru_cache(256)
def change_of_save(before: str, after: str, language: str) -> Change | None:
    """Return what a save changed; cached, since every open file asks for the same saves."""
    texts = (opened(dedent(text), language) for text in (before, after))
    was, now = (Names(tree) if tree else None for tree in (parse(text, language) for text in texts))
    if was is None or now is None:
        return None
    change = Change(was, now)
    return change if change.is_legible else None


@lru_cache(256)
def _rules_of_save(change: Change) -> tuple[Rule, ...]:
    """Return the rules that a save shows.

    Without those by which no word goes, or nothing else: what was wrong there may be right here. Of
    those 2 of 17 edits were clean on commits.
    """
    return tuple(rule for rule in rules_of(change) if rule.kind == "rewrite")


def _has_members(rule: Rule, names: Names) -> bool:
    """Tell whether a text knows the members of its own objects that a rule writes."""
    return all(names.of(member) for member in _OWN_MEMBER.findall("".join(rule.new)))


def rewrites_by(rule: Rule, names: Names) -> Iterator[Consequence]:
    """Return the rewrites that a rule asks for in a text."""
    for span, text in places_of(names.tree, rule):
        if _knows(names, span, rule.local):
            hunk = shortest_hunk(names.tree.text[span.start : span.end], text, span.start)
            yield Consequence(hunk, rule.kind, cause=rule.cause)


def rules_of(change: Change) -> Iterator[Rule]:
    """Return the rules that a change shows, one for each node that was rewritten."""
    for each in filter(None, (change, change.slid())):
        yield from _rules_of(each)


def _rules_of(change: Change) -> Iterator[Rule]:
    rules = list(statement_rules(change))
    yield from rules
    spans, done = [span_of(*rule.old) for rule in rules], -1
    for hunk, start, _ in change.finished():
        is_done = hunk.start < done or Span(hunk.start, hunk.end).is_within(spans)
        if is_done or change.is_rewritten(start):
            continue
        for old, new in _rewritten(change, hunk.start, hunk.end):
            inner = within_parentheses(old)
            rule = rule_from(change, inner, new) if inner is not None else None
            rule = rule or rule_from(change, old, new)
            if rule is not None:
                done = old.end_byte
                yield rule
                break


def _rewritten(change: Change, start: int, end: int) -> Iterator[tuple[Node, Node]]:
    """Return the nodes around a changed range with what they are now, the smallest first."""
    tree, now, steps = change.before.tree, change.after.tree, 0
    path = tree.path(start)
    for index in reversed(range(len(path))):
        old = path[index].node
        if not old.is_named or old.start_byte > start or old.end_byte < end:
            continue
        if steps == _MOST_STEPS or old.end_byte - old.start_byte > _LONGEST:
            return
        steps += 1
        is_rewritten = old.named_child_count and _REWRITTEN.search(old.type)
        if is_rewritten or _is_returned(path[: index + 1]):
            new = counterpart(change, old)
            if new is None or new.end_byte - new.start_byte > _LONGEST:
                continue
            if old.type == new.type == ENCLOSED:
                continue
            if KEYED.search(new.type) and not KEYED.search(old.type):
                continue  # the others were named as well, so that all of the call is an example
            if _assigns(old) or _assigns(new) or not _is_given_same(tree, old, now, new):
                continue
            if not _is_like(tree, old, now, new):
                yield old, new


def places_of(tree: Tree, rule: Rule) -> Iterator[tuple[Span, str]]:
    """Return where a rule fits a text, and what it makes of it."""
    seen, siblings = set[Span](), Siblings()
    found = [match.start() for match in re.finditer(_pattern(rule.anchor), tree.text)]
    for offset in found if len(found) <= _MOST_PLACES else ():
        path = tree.path(offset)
        for index, nodes in _alike(rule, path, siblings):
            span = span_of(*nodes)
            if span in seen or is_chained(nodes[0]):
                continue
            seen.add(span)
            if rule.anchor == "await" and _awaited(tree, nodes[0]) != _awaited(
                rule.tree, rule.old[0]
            ):
                continue
            if not rule.old[0].named_child_count and not _is_returned(path[: index + 1]):
                continue
            if rule.is_loose and "unary" in path[index - 1].type:
                continue
            text = rule.written(tree, nodes)
            if text is None or _is_written(tree, span, text):
                continue
            is_stored = is_written_to(nodes[0])
            if is_stored != is_written_to(rule.old[0]) and not _STORED.fullmatch(text):
                continue  # what reads a value does not store one
            if not rule.added.isdisjoint(_WORD.findall(tree.text[span.start : span.end])):
                continue  # what the rule adds is there already
            if not _defines(tree, path[:index], rule.added):
                above = path[index - 1]
                is_free = rule.is_tight and above.type == ENCLOSED and above.field != "condition"
                yield span_of(above.node) if is_free else span, text
                break


def _awaited(tree: Tree, node: Node) -> str:
    """Return the name of the function whose call is awaited; others may still be coroutines."""
    called = called_by(first_child(node) or node)
    return tree.of(field(called, "attribute", "property", "name") or called)


def _alike(rule: Rule, path: Path, siblings: Siblings) -> Iterator[tuple[int, tuple[Node, ...]]]:
    """Yield the nodes on a path, or beside it, of the types of what was rewritten.

    Each with the index in the path of the one that is on it.
    """
    count = len(rule.old)
    for index, step in enumerate(path):
        for at in (at for at, one in enumerate(rule.old) if one.type == step.type):
            if count == 1:
                yield index, (step.node,)
            elif index:
                nodes = siblings.beside(path[index - 1].node, step.node, at, count)
                if len(nodes) == count:
                    yield index, nodes


def _pattern(anchor: str) -> str:
    """Return a regular expression for a word, or for a quote with the operator beside it."""
    if anchor.isidentifier():
        return rf"(?<!\w){re.escape(anchor)}(?!\w)"
    return r"\s*".join("['\"]" if one in "'\"" else re.escape(one) for one in anchor if one.strip())


def _knows(names: Names, span: Span, wanted: Collection[str]) -> bool:
    """Tell whether some local names have a value where code stands."""
    one = next((one for one in names.between(*span) if one.role is Role.REFERENCE), None)
    return one is None or all(_reaches(names, one, name) for name in wanted)


def _reaches(names: Names, one: Occurrence, name: str) -> bool:
    """Tell whether a name is defined above another one, in a block around it."""
    if names.is_too_frequent(name):
        return True
    for defined in names.definitions(name, names.resolve(one, name)):
        blocks = (step.node for step in reversed(defined.path) if BODY.search(step.type))
        block = next(blocks, None)
        if block is None or block.start_byte <= defined.start < one.start < block.end_byte:
            return True
    return False


def _is_written(tree: Tree, span: Span, text: str) -> bool:
    """Tell whether code stands already in what it would become."""
    before = text.find(tree.text[span.start : span.end])
    start = span.start - before
    return 0 <= before <= span.start and tree.text[start : start + len(text)] == text


def _defines(tree: Tree, path: Path, names: frozenset[str]) -> bool:
    """Tell whether code is inside of what defines one of some names: it is what the name means."""
    return any(tree.of(field(step.node, one)) in names for step in path for one in _DEFINED)


def _is_returned(path: Path) -> bool:
    """Tell whether the last node of a path is a name, and the last value that is returned."""
    *above, step = path
    if step.type != "identifier" or len(above) < 2:
        return False
    values = above[-1].node
    if values.type == "expression_list":
        return above[-2].type == "return_statement" and values.end_byte == step.node.end_byte
    return values.type == "return_statement"


def _assigns(node: Node) -> bool:
    """Tell whether a node gives a value to a name, which is that one's alone."""
    return any(_ASSIGNING.search(one.type) for one in (node, *node.named_children))


def _is_given_same(tree: Tree, old: Node, now: Tree, new: Node) -> bool:
    """Tell whether two nodes are not the values of two names: one may replace the other."""
    defined = [
        each.of(named) if (named := field(node.parent, *_DEFINED)) != node else ""
        for each, node in ((tree, old), (now, new))
    ]
    return not all(defined) or defined[0] == defined[1]


def _is_like(tree: Tree, old: Node, now: Tree, new: Node) -> bool:
    """Tell whether two nodes differ in their words alone: renames follow from the names."""
    if old.type != new.type or old.child_count != new.child_count:
        return False
    if not old.child_count and TEXT.search(old.type):
        formats = (PLACEHOLDER.findall(each) for each in (tree.of(old), now.of(new)))
        return next(formats) == next(formats)
    pairs = zip(old.children, new.children, strict=True)
    return all(_is_like(tree, one, now, other) for one, other in pairs)
