"""Settings of inference that belong to a model; its bundle stores them."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from editcast_model.checked import Between, UnfitError

_Count = Annotated[int, Between(0, 1000)]


@dataclass(frozen=True, slots=True)
class InferenceConfig:
    """Sizes and bounds that inference keeps to; a bundle without one of them has the default.

    Attributes:
        window: Most subtokens of a window: as many as the network was trained on.
        most_edits: Edits of saves after which a window is made anew, on a later save.
        kept_edits: How many of the newest edits a new window begins with, if there are as many.
        floor: Least probability of a decoded edit, given its first position.
        together: Most tokens between two token edits of one decoded edit.
        decoded_length: Most token edits of one decoded edit.
        other_starts: First token edits that are tried on a line in place of those that no filter
            lets pass.
        other_lines: Lines that are decoded in place of those where no edit passes.
        repeated_edits: Repeated edits of this file whose lines are compared.
        scored_edits: Of the best repeated edits, how many token edits of each the network scores;
            as many are proposed.
        cross_file_edits: Cross-file edits that are proposed.
        consequences: Consequences that are proposed.
        probable_lines: Lines that the line ranker takes from the pointer, the likeliest first.
        near_lines: Lines that it takes next to the last change.
    """

    window: Annotated[int, Between(16, 65_536)] = 4096
    most_edits: Annotated[int, Between(1, 65_536)] = 192
    kept_edits: Annotated[int, Between(1, 65_536)] = 96
    floor: Annotated[float, Between(0, 1)] = 0.3
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
        """Check that a new window keeps no more edits than it may hold.

        Raises:
            UnfitError: It would.
        """
        if self.kept_edits > self.most_edits:
            raise UnfitError("must keep at most as many edits as a window may hold")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that a bundle's configuration has."""
        return asdict(self)
