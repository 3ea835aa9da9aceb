"""Files that are not open, or open elsewhere, and have to follow what was renamed in one."""

import asyncio
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editcast_server.documents.buffer import Buffer
from editcast_server.prediction.projects import Projects
from editcast_server.settings import Settings
from test_consequences_elsewhere import BILLS, PRICES, every_language, take_all


@pytest.fixture
def folder(bundled: Any, request: pytest.FixtureRequest) -> Path:
    """An open folder of the test's own, on the disk."""
    place: Path = bundled.home / "project" / request.node.name.replace("[", "-").strip("]")
    place.mkdir(parents=True)
    open_folder(bundled, place)
    return place


def open_folder(editor: Any, folder: Path) -> None:
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), "")], [])
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(event)
    )


def found(editor: Any, uri: str) -> list[tuple[str, int, int]]:
    """Return the other files in the last notification for a document."""
    last = next((one for one in reversed(editor.predicted) if one.uri == uri), None)
    return [(one.uri, one.line, one.places) for one in last.other_files] if last else []


async def until_found(editor: Any, uri: str, count: int) -> None:
    """Save a document until so many other files are found: the folder may still be read."""
    while len(found(editor, uri)) != count:
        editor.save(uri)
        await editor.next_edit(uri)
        await asyncio.sleep(0.05)


async def rename(editor: Any, folder: Path, language: str) -> str:
    """Rename the function in its file."""
    name, text = PRICES[language]
    (folder / name).write_text(text)
    uri: str = editor.open((folder / name).as_uri(), text, language)
    editor.type(uri, "tax", "sales_tax")
    editor.save(uri)
    return uri


@every_language
@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_on_the_disk_and_then_the_next(
    bundled: Any, folder: Path, language: str
) -> None:
    name, text = BILLS[language]
    files = [folder / f"{stem}{Path(name).suffix}" for stem in ("bill", "invoice")]
    for file in files:
        file.write_text(text)
    (folder / "other.py").write_text("import os\n\ntax = os.name\n")
    places, line = text.count("tax"), text[: text.index("tax")].count("\n")
    first = await rename(bundled, folder, language)
    await until_found(bundled, first, 2)
    assert found(bundled, first) == [(one.as_uri(), line, places) for one in files]
    # The first of them is opened, and nothing is left there: the second one is next.
    uri = bundled.open(files[0].as_uri(), text, language)
    assert len(await take_all(bundled, uri)) == places
    await bundled.until(lambda: found(bundled, uri))
    assert found(bundled, uri) == [(files[1].as_uri(), line, places)]
    assert await bundled.best(first) is None
    await until_found(bundled, first, 1)
    # Without having been saved it is closed: what stands on the disk counts.
    bundled.close(uri)
    await until_found(bundled, first, 2)
    files[1].unlink()
    await until_found(bundled, first, 1)


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_elsewhere_as_long_as_something_is_left_here(
    bundled: Any, folder: Path
) -> None:
    name, text = BILLS["python"]
    (folder / name).write_text(text)
    prices = PRICES["python"][1] + "\n\ndef taxes(amounts):\n    return sum(map(tax, amounts))\n"
    uri = bundled.open((folder / "prices.py").as_uri(), prices)
    bundled.type(uri, "tax", "sales_tax")
    bundled.save(uri)
    assert len(await take_all(bundled, uri)) == 1
    mine = [one for one in bundled.predicted if one.uri == uri]
    assert not any(one.other_files for one in mine if one.suggestions)
    await until_found(bundled, uri, 1)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_whose_imports_are_not_read(bundled: Any, folder: Path) -> None:
    text = "class Service\n{\n    int Of(Store one) => one.Find(3);\n}\n"
    (folder / "Service.cs").write_text(text)
    (folder / "Other.cs").write_text(text.replace("Store", "Shelf"))
    text = "class Store\n{\n    public int Find(int id) => id;\n}\n"
    (folder / "Store.cs").write_text(text)
    uri = bundled.open((folder / "Store.cs").as_uri(), text, "csharp")
    bundled.type(uri, "Find", "Search")
    bundled.save(uri)
    await until_found(bundled, uri, 1)
    assert found(bundled, uri) == [((folder / "Service.cs").as_uri(), 2, 1)]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_list_of_another_file_lacks_an_entry(bundled: Any, folder: Path) -> None:
    labels = folder / "labels.py"
    labels.write_text(
        "from status import Status\n\nLABELS = {\n"
        '    Status.OPEN: "Open",\n    Status.PAID: "Paid",\n    Status.CLOSED: "Closed",\n}\n'
    )
    text = "from enum import Enum\n\n\nclass Status(Enum):\n"
    text += '    OPEN = "open"\n    PAID = "paid"\n    CLOSED = "closed"\n'
    (folder / "status.py").write_text(text)
    uri = bundled.open((folder / "status.py").as_uri(), text)
    bundled.type(uri, '    PAID = "paid"\n', '    PAID = "paid"\n    SENT = "sent"\n')
    bundled.save(uri)
    await until_found(bundled, uri, 1)
    assert found(bundled, uri) == [(labels.as_uri(), 5, 1)]
    schema = folder / "a_schema.sql"
    schema.write_text(  # after the code, whatever it is called
        "CREATE TABLE a (\n  state text CHECK (state IN ('open', 'paid', 'closed'))\n);\n"
    )
    (folder / "notes.md").write_text("# Open, paid and closed\n")
    await until_found(bundled, uri, 2)
    assert found(bundled, uri) == [(labels.as_uri(), 5, 1), (schema.as_uri(), 1, 1)]


