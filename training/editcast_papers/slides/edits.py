"""Edits from the histories of repositories, each shown beside the one before it in its file.

An edit is a group of changed lines that touch, with three lines above and below. Shown with it is
the group that the same commit changed before it, further up in the file. What is to be written is
what the lines become. To learn the language first, lines are left out of files as they stand: the
edit that puts them back, with none shown.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import islice, pairwise
from pathlib import Path
from random import Random

from editcast_model.errors import ReproductionError
from editcast_model.private_files import private_folder, write_text
from editcast_model.tokenizer import lines
from editcast_training.data.line_changes import line_changes
from editcast_training.disk import explained
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.git import newest_commit, read_files
from editcast_training.sources.registry import SPLITS, Origin, read_origin

_REPOSITORIES = 16  # of each split at most, the smallest ones: a minute's reading
_AROUND = 3  # lines
_LONGEST, _LONGEST_WRITTEN = 600, 120  # characters of all that is read, and of what is written
_LEFT_OUT, _EVERY = 3, 12  # lines that are left out at most, and lines on average to the next
_VERSION = 2


@dataclass(frozen=True, order=True)
class Edit:
    """An edit, and the one before it.

    Attributes:
        shown_before: The lines of the edit before, as they were.
        shown_after: What they became.
        above: The lines above this edit.
        before: Its lines, as they were.
        below: The lines below it.
        after: What its lines become.
    """

    shown_before: str
    shown_after: str
    above: str
    before: str
    below: str
    after: str


@dataclass(frozen=True)
class Edits:
    """The parts, and a digest of them; `files` puts back what is left out of files to train on."""

    train: Sequence[Edit]
    dev: Sequence[Edit]
    test: Sequence[Edit]
    identity: str
    files: Sequence[Edit] = ()


def edits_of(history: FileHistory) -> Iterator[Edit]:
    """Yield the edits of a file that are short enough, in the order of its snapshots."""
    for older, newer in pairwise(history.snapshots):
        split = lines(older.text)
        for shown, change in pairwise(line_changes(older.text, newer.text)):
            edit = Edit(
                "".join(shown.before),
                "".join(shown.after),
                "".join(split[max(change.first - _AROUND, 0) : change.first]),
                "".join(change.before),
                "".join(split[change.end : change.end + _AROUND]),
                "".join(change.after),
            )
            if _is_short(edit):
                yield edit


def left_out_of(text: str, draw: Random) -> Iterator[Edit]:
    """Leave lines out of a text, here and there; yield the edits that put them back."""
    split, first = lines(text), draw.randrange(_EVERY)
    while first < len(split):
        end = first + draw.randint(1, _LEFT_OUT)
        above, after, below = split[max(first - _AROUND, 0) : first], split[first:end], split[end:]
        edit = Edit("", "", "".join(above), "", "".join(below[:_AROUND]), "".join(after))
        if edit.after.strip() and _is_short(edit):
            yield edit
        first = end + draw.randrange(2 * _EVERY)


def _is_short(edit: Edit) -> bool:
    *read, written = map(len, astuple(edit))
    return sum(read) <= _LONGEST and written <= _LONGEST_WRITTEN


@explained(ReproductionError)
def read_edits(origins: Sequence[Origin], most: Mapping[str, int], scratch: Path) -> Edits:
    """Return the edits of repositories; from `scratch` if they lie there.

    Raises:
        ReproductionError: A split has no edit, or what lies in `scratch` is damaged.
        SourceError: A repository cannot be read.
    """
    used = [one for split in SPLITS for one in _of(origins, split)]
    named = [[one.name, str(one.split), newest_commit(one.path)] for one in used]
    digest = hashlib.sha256(json.dumps([_VERSION, dict(most), named]).encode()).hexdigest()
    path = scratch / f"edits-{digest[:16]}.json"
    if not path.exists():
        found = _read(used, most)
        private_folder(scratch)
        write_text(
            path,
            json.dumps({name: [astuple(one) for one in part] for name, part in found.items()}),
        )
    try:
        text = path.read_text("utf-8")
        rows = json.loads(text)
        parts = {name: [Edit(*row) for row in rows[name]] for name in (*SPLITS, "files")}
    except (ValueError, KeyError, TypeError) as error:
        raise ReproductionError(
            f"The edits in {path} cannot be read ({error}); remove the file to make them again."
        ) from error
    identity = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Edits(parts["train"], parts["dev"], parts["test"], identity, parts["files"])


def _of(origins: Iterable[Origin], split: str) -> list[Origin]:
    return [one for one in origins if one.split == split][:_REPOSITORIES]


def _read(origins: Sequence[Origin], most: Mapping[str, int]) -> dict[str, list[Edit]]:
    """Read each split; of every repository an equal share, and no edit twice."""
    found: dict[str, list[Edit]] = {}
    seen: set[Edit] = set()
    for split in reversed(SPLITS):  # what is in test is not trained on
        own = _of(origins, split)
        part: list[Edit] = []
        for origin in own:
            part += islice(_new(origin, seen), most[split] // len(own))
        if not part:
            raise ReproductionError(
                f"The repositories for {split} have no edit; --mirror is the folder in which they "
                "lie, OWNER+NAME."
            )
        found[split] = part
    own = _of(origins, "train")
    found["files"] = []
    for origin in own:
        found["files"] += islice(_left_out(origin), most["train"] // len(own))
    return found


def _left_out(origin: Origin) -> Iterator[Edit]:
    draw = Random(origin.name)
    files = sorted(text for *_, text in read_files(origin.path, skipped=Skipped()))
    draw.shuffle(files)
    for text in files:
        yield from left_out_of(text, draw)


def _new(origin: Origin, seen: set[Edit]) -> Iterator[Edit]:
    """Yield the edits of a repository that were not seen before."""
    for history in read_origin(origin, Skipped()):
        for edit in edits_of(history):
            if edit not in seen:
                seen.add(edit)
                yield edit
