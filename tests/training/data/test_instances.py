import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.edits import SAVE, START, Edit
from editcast_model.networks.batch import Instance as Collated
from editcast_model.networks.batch import collate
from editcast_model.tokenizer import Tokenizer
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_training.data.instances import MAX_EDITS, Cutter, Instance
from editcast_training.sources.file_history import FileHistory, Snapshot

_LINE = st.text(st.sampled_from("ab (),=\té😀\r"), max_size=8)
_FILE = st.lists(_LINE, max_size=14).map("\n".join)


@st.composite
def _snapshots(draw: st.DrawFn) -> list[str]:
    """A text and versions of it, each with a few lines changed."""
    texts = [draw(_FILE)]
    for _ in range(draw(st.integers(1, 5))):
        split = texts[-1].split("\n")
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, len(split)))
            end = draw(st.integers(start, min(start + 2, len(split))))
            split[start:end] = draw(st.lists(_LINE, max_size=2))
        text = "\n".join(split)
        if text != texts[-1]:
            texts.append(text)
    return texts


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["def f(aa, bb):\n    return aa + bb\n" * 20, "é😀ab ba"], 300)


def _history(texts: list[str], kind: str = "commits") -> FileHistory:
    snapshots = tuple(Snapshot(text, 1000 * index) for index, text in enumerate(texts))
    return FileHistory("me/project", "a.py", "python", kind, snapshots)  # type: ignore[arg-type]


def _cut(
    history: FileHistory, tokenizer: Tokenizer, max_state: int = 1024, seed: int = 0
) -> tuple[list[Instance], Counter[str]]:
    skipped: Counter[str] = Counter()
    cutter = Cutter(tokenizer, max_state=max_state, seed=seed, skipped=skipped)
    return list(cutter.instances(history)), skipped


def _sequence(instance: Instance) -> EditSequence:
    edits = map(Edit, instance.positions, instance.contents)
    return EditSequence(tuple(instance.state), tuple(edits))


def _program(size: int) -> list[str]:
    return [f"value_{line} = compute({line}, {line * 7})\n" for line in range(size)]


@given(_snapshots(), st.sampled_from(["commits", "saves"]), st.integers(12, 60))
def test_replayed_edits_give_the_tokens_of_the_text_after(
    tokenizer: Tokenizer, texts: list[str], kind: str, max_state: int
) -> None:
    instances, _ = _cut(_history(texts, kind), tokenizer, max_state)
    for instance in instances:
        final = _sequence(instance).final()
        assert final == [START, *tokenizer.ids(tokenizer.decode(final))]
        assert len(instance.state) <= max_state
        assert len(instance.positions) <= MAX_EDITS


