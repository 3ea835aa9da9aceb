"""Texts that parse, and changes after which they do not.

tree-sitter repairs what it can and so takes Python that Python refuses (a function without a body,
say); of Python the statement around a change is therefore read by Python as well.
"""

import ast
import warnings
from functools import lru_cache

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.tree import Tree

#: Longer statements are not read by Python, which holds its lock for some 10 ms for 20 kB.
_LONGEST = 50_000


def breaks_syntax(before: Tree, *hunks: Hunk) -> bool:
    """Tell whether a text parses and with some hunks, ascending and disjoint, it no longer does.

    A text that takes too long to parse again is being repaired: it does not parse.
    """
    if not before.parses or not hunks:
        return False
    text = apply_hunks(before.text, hunks)
    after = before.reparsed(text)
    if after is None or not after.parses:
        return True
    start, end = hunks[0].start, hunks[-1].end
    over = Hunk(start, end, text[start : end + len(text) - len(before.text)])
    return before.language == "python" and _breaks_statement(before, after, over)


def _breaks_statement(before: Tree, after: Tree, hunk: Hunk) -> bool:
    """Tell whether Python reads the statements around a change before it, and not after it."""
    start, end = _around(before, hunk)
    grown = len(hunk.text) - (hunk.end - hunk.start)
    if end - start > _LONGEST:
        return False
    indent = before.text[before.text.rfind("\n", 0, start) + 1 : start]
    if indent.strip():  # it does not begin its line
        return False
    old, new = before.text[start:end], after.text[start : end + grown]
    return reads_python(_dedented(old, indent)) and not reads_python(_dedented(new, indent))


def _around(tree: Tree, hunk: Hunk) -> tuple[int, int]:
    """Return the outermost function around a change, else its class or statements."""
    best = None
    for step in tree.path(hunk.start):
        node = step.node
        if not node.start_byte < hunk.start or not hunk.end < node.end_byte:  # it could grow there
            continue
        if step.type in ("function_definition", "class_definition"):
            best = node
        if step.type == "function_definition":
            break
    if best is not None:
        return best.start_byte, best.end_byte
    touched = [
        one
        for one in tree.root.named_children
        if one.start_byte <= hunk.end and hunk.start <= one.end_byte
    ]
    if not touched:
        return 0, len(tree.text)
    return min(hunk.start, touched[0].start_byte), max(hunk.end, touched[-1].end_byte)


def _dedented(block: str, indent: str) -> str:
    """Return a block whose first line has lost its indent, without that of the others."""
    if not indent:
        return block
    first, *rest = block.split("\n")
    return "\n".join([first, *(line.removeprefix(indent) for line in rest)])


@lru_cache(maxsize=8)  # what stands there is asked about again for every way to change it
def reads_python(code: str) -> bool:
    """Tell whether Python can parse code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape, say: not ours to report
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    except SystemError:  # CPython 3.11 and 3.12 can lose count of their own recursion
        return True
    return True
