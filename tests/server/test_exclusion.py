"""`exclude` is matched off the event loop, and what is saved meanwhile is kept."""

import threading
from pathlib import Path

from editcast_server.documents.exclusion import Exclusion

SLOW = [f"**/*[ab]*{number}~/**" for number in range(150)]


class Watched(type(Path())):  # type: ignore[misc]
    """A path that knows in which threads it was looked at."""

    threads: list[int]

    def as_posix(self) -> str:
        self.threads.append(threading.get_ident())
        return str(super().as_posix())


def watched(path: str) -> Watched:
    found = Watched(path)
    found.threads = []
    return found


async def test_another_thread_matches_while_saves_wait() -> None:
    path, saved = watched("/project/a.py"), list[str]()
    exclusion = Exclusion(path)
    exclusion.follow(("*.c", *SLOW), saved.extend)
    assert exclusion.is_excluded and not exclusion.known.is_set()
    exclusion.saved += ["one", "two"]
    await exclusion.known.wait()
    assert path.threads and threading.get_ident() not in path.threads
    assert saved == ["one", "two"]
    assert not exclusion.is_excluded and not exclusion.saved


async def test_only_the_last_globs_count() -> None:
    known: list[str] = []
    exclusion = Exclusion(Path("/project/a.py"))
    for globs, name in ((("*.py",), "first"), (("*.c",), "second"), (("a.*",), "third")):
        exclusion.follow(globs, lambda _, name=name: known.append(name))  # type: ignore[misc]
    await exclusion.known.wait()
    assert exclusion.is_excluded and known == ["third"]
    exclusion.follow((), lambda _: known.append("none"))
    assert not exclusion.is_excluded and known == ["third", "none"]


async def test_what_is_no_file_is_never_excluded() -> None:
    exclusion = Exclusion(None)
    exclusion.follow(("*",), list[str]().extend)
    await exclusion.known.wait()
    assert not exclusion.is_excluded


async def test_saves_of_a_document_that_closes_at_once_are_not_lost() -> None:
    saved: list[str] = []
    for path in ("/project/a.py", "/project/a.c"):
        exclusion = Exclusion(Path(path))
        exclusion.follow(("*.c",), saved.extend)
        exclusion.saved.append(path)
        exclusion.finish(saved.extend)
        assert exclusion.is_excluded == path.endswith(".c")
        await exclusion.known.wait()
    assert saved == ["/project/a.py", "/project/a.c"]
