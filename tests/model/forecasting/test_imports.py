"""Lines that import, language by language."""

import pytest

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.import_lines import is_import, touches_only_imports

IMPORTING = {
    "python": ["import os", "    import numpy as np", "from . import a", "from a.b import (c,"],
    "typescript": [
        'import { a } from "./a";',
        "import type { B } from './b'",
        'import "./c.css"',
        "export * from './d';",
        'const fs = require("fs");',
        "require('dotenv').config()",
    ],
    "java": ["import java.util.List;", "import static a.B.*;"],
    "kotlin": ["import kotlin.math.max"],
    "go": ['import "fmt"', "import (", '\t"os"', '\tlog "github.com/a/log"'],
    "csharp": ["using System;", "global using static System.Math;", "using A = B.C<int>;"],
    "rust": ["use std::fmt;", "pub(crate) use a::{b, c};", "extern crate a;"],
    "cpp": ["#include <vector>", '#  include "a.h"', "import std;"],
    "ruby": ["require 'set'", 'require_relative "a"'],
    "php": ["use App\\Models\\User;", "require_once 'a.php';"],
}
OTHERS = {
    "python": ["importlib.reload(a)", "x = 1", "from_a = 1", "raise A from b", ""],
    "typescript": ['const a = await import("./a");', "import.meta.env", "export const a = 1;"],
    "java": ["important();"],
    "go": ['fmt.Println("os")', '"a": 1,', "importer := 1"],
    "csharp": ["using (var a = b()) {", "using var a = b();", "user();"],
    "rust": ["useful();", "let use_it = 1;"],
    "cpp": ["#define A 1", "important();"],
    "ruby": ["requirement = 1"],
    "php": ["$use = 1;", "used();"],
    "markdown": ["import os"],
}


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [(language, line, True) for language, lines in IMPORTING.items() for line in lines]
    + [(language, line, False) for language, lines in OTHERS.items() for line in lines],
)
def test_lines(language: str, line: str, expected: bool) -> None:
    assert is_import(line + "\r", language) is expected


TEXT = "import os\nimport re\n\nx = os.name\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("import os\nimport re\nimport sys\n\nx = os.name\n", True),
        ("import os\n\nx = os.name\n", True),
        ("import sys\nimport re\n\nx = os.name\n", True),
        ("import os\nimport re\n\n\nimport sys\n\nx = os.name\n", True),
        ("import os\nimport re\n\nx = os.sep\n", False),
        ("import os\nx = 1\n\nx = os.name\n", False),
        ("import os\nimport re\nimport sys\n\nx = sys.name\n", False),
        ("import os\nimport re\n\n\n\nx = os.name\n", False),  # only a blank line
    ],
)
def test_changes(after: str, expected: bool) -> None:
    assert touches_only_imports(TEXT, shortest_hunk(TEXT, after), "python") is expected
    assert not touches_only_imports(TEXT, shortest_hunk(TEXT, after), "markdown")


def test_a_text_that_is_one_line() -> None:
    assert touches_only_imports("import os", Hunk(9, 9, ", re"), "python")
