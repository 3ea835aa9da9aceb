"""The imports of a project's files, which files that lack an import know, and nothing more."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.memory.project_memory import ProjectMemory
from editcast_server.prediction import folder_reader
from editcast_server.prediction.folder_reader import FolderReader
from editcast_server.prediction.projects import Projects
from editcast_server.settings import Settings

NAME = "file:///shop"
PATH = "from pathlib import Path\n"


def index_of(*texts: str, language: str = "python", suffix: str = "py") -> ImportIndex:
    known = ImportIndex()
    for number, text in enumerate(texts):
        known.update(f"{NAME}/{number}.{suffix}", language, text)
    known.read()
    return known


def read(
    folder: Path, settings: Settings | None = None, memory: ProjectMemory | None = None
) -> ImportIndex:
    known = ImportIndex()
    FolderReader(known, EntryIndex(), memory or ProjectMemory()).read(
        folder, NAME, settings or Settings()
    )
    finish()
    return known


def read_entries(folder: Path, settings: Settings | None = None) -> tuple[EntryIndex, list[str]]:
    """Return the entries of a folder's tables, and what else was learned of them."""
    imports, known, memory = ImportIndex(), EntryIndex(), ProjectMemory()
    FolderReader(imports, known, memory).read(folder, NAME, settings or Settings())
    finish()
    return known, [*names(imports), *(["memory"] if follows(memory, "title") else [])]


def follows(memory: ProjectMemory, text: str) -> bool:
    """Tell whether the memory has a text."""
    return len(memory.occurrences(memory.vocabulary.known_ids(text), "")) > 0


def finish() -> None:
    for thread in threading.enumerate():
        if thread.name == "folder reader":
            thread.join()


def names(known: ImportIndex, language: str = "python") -> dict[str, str]:
    """Return the statements of what the project's files have, without the standard library's."""
    statements = known.of(f"{NAME}/new.py" if language == "python" else f"{NAME}/new.ts", language)
    family = "python" if language == "python" else "script"
    return {name: found for name in known.names(family) if (found := statements.get(name))}


def open_folder(editor: Any, folder: Path) -> None:
    added = [types.WorkspaceFolder(folder.as_uri(), "folder")]
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added, []))
    )


def test_only_what_all_files_agree_on() -> None:
    assert names(index_of(PATH, PATH, "import os\n")) == {"Path": PATH.strip(), "os": "import os"}
    assert names(index_of(PATH, "from shop import Path\n", "import os\n")) == {"os": "import os"}
    assert names(index_of(PATH, "import x as Path\n")) == {}


def test_a_file_that_was_changed_says_something_else() -> None:
    known = index_of(PATH, "from shop import Path\n")
    known.update(f"{NAME}/1.py", "python", "import re\n")
    known.read()
    assert names(known) == {"Path": PATH.strip(), "re": "import re"}
    known.update(f"{NAME}/0.py", "python", "")
    known.read()
    assert names(known) == {"re": "import re"}


def test_languages_import_from_their_own_kind() -> None:
    known = index_of("import { a } from './a';\n", language="typescript", suffix="ts")
    assert names(known) == {}
    assert names(known, "javascript") == {"a": 'import { a } from "./a";'}
    assert not known.of(f"{NAME}/a.rs", "rust")


def test_a_type_that_is_a_value_for_others() -> None:
    known = index_of(
        'import type { A, B } from "./a";\n', 'import { A } from "./a";\n', language="typescript"
    )
    assert names(known, "typescript") == {
        "A": 'import { A } from "./a";',
        "B": 'import type { B } from "./a";',
    }


def test_files_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "deep" / "down" / "a.py").write_text(PATH)
    (tmp_path / "b.ts").write_text('import { c } from "./c";\n')
    (tmp_path / "d.md").write_text("import os\n")
    line = "import shop.of.all.the.names;\n"
    for number, suffix in enumerate(("java", "cs", "rs", "c", "php", "rb")):
        (tmp_path / f"e.{suffix}").write_text(line.replace("names", f"names{number}"))
    memory = ProjectMemory()
    known = read(tmp_path, memory=memory)
    assert names(known) == {"Path": PATH.strip()}
    assert names(known, "typescript") == {"c": 'import { c } from "./c";'}
    assert follows(memory, PATH)
    assert all(follows(memory, line.replace("names", f"names{number}")) for number in range(6))


