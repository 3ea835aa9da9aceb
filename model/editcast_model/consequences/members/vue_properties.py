"""Properties of Vue's components that have other names: in templates and tests of other files.

If one became `modelValue`, the component also emits `update:modelValue` where it emitted `input`,
and `:value="name" @input="name = $event"` becomes `v-model="name"`.
"""

import re
from collections.abc import Iterator
from posixpath import basename
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.components import have_one_type
from editcast_model.syntax.names import Names
from editcast_model.syntax.types import properties_of

#: The property of a `v-model`, and the event that it is updated by.
_MODEL: Final = "modelValue"
_UPDATE: Final = f"update:{_MODEL}"
#: The events that said so before, the surest first.
_EVENTS: Final = ("input", "change", "select")


def after_model_value(change: Change) -> Iterator[Consequence]:
    """Return the events of a component whose property became the value of its `v-model`."""
    text = change.after.tree.text
    for old, new in renamed_properties(change):
        emitted = (one for one in _events(old) if re.search(rf"\bemit\([\"']{one}[\"']", text))
        event = next(emitted, "") if new == _MODEL else ""
        said = r"\bemit\(|\b(?:event|e|evt|name): |\bdefineEmits\(\["
        for found in re.finditer(rf"(?:{said})[\"']({event})(?=[\"'])", text) if event else ():
            hunk = Hunk(*found.span(1), _UPDATE)
            yield Consequence(hunk, "rename_key", is_first=True, cause=f"{event} {_UPDATE}")


def renamed_properties(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the old and new names of the properties of a component of Vue."""
    call = properties_of(change.after)
    for one in change.renamed if call is not None else ():
        is_declared = call is not None and call.start_byte < one.after.start < call.end_byte
        if is_declared and have_one_type(change.before, one.before, change.after, one.after):
            yield one.before.name, one.after.name


def component_in(file: str) -> str:
    """Return the name of the component that a file of Vue contains."""
    return basename(file).partition(".")[0]


def given_by_new_name(names: Names, component: str, old: str, new: str) -> Iterator[Consequence]:
    """Return where a component is given a property by its old name."""
    text, cause, events = names.tree.text, f"{old} {new}", "|".join(_events(old))
    if new == _MODEL:
        both = rf"((?::|v-bind:){_dashed(old)}=\"([^\"\n]+)\"\s+@(?:{events})=\"\2 = \$event\")"
        for found in re.finditer(_tag(component) + both, text):
            hunk = Hunk(*found.span(1), f'v-model="{found[2]}"')
            yield Consequence(hunk, "rename_attribute", cause=cause)
        for found in re.finditer(rf"\bemitted\([\"']({events})(?=[\"']\))", text):
            hunk = Hunk(*found.span(1), _UPDATE)
            yield Consequence(hunk, "rename_key", cause=f"{found[1]} {_UPDATE}")
    for found in re.finditer(rf"{_tag(component)}(?::|v-bind:)?({_dashed(old)})(?==)", text):
        is_dashed = found[1] != old or "-" in found[0].split(maxsplit=1)[0]
        written = _with_dashes(new) if is_dashed else new
        yield Consequence(Hunk(*found.span(1), written), "rename_attribute", cause=cause)
    mounted = rf"\b(?:mount|shallowMount|render)\({re.escape(component)},\s*"
    made = rf"{mounted}\{{\s*props: \{{[^{{}}]*?(?<=[{{,])\s*({old})\b(:?)"
    for found in re.finditer(made, text):
        written = new if found[2] else f"{new}: {old}"
        yield Consequence(Hunk(*found.span(1), written), "rename_attribute", cause=cause)


def _events(old: str) -> tuple[str, ...]:
    return (f"update:{old}", *_EVENTS)


def _tag(component: str) -> str:
    """Return the pattern of an element of a component, up to one of its attributes."""
    either = f"{re.escape(component)}|{re.escape(_with_dashes(component))}"
    return rf"<(?:{either})\b[^<>]*?\s"


def _with_dashes(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])", "-", name).lower()


def _dashed(name: str) -> str:
    """Return the pattern of a name, with dashes or without."""
    return "|".join(dict.fromkeys((name, _with_dashes(name)))).join(("(?:", ")"))
