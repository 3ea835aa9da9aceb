"""The documents are true: their code runs, their settings exist, their links lead somewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from editcast_server.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    missing = [
        path for path in LINK.findall(page.read_text("utf-8")) if not (page.parent / path).exists()
    ]
    assert not missing


def test_each_test_that_is_said_to_hold_an_expectation_is_there() -> None:
    page = (ROOT / "docs" / "expectations.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 40
    for path, name in named:
        assert f"def {name}" in (ROOT / path).read_text("utf-8"), (path, name)


def test_the_readme_takes_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


def test_the_example_for_researchers_runs() -> None:
    page = (ROOT / "docs" / "researchers.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], capture_output=True, text=True, timeout=240
    )
    assert ended.returncode == 0, ended.stderr
    predicted = ended.stdout.splitlines()
    assert predicted
    assert all(re.match(r"[01]\.\d\d Hunk\(", line) for line in predicted), predicted


def test_the_settings_are_those_of_the_server_and_of_vs_code() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    described = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    manifest = json.loads((ROOT / "vscode-client" / "package.json").read_text("utf-8"))
    shown = manifest["contributes"]["configuration"]["properties"]
    assert described == {name.removeprefix("editcast.") for name in shown}
    in_camel_case = {re.sub(r"_(\w)", lambda m: m[1].upper(), name) for name in Settings.__slots__}
    assert in_camel_case <= described
