"""Replayed editing sessions: steps that lead to the future, and a sample that stays the same."""

from itertools import pairwise
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import apply_hunks
from editcast_training.evaluation.sessions import (
    EditingSession,
    commit_session,
    draw_sessions,
    line_hunks,
    sample_commits,
    save_session,
)
from editcast_training.sources.file_history import FileHistory, Snapshot

BEFORE = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\n"
AFTER = "a = 9\nb = 8\nc = 3\nd = 4\nnew\nlines\ne = 5\n"

texts = st.lists(st.sampled_from(["a\n", "b\n", "a b\n", "é(😀)\n", "\n", "b"]), max_size=12).map(
    "".join
)


def history(
    *snapshots: str, path: str = "a.py", kind: Literal["commits", "saves"] = "commits"
) -> FileHistory:
    return FileHistory("p", path, "python", kind, tuple(Snapshot(text, None) for text in snapshots))


def test_a_commit_is_saved_hunk_by_hunk_from_its_first_line_to_its_last() -> None:
    session = commit_session(history(BEFORE, AFTER), 0)
    assert session.texts == (
        BEFORE,
        "a = 9\nb = 8\nc = 3\nd = 4\ne = 5\nf = 6\n",
        "a = 9\nb = 8\nc = 3\nd = 4\nnew\nlines\ne = 5\nf = 6\n",
        AFTER,
    )


def test_every_save_but_the_last_is_a_step_towards_the_commit() -> None:
    steps = list(commit_session(history(BEFORE, AFTER), 0).steps())
    assert [len(step.remaining) for step in steps] == [2, 1]
    assert {step.future for step in steps} == {AFTER}
    assert apply_hunks(steps[1].text, steps[1].remaining[0]) == AFTER


@given(texts, texts)
def test_the_remaining_hunks_of_a_step_lead_through_the_session(before: str, after: str) -> None:
    session = EditingSession(
        "p", "a", "python", "commits", commit_session(history(before, after), 0).texts
    )
    assert session.texts[-1] == after
    for step, (text, following) in zip(session.steps(), pairwise(session.texts[1:]), strict=True):
        assert step.text == text
        assert apply_hunks(text, step.remaining[0]) == following
        everything = [hunk for group in step.remaining for hunk in group]
        assert apply_hunks(text, everything) == after == step.future


def test_the_future_of_a_real_save_is_the_next_one() -> None:
    session = save_session(history("x\n", "y\n", "z\n", "x\n", kind="saves"))
    steps = list(session.steps())
    assert [(step.text, step.future) for step in steps] == [("y\n", "z\n"), ("z\n", "x\n")]
    assert all(apply_hunks(step.text, step.remaining[0]) == step.future for step in steps)


def test_adjacent_changed_lines_are_one_hunk_and_parted_ones_are_two() -> None:
    assert len(line_hunks("a\nb\nc\n", "x\ny\nc\n")) == 1
    assert len(line_hunks("a\nb\nc\n", "x\nb\ny\n")) == 2
    assert line_hunks("a\n", "a\n") == ()


def commits(project: str, count: int, hunks: int, years: int = 4) -> list[FileHistory]:
    """`count` files of one commit each with this many line hunks, over some years."""
    before = "".join(f"v{line} = 0\nkept = 0\n" for line in range(hunks))
    after = before.replace("v", "w")
    return [
        FileHistory(
            project,
            f"{number}.py",
            "python",
            "commits",
            (Snapshot(before, 0), Snapshot(after, (number % years) * 366 * 86_400_000 + number)),
        )
        for number in range(count)
    ]


def test_a_sample_is_the_same_whatever_the_order_and_another_by_another_seed() -> None:
    histories = commits("p", 60, 3) + commits("q", 5, 3)
    sample = sample_commits(histories, count=12, seed=1)
    assert sample == sample_commits(reversed(histories), count=12, seed=1)
    assert sample != sample_commits(histories, count=12, seed=2)
    assert [session.project for session in sample] == ["p"] * 12 + ["q"] * 5


def test_a_sample_is_spread_over_the_years_oldest_first() -> None:
    sample = sample_commits(commits("p", 60, 3), count=12)
    years = [int(session.path.removesuffix(".py")) % 4 for session in sample]
    assert years == sorted([0, 1, 2, 3] * 3)


def test_only_commits_with_enough_and_not_too_many_hunks_are_drawn() -> None:
    histories = [file for hunks in (2, 3, 10, 11) for file in commits(f"{hunks} hunks", 2, hunks)]
    sample = sample_commits(histories)
    assert {session.project for session in sample} == {"3 hunks", "10 hunks"}
    assert sorted(len(session.texts) - 1 for session in sample) == [3, 3, 10, 10]


def test_a_commit_is_drawn_once() -> None:
    one, other = commits("p", 2, 3, years=1)
    same_time = FileHistory(
        "p", "other.py", "python", "commits", (other.snapshots[0], one.snapshots[1])
    )
    assert len(sample_commits([one, same_time])) == 1
    assert len(sample_commits([one, other])) == 2


def test_sessions_are_drawn_from_commits_and_taken_from_saves() -> None:
    long = history("x\n", "y\n", "z\n", kind="saves")
    short = history("x\n", "y\n", kind="saves")
    sessions = draw_sessions([long, *commits("p", 60, 3), short], count=5)
    assert [session.kind for session in sessions] == ["commits"] * 5 + ["saves"]
    assert sessions[-1] == save_session(long)
    assert sessions[:5] == sample_commits(commits("p", 60, 3), count=5)


def test_of_a_history_that_was_trained_on_only_the_newest_tenth_is_scored() -> None:
    saved = history(*(f"v = {n}\n" for n in range(31)), kind="saves")
    (session,) = draw_sessions([saved], part="dev")
    # 30 changes, the last three of them held back, and ten saves shown before.
    assert [step.future for step in session.steps()] == [f"v = {n}\n" for n in (28, 29, 30)]
    assert session.texts == tuple(f"v = {n}\n" for n in range(16, 31))
    assert session.texts[session.first] == "v = 27\n"
    assert draw_sessions([history("x\n", "y\n", "z\n", kind="saves")], part="dev") == []


def test_of_commits_that_were_trained_on_only_the_newest_are_drawn() -> None:
    texts = [commits("p", 1, 3)[0].snapshots[turn % 2].text for turn in range(21)]
    assert len(draw_sessions([history(*texts)])) == 20
    drawn = draw_sessions([history(*texts)], part="dev")
    assert sorted(session.texts[0] for session in drawn) == sorted(texts[18:20])
