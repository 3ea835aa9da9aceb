"""A synthetic task's data as tensors, and what is known of a task before any training.

Dimensions are those of `Batch`; S is the same for every instance, so that rows can be selected
and shortened without any item changing its number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from editcast_model.networks.batch import Batch, Instance, collate
from editcast_papers.zhao2019.runs import Statistics
from editcast_papers.zhao2019.synthetic import MULTITASK, Diff, Example, find_task, generate, twins

Part = Literal["train", "dev", "test"]

#: How many instances each part has in the paper.
SIZES: dict[Part, int] = {"train": 10_000, "dev": 1_000, "test": 1_000}
_SEEDS: dict[Part, int] = {"train": 1, "dev": 2, "test": 3}


@dataclass(frozen=True)
class Split:
    """All instances of one part, padded to the longest.

    Attributes:
        batch: The instances.
        lengths: Edits of each, int64 (B,).
        jumps: The first edit of each replacement, bool (B, T).
        twins: Items that each edit could as well point at, bool (B, T, N); None where nobody asks.
    """

    batch: Batch
    lengths: Tensor
    jumps: Tensor
    twins: Tensor | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def items(self) -> int:
        """N, the most items that an instance has."""
        return self.batch.live.shape[2]

    def to(self, device: torch.device | str) -> "Split":
        """Return the same on a device."""
        moved = None if self.twins is None else self.twins.to(device)
        return Split(self.batch.to(device), self.lengths.to(device), self.jumps.to(device), moved)

    def rows(self, index: Tensor) -> Batch:
        """Return the instances numbered `index` (b,), with T as the longest of them needs."""
        steps = int(self.lengths[index].max())
        size = self.batch.state.shape[1]
        widths = {"state": size, "live": steps, "buckets": steps, "instead": steps}
        widths |= {
            "copyable": steps,
            "scored": steps,
            "behind": steps,
            "onward": steps,
            "stands": size + steps,
        }
        chosen = {}
        for field in fields(Batch):
            tensor = getattr(self.batch, field.name)[index, : widths.get(field.name, steps + 1)]
            chosen[field.name] = tensor[..., : size + steps] if tensor.dim() == 3 else tensor
        return Batch(**chosen)


def examples(
    task: str, part: Part, count: int | None = None, diff: Diff = "canonical"
) -> list[Example]:
    """Return the instances of a part, always the same; `count`, or as many as in the paper.

    Raises:
        ReproductionError: There is no such task.
    """
    return generate(task, count or SIZES[part], _SEEDS[part], diff)


def split(found: Sequence[Example], *, with_twins: bool = False) -> Split:
    """Instances as tensors."""
    batch = collate(
        [Instance(one.sequence.initial, one.sequence.edits, one.given) for one in found]
    )
    lengths = torch.tensor([len(one.sequence.edits) for one in found])
    jumps = torch.zeros_like(batch.scored)
    for row, one in enumerate(found):
        jumps[row, list(one.starts)] = True
    marked = None
    if with_twins:
        mask = np.zeros(batch.live.shape, np.bool_)
        for row, one in enumerate(found):
            for step, items in enumerate(twins(one.sequence)):
                mask[row, step, list(items)] = True
        marked = torch.from_numpy(mask)
    return Split(batch, lengths, jumps, marked)


@lru_cache(maxsize=3)
def load(task: str, part: Part, count: int | None = None, diff: Diff = "canonical") -> Split:
    """`split` of `examples`, with twins for the test part.

    The three parts asked for last are kept: a grid trains on the same ones again and again.
    """
    return split(examples(task, part, count, diff), with_twins=part == "test")


def statistics(task: str, found: Iterable[Example]) -> Statistics:
    """Return what there is to say of a task, from its test instances.

    Raises:
        ReproductionError: There is no such task.
    """
    edits = replacements = scored = ambiguous = 0
    for example in found:
        edits += len(example.sequence.edits)
        replacements += len(example.starts)
        for twin in twins(example.sequence)[example.given :]:
            scored += 1
            ambiguous += len(twin) > 1
    displacement = None if task == MULTITASK else average_displacement(find_task(task)[0].name)
    return Statistics(
        task=task,
        edits_per_replacement=round(edits / replacements, 2),
        displacement=displacement,
        scored=scored,
        ambiguous=round(100 * ambiguous / scored, 2),
    )


def average_displacement(task: str) -> float:
    """Return the mean distance, in the text after, of inserted copies from their originals.

    Computed on the template with every letter of the match distinct, and on the alignment that
    the table's numbers of edits belong to: what was matched stays where it can. Where nothing is
    copied the displacement is 0.

    Raises:
        ReproductionError: There is no such task.
    """
    found, _ = find_task(task)
    before, after = _template(found.pattern, found.replacement)
    kept = _longest_common(before, after)
    origins = {after[place]: place for place in kept}
    distances = [
        abs(place - origins[letter])
        for place, letter in enumerate(after)
        if place not in kept and letter in origins and letter.islower()
    ]
    return round(sum(distances) / len(distances), 2) if distances else 0.0


def _template(pattern: str, replacement: str) -> tuple[str, str]:
    """Return the match and its replacement; wildcards are lower case letters, all different."""
    groups: dict[str, str] = {}
    before, name, inside = "", 0, False
    for sign in pattern:
        if sign == "(":
            inside, name = True, name + 1
            groups[str(name)] = ""
        elif sign == ")":
            inside = False
        else:
            letter = chr(ord("a") + len(before)) if sign == "." else sign
            before += letter
            if inside:
                groups[str(name)] += letter
    after = "".join(groups.get(sign, sign) for sign in replacement.replace("\\", ""))
    return before, after


def _longest_common(before: str, after: str) -> set[int]:
    """Places in `after` of a longest common subsequence: the rightmost letters that will do."""
    table = np.zeros((len(before) + 1, len(after) + 1), np.int64)
    for i, letter in enumerate(before):
        for j, other in enumerate(after):
            longer = max(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = table[i, j] + 1 if letter == other else longer
    places, i, j = set(), len(before), len(after)
    while i and j:
        if before[i - 1] == after[j - 1] and table[i, j] == table[i - 1, j - 1] + 1:
            places.add(j - 1)
            i, j = i - 1, j - 1
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return places
