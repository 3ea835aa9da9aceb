"""Imports of a package that another one replaced among the dependencies of the project.

After `"moment": "^2.30"` became `"dayjs": "^1.11"` in `package.json`, files import `dayjs`. What
they call it follows from the import, as after any rename.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names

#: By the end of the path of a file of dependencies, the name of one in its line.
_FILES: Final = {
    "package.json": re.compile(r'^\s*"(@?[\w./-]+)":\s*"[\^~><=]*\d'),
    "requirements.txt": re.compile(r"^([A-Za-z][\w.-]*)\s*(?:\[|[=<>~!]=|$)"),
    "pyproject.toml": re.compile(r'^\s*"([A-Za-z][\w.-]*)\s*(?:\[|[=<>~!]=|")'),
}
#: How a module is imported as a whole by its own name, which stands for NAME.
_PYTHON: Final = r"^(?P<head>[ \t]*import )NAME(?=[ \t]*$)"
_SCRIPT: Final = (
    r"^(?P<head>[ \t]*(?:import(?: \* as)?|const|var|let) )NAME"
    r"(?P<between> (?:from |= ?require\()([\"']))NAME\3"
)


@lru_cache(64)
def _replaced(save: Save) -> tuple[str, str] | None:
    """Return the package that a save took away, and the one in its place; None for any more."""
    pattern = next((one for end, one in _FILES.items() if save.file.endswith(end)), None)
    if pattern is None:
        return None
    was, now = (
        {found[1] for line in text.splitlines() if (found := pattern.match(line))}
        for text in (save.before, save.after)
    )
    gone, come = was - now, now - was
    return (gone.pop(), come.pop()) if len(gone) == len(come) == 1 else None


def packages_left_in(saves: Iterable[Save], names: Names) -> Iterator[Consequence]:
    """Return the imports of packages that others replaced, if files call both by their names."""
    tree = names.tree
    for old, new in filter(None, map(_replaced, saves)):
        if not (old.isidentifier() and new.isidentifier()) or old not in tree.text:
            continue
        is_script = tree.language in (*SCRIPTS, "vue")
        pattern = (_SCRIPT if is_script else _PYTHON).replace("NAME", re.escape(old))
        found = re.search(pattern, tree.text, re.MULTILINE)
        if found is not None and (is_script or tree.language == "python"):
            start, end = found.start() + len(found["head"]), found.end()
            text = f"{new}{found['between']}{new}{found[3]}" if is_script else new
            yield Consequence(Hunk(start, end, text), "migrate", is_first=True)
