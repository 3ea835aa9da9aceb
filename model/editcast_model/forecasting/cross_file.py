"""What saves changed in the other files of a project: what is done in one is often due in the next.

Of a save only the changed lines are kept, with some around them; each session reads for itself what
was replaced. A replacement of another file, made again in this one, is a candidate of its own kind:
neither is it known that anything is to be done here at all, nor has the network seen it. So it is
weighed by weights of its own (`ranking.Ranking.elsewhere`).
"""

from dataclasses import dataclass
from typing import NamedTuple

from editcast_model.tokenizer import lines

#: Saves of other files that are remembered.
SAVES = 30
_AROUND = 4  # lines kept on each side of what changed


class OtherSave(NamedTuple):
    """What a save changed in another file.

    Attributes:
        file: Names the file; equal for the saves of one.
        before: The changed lines before the save, with some around them.
        after: The same after it.
    """

    file: str
    before: str
    after: str


def other_save(file: str, before: str, after: str) -> OtherSave:
    """What is worth keeping of a save, given the file's whole texts."""
    old, new = lines(before), lines(after)
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    first, behind = max(0, head - _AROUND), max(0, tail - _AROUND)
    return OtherSave(
        file, "".join(old[first : len(old) - behind]), "".join(new[first : len(new) - behind])
    )


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of a replacement of other files, beside where it could be made in this one.

    Attributes:
        times: How often it was made there.
        files: In how many files.
        ago: How many replacements were made there after it.
        places: At how many places it could be made here.
    """

    times: int
    files: int
    ago: int
    places: int
