"""Numbers of the paper: its tables 1 and 3, and what it says of unchanged inputs."""

from typing import NamedTuple


class Row(NamedTuple):
    """A row of table 1: percentages, but for the mean reciprocal rank."""

    accuracy: float
    within: float | None
    mrr: float | None
    structural: float | None


#: By the size of the pairs, the model, and the search.
TABLE: dict[tuple[str, str, str], Row] = {
    ("small", "Copy+Seq2Seq", "beam"): Row(14.8, 42.0, 0.177, 18.2),
    ("small", "SeqCopySpan", "beam"): Row(17.7, 45.0, 0.247, 21.2),
    ("small", "SeqCopySpan", "greedy"): Row(15.3, None, None, 17.9),
    ("small", "SeqCopySpan", "merged at the end"): Row(17.5, 41.6, 0.242, 21.2),
    ("small", "force copy longest", "beam"): Row(14.2, 33.7, 0.174, 14.2),
    ("medium", "Copy+Seq2Seq", "beam"): Row(7.0, 23.8, 0.073, 9.4),
    ("medium", "SeqCopySpan", "beam"): Row(8.0, 25.4, 0.105, 13.7),
}
#: The mean reciprocal rank of the unchanged input, small pairs.
UNCHANGED = {"Copy+Seq2Seq": 0.74, "SeqCopySpan": 0.28}
#: Percent of edits that are made again from what represents them (GitHubEdits), and of the fixers'
#: edits that are right when another edit of the fixer is shown.
EDITS = {"Copy+Seq2Seq": (64.4, 18.8), "SeqCopySpan": (67.4, 24.2)}
