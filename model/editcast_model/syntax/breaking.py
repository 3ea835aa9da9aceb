"""Edits that break code which could be parsed before, or a comment.

tree-sitter repairs what it can and so takes Python that Python refuses (a function without a body,
say); of Python, what is around an edit is therefore compiled by Python as well, which also finds
an `await` in a function that is no coroutine. In JavaScript and TypeScript that is looked for here.
"""

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import function_node_around, is_async
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, parse

# Parsing holds Python's lock: 20 kB take some 5 ms. So only the function around an edit is parsed,
# or the statements when it cannot stand alone, or else the whole text; nothing longer than this.
_LONGEST = 50_000

#: Readers of the languages of data, which have no grammar here.
_READERS = {"json": json.loads, "toml": tomllib.loads}
_PROSE = frozenset({"", "plaintext", "markdown", "restructuredtext", "latex", "tex", "log"})
#: By language, the tree of the last text.
_trees: dict[str, Tree] = {}
#: The end of a statement or a block.
_ENDING = re.compile(r"[;{}()\[\]]+")
_BRACKETS = ("()", "[]", "{}")
_AWAIT = re.compile(r"\bawait\b")
# A line that begins a function inside something.
_FUNCTION = re.compile(r"([ \t]+)(?:async +)?def\b")
# A line that begins a top-level statement of its own.
_STATEMENT = re.compile(r"^(?!(?:else|elif|except|finally)\b)[A-Za-z_@]", re.MULTILINE)


def breaks(text: str, hunk: Hunk, language: str) -> bool:
    """Tell whether `text` can be parsed and with a hunk applied it no longer can.

    Python, JSON and TOML are parsed, what has a grammar is read by it, and of other languages the
    brackets are counted; prose cannot break.
    """
    if language == "python":
        return bool(_breaks_python(text, hunk))
    if language in _PROSE:
        return False
    if language in _READERS and len(text) <= _LONGEST and _reads_data(text, language):
        return not _reads_data(hunk.apply(text), language)
    tree = _tree(text, language)
    if tree is not None and tree.parses:
        return breaks_syntax(tree, hunk)
    return _is_balanced(text) and not _is_balanced(hunk.apply(text))


def breaks_syntax(before: Tree, hunk: Hunk) -> bool:
    """Tell whether a text parses and with a hunk applied it no longer does."""
    return bool(breaking(before, [hunk]))


def _awaits_outside(before: str, hunk: Hunk, after: Tree, start: int) -> bool:
    """Tell whether a hunk, now at `start`, puts an `await` into a function that is not async."""
    if after.language not in (*SCRIPTS, "vue") or _AWAIT.search(before, hunk.start, hunk.end):
        return False
    for word in _AWAIT.finditer(after.text, start, start + len(hunk.text)):
        node = after.path(word.start())[-1].node
        function = function_node_around(after, node) if node.type == "await" else None
        if function is not None and not is_async(function):
            return True
    return False


