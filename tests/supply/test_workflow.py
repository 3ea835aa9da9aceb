"""The workflow of the repository's host: what it promises is what the project says elsewhere."""

import importlib.util
import json
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())


def release_notes() -> ModuleType:
    path = ROOT / "tools" / "release_notes.py"
    spec = importlib.util.spec_from_file_location("release_notes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_runs_on_each_python_that_is_supported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    prefix = "Programming Language :: Python :: 3."
    supported = [one.rsplit(" ")[-1] for one in project["classifiers"] if one.startswith(prefix)]
    matrix = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == supported
    assert len(matrix["system"]) == 3


def test_a_release_has_a_version_and_waits_for_the_tests() -> None:
    release = WORKFLOW["jobs"]["release"]
    assert release["needs"] == "test"
    commands = "\n".join(step.get("run", "") for step in release["steps"])
    for part in ("make vsix", "server/*.whl", "*.vsix", "SHA256SUMS", "tools/release_notes.py"):
        assert part in commands
    version = json.loads((ROOT / "vscode-client" / "package.json").read_text())["version"]
    assert release_notes().notes((ROOT / "CHANGELOG.md").read_text(), version)


def test_the_notes_are_those_of_the_version() -> None:
    changelog = "# C\n\n## [Unreleased]\n\nnew\n\n## [1.2.0] - 2026-01-01\n\nold\n\n## [1.1.0]\nx\n"
    notes = release_notes().notes
    assert notes(changelog, "1.2.0") == "old\n"
    assert notes(changelog, "2.0.0") == "new\n"
    with pytest.raises(SystemExit, match="no section"):
        notes("# C\n", "1.0.0")
