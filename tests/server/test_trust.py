"""A folder that the user does not trust: it is not trained on, and sets nothing that matters."""

import json
from pathlib import Path
from typing import Any

import pytest

from editcast_server.settings import is_trusted

PACKAGE = json.loads((Path(__file__).parents[2] / "vscode-client" / "package.json").read_text())
PROPERTIES = PACKAGE["contributes"]["configuration"]["properties"]

# What a folder may say: when, and how sure, a suggestion is to be shown.
HARMLESS = {"editcast.eagerness", "editcast.confidenceThreshold", "editcast.debounceMs"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (None, True),
        ([], True),
        ({}, True),
        ({"isWorkspaceTrusted": None}, True),
        ({"isWorkspaceTrusted": True}, True),
        ({"isWorkspaceTrusted": False}, False),
        ({"isWorkspaceTrusted": "no"}, False),
    ],
)
def test_who_says_nothing_is_trusted(options: Any, expected: bool) -> None:
    assert is_trusted(options) is expected


async def test_an_untrusted_folder_is_not_trained_on(start: Any, tmp_path: Path) -> None:
    async with start({"isWorkspaceTrusted": False}) as editor:
        await editor.command("editcast.train")
        await editor.until(lambda: any("do not trust" in one for one in editor.messages))
        assert editor.statuses[-1].state == "baseline"
        uri = editor.open("a.py", "a = 1\n")
        editor.type(uri, "1", "2")
        assert await editor.next_edit(uri)  # the rest goes on
        assert all(status.state != "training" for status in editor.statuses)
    assert not (tmp_path / "training").exists()


def test_an_untrusted_folder_sets_nothing_of_what_is_read_kept_or_run() -> None:
    untrusted = PACKAGE["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    assert set(untrusted["restrictedConfigurations"]) == set(PROPERTIES) - HARMLESS


def test_what_holds_for_the_whole_machine_is_the_users_alone() -> None:
    scopes = {key: entry["scope"] for key, entry in PROPERTIES.items()}
    assert scopes["editcast.historyDays"] == "application"  # there is one store for all folders
    assert scopes["editcast.teamModel"] == scopes["editcast.sharedPredictor"] == "machine"
    programs = {"modelPath", "device", "python", "serverCommand"}
    assert {scopes[f"editcast.{name}"] for name in programs} == {"machine-overridable"}


def test_training_is_not_offered_in_an_untrusted_folder() -> None:
    (train,) = (
        one for one in PACKAGE["contributes"]["commands"] if one["command"] == "editcast.trainModel"
    )
    assert train["enablement"] == "isWorkspaceTrusted"
