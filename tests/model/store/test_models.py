"""The user's own models: the one in use, the one before, and going back."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editcast_model.bundle import GRAPHS, WEIGHTS, Bundle, write_card, write_config
from editcast_model.errors import BundleError
from editcast_model.tokenizer import Tokenizer
from editcast_store import models
from editcast_store.lock import process_lock
from editcast_store.models import Active, default_bundle_path, install, revert


@pytest.fixture(scope="module")
def bundle(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Whole, as far as checksums can tell; nothing here runs a graph."""
    folder = tmp_path_factory.mktemp("bundles") / "tiny"
    folder.mkdir()
    tokenizer.save(folder / "tokenizer.json")
    for name in (*(f"{graph}.onnx" for graph in GRAPHS), WEIGHTS):
        (folder / name).write_bytes(b"a graph, or weights")
    write_card(folder, {"name": "tiny"})
    write_config(folder, {"vocabulary": len(tokenizer)})
    return Bundle.open(folder)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: Bundle) -> None:
    """A home without models, and the tiny bundle in place of the bundled one."""
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    monkeypatch.setattr("editcast_model.bundle._BUNDLED", bundle.path)


def make(bundle: Bundle, name: str, folder: Path) -> Path:
    """A whole bundle of another name."""
    made = folder / f"made-{name}"
    shutil.copytree(bundle.path, made)
    card = {"name": name, "created": "2026-03-10T12:00:00+00:00"}
    write_card(made, card)
    return made


def train(bundle: Bundle, name: str, models: Path) -> Path:
    return install(make(bundle, name, models.parent), models)


def in_use() -> str:
    """Return what a server would load; a bundle that is not whole fails here."""
    return Bundle.open(default_bundle_path()).name


def names(models: Path) -> dict[str, str]:
    active = Active.of(models)._asdict()
    return {name: Bundle.open(path).name for name, path in active.items() if path}


