"""Depths of the tokens of a line of Python in its syntax tree.

Lines of a program are often no program: ``if x :`` lacks its block and ``else :`` its beginning.
What they lack is put around them.
"""

import ast
from collections.abc import Sequence

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
