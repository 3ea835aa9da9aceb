"""Remains of versions of Python that a project no longer supports."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

WAS, NOW = 'requires-python = ">=3.9"\n', 'requires-python = ">=3.11"\n'


def after(path: str, text: str, was: str = WAS, now: str = NOW) -> str:
    """Return a text after all that follows from another least version."""
    consequences = Consequences("", path)
    consequences.add_other_save("pyproject.toml", 1, was, now)
    found = [one for one in consequences.propose([], text) if one.kind == "drop_version"]
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("noxfile.py", 'PYTHONS = ["3.9", "3.10", "3.11"]\n', 'PYTHONS = ["3.11"]\n'),
        ("noxfile.py", 'PYTHONS = ["3.8", "3.9"]\n', 'PYTHONS = ["3.8", "3.9"]\n'),
        ("setup.cfg", "    Programming Language :: Python :: 3.10\n    a\n", "    a\n"),
        ("requirements.txt", "tomli>=2; python_version < '3.11'\nattrs\n", "attrs\n"),
        ("tox.ini", "envlist = py39, py310, py311\n", "envlist = py311\n"),
        ("tox.ini", "envlist = py{39,310,311}-lint\n", "envlist = py{311}-lint\n"),
        ("ci.yml", "  - 3.9\n  - '3.10'\n  - '3.11'\n", "  - '3.11'\n"),
        ("ci.yml", "pillow: 3.9\nversion: 3.10\n", "pillow: 3.9\nversion: 3.10\n"),
        ("README.md", "Needs Python 3.9+.\n", "Needs Python 3.11+.\n"),
        ("README.md", "python 3.10 or newer, 3.10\n", "python 3.11 or newer, 3.10\n"),
        ("CHANGES.md", "Needs Python 3.9+.\n", "Needs Python 3.9+.\n"),
        ("tests/README.md", "Needs Python 3.9+.\n", "Needs Python 3.9+.\n"),
        ("a.py", '"Python 3.9+"\n', '"Python 3.9+"\n'),
    ],
)
def test_other_files(path: str, text: str, expected: str) -> None:
    assert after(path, text) == expected


def test_file_that_says_it() -> None:
    rest = """classifiers = [
    "Programming Language :: Python :: 3",
{}    "Programming Language :: Python :: 3.11",
]
dependencies = [
    "click>=8.1",
{}    "platformdirs>=3.9",
]
[tool.poetry.dependencies]
{}attrs = "^23"
[tool.ruff]
target-version = "py3{}"
[tool.mypy]
python_version = "3.{}"
"""
    gone = "".join(f'    "Programming Language :: Python :: 3.{old}",\n' for old in (9, 10))
    needed = "    \"tomli>=2.0; python_version < '3.11'\",\n"
    poetry = 'tomli = { version = "^2", python = "<3.11" }\n'
    before = rest.format(gone, needed, poetry, 9, 9)
    found = Consequences("", "pyproject.toml").propose([WAS + before], NOW + before)
    hunks = sorted((one.hunk for one in found), key=lambda hunk: hunk.start)
    assert apply_hunks(NOW + before, hunks) == NOW + rest.format("", "", "", 11, 11)
    assert all(one.cause == "Python 3.9 3.11" for one in found)


def test_newly_supported_versions_drop_nothing() -> None:
    text = "Needs Python 3.11+.\n"
    assert after("README.md", text, NOW, WAS) == text
    assert after("README.md", text, "", WAS) == text
