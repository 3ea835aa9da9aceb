"""Questions of callers in Go for a result that is missing, which are others since a change.

Once `find(id)` returns `(*User, error)` in the place of `*User` or of `(*User, bool)`, the question
`user == nil`, or `!ok`, behind its call becomes `err != nil`.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.sentinels import is_sentinel_alone
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field

#: By name of a result, how one asks if there is what was asked for, and if there is not.
_QUESTIONS: Final = {"err": ("err == nil", "err != nil"), "ok": ("ok", "!ok")}
#: How callers ask by a flag, by an error, and by the only result, each with what says that there is
#: nothing.
_BY_FLAG: Final = r"(?<![\w.])(!?)\bNAME\b(?! *[=!<>.\[(])", "!"
_BY_ERROR: Final = r"\bNAME (!=|==) nil\b", "!="
_BY_VALUE: Final = r"\bNAME (!=|==) nil\b", "=="
#: Code from where a name is given another value on.
_GIVEN: Final = r"[^\n=]*\bNAME\b[^\n=]*:= .*"
#: A test that fails with words of its own, up to these.
_FAILS: Final = re.compile(r'( \{\s*\n\s*\w+\.Fatal\()"[^"\n]*"(?=\)\s*\n\s*\})')


def asked_otherwise(
    names: Names, call: Call, name: str, *, is_instead: bool
) -> Iterator[Consequence]:
    """Return a call with a name for what says if its result is missing, and the question for that.

    `name` is `err` or `ok`; `is_instead` tells if it takes the place of the other one.
    """
    tree, listed = names.tree, call.node.parent
    statement = listed.parent if listed is not None else None
    if statement is None or statement.type != "short_var_declaration":
        hunk = _asked_at_once(tree, call.node) if is_instead and name == "err" else None
    else:
        left, condition = field(statement, "left"), _condition(statement)
        taken = tree.of(left).split(", ")
        if left is None or condition is None:
            return
        is_apart = field(statement.parent, "initializer") != statement
        if is_instead and is_apart and not {*taken[:-1]} - {"_"}:
            if names.is_known(call.called, name):
                return  # no name would be new
        hunk = _asked(tree, left, condition, name, is_instead) or (
            _handed_on(tree, condition) if taken[-1] == name == "err" else None
        )
    if hunk is not None:
        yield Consequence(hunk, "take_results", cause=f"{call.called.name} {name}")


def _condition(statement: Node) -> Node | None:
    """Return what is asked in or right behind a statement that takes a result."""
    around, behind = statement.parent, statement.next_named_sibling
    if around is not None and field(around, "initializer") == statement:
        return field(around, "condition")
    is_question = behind is not None and behind.type == "if_statement"
    return field(behind, "condition") if is_question and not field(behind, "initializer") else None


def _asked(tree: Tree, left: Node, condition: Node, name: str, is_instead: bool) -> Hunk | None:
    """Return the names that a call's results have, up to the question for them."""
    was = tree.of(left).split(", ")[-1]
    if was == name or (not is_instead and left.named_child_count > 1):
        return None
    form, missing = (_BY_FLAG if name == "err" else _BY_ERROR) if is_instead else _BY_VALUE
    form, given = (one.replace("NAME", re.escape(was)) for one in (form, _GIVEN))
    found = list(re.compile(form).finditer(tree.text, condition.start_byte, condition.end_byte))
    block = next((one for one in tree.around(condition) if one.type == "statement_list"), condition)
    rest = re.sub(given, "", tree.text[condition.end_byte : block.end_byte], flags=re.DOTALL)
    if len(found) != 1 or (is_instead and re.search(rf"\b{re.escape(was)}\b", rest)):
        return None
    start = left.end_byte - (len(was) if is_instead else 0)
    between = tree.text[left.end_byte : found[0].start()]
    question = _QUESTIONS[name][found[0][1] == missing]
    text, end = f"{'' if is_instead else ', '}{name}{between}{question}", found[0].end()
    fails = _FAILS.match(tree.text, end) if name == "err" else None
    if fails is not None:
        text, end = f"{text}{fails[1]}err", fails.end()
    return Hunk(start, end, text)


def _asked_at_once(tree: Tree, call: Node) -> Hunk | None:
    """Return the question for the only result of a call, which is made in the condition."""
    above = call.parent
    asked = above if above is not None and tree.of(above) == f"!{tree.of(call)}" else call
    around = asked.parent
    if around is None or around.type != "if_statement" or field(around, "initializer"):
        return None
    text = f"err := {tree.of(call)}; {_QUESTIONS['err'][asked != call]}"
    is_asked = field(around, "condition") == asked
    return Hunk(asked.start_byte, asked.end_byte, text) if is_asked else None


def _handed_on(tree: Tree, condition: Node) -> Hunk | None:
    """Return the error that a caller got in the place of one that says the same."""
    done = last = field(condition.parent, "consequence")
    while last is not None and last.type in ("block", "statement_list", "return_statement"):
        *_, last = last.named_children or (None,)
    if done is None or last is None or tree.of(condition) != "err != nil":
        return None
    value = last.named_children[-1] if last.type == "expression_list" else last
    error = tree.of(value)
    is_same = (
        is_sentinel_alone(error) and len(re.findall(rf" {re.escape(error)}\s*\n", tree.text)) > 1
    )
    return Hunk(value.start_byte, value.end_byte, "err") if is_same else None
