"""The forms that a message has in each language."""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.formats.messages import Message
from editcast_model.consequences.formats.others import (
    read_csharp_format,
    read_formatted,
    read_inline,
    read_sum,
    write_interpolated,
    write_ruby,
    write_template,
)
from editcast_model.consequences.formats.python import (
    read_f_string,
    read_format,
    read_percent,
    write_f_string,
)
from editcast_model.syntax.tree import Tree


class Form(NamedTuple):
    """A form of a message.

    Attributes:
        name: Its name.
        anchor: An expression for what stands in each.
        read: Reads a node; gives None for anything else.
        write: Writes a message; gives None for one that cannot be written so. None if no message
            is written so.
    """

    name: str
    anchor: re.Pattern[str]
    read: Callable[[Tree, Node], Message | None]
    write: Callable[[Message], str | None] | None = None


_SUM = Form("sum", re.compile(r"[\"'][ \t]*[+.]|[+.][ \t]*[\"']"), read_sum)
_SCRIPT = (_SUM, Form("inline", re.compile("`"), read_inline, write_template))

#: The forms of each language.
FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    "python": (
        Form("inline", re.compile(r"\b[fF][\"']"), read_f_string, write_f_string),
        Form("format", re.compile(r"[\"']\s*\.\s*format\s*\("), read_format),
        Form("percent", re.compile(r"[\"']\)?\s*%"), read_percent),
    ),
    **dict.fromkeys(("javascript", "javascriptreact", "typescript", "typescriptreact"), _SCRIPT),
    "java": (_SUM, Form("format", re.compile(r"(?<=\.)format(ted)?\s*\("), read_formatted)),
    "csharp": (
        _SUM,
        Form("format", re.compile(r"\b[sS]tring\.Format\s*\("), read_csharp_format),
        Form("inline", re.compile(r"\$\""), read_inline, write_interpolated),
    ),
    "ruby": (_SUM, Form("inline", re.compile("#{"), read_inline, write_ruby)),
}


def parts_at(tree: Tree, node: Node) -> bool:
    """Tell whether a string has values in it, in any form of its language."""
    return any(one.read(tree, node) is not None for one in FORMS[tree.language])
