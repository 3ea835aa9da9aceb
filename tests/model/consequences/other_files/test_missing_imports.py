"""Imports that a file lacks, as other files of the project write them."""

from importlib import import_module

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.consequences.other_files.import_statements import missing
from editcast_model.consequences.other_files.origins import MOST_CHARACTERS, origins
from editcast_model.consequences.other_files.standard_library import (
    STATEMENTS,
)
from editcast_model.diff import apply_hunks
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import parse

SUFFIXES = {"python": "py", "typescript": "ts", "javascript": "js", "go": "go", "java": "java"}


def written(text: str, path: str, importer: str) -> dict[str, str | None]:
    return {one.bound: one.statement(importer) for one in origins(text, "", path)}


@pytest.mark.parametrize(
    ("path", "text", "importer", "expected"),
    [
        (
            "a/b.py",
            "import os\nimport numpy as np\nimport os.path\nfrom re import compile, sub as s\n",
            "c.py",
            {
                "os": "import os.path",
                "np": "import numpy as np",
                "compile": "from re import compile",
                "s": "from re import sub as s",
            },
        ),
        ("a/b.py", "from .c import d\n", "a/e.py", {"d": "from .c import d"}),
        ("a/b.py", "from .c import d\n", "e.py", {"d": "from .a.c import d"}),
        ("a/b.py", "from .c import d\n", "a/f/e.py", {"d": None}),
        ("a/b.py", "from . import c\n", "a/e.py", {"c": "from . import c"}),
        ("a/b/c.py", "from ..d import e\n", "a/f.py", {"e": "from .d import e"}),
        ("a/b/c.py", "from ... import e\n", "f.py", {"e": "from . import e"}),
        ("a.py", "from b import *\nx = 1\ndef f():\n    import c\n", "d.py", {}),
        ("a.py", "if 1:\n    import b\n", "c.py", {}),
        (
            "a/b.ts",
            "import d, { e, type F, g as h } from './c';\nimport * as i from \"j\";\n"
            "import type { K } from '../k';\nexport { l } from './l';\n",
            "m/n.ts",
            {
                "d": 'import d from "../a/c";',
                "e": 'import { e } from "../a/c";',
                "F": 'import type { F } from "../a/c";',
                "h": 'import { g as h } from "../a/c";',
                "i": 'import * as i from "j";',
                "K": 'import type { K } from "../k";',
            },
        ),
        (
            "a.js",
            "const b = require('b');\nconst { c, d: e } = require('./d');\nf(require('g'));\n",
            "h.js",
            {
                "b": 'const b = require("b");',
                "c": 'const { c } = require("./d");',
                "e": 'const { d: e } = require("./d");',
            },
        ),
        (
            "a/b.go",
            'package a\n\nimport (\n\t"fmt"\n\tc "d.com/e"\n\t. "f"\n\t_ "g"\n\t"h/i"\n)\n',
            "j.go",
            {"fmt": 'import "fmt"', "c": 'import c "d.com/e"', "i": 'import "h/i"'},
        ),
        (
            "src/shop/Bill.java",
            "package shop;\n\nimport java.util.List;\nimport static a.B.c;\nimport d.*;\n"
            "import shop.price.Tax;\n",
            "src/shop/price/Rate.java",
            {"List": "import java.util.List;", "Tax": None},
        ),
        ("a.rs", "use a::b;\n", "c.rs", {}),
        ("a.py", "\ud800 = (\n", "c.py", {}),
    ],
)
def test_statements(path: str, text: str, importer: str, expected: dict[str, str | None]) -> None:
    assert written(text, path, importer) == expected


@pytest.mark.parametrize(
    ("text", "has_one", "lacks_it"),
    [
        ("from .util import debug\n", "a/b.py", "a/util.py"),
        ("from .. import debug\n", "util/b.py", "util/__init__.py"),
        ("from a.util import debug\n", "b.py", "lib/a/util.py"),
    ],
)
def test_a_file_takes_nothing_of_itself(text: str, has_one: str, lacks_it: str) -> None:
    index = ImportIndex()
    index.put("a/c.py" if has_one.startswith("a") else "util/d/e.py", "", text)
    assert index.of(has_one, "").get("debug")
    assert index.of(lacks_it, "").get("debug") is None


