"""Names of the standard library of Rust that a text uses since a change, and their `use`.

The compiler refuses a text without it.
"""

import re
from collections.abc import Iterator
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk

_NAMES: Final = {
    "cell": "Cell OnceCell RefCell",
    "collections": "BTreeMap BTreeSet BinaryHeap HashMap HashSet VecDeque",
    "path": "Path PathBuf",
    "rc": "Rc",
    "sync": "Arc Mutex OnceLock RwLock",
    "time": "Duration Instant SystemTime",
}
_MODULES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}
_OF_THREADS: Final = f"{_NAMES['cell']} {_NAMES['rc']} {_NAMES['sync']}".split()
_SHARED: Final = re.compile(rf"\b(?:{'|'.join(_OF_THREADS)})\b")
#: A name that is used without its path.
_USED: Final = re.compile(rf"(?<![\w:.])(?:{'|'.join(_MODULES)})\b(?=\s*(?:::|<|[,;>)\]}}=&{{]))")
_BEHIND: Final = 8  # characters behind a name that tell whether it is used
_USE: Final = re.compile(
    r"^use (?P<path>[\w:]+)(?:::\{(?P<list>[^{}]*)\})?(?: as \w+)?;[ \t]*\n", re.MULTILINE
)


def after_first_use(change: Change) -> Iterator[Consequence]:
    """Return the `use` of a name of the standard library that a text did not use before."""
    tree, before = change.after.tree, change.before.tree.text
    if tree.language != "rust":
        return
    # Where threads share what one had to itself, a migration replaces what is imported.
    done = set(_OF_THREADS) if _SHARED.search(before) else set[str]()
    for _, start, end in change.finished():
        for found in _USED.finditer(tree.text, start, min(len(tree.text), end + _BEHIND)):
            name = found[0]
            is_known = re.search(
                rf"^[ \t]*(?:pub )?use [^;]{{0,2000}}\b(?:{name}|prelude|super::\*)\b"
                rf"|\b(?:struct|enum|type|trait) {name}\b",
                tree.text,
                re.MULTILINE,
            )
            is_new = not re.search(rf"(?<![\w:.]){name}\b", before)
            if found.end() <= end and name not in done and is_new and is_known is None:
                done.add(name)
                yield Consequence(_placed(tree.text, name), "import_missing", is_first=True)


def _placed(text: str, name: str) -> Hunk:
    """Put a name into the `use` of its module, or a statement of its own among the others."""
    module = f"std::{_MODULES[name]}"
    uses = list(_USE.finditer(text))
    for one in uses:
        if one["list"] is not None and one["path"] == module:
            listed = [each.strip() for each in one["list"].split(",") if each.strip()]
            if "\n" not in one["list"] and "self" not in listed:
                return Hunk(*one.span("list"), ", ".join(sorted([*listed, name])))
        path, _, last = one["path"].rpartition("::")
        if one["list"] is None and path == module and last[:1].isupper():
            both = ", ".join(sorted([last, name]))
            return Hunk(*one.span("path"), f"{module}::{{{both}}}")
    line = f"use {module}::{name};\n"
    own = [one for one in uses if one["path"].startswith("std::")]
    later = next((one for one in own if one[0] > line), None)
    if later is not None:
        return Hunk(later.start(), later.start(), line)
    if own:
        return Hunk(own[-1].end(), own[-1].end(), line)
    if uses:
        return Hunk(uses[0].start(), uses[0].start(), f"{line}\n")
    head = re.match(r"(?:(?://!|//|#!\[)[^\n]*\n)*\n?", text)
    at = head.end() if head is not None else 0
    return Hunk(at, at, f"{line}\n")