@given(_snapshots())
def test_at_every_save_the_window_is_a_part_of_what_was_saved(
    tokenizer: Tokenizer, texts: list[str]
) -> None:
    history = _history(texts, "saves")
    for instance in _cut(history, tokenizer, 40)[0]:
        sequence = _sequence(instance)
        saved = [
            tokenizer.decode(state)
            for edit, state in zip(sequence.edits, list(sequence.states())[1:], strict=True)
            if edit.content == SAVE
        ]
        assert instance.time is not None
        ahead = texts[instance.time // 1000 :]
        assert all(window in text for window, text in zip(saved, ahead, strict=False))


@given(_snapshots(), st.integers(0, 9))
def test_a_file_that_fits_ends_as_its_last_snapshot(
    tokenizer: Tokenizer, texts: list[str], seed: int
) -> None:
    instances, skipped = _cut(_history(texts), tokenizer, seed=seed)
    if instances and not skipped:
        assert tokenizer.decode(_sequence(instances[-1]).final()) == texts[-1]


def test_a_commit_is_a_save_a_line_hunk_and_a_real_save_is_one(tokenizer: Tokenizer) -> None:
    before = _program(30)
    after = before.copy()
    after[3], after[4], after[20] = "changed = 1\n", "changed = 2\n", "changed = 3\n"
    texts = ["".join(before), "".join(after)]
    (commit,), _ = _cut(_history(texts), tokenizer)
    (save,), _ = _cut(_history(texts, "saves"), tokenizer, seed=1)
    assert commit.contents.count(SAVE) == 2
    assert save.contents.count(SAVE) == 1
    assert save.contents[-1] == SAVE
    assert save.positions[-1] == 0


def test_a_long_file_is_windowed_around_each_change(tokenizer: Tokenizer) -> None:
    texts = ["".join(_program(2000))]
    for line in (40, 42, 1500, 1503, 1506, 10, 12):
        split = texts[-1].splitlines(keepends=True)
        split[line] = f"a{line}\n"
        texts.append("".join(split))
    instances, skipped = _cut(_history(texts), tokenizer, 400)
    assert not skipped
    assert [instance.contents.count(SAVE) for instance in instances] == [2, 3, 2]
    for instance, changed in zip(instances, ("40", "1503", "10"), strict=True):
        final = tokenizer.decode(_sequence(instance).final())
        assert f"a{changed}\n" in final
        assert 300 < len(instance.state) <= 400


def test_windows_lie_anywhere_around_the_changes(tokenizer: Tokenizer) -> None:
    before = _program(500)
    after = before.copy()
    after[250] = after[253] = "changed = 1\n"
    history = _history(["".join(before), "".join(after)])
    firsts = set()
    for seed in range(8):
        instance = _cut(history, tokenizer, 400, seed)[0][0]
        firsts.add(tokenizer.decode(instance.state).split(" ")[0])
    assert len(firsts) > 3


def test_long_hunks_are_counted_and_applied_without_being_taught(tokenizer: Tokenizer) -> None:
    before = _program(200)
    written = before[:50] + ["w = (1, 2)\n"] * 30 + before[50:]
    after = written.copy()
    after[49] = after[81] = "changed = 1\n"
    texts = ["".join(before), "".join(written), "".join(after)]
    (instance,), skipped = _cut(_history(texts), tokenizer)
    assert skipped == {"line hunk: over 64 edits": 1}
    assert "w = (1, 2)\n" in tokenizer.decode(instance.state)


def test_what_no_hand_made_is_counted(tokenizer: Tokenizer) -> None:
    before = _program(200)
    rewritten = [f"other = {line}\n" for line in range(200)]
    _, skipped = _cut(_history(["".join(before), "".join(rewritten)]), tokenizer)
    assert skipped == {"snapshot: over 60 % of the lines changed": 1}
    sprinkled = [f"x{text}" if line % 4 == 0 else text for line, text in enumerate(before)]
    _, skipped = _cut(_history(["".join(before), "".join(sprinkled)]), tokenizer)
    assert skipped == {"snapshot: over 40 line hunks changed": 1}
    packed = "".join(before) + "data = '" + "0 " * 600 + "'\n"
    _, skipped = _cut(_history(["".join(before), packed]), tokenizer)
    assert skipped == {"file: changes a line over 1,000 characters": 1}


def test_half_of_the_single_line_hunks_are_left_out(tokenizer: Tokenizer) -> None:
    before = _program(10)
    after = [*before[:5], "changed = 1\n", *before[6:]]
    history = _history(["".join(before), "".join(after)])
    kept = sum(len(_cut(history, tokenizer, seed=seed)[0]) for seed in range(100))
    assert 30 < kept < 70


def test_a_commit_s_edits_end_where_it_does_whatever_way_they_take(tokenizer: Tokenizer) -> None:
    before = _program(60)
    after = [f"a{text}" if line % 12 == 0 else text for line, text in enumerate(before)]
    history = _history(["".join(before), "".join(after)])
    ways = set()
    for seed in range(50):
        (instance,), _ = _cut(history, tokenizer, 4096, seed)
        assert instance.contents[-1] == SAVE
        assert tokenizer.decode(_sequence(instance).final()) == "".join(after)
        ways.add((*instance.positions, *instance.contents))
    assert len(ways) > 20
    assert _cut(history, tokenizer, 4096, 7) == _cut(history, tokenizer, 4096, 7)


@given(_snapshots(), st.sampled_from(["commits", "saves"]))
def test_jumps_stand_where_a_part_of_a_snapshot_begins(
    tokenizer: Tokenizer, texts: list[str], kind: str
) -> None:
    instances, _ = _cut(_history(texts, kind), tokenizer)
    for instance in instances:
        assert len(instance.jumps) == len(instance.contents)
        begins = [0, *(at + 1 for at, content in enumerate(instance.contents) if content == SAVE)]
        numbers = [one for one in instance.jumps if one]
        assert numbers == sorted(numbers)  # snapshots follow one another
        assert max(numbers, default=0) < len(texts)
        assert all(instance.contents[at] != SAVE for at, one in enumerate(instance.jumps) if one)
        if kind == "saves":
            assert all(instance.jumps[at] for at in begins[:-1])


def test_what_comes_later_in_a_commit_could_have_come_first(tokenizer: Tokenizer) -> None:
    before = _program(12)
    after = [f"a{text}" if line % 3 == 0 else text for line, text in enumerate(before)]
    texts = ["".join(before), "".join(after), "".join([*after[:-1], "changed = 1\n"])]
    (instance,), _ = _cut(_history(texts, "saves"), tokenizer)
    edits = [*map(Edit, instance.positions, instance.contents)]
    batch = collate([Collated(instance.state, edits, jumps=instance.jumps)])
    lines = [text.splitlines() for text in (texts[0], texts[1])]
    (jumps,) = batch.instead[0].any(-1).nonzero(as_tuple=True)
    assert jumps.tolist() == [at for at, one in enumerate(instance.jumps) if one == 1][:-1]
    for left, at in zip((3, 2, 1), jumps, strict=True):
        (places,) = batch.instead[0, at].nonzero(as_tuple=True)
        assert len(places) == left
        for place in places:
            head = tokenizer.decode(instance.state[1 : place + 1])
            assert lines[0][head.count("\n")] != lines[1][head.count("\n")]


def test_the_same_change_is_taught_once_in_a_project(tokenizer: Tokenizer) -> None:
    skipped: Counter[str] = Counter()
    cutter = Cutter(tokenizer, max_state=400, seed=0, skipped=skipped)
    before = _program(20)
    after = before.copy()
    after[0] = after[10] = "# Copyright 2026\n"
    for number in range(5):
        own = [f"number = {number}\n", *before], [f"number = {number}\n", *after]
        count = len(list(cutter.instances(_history(["".join(text) for text in own]))))
        assert count == (number == 0)
    assert skipped == {"commit: the same change as in another file": 4}


def test_full_instances_are_followed_by_others(tokenizer: Tokenizer) -> None:
    rng = random.Random(0)
    texts = ["".join(_program(12))]
    for version in range(60):
        split = texts[-1].splitlines(keepends=True)
        split[rng.randrange(12)] = f"changed = {version}\n"
        texts.append("".join(split))
    instances, skipped = _cut(_history(texts, "saves"), tokenizer)
    assert not skipped
    assert sum(instance.contents.count(SAVE) for instance in instances) == 60
    assert len(instances) > 3
    assert all(len(instance.contents) > 64 for instance in instances[:-1])
    for instance, following in zip(instances, instances[1:], strict=False):
        assert tokenizer.decode(_sequence(instance).final()) == tokenizer.decode(following.state)
