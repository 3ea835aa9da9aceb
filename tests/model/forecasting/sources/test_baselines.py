"""The two baselines: what they repeat, where, and how sure they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.interface import Forecaster, Prediction, PredictionOptions
from editcast_model.forecasting.replacements import REMEMBERED, KnownReplacements
from editcast_model.forecasting.sources.repeated_edits import RepeatBest, RepeatLast
from editcast_model.history import EditHistory

BOTH = pytest.mark.parametrize("forecaster", [RepeatLast(), RepeatBest()], ids=lambda f: f.name)

CALLS = """\
first = load(path, mode)
second = load(path, mode)
third = load(other, mode)
"""


def after(forecaster: Forecaster, *texts: str, count: int = 1) -> list[Prediction]:
    """Return what is predicted after opening the first text and saving the others."""
    session = forecaster.resume(EditHistory(texts[0]))
    for text in texts[1:]:
        session.update(text, saved=True)
    return session.predict(count)


def renamed(text: str, times: int = 1) -> str:
    return text.replace("load", "read", times)


@BOTH
def test_nothing_was_replaced_so_nothing_is_predicted(forecaster: Forecaster) -> None:
    assert after(forecaster, CALLS) == []
    assert after(forecaster, CALLS, CALLS) == []
    assert after(forecaster, "", "") == []


@BOTH
def test_the_replacement_is_made_again_at_the_next_place(forecaster: Forecaster) -> None:
    (prediction,) = after(forecaster, CALLS, renamed(CALLS))
    assert prediction.hunk.apply(renamed(CALLS)) == renamed(CALLS, 2)
    assert (prediction.log_probability, prediction.edits) == (0.0, 1)


@BOTH
def test_what_was_typed_since_the_save_counts_until_it_is_typed_over(
    forecaster: Forecaster,
) -> None:
    session = forecaster.resume(EditHistory(CALLS))
    session.update(renamed(CALLS), saved=False)
    (typed,) = session.predict()
    assert typed.hunk.apply(renamed(CALLS)) == renamed(CALLS, 2)
    session.update(CALLS, saved=False)
    assert session.predict() == []


@BOTH
def test_a_cancelled_request_predicts_nothing(forecaster: Forecaster) -> None:
    session = forecaster.resume(EditHistory(CALLS))
    session.update(renamed(CALLS), saved=True)
    assert session.predict(1, PredictionOptions(cancelled=lambda: True)) == []


def test_repeat_last_needs_the_two_tokens_on_both_sides() -> None:
    places = "a.load(x)\nb.load(x)\na.load(y)\na.load(x)\n"
    once = places.replace("load", "read", 1)
    # Two to the left are "a" and "."; two to the right are "(" and "x".
    (prediction,) = after(RepeatLast(), places, once)
    assert prediction.hunk == Hunk(32, 36, "read")


def test_an_element_is_not_repeated_in_its_list_however_long_that_is() -> None:
    before = "x = [" + "foo, bar, " * 20_000 + "]\n"
    after_save = before.replace("foo, ", "foo, baz, ", 1)
    assert after(RepeatBest(), before, after_save) == []


def test_repeat_last_does_not_go_back() -> None:
    last = CALLS.replace("third = load", "third = read")
    assert after(RepeatLast(), CALLS, last) == []


def test_repeat_best_goes_back_when_nothing_is_ahead() -> None:
    last = CALLS.replace("third = load", "third = read")
    (prediction,) = after(RepeatBest(), CALLS, last)
    # Both places behind agree equally well; the nearer one comes first.
    assert prediction.hunk.apply(last) == last.replace("second = load", "second = read")


def test_repeat_best_prefers_the_context_that_agrees_more() -> None:
    places = "f(load, 1)\ng[load] = 2\nf(load, 1)\n"
    once = places.replace("load", "read", 1)
    near, far = places.index("load] "), places.rindex("load")
    best, second = after(RepeatBest(), places, once, count=2)
    assert [p.hunk for p in (best, second)] == [
        Hunk(far, far + 4, "read"),
        Hunk(near, near + 4, "read"),
    ]
    assert best.confidence > second.confidence


def test_ties_go_to_the_nearest_place_ahead() -> None:
    text = "".join(f"({n};load;{n})\n" for n in "abcd")
    once = text.replace("b;load", "b;read")
    order = [p.hunk.apply(once) for p in after(RepeatBest(), text, once, count=3)]
    assert order == [once.replace(f"{n};load", f"{n};read") for n in "cda"]


def test_the_score_counts_context_times_and_words() -> None:
    # One replacement of one word: 2 * 1 made + 2 * 1 word, and the agreeing tokens ";" on each
    # side; behind them the letters differ.
    text = "(a;load;a)\n(b;load;b)\n(c;load;c)\n(d;load;d)\n"
    (first,) = after(RepeatBest(), text, renamed(text))
    assert first.confidence == pytest.approx((2 + 2 + 2) / 26)
    # The same replacement once more counts twice as made.
    (second,) = after(RepeatBest(), text, renamed(text), renamed(text, 2))
    assert second.confidence == pytest.approx((2 + 4 + 2) / 26)


def test_confidence_is_one_at_most() -> None:
    text = "one two three four five six seven eight\n" * 9
    texts = [text.replace("four five six", "x", times) for times in range(6)]
    (prediction,) = after(RepeatBest(), *texts)
    assert prediction.confidence == 1.0


def test_an_insertion_needs_three_tokens_of_context() -> None:
    text = "print(name)\nprint(name)\nshow(name)\nf(x)\n"
    once = text.replace("name", "name, end", 1)
    predictions = after(RepeatBest(), text, once, count=9)
    assert [p.hunk.apply(once) for p in predictions] == [
        text.replace("(name", "(name, end", 2),
        once.replace("show(name", "show(name, end"),
    ]


def test_an_insertion_is_not_made_where_it_stands_already() -> None:
    text = "print(name)\nprint(name, end)\nprint(name)\n"
    once = text.replace("name)", "name, end)", 1)
    (prediction,) = after(RepeatBest(), text, once, count=9)
    assert prediction.hunk.apply(once) == "print(name, end)\n" * 3
    assert after(RepeatBest(), text, "print(name, end)\n" * 3, count=9) == []
    assert after(RepeatLast(), text, once, count=9) == [Prediction(prediction.hunk, 0.0, 0.35, 1)]


def test_a_deletion_is_repeated() -> None:
    text = "log(a)\nrun(a)\nlog(a)\nrun(b)\n"
    once = text.replace("log(a)\n", "", 1)
    (prediction,) = after(RepeatBest(), text, once)
    assert prediction.hunk.apply(once) == "run(a)\nrun(b)\n"


def test_a_replacement_is_of_whole_tokens() -> None:
    text = "load()\nreload()\nloader\n"
    assert after(RepeatBest(), text, renamed(text)) == []


def test_only_the_last_thirty_replacements_are_remembered() -> None:
    text = "old a\nold b\n" + "".join(f"v{n} = 1\n" for n in range(REMEMBERED))
    texts = [text, text.replace("old", "new", 1)]
    for n in range(REMEMBERED):
        texts.append(texts[-1].replace(f"v{n} =", f"w{n} ="))
        made = [p.hunk.text for p in after(RepeatBest(), *texts)]
        assert made == (["new"] if n < REMEMBERED - 1 else [])


def test_several_hunks_of_one_save_are_several_replacements() -> None:
    text = "a = 1\nq\nb = 2\nq\nb = 2\nq\na = 1\n"
    saved = "c = 1\nq\nd = 2\nq\nb = 2\nq\na = 1\n"
    predictions = after(RepeatBest(), text, saved, count=9)
    assert {p.hunk.apply(saved) for p in predictions} >= {
        saved.replace("a", "c"),
        saved.replace("b", "d"),
    }


def test_what_was_replaced_on_lines_below_each_other_is_replaced_together() -> None:
    text = "a = 1\nb = 2\nq\na = 1\nb = 2\nq\na = 1\nx = 2\n"
    saved = "c = 1\nd = 2\n" + text.partition("b = 2\n")[2]
    predictions = [p.hunk.apply(saved) for p in after(RepeatBest(), text, saved, count=9)]
    assert "c = 1\nd = 2\nq\nc = 1\nd = 2\nq\na = 1\nx = 2\n" in predictions
    # Where the line below is another, the line by itself.
    assert "c = 1\nd = 2\nq\na = 1\nb = 2\nq\nc = 1\nx = 2\n" in predictions


def test_what_stands_there_already_is_not_inserted_again() -> None:
    text = "".join(f"show(label, {n})\nshow(label, {n})  # x\n\n" for n in "abc")
    text = text.replace("show(label, b)", "show(y, label, b)", 1)
    saved = text.replace("show(label, a)", "show(y, label, a)")
    for prediction in after(RepeatBest(), text, saved, count=9):
        assert "y, y" not in prediction.hunk.apply(saved)


def test_what_followed_on_the_last_one_before_is_as_near_as_that_one() -> None:
    def made(asyncs: int, awaits: int) -> str:
        functions = (
            f"{'async ' * (at < asyncs)}def f{at}():\n    x = {'await ' * (at < awaits)}g()\n\n\n"
            for at in range(4)
        )
        return "".join(functions)

    history = EditHistory(made(0, 0))
    for text in (made(1, 0), made(1, 1), made(2, 1)):
        history.update(text, saved=True)
    known = KnownReplacements(history)
    ago = {one.made.new.strip(): one.ago for one in known.best(known.own, 8)}
    assert ago == {"async": 0, "await": 0}
    history.update(made(2, 1) + "pass\n", saved=True)
    ago = {one.made.new.strip(): one.ago for one in known.best(known.own, 8)}
    assert (ago["async"], ago["await"]) == (1, 2)


def next_in_step(*texts: str) -> str | None:
    """Return the text after the next replacement in step; None if there is none."""
    history = EditHistory(texts[0])
    for text in texts[1:]:
        history.update(text, saved=True)
    known = KnownReplacements(history)
    found = known.next_in_step(known.best(known.own, 8), lambda one: True)
    return None if found is None else apply_hunks(texts[-1], [found.hunk])


def test_of_a_table_the_next_row_comes_next() -> None:
    text = "".join(f"case({number}, 'x'),\n" for number in range(4))
    one, two, three = (text.replace("'x'", "'x', unit", count) for count in (1, 2, 3))
    assert next_in_step(text, one) == two
    assert next_in_step(text, one, two) == three
    assert next_in_step(text) is None


def test_of_two_replacements_that_take_turns_the_other_one_comes_next() -> None:
    text = "".join(f"f{n} = (request) => {{\n  return load(request);\n}};\n" for n in range(3))

    def made(functions: int, calls: int) -> str:
        return text.replace("(request) =>", "async (request) =>", functions).replace(
            "return load", "return await load", calls
        )

    texts = [text, made(1, 0), made(1, 1), made(2, 1)]
    assert next_in_step(*texts) == made(2, 2)
    assert next_in_step(*texts, made(2, 2)) == made(3, 2)


def test_what_the_brackets_hold_already_is_not_inserted_again() -> None:
    text = "\n".join(f"x = money(order.{part}, unit)" for part in ("a", "b / c[0]", "d")) + "\n"
    texts = [text]
    for part in ("a", "b / c[0]", "d"):
        texts.append(texts[-1].replace(f"order.{part}, unit", f"order.{part}, unit, currency"))
    assert after(RepeatBest(), *texts[:3])[0].hunk.apply(texts[2]) == texts[3]
    inserted = [one.hunk.text for one in after(RepeatBest(), *texts, count=8)]
    assert ", currency" not in inserted


def test_a_bracket_may_be_inserted_beside_another() -> None:
    text = "send(root=find('a'))\n\nq\nsend(root=find('a'))\n\n"
    once = text.replace("'a'", "join(top, 'a')", 1)
    (best,) = after(RepeatBest(), text, once)
    assert best.hunk.apply(once) == text.replace("'a'", "join(top, 'a')")


def test_a_string_without_words_is_not_inserted_again() -> None:
    text = "".join(f"label = {n}; show(label, 'q')\nshow(label, 'q')  # x\n\n" for n in range(4))
    texts = [text, text.replace("show(label", "show('-', label", 2)]
    for _ in range(3):  # both of a pair at once, as at first
        (best,) = after(RepeatBest(), *texts)
        texts.append(best.hunk.apply(texts[-1]))
    assert texts[-1] == text.replace("show(label", "show('-', label")
    assert after(RepeatBest(), *texts) == []


ROUTES = """\
def {name}(self, scope):
    root = scope.get("route_root", scope.get("root", ""))
    path = scope.get("path", re.sub("^" + root, "", scope["url"]))
    match = self.{name}.match(path)


