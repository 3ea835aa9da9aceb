"""Rewrites of code within what is rewritten: `os.path.join(a, os.path.basename(b))`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editcast_model.consequences.changes import Consequence
from editcast_model.diff import Hunk, shortest_hunk

_OPENING, _CLOSING = "([{", ")]}"
_BEFORE, _BEHIND = _OPENING + ",", _CLOSING + ","


def with_inner(
    text: str, found: Sequence[Consequence], inner: Consequence
) -> Iterator[Consequence]:
    """Yield consequences, of which a rewrite makes another one as well if that lies within it."""
    for one in found:
        is_outer = one.hunk.end - one.hunk.start >= inner.hunk.end - inner.hunk.start
        wider = composed(text, one, inner) if is_outer else composed(text, inner, one)
        wider = one if wider is inner else wider
        others = (each.hunk for each in found if each is not one)
        is_free = all(
            each.end <= wider.hunk.start or wider.hunk.end <= each.start for each in others
        )
        yield wider if is_free else one


def composed(text: str, outer: Consequence, inner: Consequence) -> Consequence:
    """Return a rewrite that makes another one as well, where it keeps the code of that one.

    Args:
        text: The text of both.
        outer: The rewrite.
        inner: The other one. Unless it lies within the first one, that stays as it is.
    """
    if outer.kind != "rewrite":
        return outer
    hunk = _widened(text, outer.hunk, inner.hunk)
    old = text[inner.hunk.start : inner.hunk.end]
    at = hunk.text.find(old) if old else -1
    is_within = hunk.start <= inner.hunk.start and inner.hunk.end <= hunk.end
    if at < 0 or not is_within or hunk.text.count(old) > 1 or old == text[hunk.start : hunk.end]:
        return outer
    before, behind = hunk.text[:at].rstrip(), hunk.text[at + len(old) :].lstrip()
    is_enclosed = before.endswith(tuple(_BEFORE)) and behind.startswith(tuple(_BEHIND))
    if not is_enclosed and " " in _outside_brackets(inner.hunk.text):
        return outer  # an operator beside it could take it apart
    new = hunk.text[:at] + inner.hunk.text + hunk.text[at + len(old) :]
    return replace(outer, hunk=shortest_hunk(text[hunk.start : hunk.end], new, hunk.start))


def _widened(text: str, hunk: Hunk, other: Hunk) -> Hunk:
    """Return a hunk that reaches as far as another one that it touches.

    With the brackets behind both: one of them may be that of another bracket by now.
    """
    if hunk.end <= other.start or other.end <= hunk.start:
        return hunk
    start, end = min(hunk.start, other.start), max(hunk.end, other.end)
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return Hunk(start, end, text[start : hunk.start] + hunk.text + text[hunk.end : end])


def _outside_brackets(code: str) -> str:
    """Return what code has outside of its brackets."""
    depth, out = 0, []
    for sign in code:
        depth -= sign in _CLOSING
        if depth <= 0:
            out.append(sign)
        depth += sign in _OPENING
    return "".join(out)
