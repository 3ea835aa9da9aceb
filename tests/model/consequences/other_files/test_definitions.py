"""Imports of what no file imports yet, and one file of the project defines."""

import pytest

from editcast_model.consequences.other_files import origins as module
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.consequences.other_files.origins import definitions
from editcast_model.consequences.other_files.standard_library import STATEMENTS

ERRORS = "class BadDay(ValueError):\n    pass\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.py",
            "import os\n\nLIMIT = 3\nRATES: dict[str, int] = {}\nlower = 1\nX == 2\n"
            "def f():\n    def g(): ...\nasync def h(): ...\nclass C:\n    D = 1\n"
            "_P = 1\ndef _q(): ...\n",
            "LIMIT RATES f h C",
        ),
        (
            "a.ts",
            "export const a = 1, z = 2;\nexport async function b() {}\nexport default class C {}\n"
            "export type D = string;\nexport abstract class E {}\nconst f = 1;\n"
            "export interface G {}\nexport enum H {}\n  export const i = 1;\nexport { f };\n",
            "a b D E G H",
        ),
        ("A.java", "package a.b;\n\npublic final class A {\n  public class B {}\n}\n", "A"),
        ("a.go", "package a\n\nfunc F() {}\n", ""),
        ("a.vue", "<script>\nexport const a = 1\n</script>\n", ""),
        ("a.txt", "class A:\n", ""),
    ],
)  # fmt: skip
def test_what_a_file_defines(path: str, text: str, expected: str) -> None:
    assert [one.name for one in definitions(text, "", path)] == expected.split()


def test_a_file_of_constants_is_none_to_import_from() -> None:
    text = "".join(f"VALUE_{number} = {number}\n" for number in range(module._MOST + 1))
    assert definitions(text, "python", "a.py") == ()


def statement(files: dict[str, str], importer: str, name: str) -> str | None:
    """Return the import of a name that a file lacks; the text of the file is among the others."""
    index = ImportIndex()
    for path, text in files.items():
        index.put(path, "", text)
    return index.of(importer, "").get(name)


@pytest.mark.parametrize(
    ("files", "importer", "expected"),
    [
        # As another module of the package is imported.
        (
            {"shop/errors.py": ERRORS, "shop/days.py": "", "test.py": "from shop.days import f\n"},
            "shop/days.py",
            "from shop.errors import BadDay",
        ),
        # Beneath a folder that is no package, and beneath one of the same name.
        (
            {"src/shop/errors.py": ERRORS, "src/shop/days.py": "import shop.days\n"},
            "test/test_days.py",
            "from shop.errors import BadDay",
        ),
        (
            {"shop/shop/a/errors.py": ERRORS, "shop/shop/days.py": "import shop.days\n"},
            "shop/shop/days.py",
            "from shop.a.errors import BadDay",
        ),
        (
            {"shop/shop/__init__.py": ERRORS, "a.py": "import shop\n"},
            "a.py",
            "from shop import BadDay",
        ),
        # As a script imports what is beside it.
        (
            {"bin/errors.py": ERRORS, "bin/days.py": "import os\n", "bin/run.py": "import days\n"},
            "bin/run.py",
            "from errors import BadDay",
        ),
        # Relative, where most others are; not from below its folder.
        (
            {"shop/errors.py": ERRORS, "shop/days.py": "from .a import b\n"},
            "shop/days.py",
            "from .errors import BadDay",
        ),
        (
            {"shop/errors.py": ERRORS, "shop/x/days.py": "from .a import b\nimport shop.errors\n"},
            "shop/x/days.py",
            "from shop.errors import BadDay",
        ),
        ({"a/errors.py": ERRORS, "a/x/days.py": "from .a import b\n"}, "a/x/days.py", None),
        # Code does not import from tests, nor by the name of a module of Python's own.
        ({"tests/errors.py": ERRORS, "a.py": "import tests.errors\n"}, "a.py", None),
        ({"tests/errors.py": ERRORS, "tests/b.py": "import c\n"}, "tests/b.py", None),
        ({"json/__init__.py": ERRORS, "a.py": "import json\n"}, "a.py", None),
        # Nothing tells how.
        ({"shop/errors.py": ERRORS, "days.py": "import os\n"}, "days.py", None),
        # It is not known which, or another one is imported.
        (
            {"shop/errors.py": ERRORS, "shop/more.py": ERRORS, "a.py": "import shop.more\n"},
            "a.py",
            None,
        ),
        (
            {
                "shop/errors.py": ERRORS,
                "a.py": "import shop.errors\n",
                "b.py": "from x import BadDay\n",
            },
            "a.py",
            "from x import BadDay",
        ),
        ({"shop/errors.py": ERRORS, "a.py": "import shop.errors\n"}, "shop/errors.py", None),
    ],
)  # fmt: skip
def test_python(files: dict[str, str], importer: str, expected: str | None) -> None:
    assert statement(files, importer, "BadDay") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 'import { Day } from "../days";'),
        ("import { a } from './a';\n", 'import { Day } from "../days";'),
        ("import { a } from './a.js';\n", 'import { Day } from "../days.js";'),
        ("import { a } from '@/lib/a';\n", 'import { Day } from "@/days";'),
        (
            "import { a } from '@/lib/a';\nimport { c } from './a';\n",
            'import { Day } from "@/days";',
        ),
        ("import { a } from '@/nowhere';\n", None),
        ("import type { A } from './a';\n", 'import type { Day } from "../days";'),
    ],
)
def test_typescript(text: str, expected: str | None) -> None:
    files = {"src/days.ts": "export interface Day {}\n", "src/lib/a.ts": "", "src/lib/b.ts": text}
    assert statement(files, "src/lib/b.ts", "Day") == expected


def test_a_folder_is_imported_by_its_name() -> None:
    files = {"src/days/index.ts": "export class Day {}\n"}
    assert statement(files, "src/a.ts", "Day") == 'import { Day } from "./days";'


def test_far_away_is_not_guessed() -> None:
    files = {"a/days.ts": "export class Day {}\n"}
    assert statement(files, "b/c/week.ts", "Day") == 'import { Day } from "../../a/days";'
    assert statement(files, "b/c/d/week.ts", "Day") is None


def test_java() -> None:
    files = {"a/b/Day.java": "package a.b;\n\npublic record Day(int of) {}\n"}
    assert statement(files, "a/c/Week.java", "Day") == "import a.b.Day;"
    assert statement(files, "a/b/Week.java", "Day") is None
    assert statement({"Day.java": "public enum Day {}\n"}, "a/Week.java", "Day") is None


def test_what_is_gone_is_forgotten() -> None:
    index = ImportIndex()
    index.put("shop/errors.py", "python", ERRORS)
    index.put("a.py", "python", "import shop.errors\n")
    known = index.of("a.py", "python")
    assert known.get("BadDay") and "BadDay" in known and index.names("python") == {"BadDay", "shop"}
    index.put("shop/errors.py", "python", "")
    assert "BadDay" not in known and known.get("BadDay") is None
    index.put("shop/errors.py", "python", ERRORS)
    index.put("a.py", "python", "")
    assert "BadDay" in known and known.get("BadDay") is None
    index.forget()
    assert "BadDay" not in known and not index.names("python")
    assert len(known) == len([*known]) == len(STATEMENTS["python"])
