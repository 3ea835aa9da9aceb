"""Orders that are known before (table 1).

An order is the list of places of a text, that of the word which is written first coming first. Of
Python there are syntax trees. Lines of a program are often no program: ``if x :`` lacks its block
and ``else :`` its beginning. What they lack is put around them.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

Order = Callable[[Sequence[str], frozenset[str]], list[int]]
#: What is put before and after a line, until Python can read it; `{}` is the line.
_FRAMES = (
    "{}",
    "{} pass",
    "if x:\n pass\n{} pass",
    "try:\n pass\n{} pass",
    "{} pass\nexcept E: pass",
    "{}\ndef f(): pass",
    "def f():\n {}",
)


def left_to_right(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write from the left."""
    return list(range(len(words)))


def right_to_left(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write from the right."""
    return list(range(len(words)))[::-1]


def odd_even(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write the first, the third, ... word, then the others."""
    return [*range(0, len(words), 2), *range(1, len(words), 2)]


def balanced_tree(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write the middle word, then the middle ones of both halves, and so on."""
    level, order = [(0, len(words))], []
    while level:
        below = []
        for start, end in level:
            if start < end:
                middle = (start + end) // 2
                order.append(middle)
                below += [(start, middle), (middle + 1, end)]
        level = below
    return order


def common_first(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write the common words, then the others, both from the left."""
    return sorted(range(len(words)), key=lambda at: words[at] not in common)


def rare_first(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write the words that are not common, then the others, both from the left."""
    return sorted(range(len(words)), key=lambda at: words[at] in common)


def syntax_tree(words: Sequence[str], common: frozenset[str]) -> list[int]:
    """Write a line of Python from the root of its syntax tree down, each level from the left."""
    found = depths(words)
    return sorted(range(len(words)), key=lambda at: found[at])


#: The paper's orders, but for the random one, which differs each time.
ORDERS: dict[str, Order] = {
    "L2R": left_to_right,
    "R2L": right_to_left,
    "ODD": odd_even,
    "BLT": balanced_tree,
    "SYN": syntax_tree,
    "CF": common_first,
    "RF": rare_first,
}


def common_words(texts: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the most frequent words, which make up half of all words of the texts."""
    counts = Counter(word for text in texts for word in text)
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    half = sum(counts.values()) / 2
    sums = accumulate((count for _, count in ranked), initial=0)
    return frozenset(word for (word, _), before in zip(ranked, sums, strict=False) if before < half)


def depths(words: Sequence[str]) -> list[int]:
    """Return the depth of each token: that of the deepest node it lies in; 0 where none is known.

    All are 0 if the line cannot be read.
    """
    # The placeholder of a string is no name of Python.
    line = " ".join(words).replace("_STR:", "_STR_")
    for frame in _FRAMES:
        before, _, _ = frame.partition("{}")
        try:
            tree = ast.parse(frame.replace("{}", line))
        except (SyntaxError, ValueError, RecursionError):
            continue
        return _depths(tree, words, before)
    return [0] * len(words)


def _depths(tree: ast.AST, words: Sequence[str], before: str) -> list[int]:
    row = before.count("\n") + 1
    column = len(before.rpartition("\n")[2].encode())
    spans = []
    for word in words:
        spans.append((column, column + len(word.encode())))
        column += len(word.encode()) + 1
    found = [0] * len(words)

    def go(node: ast.AST, depth: int) -> None:
        start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if start == row == end:
            for at, (first, last) in enumerate(spans):
                if node.col_offset <= first and last <= node.end_col_offset:  # type: ignore[attr-defined]
                    found[at] = depth
        for child in ast.iter_child_nodes(node):
            go(child, depth + 1)

    go(tree, 0)
    return found
