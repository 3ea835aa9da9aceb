"""Definitions that were moved to another file, and their import in the old one."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.diff import apply_hunks

SLUGIFY = "def slugify(title):\n    return title.lower()\n"
VIEWS = f"from blog.text import excerpt\n\n\n{SLUGIFY}\n\ndef create(title):\n    return "


def index_of(**texts: str) -> ImportIndex:
    index = ImportIndex()
    for name, text in texts.items():
        index.put(f"blog/{name}.py", "", text)
    return index


def after_deletion(before: str, index: ImportIndex, after: str = "") -> list[str]:
    """Return the texts of a file after each edit that follows from a deletion in it."""
    text = after or before.replace(f"{SLUGIFY}\n\n", "")
    imports = index.of("blog/views.py", "")
    found = Consequences("", "blog/views.py").propose([before], text, imports=imports)
    return [apply_hunks(text, [one.hunk]) for one in found]


def test_the_old_file_imports_what_it_still_uses() -> None:
    before = f"{VIEWS}slugify(title)\n"
    texts = {"views": before, "text": SLUGIFY, "importer": "from blog.views import slugify\n"}
    after = before.replace(f"{SLUGIFY}\n\n", "").replace("excerpt\n", "excerpt, slugify\n")
    assert after_deletion(before, index_of(**texts)) == [after]
    texts["other"] = "from blog.text import slugify\n"
    assert after_deletion(before, index_of(**texts)) == [after]
    assert after_deletion(before, index_of(**texts, more=SLUGIFY)) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{VIEWS}title\n", ""),
        (f"{VIEWS}slugify(title)\n", f"{VIEWS}slugify(title)\n".replace("def slugify", "def slug")),
        (f"{VIEWS}slugify(title)\n", f"{SLUGIFY}\n\nslugify(1)\n"),
        ("from blog.text import slugify\n\nslugify(1)\n", "slugify(1)\n"),
        ("def f():\n    slugify = 1\n    return slugify\n", "def f():\n    return slugify\n"),
    ],
)
def test_what_is_not_missing_is_not_imported(before: str, after: str) -> None:
    index = index_of(text=f"{SLUGIFY}\nexcerpt = 1\n", importer="from blog.text import excerpt\n")
    assert not [one for one in after_deletion(before, index, after) if "import slugify" in one]


def test_two_other_files_that_define_it_say_nothing() -> None:
    before = f"{VIEWS}slugify(title)\n"
    assert after_deletion(before, index_of(text=SLUGIFY, more=SLUGIFY)) == []