NAMES = ("Badge", "Button", "TextField")
INDEX = "".join(f'export {{ {name} }} from "./{name}";\n' for name in NAMES)


def components(folder: Path) -> Path:
    """A folder in an open folder, with three components and an index."""
    ui = folder / "ui"
    ui.mkdir()
    for name in NAMES:
        (ui / f"{name}.ts").write_text(f"export class {name} {{}}\n")
    (ui / "index.ts").write_text(INDEX)
    return ui


def create(editor: Any, file: Path, text: str) -> str:
    """Create a file as an editor does: empty, then with its text."""
    file.write_text("")
    uri: str = editor.open(file.as_uri(), "", "typescript")
    start = types.Position(0, 0)
    editor.change(uri, types.Range(start, start), text)
    file.write_text(text)
    editor.save(uri)
    return uri


@pytest.mark.asyncio(loop_scope="module")
async def test_the_index_is_named_and_gets_a_line(bundled: Any, folder: Path) -> None:
    ui = components(folder)
    uri = create(bundled, ui / "Dialog.ts", "export class Dialog {}\n")
    await until_found(bundled, uri, 1)
    assert found(bundled, uri) == [((ui / "index.ts").as_uri(), 2, 1)]
    index = bundled.open((ui / "index.ts").as_uri(), INDEX, "typescript")
    lines = INDEX.splitlines(keepends=True)
    lines.insert(2, 'export { Dialog } from "./Dialog";\n')
    assert await take_all(bundled, index) == ["".join(lines)]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_was_there_is_not_new(bundled: Any, folder: Path) -> None:
    ui = components(folder)
    text = "export class Dialog {}\n"
    (ui / "Dialog.ts").write_text(text)
    uri = bundled.open((ui / "Dialog.ts").as_uri(), text, "typescript")
    bundled.type(uri, "{}", "{ open() {} }")
    bundled.save(uri)
    created = create(bundled, ui / "Toast.ts", "export class Toast {}\n")
    await until_found(bundled, created, 1)
    index = bundled.open((ui / "index.ts").as_uri(), INDEX, "typescript")
    assert await take_all(bundled, index) == [INDEX + 'export { Toast } from "./Toast";\n']


def rename_file(editor: Any, old: Path, new: Path) -> None:
    new.parent.mkdir(exist_ok=True)
    old.rename(new)
    one = types.FileRename(old.as_uri(), new.as_uri())
    editor.client.workspace_did_rename_files(types.RenameFilesParams([one]))


@pytest.mark.asyncio(loop_scope="module")
async def test_a_renamed_file_is_followed(bundled: Any, folder: Path) -> None:
    (folder / "docs").mkdir()
    start, text = folder / "docs" / "start.md", "# Start\n"
    start.write_text(text)
    manual = folder / "mkdocs.yml"
    manual.write_text("nav:\n  - Start: docs/start.md\n")
    readme = folder / "README.md"
    links = "See [the start](docs/start.md).\n\nOr read docs/start.md.\n"
    readme.write_text(links)
    uri = bundled.open(readme.as_uri(), links, "markdown")
    rename_file(bundled, start, folder / "guide" / "begin.md")
    expected = [links.replace("docs/start.md", "guide/begin.md", count) for count in (1, 2)]
    assert await take_all(bundled, uri) == expected
    await bundled.until(lambda: found(bundled, uri))
    assert found(bundled, uri) == [(manual.as_uri(), 1, 1)]


