"""A team's model: published by the command, told once by the server, installed by the command."""

import asyncio
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hostile_graphs
from editcast_model.bundle import Bundle, bundled_path, checksum_of, write_card, write_config
from editcast_model.errors import BundleError
from editcast_server.team_model import TeamModel
from editcast_store.models import Active
from editcast_store.team import install_published, newly_seen, publish

NEEDS_KEYS = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None,
    reason="no ssh-keygen: apt-get install --no-install-recommends openssh-client",
)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def bundle(folder: Path, name: str, **card: Any) -> Path:
    """The bundled model under another name."""
    shutil.copytree(bundled_path(), folder / name)
    written = json.loads((folder / name / "card.json").read_text("utf-8"))
    write_card(folder / name, written | {"name": name} | card)
    return folder / name


def editcast(home: Path, *arguments: object, **environment: str) -> tuple[int, str]:
    """Exit code and what a command said."""
    ended = subprocess.run(
        [sys.executable, "-m", "editcast", "model", *map(str, arguments)],
        env=os.environ | {"EDITCAST_HOME": str(home)} | environment,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in ended.stderr
    return ended.returncode, ended.stdout + ended.stderr


def published_by_command(team: Path, made: Path, *options: object) -> str:
    code, said = editcast(team.parent / "publisher", "publish", team, "--bundle", made, *options)
    assert code == 0, said
    return said


def in_use(home: Path) -> str | None:
    current = Active.of(home / "models").current
    return Bundle.open(current).name if current else None


def test_what_one_has_published_others_install(team: Path, tmp_path: Path) -> None:
    said = published_by_command(team, bundle(tmp_path, "first"))
    assert f"editcast model install {team}" in said
    for path in team.rglob("*"):  # for all who may read the folder, though files are private else
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644)
    home = tmp_path / "home"
    code, said = editcast(home, "install", team)
    assert code == 0 and "uses the model first, published on" in said
    assert in_use(home) == "first"
    publish(Bundle.open(bundle(tmp_path, "second")), team)
    assert editcast(home, "install", team.as_uri())[0] == 0
    assert in_use(home) == "second"
    models = {path.name for path in (home / "models").iterdir()}
    assert editcast(home, "install", team)[0] == 0  # it is in use: the one before stays
    assert {path.name for path in (home / "models").iterdir()} == models
    before = Active.of(home / "models").previous
    assert before and Bundle.open(before).name == "first"


@pytest.mark.parametrize(
    "trained_on",
    [
        {"what": "your own history"},
        {"what": "projects", "sources": {"store": ["train"]}},
        {"what": "projects", "sources": {"local-history-2": ["dev", "train"]}},
    ],
    ids=["own history", "store in a corpus", "Local History in a corpus"],
)
def test_a_model_of_own_saves_is_published_by_intention_alone(
    trained_on: dict[str, Any], team: Path, tmp_path: Path
) -> None:
    made = bundle(tmp_path, "mine", trained_on=trained_on)
    code, said = editcast(tmp_path / "home", "publish", team, "--bundle", made)
    assert code == 2 and "--own-history" in said and not any(team.iterdir())
    published_by_command(team, made, "--own-history")


