"""Renames in one file of a folder, and moves out of it, followed by the bundled model."""

from typing import Any

import pytest
from lsprotocol import types

PRICES = {
    "python": ("prices.py", "def tax(amount):\n    return amount * 0.2\n"),
    "typescript": ("prices.ts", "export function tax(a: number) {\n  return a * 0.2;\n}\n"),
    "java": (
        "Prices.java",
        "package shop;\n\nclass Prices {\n    static int tax(int amount) {\n"
        "        return amount;\n    }\n}\n",
    ),
    "go": ("prices.go", "package shop\n\nfunc tax(amount int) int {\n\treturn amount\n}\n"),
}
BILLS = {
    "python": (
        "bill.py",
        '"""Bills."""\n\nfrom prices import tax\n\n\ndef bill(amount):\n    return tax(amount)'
        "\n\n\ndef refund(item):\n    return item.net - tax(item.price)\n",
    ),
    "typescript": (
        "bill.ts",
        'import { tax } from "./prices";\n\nexport const bill = (a: number) => a + tax(a);\n\n'
        "export const refund = (item: Item) => item.net - tax(item.price);\n",
    ),
    "java": (
        "Bill.java",
        "package shop;\n\nclass Bill {\n    int bill(int amount) {\n"
        "        return Prices.tax(amount);\n    }\n\n    int refund(Item item) {\n"
        "        return item.net - Prices.tax(item.price);\n    }\n}\n",
    ),
    "go": (
        "bill.go",
        "package shop\n\nfunc bill(amount int) int {\n\treturn amount + tax(amount)\n}\n\n"
        "func refund(item Item) int {\n\treturn item.net - tax(item.price)\n}\n",
    ),
}
every_language = pytest.mark.parametrize("language", PRICES)


@pytest.fixture
def folder(bundled: Any, request: pytest.FixtureRequest) -> Any:
    """An open folder of the test's own."""
    place = bundled.home / "project" / request.node.name
    folder = types.WorkspaceFolder(place.as_uri(), "folder")
    event = types.WorkspaceFoldersChangeEvent([folder], [])
    bundled.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(event)
    )
    return folder.uri


def open_file(editor: Any, folder: str, file: tuple[str, str], language: str) -> Any:
    return editor.open(f"{folder}/{file[0]}", file[1], language)


async def take_all(editor: Any, uri: str) -> list[str]:
    """Take one suggestion after the other; returns the texts that come of them."""
    texts = []
    while (best := await editor.best(uri)) is not None:
        for edit in reversed(best.edits):
            editor.change(uri, edit.range, edit.new_text)
        await editor.command("editcast.accept", best.id)
        texts.append(editor.texts[uri].text)
        assert len(texts) < 9
    return texts


def one_by_one(text: str) -> list[str]:
    """Replace each `tax`, the first one first."""
    return [text.replace("tax", "sales_tax", count + 1) for count in range(text.count("tax"))]


@every_language
@pytest.mark.asyncio(loop_scope="module")
async def test_the_import_and_then_its_uses(bundled: Any, folder: str, language: str) -> None:
    first = open_file(bundled, folder, PRICES[language], language)
    bundled.type(first, "tax", "sales_tax")
    bundled.save(first)
    uri = open_file(bundled, folder, BILLS[language], language)
    assert await take_all(bundled, uri) == one_by_one(BILLS[language][1])


@every_language
@pytest.mark.asyncio(loop_scope="module")
async def test_in_a_file_that_is_open_all_along(bundled: Any, folder: str, language: str) -> None:
    uri = open_file(bundled, folder, BILLS[language], language)
    assert await bundled.best(uri) is None
    first = open_file(bundled, folder, PRICES[language], language)
    bundled.type(first, "tax", "sales_tax")
    bundled.save(first)
    bundled.close(first)
    assert await take_all(bundled, uri) == one_by_one(BILLS[language][1])