@pytest.mark.parametrize(
    "name",
    [
        "secrets.py", ".ssh/a.py", "node_modules/a/b.py", "build/a.py", ".hidden/a.py",
        "local_settings.py", "left_out.py", "own/pyvenv.cfg", "a.ts",
    ],
)  # fmt: skip
def test_what_is_left_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PATH)
    (path.parent / "beside.py").write_text(PATH if "pyvenv" in name else "")
    settings = Settings(exclude=("left_out*",), languages=("*", "!typescript"))
    memory = ProjectMemory()
    known = read(tmp_path, settings, memory)
    assert names(known) == names(known, "typescript") == {}
    assert not follows(memory, PATH)


@pytest.mark.parametrize("file", ["//etc/hosts.py", "/../b.py", "/a\0.py", "side/a.py"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, file: str) -> None:
    reader = FolderReader(ImportIndex(), EntryIndex(), ProjectMemory())
    reader.read(tmp_path, NAME, Settings())
    finish()
    assert reader.path_of(f"{NAME}/a.py") == tmp_path / "a.py"
    assert reader.path_of(NAME + file) is None
    assert reader.beside(NAME + file) == []


def test_no_link_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(PATH)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "b.py").symlink_to(outside / "a.py")
    (folder / "circle").symlink_to(folder)
    assert names(read(folder)) == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_plain_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "binary.py").write_bytes(b"import os\n\0\0\n")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\xff\nimport re\n")
    (tmp_path / "long.py").write_text("import a\n" + "x = 1\n" * 100_000 + "import b\n")
    assert set(names(read(tmp_path))) == {"re", "a"}
    assert folder_reader.text_of(tmp_path / "pipe.py") == ""
    assert folder_reader.text_of(tmp_path / "missing.py") == ""


def test_a_text_is_whole_or_empty(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text("x" + "é" * folder_reader.MOST_BYTES, "utf-8")
    assert folder_reader.whole_text_of(path) == ""


@pytest.mark.parametrize(
    "written", [b"import os\n" + PATH.strip().encode(), b"\xef\xbb\xbf" + PATH.encode()]
)
def test_a_last_line_without_an_end_and_a_first_one_with_a_mark(
    tmp_path: Path, written: bytes
) -> None:
    (tmp_path / "a.py").write_bytes(written)
    assert names(read(tmp_path))["Path"] == PATH.strip()


def test_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        (tmp_path / f"{number}.py").write_text(f"import a{number}\n")
    bounds = (folder_reader, "MOST_FILES"), (folder_reader, "MOST_ENTRIES")
    for most, (owner, bound) in enumerate((*bounds, (ImportIndex, "most")), 3):
        with monkeypatch.context() as patch:
            patch.setattr(owner, bound, most)
            assert len(names(read(tmp_path))) == most
    deep = tmp_path.joinpath(*"abcdefghijklmnop")
    deep.mkdir(parents=True)
    (deep / "z.py").write_text(PATH)
    assert "Path" not in names(read(tmp_path))


def test_tables_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = '{"title": "Your profile"}'  # without a last line break
    (tmp_path / "locales").mkdir()
    (tmp_path / "locales" / "en.json").write_text(table)
    known, others = read_entries(tmp_path)
    assert [tuple(one) for one in known.of("Your profile")] == [
        (f"{NAME}/locales/en.json", ("title",))
    ]
    assert others == []
    (tmp_path / "status.py").write_text('class Status:\n    OPEN = "open"\n    SHUT = "shut"\n')
    assert read_entries(tmp_path)[0].of("open")
    for settings in (Settings(exclude=("locales/*",)), Settings(languages=("*", "!json"))):
        known, _ = read_entries(tmp_path, settings)
        assert known.of("open") and not known.of("Your profile")
    monkeypatch.setattr(folder_reader, "MOST_TABLES", 0)
    known, _ = read_entries(tmp_path)
    assert known.of("open") and not known.of("Your profile")


def test_documents_are_listed_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_reader, "MOST_DOCUMENTS", 4)
    (tmp_path / "deploy").mkdir()
    for name in ("README.md", "Dockerfile", "deploy/app.yaml", "a.py", "deploy/z.toml", "b.png"):
        (tmp_path / name).write_text("a = 1\n")
    (tmp_path / ".env").write_text("SECRET=1\n")
    (tmp_path / "deploy" / "secrets.yaml").write_text("key: 1\n")
    reader = FolderReader(ImportIndex(), EntryIndex(), ProjectMemory())
    reader.read(tmp_path, NAME, Settings(exclude=("**/app.yaml",)))
    finish()
    assert reader.documents == (f"{NAME}/Dockerfile", f"{NAME}/README.md", f"{NAME}/deploy/z.toml")
    reader.forget()
    assert reader.documents == ()