@NEEDS_KEYS
def test_who_names_signers_installs_nothing_else(team: Path, tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(command, check=True)
    signers = tmp_path / "signers"
    signers.write_text("lead@example.org " + (tmp_path / "ours.pub").read_text())
    home = tmp_path / "home"
    first, second = bundle(tmp_path, "first"), bundle(tmp_path, "second")
    publish(Bundle.open(first), team)
    code, said = editcast(home, "install", team, "--signers", signers)
    assert code == 2 and "is not signed" in said
    publish(Bundle.open(first), team, tmp_path / "theirs")
    code, said = editcast(home, "install", team, EDITCAST_SIGNERS=str(signers))
    assert code == 2 and "not signed by anybody" in said and in_use(home) is None
    published_by_command(team, first, "--key", tmp_path / "ours")
    assert editcast(home, "install", team, "--signers", signers)[0] == 0
    assert in_use(home) == "first"
    # A signature is of one model: it does not go with another.
    signed = json.loads((team / "published.json").read_text())
    publish(Bundle.open(second), team)
    forged = json.loads((team / "published.json").read_text())
    (team / "published.json").write_text(json.dumps(forged | {"signature": signed["signature"]}))
    code, said = editcast(home, "install", team, "--signers", signers)
    assert code == 2 and "not signed by anybody" in said and in_use(home) == "first"
    code, said = editcast(home, "publish", team, "--bundle", second, "--key", tmp_path / "none")
    assert code == 2 and "does not sign" in said
    code, said = editcast(home, "install", team, "--signers", tmp_path / "none")
    assert code == 2 and "cannot be read" in said


def edited(**changes: Any) -> Any:
    def spoil(team: Path, place: Path) -> None:
        written = json.loads((team / "published.json").read_text())
        (team / "published.json").write_text(json.dumps(written | changes))

    return spoil


def other_weights(team: Path, place: Path) -> None:
    with (place / "weights.safetensors").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")


def other_bundle(team: Path, place: Path) -> None:
    config = json.loads((place / "config.json").read_text())
    (place / "card.json").write_text("{}")
    write_config(place, config["network"])


def harmful_graph(team: Path, place: Path) -> None:
    """A graph that refers to a file elsewhere, published by somebody who may."""
    hostile_graphs.from_elsewhere(place / "point.onnx", "../../secret")
    config = json.loads((place / "config.json").read_text())
    write_config(place, config["network"])
    edited(checksum=checksum_of(place / "config.json"))(team, place)


def link_out(team: Path, place: Path) -> None:
    (place / "card.json").unlink()
    (place / "card.json").symlink_to("/etc/passwd")


def pipe(team: Path, place: Path) -> None:
    (place / "card.json").unlink()
    os.mkfifo(place / "card.json")


def removed(team: Path, place: Path) -> None:
    shutil.rmtree(place)


def no_offer(team: Path, place: Path) -> None:
    (team / "published.json").unlink()


def pipe_for_offer(team: Path, place: Path) -> None:
    no_offer(team, place)
    os.mkfifo(team / "published.json")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (edited(folder="../../home"), "folder must be the folder of a model"),
        (edited(since="yesterday"), "since must be"),
        (edited(since="9999-12-31T23:59:59+00:00"), "since must be"),
        (edited(name="a\nb"), "name must be one line"),
        (edited(checksum="0" * 64), "its checksum is wrong"),
        (other_weights, "weights.safetensors of the model"),
        (other_bundle, "its checksum is wrong"),
        (harmful_graph, "cannot run"),
        (link_out, "leads out of its folder"),
        (pipe, "not a regular file"),
        (removed, "incomplete"),
        (no_offer, "No model is published"),
        (pipe_for_offer, "not a regular file"),
    ],
)
def test_what_is_damaged_or_harmful_is_not_installed(
    spoil: Any, said: str, team: Path, tmp_path: Path
) -> None:
    offered = publish(Bundle.open(bundle(tmp_path, "first")), team)
    spoil(team, team / offered.folder)
    models = tmp_path / "home" / "models"
    with pytest.raises(BundleError, match=re.escape(said)) as raised:
        install_published(team, models)
    assert "\n" not in str(raised.value)
    assert in_use(tmp_path / "home") is None
    assert not any(path.is_dir() for path in models.glob("*"))
    if spoil is harmful_graph:
        code, printed = editcast(tmp_path / "home", "install", team)
        assert code == 2 and printed.count("\n") == 1 and str(team / offered.folder) in printed


@pytest.mark.parametrize("named", ["s3://bucket/team", "https://example.org/team", "file://far/x"])
def test_another_url_is_left_to_the_teams_own_tools(named: str, tmp_path: Path) -> None:
    code, said = editcast(tmp_path / "home", "install", named)
    assert code == 2 and "opens no connection" in said


