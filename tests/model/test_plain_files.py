"""Files of a bundle that are none, lead elsewhere, or never end."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from editcast_model.errors import BundleError
from editcast_model.plain_files import (
    NotPlainError,
    digest_of,
    is_plain_name,
    open_plain,
    read_json,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    (made / "half").mkdir(parents=True)
    (made / "card.json").write_text('{"name": "mine"}', encoding="utf-8")
    (made / "half" / "weights").write_bytes(b"weights")
    (tmp_path / "secret").write_text("{}", encoding="utf-8")
    return made


def test_a_plain_file(folder: Path) -> None:
    assert read_json(folder, "card.json") == {"name": "mine"}
    assert digest_of(folder, "half/weights") == hashlib.sha256(b"weights").hexdigest()


def test_a_folder_in_place_of_a_file_keeps_no_handle(folder: Path) -> None:
    first = os.open(folder / "card.json", os.O_RDONLY)
    os.close(first)
    for _ in range(3):
        with pytest.raises(NotPlainError):
            open_plain(folder / "half")
    again = os.open(folder / "card.json", os.O_RDONLY)
    os.close(again)
    assert again == first


def test_a_link_within_the_folder(folder: Path) -> None:
    (folder / "link").symlink_to("half/weights")
    assert digest_of(folder, "link") == digest_of(folder, "half/weights")


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def link_out(path: Path) -> None:
    path.symlink_to("../secret")


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def make_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (make_pipe, "not a regular file"),
        (link_out, "leads out of its folder"),
        (link_to_device, "leads out of its folder"),
        (link_to_itself, "cannot be read"),
        (make_folder, "odd"),
        (lambda path: None, "odd is missing"),
    ],
    ids=["pipe", "link", "device", "loop", "folder", "nothing"],
)
def test_what_is_no_plain_file(folder: Path, make: Callable[[Path], None], said: str) -> None:
    make(folder / "odd")
    for read in (digest_of, read_json):
        with pytest.raises(BundleError, match=said) as caught:
            read(folder, "odd")
        assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_a_folder_that_is_above(folder: Path) -> None:
    with pytest.raises(BundleError, match="leads out"):
        digest_of(folder, "../secret")


def test_files_have_a_largest_size(folder: Path) -> None:
    with pytest.raises(BundleError, match="larger than 6 bytes"):
        digest_of(folder, "half/weights", 6)
    with pytest.raises(BundleError, match="larger than 6 bytes"):
        read_json(folder, "card.json", 6)


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff", b"9" * 5000])
def test_what_is_no_json(folder: Path, content: bytes) -> None:
    (folder / "card.json").write_bytes(content)
    with pytest.raises(BundleError, match="damaged"):
        read_json(folder, "card.json")


@pytest.mark.parametrize("name", ["card.json", "half/encode.onnx", "my notes.txt", ".hidden"])
def test_names_of_files(name: str) -> None:
    assert is_plain_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        ".",
        "..",
        "/dev/zero",
        "../x",
        "a/../../x",
        "a//b",
        "a/",
        "./a",
        "C:x",
        "a\\b",
        "a\nb",
    ],
)
def test_names_of_nothing_in_the_folder(name: str) -> None:
    assert not is_plain_name(name)