@pytest.mark.asyncio(loop_scope="module")
async def test_the_line_of_a_deleted_file(bundled: Any, folder: Path) -> None:
    ui = components(folder)
    (ui / "Label.ts").write_text("export class Label {}\n")
    index = INDEX + 'export { Label } from "./Label";\n'
    uri = bundled.open((ui / "index.ts").as_uri(), index, "typescript")
    (ui / "Button.ts").unlink()
    one = types.FileDelete((ui / "Button.ts").as_uri())
    bundled.client.workspace_did_delete_files(types.DeleteFilesParams([one]))
    expected = index.replace('export { Button } from "./Button";\n', "")
    assert await take_all(bundled, uri) == [expected]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_is_renamed_while_open(bundled: Any, folder: Path) -> None:
    note = folder / "NOTES.md"
    note.write_text("Run prices.py first.\n")
    name, text = PRICES["python"]
    (folder / name).write_text(text)
    uri = bundled.open((folder / name).as_uri(), text)
    bundled.close(uri)
    uri = bundled.open((folder / "taxes.py").as_uri(), text)
    rename_file(bundled, folder / name, folder / "taxes.py")
    await bundled.until(lambda: found(bundled, uri))
    assert found(bundled, uri) == [(note.as_uri(), 0, 1)]


def project(folder: Path, settings: Settings, *, is_trusted: bool = True) -> Any:
    """A project whose function was renamed, with its folder read."""
    for name, text in (PRICES["python"], BILLS["python"]):
        (folder / name).write_text(text)
    projects = Projects()
    projects.is_trusted = is_trusted
    projects.set_folders([folder.as_uri()])
    projects.read(folder.as_uri(), settings)
    for thread in threading.enumerate():
        if thread.name == "folder reader":
            thread.join()
    text = PRICES["python"][1]
    renamed = text.replace("tax", "sales_tax")
    one = projects.of(folder.as_uri())
    one.add(f"{folder.as_uri()}/prices.py", text, renamed, "python")
    return one


def left(one: Any, folder: Path) -> list[str]:
    found = one.other_files(f"{folder.as_uri()}/prices.py", lambda: False)
    return [file.uri.rsplit("/", 1)[-1] for file in found]


def test_only_what_may_be_read_is(tmp_path: Path) -> None:
    one = project(tmp_path, Settings())
    assert left(one, tmp_path) == ["bill.py"]
    assert one.other_files(f"{tmp_path.as_uri()}/prices.py", lambda: True) == ()
    bill = tmp_path / "bill.py"
    bill.rename(tmp_path / "id_rsa")
    bill.symlink_to(tmp_path / "id_rsa")
    assert left(one, tmp_path) == []
    one.reader.forget()
    assert left(one, tmp_path) == []


@pytest.mark.parametrize(
    "settings", [Settings(exclude=("bill*",)), Settings(languages=("go",)), Settings(enabled=False)]
)
def test_nothing_that_the_settings_leave_out(tmp_path: Path, settings: Settings) -> None:
    assert left(project(tmp_path, settings), tmp_path) == []


def test_nothing_is_read_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    assert left(project(tmp_path, Settings(), is_trusted=False), tmp_path) == []


def test_a_file_is_read_again_when_it_is_another(tmp_path: Path) -> None:
    one = project(tmp_path, Settings())
    assert left(one, tmp_path) == ["bill.py"]
    bill = tmp_path / "bill.py"
    bill.write_text(bill.read_text().replace("tax", "sales_tax"))
    assert left(one, tmp_path) == []


