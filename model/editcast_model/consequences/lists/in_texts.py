"""Missing entries of lists inside strings: columns of a query, or of a table with their types.

An entry consists of a name and the text that also follows the names of its neighbours. A column
of an INSERT statement comes with its placeholder.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import (
    AS_COLUMNS,
    COLUMN,
    LONGEST,
    Beside,
    Entry,
    among,
)
from editcast_model.consequences.lists.schema import lacking_in_tables
from editcast_model.consequences.lists.word_forms import (
    as_column,
    as_in,
    forms,
    has,
    in_camel_case,
    renamed,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree

_TABLE = re.compile(r"CREATE\s+TABLE", re.IGNORECASE)
_LONGEST = 100  # code points before a name in which the one before it is looked for
_TEXT = re.compile("string|template|fragment|content")
#: The text after a name, and between two names: a separator and an optional qualifier.
_BETWEEN = r"\s*[,;]\s*(?:\w+(?:\.|::))?"
_REST = re.compile(rf"(?P<rest>[^,;()\n\"'`]*?)(?P<separator>{_BETWEEN})")
_BEFORE = re.compile(rf"(\w+){_BETWEEN}$")
#: Numbers of placeholders.
_NUMBER = re.compile(r"(?<=\$)\d+")
#: What follows the last entry.
_END = re.compile(r"[ \t\r]*(?:[)\n\"'`]|$)|\s+WHERE\b")
_INTO = re.compile(r"\bINTO\s+[\w.\"`\[\]]+\s*\(\s*$", re.IGNORECASE)
#: A statement, which may go on in a string that follows.
_INSERT = re.compile(
    r"\((?P<columns>[^()]*)\)\s*(?:[\"'`]\s*[+.]?\s*[\"'`]\s*)?VALUES\s*\((?P<values>[^()]*)\)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\?|%s|\$(?P<number>\d+)|[:@](?P<name>\w+)|\$\{(?:\w+\.)*(?P<field>\w+)\}"
)
#: What a list of columns is called whose string begins behind it.
_CALLED = re.compile(r"(\w+)\s*:?=\s*[\"'`]$")
#: Columns or named placeholders.
_COLUMN = r"[:@]?(?:\w+\.)?\w+"
_COLUMNS = re.compile(rf"{_COLUMN}(?:\s*,\s*{_COLUMN}){{2,}}")
_CLAUSE = re.compile(r"\b(?:SELECT|FROM|WHERE|VALUES|SET|RETURNING)\b", re.IGNORECASE)
_FEW = 3  # names of a list of which two say that all are meant
_REACH = 2000  # characters around a change in which its statement is looked for


def lacking_in_texts(tree: Tree, added: Entry) -> Iterator[Consequence]:
    """Return the entries that lists inside strings lack after an entry was added to a list."""
    tables = list(lacking_in_tables(tree.text, added)) if _TABLE.search(tree.text) else []
    yield from (Consequence(one, "add_entry_in_text", cause=added.cause) for one in tables)
    without_later = [replace(added, after="")] if added.after else []
    for one in (added, *without_later):
        for first, between, second in one.neighbours_in(tree.text, _REST):
            listed = _text_at(tree, first.start())
            clause = _clause(tree.text, listed, first.start())
            is_due = listed and one.is_known_at(first.start()) and not has(clause, one.name)
            if one is not added:  # an INSERT statement may leave out the later columns
                has_later = any(has(listed, each) for each in added.later)
                is_due = is_due and not has_later and _INSERT.search(listed) is not None
            hunk = _inserted(tree.text, one, listed, (first, between, second)) if is_due else None
            if hunk is not None and not (tables and _TABLE.search(listed)):
                column = _renumbered(tree.text, with_column(tree.text, hunk), listed)
                yield Consequence(column, "add_entry_in_text", cause=added.cause)


def _inserted(text: str, added: Entry, listed: str, beside: Beside) -> Hunk | None:
    """Return the insertion of an entry between two others of a string or after both, or None."""
    one, between, other = beside
    first, second = added.neighbours

    def rest_of(name: str, place: int) -> str:
        rest = renamed(between["rest"], first, name)
        return _NUMBER.sub(lambda found: str(int(found[0]) + place), rest)

    name = as_in(listed, added.others, added.name)
    name = name or as_column(renamed(one[0], first, added.name), listed)
    rest, of_second = rest_of(added.name, 1 if added.after else 2), rest_of(second, 1)
    is_alike = text.startswith(of_second, other.end())
    if rest and not (is_alike and _is_of_type(listed, between["rest"], added)):
        return None
    end, separator = other.end() + len(of_second), between["separator"]
    if added.after:
        at = other.start()
        return Hunk(at, at, name + rest + separator)
    is_last = _END.match(text, end) if rest else _ends_list(text, one.start(), end, added)
    return Hunk(end, end, separator + name + rest) if is_last else None


def _clause(text: str, listed: str, place: int) -> str:
    """Return the clause of a statement around a place of it: others have lists of their own."""
    start = text.find(listed, max(0, place - len(listed)))
    marks = [0, *(one.start() for one in _CLAUSE.finditer(listed)), len(listed)]
    low = max((one for one in marks if start + one <= place), default=0)
    high = min((one for one in marks if start + one > place), default=0)
    return listed[low:high]


def _renumbered(text: str, hunk: Hunk, listed: str) -> Hunk:
    """Count on from an inserted placeholder in the rest of a string, where its number is taken."""
    new = _NUMBER.search(hunk.text) if hunk.start == hunk.end else None
    end = text.find(listed, max(0, hunk.start - len(listed))) + len(listed)
    first = int(new[0]) if new else 0
    later = [one for one in _NUMBER.finditer(text, hunk.end, end) if int(one[0]) >= first]
    if first not in [int(one[0]) for one in later]:
        return hunk
    last = later[-1].end()

    def following(found: re.Match[str]) -> str:
        return str(int(found[0]) + (int(found[0]) >= first))

    return Hunk(hunk.start, last, hunk.text + _NUMBER.sub(following, text[hunk.end : last]))


def _is_of_type(listed: str, rest: str, added: Entry) -> bool:
    """Tell whether the text after a name is a value, or the type of the added entry."""
    written = forms(added.alike).pattern + re.escape(rest)
    is_typed = bool(added.alike) and re.search(written, listed) is not None
    return is_typed or "=" in rest


def _text_at(tree: Tree, offset: int) -> str:
    """Return the string at an offset, or the arguments of a Rust macro; empty for other code."""
    around = tree.path(offset)[-2:]
    if _TEXT.search(around[-1].type):
        return tree.of(around[-1].node)
    given = tree.of(around[0].node) if around[0].type == "token_tree" else ""
    return given if '"' not in given else ""


def _ends_list(text: str, start: int, end: int, added: Entry) -> bool:
    """Tell whether these two end a list that has at least three names of the other list.

    Or are the columns of an INSERT statement, which may leave out a number that is generated.
    """
    if text[end:].lstrip(" \t").startswith((",", ";")):
        return False
    low = max(0, start - _LONGEST)
    if len(added.others) <= _FEW and _INTO.search(text[low:start]):
        return True
    before = _BEFORE.search(text, low, start)
    return before is not None and any(has(before[1], name) for name in added.others)


def after_column(change: Change) -> Iterator[Consequence]:
    """Return the placeholders that are lacking once a column was added to an INSERT statement."""
    text = change.after.tree.text
    for _, start, end in change.finished():
        low, high = max(0, start - _REACH), end + _REACH
        for found in _INSERT.finditer(text, low, high):
            is_within = found.start("columns") <= start and end <= found.end("columns")
            hunk = _with_placeholder(found, found["columns"].split(",")) if is_within else None
            if hunk is not None:
                yield Consequence(hunk, "add_sql_value")
    for _, columns, name in _added_to_columns(change):
        constant = rf"\b{name}\b\W{{1,8}}VALUES\s*\((?P<values>[^()]*)\)"
        for found in re.finditer(constant, text, re.IGNORECASE) if name else ():
            if hunk := _with_placeholder(found, columns):
                yield Consequence(hunk, "add_sql_value")


def added_columns(change: Change) -> Iterator[Entry]:
    """Return the columns that a change added to queries, as entries of lists."""
    return (_column_at(change.after, columns, at) for at, columns, _ in _added_to_columns(change))


def _added_to_columns(change: Change) -> Iterator[tuple[int, list[str], str]]:
    """Yield where a column was added to a list of columns, with these and its name."""
    tree = change.after.tree
    for _, start, end in change.finished():
        if start == end or end - start > LONGEST or not _text_at(tree, start):
            continue
        for found in _COLUMNS.finditer(tree.text, max(0, start - _REACH), end + _REACH):
            low, high = start - found.start(), end - found.start()
            if 0 <= low and high <= len(found[0]):
                was, now = map(_columns, (found[0][:low] + found[0][high:], found[0]))
                new = [at for at, one in enumerate(now) if one not in was]
                if len(new) == 1 == len(now) - len(was) and new[0]:
                    called = _CALLED.search(
                        tree.text, max(0, found.start() - _LONGEST), found.start()
                    )
                    yield new[0], now, called[1] if called else ""


def _columns(listed: str) -> list[str]:
    return [one.strip(" \t\r\n:@").rpartition(".")[2] for one in listed.split(",")]


def _column_at(names: Names, columns: list[str], at: int) -> Entry:
    """Return a column as an entry, with its name as the code would write it."""
    name, camel = columns[at], in_camel_case(columns[at])
    is_camel = not names.of(name) and names.tree.language not in AS_COLUMNS
    name = camel if names.of(camel) or is_camel else name
    listed = [*columns[:at], name, *columns[at + 1 :]]
    return Entry(*among(listed, at), name, columns[at - 1], (False, False), kind=COLUMN)


def with_column(text: str, column: Hunk) -> Hunk:
    """Return the insertion of a column of an INSERT statement together with its placeholder."""
    low = max(0, column.start - _REACH)
    new = text[low : column.start] + column.text + text[column.end : column.end + _REACH]
    for found in _INSERT.finditer(new):
        if found.start("columns") <= column.start - low <= found.end("columns"):
            added = _with_placeholder(found, found["columns"].split(","))
            if added is not None:
                end = added.start + low - column.growth
                between = text[column.end : end]
                return Hunk(column.start, end, column.text + between + added.text)
    return column


def _with_placeholder(found: re.Match[str], columns: list[str]) -> Hunk | None:
    """Return the placeholder of the one column that has none; None where it is not known which."""
    columns, values = [each.strip() for each in columns], found["values"].split(",")
    kinds = [kind for each in values if (kind := _PLACEHOLDER.fullmatch(each.strip()))]
    if not len(columns) - 1 == len(values) == len(kinds):
        return None
    names, last = [one["name"] or one["field"] for one in kinds], kinds[-1]
    at = len(values)
    if any(names):
        at = next((at for at, name in enumerate(names) if not has(name or "", columns[at])), at)
    written = last[0]
    if last["number"]:
        written = f"${int(last['number']) + 1}"
    elif last["field"]:
        written = renamed(values[at - 1].strip(), columns[at - 1], columns[at])
    elif any(names):
        known = zip((*columns[:at], *columns[at + 1 :]), names, strict=True)
        column, name = next((one for one in known if "_" in one[0]), ("", ""))
        new = renamed(name, column, columns[at]) if column else columns[at]
        written = written.replace(names[-1], new)
    if at < len(values):
        start = found.start("values") + sum(len(each) + 1 for each in values[:at])
        lead = len(values[at]) - len(values[at].lstrip())
        return Hunk(start + lead, start + lead, f"{written},{values[at][:lead] or ' '}")
    lead = len(values[-1]) - len(values[-1].lstrip())
    end = found.start("values") + len(found["values"].rstrip())
    return Hunk(end, end, f",{values[-1][:lead] or ' '}{written}")
