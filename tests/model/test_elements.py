"""Elements of brackets."""

import pytest

from editcast_model.diff import Hunk
from editcast_model.forecasting.elements import adds_again


@pytest.mark.parametrize(
    ("marked", "added", "is_again"),
    [
        ("money(order.total| / lines.length, currency)", ", currency", True),
        ("money(order.total| / lines.length)", ", currency", False),
        ("one(ctx context.Context, |url string)", "ctx, ", True),
        ("money(amount|, currency: string)", ", currency", True),
        ("money(amount|, currency: string)", ", currency: string", True),
        ("wait(|ctx.Done())", "ctx, ", False),
        ("text(size(line|), currency)", ", currency", False),
        ("text(size(currency), line|)", ", currency", False),
        ("rows = [(1, 'a'), (2, 'b'|)]", ", 'b'", True),
        ("rows = [(1, 'a'), (2|)]", ", 'a'", False),
        ("key, value|, line = parse(lines)", ", line", False),
        ("call(a|, b)", ", b, c", False),
        ("call(a|, b)", "b", False),
        ("call(a|, b", ", b", False),
    ],
)
def test_what_is_there_is_added_again(marked: str, added: str, is_again: bool) -> None:
    at = marked.index("|")
    assert adds_again(marked.replace("|", ""), Hunk(at, at, added)) is is_again


def test_what_replaces_adds_nothing() -> None:
    assert not adds_again("call(a, b)", Hunk(5, 6, "a, b"))
