"""Lists that belong to what an entry was added to: by a name, by a place, or by all entries."""

import re

from tree_sitter import Node

from editcast_model.consequences.lists.entries import (
    COLUMN,
    CONSTRUCTORS,
    SCHEMA,
    Entry,
    EntryList,
    name_of,
)
from editcast_model.consequences.lists.schema import is_of_table
from editcast_model.consequences.lists.word_forms import has
from editcast_model.syntax.names import WORD

_CLASSES = re.compile("class|record|struct")
_TYPES = re.compile("class|interface|enum|type_alias|type_spec")


def is_related(known: Entry, found: EntryList) -> bool:
    """Tell whether the code around an entry names the owner of the known one, or lies in it."""
    if known.kind == SCHEMA:
        return is_of_table(_type_around(found), known.owner)
    if is_within(known, found.entry):
        return True
    is_named = bool(known.owner) and known.owner in found.tree.text
    return is_named and known.owner in WORD.findall(found.tree.of(_named_around(found)))


def _type_around(found: EntryList) -> str:
    """Return the name of what is around a list; of a constructor's parameters, of the class."""
    called = (found.tree.of(name_of(one)) for one in found.tree.around(found.entry))
    return next((one for one in called if one and one not in CONSTRUCTORS), "")


def is_within(known: Entry, entry: Node) -> bool:
    """Tell whether an entry is inside the owner of the known list."""
    start, end = known.owner_span
    return start <= entry.start_byte < end


def _named_around(found: EntryList) -> Node | None:
    """Return the node around an entry that has a name, or all of the text."""
    above = found.tree.around(found.entry)
    return next((one for one in above if name_of(one) is not None), above[-1] if above else None)


def is_same_list(known: Entry, found: EntryList) -> bool:
    """Tell whether a list has the same entries in the same order, and no other owner.

    Such as a class `StationRow` beside `Station`, or one with a field for each member of an
    enumeration, which are written otherwise.
    """
    named = _named_around(found)
    if named is None or named.child_by_field_name("type") or not _has_all(known, found):
        return False
    if not is_of_another(known, found) or known.owner.startswith(found.tree.of(name_of(named))):
        return True
    return set(WORD.findall(found.tree.of(found.node))).isdisjoint(known.others)


def is_of_another(known: Entry, found: EntryList) -> bool:
    """Tell whether an entry is one of a type whose name does not begin with the known owner's."""
    named = _named_around(found)
    if named is None or not _TYPES.search(named.type):
        return False
    return not (known.owner and found.tree.of(name_of(named)).startswith(known.owner))


def _has_all(known: Entry, found: EntryList) -> bool:
    """Tell whether a list has the other entries of the known list in the same order."""
    texts = [text for one in found.entries if not has(text := found.tree.of(one), known.name)]
    if known.kind == COLUMN:  # values may follow the query that they are for
        starts = range(len(texts) - len(known.others), -1, -1)
        places = (texts[at : at + len(known.others)] for at in starts)
        texts = next(
            (one for one in places if all(map(has, one, known.others))), texts[-len(known.others) :]
        )
        # One may be made on the spot, as an `id` is.
        missed = len(texts) - sum(map(has, texts, known.others))
        return 1 < len(known.others) == len(texts) > 2 * missed and missed < 2
    return 2 < len(known.others) == len(texts) and all(map(has, texts, known.others))


def takes_more(added: Entry, found: EntryList) -> bool:
    """Tell whether a list may grow: parameters only of functions that create the owner."""
    if "parameter" not in found.node.type:
        return True
    called = found.tree.of(name_of(_named_around(found)))
    if added.kind == SCHEMA and called not in CONSTRUCTORS:
        return found.node.parent is not None and _CLASSES.search(found.node.parent.type) is not None
    return called in CONSTRUCTORS or (bool(added.owner) and added.owner in called)


def is_passed(known: Entry, found: EntryList, entry: Node) -> bool:
    """Tell whether an entry of a list is an argument that is known by its place alone.

    What is called need not take one more, but a constructor does.
    """
    parent = entry.parent
    if parent is None or parent.type not in ("argument_list", "arguments"):
        return False
    called = parent.parent.named_children[0] if parent.parent is not None else parent
    words = WORD.findall(found.tree.of(called))
    is_made = bool(words) and words[-1] in (known.owner, "cls", "super", *CONSTRUCTORS)
    is_whole = is_within(known, entry) or known.kind == COLUMN
    is_made |= is_whole and _has_all(known, found)
    return entry.child_by_field_name("name") is None and not is_made