def test_what_is_further_down_is_not_looked_at() -> None:
    assert origins("#" * MOST_CHARACTERS + "\nimport os\n", "python", "a.py") == ()


@pytest.mark.parametrize(
    ("language", "before", "typed", "statement", "expected"),
    [
        ("python", "x = 1\n", "y = Path(x)\n", "from pathlib import Path", 
         "from pathlib import Path\n\nx = 1\n"),
        ("python", '"""Doc."""\n\nx = 1\n', "y = Path(x)\n", "from pathlib import Path",
         '"""Doc."""\n\nfrom pathlib import Path\n\nx = 1\n'),
        ("python", '"""Doc."""\nx = 1\n', "y = Path(x)\n", "from pathlib import Path",
         '"""Doc."""\n\nfrom pathlib import Path\n\nx = 1\n'),
        ("python", "#!/bin/python\nx = 1\n", "y = Path(x)\n", "from pathlib import Path",
         "#!/bin/python\n\nfrom pathlib import Path\n\nx = 1\n"),
        ("python", "# a\n\n# b\nclass C: pass\n", "Path\n", "from pathlib import Path",
         "# a\n\nfrom pathlib import Path\n\n# b\nclass C: pass\n"),
        ("python", "# b\nclass C: pass\n", "Path\n", "from pathlib import Path",
         "from pathlib import Path\n\n\n# b\nclass C: pass\n"),
        ("python", "# a\n" * 9 + '"""Doc."""\n\nx = 1\n', "Path\n", "from pathlib import Path",
         "# a\n" * 9 + '"""Doc."""\n\nfrom pathlib import Path\n\nx = 1\n'),
        ("python", "# a\nimport os  # b\nfrom re import sub\n\nx = 1\n", "zlib\n", "import zlib",
         "# a\nimport os  # b\nimport zlib\nfrom re import sub\n\nx = 1\n"),
        ("python", "import os\nimport re\nfrom sys import argv\n\n", "json\n", "import json",
         "import json\nimport os\nimport re\nfrom sys import argv\n\n"),
        ("python", "import os\nfrom re import sub\nimport sys\n\n", "json\n", "import json",
         "import json\nimport os\nfrom re import sub\nimport sys\n\n"),
        ("python", "import sys\nimport os\nimport re\nimport io\n\n", "json\n", "import json",
         "import sys\nimport os\nimport re\nimport io\nimport json\n\n"),
        ("python", "import os\n\nimport a\nimport d\n\nfrom .c import e\n\n", "b\n", "import b",
         "import os\n\nimport a\nimport b\nimport d\n\nfrom .c import e\n\n"),
        ("python", "import os\n\nimport a\n\nfrom b import c\n\n", "d.e\n", "from b.d import d",
         "import os\n\nimport a\n\nfrom b import c\nfrom b.d import d\n\n"),
        ("python", "import b\n\nfrom .c import e\n\n", "json\n", "import json",
         "import json\n\nimport b\n\nfrom .c import e\n\n"),
        ("python", "from re import I\n\nimport a\n\n", "b\n", "from .c import b",
         "from re import I\n\nimport a\n\nfrom .c import b\n\n"),
        ("python", "from re import I\nimport os\n\n", "b\n", "from .c import b",
         "from re import I\nimport os\n\nfrom .c import b\n\n"),
        ("python", "from re import sub\n\n", "escape('a')\n", "from re import escape as escape",
         "from re import escape, sub\n\n"),
        ("python", "from re import I, Match, sub\n\n", "match(DOTALL)\n", "from re import DOTALL",
         "from re import DOTALL, I, Match, sub\n\n"),
        ("python", "from re import (\n    match,\n    sub,\n)\n\n", "escape(x)\n",
         "from re import escape", "from re import (\n    escape,\n    match,\n    sub,\n)\n\n"),
        ("python", "from re import (\n    sub,\n    split,\n)\n\n", "match(x)\n",
         "from re import match", "from re import (\n    sub,\n    split,\n    match,\n)\n\n"),
        ("python", "from re import I\nfrom re import sub\n\n", "match(x)\n", "from re import match",
         "from re import I\nfrom re import match\nfrom re import sub\n\n"),
        ("python", "from re import (\n    I,  # a\n)\n\n", "match(x)\n", "from re import match",
         "from re import (\n    I,  # a\n    match,\n)\n\n"),
        # What `typing` and `collections.abc` both have is from where the others are.
        ("python", "from typing import Iterable\n\n", "def f(b: Callable): ...\n",
         "from collections.abc import Callable", "from typing import Callable, Iterable\n\n"),
        ("python", "from typing import Final\n\n", "def f(b: Callable): ...\n",
         "from collections.abc import Callable",
         "from collections.abc import Callable\nfrom typing import Final\n\n"),
        ("typescript", "import { a } from './a';\n\nf(a);\n", "b();\n",
         'import { b } from "./b";',
         "import { a } from './a';\nimport { b } from './b';\n\nf(a);\n"),
        ("typescript", "import { a } from './a'\n\nf(a)\n", "b()\n", 'import { b } from "./b";',
         "import { a } from './a'\nimport { b } from './b'\n\nf(a)\n"),
        ("typescript", 'import { a } from "./a";\n\nf(a);\n', "b();\n",
         'import { b } from "./a";', 'import { a, b } from "./a";\n\nf(a);\n'),
        ("typescript", 'import type { A } from "./a";\n\nlet a: A;\n', "b();\n",
         'import { b } from "./a";',
         'import type { A } from "./a";\nimport { b } from "./a";\n\nlet a: A;\n'),
        ("typescript", 'import { a } from "./a";\n\nf(a);\n', "let b: B;\n",
         'import type { B } from "./a";', 'import { a, type B } from "./a";\n\nf(a);\n'),
        ("javascript", '"use strict";\nconst a = require("a");\n\nf(a);\n', "b();\n",
         'const { b } = require("./b");',
         '"use strict";\nconst a = require("a");\nconst { b } = require("./b");\n\nf(a);\n'),
        # The quotes and ends are those of the file's other imports.
        ("typescript", "import { a } from './a'\n\nconst c = \"\";\nf(a);\n", "b();\n",
         "import { b } from './b';",
         "import { a } from './a'\nimport { b } from './b'\n\nconst c = \"\";\nf(a);\n"),
        # Sorted by their paths, packages and outer folders first.
        ("typescript",
         'import { a } from "a";\nimport { c } from "../c";\nimport { d } from "./d";\n', "b();\n",
         "import { b } from '../b';",
         'import { a } from "a";\nimport { b } from "../b";\nimport { c } from "../c";\n'
         'import { d } from "./d";\n'),
        # In the paragraph of its kind.
        ("typescript", 'import { a } from "a";\n\nimport { c } from "./c";\n\nf(a);\n', "b();\n",
         'import { b } from "@b/b";',
         'import { a } from "a";\nimport { b } from "@b/b";\n\nimport { c } from "./c";\n\n'
         "f(a);\n"),
        # In no order: behind the last one of its kind.
        ("typescript",
         "import z from 'z'\nimport y from 'y'\nimport x from 'x'\nimport c from './c'\n", "b();\n",
         "import b from 'b'",
         "import z from 'z'\nimport y from 'y'\nimport x from 'x'\nimport b from 'b'\n"
         "import c from './c'\n"),
        # Before all, if it comes before all.
        ("typescript", "import c from './c'\n", "b();\n", "import b from 'node:b'",
         "import b from 'node:b'\nimport c from './c'\n"),
        ("java", "package a;\n\nimport b.C;\nimport b.E;\n\nclass A {}\n", "class B { D d; }\n",
         "import b.D;", "package a;\n\nimport b.C;\nimport b.D;\nimport b.E;\n\nclass A {}\n"),
        ("java", "// a\npackage a;\n\nclass A {}\n", "class B { D d; }\n", "import b.D;",
         "// a\npackage a;\n\nimport b.D;\n\nclass A {}\n"),
        ("go", "package a\n\nvar x = 1\n", "var y = fmt.Sprint(x)\n", 'import "fmt"',
         'package a\n\nimport "fmt"\n\nvar x = 1\n'),
        ("go", 'package a\n\nimport "os"\n\nvar x = os.Args\n', "var y fmt.Stringer\n",
         'import "fmt"', 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nvar x = os.Args\n'),
        ("go", 'package a\n\nimport "b.com/c"\n\nvar x = c.X\n', "var y fmt.Stringer\n",
         'import "fmt"', 'package a\n\nimport (\n\t"fmt"\n\n\t"b.com/c"\n)\n\nvar x = c.X\n'),
        ("go", 'package a\n\nimport "os"\nimport "io"\n\nvar x = 1\n', "var y fmt.Stringer\n",
         'import "fmt"', 'package a\n\nimport "os"\nimport "io"\nimport "fmt"\n\nvar x = 1\n'),
        ("go", 'package a\n\nimport (\n\t"os"\n\t"io"\n)\n\nvar x = 1\n', "var y fmt.Stringer\n",
         'import "fmt"', 'package a\n\nimport (\n\t"os"\n\t"io"\n\t"fmt"\n)\n\nvar x = 1\n'),
        ("go", 'package a\n\nimport (\n\t"io" // a\n)\n\nvar x = 1\n', "var y = fmt.X\n",
         'import "os/fmt"',
         'package a\n\nimport (\n\t"io" // a\n\t"os/fmt"\n)\n\nvar x = 1\n'),
        ("go", 'package a\n\n// int x;\nimport "C"\n\nvar x = C.x\n', "var y = fmt.X\n",
         'import "fmt"',
         'package a\n\n// int x;\nimport "C"\nimport "fmt"\n\nvar x = C.x\n'),
        ("go", 'package a\n\nimport (\n\t"os"\n\n\t"b.com/c"\n)\n\nvar x = os.Args\n',
         "var y = fmt.Sprint(x)\n", 'import "fmt"',
         'package a\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"b.com/c"\n)\n\nvar x = os.Args\n'),
        ("go", 'package a\n\nimport (\n\t"os"\n)\n\nvar x = os.Args\n', "var y = d.E\n",
         'import d "b.com/c"',
         'package a\n\nimport (\n\t"os"\n\n\td "b.com/c"\n)\n\nvar x = os.Args\n'),
    ],
)  # fmt: skip
def test_is_put_where_it_belongs(
    language: str, before: str, typed: str, statement: str, expected: str
) -> None:
    names = (
        "Path",
        "DOTALL",
        "json",
        "Callable",
        "zlib",
        "escape",
        "match",
        "b",
        "B",
        "fmt",
        "d",
        "D",
    )
    imports = {name: statement for name in names if name in statement}
    text = before + typed
    source = Consequences(language, f"a.{SUFFIXES[language]}")
    (found,) = source.propose([before], text, imports=imports)
    assert apply_hunks(text, [found.hunk]) == expected + typed
    after = apply_hunks(text, [found.hunk])
    assert source.propose([before, text], after, imports=imports) == []


@pytest.mark.parametrize(
    ("language", "before", "typed"),
    [
        ("python", "from x import *\n", "Path()\n"),
        ("python", "x = 1\n", "x.Path()\n"),
        ("python", "x = 1\n", "Path = 2\nprint(Path)\n"),
        ("python", "x = 1\n", "f(Path=2)  # Path 'Path'\n"),
        ("python", "def f(Path):\n    x = 1\n", "    return Path\n"),
        ("python", "Path()\n", "x = 1\n"),
        ("typescript", "const x = 1;\n", "type Path = number;\nlet y: Path;\n"),
        ("go", "package a\n\nvar x = 1\n", "var y = Path\n"),
        ("go", "package a\n\nfunc f(Path T) int {\n", "\treturn Path.x\n}\n"),
    ],
)
def test_a_name_that_means_something_lacks_nothing(language: str, before: str, typed: str) -> None:
    imports = {"Path": 'import "x/Path"' if language == "go" else "import Path"}
    assert Consequences(language).propose([before], before + typed, imports=imports) == []


def test_a_name_that_is_being_typed_is_not_imported() -> None:
    before, text = "x = 1\n", "x = 1\ny = Path"
    imports = {"Path": "from pathlib import Path"}
    source = Consequences("python")
    assert source.propose([before], text, imports=imports, active=range(10, 14)) == []
    assert source.propose([before], text + "(", imports=imports, active=range(15, 15)) == []
    assert source.propose([before], text + "()", imports=imports, active=range(16, 16))


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ("import abc\nimport time\n", ["import time => import asyncio"]),
        ("import time\n\nfrom c import d\n", ["import time => import asyncio"]),
        ("import re\nimport time\n", [" => import asyncio\n", "import time\n => "]),
        ("import time  # late\n", [" => import asyncio\n"]),
    ],
)
def test_a_module_in_the_place_of_another(imports: str, expected: list[str]) -> None:
    text = imports + "\nasync def f():\n    time.sleep(re)\n    abc(d)\n"
    typed = text.replace("time.sleep", "await asyncio.sleep")
    known = ImportIndex().of("a.py", "python")
    found = Consequences("python").propose([text], typed, imports=known)
    hunks = [one.hunk for one in found]
    assert [f"{typed[one.start : one.end]} => {one.text}" for one in hunks] == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "x = json.loads(y)\n", ["import json\n\n"]),
        ("a.py", "@dataclass\nclass A:\n    x: Path = field(default=None)\n",
         ["from dataclasses import dataclass\n\n\n", "from pathlib import Path\n\n\n",
          "from dataclasses import field\n\n\n"]),
        ("a.py", "json = read()\nx = json.loads(y)\n", []),
        ("a.go", "package a\n\nvar x = filepath.Join(y, http.MethodGet)\n",
         ['\n\nimport "path/filepath"', '\n\nimport "net/http"']),
        ("a.go", "package a\n\nfunc f(time Time) int { return time.x }\n", []),
        ("a.ts", "const x = json.loads(y);\n", []),
        ("A.java", "class A {\n  Optional<String> b;\n  Files c;\n  A d;\n}\n",
         ["import java.util.Optional;\n\n", "import java.nio.file.Files;\n\n"]),
        ("A.java", "import a.Optional;\n\nclass A { Optional<String> b; }\n", []),
        ("A.java", "class A { interface List {}\n    List b; }\n", []),
    ],
)  # fmt: skip
def test_the_standard_library_needs_no_other_file(
    path: str, text: str, expected: list[str]
) -> None:
    language = language_of("", path) or ""
    tree = parse(text, language)
    assert tree is not None
    names = Names(tree)
    found = missing(names, ImportIndex().of(path, language), 0, len(text))
    assert [hunk.text for _, hunk in found] == expected


