"""Whether an edit breaks code that could be parsed before."""

import ast
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache

from editcast_model.diff import Hunk, apply_hunks

# Parsing holds Python's lock: 20 kB take some 10 ms. So only the statements around an edit are
# parsed, or the whole text when they cannot stand alone, and nothing longer than this.
_LONGEST = 50_000

_PROSE = frozenset({"", "plaintext", "markdown", "restructuredtext", "latex", "tex", "log"})
_BRACKETS = ("()", "[]", "{}")
# A line that begins a top-level statement of its own.
_STATEMENT = re.compile(r"^(?!(?:else|elif|except|finally)\b)[A-Za-z_@]", re.MULTILINE)


def breaks(text: str, hunks: Iterable[Hunk], language: str) -> bool:
    """Whether `text` can be parsed and with the hunks applied it no longer can.

    Python is parsed; of other languages the brackets are counted; prose cannot break.
    """
    hunks = tuple(hunks)
    if language == "python":
        return _breaks_python(text, hunks)
    if language in _PROSE:
        return False
    return _is_balanced(text) and not _is_balanced(apply_hunks(text, hunks))


def _breaks_python(text: str, hunks: tuple[Hunk, ...]) -> bool:
    line = text.rfind("\n", 0, hunks[0].start) + 1
    start = line
    while start and not _STATEMENT.match(text, start):
        start = text.rfind("\n", 0, start - 1) + 1
    ahead = _STATEMENT.search(text, text.find("\n", hunks[-1].end) + 1 or len(text))
    end = ahead.start() if ahead else len(text)
    inside = [Hunk(hunk.start - start, hunk.end - start, hunk.text) for hunk in hunks]
    block = text[start:end]
    if len(block) > _LONGEST:
        return False
    if _parses(block):
        return not _parses(apply_hunks(block, inside))
    if len(text) > _LONGEST or not _parses(text):
        return False
    return not _parses(apply_hunks(text, hunks))


@lru_cache(maxsize=8)  # what stands there is asked about again for every way to change it
def _parses(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape, say: not ours to report
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    except SystemError:  # CPython 3.11 and 3.12 can lose count of their own recursion
        return True
    return True


def _is_balanced(text: str) -> bool:
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)
