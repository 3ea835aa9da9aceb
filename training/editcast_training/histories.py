"""What training starts from: the texts that one file has had, in time order.

Every source (git, Local History, the store, JSON lines) yields `FileHistory` and counts in a
`Skipped` what it left out, by reason. A reason begins with its unit: file, snapshot, commit, line.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

Skipped = Counter[str]

#: A text longer than this is no source code that a person edits.
MAX_BYTES = 1_000_000

#: The texts of one history are at most about this long together; a longer one comes in pieces, so
#: that thousands of versions of a large file never stand in memory at once.
MAX_HISTORY_BYTES = 64_000_000

#: File name extension -> language identifier (LSP 3.17, TextDocumentItem), as editors send it.
LANGUAGES = {
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".cxx": "cpp",
    ".dart": "dart",
    ".ex": "elixir",
    ".exs": "elixir",
    ".go": "go",
    ".h": "c",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".htm": "html",
    ".html": "html",
    ".java": "java",
    ".jl": "julia",
    ".js": "javascript",
    ".jsx": "javascriptreact",
    ".cjs": "javascript",
    ".mjs": "javascript",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".lua": "lua",
    ".md": "markdown",
    ".php": "php",
    ".pl": "perl",
    ".pm": "perl",
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".rst": "restructuredtext",
    ".scala": "scala",
    ".scss": "scss",
    ".sh": "shellscript",
    ".sql": "sql",
    ".svelte": "svelte",
    ".swift": "swift",
    ".toml": "toml",
    ".ts": "typescript",
    ".cts": "typescript",
    ".mts": "typescript",
    ".tsx": "typescriptreact",
    ".vue": "vue",
    ".yaml": "yaml",
    ".yml": "yaml",
}

_VENDORED_FOLDERS = frozenset(
    {
        "vendor",
        "_vendor",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "node_modules",
        "bower_components",
        "site-packages",
    }
)
_GENERATED_NAMES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.go", ".min.js", ".min.css")
_GENERATED_HEADER = re.compile(
    r"@generated|\bauto-?\s?generated\b|\bgenerated (by|from|with)\b|\bcode generated\b"
    r"|\b(automatically|machine) generated\b",
    re.IGNORECASE,
)
_HEADER_LINES = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A text that a file had, and since when (milliseconds since the epoch, if known)."""

    text: str
    time: int | None


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The snapshots of one file: at least two, in time order, successive texts differ."""

    project: str
    path: str
    language: str
    kind: Literal["commits", "saves"]
    snapshots: tuple[Snapshot, ...]


def language_of(path: str) -> str | None:
    """The language identifier of a file by its name, None when the table does not know it."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower())


def foreign_reason(path: str) -> str | None:
    """Why a file is not the project's own writing, by its path (with `/`); None when it is."""
    pure = PurePosixPath(path)
    if not _VENDORED_FOLDERS.isdisjoint(pure.parts[:-1]):
        return "file: vendored"
    if pure.name.lower().endswith(_GENERATED_NAMES):
        return "file: generated"
    return None


def is_generated(text: str) -> bool:
    """Whether the first lines of a file say that a program wrote it."""
    header = "\n".join(text[:2000].split("\n", _HEADER_LINES)[:_HEADER_LINES])
    return _GENERATED_HEADER.search(header) is not None


def decode(data: bytes, skipped: Skipped) -> str | None:
    """The text of a file's bytes, or None (counted) when no person edits such a thing.

    A byte order mark is dropped, as editors do; line ends stay as they are.
    """
    if len(data) > MAX_BYTES:
        skipped["snapshot: over 1 MB"] += 1
        return None
    if b"\0" in data:
        skipped["snapshot: binary"] += 1
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        skipped["snapshot: not UTF-8"] += 1
        return None


def distinct(snapshots: Iterable[Snapshot]) -> Iterator[Snapshot]:
    """The snapshots that differ from the one before."""
    last: str | None = None
    for snapshot in snapshots:
        if snapshot.text != last:
            yield snapshot
            last = snapshot.text


def pieces(snapshots: Iterable[Snapshot], skipped: Skipped) -> Iterator[tuple[Snapshot, ...]]:
    """Snapshots in time order as the `snapshots` of one `FileHistory`, or of several when long.

    Equal neighbours are merged. A piece begins with the snapshot that the piece before it ended
    with, so no edit is lost. A file that never changed yields nothing and is counted.
    """
    piece: list[Snapshot] = []
    size, any_yet = 0, False
    for snapshot in distinct(snapshots):
        piece.append(snapshot)
        size += len(snapshot.text)
        if size > MAX_HISTORY_BYTES and len(piece) > 1:
            yield tuple(piece)
            piece, size, any_yet = [snapshot], len(snapshot.text), True
    if len(piece) > 1:
        yield tuple(piece)
    elif not any_yet:
        skipped["file: fewer than 2 snapshots"] += 1


def project_of(path: Path) -> str:
    """The project that a file on this machine belongs to: its repository, else its folder."""
    for folder in path.parents:
        if (folder / ".git").exists():
            return str(folder)
    return str(path.parent)
