"""Messages that are left in a form that another one of the file had, and has no longer.

After `"%s is there" % name` has become an f-string, the next one does, whatever it says and however
many values it has. After `log.info(f"copying {folder}")` has become
`log.info("copying %s", folder)`, so do the other messages of that logger.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, permutations
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.formats.calls import Called, call_at, calls_of
from editcast_model.consequences.formats.forms import FORMS, Form
from editcast_model.consequences.formats.messages import Hole, Message, as_percent, unenclosed
from editcast_model.consequences.formats.pairs import Pairs, paired, paired_left
from editcast_model.consequences.formats.python import of_values, side_by_side, within
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.counterparts import count_others, counterpart
from editcast_model.consequences.rewrites.rule import span_of
from editcast_model.diff import shortest_hunk
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field

#: Longer nodes, in code points, are skipped.
_LONGEST = 1000
#: The number of nodes around a change that are examined.
_MOST_STEPS = 8
#: The most messages of a file that are examined.
_MOST_PLACES = 300
#: How grave a message says that it is, before the rest of it.
_LEVEL = re.compile(
    r"\[?(debug|info|warn(?:ing)?|error|critical|fatal)\b(?:\]|:| -)[ ]+", re.IGNORECASE
)
#: The methods of loggers that have other names than the words of messages.
_METHODS = {"warn": "warning", "fatal": "critical"}
#: Expressions that are numbers.
_COUNTS = re.compile(r"len\(.*\)|\d+")


class _GivenApart(NamedTuple):
    """A call of `was` since whose change the values of its message are arguments of `function`."""

    form: Form
    was: str
    function: str
    dropped: tuple[str, ...]  # its other arguments, if they are there no longer
    is_handling: bool | None  # of an error, where it stands; None if other things say how grave
    has_counts: bool  # as `%d`

    @property
    def pattern(self) -> str:
        """Return a regular expression for calls that follow: all methods of the same logger."""
        thing, dot, _ = self.was.rpartition(".")
        is_same = self.was == self.function and dot
        called = rf"{re.escape(thing)}\.\w+" if is_same else re.escape(self.was)
        return rf"(?<![\w.]){called}(?=\s*\()"


_Example = Pairs | _GivenApart | tuple[Form, Form]


def after_format(change: Change) -> Iterator[Consequence]:
    """Return the messages that are left in a form that a change took from one of them."""
    tree = change.after.tree
    examples = defaultdict[_Example, list[Node]](list)
    for old, example in _examples(change):
        examples[example].append(old)
    for example, nodes in examples.items():
        others = count_others(change, [span_of(one) for one in nodes])
        if isinstance(example, Pairs):
            left, cause = paired_left(tree, example), f"{example.was} {example.function}"
        elif isinstance(example, _GivenApart):
            left, cause = _calls_left(change.after, example), f"{example.was} {example.function}"
        else:
            left, cause = _left(tree, *example), " ".join(one.name for one in example)
        for node, text in left:
            if not change.wrote(node.start_byte, node.end_byte):
                hunk = shortest_hunk(tree.of(node), text, node.start_byte)
                yield Consequence(hunk, "convert_format", cause=cause, others=others)


def converted_in(change: Change) -> Iterator[Node]:
    """Return the nodes of the text before that a change gave another form to.

    What else follows from them is known here: other rules have only one number of values.
    """
    return (old for old, _ in _examples(change))


def _examples(change: Change) -> Iterator[tuple[Node, _Example]]:
    """Return the nodes that have another form, each with what it shows."""
    if change.after.tree.language not in FORMS:
        return
    for old, new in _changed(change):
        example = _converted(change, old, new) or _given_apart(change, old, new)
        if example is not None:
            yield old, example


def _changed(change: Change) -> Iterator[tuple[Node, Node]]:
    """Return the nodes around what was changed with what they are now, the smallest first."""
    seen = set[tuple[int, int, str]]()
    for hunk, start, _ in change.finished():
        if change.is_rewritten(start):
            continue
        for step in reversed(change.before.tree.path(hunk.start)[-_MOST_STEPS:]):
            old = step.node
            key = (old.start_byte, old.end_byte, old.type)
            if old.end_byte - old.start_byte > _LONGEST:
                break
            if not old.is_named or hunk.end > old.end_byte or key in seen:
                continue
            seen.add(key)
            new = counterpart(change, old)
            if new is not None and new.end_byte - new.start_byte <= _LONGEST:
                yield old, new


def _converted(change: Change, old: Node, new: Node) -> tuple[Form, Form] | None:
    """Return the form that a message had and the one that it has now, if it has another."""
    tree, now = change.before.tree, change.after.tree
    for form, other in permutations(FORMS[tree.language], 2):
        message = form.read(tree, old) if other.write is not None else None
        if message is not None and message.says_same(other.read(now, new)):
            return form, other
    return None


def _left(tree: Tree, form: Form, other: Form) -> Iterator[tuple[Node, str]]:
    """Return the messages of one form, each as it is written in another one."""
    done = -1
    for found in islice(form.anchor.finditer(tree.text), _MOST_PLACES):
        path = tree.path(found.start()) if found.start() >= done else ()
        for node in (step.node for step in path if step.node.is_named):
            message = form.read(tree, node)
            if message is not None:
                text = other.write(message) if other.write else None
                if text is not None:
                    yield node, text
                done = node.end_byte
                break


def _given_apart(change: Change, old: Node, new: Node) -> Pairs | _GivenApart | None:
    """Return what a change of a call shows, if it gives the values of a message apart."""
    tree, now = change.before.tree, change.after.tree
    before, after = call_at(tree, old), call_at(now, new)
    if not (before and before.given and after and after.given):
        return None
    if tree.language == "go":
        return paired(tree, before, now, after)
    if tree.language != "python":
        return None
    rest = tuple(tree.of(one) for one in before.given[1:])
    end = max(1, len(after.given) - len(rest))
    dropped: tuple[str, ...] = ()
    if tuple(now.of(one) for one in after.given[end:]) != rest:
        end, dropped = len(after.given), rest
    apart = of_values(now, after.given[0], after.given[1:end])
    for form in FORMS[tree.language] if apart is not None else ():
        message = form.read(tree, before.given[0])
        method, said = _graded(message) if message is not None else ("", message)
        is_graded = bool(method) and after.function.endswith(f".{method}")
        if apart is not None and said is not None and said.says_same(apart, in_any_quotes=True):
            if method and not is_graded:
                return None
            counts = [one.type for one in apart.holes if _COUNTS.fullmatch(one.code)]
            handles = None if is_graded or dropped else _is_handling(now, new)
            has_counts = "s" not in counts
            return _GivenApart(form, before.function, after.function, dropped, handles, has_counts)
    return None


def _graded(message: Message) -> tuple[str, Message]:
    """Return the method of a logger for a message that says how grave it is, and the rest of it.

    Of any other message the method is empty.
    """
    first = message.strings[0]
    head = first.pieces[0]
    method, text = _without_level(head) if isinstance(head, str) else ("", head)
    pieces = (text, *first.pieces[1:])
    return method, message._replace(strings=(first._replace(pieces=pieces), *message.strings[1:]))


def _without_level(text: str) -> tuple[str, str]:
    """Return the method of a logger for the level that a text begins with, and the rest of it."""
    found = _LEVEL.match(text)
    if found is None:
        return "", text
    level = found[1].lower()
    return _METHODS.get(level, level), text[found.end() :]


def _calls_left(names: Names, example: _GivenApart) -> Iterator[tuple[Node, str]]:
    """Yield the calls that are left to be changed as one was, each with what it becomes."""
    for call in calls_of(names.tree, example.pattern):
        text = _written(names, example, call)
        if text is not None:
            yield call.node, text


def _written(names: Names, example: _GivenApart, call: Called) -> str | None:
    tree, (first, *rest) = names.tree, call.given
    function, method = call.function, ""
    given: str | None = None
    is_moved = example.was != example.function
    if message := example.form.read(tree, first):
        if is_moved:
            method, message = _graded(message)
        given = _as_percents(names, message, example.has_counts)
    elif is_moved and first.type == "string":  # a text without values, in any form
        has_values = any(one.read(tree, first) for one in FORMS[tree.language])
        quote, text = within(tree, first)
        method, text = _without_level(text)
        given = None if has_values else f"{quote}{text}{quote}"
    if is_moved:
        is_handling = _is_handling(tree, call.node)
        is_alike = method or example.dropped or is_handling == example.is_handling
        if not is_alike or tuple(map(tree.of, rest)) != example.dropped:
            return None
        thing = example.function.rpartition(".")[0]
        function = f"{thing}.{method}" if method and thing else example.function
    elif any(one.type != "keyword_argument" for one in rest):
        return None
    if given is None:
        return None
    start = tree.text[call.node.start_byte + len(call.function) : first.start_byte]
    end = call.given[-1].end_byte if is_moved else first.end_byte
    return f"{function}{start}{given}{tree.text[end : call.node.end_byte]}"


def _as_percents(names: Names, message: Message, has_counts: bool) -> str | None:
    strings = list[str]()
    for words in message.strings:
        pieces = list[str]()
        for one in words.pieces:
            if not isinstance(one, Hole):
                pieces.append(one.replace("%", "%%") if message.holes else one)
                continue
            is_count = has_counts and _is_count(names, one)
            placeholder = as_percent(one, one.type or ("d" if is_count else "s"))
            if placeholder is None:
                return None
            pieces.append(placeholder)
        strings.append(f"{words.quote}{''.join(pieces)}{words.quote}")
    values = [_quoted(unenclosed(one.code), message.strings[0].quote) for one in message.holes]
    return ", ".join([side_by_side(strings, message.gaps), *values])


def _quoted(code: str, quote: str) -> str:
    """Return a value with the quotes that it could not have within a string of these quotes."""
    is_free = quote == '"' and not re.search(r'["\\]', code) and code.count("'") % 2 == 0
    return code.replace("'", '"') if is_free else code


def _is_count(names: Names, hole: Hole) -> bool:
    """Tell whether a value is a number, as far as the text says."""
    if _COUNTS.fullmatch(hole.code):
        return True
    one = names.at(hole.start) if hole.code.isidentifier() else None
    for node in (meant.path[-2].node for meant in names.meant_by(one)):
        value = field(node, "right", "value")
        if names.tree.of(field(node, "type")) == "int":
            return True
        if node.type != "augmented_assignment" and value is not None:
            return _COUNTS.fullmatch(names.tree.of(value)) is not None
    return False


def _is_handling(tree: Tree, node: Node) -> bool:
    return any(one.type == "except_clause" for one in tree.around(node))
