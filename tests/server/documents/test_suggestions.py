"""A suggestion's life while the user types, and its title: as tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.buffer import Units
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion
from editcast_server.lsp.convert import insertion_at, title_of


def suggestion(text: str, hunk: Hunk) -> Suggestion:
    return Suggestion.of(Prediction(hunk, -0.5, 0.934, 2), text, "7")


# The text with what is suggested in brackets: [old|new]; the texts as the user types, and whether
# the suggestion is still there.
KEYSTROKES = [
    ("f([|x, y])", ["f(x)", "f(x,)", "f(x, )", "f(x, y)"], [1, 1, 1, 0]),
    ("f([|x, y])", ["f(z)"], [0]),
    ("f([|x, y])", ["f(x)", "f(xy)", "f(x)"], [1, 1, 0]),  # going back is something else
    ("a [old|new] b", ["a old b c"], [0]),  # elsewhere
    ("a [old|new] b", ["a n b", "a ne b", "a new b"], [1, 1, 0]),
    ("a [old|new] b", ["a ol b", "a o b", "a  b", "a n b"], [1, 1, 1, 1]),
    ("a [old|new] b", ["a bold b"], [0]),
    ("a[ b c|] d", ["a c d", "a d"], [1, 0]),
    ("a[ b c|] d", ["a  d", "a x d"], [1, 0]),
    ("f([|(x)])", ["f(())", "f((x))"], [1, 0]),  # the editor closed the bracket itself
]


def parse(marked: str) -> tuple[str, tuple[Hunk, ...]]:
    text, hunks = "", []
    while "[" in marked:
        before, _, rest = marked.partition("[")
        inside, _, marked = rest.partition("]")
        old, _, new = inside.partition("|")
        text += before
        hunks.append(Hunk(len(text), len(text) + len(old), new))
        text += old
    return text + marked, tuple(hunks)


@pytest.mark.parametrize(("marked", "texts", "there"), KEYSTROKES)
def test_typing_along(marked: str, texts: list[str], there: list[int]) -> None:
    text, (hunk,) = parse(marked)
    first = suggestion(text, hunk)
    shown: Suggestion | None = first
    wanted = hunk.apply(text)
    for after, expected in zip(texts, there, strict=True):
        if shown:
            shown = shown.typed(shortest_hunk(text, after), after)
        assert bool(shown) == bool(expected), after
        if shown:
            assert shown.id == "7"
            assert shown.hunk.apply(after) == wanted
            assert shown.place.old == after[shown.hunk.start : shown.hunk.end]
        assert first.results[0].is_in(after) == (after == wanted)
        text = after


# All places, the change in offsets of the text, and how many places are left: of the second one.
CHANGES = [
    ("f([old|new]) + [old|new] + [old|new]", Hunk(9, 12, "ne"), 3),  # its own, half
    ("f([old|new]) + [old|new] + [old|new]", Hunk(2, 5, "new"), 2),  # the first
    ("f([old|new]) + [old|new] + [old|new]", Hunk(15, 18, "new"), 2),
    ("f([old|new]) + [old|new] + [old|new]", Hunk(15, 18, "ne"), None),
    ("f([old|new]) + [old|new] + [old|new]", Hunk(6, 6, "x"), None),
    ("f([old|new]) + [old|new]", Hunk(2, 5, "new"), 0),
    ("f([a, |]b) + g([a, |]b) + h([a, |]b)", Hunk(2, 5, ""), 2),
    ("f(b[|, c]) + g(b[|, c]) + h(b[|, c])", Hunk(17, 17, ", c"), 2),
]


@pytest.mark.parametrize(("marked", "change", "left"), CHANGES)
def test_the_places_that_are_left(marked: str, change: Hunk, left: int | None) -> None:
    text, places = parse(marked)
    shown = Suggestion.of(Prediction(places[1], -0.5, 0.9, 1, places), text, "7")
    after = apply_hunks(text, [change])
    rest = shown.typed(change, after)
    if left is None:
        assert rest is None
        return
    assert rest and rest.id == "7"
    assert len(rest.everywhere) == left
    assert not left or rest.hunk in rest.everywhere
    whole = apply_hunks(text, places)
    assert apply_hunks(after, rest.everywhere or [rest.hunk]) == whole
    assert rest.results[0].is_in(whole)
    # Taken here alone, it is recognised too.
    assert rest.results[-1].is_in(rest.hunk.apply(after))


@pytest.mark.parametrize(
    ("text", "hunk", "keys", "is_sure"),
    [
        ("catch (e{", Hunk(8, 8, "rr) {"), "rr) ", False),  # the line had its bracket all along
        ("catch (e", Hunk(8, 8, "rr) {"), "rr) ", True),
        ("import { B } from 'b'", Hunk(9, 9, "A, B } from 'a'"), "A, ", False),
        ("import { C } from 'b'", Hunk(9, 9, "A, B } from 'a'"), "A, ", True),
    ],
)
def test_a_rest_that_may_be_there_is_predicted_again(
    text: str, hunk: Hunk, keys: str, is_sure: bool
) -> None:
    document = Document("file:///a.ts", "typescript", 1, text, Units.of("utf-16"))
    document.suggestions = (suggestion(text, hunk),)
    for index, key in enumerate(keys):
        at = types.Position(0, hunk.start + index)
        document.change(
            2 + index, [types.TextDocumentContentChangePartial(types.Range(at, at), key)]
        )
    assert document.suggestions and document.has(1) is is_sure


@pytest.mark.parametrize(
    ("marked", "title"),
    [
        ("a\n[foo|bar]()\n", "Next edit, line 2: `foo` -> `bar` (93 %)"),
        ("f(x[|, y])", "Next edit, line 1: insert `, y` (93 %)"),
        ("f(x[, y|])", "Next edit, line 1: delete `, y` (93 %)"),
        ("f(time[|out_ms])", "Next edit, line 1: `time` -> `timeout_ms` (93 %)"),
        ("get[|_all](x)", "Next edit, line 1: `get` -> `get_all` (93 %)"),
        ("x = b[ytes_of(b|]ody", "Next edit, line 1: `bytes_of(body` -> `body` (93 %)"),
        ("x = get[_all|]()", "Next edit, line 1: `get_all` -> `get` (93 %)"),
        ("x = [|un]done", "Next edit, line 1: `done` -> `undone` (93 %)"),
        ("[|await ]done", "Next edit, line 1: insert `await` (93 %)"),
        (f"{'a' * 40}[|s]", "Next edit, line 1: insert `s` (93 %)"),
        ("a\n[|\n\n]b", "Next edit, line 2: insert `⏎` (93 %)"),
        ("[|if x:\n    y()\n]", "Next edit, line 1: insert `if x: ⏎ y()` (93 %)"),
        (
            f"[{'long_name' * 9}|x]",
            "Next edit, line 1: `long_namelong_namel…elong_namelong_name` -> `x` (93 %)",
        ),
    ],
)
def test_titles(marked: str, title: str) -> None:
    text, (hunk,) = parse(marked)
    assert title_of(suggestion(text, hunk)) == title


@pytest.mark.parametrize(
    ("marked", "cursor", "inserted"),
    [
        ("f(x[|, y])", 3, ", y"),
        ("f(x[|, y])", 2, None),
        ("f([x|x, y])", 3, ", y"),  # a replacement that only adds
        ("f([x|y, x])", 2, "y, "),
        ("f([x|y])", 2, None),
        ("f([x|])", 2, None),
        ("a\n[|b\n]b\n", 4, "b\n"),  # reads the same one line below
        ("a\n[|b\n]b\n", 5, None),
        ("a\n[|b\n]b\n", 0, None),
    ],
)
def test_what_is_inserted_at_the_cursor(marked: str, cursor: int, inserted: str | None) -> None:
    text, (hunk,) = parse(marked)
    found = insertion_at(hunk, cursor, text)
    assert found == inserted
    if found is not None:
        assert text[:cursor] + found + text[cursor:] == hunk.apply(text)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.booleans(), st.text("ab\n"))
def test_what_a_change_elsewhere_leaves(gaps: list[int], is_above: bool, new: str) -> None:
    text = "".join(f"line {number}\n" for number in range(12))
    a, b, c, d = (sum(gaps[: index + 1]) + 7 * index for index in range(4))
    change, hunk = Hunk(a, b, new), Hunk(c, d, "<>")
    if not is_above:
        change, hunk = Hunk(c, d, new), Hunk(a, b, "<>")
    after = change.apply(text)
    shown = suggestion(text, hunk)
    moved = shown.moved(change, after)
    both = apply_hunks(text, sorted([hunk, change], key=lambda one: one.start))
    assert moved is not None and moved.hunk.apply(after) == both
    assert moved.is_for(after) and moved.results[0].is_in(both)
    assert shown.moved(hunk, hunk.apply(text)) is None


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        (Hunk(9, 12, "breadth"), False),
        (Hunk(9, 12, "breadths"), False),
        (Hunk(9, 12, "bread"), True),  # on the way to it
        (Hunk(9, 12, "broad"), True),
        (Hunk(9, 12, ""), True),
        (Hunk(19, 22, ""), False),  # on the way back
    ],
)
def test_a_word_that_is_typed_on_is_offered_no_longer(change: Hunk, stays: bool) -> None:
    text = "def area(old, breadths):\n    return old\n"
    place = text.rindex("old")
    hunk = Hunk(place, place + 3, "breadth")
    assert (suggestion(text, hunk).moved(change, change.apply(text)) is not None) is stays


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (Hunk(0, 1, "g()"), 3),
        (Hunk(7, 7, " - x"), 3),
        (Hunk(20, 20, " # x"), 3),
        (Hunk(15, 18, "older"), 0),  # one of its places is none any more
        (Hunk(5, 5, "er"), 0),
    ],
)
def test_all_places_move_with_the_text_or_there_are_none(change: Hunk, left: int) -> None:
    text, places = parse("f([old|new]) + [old|new] + [old|new] - y\n")
    shown = Suggestion.of(Prediction(places[1], -0.5, 0.9, 1, places), text, "7")
    after = apply_hunks(text, [change])
    moved = shown.moved(change, after)
    assert moved and len(moved.everywhere) == left
    assert len(moved.results) == 1 + (left > 0)
    if left:
        both = apply_hunks(text, sorted([*places, change], key=lambda one: one.start))
        assert apply_hunks(after, moved.everywhere) == both
        assert moved.results[0].is_in(both)
