"""A link does not carry a secret into the store, nor into what is predicted from."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from editcast_store.saves import Store

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
LINKS = {"notes.txt": ".env", "link_to_key": "id_rsa", "twice.txt": "notes.txt"}


def kept(home: Path) -> set[str]:
    path = home / "history.sqlite3"
    if not path.exists():
        return set()
    with closing(Store.open(path)) as store:
        return {Path(file.path).name for file in store.files()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".ssh").mkdir(parents=True)
    for name in (".env", "id_rsa", ".ssh/config", "plain.py"):
        (folder / name).write_text(CALLS)
    for name, target in (LINKS | {"linkdir": ".ssh", "plain_link.py": "plain.py"}).items():
        (folder / name).symlink_to(target)
    return folder


async def test_links_to_secrets_are_left_alone(start: Any, project: Path) -> None:
    async with start(home=project.parent) as editor:
        for name in (*LINKS, "linkdir/config"):
            uri = editor.open(name, CALLS)
            editor.type(uri, "render", "draw")
            editor.save(uri)
            assert await editor.next_edit(uri) is None
        uri = editor.open("plain_link.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert await editor.best(uri)
    assert kept(project.parent) == {"plain_link.py"}


async def test_a_file_that_becomes_a_link_to_a_secret_while_it_is_open(
    start: Any, project: Path
) -> None:
    async with start(home=project.parent) as editor:
        uri = editor.open("later.py", CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.best(uri)
        (project / "later.py").symlink_to(".env")
        editor.save(uri)
        assert await editor.next_edit(uri) is None
        (project / "later.py").unlink()
        (project / "later.py").write_text(CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert await editor.best(uri)
        await editor.until(lambda: kept(project.parent) == {"later.py"})
