"""Import lines, which tools usually maintain, so that suggestions for them are seldom wanted."""

import re
from collections.abc import Mapping
from typing import Final

from editcast_model.alignment import common_ends
from editcast_model.consequences.other_files.includes import HEADERS
from editcast_model.diff import Hunk, line_around
from editcast_model.history import Words, words_of
from editcast_model.syntax.languages import SCRIPTS

_FAMILIES: Final = {
    "python": r"import\s+\w|from\s+[\w.]+\s+import\b",
    "javascript javascriptreact typescript typescriptreact vue svelte": (
        r"import\b(?!\s*[(.])|export\b.*\bfrom\s*['\"]|(?:(?:const|let|var)\b.*=\s*)?require\s*\("
    ),
    "java kotlin scala groovy swift dart haskell": r"import\s+[\w'\"]",
    "go": r"import\s+[\w.(\"`]|(?:[\w.]+\s+)?\"[^\"\s]+\"$",
    "csharp": r"(?:global\s+)?using\s+(?!var\b)(?:static\s+)?[\w.<>:= ]+;",
    "rust": r"(?:pub(?:\([^)]*\))?\s+)?use\s+[\w:{]|extern\s+crate\b",
    "c cpp cuda-cpp objective-c objective-cpp": r"[#@]\s*(?:include|import)\b|(?:export )?import\s",
    "ruby": r"(?:require|require_relative|load|autoload)\b",
    "php": r"use\s+[\w\\]+.*;|(?:require|include)(?:_once)?\b",
}
_PATTERNS: Final[Mapping[str, re.Pattern[str]]] = {
    language: re.compile(rf"(?:{pattern})")
    for family, pattern in _FAMILIES.items()
    for language in family.split()
}
#: Words of import lines that may stand elsewhere, too.
_KEYWORDS: Final = frozenset(("from", "import", "as", "type"))
#: The path of a module, whose words are no names.
_PATH: Final = re.compile(r"[\"'][^\"']*[\"']")
#: The text before an imported name in its line.
_TAKEN: Final = re.compile(
    r"\s*(?:from\s+[\w.]+\s+import\b.*[\s(,]|(?:import|export|const|let|var)\b[^{}]*\{.*[\s{,])"
)


def is_import(line: str, language: str) -> bool:
    """Tell whether a line is an import, in a language by its LSP identifier."""
    pattern = _PATTERNS.get(language)
    return pattern is not None and pattern.match(line.strip()) is not None


def touches_only_imports(text: str, hunk: Hunk, language: str) -> bool:
    """Tell whether every line that a hunk changes, removes or adds is an import or blank."""
    if language not in _PATTERNS:
        return False
    start, end = line_around(text, hunk.start, hunk.end)
    block = text[start:end]
    old, new = block.split("\n"), hunk.shifted(-start).apply(block).split("\n")
    head, tail = common_ends(old, new)
    sides = (side[head : len(side) - tail] for side in (old, new))
    touched = [line for side in sides for line in side if line.strip()]
    return bool(touched) and all(is_import(line, language) for line in touched)


def follows_code(text: str, hunk: Hunk, language: str, earlier: str = "") -> bool:
    """Tell whether code requires a change of import lines.

    Either the change imports another name from the same module, or it imports a name that the code
    uses and no other line imports, or, in Python, JavaScript and TypeScript, it removes names that
    an earlier text used, and that nothing uses now.
    """
    start = text.rfind("\n", 0, hunk.start) + 1
    if text[hunk.start : hunk.end].isidentifier() and hunk.text.isidentifier():
        return _TAKEN.fullmatch(text[start : hunk.start]) is not None
    importing, code = _words(text, language)
    # A hunk may cut words, as `NotFound, User` of `User, UserNotFound, UserId`.
    start, end = line_around(text, hunk.start, hunk.end)
    lines = text[start:end], hunk.shifted(-start).apply(text[start:end])
    if language in SCRIPTS:
        lines = _PATH.sub("", lines[0]), _PATH.sub("", lines[1])
    before, after = map(words_of, lines)
    old, new = before - after, after - before
    new |= {name for name, header in HEADERS.items() if language == "cpp" and header in new}
    if new or language not in ("python", *SCRIPTS):
        return bool(new & code - importing)
    removed = old - _words(hunk.apply(text), language)[0]
    was_used = removed & _words(earlier, language)[1]
    return bool(was_used) and not removed & code - _KEYWORDS


def _words(text: str, language: str) -> tuple[Words, Words]:
    """Return the words of import lines, and those of the other lines."""
    words: tuple[set[str], set[str]] = set(), set()
    for line in text.split("\n"):
        words[not is_import(line, language)].update(words_of(line))
    return frozenset(words[0]), frozenset(words[1])
