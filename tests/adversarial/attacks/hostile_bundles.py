"""Model bundles as somebody with bad intentions, or a bad disk, may leave them."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from attacks.hostile_json import damaged, damaged_bytes
from editcast_model.bundle import bundled_path, checksum_of

_JSON = ("config.json", "card.json")
_GRAPHS = ("advance.onnx", "content.onnx", "encode.onnx", "point.onnx")


def make(folder: Path, outside: Path, draw: random.Random) -> tuple[str, Any]:
    """A damaged copy of the bundled model in `folder`; what was done to it."""
    shutil.copytree(bundled_path(), folder, copy_function=link_or_copy)
    config = json.loads((folder / "config.json").read_text())
    done = _damage(folder, outside, config, draw)
    return str(folder), done


def _damage(folder: Path, outside: Path, config: dict[str, Any], draw: random.Random) -> Any:
    """Damage something; checksums are made right again, as whoever means harm would do."""
    kind = draw.choice(("json", "json", "json", "checksums", "bytes", "bytes", "link", "paths"))
    name = ""
    match kind:
        case "json":
            name = draw.choice(_JSON)
            value = config if name == "config.json" else json.loads((folder / name).read_text())
            value = damaged(value, draw, draw.choice((1, 1, 3)))
            if name == "config.json":
                config = value
            else:
                _write(folder / name, json.dumps(value).encode())
        case "bytes":
            name = draw.choice((*_GRAPHS, "tokenizer.json", "weights.safetensors", *_JSON))
            _write(folder / name, damaged_bytes((folder / name).read_bytes(), draw))
        case "checksums":
            name = draw.choice(
                (
                    "/dev/zero",
                    "/dev/stdin",
                    "../../outside/secret.py",
                    "pipe",
                    "",
                    ".",
                    "/",
                    str(outside / "secret.py"),
                    "\0",
                    "link",
                )
            )
            os.mkfifo(folder / "pipe")
            (folder / "link").symlink_to(outside / "secret.py")
            config["checksums"][name] = draw.choice(("0" * 64, "", 7, None))
        case "link":
            name = draw.choice((*_GRAPHS, "tokenizer.json", "weights.safetensors", "card.json"))
            (folder / name).unlink()
            target = draw.choice(("secret.py", "", "nowhere"))
            (folder / name).symlink_to(outside / target)
        case "paths":  # where the graphs look for their weights
            name = draw.choice(_GRAPHS)
            elsewhere = draw.choice(
                (b"../outside/secret", b"/etc/passwd......", b"...................")
            )
            data = (folder / name).read_bytes()
            _write(
                folder / name, data.replace(b"weights.safetensors", elsewhere.ljust(19, b"/")[:19])
            )
    is_sound = isinstance(config, dict) and isinstance(config.get("checksums"), dict)
    if is_sound and name in config["checksums"] and kind != "checksums":
        path = folder / name
        if path.is_file() and not path.is_symlink():
            config["checksums"][name] = checksum_of(path)
        elif draw.random() < 0.5:
            del config["checksums"][name]
    if kind != "bytes" or name != "config.json":
        _write(folder / "config.json", json.dumps(config).encode())
    return [kind, name]


def link_or_copy(source: str, target: str) -> None:
    """Give a file a second name, which costs nothing; copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write(path: Path, data: bytes) -> None:
    """Write a file anew: the old one is a link to the real model's."""
    path.unlink()
    path.write_bytes(data)
