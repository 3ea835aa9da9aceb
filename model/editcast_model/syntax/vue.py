"""The code of a Vue file as TypeScript: its scripts, and the expressions of its template.

Markup becomes blanks and the few signs that make statements of the expressions, so that each
character stays where it is. The second line is what becomes of the first:

    <p :title="name">{{ count + 1 }}</p>
             ;(name) ;( count + 1 );

An element with `v-for` becomes a loop, which its variables belong to. Elements with slots that
declare variables stay blank: nothing is known of what is inside.
"""

import re
from typing import NamedTuple

#: The inside of a tag; a `>` in quotes does not end it.
_INSIDE = r"""(?:[^<>"']|"[^"]*"|'[^']*')"""
_SETUP = re.compile(rf"<script\b{_INSIDE}*?\ssetup\b")
_OPENING = re.compile(r"(?P<sign><!--|\{\{)|<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*)")
#: The ends of comments and interpolations; a search for a missing end is made only once.
_CLOSING = {"<!--": "-->", "{{": "}}"}
_REST = re.compile(f"{_INSIDE}*+>")
_ATTRIBUTE = re.compile(
    r"""(?<=\s)(?P<name>(?:[:@\#]|v-)[^\s=>"'/]*)=(?P<quote>["'])(?P<value>.*?)(?P=quote)""",
    re.DOTALL,
)
_LOOP = re.compile(
    r"\s*(?:(?P<open>\()[^()]*(?P<close>\))|[\w$]+|\{[^{}]*\}|\[[^][]*\])\s+(?:in|of)\s"
)
_FOR = "for(let "
_LONGEST = 200  # variables of a loop
_DEEPEST = 250  # open elements in which the one that ends is looked for
#: Directives whose values are statements, and those that declare variables of a slot.
_STATEMENTS, _SLOTS = ("@", "v-on:"), ("#", "v-slot", "slot-scope")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_RAW = ("script", "style")


class _Code:
    """Code as long as a text: blanks and line ends, until something is copied or written."""

    def __init__(self, text: str) -> None:
        self.text, self.signs = text, list(re.sub(r"[^\n]", " ", text))

    def copy(self, start: int, end: int) -> None:
        """Keep a part of the text as it is."""
        self.signs[start:end] = self.text[start:end]

    def write(self, start: int, code: str) -> bool:
        """Write code into blanks; return False, and write nothing, where a line ends there."""
        room = self.signs[start : start + len(code)]
        if "\n" in room or len(room) < len(code):
            return False
        self.signs[start : start + len(code)] = code
        return True


class _Element(NamedTuple):
    """An open element; its end may end a loop, and of a hidden one nothing inside is written."""

    name: str
    is_loop: bool
    is_hidden: bool


def script_of(text: str) -> str:
    """Return the code of a Vue file, as long as the file."""
    code, elements, at = _Code(text), list[_Element](), 0
    has_setup = _SETUP.search(text) is not None  # else a template's names are not the script's
    missing = set[str]()
    while opening := _OPENING.search(text, at):
        at = opening.end()
        if sign := opening["sign"]:
            closing = _CLOSING[sign]
            end = -1 if closing in missing else text.find(closing, at)
            if end < 0:
                missing.add(closing)
                continue
            is_shown = has_setup and elements and not elements[-1].is_hidden
            if is_shown and sign == "{{" and text[at:end].strip():
                code.copy(at, end)
                code.write(at - 2, ";(")
                code.write(end, ");")
            at = end + len(closing)
            continue
        rest = _REST.match(text, at)
        if rest is None:
            continue
        at = rest.end()
        if opening["name"] in _RAW and not opening["end"]:
            end = text.find(f"</{opening['name']}", at)
            end = len(text) if end < 0 else end
            if opening["name"] == "script" and not elements:
                code.copy(at, end)
                code.write(end, ";")
            at = end
        elif opening["end"]:
            _close(code, elements, opening)
        else:
            _open(code, elements, opening, at - 1, has_setup)
    return "".join(code.signs)


def script_start(text: str) -> int | None:
    """Find where the code of the script with `setup`, or of the first one, begins; None without."""
    tag = _SETUP.search(text) or re.search(r"<script\b", text)
    rest = _REST.match(text, tag.end()) if tag else None
    return rest.end() if rest else None


def _close(code: _Code, elements: list[_Element], tag: re.Match[str]) -> None:
    """End the innermost element of a name, if any, and those in it that were not closed."""
    if elements and not elements[-1].is_hidden:
        _component(code, tag)
    name, at = tag["name"], tag.start()
    inner = [one.name for one in elements[:-_DEEPEST:-1]]
    for _ in inner[: inner.index(name) + 1] if name in inner else ():
        if elements.pop().is_loop:
            code.write(at, "}")
            at += 1


def _open(
    code: _Code, elements: list[_Element], tag: re.Match[str], last: int, has_setup: bool
) -> None:
    """Write the expressions of a tag that ends at `last`, and open its element unless it is empty.

    With `has_setup`, the names of the script mean something in it.
    """
    attributes = list(_ATTRIBUTE.finditer(code.text, tag.end(), last))
    loops = [one for one in attributes if one["name"] == "v-for"]
    is_hidden = not has_setup or any(one.is_hidden for one in elements[-1:])
    is_hidden |= any(one["name"].startswith(_SLOTS) and one["value"].strip() for one in attributes)
    is_empty = code.text[last - 1] == "/" or tag["name"] in _VOID
    is_loop = bool(loops) and not is_hidden and _loop(code, loops[0], last + (not is_empty))
    is_hidden |= bool(loops) and not is_loop
    if not is_hidden:
        # What ends where the head of a loop begins leaves no room for a `;` between them.
        head = loops[0].start() - 1 if loops else -1
        if tag.end() != head:
            _component(code, tag)
        for one in attributes:
            if one["name"] != "v-for" and one["value"].strip() and one.end() != head:
                _expression(code, one)
    if not is_empty:
        elements.append(_Element(tag["name"], is_loop, is_hidden))
    elif is_loop:
        code.write(last, "}")


def _component(code: _Code, tag: re.Match[str]) -> None:
    """Write the name of a component, which the script imports."""
    start, end = tag.span("name")
    if tag["name"][0].isupper():
        code.copy(start, end)
        code.write(start - 1, ";")
        code.write(end, ";")


def _expression(code: _Code, attribute: re.Match[str]) -> None:
    """Write the value of a directive, an expression in brackets or statements."""
    start, end = attribute.span("value")
    code.copy(start, end)
    is_statement = attribute["name"].startswith(_STATEMENTS)
    if is_statement and not attribute["value"].lstrip().startswith(("function", "{")):
        code.write(start - 2, "; ")
        code.write(end, ";")
    else:
        code.write(start - 2, ";(")
        code.write(end, ")")


def _loop(code: _Code, attribute: re.Match[str], room: int) -> bool:
    """Write the head of a loop, its bracket before `room`; return False where it does not fit."""
    text, (start, end) = code.text, attribute.span("value")
    variables = _LOOP.match(text, start, min(end, start + _LONGEST))
    body = end + 1
    while body < room and text[body] == "\n":
        body += 1
    if variables is None or body == room or "\n" in text[start - len(_FOR) : start]:
        return False
    code.copy(start, end)
    if variables["open"]:
        code.write(variables.start("open"), "[")
        code.write(variables.start("close"), "]")
    code.write(start - len(_FOR), _FOR)
    code.write(end, ")")
    return code.write(body, "{")
