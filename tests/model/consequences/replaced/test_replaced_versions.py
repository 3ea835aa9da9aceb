"""Versions that take others' places where they stand for the same thing."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.diff import apply_hunks

Other = tuple[str, str, str]
DOCKER = "Dockerfile", "FROM node:18-alpine\n", "FROM node:22-alpine\n"
WORKFLOW = "ci.yml", "  node-version: 18\n  cache: npm\n", "  node-version: 22\n  cache: npm\n"
PYTHON = "setup.py", 'setup(\n    version="1.4.2",\n)\n', 'setup(\n    version="1.5.0",\n)\n'


def proposed(
    texts: list[str], *others: Other, path: str, active: range | None = None
) -> list[Consequence]:
    """Return what follows in a file of some texts, from the saves of others."""
    consequences = Consequences("", path)
    for number, (file, before, after) in enumerate(others):
        consequences.add_other_save(file, number, before, after)
    return consequences.propose(texts[:-1], texts[-1], active=active, cursor=0)


@pytest.mark.parametrize(
    ("path", "line", "others", "expected"),
    [
        # The same word.
        ("README.md", "On `node:18-alpine`:", [DOCKER], "replace_version"),
        (
            "a.yml",
            "- uses: actions/cache@v3",
            [("b.yml", "uses: actions/cache@v3\n", "uses: actions/cache@v4\n")],
            "replace_version",
        ),
        (
            "a.yml",
            "- uses: actions/setup-go@v3",
            [("b.yml", "uses: actions/cache@v3\n", "uses: actions/cache@v4\n")],
            None,
        ),
        (
            "tox.ini",
            "basepython=python3.8",
            [("a", "python3.8 -m x\n", "python3.9 -m x\n")],
            "replace_version",
        ),
        # The same line.
        ("go.mod", "go 1.17", [("b/go.mod", "go 1.17\n", "go 1.18\n")], "replace_version_in_line"),
        ("a.yml", "version: 2", [("b.yml", "version: 2\n", "version: 3\n")], None),
        ("a.csv", "1, 17", [("b.csv", "1, 17\n", "1, 18\n")], None),
        # Three parts behind the same name.
        ("package.json", '  "version": "1.4.2",', [PYTHON], "replace_version"),
        ("a/__init__.py", '__version__ = "1.4.2"', [PYTHON], "replace_version"),
        ("package.json", '  "left": "1.4.2",', [PYTHON], None),
        ("a.py", 'x = "127.0.0.1"', [("b.py", 'x = "127.0.0.1"\n', 'x = "1.2.3.4"\n')], None),
        ("CHANGES.md", "Version 1.4.2", [PYTHON], None),
        ("docs/release-notes", "Version 1.4.2", [PYTHON], None),
        # The name alone: from the second file on.
        ("package.json", '  "node": ">=18"', [DOCKER], None),
        ("package.json", '  "node": ">=18"', [DOCKER, WORKFLOW], "replace_version_said"),
        ("a.yml", "node:\n  18", [DOCKER, WORKFLOW], "replace_version_said"),
        ("README.md", "You need Node 18 or newer.", [DOCKER, WORKFLOW], "replace_version_said"),
        ("README.md", "Node 18 was slow.", [DOCKER, WORKFLOW], None),
        ("ci.yaml", "node-version: [18, 20]", [DOCKER, WORKFLOW], None),
        ("ci.yaml", "- node: 18\n- node: 20", [DOCKER, WORKFLOW], None),
        ("ci.yaml", "timeout: 18", [DOCKER, WORKFLOW], None),
        ("ci.yaml", "node-version: 18.2", [DOCKER, WORKFLOW], None),
        ("a.js", "const node = 18", [DOCKER, WORKFLOW], None),
        # Taken back.
        ("README.md", "On `node:18-alpine`:", [DOCKER, (DOCKER[0], *DOCKER[:0:-1])], None),
        ("README.md", "On `node:22-alpine`:", [DOCKER, (DOCKER[0], *DOCKER[:0:-1])], None),
    ],
)
def test_what_other_files_replaced(
    path: str, line: str, others: list[Other], expected: Kind | None
) -> None:
    found = proposed([f"{line}\n"], *others, path=path)
    assert [one.kind for one in found] == ([expected] if expected else [])


def test_what_the_file_itself_replaced() -> None:
    text = "FROM node:18-alpine AS build\nCMD 18\n\nFROM node:18-alpine\n"
    changed = text.replace("18", "22", 1)
    (one,) = proposed([text, changed], path="Dockerfile")
    assert apply_hunks(changed, [one.hunk]) == changed.replace("e:18", "e:22")
    assert one.cause == "18 22"
    assert proposed([text, changed, text], path="Dockerfile") == []


def test_the_whole_version_however_it_was_changed() -> None:
    text = "rev: v4.0.1\nurl: x/v4.0.1\n---\nrev: v4.0.1\n"
    changed = text.replace("4.0.1", "4.1.0", 1)
    found = proposed([text, changed], path="a.yaml")
    assert apply_hunks(changed, [one.hunk for one in found]).count("4.1.0") == len(found) + 1


def test_half_a_version_is_not_copied() -> None:
    text = "FROM node:18-alpine AS build\nFROM node:18-alpine\n"
    half = text.replace("18", "2", 1)
    assert proposed([text, half], path="Dockerfile", active=range(10, 11)) == []
    whole = text.replace("18", "22", 1)
    (one,) = proposed([text, half, whole], path="Dockerfile")
    assert one.hunk.text == "22"


def test_a_number_that_stands_everywhere_is_of_many_things() -> None:
    text = "image: a:18\n" * 70
    assert proposed([text, text.replace("18", "22", 1)], path="a.yml") == []


def test_a_later_save_of_the_same_number_takes_the_place_of_the_first() -> None:
    consequences = Consequences("", "README.md")
    consequences.add_other_save(DOCKER[0], 1, DOCKER[1], DOCKER[1].replace("18", "2"))
    consequences.add_other_save(*DOCKER[:1], 1, *DOCKER[1:])
    (one,) = consequences.propose([], "On `node:18-alpine`:\n")
    assert one.hunk.text == "22"


STEP = "- name: Setup Node.js 12.x\n  uses: actions/setup-node@v2\n  with:\n"


@pytest.mark.parametrize(
    ("rest", "is_replaced"),
    [
        ("    node-version: 12.x\n", True),
        ("    node-version: 12.1\n", False),
        ("    node-version: [12.x, 14.x]\n", False),
        ("    python-version: 12.x\n", False),
        ("    cache: npm\n  if: main\n- node-version: 12.x\n", False),
    ],
)
def test_what_a_name_of_the_same_entry_says(rest: str, is_replaced: bool) -> None:
    text = STEP + rest
    typed = text.replace("12.x", "16.x", 1)
    found = proposed([text, typed], path="lint.yml")
    assert [one.kind for one in found] == (["replace_version_beside"] if is_replaced else [])
    assert apply_hunks(typed, [one.hunk for one in found]).count("16.x") == 1 + is_replaced


@pytest.mark.parametrize("new", ["3.10.X", "3.10.x", "3.10.*", "3.11"])
def test_a_version_ends_with_its_token(new: str) -> None:
    text = 'ignore:\n- versions: ["3.10.0.2"]\n- other: 1\n- versions: ["3.10.0.2"]\n'
    typed = text.replace("3.10.0.2", new, 1)
    (one,) = proposed([text, typed], path="dependabot.yml")
    assert apply_hunks(typed, [one.hunk]) == text.replace("3.10.0.2", new)


def test_a_part_of_a_token_is_not_a_version() -> None:
    text = '- versions: ["3.10.0.2"]\n- other: 1\n- versions: ["3.10.0.2"]\n'
    assert proposed([text, text.replace("3.10.0.2", "3.10.final", 1)], path="a.yml") == []
