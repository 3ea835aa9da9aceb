"""Locks of what the extension installs: every version and hash, as the constraints have them."""

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
#: What is installed, by the list that begins it: for the processor, and for NVIDIA cards.
LOCKS = {
    "requirements.lock": ["requirements.lock"],
    "requirements-train.lock": ["requirements-train.lock", "requirements-torch.lock"],
    "requirements-gpu.lock": ["requirements-gpu.lock"],
    "requirements-train-gpu.lock": ["requirements-train-gpu.lock"],
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# sys_platform and platform_machine, by the platforms' names in README and metadata.
PLATFORMS = [
    ("linux", "x86_64"),
    ("linux", "aarch64"),
    ("darwin", "arm64"),
    ("darwin", "x86_64"),
    ("win32", "AMD64"),
    ("win32", "ARM64"),
]
MACHINES = [
    {"sys_platform": system, "platform_machine": machine, "python_full_version": f"{version}.0"}
    | {"python_version": version, "implementation_name": "cpython"}
    for system, machine in PLATFORMS
    for version in ("3.11", "3.12", "3.13")
]


def direct(lock: str) -> list[Requirement]:
    """Return what the project asks for; without a card, ONNX Runtime of its own name."""
    lines = PROJECT["dependencies"]
    if "-train" in lock:
        lines = lines + PROJECT["optional-dependencies"]["train"]
    asked = [Requirement(line) for line in lines]
    if "-gpu" in lock:
        return asked
    runtimes = ("onnxruntime", "onnxruntime-gpu")
    return [one for one in asked if one.name not in runtimes] + [Requirement("onnxruntime>=1.20")]


def entries(lock: str) -> list[tuple[Requirement, list[str]]]:
    """The requirements of the lock files that are installed together, and each one's hashes."""
    text = "".join((ROOT / each).read_text() for each in LOCKS[lock])
    text = re.sub(r"^(#|--extra-index-url ).*\n", "", text, flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    split = (line.split("--hash=") for line in lines)
    return [(Requirement(first), [one.strip() for one in rest]) for first, *rest in split]


def applies(requirement: Requirement, machine: dict[str, str]) -> bool:
    environment: dict[str, Any] = {**default_environment(), "extra": "", **machine}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def pinned(lock: str, machine: dict[str, str]) -> dict[str, str]:
    """The versions that a machine gets, by canonical name."""
    chosen = [(one, hashes) for one, hashes in entries(lock) if applies(one, machine)]
    names = [canonicalize_name(one.name) for one, _ in chosen]
    assert len(set(names)) == len(names), "one version for each"
    return {
        name: str(one.specifier).removeprefix("==")
        for name, (one, _) in zip(names, chosen, strict=True)
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_is_one_version_with_its_hashes(lock: str) -> None:
    listed = entries(lock)
    assert len(listed) > 20
    for requirement, hashes in listed:
        assert re.fullmatch(r"==[\w.]+(\+cpu)?", str(requirement.specifier)), requirement
        assert requirement.url is None
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), requirement


@pytest.mark.parametrize("machine", MACHINES, ids=lambda one: "-".join(one.values()))
@pytest.mark.parametrize("lock", LOCKS)
def test_a_machine_gets_what_the_project_asks_for(lock: str, machine: dict[str, str]) -> None:
    got = pinned(lock, machine)
    for requirement in direct(lock):
        if applies(requirement, machine):
            version = got[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("machine", MACHINES, ids=lambda one: "-".join(one.values()))
@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_has_the_versions_of_the_constraints(lock: str, machine: dict[str, str]) -> None:
    got = pinned(lock, machine)
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    constraints = [Requirement(line) for line in lines if not line.startswith("#")]
    shared = 0
    for constraint in constraints:
        version = got.get(canonicalize_name(constraint.name))
        if version is not None and applies(constraint, machine):
            shared += 1
            assert constraint.specifier.contains(version), "run make lock"
    assert shared >= 9


def test_what_training_adds_leaves_the_server_as_it_is() -> None:
    for machine in MACHINES:
        server, training, server_gpu, training_gpu = (pinned(lock, machine) for lock in LOCKS)
        assert server.items() <= training.items()
        assert server_gpu.items() <= training_gpu.items()


def test_without_a_card_nothing_of_cuda_is_installed() -> None:
    for machine in MACHINES:
        names = pinned("requirements-train.lock", machine)
        assert "onnxruntime" in names
        assert {one for one in names if re.match("nvidia|cuda|triton|onnxruntime-", one)} == set()
        assert ("+cpu" in names["torch"]) == (machine["sys_platform"] == "linux")


def test_only_one_list_names_another_index_and_only_torch_comes_from_it() -> None:
    naming = {one.name for one in ROOT.glob("requirements*.lock") if "index-url" in one.read_text()}
    assert naming == {"requirements-torch.lock"}
    text = (ROOT / "requirements-torch.lock").read_text()
    assert re.findall(r"^([\w-]+)==", text, re.MULTILINE) == ["torch"]


@pytest.mark.parametrize("lock", LOCKS)
def test_nothing_that_a_locked_package_needs_is_missing(lock: str) -> None:
    # pip is told to look for no dependency of its own.
    here: dict[str, str] = {}
    got = pinned(lock, here)
    for name in got:
        if name.startswith(("nvidia-", "cuda-", "triton")):
            continue  # torch's own for CUDA, which a machine without it does not install
        # Either build of ONNX Runtime needs the same; here is one of them.
        for line in requires("onnxruntime-gpu" if name == "onnxruntime" else name) or []:
            requirement = Requirement(line)
            if applies(requirement, here):
                version = got.get(canonicalize_name(requirement.name))
                assert version is not None, f"{name} needs {line}"
                assert requirement.specifier.contains(version), f"{name} needs {line}"
