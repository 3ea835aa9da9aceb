"""Saves of a project's other files: what is done in one is often due in the next.

Of a save only the changed lines are kept, with some around them; each session reads for itself what
was replaced.
"""

from typing import NamedTuple

from editcast_model.consequences.module_changes import ModuleChange
from editcast_model.tokenizer import lines

#: Saves of other files that are remembered.
SAVES = 30
_AROUND = 4  # lines kept on each side of what changed


class OtherSave(NamedTuple):
    """The changed part of another file at one of its saves.

    Attributes:
        file: Names the file; equal for the saves of one.
        before: The changed lines before the save, with some around them.
        after: The same after it.
        change: What the files that use it have to follow since then, and still have to; None for
            nothing, and where nobody looked.
    """

    file: str
    before: str
    after: str
    change: ModuleChange | None = None


def other_save(file: str, before: str, after: str) -> OtherSave:
    """Return what is worth keeping of a save, given the file's whole texts."""
    old, new = lines(before), lines(after)
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    first, behind = max(0, head - _AROUND), max(0, tail - _AROUND)
    return OtherSave(
        file, "".join(old[first : len(old) - behind]), "".join(new[first : len(new) - behind])
    )
