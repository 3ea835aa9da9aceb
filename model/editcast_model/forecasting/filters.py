"""Filters, which drop unwanted changes however probable they are.

A forecaster applies them while it searches for predictions, and its confidence is calibrated on the
remaining ones. The rejections of a user are handled by the server.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from editcast_model.diff import Hunk, apply_hunks, diff, line_around, shortest_hunk
from editcast_model.forecasting.import_lines import follows_code, is_import, touches_only_imports
from editcast_model.syntax import breaking

_WORDS = re.compile(r"\w+")
#: A number with a word right behind it, which no language has.
_GLUED = re.compile(r"\b\d+[A-Z][a-z]\w+")
#: By language, the mark of a string that has values in it; such a string on one line.
_MARKS = {"python": "f", "csharp": "$"}
_WITH_VALUES = re.compile(r"""(["'])(?:(?!\1)[^\n])*(?<!\{)\{\w""")
#: Characters that editors insert after the cursor automatically.
_CLOSERS = " )]}\"'`;"
_BRACKET, _BORDER = re.compile(r"[()\[\]{}]"), re.compile(r"[()\[\]{}\n]")
_CLOSING = {")": "(", "]": "[", "}": "{"}
#: Characters before and behind an insertion that are searched for its brackets.
_AROUND = 2_000
#: Languages whose comments begin with a `#`, and the marks of comments in these and in others.
_WITH_HASHES = frozenset("python ruby shellscript yaml toml dockerfile makefile perl r".split())
#: The number of saves after which an import that nothing uses any more may be left on purpose.
FEW_SAVES = 6
_MOST_WORDS = 4  # of a change, up to which it may bring back what stood there
_HASHES = re.compile(r"^[ \t]*(?:#+[ \t]*)+", re.MULTILINE)
_SLASHES = re.compile(r"^[ \t]*(?:(?://+|\{?/\*+|<!--)[ \t]*)+|(?:\*/\}?|-->)$", re.MULTILINE)
#: Of longer lines only the beginning is read.
_LONGEST_LINE = 500
#: A call of Go with a format, a verb in that, and an argument behind it.
_FORMATTED = re.compile(
    r'(?P<name>\w+)\("(?P<format>(?:[^"\\]|\\.)*%w(?:[^"\\]|\\.)*)"(?P<given>.*)\)'
)
#: What `unittest` has, and `pytest` does not, or does not need.
_NO_MEMBER = re.compile(r"\bpytest\.(\w*TestCase|mock|main|skip[IU]\w+)\b|@pytest\.skip\b")
_VERB = re.compile(r"%[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])")
_ARGUMENT = re.compile(r",\s*((?:[^,()]|\([^()]*\))+)")
_PAIRS = frozenset(("()", "[]", "{}", '""', "''", "``"))


@dataclass(frozen=True, slots=True)
class EditContext:
    """The text and its last change, by which filters judge a candidate.

    Attributes:
        text: The current text.
        language: The LSP language identifier.
        way_back: The hunks that would restore the text before the last save, or as it was opened.
        earlier: The text before the last few saves, or as it was opened.
        texts: Hashes of earlier texts.
        on_imports: Whether the last change was on an import line.
        typed: The range of the word being typed, if any.
        cursor: The end of the last typed text, if any.
    """

    text: str
    language: str = ""
    way_back: tuple[Hunk, ...] = ()
    earlier: str = ""
    texts: Set[int] = frozenset()
    on_imports: bool = False
    typed: range | None = None
    cursor: int | None = None

    @classmethod
    def of(cls, saves: Sequence[str], language: str) -> "EditContext":
        """Return the context after some saves, the newest of which is the current text."""
        text = saves[-1]
        if len(saves) == 1:
            return cls(text, language)
        before = saves[-2]
        changed = shortest_hunk(before, text).start
        lines = (line_at(one, changed) for one in (before, text))
        on_imports = any(is_import(line, language) for line in lines)
        way_back, texts = diff(text, before), frozenset(map(hash, saves))
        earlier = saves[: -FEW_SAVES - 1 : -1][-1]
        return cls(text, language, way_back, earlier, texts, on_imports)

    def accepts(self, hunk: Hunk) -> bool:
        """Tell whether all filters accept a change."""
        return reason_against(hunk, self) is None


def line_at(text: str, offset: int) -> str:
    """Return the line at an offset, without its end."""
    start, end = line_around(text, offset)
    return text[start:end]


def word_at(text: str, offset: int) -> range:
    """Return the range of the word that contains or touches an offset."""
    start = end = offset
    while start and _WORDS.match(text[start - 1]):
        start -= 1
    while end < len(text) and _WORDS.match(text[end]):
        end += 1
    return range(start, end)


def elements_around(text: str, offsets: Iterable[int]) -> Iterator[set[str]]:
    """Yield what stands between the commas of the brackets around each offset, on its line.

    Without a bracket between two offsets, which ascend, that is the same.
    """
    found: set[str] = set()
    last = 0
    for offset in offsets:
        if not found or _BORDER.search(text, last, offset):
            found = _elements_at(text, offset)
        last = offset
        yield found


def _elements_at(text: str, offset: int) -> set[str]:
    start, end = line_around(text, offset)
    before, after = text[start:offset], text[offset:end]
    inside = _until_bracket(before[::-1], "([{", ")]}")[::-1] + _until_bracket(after, ")]}", "([{")
    return {one.strip() for one in inside.split(",")}


def _until_bracket(text: str, closing: str, opening: str) -> str:
    """Return a text up to the first of these brackets that nothing has opened in it."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += (bracket[0] in opening) - (bracket[0] in closing)
        if depth < 0:
            return text[: bracket.start()]
    return text


def cursor_after(change: Hunk) -> int | None:
    """Return the cursor's offset after a change; None if the change was not an insertion.

    Editors close brackets and quotes automatically, and leave the cursor before the closing one.
    """
    if change.start < change.end or not change.text:
        return None
    return change.start + len(change.text) - (change.text in _PAIRS)


def reason_against(hunk: Hunk, context: EditContext) -> str | None:
    """Return the reason, for the log, why a change is dropped; None if it may be shown."""
    return next((reason for drops, reason in _FILTERS if drops(hunk, context)), None)


def _changes_nothing(hunk: Hunk, context: EditContext) -> bool:
    return context.text[hunk.start : hunk.end] == hunk.text


def _is_white_space(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk changes only white space, and the last save changed more.

    Even those who are changing white space want none on an empty line.
    """
    if not _is_blank(hunk, context.text):
        return False
    if context.way_back and all(_is_blank(one, context.text) for one in context.way_back):
        return _pads_empty_line(hunk, context.text)
    return True


def _pads_empty_line(hunk: Hunk, text: str) -> bool:
    is_on_one = "\n" not in text[hunk.start : hunk.end] + hunk.text
    return is_on_one and bool(hunk.text) and not line_at(text, hunk.start).strip()


def _is_blank(hunk: Hunk, text: str) -> bool:
    return text[hunk.start : hunk.end].split() == hunk.text.split()


def _moves_comment_marks(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk only comments code out, or in again.

    People do that while they try something, and only they know at which lines.
    """
    if _WORDS.findall(context.text[hunk.start : hunk.end]) != _WORDS.findall(hunk.text):
        return False  # most hunks; lines may be long
    marks = _HASHES if context.language in _WITH_HASHES else _SLASHES
    start, end = line_around(context.text, hunk.start, hunk.end)
    before = context.text[start:end]
    after = hunk.shifted(-start).apply(before)
    kept, kept_now = (marks.sub("", one).split() for one in (before, after))
    return kept == kept_now and before.split() != after.split()


def _is_about_imports(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk does only what tools do to imports by themselves."""
    text, language = context.text, context.language
    if context.on_imports or not touches_only_imports(text, hunk, language):
        return False
    return not follows_code(text, hunk, language, context.earlier)


def _undoes(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk only puts back what the last save replaced."""
    if _core(hunk, context.text) in {_core(one, context.text) for one in context.way_back}:
        return True
    return hunk.apply(context.text) == apply_hunks(context.text, context.way_back)


def _brings_back(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk makes the text one that stood here before, alone or with more words.

    Such as `amount` that was just renamed `price` and would become `amount * 2`.
    """
    if hash(hunk.apply(context.text)) in context.texts:
        return True
    words = list(islice(_WORDS.finditer(hunk.text), _MOST_WORDS)) if hunk.start < hunk.end else []
    parts = {hunk.text[: one.end()] for one in words} | {hunk.text[one.start() :] for one in words}
    parts.discard(context.text[hunk.start : hunk.end])  # it stands here now
    return any(hash(replace(hunk, text=one).apply(context.text)) in context.texts for one in parts)


def _copies_typed(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk copies a word or a line that is being typed, and may be incomplete."""
    if context.cursor is not None and _copies_line(hunk, context.text, context.cursor):
        return True
    if not context.typed:
        return False
    start, end = context.typed.start, context.typed.stop
    is_elsewhere = hunk.end < start or end < hunk.start
    return is_elsewhere and context.text[start:end] in _WORDS.findall(hunk.text)


def _copies_line(hunk: Hunk, text: str, cursor: int) -> bool:
    """Tell whether a hunk inserts, elsewhere, the line that was typed last."""
    if "\n" not in hunk.text or not hunk.start == hunk.end != cursor:
        return False
    last = cursor
    while last and not text[last - 1].isalnum():
        last -= 1
    return last > 0 and line_at(text, last).strip() in map(str.strip, hunk.text.split("\n"))


def _breaks(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a change breaks code which can be parsed.

    What goes on with the line at the cursor may, while that line is not written to its end. Where
    brackets are closed behind the cursor, only what opens one itself may.
    """
    if hunk.start == hunk.end == context.cursor:
        rest = context.text[hunk.start : line_around(context.text, hunk.start)[1]]
        if not rest.strip(_CLOSERS) and (not rest.strip() or unmatched(hunk.text)[1]):
            return False
    return breaking.breaks(context.text, hunk, context.language)


def _spoils_comment(hunk: Hunk, context: EditContext) -> bool:
    return breaking.spoils_comment(context.text, _core(hunk, context.text), context.language)


def _leaves_placeholders(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a change makes a plain string of one that has values in it."""
    core = _core(hunk, context.text)
    mark = context.text[core.start : core.end].lower()
    is_gone = mark == _MARKS.get(context.language) and not core.text
    return is_gone and _WITH_VALUES.match(context.text, core.end) is not None


def _imports_again(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether an import that the last save removed would be back."""
    if not context.way_back:
        return False
    now = set(context.text.split("\n"))
    gone = set(apply_hunks(context.text, context.way_back).split("\n")) - now
    back = set(hunk.apply(context.text).split("\n")) & gone
    return any(is_import(line, context.language) for line in back)


def _joins_words(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether an insertion at the cursor ends in a word, and the next word follows at once."""
    is_at_cursor = hunk.start == hunk.end == context.cursor
    last, first = hunk.text[-1:], context.text[hunk.end : hunk.end + 1]
    return is_at_cursor and last.isalnum() and bool(_WORDS.match(first))


def _glues_number(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk puts a word right behind a number."""
    new = {*_GLUED.findall(hunk.text)}
    return bool(new) and new.isdisjoint(_GLUED.findall(context.text, hunk.start, hunk.end))


def _closes_again(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether an insertion at the cursor closes a bracket that nothing has opened."""
    return hunk.start == hunk.end == context.cursor and closes_more(hunk, context.text)


def closes_more(insertion: Hunk, text: str) -> bool:
    """Tell whether more brackets around an insertion are closed but not opened than without it.

    The text need not be one that can be parsed yet; once typed along, the rest would break it.
    """
    if not unmatched(insertion.text)[0]:
        return False
    before = text[max(0, insertion.start - _AROUND) : insertion.start]
    after = text[insertion.end : insertion.end + _AROUND]
    closed = unmatched(before + insertion.text + after)[0]
    return len(closed) > len(unmatched(before + after)[0])


def _wraps_again(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk puts something into the brackets that it is in already."""
    core = _core(hunk, context.text)
    old = context.text[core.start : core.end]
    if not old.strip() or old not in core.text:
        return False
    before, _, behind = core.text.partition(old)
    is_inside = bool(before) and context.text.endswith(before, 0, core.start)
    return is_inside and bool(unmatched(behind)[0])


def _wraps_no_error(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk makes Go wrap, by `%w`, what is no error or where that means nothing."""
    if context.language != "go" or "w" not in hunk.text:
        return False
    after = hunk.apply(context.text)
    call = _FORMATTED.search(line_at(after, hunk.start)[:_LONGEST_LINE])
    if call is None or after.count("%w") == context.text.count("%w"):
        return False
    verbs = [one for one in _VERB.findall(call["format"]) if one != "%"]
    given = _ARGUMENT.findall(call["given"])
    wrapped = (one for verb, one in zip(verbs, given, strict=False) if verb == "w")
    return call["name"] != "Errorf" or not all("err" in one.lower() for one in wrapped)


def _asks_other_module(hunk: Hunk, context: EditContext) -> bool:
    """Tell whether a hunk makes `pytest.TestCase` of `unittest.TestCase`."""
    text = hunk.apply(context.text) if context.language == "python" else ""
    return bool(_NO_MEMBER.search(line_at(text, hunk.start)[:_LONGEST_LINE]))


def unmatched(text: str) -> tuple[str, str]:
    """Return the brackets that a text closes without opening them, and opens without closing."""
    closed, opened = "", ""
    for sign in text:
        if sign in _CLOSING.values():
            opened += sign
        elif sign in _CLOSING:
            if opened.endswith(_CLOSING[sign]):
                opened = opened[:-1]
            else:
                closed += sign
    return closed, opened


def _core(hunk: Hunk, text: str) -> Hunk:
    """Cut off the ends of a hunk that stay as they are."""
    return shortest_hunk(text[hunk.start : hunk.end], hunk.text, hunk.start)


#: Whether to drop a change, and why.
_FILTERS: tuple[tuple[Callable[[Hunk, EditContext], bool], str], ...] = (
    (_changes_nothing, "changes nothing"),
    (_is_white_space, "changes only white space"),
    (_moves_comment_marks, "changes only marks of comments"),
    (_is_about_imports, "changes only imports"),
    (_undoes, "undoes the last save"),
    (_brings_back, "undoes an edit"),
    (_copies_typed, "copies what is being typed"),
    (_breaks, "breaks what can be parsed"),
    (_spoils_comment, "spoils a comment"),
    (_leaves_placeholders, "leaves placeholders without their values"),
    (_imports_again, "imports again what the last save removed"),
    (_joins_words, "joins what is typed to the next word"),
    (_glues_number, "puts a word right behind a number"),
    (_closes_again, "closes a bracket again"),
    (_wraps_again, "wraps what is wrapped already"),
    (_wraps_no_error, "wraps what is no error"),
    (_asks_other_module, "asks a module for what another one has"),
)
