"""Flags that were retired: another file lost their entry, or the conditions that ask for them.

A file is one of flags by its name. What a flag guarded stays once its entry is gone: it is always
on from then on. Where it is not asked for any more, its entries are left.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from editcast_model.consequences.conditions import once_settled, variable_of
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, has, parts_of, written_forms
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk, diff
from editcast_model.syntax.names import Names

_FLAGS: Final = re.compile(r"flag|feature|toggle|experiment", re.IGNORECASE)
#: The line of an entry, with a value that a flag may have.
_ENTRY: Final = re.compile(
    r"""^[ \t]*(?:-[ ])?["']?([A-Za-z][\w.-]*)["']?\??(?:[ \t]*[:=]|[ \t]+(?=bool)|(?=,?$))[ \t]*
    (?:(?:true|false|on|off|bool\w*|\w*(?:bool|flag|feature)\w*\(.*|["'].*|\{.*)?[ ,;]*)$""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
#: All of an entry of settings, with the lines below that are indented more.
_SET: Final = (
    r"""^([ \t]*)(?:- )?["']?(?:(?:\w+_)?(?:FEATURE|FLAG|ENABLE)_)?(?:NAME)["']?"""
    r"(?:[ ]?\??[:=].*|[ ]+bool|,)?\n(?:(?:\1[ \t]+\S.*\n)+(?:\1[]})]+[,;]?\n)?)?"
)
#: Comments between a blank line or other code and what follows, and what ends that.
_COMMENT: Final = re.compile(r"^(?:[ \t]*(?:#|//|/?\*).*\n)+\Z", re.MULTILINE)
_END: Final = re.compile(r"[ \t]*(?:\n|\Z|[#/}\])])")
#: The row of a table of flags in a manual.
_ROW: Final = r"^\|[ \t]*`?(?:NAME)`?[ \t]*\|.*\n"
#: Code that asks for a flag by its text, or as a member; and what does so to decide.
_ASKED: Final = re.compile(
    r"""\w*(?:flag|feature|toggle|experiment)\w*
    (?:(?:(?:\.|::|->)\w+[?!]?)?\(\s*["'`:]|\.|::|->)([A-Za-z][\w-]*)(?![\w-]|\([^)])""",
    re.VERBOSE | re.IGNORECASE,
)
_DECIDES: Final = re.compile(r"\b(?:if|unless|and)\b|\?|&&")


def retired_flags(saves: Iterable[Save]) -> set[str]:
    """Return the flags whose entries saves of other files took away."""
    found = set()
    for save in saves:
        for hunk in diff(save.before, save.after) if _FLAGS.search(save.file) else ():
            removed = save.before[hunk.start : hunk.end]
            entry = _ENTRY.match(save.before, _line_of(save.before, hunk.start, removed))
            if entry and "\n" in removed and not hunk.text.strip():
                if len(parts_of(entry[1])) > 1 and not has(save.after, entry[1]):
                    found.add(entry[1])
    return found


def settled_flags(saves: Collection[Save]) -> set[str]:
    """Return the flags by which other files decide nothing any more."""
    settled = set()
    for save in saves:
        was, now = (set(_ASKED.findall(text)) for text in (save.before, save.after))
        if now < was and _DECIDES.search(save.before):  # else it may be called otherwise now
            settled |= {name for name in was - now if len(parts_of(name)) > 1}
    return {name for name in settled if not any(has(save.after, name) for save in saves)}


def _line_of(text: str, start: int, removed: str) -> int:
    """Return where the first line begins that a change removed: a diff may begin it in the last."""
    head = text[text.rfind("\n", 0, start) + 1 : start]
    if head.strip():
        return start + removed.find("\n") + 1
    return start - len(head) + len(removed) - len(removed.lstrip("\r\n"))


def flags_left_in(
    saves: Collection[Save], text: str, path: str, names: Names | None
) -> Iterator[Consequence]:
    """Return what is left of retired flags: conditions, guards and settings."""
    retired = retired_flags(saves)
    for name in sorted(retired | settled_flags(saves)):
        found: Iterable[Hunk] = ()
        if name in retired and names is not None:
            found = _asked(names, name)
        elif name in retired or _FLAGS.search(path if names is not None else path + text):
            found = _set_in(text, name)
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
            yield _with_comment(text, entry.start(), entry.end())


def _with_comment(text: str, start: int, end: int) -> Hunk:
    """Take lines out with the comment above, if that is not for those below as well."""
    comment, behind = _COMMENT.search(text, 0, start), _END.match(text, end)
    if comment is None or behind is None:
        return Hunk(start, end, "")
    is_apart = text.endswith("\n\n", 0, comment.start()) and behind[0].endswith("\n")
    return Hunk(comment.start(), behind.end() if is_apart else end, "")


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