def test_what_the_project_imports_comes_first() -> None:
    index = ImportIndex()
    index.put("b.py", "python", "import simplejson as json\n")
    known = index.of("a.py", "python")
    assert known["json"] == "import simplejson as json" and known["re"] == "import re"
    index.put("c.py", "python", "import json\n")
    assert known.get("json") is None


def test_modules_are_written_as_the_project_writes_them() -> None:
    index = ImportIndex()
    index.put("src/clock.ts", "typescript", "export interface Clock {}\nexport const LATE = 1;\n")
    known = index.of("src/shop/desk.ts", "typescript")
    assert known["Clock"] == 'import { Clock } from "../clock";'
    index.put("src/app.ts", "typescript", 'import { Desk } from "./shop/desk.js";\n')
    assert known["Clock"] == 'import { Clock } from "../clock.js";'
    index.put("src/b.ts", "typescript", 'import type { Desk } from "./shop/desk.js";\n')
    assert known["Clock"] == 'import type { Clock } from "../clock.js";'
    assert known["LATE"] == 'import { LATE } from "../clock.js";'


def test_a_library_that_the_project_uses_has_more_names() -> None:
    index = ImportIndex()
    known = index.of("a.tsx", "typescriptreact")
    assert known.get("useEffect") is None and "useEffect" not in known and not [*known]
    index.put("b.tsx", "typescriptreact", 'import { useState } from "react";\n')
    assert known["useEffect"] == 'import { useEffect } from "react";' and "useEffect" in {*known}
    assert known.get("onMounted") is None
    index.put("d.js", "javascript", 'const { ref } = require("vue");\n')
    assert known["onMounted"] == 'const { onMounted } = require("vue");'
    index.put("c.tsx", "typescriptreact", 'import { useEffect } from "./hooks";\n')
    assert known["useEffect"] == 'import { useEffect } from "./hooks";'
    index.put("e.py", "python", "from sqlalchemy import String\n")
    assert index.of("f.py", "python")["select"] == "from sqlalchemy import select"


def test_the_standard_library_has_them() -> None:
    for name, statement in STATEMENTS["python"].items():
        module = statement.split()[1]
        found = import_module(module)
        assert name == module or hasattr(found, name), statement
