"""Fields whose texts are members of an enum since one was written.

After `class JobState(StrEnum)` with `QUEUED = "queued"` was written, `state: str = "queued"`
becomes `state: JobState = JobState.QUEUED`. What else the state is given follows from its type; see
`enums`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS

_PYTHON: Final = re.compile(r"^class (?P<name>\w+)\([^)\n]*Enum\b[^)\n]*\)")
_SCRIPT: Final = re.compile(r"^(?:export )?(?:const )?enum (?P<name>\w+)\b")
_MEMBER: Final = re.compile(r"^[ \t]+(\w+) = [\"']([^\"'\n]+)[\"'],?[ \t\r]*$", re.MULTILINE)
_FIELD: Final = re.compile(
    r"\b(?P<name>\w+): (?P<all>(?:str|string) = [\"'](?P<text>[^\"'\n]+)[\"'])"
)


def after_new_enum(change: Change) -> Iterator[Consequence]:
    """Return the fields whose texts are members of an enum that was written."""
    tree = change.after.tree
    if tree.language not in ("python", *SCRIPTS):
        return
    for name, members in _new(change).items():
        last = parts_of(name)[-1]
        for found in _FIELD.finditer(tree.text):
            member = members.get(found["text"])
            is_named = last in parts_of(found["name"]) and tree.is_code(found.start(), found.end())
            if member is not None and is_named:
                hunk = Hunk(*found.span("all"), f"{name} = {name}.{member}")
                yield Consequence(hunk, "use_entry", is_first=True, cause=name)


def _new(change: Change) -> Mapping[str, Mapping[str, str]]:
    """Return the enums that a change wrote, with the names of their members by their texts."""
    tree, found = change.after.tree, dict[str, dict[str, str]]()
    pattern = _PYTHON if tree.language == "python" else _SCRIPT
    for _, start, end in change.finished():
        for one in tree.root.named_children:
            if start <= one.start_byte < end and (named := pattern.match(tree.of(one))):
                found[named["name"]] = {text: name for name, text in _MEMBER.findall(tree.of(one))}
    return found
