"""The inference configuration of a model, which its bundle stores."""

from dataclasses import dataclass
from typing import Annotated

from editcast_model.checked import UnfitError, between

_Count = Annotated[int, between(0, 1000)]


@dataclass(frozen=True, slots=True)
class InferenceConfig:
    """Sizes and limits of inference, with defaults for bundles that lack some of them.

    Attributes:
        window: Maximum subtokens of a window, as in the network's training.
        most_edits: Maximum edits of a window; then a new window is made on a later save.
        kept_edits: Number of the newest edits that a new window keeps.
        floor: Minimum probability of a decoded edit, given its first position.
        together: Maximum tokens between two token edits of a decoded edit.
        decoded_length: Maximum token edits of a decoded edit.
        other_starts: Number of other first token edits to try on a line if filters drop the first.
        other_lines: Number of other lines to decode if filters drop all edits of a line.
        repeated_edits: Number of repeated edits of this file whose lines are compared.
        scored_edits: For each proposed repeated edit, the number of token edits that the network
            scores.
        cross_file_edits: Number of cross-file edits that are proposed.
        consequences: Number of consequences that are proposed.
        probable_lines: Number of lines for the line ranker that the pointer finds most probable.
        near_lines: Number of lines for the line ranker next to the last change.
    """

    window: Annotated[int, between(16, 65_536)] = 4096
    most_edits: Annotated[int, between(1, 65_536)] = 192
    kept_edits: Annotated[int, between(1, 65_536)] = 96
    floor: Annotated[float, between(0, 1)] = 0.3
    together: _Count = 16
    decoded_length: _Count = 20
    other_starts: _Count = 1
    other_lines: _Count = 1
    repeated_edits: _Count = 8
    scored_edits: tuple[_Count, ...] = (2, 1)
    cross_file_edits: _Count = 2
    consequences: _Count = 8
    probable_lines: _Count = 40
    near_lines: _Count = 20

    def __post_init__(self) -> None:
        """Check that a new window keeps no more edits than a window may have.

        Raises:
            UnfitError: It keeps more.
        """
        if self.kept_edits > self.most_edits:
            raise UnfitError("must keep at most as many edits as a window may hold")
