"""Two builds of the same sources are the same bytes, and say by hash what they are made of."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]
COMMITTED = 1_700_000_000
#: Files of builds that are no vsix: below the extension's folder.
BESIDE = ["server/editcast-*.whl", "editcast-*-python.cdx.json", "editcast-*-npm.cdx.json"]

pytestmark = pytest.mark.timeout(900)


def build(folder: Path, mode: int, zone: str) -> Path:
    """Build a copy of the sources in a folder as a builder with other habits; the extension's."""
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT
    )
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)
            copy.chmod(mode)
    extension = folder / "vscode-client"
    if not (extension / "node_modules").exists():
        (extension / "node_modules").symlink_to(ROOT / "vscode-client" / "node_modules")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment |= {"SOURCE_DATE_EPOCH": str(COMMITTED), "TZ": zone}
    ended = subprocess.run(
        ["make", "package", "sbom", f"VENV={sys.prefix}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return extension


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The extension's folders of two builds."""
    return (
        build(tmp_path_factory.mktemp("first"), 0o644, "UTC"),
        build(tmp_path_factory.mktemp("second") / "deeper", 0o600, "Asia/Tokyo"),
    )


@pytest.mark.parametrize("pattern", ["editcast-*.vsix", *BESIDE])
def test_two_builds_are_the_same_bytes(builds: tuple[Path, Path], pattern: str) -> None:
    [[first], [second]] = [list(each.glob(pattern)) for each in builds]
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


def test_the_extension_lists_the_locked_packages_and_its_wheel(builds: tuple[Path, Path]) -> None:
    [vsix] = builds[0].glob("editcast-*.vsix")
    with ZipFile(vsix) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    [wheel] = [name for name in files if name.endswith(".whl")]
    name, digest = wheel.rpartition("/")[2], hashlib.sha256(files[wheel]).hexdigest()
    for each in ("", "-gpu", "-train", "-train-gpu"):
        listed = files[f"extension/server/requirements{each}.txt"].decode()
        lock = (ROOT / f"requirements{each}.lock").read_text()
        assert listed == f"{lock}./{name} --hash=sha256:{digest}\n"
    torch = files["extension/server/requirements-torch.txt"]
    assert torch == (ROOT / "requirements-torch.lock").read_bytes()


@pytest.mark.parametrize(
    ("side", "version", "names"),
    [
        ("python", SchemaVersion.V1_6, ["onnxruntime-gpu", "pygls", "sentencepiece"]),
        ("npm", SchemaVersion.V1_5, ["vscode-languageclient", "vscode-jsonrpc"]),
    ],
)
def test_what_they_are_made_of_is_written_as_cyclonedx(
    builds: tuple[Path, Path], side: str, version: SchemaVersion, names: list[str]
) -> None:
    [path] = builds[0].glob(f"editcast-*-{side}.cdx.json")
    text = path.read_text()
    assert JsonStrictValidator(version).validate_str(text) is None
    for name in names:
        assert f'"name": "{name}"' in text
    assert '"name": "huggingface-hub"' not in text
