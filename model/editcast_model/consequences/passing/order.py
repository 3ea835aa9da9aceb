"""Arguments of calls of a function whose parameters have another order now.

A call of another file may have been written before that, or since. Its arguments tell: by their
names, by their types, and as literals.
"""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import Argument, Call
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter, Parameters
from editcast_model.syntax.tree import type_declared

_TEXT = re.compile(r"\w{0,2}[\"'`].*", re.DOTALL)
#: Literals, with the types that they have.
_LITERALS = {
    _TEXT: re.compile("&?str|[sS]tring"),
    re.compile(r"-?\.?\d[\w.]*"): re.compile(
        r"u?int\d*|[iuf](8|16|32|64|128|size)|float\d*|double|long|short|number|byte"
    ),
    re.compile("[tT]rue|[fF]alse"): re.compile("bool|[bB]oolean"),
}
#: Types without one-word literals, such as lists of bytes.
_LISTS = re.compile(r".*\]$|\[|(list|dict|set|tuple|map|Map|List|Vec|Array|Set)\b")
#: An expression that names its type: `[]byte(id)`, `new Room()`, `&Room{}`.
_MADE = re.compile(r"(?:new\s+|&)?([\w.\[\]]+)[({]")
_MARKS = "*&?:"


def reordered(
    names: Names,
    call: Call,
    before: Parameters,
    after: Parameters,
    *,
    is_as_before: bool = False,
    is_known: bool = True,
) -> Iterator[Consequence]:
    """Return a call with its arguments in the order of the parameters now.

    Args:
        names: Of the text.
        call: The call.
        before: The parameters that the function had.
        after: The same ones in their new order.
        is_as_before: Whether the call is known to be for those before; otherwise its arguments
            have to tell.
        is_known: Whether the function is known to be called; otherwise an argument has to be one
            that it cannot take now.
    """
    given, text = call.arguments, names.tree.text
    if not len(given) == len(before) == len(after) or len(call.positional) != len(given):
        return
    known = {one.name: one for one in after}
    typed = [known.get(one.name, one) for one in before]  # those before as they are declared now
    was = [_fits(names, *pair, known) for pair in zip(given, typed, strict=True)]
    now = [_fits(names, *pair, known) for pair in zip(given, after, strict=True)]
    if sum(now) > sum(was):
        return
    are_told = sum(was) > sum(now) and -1 not in was and (is_known or -1 in now)
    if not (is_as_before or are_told):
        return
    old, parts = [one.name for one in before], [text[each.start : each.end] for each in given]
    start, end = given[0].start, given[-1].end
    hunks = [
        Hunk(each.start - start, each.end - start, parts[old.index(one.name)])
        for each, one in zip(given, after, strict=True)
    ]
    new = apply_hunks(text[start:end], hunks)
    if new != text[start:end]:
        yield Consequence(Hunk(start, end, new), "reorder_arguments")


def is_permuted(before: Parameters, after: Parameters) -> bool:
    """Tell whether two lists have the same parameters in another order."""
    old, new = [one.name for one in before], [one.name for one in after]
    return old != new and sorted(old) == sorted(new)


def _fits(names: Names, argument: Argument, parameter: Parameter, known: Iterable[str]) -> int:
    """Tell whether an argument is for a parameter: 1 if so, -1 if not, 0 where nothing tells.

    `known` are the names of all parameters of the function.
    """
    text = names.tree.text[argument.start : argument.end].strip()
    if (word := _last_word(text)) and word in {_plain(one) for one in known}:
        return 1 if word == _plain(parameter.name) else -1
    kind = parameter.type.strip(_MARKS + " ")
    if not kind:
        return 0
    if (made := _MADE.match(text)) and not _TEXT.match(text):
        return 1 if made[1] == kind else 0
    own = next((kinds for literal, kinds in _LITERALS.items() if literal.fullmatch(text)), None)
    is_plain = any(kinds.fullmatch(kind) for kinds in _LITERALS.values())
    if own is not None and (is_plain or _LISTS.match(kind)):
        return 1 if own.fullmatch(kind) else -1
    declared = _type_of(names, argument)
    return (1 if declared == kind else -1) if declared else 0


def _type_of(names: Names, argument: Argument) -> str:
    """Return the type that a variable is declared with; empty where it is not written."""
    one = names.at(argument.start)
    defined = names.meant_by(one) if one is not None and one.end == argument.end else []
    node: Node | None = defined[0].path[-2].node if len(defined) == 1 else None
    kind = names.tree.of(type_declared(node)).strip(_MARKS + " ") if node is not None else ""
    return "" if kind == "var" else kind


def _last_word(text: str) -> str:
    """Return the last name of `order.topic`, without marks of any kind; empty for other code."""
    words = re.fullmatch(r"[*&$@]*(?:\w+(?:\.|->|::|\?\.))*(\w+)(?:\(\))?", text)
    return _plain(words[1]) if words else ""


def _plain(name: str) -> str:
    """Return a name without the marks by which languages write it differently."""
    return name.lower().replace("_", "").removeprefix("$")
