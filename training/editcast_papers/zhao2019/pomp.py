"""POMP, the position-oracle match-pattern baseline of Zhao et al. (2019), section 6.

An oracle tells it where each edit is and which part of the state was matched. It is right if the
same text was matched in training, and otherwise guesses among all contents: the letters and
`DELETE`. Its accuracy is an expectation, for which nothing is trained or drawn.
"""

from collections.abc import Sequence
from itertools import pairwise

from editcast_papers.zhao2019.synthetic import LETTERS, Example

GUESS = 1 / (len(LETTERS) + 1)


def expected_accuracy(train: Sequence[Example], test: Sequence[Example]) -> float:
    """Return the share of scored test edits that are expected to be right, in percent.

    What was matched in one of MultiTask's tasks tells nothing about another's.
    """
    known = {(example.task, match) for example in train for match in example.matches}
    scored, right = 0, 0.0
    for example in test:
        ends = (*example.starts, len(example.sequence.edits))
        for match, (start, end) in zip(example.matches, pairwise(ends), strict=True):
            edits = max(end - max(start, example.given), 0)
            scored += edits
            right += edits * (1.0 if (example.task, match) in known else GUESS)
    return 100 * right / scored