@pytest.mark.parametrize("answer", ["Change", "Look First"])
async def test_all_of_them_at_once(start: Any, tmp_path: Path, answer: str) -> None:
    edits: list[Any] = []
    questions: list[Any] = []
    settings = {"modelPath": "", "confidenceThreshold": None}
    async with start(settings) as editor:

        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            edits.append(params)
            return types.ApplyWorkspaceEditResult(applied=True)

        def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            questions.append(params)
            return next((one for one in params.actions or () if one.title == answer), None)

        editor.client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
        editor.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(ask)
        project = tmp_path / "project"
        text = BILLS["python"][1]
        for name in ("bill.py", "é order.py"):
            (project / name).write_text(text)
        open_folder(editor, project)
        # One of them is open, and another text than on the disk.
        opened = editor.open((project / "bill.py").as_uri(), "# Bills\n" + text)
        uri = await rename(editor, project, "python")
        await until_found(editor, uri, 2)
        (action,) = await editor.code_actions(uri)
        assert action.title == "Change 6 places in 2 other files" and action.edit is None
        assert await editor.command(action.command.command, *action.command.arguments)
        (edit,) = (one.edit for one in edits)
        (question,) = questions
        assert question.message == "Change 6 places in 2 other files: bill.py, é order.py?"
        results = {}
        for change in edit.document_changes:
            it = change.text_document
            before = editor.texts[it.uri].text if it.uri in editor.texts else text
            buffer = Buffer(before, editor.units)
            for each in reversed(change.edits):
                if answer == "Look First":
                    assert edit.change_annotations[each.annotation_id].needs_confirmation
                buffer.apply(each.range, each.new_text)
            results[unquote(it.uri).rsplit("/", 1)[-1]] = it.version, buffer.text
        done = text.replace("tax", "sales_tax")
        version = editor.versions[opened]
        assert results == {"bill.py": (version, "# Bills\n" + done), "é order.py": (None, done)}
        # What was done is not offered again.
        for name in ("bill.py", "é order.py"):
            (project / name).write_text(done)
        end = types.Position(editor.texts[opened].line_count - 1, 0)
        editor.change(opened, types.Range(types.Position(0, 0), end), done)
        assert not await editor.command("editcast.applyOtherFiles", uri)
        assert await editor.code_actions(uri) == []


async def test_a_baseline_names_no_other_files(start: Any, tmp_path: Path) -> None:
    project = tmp_path / "project"
    async with start() as editor:
        (project / "bill.py").write_text(BILLS["python"][1])
        open_folder(editor, project)
        editor.open((project / "bill.py").as_uri(), BILLS["python"][1])
        uri = await rename(editor, project, "python")
        assert not await editor.command("editcast.applyOtherFiles", uri)


@pytest.mark.parametrize("arguments", [[], [7], ["a", "b"]])
async def test_it_takes_one_document(start: Any, arguments: list[Any]) -> None:
    async with start() as editor:
        with pytest.raises(JsonRpcException, match="Invalid Params"):
            await editor.command("editcast.applyOtherFiles", *arguments)
        assert not await editor.command("editcast.applyOtherFiles", "file:///unknown.py")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_version_beside_the_one_that_was_replaced(bundled: Any, folder: Path) -> None:
    place = folder / ".github" / "workflows"
    place.mkdir(parents=True)
    text = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n"
    for name in ("lint.yml", "test.yml", "build.yml"):
        (place / name).write_text(text)
    (place / "other.yml").write_text(text.replace("checkout", "cache"))
    uri = bundled.open((place / "test.yml").as_uri(), text, "yaml")
    bundled.type(uri, "v3", "v4")
    await until_found(bundled, uri, 2)
    names = [(place / name).as_uri() for name in ("build.yml", "lint.yml")]
    assert found(bundled, uri) == [(name, 3, 1) for name in names]


@pytest.mark.asyncio(loop_scope="module")
async def test_settings_in_another_folder(bundled: Any, folder: Path) -> None:
    settings = folder / "deploy" / "worker.yaml"
    settings.parent.mkdir()
    settings.write_text("queue: mail\npoll_interval_seconds: 5\n")
    (folder / "deploy" / "other.yaml").write_text("queue: mail\npoll_interval: 5\n")
    text = "class Settings:\n    poll_interval_seconds: int = 2\n    queue: str\n"
    (folder / "settings.py").write_text(text)
    uri = bundled.open((folder / "settings.py").as_uri(), text)
    bundled.type(uri, "seconds: int = 2", "ms: int = 2000")
    bundled.save(uri)
    await until_found(bundled, uri, 1)
    assert found(bundled, uri) == [(settings.as_uri(), 1, 1)]


@pytest.mark.asyncio(loop_scope="module")
async def test_what_asked_for_a_retired_flag(bundled: Any, folder: Path) -> None:
    shop = folder / "shop.py"
    shop.write_text('from flags import is_on\n\nif is_on("new_checkout"):\n    print(1)\n')
    text = 'FLAGS = {\n    "new_checkout": True,\n    "gift_cards": False,\n}\n'
    (folder / "flags.py").write_text(text)
    uri = bundled.open((folder / "flags.py").as_uri(), text)
    bundled.type(uri, '    "new_checkout": True,\n', "")
    bundled.save(uri)
    await until_found(bundled, uri, 1)
    assert found(bundled, uri) == [(shop.as_uri(), 2, 1)]
