"""The table of migrations, and those that another file begins."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.rewrites.migrations import migrations, read_migrations
from editcast_model.diff import apply_hunks

ROUTES = """from rows import Row


def all_of(given):
    return [Row.parse_obj(one) for one in given]
"""


@pytest.mark.parametrize("one", read_migrations(), ids=lambda one: str(one["name"]))
def test_every_line_of_the_table_is_read(one: dict[str, list[str]]) -> None:
    lines = [*one.get("names", ()), *one.get("code", ()), *one.get("lines", ())]
    for language in one["languages"]:
        every = migrations(language)
        assert lines
        parts = ((each.renamings, each.rules, each.patterns) for each in every)
        assert len(lines) in {sum(map(len, each)) for each in parts}


def _after(file: str, before: str, after: str) -> str:
    found = Consequences("python", "routes.py")
    found.add_other_save(file, 1, before, after)
    return apply_hunks(ROUTES, [one.hunk for one in found.propose([ROUTES], ROUTES)])


def test_another_file_begins_it() -> None:
    before, after = "    @validator('name')\n", "    @field_validator('name')\n"
    assert _after("rows.py", before, after) == ROUTES.replace("parse_obj", "model_validate")
    assert _after("rows.go", before, after) == ROUTES


@pytest.mark.parametrize(
    ("before", "after", "is_begun"),
    [
        ('  "pydantic>=1.10,<2",\n', '  "pydantic>=2.4",\n', True),
        ("pydantic==1.10.2\n", "pydantic==2.0\n", True),
        ("pydantic==2.0\n", "pydantic==2.4\n", False),
        ("pydantic-core==1.0\n", "pydantic-core==2.0\n", False),
    ],
)
def test_a_new_version_begins_it(before: str, after: str, is_begun: bool) -> None:
    new = ROUTES.replace("parse_obj", "model_validate") if is_begun else ROUTES
    assert _after("pyproject.toml", before, after) == new


@pytest.mark.parametrize(("before", "is_begun"), [("", True), ('  "vitest": "^2.0.0",\n', False)])
def test_a_new_package_begins_it(before: str, is_begun: bool) -> None:
    text = "const job = jest.fn();\n"
    found = Consequences("typescript", "queue.test.ts")
    found.add_other_save("package.json", 1, before, before + '  "vitest": "^2.1.8",\n')
    hunks = [one.hunk for one in found.propose([text], text)]
    assert apply_hunks(text, hunks) == (text.replace("jest", "vi") if is_begun else text)


@pytest.mark.parametrize(
    ("file", "before", "after", "is_begun"),
    [
        ("package.json", "{\n}\n", '{\n  "type": "module"\n}\n', True),
        ("package.json", '{\n  "type": "module"\n}\n', '{\n  "type": "module",\n}\n', False),
        ("b.js", 'const c = require("./c");\n', 'import c from "./c.js";\n', False),
    ],
)
def test_a_setting_begins_it(file: str, before: str, after: str, is_begun: bool) -> None:
    text = 'const a = require("./a");\n'
    found = Consequences("javascript", "d.js")
    found.add_other_save(file, 1, before, after)
    hunks = [one.hunk for one in found.propose([text], text)]
    assert apply_hunks(text, hunks) == ('import a from "./a.js";\n' if is_begun else text)


def test_no_import_of_a_built_in_type() -> None:
    text = "from six import text_type\n\nname = text_type(6)\ncode = six.text_type(7)\n"
    typed = text.replace("six.text_type", "str")
    (one,) = Consequences("python").propose([text], typed)
    assert apply_hunks(typed, [one.hunk]) == typed.replace("text_type(", "str(")