def test_a_folder_that_is_not_there_or_full_is_said(team: Path, tmp_path: Path) -> None:
    code, said = editcast(tmp_path / "home", "install", team / "none")
    assert code == 2 and "does not exist" in said
    full = Path("/dev/full")
    if full.exists():
        made = bundle(tmp_path, "first")
        command = f"ulimit -f 100; exec {sys.executable} -m editcast model publish {team} --bundle"
        ended = subprocess.run(
            ["bash", "-c", f"trap '' XFSZ; {command} {made}"],
            env=os.environ | {"EDITCAST_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 2 and "cannot be published" in ended.stderr
        assert not any(team.iterdir())


async def test_the_server_tells_once_of_a_newer_model(
    start: Any, team: Path, tmp_path: Path
) -> None:
    publish(Bundle.open(bundle(tmp_path, "first")), team)
    async with start({"teamModel": str(team)}) as editor:
        await editor.until(lambda: any("published a model: first" in m for m in editor.messages))
        (told,) = (one for one in editor.messages if "published" in one)
        assert f"model install {team}" in told
        assert in_use(tmp_path) is None  # nothing is installed by itself
    async with start({"teamModel": str(team)}) as editor:
        uri = editor.open("a.py", "a = 1\n")
        editor.type(uri, "1", "2")
        await editor.next_edit(uri)
        assert not any("published" in one for one in editor.messages)
    command = told.partition("Install it with: ")[2].split()
    environment = os.environ | {"EDITCAST_HOME": str(tmp_path)}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(command, env=environment | {"PATH": path}, check=True, capture_output=True)
    assert in_use(tmp_path) == "first"
    publish(Bundle.open(bundle(tmp_path, "second")), team)
    async with start({"teamModel": team.as_uri()}) as editor:
        await editor.until(lambda: any("published a model: second" in m for m in editor.messages))


async def test_it_looks_again_now_and_then(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    told: list[tuple[str, bool]] = []
    news = TeamModel(lambda sentence, warning: told.append((sentence, warning)), every=0.05)
    news.watch(str(team))  # empty yet
    publish(Bundle.open(bundle(tmp_path, "first")), team)
    while not told:
        await asyncio.sleep(0.01)
    publish(Bundle.open(bundle(tmp_path, "second")), team)
    while len(told) < 2:
        await asyncio.sleep(0.01)
    news.stop()
    assert [warning for _, warning in told] == [False, False]
    assert "first" in told[0][0] and "second" in told[1][0]


async def test_another_folder_is_read_while_the_first_one_is(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    publish(Bundle.open(bundle(tmp_path, "first")), team)
    told: list[str] = []
    news = TeamModel(lambda sentence, warning: told.append(sentence))
    news.watch(str(tmp_path))
    news.watch(str(team))
    while not told:
        await asyncio.sleep(0.01)
    news.stop()
    assert "first" in told[0]


@pytest.mark.parametrize("named", ["team", "s3://bucket/team", "damaged"])
async def test_a_setting_that_makes_no_sense_is_said(start: Any, team: Path, named: str) -> None:
    (team / "published.json").write_text("[")
    async with start({"teamModel": str(team) if named == "damaged" else named}) as editor:
        await editor.until(lambda: any("team" in one for one in editor.messages))
    assert sum("team" in one for one in editor.messages) == 1


async def test_a_folder_that_is_not_mounted_is_not_worth_a_word(start: Any, team: Path) -> None:
    async with start({"teamModel": str(team / "none")}) as editor:
        uri = editor.open("a.py", "a = 1\n")
        editor.type(uri, "1", "2")
        await editor.next_edit(uri)
        assert not any("team" in one for one in editor.messages)


def test_of_several_windows_one_tells(team: Path, tmp_path: Path) -> None:
    offered = publish(Bundle.open(bundle(tmp_path, "first")), team)
    models = tmp_path / "home" / "models"
    assert [newly_seen(team, offered, models) for _ in range(3)] == [True, False, False]
    (models / "team.json").write_text("damaged")
    assert newly_seen(team, offered, models)
