"""POMP's expected accuracy, by hand and against the paper's."""

import pytest

from editcast_model.edits import START, Edit
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_papers.zhao2019.pomp import GUESS, expected_accuracy
from editcast_papers.zhao2019.synthetic import Example, generate


def example(task: str, lengths: list[int], matches: list[str], given: int = 0) -> Example:
    """Replacements of so many edits each; what the edits are does not matter here."""
    starts = tuple(sum(lengths[:index]) for index in range(len(lengths)))
    sequence = EditSequence((START, 4), (Edit(1, 5),) * sum(lengths))
    return Example(task, sequence, starts, given, tuple(matches))


def test_known_texts_are_right_and_others_are_guessed() -> None:
    train = [example("Flip11", [1, 1], ["ABC", "DBE"])]
    test = [example("Flip11", [3, 1], ["DBE", "XBE"]), example("Flip11", [2], ["ABC"])]
    assert GUESS == pytest.approx(1 / 11)
    assert expected_accuracy(train, test) == pytest.approx(100 * (3 + 1 / 11 + 2) / 6)


def test_given_edits_do_not_count() -> None:
    train = [example("Flip11", [1], ["ABC"])]
    test = [example("Flip11", [4, 2], ["ABC", "XBC"], given=4)]
    assert expected_accuracy(train, test) == pytest.approx(100 / 11)
    test = [example("Flip11", [4, 2], ["ABC", "XBC"], given=3)]
    assert expected_accuracy(train, test) == pytest.approx(100 * (1 + 2 / 11) / 3)


def test_another_task_teaches_nothing() -> None:
    train = [example("MetaFlip11", [1], ["ABC"]), example("MetaDelete2", [1], ["AA"])]
    test = [example("MetaDelete2", [1], ["AA"]), example("MetaDelete2", [1], ["ABC"])]
    assert expected_accuracy(train, test) == pytest.approx(100 * (1 + 1 / 11) / 2)


@pytest.mark.parametrize(
    ("task", "paper"),
    [
        ("Append1", 100.0),
        ("Flip33", 11.8),
        ("MetaFlip33", 9.2),
        ("ContextAppend31", 99.9),
        ("ContextAppend52", 37.6),
        ("MetaContextReverse51", 11.9),
    ],
)
def test_the_papers_numbers(task: str, paper: float) -> None:
    ours = expected_accuracy(generate(task, 10_000, 1), generate(task, 1_000, 2))
    # Five letters before the A: every thousand strings know a few more or fewer of 59,049.
    assert ours == pytest.approx(paper, abs=2.0 if task == "ContextAppend52" else 0.3)
