"""Sessions replayed among the saves of the project's other files."""

from editcast_model.forecasting.interface import OtherSave
from editcast_training.evaluation.project_sessions import Changes
from editcast_training.evaluation.sessions import EditingSession, commit_session, save_session
from editcast_training.sources.file_history import FileHistory, Snapshot

THREE = ("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\n")


def history(path: str, *times: int, kind: str = "commits") -> FileHistory:
    texts = [f"{THREE[index % 2]}{path}\n" for index in range(len(times) + 1)]
    stamps = (None, *times)
    snapshots = tuple(Snapshot(text, time) for text, time in zip(texts, stamps, strict=True))
    return FileHistory("p", path, "python", kind, snapshots)  # type: ignore[arg-type]


def replayed(*histories: FileHistory, path: str, index: int) -> EditingSession:
    changes = Changes()
    seen = list(changes.watched(histories))
    of = next(one for one in seen if one.path == path)
    (session,) = changes.sessions([commit_session(of, index)])
    return session


def files(session: EditingSession) -> list[str]:
    return [save.file for _, save in session.others]


def test_the_files_before_it_are_saved_before() -> None:
    histories = [history(path, 5) for path in ("c.py", "a.py", "b.py")]
    session = replayed(*histories, path="b.py", index=0)
    assert files(session) == ["a.py"]
    assert session.others[0][0] == 0 and session.others[0][1].after.startswith("A\nb\nC\n")
    assert (session.kind, session.first, session.times[0]) == ("project-commits", 0, 5)
    assert session.is_in_project


def test_the_commit_before_was_other_work() -> None:
    histories = [history("a.py", 3, 5), history("b.py", 5), history("z.py", 1), history("y.py", 3)]
    session = replayed(*histories, path="a.py", index=1)
    assert files(session) == ["y.py"]  # its own are no other file's


def test_sessions_of_unknown_times_are_left_out() -> None:
    for kind in ("commits", "saves"):
        unknown = EditingSession("p", "a.py", "python", kind, ("a\n", "b\n", "c\n"))
        assert Changes().sessions([unknown]) == []


def test_it_begins_when_the_file_is_opened() -> None:
    session = replayed(history("a.py", 5), path="a.py", index=0)
    saved: list[str] = []
    steps = [(number, len(saved)) for number, _ in session.replay(saved.append, lambda _: None)]
    assert steps == [(0, 0), (1, 1), (2, 2)]
    first = next(session.steps())
    assert first.text == session.texts[0] and len(first.remaining) == 3
    assert saved == list(session.texts[1:3])


def test_recorded_saves_come_as_they_came() -> None:
    day = 24 * 3600 * 1000
    own = history("a.py", 2 * day, 2 * day + 10, 2 * day + 20, 2 * day + 30, kind="saves")
    other = history(
        "b.py", day - 1, day + 1, 2 * day + 5, 2 * day + 10, 2 * day + 15, 3 * day, kind="saves"
    )
    changes = Changes()
    list(changes.watched([own, other]))
    session = changes.sessions([save_session(own)])[0]
    assert (session.kind, session.first) == ("project-saves", 1)
    # A day before it the other file's were other work; what came last tells nobody anything.
    assert [number for number, _ in session.others] == [0, 1, 1, 2]
    events: list[str | OtherSave] = []
    for _ in session.replay(events.append, events.append):
        events.append("forecast")
    assert [one if one == "forecast" else type(one).__name__ for one in events] == [
        "OtherSave", "str", "forecast", "OtherSave", "OtherSave", "str", "forecast", "OtherSave",
        "str", "forecast",
    ]  # fmt: skip


def test_of_many_saves_the_last_are_told() -> None:
    own = history("a.py", 1000, 2000, 3000, kind="saves")
    other = history("b.py", *range(1, 101), kind="saves")
    changes = Changes()
    list(changes.watched([own, other]))
    assert len(changes.sessions([save_session(own)])[0].others) == 30
