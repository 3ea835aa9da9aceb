"""An instance of the paper, with its states and its explicit edits."""

from collections.abc import Iterator
from dataclasses import dataclass

from editcast_model.edits import Edit, Timeline


@dataclass(frozen=True, slots=True)
class EditSequence:
    """An instance of the paper: an initial state and T implicit edits."""

    initial: tuple[int, ...]
    edits: tuple[Edit, ...]

    def explicit(self) -> tuple[Edit, ...]:
        """Return the edits with positions in the state just before each."""
        timeline = Timeline(self.initial)
        out = []
        for edit in self.edits:
            out.append(Edit(int(timeline.rank[edit.position]), edit.content))
            timeline.append(edit)
        return tuple(out)

    def states(self) -> Iterator[list[int]]:
        """Return the states ``s(0) .. s(T)``."""
        timeline = Timeline(self.initial)
        yield timeline.state()
        for edit in self.edits:
            timeline.append(edit)
            yield timeline.state()

    def final(self) -> list[int]:
        """Return the last state, ``s(T)``."""
        timeline = Timeline(self.initial)
        for edit in self.edits:
            timeline.append(edit)
        return timeline.state()