@pytest.mark.parametrize("name", ["package-lock.json", "secrets.json", ".vscode/a.json", "a.yaml"])
def test_tables_that_are_left_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"title": "Your profile"}\n')
    assert read_entries(tmp_path)[0].of("Your profile") == []


def test_what_the_editor_has_is_newer_than_the_disk(tmp_path: Path) -> None:
    (tmp_path / "0.py").write_text(PATH)
    known = index_of("import os\n")
    FolderReader(known, EntryIndex(), ProjectMemory()).read(tmp_path, NAME, Settings())
    finish()
    assert names(known) == {"os": "import os"}


def test_what_is_forgotten_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PATH)
    (tmp_path / "a.json").write_text('{"title": "Your profile"}')
    known, entries, memory = ImportIndex(), EntryIndex(), ProjectMemory()
    reader = FolderReader(known, entries, memory)
    reader.read(tmp_path, NAME, Settings())
    reader.forget()
    finish()
    assert not follows(memory, PATH)
    assert not entries.of("Your profile")
    assert names(known) == {} and not known.names("python")
    reader.read(tmp_path, NAME, Settings())
    finish()
    assert set(names(known)) == {"Path"} and entries.of("Your profile")


@pytest.mark.parametrize("is_trusted", [True, False])
def test_only_a_trusted_folder_is_read(tmp_path: Path, is_trusted: bool) -> None:
    (tmp_path / "a.py").write_text(PATH)
    projects, folder = Projects(), tmp_path.as_uri()
    projects.set_folders([folder])
    projects.is_trusted = is_trusted
    projects.read(folder, Settings())
    finish()
    known = projects.of(folder).imports
    assert known.has("python", "Path") is is_trusted
    projects.set_folders([])
    assert not known.names("python")
    for other in (None, "untitled:1", "file://%zz"):
        projects.read(other, Settings())


@pytest.mark.parametrize("is_trusted", [True, False])
async def test_an_import_that_a_file_on_the_disk_has(
    start: Any, tmp_path: Path, is_trusted: bool
) -> None:
    settings = {"modelPath": "", "confidenceThreshold": None, "isWorkspaceTrusted": is_trusted}
    async with start(settings) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        folder = tmp_path / "project"
        (folder / "other.py").write_text("import os\nfrom shop import Money\n\nMoney(os.sep)\n")
        open_folder(editor, folder)
        before = "import sys\n\nname = sys.argv[1]\n"
        uri = editor.open("main.py", before)
        assert await editor.best(uri) is None
        editor.type(uri, "name = sys.argv[1]", "name = Money(sys.argv[1])")
        editor.save(uri)
        if is_trusted:  # read meanwhile, or a moment later
            while (best := await editor.best(uri)) is None:
                editor.save(uri)
            expected = editor.texts[uri].text.replace("sys\n", "sys\n\nfrom shop import Money\n", 1)
            assert editor.applied(uri, best) == expected
        else:
            best = await editor.best(uri)
            assert best is None or "shop" not in editor.applied(uri, best)


async def test_an_import_of_the_standard_library_needs_no_folder(start: Any) -> None:
    settings = {"modelPath": "", "confidenceThreshold": None}
    async with start(settings) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        uri = editor.open("main.py", "import sys\n\nname = sys.argv[1]\n")
        editor.type(uri, "name = sys.argv[1]", "name = json.loads(sys.argv[1])")
        editor.save(uri)
        best = await editor.best(uri)
        assert editor.applied(uri, best).startswith("import json\nimport sys\n")


@pytest.mark.parametrize("is_trusted", [True, False])
async def test_an_entry_of_a_table_on_the_disk(
    start: Any, tmp_path: Path, is_trusted: bool
) -> None:
    settings = {"modelPath": "", "confidenceThreshold": None, "isWorkspaceTrusted": is_trusted}
    async with start(settings) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        folder = tmp_path / "project"
        (folder / "en.json").write_text('{"in": {"title": "Sign in", "name": "Full name"}}')
        open_folder(editor, folder)
        before = "show('Sign in');\nlog(1);\nshow('Full name');\n"
        uri = editor.open("main.ts", before, "typescript")
        assert await editor.best(uri) is None
        editor.type(uri, "'Sign in'", "t('in.title')")
        editor.save(uri)
        if is_trusted:  # read meanwhile, or a moment later
            while (best := await editor.best(uri)) is None:
                editor.save(uri)
            expected = editor.texts[uri].text.replace("'Full name'", "t('in.name')")
            assert editor.applied(uri, best) == expected
        else:
            best = await editor.best(uri)
            assert best is None or "in.name" not in editor.applied(uri, best)
