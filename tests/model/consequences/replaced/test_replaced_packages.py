"""Imports of packages that others replaced among the dependencies."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

LINES = ['"axios": "^1.7",', '"moment": "^2.30",', '"vue": "^3"']
NODE = "\n".join(["{", '  "dependencies": {', *(f"    {line}" for line in LINES), "  }", "}", ""])
NODE_NOW = NODE.replace('"moment": "^2.30"', '"dayjs": "^1.11"')


def after(path: str, text: str, file: str, before: str, now: str) -> str:
    consequences = Consequences("", path)
    consequences.add_other_save(file, 1, before, now)
    found = consequences.propose([], text)
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import moment from 'moment';\n", "import dayjs from 'dayjs';\n"),
        ('const moment = require("moment");\n', 'const dayjs = require("dayjs");\n'),
        ("import { utc } from 'moment';\n", "import { utc } from 'moment';\n"),
        ("import moment from './moment';\n", "import moment from './moment';\n"),
    ],
)
def test_scripts(text: str, expected: str) -> None:
    assert after("src/a.js", text, "package.json", NODE, NODE_NOW) == expected
    assert after("src/a.js", text, "package.json", NODE, NODE_NOW.replace("axios", "ky")) == text
    assert after("src/a.js", text, "settings.json", NODE, NODE_NOW) == text


@pytest.mark.parametrize(
    ("file", "before", "now"),
    [
        ("requirements.txt", "flask==3.0\nrequests==2.32\n", "flask==3.0\nhttpx==0.27\n"),
        ("pyproject.toml", '    "requests>=2.32",\n', '    "httpx>=0.27",\n'),
    ],
)
def test_python(file: str, before: str, now: str) -> None:
    text = "import requests\nfrom requests import get\n\nimport os\n"
    assert after("a.py", text, file, before, now) == text.replace("import requests", "import httpx")
    assert after("a.go", text, file, before, now) == text
