"""Flags that were retired: an entry of theirs was taken out of another file, and is left here.

A file is one of flags by its name. What a retired flag guarded stays: it is always on from then on,
and a test of what is done without it goes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.conditions import once_settled, variable_of
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import without_node
from editcast_model.consequences.lists.word_forms import forms, has, parts_of, written_forms
from editcast_model.consequences.replaced.saves import Save
from editcast_model.consequences.unused.removal import without_lines
from editcast_model.diff import Hunk, diff, line_around
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree

_FLAGS: Final = re.compile(r"flag|feature|toggle|experiment", re.IGNORECASE)
#: In a file of other settings, too, what is true or false is a flag.
_SETTINGS: Final = re.compile("settings|config", re.IGNORECASE)
_BOOLEAN: Final = re.compile(
    r"""\bbool|\b(?:true|false)\b|==[ ]*["'](?:1|true|on|yes)["']""", re.IGNORECASE
)
#: The line of an entry, with a value that a flag may have, behind its remarks.
_ENTRY: Final = re.compile(
    r"""^(?:[ \t]*(?:\#|//).*\n)*[ \t]*(?:-[ ])?
    (?:(?:public|export|static|const|final|readonly|string)[ ])*
    ["']?(_*[A-Za-z][\w.-]*)["']?\??(?:[ \t]*[:=]|[ \t]+(?=bool)|(?=,?$))[ \t]*
    (?:(?:true|false|on|off|(?:os\.environ|os\.getenv|process\.env|env|ENV)\b.*|JSON\.stringify\((?:true|false)\)
    |bool\w*(?:[ ]=[ ](?:true|false))?|\w*(?:bool|flag|feature)\w*\(.*
    |["'].*|\{.*)?[ ,;]*)$""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
#: A flag alone that was taken out of a list on one line.
_LISTED: Final = re.compile(r"""[\s,]*[:"']?([A-Za-z]\w*)["']?[\s,]*""")
#: All of an entry of settings, with the lines below that are indented more.
_SET: Final = (
    r"""^([ \t]*)(?:- )?["']?(?:(?!HIDE|NO_|OLD|DIS)[A-Z\d]+_)*(?:NAME)["']?(?:[ ]?[:=].*)?\n"""
    r"(?:\1[ \t]+\S.*\n)*"
)
#: A comment behind a blank line.
_REMARK: Final = re.compile(r"(?<=\n\n)(?:[ \t]*#.*\n)+\Z")
#: The row of a table of flags in a manual.
_ROW: Final = r"^\|[ \t]*`?(?:[A-Z\d]+_)*(?:NAME)`?[ \t]*\|.*\n"
#: What sets a flag among others, as tests do.
_ENTRY_OF_LIST: Final = re.compile("pair|keyword_argument|keyed_element")
_SETTING: Final = re.compile(f"{_ENTRY_OF_LIST.pattern}|assignment(?:_expression)?")
_SWITCH: Final = re.compile(
    r"""[\w.:]*\b(?:enable|activate|turn_?[oO]n|(disable|deactivate|turn_?[oO]ff))\w*\([:"']?\w+["']?\)$"""
)
_STATEMENT: Final = re.compile("statement$")
#: Types of nodes with a test that have more of it: its decorators, or the end of its statement.
_WHOLE: Final = re.compile("decorated_definition|expression_statement")
#: The beginning of a test.
_TEST: Final = re.compile(
    r"(?:async )?def test_|(?:it|test)[( ]|func Test|(?:@Test|\[(?:Fact|Test)\])\s"
)


def retired_flags(saves: Iterable[Save]) -> set[str]:
    """Return the flags whose entries saves of other files took away."""
    found = set()
    for save in saves:
        is_of_flags = _FLAGS.search(save.file) is not None
        is_known = is_of_flags or _SETTINGS.search(save.file)
        for hunk in diff(save.before, save.after) if is_known else ():
            removed = save.before[hunk.start : hunk.end]
            if "\n" in removed:
                entry = _ENTRY.match(save.before, _line_of(save.before, hunk.start, removed))
            else:
                entry = _LISTED.fullmatch(removed) if is_of_flags else None
            if entry is None or not (is_of_flags or _BOOLEAN.search(entry[0])):
                continue
            if not hunk.text.strip():
                if len(parts_of(entry[1])) > 1 and not has(save.after, entry[1]):
                    found.add(entry[1])
    return found


def _line_of(text: str, start: int, removed: str) -> int:
    """Return where the first line begins that a change removed: a diff may begin it in the last."""
    head = text[text.rfind("\n", 0, start) + 1 : start]
    if head.strip():
        return start + removed.find("\n") + 1
    return start - len(head) + len(removed) - len(removed.lstrip("\r\n"))


def flags_left_in(saves: Iterable[Save], text: str, names: Names | None) -> Iterator[Consequence]:
    """Return what is left of retired flags: conditions, guards and settings."""
    for name in sorted(retired_flags(saves)):
        found = _asked(names, name) if names is not None else _set_in(text, name)
        for hunk in found:
            yield Consequence(hunk, "settle_condition", cause=f"retired {name}")


def _set_in(text: str, name: str) -> Iterator[Hunk]:
    """Take a flag out of settings, with the lines that belong to it, and out of tables."""
    written = (re.escape(each) for each in written_forms(name) if " " not in each)
    name = "|".join(written)
    for row in re.finditer(_ROW.replace("NAME", name), text, re.MULTILINE):
        yield Hunk(row.start(), row.end(), "")
    for entry in re.finditer(_SET.replace("NAME", name), text, re.MULTILINE):
        before = len(text[: entry.start()].rstrip()) - 1
        if text.startswith(",", before) and text[entry.end() :].lstrip().startswith("}"):
            yield Hunk(before, entry.start() + len(entry[0].rstrip()), "")  # the last one of JSON
        else:
            yield Hunk(*_with_remark(text, *entry.span()), "")


def _with_remark(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where an entry begins and ends, with the comment that is for it alone."""
    above = _REMARK.search(text, 0, start)
    behind = text[end : text.find("\n", end) + 1] if "\n" in text[end:] else ""
    if above is None or behind.strip() or not behind:
        return start, end
    return above.start(), end + len(behind)


def _asked(names: Names, name: str) -> Iterator[Hunk]:
    """Find the conditions and guards that ask for a flag, or for a variable that has it."""
    tree = names.tree
    written = [one for one in forms(name).finditer(tree.text) if " " not in one[0]]
    places = {one.start() for one in written}
    for one in written:
        if (alias := variable_of(tree, one.start())) is not None:
            places |= {each.start for each in names.of(alias)}
    for place in sorted(places):
        yield from once_settled(tree, place, is_alone=len(places) == 1)
        yield from _without_setting(tree, place)


def _without_setting(tree: Tree, place: int) -> Iterator[Hunk]:
    """Take a setting away that gives a flag its value; a test of what is done without it, whole."""
    nodes = [step.node for step in reversed(tree.path(place))]
    found = ((one, value) for one in nodes if (value := _value_set(tree, one, place)) is not None)
    setting, is_on = next(found, (None, True))
    if setting is None:
        return
    test = next((one for one in nodes if _TEST.match(tree.of(one))), None)
    if test is not None and test.parent is not None and _WHOLE.match(test.parent.type):
        test = test.parent
    listed = setting.parent
    decorator = next((one for one in nodes if one.type == "decorator"), None)
    if not is_on and test is not None and test.parent is not None:
        after = test.next_named_sibling
        start = line_around(tree.text, test.start_byte)[0]
        if after is not None:
            yield Hunk(start, line_around(tree.text, after.start_byte)[0], "")
        else:
            before = test.prev_named_sibling
            yield Hunk(before.end_byte if before is not None else start, test.end_byte, "")
    elif not _ENTRY_OF_LIST.fullmatch(setting.type):
        statement = next(one for one in nodes if _STATEMENT.search(one.type) or one == setting)
        if (hunk := without_lines(tree, statement)) is not None:
            yield hunk
    elif decorator is not None and listed is not None and listed.named_child_count == 1:
        if (hunk := without_lines(tree, decorator)) is not None:
            yield hunk
    elif tree.language == "ruby" and listed is not None and listed.named_child_count == 1:
        yield Hunk(listed.start_byte, listed.end_byte, "")
    else:
        yield without_node(tree.text, setting)


def _value_set(tree: Tree, node: Node, place: int) -> bool | None:
    """Tell whether a node switches the flag at an offset on, or off; None if it does neither."""
    if _SETTING.fullmatch(node.type) and node.named_child_count:
        name, value = node.named_children[0], tree.of(node.named_children[-1]).lower()
        is_known = place < name.end_byte and value in ("true", "false")
        return value == "true" if is_known else None
    switched = _SWITCH.match(tree.of(node)) if "call" in node.type else None
    return switched[1] is None if switched is not None else None
