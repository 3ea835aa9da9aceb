"""The part of the changelog that belongs to one version, for the notes of its release.

Run: python tools/release_notes.py VERSION
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(changelog: str, version: str) -> str:
    """Return the section of a version, or of what is unreleased where it has none.

    Raises:
        SystemExit: There is neither.
    """
    parts = re.split(r"^## \[(.+?)\].*\n", changelog, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    found = sections.get(version, sections.get("Unreleased"))
    if found is None:
        sys.exit(f"The changelog has no section [{version}] and none that is [Unreleased].")
    return found.strip() + "\n"


if __name__ == "__main__":
    print(notes(CHANGELOG.read_text("utf-8"), sys.argv[1]), end="")
