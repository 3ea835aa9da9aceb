"""Mirrors: the extension says in TypeScript or JSON what Python says elsewhere."""

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import attrs
import pytest

from editcast_server.lsp import commands, protocol
from editcast_server.settings import Device, Eagerness, Settings
from editcast_store.saves import Store
from editcast_training.data.counting import SourceCount
from editcast_training.sources.file_history import OwnKind

ROOT = Path(__file__).parents[2]
PACKAGE = json.loads((ROOT / "vscode-client" / "package.json").read_text())
MIRROR = (ROOT / "vscode-client" / "src" / "protocol.ts").read_text()

# Settings that only choose how the server is started; the server is never told of them.
CLIENT_ONLY = {"python", "serverCommand"}


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def fields_of(interface: str) -> set[str]:
    """Return the fields of an interface of the extension."""
    [body] = re.findall(rf"interface {interface} {{\n(.*?)\n}}", MIRROR, re.DOTALL)
    return set(re.findall(r"^  (\w+)\??:", body, re.MULTILINE))


def test_the_settings_and_their_defaults_are_the_servers():
    properties = PACKAGE["contributes"]["configuration"]["properties"]
    offered = {key.removeprefix("editcast."): entry["default"] for key, entry in properties.items()}
    served = {camel_case(one.name): getattr(Settings(), one.name) for one in fields(Settings)}
    for key in CLIENT_ONLY:
        del offered[key]
    assert offered == {
        key: list(value) if isinstance(value, tuple) else value for key, value in served.items()
    }


@pytest.mark.parametrize(("key", "choices"), [("eagerness", Eagerness), ("device", Device)])
def test_the_choices_of_a_setting_are_the_servers(key, choices):
    properties = PACKAGE["contributes"]["configuration"]["properties"]
    assert properties[f"editcast.{key}"]["enum"] == list(get_args(choices))


def test_the_version_is_the_distributions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert PACKAGE["version"] == project["version"]


def test_the_mirror_names_its_original():
    assert MIRROR.startswith("// Mirrors server/editcast_server/lsp/protocol.py")


def test_the_methods_and_commands_are_the_servers():
    here = set(re.findall(r'"(editcast[./]\w+)"', MIRROR))
    there = {
        value
        for value in vars(protocol).values()
        if isinstance(value, str) and re.fullmatch(r"editcast[./]\w+", value)
    }
    assert here == there


def test_the_extensions_own_commands_have_other_names():
    """The language client registers the server's commands with VS Code by their names."""
    own = {command["command"] for command in PACKAGE["contributes"]["commands"]}
    assert own.isdisjoint(value for value in vars(protocol).values() if isinstance(value, str))


@pytest.mark.parametrize(
    "message",
    [
        protocol.NextEditParams,
        protocol.Suggestion,
        protocol.NextEditResult,
        protocol.StatusParams,
    ],
)
def test_a_message_has_the_same_fields(message):
    assert fields_of(message.__name__) == {camel_case(one.name) for one in attrs.fields(message)}


def test_the_answers_about_the_history_have_the_same_fields(tmp_path):
    with Store.open(tmp_path / "history.sqlite3") as store:
        store.record(tmp_path / "a.py", "a = 1\n", 1_000, "python")
        remembered = commands.files_of(store)
        [save] = commands.saves_of(store, remembered["files"][0]["path"])
    assert fields_of("Remembered") == set(remembered)
    assert fields_of("RememberedFile") == set(remembered["files"][0])
    assert fields_of("RememberedSave") == set(save)


def test_a_counted_source_has_the_same_fields():
    [body] = re.findall(r"interface SourceCount {\n(.*?)\n}", MIRROR, re.DOTALL)
    here = re.findall(r"^  (\w+):", body, re.MULTILINE)
    assert here == [one.name for one in fields(SourceCount)]
    kinds = re.findall(r'"([\w-]+)"', re.findall(r"kind: (.*);", body)[0])
    assert kinds == list(get_args(OwnKind))


def test_the_states_are_the_servers():
    [union] = re.findall(r"type ServerState =(.*?);", MIRROR, re.DOTALL)
    documented = re.search(r"state: One of ([\w, ]+)\.", protocol.StatusParams.__doc__ or "")
    assert documented is not None
    assert set(re.findall(r'"(\w+)"', union)) == set(documented[1].split(", "))


def test_the_lock_file_names_no_registry():
    lock = json.loads((ROOT / "vscode-client" / "package-lock.json").read_text())
    assert len(lock["packages"]) > 100
    hosts = {
        entry["resolved"].split("/")[2]
        for entry in lock["packages"].values()
        if "resolved" in entry
    }
    assert hosts <= {"registry.npmjs.org"}
