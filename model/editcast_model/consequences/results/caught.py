"""Code that still expects an error from a function that returns nothing instead since a change.

Callers in Python that catch the error check the result. Tests in Python, TypeScript and JavaScript
expect `None` or `null`.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.rule import indent_at, reindented
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.calls import Call
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field, first_child

#: What stands around what fails, with the error in the place of `ERROR`.
_EXCEPT = r"except\s+\(?(?:\w+\.)*ERROR\)?\s*:\s*"
_RAISES = (
    r"with\s+(?:(?:pytest\.)?r|(self\.assertR))aises\((?:\w+\.)*ERROR\b(?:(?!\sas\s).)*\)\s*:\s*"
)
_EXPECTED = re.compile(r"expect\(\s*((?:async )?\(\) => (?:await )?)?$")
_THROWS = r"\s*\)(\.rejects)?\.toThrow(?:Error)?\((?:\w+\.)*ERROR\)"
#: How tests of Python say that a call returns nothing.
_IS_NOTHING = r"(self\.assert)IsNone\(CALL\)|assert CALL is None"
_TESTS = ("expression_statement", "assert_statement")
#: How tests of JavaScript say it.
_GOT = re.compile(r"expect\((await )?$")
_NOTHING = re.compile(r"\)\.(?:toBeUndefined|toBeNull|toBeFalsy)\(\)")
_LONGEST = 40  # of what stands before what fails
_RERAISED = re.compile(r"\braise\s*$", re.MULTILINE)
_MATCHERS = {"null": "toBeNull", "undefined": "toBeUndefined"}


def without_error(names: Names, call: Call, word: str, error: str) -> Iterator[Consequence]:
    """Return a call's surroundings without the error that it no longer fails with.

    `word` is what it returns for nothing, `error` the class of the error.
    """
    tree, cause = names.tree, f"{call.called.name} {error}"
    find = _asked if tree.language == "python" else _matched
    for start, end, text in find(tree, call.node, word, re.escape(error)):
        hunk = shortest_hunk(tree.text[start:end], text, start)
        yield Consequence(hunk, "add_check", cause=cause)


def with_error(names: Names, call: Call, error: str) -> Iterator[Consequence]:
    """Return a test that expects the error with which a call fails now."""
    tree = names.tree
    if tree.language in SCRIPTS and error:
        yield from _thrown(tree, call, error)
        return
    statement = next((one for one in tree.around(call.node) if one.type in _TESTS), None)
    form = _IS_NOTHING.replace("CALL", rf"((?:await )?{re.escape(tree.of(call.node))})")
    found = re.fullmatch(form, tree.of(statement))
    if statement is not None and found is not None and error:
        indent = indent_at(tree, statement.start_byte)
        raises = f"{found[1]}R" if found[1] else "pytest.r"
        text = f"with {raises}aises({error}):\n{indent}    {found[2] or found[3]}"
        hunk = Hunk(statement.start_byte, statement.end_byte, text)
        yield Consequence(hunk, "remove_check", cause=f"{call.called.name} {error}")


def _thrown(tree: Tree, call: Call, error: str) -> Iterator[Consequence]:
    """Return a test of JavaScript that expected nothing of a call."""
    start, end = call.node.start_byte, call.node.end_byte
    before = _GOT.search(tree.text[max(0, start - _LONGEST) : start])
    behind = _NOTHING.match(tree.text, end)
    if before is not None and behind is not None:
        text = f"expect(() => {tree.of(call.node)}).toThrow({error})"
        if before[1]:
            text = f"await expect({tree.of(call.node)}).rejects.toThrow({error})"
        hunk = Hunk(start - len(before[0]), behind.end(), text)
        hunk = shortest_hunk(tree.text[hunk.start : hunk.end], text, hunk.start)
        yield Consequence(hunk, "remove_check", cause=f"{call.called.name} {error}")


def _matched(tree: Tree, call: Node, word: str, error: str) -> Iterator[tuple[int, int, str]]:
    """Find what a test of JavaScript expects."""
    start = max(0, call.start_byte - _LONGEST)
    before = _EXPECTED.search(tree.text[start : call.start_byte])
    behind = re.compile(_THROWS.replace("ERROR", error)).match(tree.text, call.end_byte)
    if before is not None and behind is not None and (before[1] or behind[1]):
        resolved = ".resolves" if behind[1] else ""
        text = f"{tree.of(call)}){resolved}.{_MATCHERS[word]}()"
        yield call.start_byte - len(before[1] or ""), behind.end(), text


def _asked(tree: Tree, call: Node, word: str, error: str) -> Iterator[tuple[int, int, str]]:
    """Find the statement of Python around one that is alone in it, and makes the call."""
    around = [call, *tree.around(call)]
    at = next((at for at, one in enumerate(around) if one.type == "expression_statement"), 0)
    statement, block, outer, *_ = [*around[at:], call, call, call]
    made = first_child(statement)
    value = field(made, "right") or made
    is_alone = at and block.type == "block" and block.named_child_count == 1
    if not is_alone or tree.of(value).removeprefix("await ") != tree.of(call):
        return
    indent = indent_at(tree, outer.start_byte)
    text = reindented(tree.of(statement), indent_at(tree, statement.start_byte), indent)
    head = tree.text[outer.start_byte : block.start_byte]
    found = re.fullmatch(_RAISES.replace("ERROR", error), head, re.DOTALL)
    if found is not None and value == made:
        is_none = f"self.assertIsNone({text})" if found[1] else f"assert {text} is {word}"
        yield outer.start_byte, outer.end_byte, is_none
    *_, last = outer.named_children
    target, body = field(made, "left"), last.named_children[-1:]
    if outer.type != "try_statement" or outer.named_child_count != 2 or not body:
        return
    head = tree.text[last.start_byte : body[0].start_byte]
    is_caught = re.fullmatch(_EXCEPT.replace("ERROR", error), head) is not None
    if is_caught and target is not None and target.type == "identifier":
        if not _RERAISED.search(tree.of(last)):
            end = last.start_byte + head.rindex(":") + 1
            yield outer.start_byte, end, f"{text}\n{indent}if {tree.of(target)} is {word}:"