@pytest.mark.asyncio(loop_scope="module")
async def test_what_was_undone_is_not_offered(bundled: Any, folder: str) -> None:
    first = open_file(bundled, folder, PRICES["python"], "python")
    for old, new in (("tax", "sales_tax"), ("sales_tax", "tax")):
        bundled.type(first, old, new)
        bundled.save(first)
    uri = open_file(bundled, folder, BILLS["python"], "python")
    assert await bundled.best(uri) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_long_ago_among_many_saves_of_other_files(bundled: Any, folder: str) -> None:
    first = open_file(bundled, folder, PRICES["python"], "python")
    bundled.type(first, "tax", "sales_tax")
    bundled.save(first)
    other = bundled.open(f"{folder}/other.py", "x = 0\n")
    for number in range(40):
        bundled.type(other, f"x = {number}", f"x = {number + 1}")
        bundled.save(other)
    uri = open_file(bundled, folder, BILLS["python"], "python")
    assert (await take_all(bundled, uri))[:1] == one_by_one(BILLS["python"][1])[:1]


JOINED = {
    "python": (
        'def label(name):\n    return "price-" + name\n\n\n'
        'def tag(name):\n    return "tag-" + name\n',
        'f"{}-{{name}}"',
        'def label(item):\n    return "bill-" + item.name\n\n\n'
        'def title(shop):\n    return "at-" + shop\n',
        ('"bill-" + item.name', 'f"bill-{item.name}"'),
        ('"at-" + shop', 'f"at-{shop}"'),
    ),
    "typescript": (
        'export const label = (name: string) => "price-" + name;\n'
        'export const tag = (name: string) => "tag-" + name;\n',
        "`{}-${{name}}`",
        'const label = (item: Item) => "bill-" + item.name;\n\n'
        'const at = (s: string) => "at-" + s;\n',
        ('"bill-" + item.name', "`bill-${item.name}`"),
        ('"at-" + s', "`at-${s}`"),
    ),
}


@pytest.mark.parametrize("language", JOINED)
@pytest.mark.asyncio(loop_scope="module")
async def test_an_expression_is_rewritten_as_in_another_file(
    bundled: Any, folder: str, language: str
) -> None:
    first_text, new, text, *rewrites = JOINED[language]
    suffix = PRICES[language][0].split(".")[1]
    first = open_file(bundled, folder, (f"label.{suffix}", first_text), language)
    for word in ("price", "tag"):
        bundled.type(first, f'"{word}-" + name', new.format(word))
        bundled.save(first)
    uri = open_file(bundled, folder, (f"bill.{suffix}", text), language)
    texts: list[str] = []
    for old, rewritten in rewrites:
        texts.append((texts[-1] if texts else text).replace(old, rewritten))
    assert await take_all(bundled, uri) == texts


SLUGIFY = 'def slugify(title):\n    return title.lower().replace(" ", "-")\n'
TEXT = "def excerpt(text):\n    return text[:200]\n"
VIEWS = f"{SLUGIFY}\n\ndef create(title, text):\n    return store(slugify(title), excerpt(text))\n"
IMPORTER = "from views import slugify\n\n\ndef load(old):\n    return slugify(old.title)\n"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_moved_function_is_imported_in_its_old_file(bundled: Any, folder: str) -> None:
    before = f"from text import excerpt\n\n\n{VIEWS}"
    open_file(bundled, folder, ("importer.py", IMPORTER), "python")
    new = open_file(bundled, folder, ("text.py", TEXT), "python")
    bundled.type(new, "[:200]\n", f"[:200]\n\n\n{SLUGIFY}")
    bundled.save(new)
    old = open_file(bundled, folder, ("views.py", before), "python")
    assert await bundled.best(old) is None
    bundled.type(old, f"{SLUGIFY}\n\n", "")
    bundled.save(old)
    after = before.replace(f"{SLUGIFY}\n\n", "").replace("excerpt\n", "excerpt, slugify\n", 1)
    while await bundled.best(old) is None:  # the new file is read when nothing else is to be done
        bundled.save(old)
    assert (await take_all(bundled, old))[:1] == [after]