"""


def test_lines_that_became_fewer_do_so_together() -> None:
    text = "".join(ROUTES.format(name=name) for name in ("http", "socket", "host"))
    texts = [text]
    for name in ("http", "socket", "host"):
        old = ROUTES.format(name=name)
        path = old[old.index("    root") : old.index("    match")]
        new = old.replace(path, "    route = route_path(scope)\n").replace("(path)", "(route)")
        texts.append(texts[-1].replace(old, new))
    for known in (2, 3):
        (best,) = after(RepeatBest(), *texts[:known])
        assert best.hunk.apply(texts[known - 1]) == texts[known]


def test_what_was_replaced_on_one_line_is_replaced_together() -> None:
    text = "run(a, kind=x, slow)\nrun(b, kind=y, fast)\nrun(c, kind=z)\nkind\n"
    texts = [text, text.replace("kind=x", "kinds=[x]", 1)]
    for value in "yz":  # by its neighbours, then by how far it was from the first
        (best,) = after(RepeatBest(), *texts)
        texts.append(best.hunk.apply(texts[-1]))
        assert texts[-1] == texts[-2].replace(f"kind={value}", f"kinds=[{value}]")
    # Where the rest has no place on the line, the first stands for itself.
    text = "a = f(b)\nc = 1\na = g(b)\n"
    saved = "A = F(b)\nc = 1\na = g(b)\n"
    (best,) = after(RepeatBest(), text, saved)
    assert best.hunk.apply(saved) == "A = F(b)\nc = 1\nA = g(b)\n"


def test_a_word_of_what_lies_between_is_the_one_that_lies_there_now() -> None:
    text = 'a = f"Hello {name}"\nb = f"Good bye, {guest}"\n'
    saved = text.replace('f"Hello {name}"', '_("Hello {name}").format(name=name)')
    made = [one.hunk.apply(saved) for one in after(RepeatBest(), text, saved, count=4)]
    new = '_("Good bye, {guest}").format(guest=guest)'
    assert saved.replace('f"Good bye, {guest}"', new) in made


def test_a_space_alone_is_no_place_for_the_rest() -> None:
    text = 'x.with("c_1", 5, "EUR")\nx.with(/no funds/)\n'
    saved = text.replace('"c_1", 5, "EUR"', 'customer: "c_1", cents: 5, currency: "EUR"')
    for one in after(RepeatBest(), text, saved):
        assert "cents" not in one.hunk.text


def test_the_rest_is_replaced_only_beside_what_it_stood_beside() -> None:
    before = (
        "from ..datastructures import Attribute\nfrom ..utils import cached\n\n\n"
        "def load(namespace):\n    from ..app.defaults import NAMESPACES\n"
        "    namespace = namespace.lower()\n"
    )
    saved = before.replace("..data", "shop.data").replace("..utils", "shop.utils")
    (prediction,) = after(RepeatBest(), before, saved)
    assert prediction.hunk.apply(saved) == saved.replace("..app", "shop.app")


def test_the_rest_does_not_become_one_word_with_what_stands_there() -> None:
    text = "waitSeconds = 30\nif waitSeconds <= 0 {\n"
    saved = text.replace("waitSeconds = 30", "wait = 30 * time.Second")
    (best,) = after(RepeatBest(), text, saved)
    assert best.hunk.apply(saved) == saved.replace("waitSeconds", "wait")


def test_both_ends_of_a_string_are_replaced_together() -> None:
    def is_whole(hunk: Hunk) -> bool:
        return hunk.apply(session_text[0]).count('"') % 2 == 0

    text = "x = ['one', 'two', 'three']\ny = 'four'\n"
    session, session_text = RepeatBest().resume(EditHistory(text)), [text]
    for word in ("four", "two", "three"):
        text = text.replace(f"'{word}'", f'"{word}"')
        session.update(text, saved=True)
        session_text[0] = text
    predictions = session.predict(8, PredictionOptions(is_whole))
    assert text.replace("'one'", '"one"') in [one.hunk.apply(text) for one in predictions]


@BOTH
def test_places_that_do_not_fit_are_passed_over(forecaster: Forecaster) -> None:
    text = "x.load(1)\n" * 6
    saved = renamed(text)
    session = forecaster.resume(EditHistory(text))
    session.update(saved, saved=True)
    places = [prediction.hunk for prediction in session.predict(4)]
    fitting = [hunk for hunk in places if hunk != places[1]]
    found = session.predict(2, PredictionOptions(lambda hunk: hunk != places[1]))
    assert [prediction.hunk for prediction in found] == fitting[:2]
    assert session.predict(2, PredictionOptions(lambda hunk: False)) == []


@BOTH
def test_predictions_are_distinct_and_no_more_than_asked(forecaster: Forecaster) -> None:
    text = "x.load(1)\n" * 8
    predictions = after(forecaster, text, renamed(text), renamed(text, 2), count=5)
    assert len({p.hunk for p in predictions}) == 5
    assert after(forecaster, text, renamed(text), count=0) == []


source = st.text(st.sampled_from("ab(), \n\t1é😀\r\ud800"), max_size=40)


@BOTH
@given(texts=st.lists(st.tuples(source, st.booleans()), min_size=1, max_size=5))
def test_any_text_gives_hunks_that_change_it(
    forecaster: Forecaster, texts: list[tuple[str, bool]]
) -> None:
    session = forecaster.resume(EditHistory(""))
    for text, saved in texts:
        session.update(text, saved=saved)
        for prediction in session.predict(3):
            hunk = prediction.hunk
            assert 0 <= hunk.start <= hunk.end <= len(text)
            assert text[hunk.start : hunk.end] != hunk.text
            assert 0.0 < prediction.confidence <= 1.0
