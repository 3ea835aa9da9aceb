"""Loggers that a module of Python calls and does not make yet.

After `print(...)` has become `log.info(...)`, the module makes its logger beneath its imports. Of
575 loggers of the modules of 60 projects, 458 stand there, and nearly all have the module's name
(counted once, by a script that was not kept).
"""

import re
from collections.abc import Container, Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree

_NAMES: Final = ("log", "logger", "LOG", "LOGGER", "_log", "_logger")
_CALLED: Final = re.compile(r"\.(?:debug|info|warning|error|exception|critical)\(")
#: Modules of other loggers, if files of the project import them.
_OTHERS: Final = ("structlog", "loguru")
_LINE_END: Final = re.compile(r"\r?$", re.MULTILINE)


def after_logger(change: Change, importable: Container[str]) -> Iterator[Consequence]:
    """Return the logger that a module lacks, unless it is one that files of the project import."""
    tree = change.after.tree
    if tree.language != "python" or any(one in importable for one in _OTHERS):
        return
    for _, start, end in change.spans():
        for one in change.after.unbound(start, end, among=_NAMES):
            is_typed = change.is_active(one.start, one.end)
            if _CALLED.match(tree.text, one.end) and one.name not in importable and not is_typed:
                made = f"\n\n{one.name} = logging.getLogger(__name__)"
                if (at := _beneath_imports(tree)) is not None:
                    yield Consequence(Hunk(at, at, made), "rewrite_that_adds", is_first=True)
                return


def _beneath_imports(tree: Tree) -> int | None:
    """Return the end of the last of the imports that a module begins with; None without any."""
    last: Node | None = None
    for one in tree.root.named_children:
        if one.type.startswith("import_") or tree.of(one).startswith("if TYPE_CHECKING:"):
            last = one
        elif last is not None and one.type != "comment":
            break
    found = _LINE_END.search(tree.text, last.end_byte) if last is not None else None
    return found.start() if found is not None else None
