"""Comparisons in Go with an error that is returned wrapped since a change: they are always false.

Once `ErrNotFound` is returned as `fmt.Errorf("get %q: %w", name, ErrNotFound)`, callers have to ask
`errors.Is(err, ErrNotFound)` in place of `err == ErrNotFound`.
"""

import re
from collections.abc import Container, Iterable, Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, around, field

_SENTINEL = re.compile(r"(?:\w+\.)?[Ee]rr[A-Z]\w*")
_WRAPS = re.compile(r"\w+\.Errorf\(.*%w.*\)|errors\.Join\(.*\)", re.DOTALL)
_EQUAL = {"==": "", "!=": "!"}
#: An error that says nothing in words of its own.
_ALONE = re.compile(
    r'(?:NAME)|fmt\.Errorf\("(?:%[a-z]|[^%"\w])*", (?:NAME)(?:, [\w.]+)*\)'.replace(
        "NAME", _SENTINEL.pattern
    )
)
#: An error for what was not found, where it is made; what is returned after a question.
_FOR_NOTHING = re.compile(r"\b([Ee]rr\w*(?:NotFound|Missing|Unknown|NoSuch)\w*)\s+= errors\.New\(")
_RETURNED = (
    r"if (?:[^\n;]*; )?ASKED \{\s*\n(?:[^\n{}]*\n){0,3}?\s*return (?:[^\n]*, )?"
    rf"({_SENTINEL.pattern}|fmt\.Errorf\(.*{_SENTINEL.pattern}.*\))\s"
)
#: A value with an error, the question for that, and what is returned as the error.
_GIVEN_WITH_ERROR = r"(\w+), err :?= [^\n]*\n\s*if err != nil \{\s*\n\s*"
_HANDED_ON = re.compile(
    _GIVEN_WITH_ERROR + r'return [^\n]*?((?:fmt\.Errorf\("[^"\n]*%w", )?\berr\b\)?)\s'
)


def is_sentinel_alone(error: str) -> bool:
    """Tell whether an expression is an error of a package, with no more words around it."""
    return _ALONE.fullmatch(error) is not None


def error_beside(tree: Tree, statement: Node, known: Container[str]) -> str:
    """Return the error for a `return` where nothing was found; empty if that is unknown.

    Others in the file return it where they ask the same, or it is the only one that says so.

    Args:
        tree: The text.
        statement: The `return`.
        known: The parameters of the function around it.
    """
    asking = next((one for one in tree.around(statement) if one.type == "if_statement"), None)
    asked = tree.of(field(asking, "condition"))
    done = field(asking, "consequence")
    if done is None or statement.start_byte > done.end_byte:
        return ""
    form = re.compile(_RETURNED.replace("ASKED", re.escape(asked)))
    found = {one[1] for one in form.finditer(tree.text)}
    errors = {name[0] for one in found if (name := _SENTINEL.search(one))}
    if len(found) == 1 and is_sentinel_alone(*found):
        one = found.pop()
        given = re.findall(r"\w+", one.rpartition('"')[2])
        return one if all(each in known or each in errors for each in given) else errors.pop()
    if not errors and (asked == "!ok" or asked.endswith("== nil")):
        errors = set(_FOR_NOTHING.findall(tree.text))
    if not errors and asked == "err != nil":
        errors = set(_handed_on(tree, statement))
    return errors.pop() if len(errors) == 1 else ""


def _handed_on(tree: Tree, statement: Node) -> Iterator[str]:
    """Yield the error that a function hands on, with the words that it has for others before."""
    function = function_node_around(tree, statement)
    before = tree.text[function.start_byte if function else 0 : statement.start_byte]
    given = re.search(_GIVEN_WITH_ERROR + r"\Z", before)
    if given is None:
        return
    for name, error in _HANDED_ON.findall(before):
        if error == "err":
            yield error
        elif re.search(rf"\b{name}\b", error):
            yield re.sub(rf"\b{name}\b", given[1], error)


def after_wrapped_error(change: Change) -> Iterator[Consequence]:
    """Return the comparisons in a file with the errors that a change wraps in it."""
    for error in dict.fromkeys(newly_wrapped_errors(change)):
        uses = (one for one in change.after.of(error) if one.role is Role.REFERENCE)
        yield from compared(change.after, uses)


def newly_wrapped_errors(change: Change) -> Iterator[str]:
    """Yield the errors of a package that are returned wrapped, and were returned as they are."""
    text = change.after.tree.text
    for hunk, start, end in change.finished() if change.after.tree.language == "go" else ():
        last = text.find("\n", end)
        for one in change.after.between(text.rfind("\n", 0, start) + 1, max(end, last)):
            if not _SENTINEL.fullmatch(one.name) or not _is_wrapped(change.after.tree, one):
                continue
            was = change.same_before(one)
            removed = change.before.tree.text[hunk.start : hunk.end]
            if (was is None and one.name in removed) or (
                was is not None
                and around(was.path, "return_statement") is not None
                and around(was.path, "call_expression") is None
            ):
                yield one.name


def _is_wrapped(tree: Tree, one: Occurrence) -> bool:
    at = around(one.path, "call_expression")
    return at is not None and bool(_WRAPS.fullmatch(tree.of(one.path[at].node)))


def compared(names: Names, uses: Iterable[Occurrence]) -> Iterator[Consequence]:
    """Return the comparisons among the uses of an error that has to be looked for now.

    Args:
        names: Of a text in Go.
        uses: The places where it names the error.
    """
    tree = names.tree
    for one in uses:
        node, *above = [step.node for step in reversed(one.path)]
        if above[0].type == "selector_expression":  # of another package
            node, *above = above
        if above[0].type == "binary_expression":
            found = _asked(tree, node, above[0])
        elif above[0].type == "expression_list" and above[1].type == "expression_case":
            found = _switched(tree, above[2])
        else:
            continue
        for hunk in found:
            yield Consequence(hunk, "look_for_error", cause=f"errors.Is {one.name}")


def _asked(tree: Tree, error: Node, comparison: Node) -> Iterator[Hunk]:
    """Yield the question for an error in the place of its comparison."""
    left, right = (comparison.child_by_field_name(side) for side in ("left", "right"))
    sign = _EQUAL.get(tree.of(comparison.child_by_field_name("operator")))
    if sign is not None and left is not None and right == error:
        text = f"{sign}errors.Is({tree.of(left)}, {tree.of(error)})"
        yield Hunk(comparison.start_byte, comparison.end_byte, text)


def _switched(tree: Tree, switch: Node) -> Iterator[Hunk]:
    """Yield a switch that asks for the errors that its cases name, up to the last of them."""
    value = field(switch, "value")
    cases = [one for one in switch.named_children if one.type == "expression_case"]
    values = [field(case, "value") for case in cases]
    listed = [each for one in values if one is not None for each in one.named_children]
    names = [tree.of(one) for one in listed]
    if value is None or value.type != "identifier" or not listed:
        return  # a call would be made for each case
    if not all(one == "nil" or _SENTINEL.fullmatch(one) for one in names):
        return
    asked, start, end = tree.of(value), value.start_byte, listed[-1].end_byte
    brace = tree.text.find("{", value.end_byte)
    hunks = [Hunk(0, brace - start, "")]
    for one, name in zip(listed, names, strict=True):
        text = f"{asked} == nil" if name == "nil" else f"errors.Is({asked}, {name})"
        hunks.append(Hunk(one.start_byte - start, one.end_byte - start, text))
    yield Hunk(start, end, apply_hunks(tree.text[start:end], hunks))
