"""Globs as editors write them: `*.min.js`, `build/**`, `**/vendor/*.{c,h}`."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path


def matches_any(path: Path, globs: Iterable[str]) -> bool:
    """Whether one of the globs names the file.

    A glob without a slash is about names, wherever the file is; one with a slash is about the end
    of the path, or about all of it when it begins with a slash; one that ends in a slash is about
    everything in folders of that name. `**` is any number of folders.
    """
    whole = path.as_posix()
    return any(_compiled(glob).search(whole) for glob in globs)


@lru_cache(maxsize=256)
def _compiled(glob: str) -> re.Pattern[str]:
    glob = glob.replace("\\", "/")
    if glob.endswith("/"):
        glob += "**"
    anchor = "^" if glob.startswith("/") or re.match(r"[A-Za-z]:/", glob) else "(?:^|/)"
    try:
        return re.compile(f"{anchor}{_translated(glob.removeprefix('./'))}$")
    except re.error:  # a range of characters that runs backwards
        return re.compile(f"{anchor}{re.escape(glob)}$")


_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^/][^\]/]*\]|[{},]|.", re.DOTALL)


def _translated(glob: str) -> str:
    out, depth = [], 0
    for part in _PARTS.findall(glob):
        match part:
            case "**/":
                out.append("(?:.*/)?")
            case "**":
                out.append(".*")
            case "*":
                out.append("[^/]*")
            case "?":
                out.append("[^/]")
            case "{":
                depth += 1
                out.append("(?:")
            case "}" if depth:
                depth -= 1
                out.append(")")
            case "," if depth:
                out.append("|")
            case _ if len(part) > 1:
                inside = part[1:-1]
                negated = inside.startswith("!")
                characters = re.sub(r"([\\\[\]^])", r"\\\1", inside[negated:])
                out.append(f"[{'^' if negated else ''}{characters}]")
            case _:
                out.append(re.escape(part))
    return "".join(out) + ")" * depth