def test_the_model_before_is_kept_and_older_ones_go(bundle: Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    for number in range(4):
        current = train(bundle, str(number), folder)
        assert Bundle.open(current).name == in_use() == str(number)
        if number:
            assert names(folder)["previous"] == str(number - 1)
    left = [path for path in folder.iterdir() if path.is_dir()]
    assert len(left) == 2


def test_a_bundle_opened_while_another_takes_its_place_stays_whole(
    bundle: Bundle, tmp_path: Path
) -> None:
    current = train(bundle, "0", tmp_path / "models")
    opened = Bundle.open(current)
    before = opened.graph("encode").stat().st_ino
    train(bundle, "1", tmp_path / "models")
    assert opened.graph("encode").stat().st_ino == before
    assert Bundle.open(default_bundle_path()).graph("encode").stat().st_ino != before


def test_a_model_that_was_copied_into_place_is_kept(bundle: Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    shutil.copytree(make(bundle, "mine", tmp_path), folder / "current")
    train(bundle, "made", folder)
    assert names(folder) == {"current": "made", "previous": "mine"}
    shutil.rmtree(folder)
    shutil.copytree(make(bundle, "a", tmp_path), folder / "current")
    shutil.copytree(make(bundle, "b", tmp_path), folder / "previous")
    assert "the model b, made" in revert(folder)
    assert names(folder) == {"current": "b", "previous": "a"}


def test_links_of_the_version_before_are_read_and_then_replaced(
    bundle: Bundle, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for link, stamp in (("previous", "20260131T101500"), ("current", "20260201T101500")):
        shutil.copytree(make(bundle, link, tmp_path), folder / stamp)
        (folder / link).symlink_to(stamp, target_is_directory=True)
    (folder / ".lock").touch()
    assert in_use() == "current" and names(folder) == {"current": "current", "previous": "previous"}
    assert "the model previous, made" in revert(folder)
    assert names(folder) == {"current": "previous", "previous": "current"}
    train(bundle, "new", folder)
    assert names(folder) == {"current": "new", "previous": "previous"}
    assert sum(path.is_dir() for path in folder.iterdir()) == 2
    assert not any(path.is_symlink() for path in folder.iterdir())


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"current": 1, "previous": null}',
        '{"current": "../outside", "previous": ".."}',
        '{"current": "gone", "previous": null}',
    ],
)
def test_a_pointer_that_makes_no_sense_points_nowhere(
    said: str, bundle: Bundle, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    make(bundle, "outside", tmp_path).rename(tmp_path / "outside")
    folder.mkdir()
    (folder / "active.json").write_text(said)
    assert in_use() == bundle.name
    train(bundle, "new", folder)
    assert in_use() == "new"


def test_reverting_twice_is_back_at_the_start(bundle: Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    train(bundle, "old", folder)
    train(bundle, "new", folder)
    said = revert(folder)
    assert said.startswith("Editcast now uses the model old, made on 2026-03-1")
    assert names(folder) == {"current": "old", "previous": "new"} and in_use() == "old"
    assert "the model new, made" in revert(folder)
    assert names(folder) == {"current": "new", "previous": "old"} and in_use() == "new"


def test_before_the_first_training_there_was_the_bundled_one(
    bundle: Bundle, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    train(bundle, "mine", folder)
    said = revert(folder)
    assert said == f"Editcast now uses the bundled model, {bundle.name}."
    assert names(folder) == {"previous": "mine"} and in_use() == bundle.name
    assert "the model mine, made" in revert(folder)
    assert names(folder) == {"current": "mine"} and in_use() == "mine"
    # What is trained while the bundled one is in use has it before it.
    revert(folder)
    train(bundle, "next", folder)
    assert names(folder) == {"current": "next"}
    assert "the bundled model" in revert(folder)


def test_nothing_was_trained_yet(tmp_path: Path) -> None:
    for folder in (tmp_path / "models", tmp_path / "nowhere" / "models"):
        with pytest.raises(BundleError, match="none was trained on this machine yet"):
            revert(folder)


def test_a_damaged_model_is_not_taken_up(bundle: Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    train(bundle, "old", folder)
    train(bundle, "new", folder)
    previous = Active.of(folder).previous
    assert previous
    (previous / "tokenizer.json").write_text("{}")
    with pytest.raises(BundleError, match="is damaged"):
        revert(folder)
    assert in_use() == "new"
    shutil.rmtree(previous)
    assert "the bundled model" in revert(folder)


def test_a_folder_that_cannot_be_changed(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(BundleError, match="cannot be changed"):
        revert(tmp_path / "models")


def test_another_process_that_changes_it_is_waited_for(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models"
    train(bundle, "mine", folder)
    monkeypatch.setattr(models, "_WAIT", 0.0)
    with process_lock(folder / ".lock"):
        with pytest.raises(BundleError, match="try again in a moment"):
            revert(folder)
    assert in_use() == "mine"


_KILLED = """
import os, signal, sys
from pathlib import Path
from editcast_model import bundle
from editcast_store import models

bundle._BUNDLED = Path(sys.argv[3])
steps = int(sys.argv[1])

def counted(change):
    def step(*args, **options):
        global steps
        if "dir_fd" in options:  # a file in a bundle that goes, one of many
            return change(*args, **options)
        if steps == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        steps -= 1
        return change(*args, **options)
    return step

for name in ("rename", "replace", "symlink", "unlink", "rmdir"):
    setattr(os, name, counted(getattr(os, name)))
folder = Path(sys.argv[2])
if len(sys.argv) > 4:
    models.install(Path(sys.argv[4]), folder)
else:
    models.revert(folder)
"""


@pytest.mark.parametrize("trained", [1, 2])
@pytest.mark.parametrize("what", ["revert", "install"])
def test_killed_at_any_moment(what: str, trained: int, bundle: Bundle, tmp_path: Path) -> None:
    """Before each change of the file system in turn, until it gets through alive."""
    before = ["old" if trained == 2 else bundle.name, "new"]
    for steps in range(100):
        folder = tmp_path / f"{steps}" / "models"
        folder.parent.mkdir()
        for name in before:
            if name != bundle.name:
                train(bundle, name, folder)
        arguments = [str(steps), str(folder), str(bundle.path)]
        if what == "install":
            arguments.append(str(make(bundle, "newest", folder.parent)))
        done = subprocess.run([sys.executable, "-c", _KILLED, *arguments], check=False)
        os.environ["EDITCAST_HOME"] = str(folder.parent)  # _home puts it back
        after = {"revert": before[::-1], "install": [before[-1], "newest"]}[what]
        assert in_use() in {before[-1], after[-1]}
        if done.returncode == 0:
            assert in_use() == after[-1]
            break
        assert done.returncode == -signal.SIGKILL
        # Going back and forth again, with what was left: nothing is lost.
        now = in_use()
        revert(folder)
        back = in_use()
        revert(folder)
        assert in_use() == now
        if what == "revert":
            assert {now, back} == set(before)
    assert steps > 1


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from("tr"), max_size=6))
def test_like_a_pair_that_changes_places(
    bundle: Bundle, tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """The folder is a pair, in use and before, where None is the bundled one."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "models"
    now: str | None = None
    before: str | None = None
    for number, step in enumerate(steps):
        if step == "t":
            train(bundle, str(number), folder)
            now, before = str(number), now
        elif now is None and before is None:
            with pytest.raises(BundleError):
                revert(folder)
        else:
            revert(folder)
            now, before = before, now
        pair = {"current": now, "previous": before}
        assert names(folder) == {name: value for name, value in pair.items() if value}
    shutil.rmtree(home)
