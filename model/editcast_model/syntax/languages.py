"""The languages with a grammar, by the editor's language identifier or a file's suffix."""

import importlib
from functools import cache
from pathlib import PurePath

from tree_sitter import Language, Parser

#: Language identifier -> the package of its grammar, the function that gives it, and suffixes.
_GRAMMARS = {
    "c": ("tree_sitter_c", "language", ".c"),
    "cpp": ("tree_sitter_cpp", "language", ".cc .cpp .cxx .h .hh .hpp .hxx"),  # or C's
    "csharp": ("tree_sitter_c_sharp", "language", ".cs"),
    "go": ("tree_sitter_go", "language", ".go"),
    "java": ("tree_sitter_java", "language", ".java"),
    "javascript": ("tree_sitter_javascript", "language", ".js .mjs .cjs"),
    "javascriptreact": ("tree_sitter_javascript", "language", ".jsx"),
    "php": ("tree_sitter_php", "language_php", ".php"),
    "python": ("tree_sitter_python", "language", ".py .pyi .pyw"),
    "ruby": ("tree_sitter_ruby", "language", ".rb"),
    "rust": ("tree_sitter_rust", "language", ".rs"),
    "typescript": ("tree_sitter_typescript", "language_typescript", ".ts .mts .cts"),
    "typescriptreact": ("tree_sitter_typescript", "language_tsx", ".tsx"),
    "vue": ("tree_sitter_typescript", "language_typescript", ".vue"),
}
#: JavaScript and TypeScript, without Vue, whose files are not code alone.
SCRIPTS = ("javascript", "javascriptreact", "typescript", "typescriptreact")
_BY_SUFFIX = {
    suffix: language
    for language, (_, _, suffixes) in _GRAMMARS.items()
    for suffix in suffixes.split()
}


def language_of(identifier: str, path: str = "") -> str | None:
    """Return the language with a grammar that a file is in; None where there is none.

    Args:
        identifier: The editor's language identifier; its word counts where it names a language.
        path: The file's path, whose suffix counts otherwise.
    """
    if identifier in _GRAMMARS:
        return identifier
    return _BY_SUFFIX.get(PurePath(path).suffix.lower())


def parser(language: str | None) -> Parser | None:
    """Return a parser of the caller's own, for it serves one thread; None without a grammar."""
    grammar = _grammar(language)
    return Parser(grammar) if grammar else None


@cache
def _grammar(language: str | None) -> Language | None:
    """Return a grammar, loaded at its first use; None for what cannot be loaded."""
    if language not in _GRAMMARS:
        return None
    package, function, _ = _GRAMMARS[language]
    try:
        return Language(getattr(importlib.import_module(package), function)())
    except (ImportError, AttributeError, ValueError, OSError):  # not there, or of another version
        return None
