"""VS Code's Local History as file histories.

The editor keeps a copy of a file at each save under `User/History/<hash>/`: one file a version,
and `entries.json` with `{version: 1, resource: uri, entries: [{id, timestamp, source?}, ...]}`,
where `id` is the version's file name and `timestamp` is in milliseconds since the epoch.

The folder may be anybody's: no link in it is followed, and nothing but plain files is opened.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from editcast_model.errors import SourceError
from editcast_model.plain_files import MOST_JSON, NotPlainError, open_plain
from editcast_store.paths import unicode_path
from editcast_store.saves import project_of
from editcast_training.sources.file_history import (
    MAX_BYTES,
    MOST_TIME,
    FileHistory,
    Skipped,
    Snapshot,
    decode,
    language_of,
    pieces,
    reason_to_skip,
)

_PRODUCTS = "Code,Code - Insiders,Code - OSS,VSCodium,VSCodium - Insiders,Cursor,Windsurf"
# What the server of a remote session is called; it keeps its data on the remote machine.
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server")
_VERSION = 1
_ENTRIES = "entries.json"


def local_history_folders(
    *,
    platform: str = sys.platform,
    environ: Mapping[str, str] = os.environ,
    home: Path | None = None,
) -> list[Path]:
    """Return the Local History folders of VS Code and its kin on this machine."""
    home = Path.home() if home is None else home

    def place(variable: str, default: str) -> Path:
        return Path(environ[variable]) if environ.get(variable) else home / default

    if platform == "win32":
        roots = [place("APPDATA", "AppData/Roaming")]
        others = [place("LOCALAPPDATA", "AppData/Local") / "code-server/Data"]
    elif platform == "darwin":
        roots = [home / "Library/Application Support"]
        others = [roots[0] / "code-server", place("XDG_DATA_HOME", ".local/share") / "code-server"]
    else:
        roots = [
            place("XDG_CONFIG_HOME", ".config"),
            home / ".var/app/com.visualstudio.code/config",  # Flatpak
            home / ".var/app/com.vscodium.codium/config",
        ]
        others = [place("XDG_DATA_HOME", ".local/share") / "code-server"]
    data = [root / product for root in roots for product in _PRODUCTS.split(",")]
    data += others + [home / server / "data" for server in _SERVERS]
    return [found for folder in data if (found := folder / "User" / "History").is_dir()]


def read_local_history(folder: Path, *, skipped: Skipped) -> Iterator[FileHistory]:
    """Yield the history of every file that a Local History folder knows.

    Files that usually hold secrets are counted and not read. The folder is `User/History` of the
    editor's user data.

    Raises:
        SourceError: there is no such folder, or it cannot be read.
    """
    try:
        files = sorted(found for found in folder.iterdir() if found.is_dir())
    except OSError as error:
        raise SourceError(
            f"The Local History folder {folder} cannot be read ({error.strerror or error}); "
            "name the folder User/History of your editor's user data."
        ) from error
    for file in files:
        if file.is_symlink():
            skipped["file: its folder is a link"] += 1
            continue
        yield from _histories(file, skipped)


def _histories(folder: Path, skipped: Skipped) -> Iterator[FileHistory]:
    """Read the history of one file; none, counted, if unwanted or its index is damaged."""
    try:
        with open_plain(folder / _ENTRIES) as file:
            index = json.loads(file.read(MOST_JSON))  # a longer one is cut off, so no JSON
        version, entries = index["version"], list(index["entries"])
        path = _path(index["resource"])
    except FileNotFoundError:
        skipped["file: no entries.json"] += 1
        return
    except NotPlainError:
        skipped["file: entries.json is not a plain file"] += 1
        return
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        skipped["file: damaged entries.json"] += 1
        return
    language = language_of(path)
    if version != _VERSION:
        skipped[f"file: entries.json of version {version}"] += 1
    elif reason := reason_to_skip(path):
        skipped[reason] += 1
    elif language is None:
        skipped["file: another language"] += 1
    else:
        for piece in pieces(_snapshots(folder, entries, skipped), skipped):
            yield FileHistory(project_of(path), path, language, "saves", piece)


def _path(resource: object) -> str:
    """Return the path that a URI names, with `/`; `c:/folder/file` on Windows."""
    if not isinstance(resource, str):
        raise TypeError("a URI is text")
    parts = urlsplit(resource)
    path = unicode_path(unquote(parts.path))
    if re.match(r"/[A-Za-z]:/", path):
        return path[1:]
    return f"//{parts.netloc}{path}" if parts.scheme == "file" and parts.netloc else path


def _snapshots(folder: Path, entries: list[object], skipped: Skipped) -> Iterator[Snapshot]:
    """Return the versions whose files are there, in time order."""
    dated = []
    for entry in entries:
        match entry:
            case {"id": str(name), "timestamp": int(time)} if (
                _is_version(name) and abs(time) <= MOST_TIME
            ):
                dated.append((time, name))
            case _:
                skipped["snapshot: damaged entry"] += 1
    for time, name in sorted(dated, key=lambda version: version[0]):  # stable
        try:
            with open_plain(folder / name) as opened:
                data = opened.read(MAX_BYTES + 1)  # `decode` counts what is longer
        except FileNotFoundError:
            skipped["snapshot: its file is missing"] += 1
            continue
        except NotPlainError:
            skipped["snapshot: its file is not a plain one"] += 1
            continue
        except (OSError, ValueError):  # ValueError: a name that no file can have
            skipped["snapshot: its file cannot be read"] += 1
            continue
        text = decode(data, skipped)
        if text is not None:
            yield Snapshot(text, time)


def _is_version(name: str) -> bool:
    """Tell whether an id is a file's plain name: nothing outside its folder is ever read."""
    return name not in ("", ".", "..", _ENTRIES) and re.search(r"[/\\:\0]", name) is None
