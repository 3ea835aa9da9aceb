"""The forms that one word has in different kinds of names: `page_size`, `pageSize`, `PAGE_SIZE`."""

import re
from collections.abc import Sequence
from functools import lru_cache

#: The beginning of a part of a word, and the end of one.
_PART_START = r"(?:(?<![^\W_])|(?<=[a-z0-9])(?=[A-Z]))"
_PART_END = r"(?:(?![^\W_])|(?<=[a-z0-9])(?=[A-Z]))"
_PART = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")
_SQL = re.compile(r"\b(CREATE\s+TABLE|INSERT\s+INTO|SELECT\b.*\bFROM)\b", re.IGNORECASE | re.DOTALL)


def has(text: str, name: str, *, within: bool = False) -> bool:
    """Tell whether a text has a word, in any of its forms; perhaps as a part of another word."""
    return bool(name) and forms(name, within=within).search(text) is not None


@lru_cache(1000)
def forms(name: str, *, within: bool = False) -> re.Pattern[str]:
    """Return an expression for a word as each kind of name writes it.

    Args:
        name: The word, in any of its forms.
        within: Whether it may be a part of another word, such as `City` of `getCity`, or a plural.
    """
    written = sorted(written_forms(name), key=len, reverse=True)
    words = "|".join(map(re.escape, written))
    if within:
        return re.compile(rf"{_PART_START}({words})(s?){_PART_END}")
    return re.compile(rf"(?<!\w)(?<!\w\$)({words})(?![\w$])()")


@lru_cache(1000)
def written_forms(name: str) -> frozenset[str]:
    """Return a word as each kind of name writes it."""
    return frozenset({style(parts_of(name)) for style in _STYLES} | {name})


def renamed(text: str, old: str, new: str, *, within: bool = False) -> str:
    """Put one word in the place of another, each time in the form that the other has there."""

    def form(found: re.Match[str]) -> str:
        word, plural = found.groups()
        if word == old:
            return new + plural
        style = next(each for each in _STYLES if each(parts_of(old)) == word)
        return style(parts_of(new)) + plural

    return forms(old, within=within).sub(form, text) if old else text


def nameless(text: str, *names: str, within: bool = False) -> list[str]:
    """Return the words of a text without some names, to compare it with what has others."""
    for name in names:
        text = renamed(text, name, "", within=within)
    return text.split()


def as_in(text: str, names: Sequence[str], new: str) -> str | None:
    """Write a name as a text writes others of several parts; None where it has none of them."""
    for name in names:
        found = forms(name).search(text) if len(parts_of(name)) > 1 else None
        if found is not None:
            return renamed(found[0], name, new)
    return None


def as_column(name: str, text: str) -> str:
    """Write the name of a field as SQL does, if a text is SQL: it makes nothing of capitals."""
    return "_".join(parts_of(name)) if name[:1].islower() and _SQL.search(text) else name


def as_beside(entry: str, name: str, others: Sequence[str], text: str) -> str:
    """Write a name of several parts at each place of an entry as its list writes others there.

    Such as the keys and the values of `createdAt: row.created_at`. Where no other one tells, a
    string that begins with a capital letter is for people to read.
    """
    places = list(forms(name).finditer(entry)) if len(parts_of(name)) > 1 else []
    several = [one for one in others if len(parts_of(one)) > 1]
    found = ((one, [*forms(one).finditer(text)]) for one in several)
    like, row = next((each for each in found if len(each[1]) == len(places)), ("", []))
    for at, place in reversed([*enumerate(places)]):
        written = place[0]
        if like:
            words, old = (" ".join(parts_of(one)) for one in (name, like))
            is_usual = row[at][0] == like in written_forms(old) and name in written_forms(words)
            written = renamed(row[at][0], old if is_usual else like, name)
        elif written == _pascal(parts_of(name)) and _is_quoted(entry, place):
            written = _sentence(parts_of(name))
        entry = entry[: place.start()] + written + entry[place.end() :]
    return entry


def _is_quoted(text: str, found: re.Match[str]) -> bool:
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    return before == after and before in ('"', "'", "`")


def differing(one: str, other: str) -> tuple[str, str]:
    """Return what two names have between the parts that both begin and end with.

    `SearchPage` and `InboxPage` have `Search` and `Inbox`, `StatusDelivered` and `StatusReturned`
    have `Delivered` and `Returned`. Empty where no part is the same.
    """
    mine, theirs = list(_PART.finditer(one)), list(_PART.finditer(other))
    most = min(len(mine), len(theirs)) - 1
    start = 0
    while start < most and mine[start][0] == theirs[start][0]:
        start += 1
    end = 0
    while end < most - start and mine[-1 - end][0] == theirs[-1 - end][0]:
        end += 1
    if not start + end:
        return "", ""
    return (
        one[mine[start].start() : mine[-1 - end].end()],
        other[theirs[start].start() : theirs[-1 - end].end()],
    )


@lru_cache(1000)
def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a name in small letters, without what separates them."""
    return tuple(part.lower() for part in _PART.findall(name)) or (name,)


def in_camel_case(name: str) -> str:
    """Write a name as most languages write members."""
    return _camel(parts_of(name))


def _camel(parts: Sequence[str]) -> str:
    return parts[0] + "".join(part.capitalize() for part in parts[1:])


def _pascal(parts: Sequence[str]) -> str:
    return "".join(part.capitalize() for part in parts)


def _sentence(parts: Sequence[str]) -> str:
    return " ".join(parts).capitalize()


#: The forms of a name, made from its lower-case parts.
_STYLES = (
    "_".join,
    lambda parts: "_".join(parts).upper(),
    _camel,
    _pascal,
    "-".join,
    " ".join,
    _sentence,
    *(lambda parts, verb=verb: verb + _pascal(parts) for verb in ("get", "is", "set")),
)