def breaking(before: Tree, hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return the hunks that break a text, each by itself; the hunks ascend and do not touch.

    All are applied at once first: to parse a long text again takes as long for one as for many.
    A text that takes too long to parse again is being repaired: it does not parse.
    """
    if not before.parses or not hunks:
        return []
    after = before.reparsed(apply_hunks(before.text, hunks), hunks)
    if after is None or not after.parses:
        return [one for one in hunks if len(hunks) == 1 or breaks_syntax(before, one)]
    if before.language != "python":
        sizes = accumulate((one.growth for one in hunks), initial=0)
        shifted = ((one, one.start + size) for one, size in zip(hunks, sizes, strict=False))
        return [one for one, at in shifted if _awaits_outside(before.text, one, after, at)]
    start, end = hunks[0].start, hunks[-1].end
    new = after.text[start : end + len(after.text) - len(before.text)]
    if _breaks_python(before.text, Hunk(start, end, new)) is False:
        return []
    return [one for one in hunks if _breaks_python(before.text, one)]


def _tree(text: str, language: str) -> Tree | None:
    """Return the tree of a text, read from the one before of its language; None for long ones."""
    if len(text) > _LONGEST:
        return None
    last = _trees.get(language)
    tree = last.reparsed(text) if last else parse(text, language)
    if tree is not None:
        _trees[language] = tree
    return tree


def spoils_comment(text: str, hunk: Hunk, language: str) -> bool:
    """Tell whether a hunk ends a comment like a statement, or takes half of its mark.

    The hunk leaves nothing that it contains as it is.
    """
    old = text[hunk.start : hunk.end]
    is_ending = not old and _ENDING.fullmatch(hunk.text)
    is_half = old == "/" and not hunk.text
    if not (is_ending or is_half):
        return False
    tree = _tree(text, language)
    if tree is None:
        return False
    # An insertion at the end of a comment is in it.
    node = tree.path(hunk.start - (1 if is_ending and hunk.start else 0))[-1].node
    if "comment" not in node.type:
        return False
    return bool(is_ending) or hunk.start - node.start_byte < len("//")


def _breaks_python(text: str, hunk: Hunk) -> bool | None:
    """Tell whether a hunk breaks the block of Python around it; None if that is not known."""
    for start, end, indent in _blocks(text, hunk):
        if end - start > _LONGEST:
            return None
        before = _dedented(text[start:end], indent)
        after = _dedented(hunk.shifted(-start).apply(text[start:end]), indent)
        if before is not None and after is not None and (sound := _soundness(before)):
            # What has lost its first line may well belong to what stands above.
            is_headless = 0 < start and hunk.start <= start + len(indent) < hunk.end
            breaks_it = _soundness(after) < sound
            if not (breaks_it and is_headless):
                return breaks_it
    return None


def _blocks(text: str, hunk: Hunk) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and indent of what can be parsed by itself around a hunk, smallest first."""
    line, has_function = text.rfind("\n", 0, hunk.start) + 1, False
    while line and not _STATEMENT.match(text, line):
        line = text.rfind("\n", 0, line - 1) + 1
        function = None if has_function else _FUNCTION.match(text, line)
        if function is not None and hunk.end < (end := _end(text, line, function[1])):
            has_function = True
            yield line, end, function[1]
    ahead = _STATEMENT.search(text, text.find("\n", hunk.end) + 1 or len(text))
    yield line, ahead.start() if ahead else len(text), ""
    yield 0, len(text), ""


def _end(text: str, line: int, indent: str) -> int:
    """Find where the next line begins that is indented no more and closes no bracket."""
    while line < len(text):
        line = text.find("\n", line) + 1 or len(text)
        rest = text[line : line + len(indent) + 1]
        if rest.strip() and (not rest.startswith(indent) or rest[len(indent) :].strip(" \t)]}")):
            break
    return line


def _dedented(block: str, indent: str) -> str | None:
    """Return the block without its indent; None where a line has less."""
    if not indent:
        return block
    lines = block.split("\n")
    if lines[-1] or any(line.strip() and not line.startswith(indent) for line in lines):
        return None  # its last line may have lost its end
    return "\n".join(line[len(indent) :] for line in lines)


@lru_cache(maxsize=8)
def _reads_data(text: str, language: str) -> bool:
    """Tell whether a text is JSON, or TOML."""
    try:
        _READERS[language](text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_balanced(text: str) -> bool:
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)


@lru_cache(maxsize=8)  # what stands there is asked about again for every way to change it
def _soundness(code: str) -> int:
    """Return 2 for Python that compiles, 1 if it can only be parsed, and 0 if it cannot.

    A notebook may await outside of functions.
    """
    for sound, flags in ((2, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), (1, ast.PyCF_ONLY_AST)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an invalid escape, say: not ours to report
                compile(code, "", "exec", flags, dont_inherit=True, optimize=2)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        except SystemError:  # CPython 3.11 and 3.12 can lose count of their own recursion
            pass
        return sound
    return 0
