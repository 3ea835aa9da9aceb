"""Hooks of React and Vue for translations that were imported, and that nothing calls yet.

After `import { useTranslation } from "react-i18next"` the component begins with
`const { t } = useTranslation();`.
"""

import re
from collections.abc import Iterator
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.components import default_export
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.roles import Role

#: What is taken from the result of a hook.
_TAKEN: Final = {"useTranslation": "{ t }", "useI18n": "{ t }", "useTranslations": "t"}
#: The beginning of a component: a function with a capital at the top of a script.
_COMPONENT: Final = (
    r"^(?:export )?(?:default )?(?:function (?P<name>NAME)\b|const (?P<other>NAME)\b[^\n]*=)"
    r"[^\n;]*(?:\n[ \t)}][^\n;]*)*?\{[ \t]*\r?\n(?=(?P<indent>[ \t]+)\S)"
)
#: The imports, and the macros of Vue, at the top of a script.
_TOP: Final = re.compile(r"(?:import\b|(?:const [^\n=]*= )?(?:define[A-Z]|withDefaults\())")


def after_hook_import(change: Change) -> Iterator[Consequence]:
    """Return the call of a hook that was imported, in the component that lacks it."""
    names, text = change.after, change.after.tree.text
    if names.tree.language not in (*SCRIPTS, "vue"):
        return
    for one in change.new_names():
        is_import = one.role is Role.DEFINITION and one.part.kind == "import"
        if not is_import or one.name not in _TAKEN or len(list(names.of(one.name))) > 1:
            continue
        place = _in_setup(change) if names.tree.language == "vue" else _in_component(text)
        if place is not None:
            at, indent = place
            end = ";" if re.search(r"^import [^\n]*;\s*$", text, re.MULTILINE) else ""
            hunk = Hunk(at, at, f"{indent}const {_TAKEN[one.name]} = {one.name}(){end}\n")
            yield Consequence(hunk, "call_hook", is_first=True)


def _in_component(text: str) -> tuple[int, str] | None:
    """Find where the body of the exported component begins, or of the first one."""
    name = default_export(text) or r"[A-Z]\w*"
    found = re.search(_COMPONENT.replace("NAME", name), text, re.MULTILINE)
    return (found.end(), found["indent"]) if found else None


def _in_setup(change: Change) -> tuple[int, str] | None:
    """Find the first statement behind the imports and macros of a script of Vue."""
    text = change.after.tree.text
    for one in change.after.tree.root.named_children:
        start = one.start_byte
        if one.type not in ("comment", "empty_statement") and not _TOP.match(text, start):
            is_line = text[:start].endswith("\n") and start < text.find("</script>")
            return (start, "") if is_line else None
    return None
