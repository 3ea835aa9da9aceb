"""Old paths of renamed and moved files in other files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.replaced.paths import RenamedFile, add_renamed
from editcast_model.diff import apply_hunks

ROOT = "file:///home/me/project/"


def followed(text: str, path: str, *renamed: tuple[str, str]) -> str:
    """Return a text of a file with all that follows from files that were renamed."""
    consequences = Consequences("", ROOT + path)
    for old, new in renamed:
        one = RenamedFile(ROOT + old, ROOT + new)
        consequences.add_other_save(one.new, None, "", "", one)
    hunks = [one.hunk for one in consequences.propose((), text)]
    return apply_hunks(text, sorted(hunks, key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("path", "old", "new", "text"),
    [
        ("README.md", "docs/start.md", "docs/begin.md", "See [it](docs/{start.md=>begin.md}#a).\n"),
        ("mkdocs.yml", "docs/guide/start.md", "docs/begin.md", "- {guide/start.md=>begin.md}\n"),
        ("run.sh", "tools/lint.py", "scripts/lint.py", "python {tools/lint.py=>scripts/lint.py}\n"),
        ("a.ts", "src/store.ts", "src/cart.ts", "import { a } from 'src/{store=>cart}'\n"),
        ("src/a.ts", "src/store.ts", "src/cart.ts", "import { a } from '{./store=>./cart}'\n"),
        (
            "src/a.ts",
            "src/store.ts",
            "src/cart.ts",
            "import { a } from '{./store.js=>./cart.js}'\n",
        ),
        ("src/a/b.ts", "src/c.ts", "lib/d/c.ts", "export * from '{../c=>../../lib/d/c}'\n"),
        ("src/d.css", "src/a.css", "src/x/a.css", "@import '{./a.css=>./x/a.css}';\n"),
        ("app/a.py", "app/views.py", "app/pages.py", "from app.{views=>pages} import b\n"),
        ("app/a.py", "app/b/views.py", "app/views.py", "from app.{b.views=>views} import b\n"),
    ],
)
def test_paths_that_follow(path: str, old: str, new: str, text: str) -> None:
    before, _, rest = text.partition("{")
    change, _, behind = rest.partition("}")
    if "=>" not in change:  # the first braces are those of an import
        start = text.index("=>")
        at = text.rindex("{", 0, start)
        before, (change, behind) = text[:at], text[at + 1 :].split("}", 1)
    was, now = change.split("=>")
    assert followed(before + was + behind, path, (old, new)) == before + now + behind


@pytest.mark.parametrize(
    ("path", "old", "new", "text"),
    [
        (
            "README.md",
            "docs/start.md",
            "docs/begin.md",
            "See blog/start.md, restart.md, start.md.in",
        ),
        ("api.py", "models/silences.go", "models/muted.go", 'route = "/silences"\n'),
        ("web.go", "app/favicon.ico", "app/public/favicon.ico", 'get("/favicon.ico")\n'),
        ("a.py", "app/views.py", "app/views/__init__.py", "from app.views import b\n"),
        ("src/a.js", "src/config.js", "src/config/index.js", "import a from './config'\n"),
        ("src/a.ts", "lib/store.ts", "lib/cart.ts", "import { a } from './store'\n"),
        ("a.py", "app/views.py", "app/pages.py", "self.views = other.views\n"),
        ("docs/begin.md", "docs/start.md", "docs/begin.md", "# start.md\n"),
        ("a.md", "docs/index.md", "docs/start.md", "See index.md.\n"),
    ],
)
def test_what_is_not_the_file_stays(path: str, old: str, new: str, text: str) -> None:
    assert followed(text, path, (old, new)) == text


def test_a_file_that_was_renamed_twice() -> None:
    text = "docs/a.md docs/b.md\n"
    renamed = [("docs/a.md", "docs/b.md"), ("docs/b.md", "docs/c.md")]
    assert followed(text, "README.md", *renamed) == "docs/c.md docs/c.md\n"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=6))
def test_known_names_lead_to_the_last_one(renames: list[tuple[str, str]]) -> None:
    known: list[RenamedFile] = []
    for old, new in renames:
        known = add_renamed(known, RenamedFile(old, new))
        assert len({one.old for one in known}) == len(known)
        assert all(one.old != one.new for one in known)
        assert old == new or RenamedFile(old, new) in known
