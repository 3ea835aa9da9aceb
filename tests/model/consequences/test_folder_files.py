"""Lines for new files and of deleted ones, where other files list what is beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.consequences.consequences import Consequences, FileEvent
from editcast_model.consequences.lists.folder_files import folder_file
from editcast_model.consequences.replaced.paths import RenamedFile
from editcast_model.diff import apply_hunks

INDEX = """\
export { Badge } from "./Badge";
export { Button } from "./Button";
export { TextField } from "./TextField";
"""
COMPONENTS = ["ui/Badge.tsx", "ui/Button.tsx", "ui/TextField.tsx", "ui/index.ts", "ui/ui.css"]


def listed(
    text: str, path: str, file: str, beside: list[str], *, is_gone: bool = False
) -> list[str]:
    """Return the text with each line that it lacks for a file, or without each of its lines."""
    consequences = Consequences("", path)
    consequences.add_other_save(file, 1, "", "1\n", folder_file(file, beside, is_gone=is_gone))
    return [apply_hunks(text, [one.hunk]) for one in consequences.propose((), text)]


def test_in_the_order_of_the_names() -> None:
    for name, before in (("Dialog", 2), ("Alert", 0), ("Toast", 3)):
        lines = INDEX.splitlines(keepends=True)
        lines.insert(before, f'export {{ {name} }} from "./{name}";\n')
        assert listed(INDEX, "ui/index.ts", f"ui/{name}.tsx", COMPONENTS) == ["".join(lines)]


def test_at_the_end_where_the_lines_have_another_order() -> None:
    text = "nav:\n  - guide/start.md\n  - guide/install.md\n  - guide/about.md\nsite: x\n"
    pages = [f"docs/guide/{name}.md" for name in ("start", "install", "about")]
    expected = text.replace("about.md\n", "about.md\n  - guide/first-steps.md\n")
    assert listed(text, "mkdocs.yml", "docs/guide/first-steps.md", pages) == [expected]


def test_behind_the_last_line_without_an_end() -> None:
    text = "\n".join(f"-r extras/{name}.txt" for name in ("redis", "sqs", "mongo"))
    files = [f"requirements/extras/{name}.txt" for name in ("redis", "sqs", "mongo")]
    found = listed(text, "requirements/all.txt", "requirements/extras/azure.txt", files)
    assert found == [f"{text}\n-r extras/azure.txt"]


@pytest.mark.parametrize("row", range(3))
def test_the_line_of_a_deleted_file_goes(row: int) -> None:
    lines = [*INDEX.splitlines(keepends=True), 'export { Label } from "./Label";\n']
    names = ["Badge", "Button", "TextField", "Label"]
    left = [f"ui/{name}.tsx" for name in names if name != names[row]]
    found = listed("".join(lines), "ui/index.ts", f"ui/{names[row]}.tsx", left, is_gone=True)
    assert found == ["".join(lines[:row] + lines[row + 1 :])]


def test_another_line_of_a_deleted_file_stays() -> None:
    text = f"// Button is the base of all.\n{INDEX.replace('Button', 'Label')}"
    left = [one for one in COMPONENTS if "Button" not in one] + ["ui/Label.tsx"]
    assert listed(text, "ui/index.ts", "ui/Button.tsx", left, is_gone=True) == []


def test_what_happens_to_a_file_later_counts() -> None:
    consequences = Consequences("", "ui/index.ts")
    new, other = "ui/Dialog.tsx", "ui/Modal.tsx"

    def lines(file: str, event: FileEvent | None) -> list[str]:
        consequences.add_other_save(file, None, "1\n", "2\n", event)
        return [one.hunk.text for one in consequences.propose((), INDEX)]

    assert lines(new, folder_file(new, COMPONENTS)) == ['export { Dialog } from "./Dialog";\n']
    assert lines(other, RenamedFile(new, other)) == []
    gone = "ui/Button.tsx"
    left = [*COMPONENTS, "ui/Label.tsx"]
    assert lines(gone, folder_file(gone, left, is_gone=True)) == [""]
    assert lines(gone, None) == []  # saved: it is there again


def test_crlf_stays() -> None:
    text = INDEX.replace("\n", "\r\n")
    (found,) = listed(text, "ui/index.ts", "ui/Dialog.tsx", COMPONENTS)
    assert 'export { Dialog } from "./Dialog";\r\n' in found
    assert "\n" not in found.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "path", "new", "beside"),
    [
        pytest.param(
            INDEX + "// Dialog follows\n", "ui/index.ts", "ui/Dialog.tsx", COMPONENTS, id="named"
        ),
        pytest.param(INDEX, "ui/Dialog.tsx", "ui/Dialog.tsx", COMPONENTS, id="itself"),
        pytest.param(INDEX, "ui/index.ts", "ui/dialog.css", COMPONENTS, id="another kind"),
        pytest.param(INDEX, "ui/index.ts", "ui/index.tsx", COMPONENTS, id="no name"),
        pytest.param(
            INDEX,
            "ui/index.ts",
            "ui/Dialog.tsx",
            [*COMPONENTS, *(f"ui/Part{one}.tsx" for one in "ABCDE")],
            id="a few of many",
        ),
        pytest.param(
            INDEX.replace("\n", "\n\n\n"), "ui/index.ts", "ui/Dialog.tsx", COMPONENTS, id="spread"
        ),
        pytest.param(
            "menu:\n  a: icon-menu\n  b: icon-sort\n  c: icon-home\n",
            "icons.yml",
            "icons/arrow-up.svg",
            [f"icons/{name}.svg" for name in ("menu", "sort", "home")],
            id="written in an unknown way",
        ),
    ],
)
def test_nothing(text: str, path: str, new: str, beside: list[str]) -> None:
    assert listed(text, path, new, beside) == []


@given(
    text=st.text(st.sampled_from("ab-_./'\" \n\r\tBadgeButtonText")),
    name=st.text(st.sampled_from("aB-_.x"), max_size=6),
)
def test_any_text_and_any_name(text: str, name: str) -> None:
    files = [f"ui/{one}.ts" for one in ("aaa", "abb", "bab", "baa")]
    lines = f"{text}\n" + "".join(f"import './{one}'\n" for one in ("aaa", "abb", "bab", "baa"))
    for whole in (text, lines):
        for found in listed(whole, "ui/all.ts", f"ui/{name}.ts", files):
            assert len(found.splitlines()) >= len(whole.splitlines())
            assert set(whole.splitlines()) <= set(found.splitlines())


def test_a_list_of_pages_says_nothing_of_private_modules() -> None:
    text = "toctree:\n  - tasks\n  - streams\n  - testing\n"
    modules = [f"lib/_{name}.py" for name in ("tasks", "streams", "testing")]
    assert listed(text, "docs/index.yml", "lib/_signals.py", modules) == []
    imports = "from ._streams import *\nfrom ._tasks import *\nfrom ._testing import *\n"
    expected = "from ._signals import *\n" + imports
    assert listed(imports, "lib/__init__.py", "lib/_signals.py", modules) == [expected]
