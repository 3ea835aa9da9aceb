"""Remains of versions of Python that a project no longer supports.

After `requires-python = ">=3.10"` has become `">=3.11"`, the old version goes from classifiers,
lists of versions, settings of tools and manuals. In such commits of 16 projects, 337 of 388 of
these changes were made just so; 38 more were proposed in files that the commits left alone (counted
once, by a script that was not kept). Conditions on `sys.version_info` are left alone: too few of
them were changed as proposed.
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import basename
from typing import Final

from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk

_LEAST: Final = re.compile(
    r"""(?:requires-python|python_requires|requires_python)["']?\s*[:=]\s*["']?\s*>=\s*3\.(\d+)"""
)
_LOG: Final = re.compile(r"(?i)(?:change|history|news|release)[^/.]*(?:\.\w*)?$|(?:^|/)tests?/")
_DOCUMENT: Final = re.compile(r"\.(?:md|rst|txt)$")
_SETTINGS: Final = re.compile(
    r"\.(?:toml|cfg|ini|ya?ml)$|requirements\w*\.txt$|(?:setup|noxfile)\.py$"
)
#: What goes with the dropped version 3.OLD, whose successor is 3.NEW.
_GONE: Final = (
    r"""^[ \t]*["']?Programming Language :: Python :: 3\.OLD["']?,?[ \t]*\r?\n""",
    r"""^[ \t]*["']?\w[^\n;]*;[ ]?python_version[ ]?"""
    r"""(?:<[ ]?["']3\.NEW|<=[ ]?["']3\.OLD)["']["']?,?[ \t]*\r?\n""",
    r"""^\w[\w-]*[ ]=[ ]\{[^\n{}]*\bpython[ ]=[ ]"<3\.NEW"[^\n{}]*\}[ \t]*\r?\n""",
    r"""^[ \t]*-[ ]["']?3\.OLD["']?[ \t]*\r?\n(?=[ \t]*-[ ]["']?3\.NEW\b)""",
    r"""(?P<quote>["'])(?:3\.|py3)OLD(?P=quote),\s*(?=["'](?:3\.|py3)NEW["'])""",
    r"""\bpy3OLD,\s*(?=py3NEW\b)|(?<=[{,])3\.?OLD,\s*(?=3\.?NEW\b)""",
)
#: The version that takes the place of a dropped one in settings.
_SET: Final = re.compile(
    r"""target-version\s*=\s*["']py3(\d+)["']|\bpython_?[vV]ersion\s*=\s*["']?3\.(\d+)\b"""
)
_SAID: Final = re.compile(
    r"""\bPython[ ](?:>=[ ]?)?3\.(\d+)"""
    r"""(?=\+|[ ](?:or|and)[ ](?:newer|later|higher|above|up|greater))"""
    r"""|\bPython[ ]?\(?>=[ ]?3\.(\d+)\b""",
    re.IGNORECASE,
)


def dropped_left_in(
    changes: Iterable[tuple[str, str]], text: str, path: str
) -> Iterator[Consequence]:
    """Return what is left of versions that are not supported since one of some changes.

    Args:
        changes: Texts before and after of this file, or the changed lines of other ones.
        text: The text of the file.
        path: Its path.
    """
    least = {(_least(before), _least(after)) for before, after in changes}
    for was, now in least if not _LOG.search(path) else ():
        if not 0 <= was < now:
            continue
        cause = f"Python 3.{was} 3.{now}"
        hunks = [*_in_settings(text, was, now)] if _SETTINGS.search(basename(path)) else []
        if _DOCUMENT.search(path):
            hunks += _replaced(_SAID, text, was, now)
        for hunk in hunks:
            yield Consequence(hunk, "drop_version", cause=cause)


def _least(text: str) -> int:
    """Return the least version of Python that a text asks for; -1 for none."""
    found = _LEAST.search(text)
    return int(found[1]) if found is not None else -1


def _in_settings(text: str, was: int, now: int) -> Iterator[Hunk]:
    for old in range(was, now):
        for pattern in _GONE:
            written = pattern.replace("OLD", str(old)).replace("NEW", str(old + 1))
            for found in re.finditer(written, text, re.MULTILINE):
                yield Hunk(*found.span(), "")
    yield from _replaced(_SET, text, was, now)


def _replaced(pattern: re.Pattern[str], text: str, was: int, now: int) -> Iterator[Hunk]:
    """Yield the least version in the place of dropped ones."""
    for found in pattern.finditer(text):
        group = found.lastindex or 0
        if was <= int(found[group]) < now:
            yield Hunk(*found.span(group), str(now))
