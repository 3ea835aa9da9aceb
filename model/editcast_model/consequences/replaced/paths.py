"""Paths of renamed and moved files: where other files still have the old one.

An editor follows the imports of a language whose server knows them. What remains are manuals,
settings, scripts and pages, and imports of other languages.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from posixpath import dirname, join, normpath, relpath, splitext
from typing import Final, NamedTuple

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.folder_files import COMMON_NAMES, SHORTEST_NAME
from editcast_model.diff import Hunk

_MOST_PLACES: Final = 60
_SCHEME: Final = re.compile(r"^[a-zA-Z][\w+.-]*://")
_RELATIVE: Final = re.compile(r"(?<![\w./-])\.{1,2}/[\w./@-]*\w")
_SCRIPT: Final = re.compile(r"\.[cm]?[jt]sx?$")
_FOLDER: Final = re.compile(r"([\w.@-]+)/$")
_LONGEST_FOLDER: Final = 80


class RenamedFile(NamedTuple):
    """A file that has another path now: both paths, or both URIs as readable text."""

    old: str
    new: str

    @property
    def plain(self) -> "RenamedFile":
        """Return the same file with paths instead of URIs."""
        return RenamedFile(*(_SCHEME.sub("", one) for one in self))


def add_renamed(known: Iterable[RenamedFile], one: RenamedFile) -> list[RenamedFile]:
    """Return the renamed files with a further one, that may have been renamed before."""
    before = [each._replace(new=one.new) for each in known if each.new == one.old]
    others = [each for each in known if each.new != one.old and each.old != one.old]
    return [*others, *(each for each in (*before, one) if each.old != each.new)]


def paths_left_in(text: str, renamed: Iterable[RenamedFile], path: str) -> Iterator[Consequence]:
    """Return the places of a text that have the old paths of files; relative ones begin at its."""
    for one in renamed:
        if path not in one:
            places = _places(text, one.plain, _SCHEME.sub("", path))
            found = {hunk.start: hunk for hunk in places}
            for hunk in found.values() if len(found) <= _MOST_PLACES else ():
                yield Consequence(hunk, "replace_path", cause=f"{one.old} {one.new}")


def _places(text: str, one: RenamedFile, path: str) -> Iterator[Hunk]:
    stem = one.old.rpartition("/")[2].partition(".")[0]
    if stem not in text:
        return
    folder = dirname(path)
    for found in _RELATIVE.finditer(text):
        new = _relative(found[0], one, folder)
        if new is not None:
            yield Hunk(*found.span(), new)
    for written in _written(one):
        for found in written.pattern.finditer(text):
            if _is_it(text, found.start(), written):
                yield Hunk(*found.span(), written.new)


def _relative(reference: str, one: RenamedFile, folder: str) -> str | None:
    """Return what a relative path to a file is now; None for another file's."""
    place = normpath(join(folder, reference))
    (old, suffix), (new, new_suffix) = splitext(one.old), splitext(one.new)
    script = _SCRIPT.search(place)
    if place == one.old:
        target = one.new
    elif _is_common(new) or suffix != new_suffix:
        return None
    elif place == old:
        target = new
    elif script and _SCRIPT.fullmatch(suffix) and place == old + script[0]:
        target = new + script[0]  # `./store.js` is what `store.ts` is compiled to
    else:
        return None
    found = relpath(target, folder or ".")
    return found if found.startswith(".") else f"./{found}"


class _Written(NamedTuple):
    """A way to write the path of a renamed file, from the first folder that has changed."""

    pattern: re.Pattern[str]
    new: str
    folder: str  # around that
    is_named: bool  # the folder must be named before it


@lru_cache(256)
def _written(one: RenamedFile) -> tuple[_Written, ...]:
    """Return the ways to write a path that do not begin at another file."""
    old, new = one.old.split("/"), one.new.split("/")
    pairs = zip(old[:-1], new[:-1], strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    folder = old[same - 1] if same else ""
    short, other = "/".join(old[same:]), "/".join(new[same:])
    is_alone = "/" not in short
    found = list[_Written]()
    if "." in old[-1] and not (is_alone and _is_common(short)):
        whole = re.compile(rf"(?<![\w.-]){re.escape(short)}(?![\w/-]|\.\w)")
        found.append(_Written(whole, other, folder, is_alone and old[-1] == new[-1]))
    (stem, suffix), (other_stem, other_suffix) = splitext(short), splitext(other)
    if suffix and suffix == other_suffix and not (_is_common(stem) or _is_common(other_stem)):
        bare = re.compile(rf"(?<![\w.-]){re.escape(stem)}(?=[\"'`)\s#?]|$)", re.MULTILINE)
        if len(old[-1].partition(".")[0]) >= SHORTEST_NAME:
            found.append(_Written(bare, other_stem, folder, is_alone))
        if suffix == ".py" and folder.isidentifier():
            module = re.compile(rf"(?<=\b{folder}\.){re.escape(stem.replace('/', '.'))}(?!\w)")
            found.append(_Written(module, other_stem.replace("/", "."), "", False))
    return tuple(found)


def _is_common(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] in COMMON_NAMES


def _is_it(text: str, start: int, written: _Written) -> bool:
    """Tell whether a path is in the folder of the file, as far as the text tells."""
    found = _FOLDER.search(text, max(0, start - _LONGEST_FOLDER), start)
    if found is None:
        return not written.is_named
    return bool(written.folder) and found[1] == written.folder
