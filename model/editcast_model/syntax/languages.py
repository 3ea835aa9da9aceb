"""The languages with a grammar, by the editor's language identifier or a file's suffix."""

import importlib
from functools import cache
from pathlib import PurePath

from tree_sitter import Language, Parser

#: Language identifier -> the package of its grammar, and the function that gives it.
_GRAMMARS = {
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "javascriptreact": ("tree_sitter_javascript", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "typescriptreact": ("tree_sitter_typescript", "language_tsx"),
    "vue": ("tree_sitter_typescript", "language_typescript"),
}

_SUFFIXES = {
    ".c": "c",
    ".h": "c",
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
    ".cs": "csharp",
    ".go": "go",
    ".java": "java",
    **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
    ".jsx": "javascriptreact",
    ".php": "php",
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    ".rb": "ruby",
    ".rs": "rust",
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "typescriptreact",
    ".vue": "vue",
}


def language_of(identifier: str, path: str = "") -> str | None:
    """Return the language with a grammar that a file is in; None where there is none.

    Args:
        identifier: The editor's language identifier; its word counts where it names a language.
        path: The file's path, whose suffix counts otherwise.
    """
    if identifier in _GRAMMARS:
        return identifier
    return _SUFFIXES.get(PurePath(path).suffix.lower())


def parser(language: str | None) -> Parser | None:
    """Return a parser of the caller's own, for it serves one thread; None without a grammar."""
    grammar = _grammar(language)
    return Parser(grammar) if grammar else None


@cache
def _grammar(language: str | None) -> Language | None:
    """Return a grammar, loaded at its first use; None for what cannot be loaded."""
    if language not in _GRAMMARS:
        return None
    package, function = _GRAMMARS[language]
    try:
        return Language(getattr(importlib.import_module(package), function)())
    except (ImportError, AttributeError, ValueError, OSError):  # not there, or of another version
        return None
