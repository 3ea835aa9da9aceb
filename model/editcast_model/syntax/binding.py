"""The meaning of a name before and after another one takes its place."""

import re

from editcast_model.diff import Hunk
from editcast_model.syntax.calls import FUNCTION, call_around
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.members import fields_defined, is_assigned, is_declared_member, owner
from editcast_model.syntax.names import WORD, Names, Occurrence, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field
from editcast_model.syntax.types import bases_of

#: A name with this many uses is no mistake, even if its definition, such as an import, is missing.
_USES = 2
#: The beginning of a statement that gives a value to a name.
_ASSIGNED = re.compile(r"\s*(?:(?:const|let|var)\s+)?(\w+)\s*:?=\s*")
#: A member of the object itself that is used, and not defined by that.
_OWN = re.compile(r"\b(?:self|this)\.(\w+)\b(?!\s*(?::[^=\n]*)?=(?!=))")
#: What may belong to an object of its own in JavaScript.
_OBJECT = re.compile(r"^(?!arrow|\w*type)\w*(?:function|method|object|class)")
_DEFINITION = re.compile(
    "assignment|declarator|const_spec|var_spec|const_item|static_item|enum_declaration"
)


def unbinds(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk puts a name that means nothing in place of one that means something.

    One that does anything else than to replace one name by another does not.
    """
    one, new = _replaced(names, hunk)
    if one is None or _is_defined(one):
        return False
    if one.role is Role.REFERENCE:
        if not names.is_known(one, one.name) or names.is_known(one, new):
            return False
        others = [each for each in names.of(new) if each.role is Role.REFERENCE]
        return sum(not names.is_known(each, new) for each in others) < _USES
    if one.role is Role.KEYWORD:
        return _is_foreign(names, one, new)
    return _has_member(names, one, one.name) and not _has_member(names, one, new)


def is_of_language(names: Names, place: int) -> bool:
    """Tell whether what stands at a place is a word of the language, such as one of its types."""
    leaf = names.tree.path(place)[-1]
    word = names.tree.of(leaf.node)
    if names.tree.language == "go" and leaf.type == "type_identifier":
        return word in names.rules.builtins  # they are names like any others there
    return leaf.type == word or leaf.type.endswith("_type")


def renames_definition(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk gives another name to what is defined there, and nothing else."""
    one, _ = _replaced(names, hunk)
    return one is not None and _is_defined(one)


def renames_string(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk gives a string of one word a name of the file that no string has yet.

    The name is that of a renamed variable, say; the string is a label, or a key that others know.
    """
    text = names.tree.text
    before, after = text[max(0, hunk.start - 1) : hunk.start], text[hunk.end : hunk.end + 1]
    if before != after or before not in ("'", '"'):
        return False
    if not (WORD.fullmatch(text, hunk.start, hunk.end) and WORD.fullmatch(hunk.text)):
        return False
    is_there = any(f"{quote}{hunk.text}{quote}" in text for quote in "'\"")
    return not is_there and names.at(hunk.start) is None and bool(names.of(hunk.text))


def defines_by_itself(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk uses a name within its own definition, as where a constant is defined.

    A function may, which is called later. What is assigned may have had another value before, and
    is then only no value of itself.
    """
    one, used = names.at(hunk.start), WORD.match(hunk.text)
    if one is not None and one.role is not Role.REFERENCE:
        return False  # a member, which may well have the name of the variable that it is put into
    is_whole = used is not None and used[0] == hunk.text
    for step in reversed(names.tree.path(hunk.start) if used else ()):
        node = step.node
        if node.start_byte < hunk.start and _DEFINITION.search(step.type):
            defined = field(node, "left", "name")
            is_own = used is not None and names.tree.of(defined) == used[0]
            if is_own and (is_whole or "assignment" not in step.type):
                return True
        if FUNCTION.search(step.type):
            return False
        is_whole &= node.start_byte == hunk.start and node.end_byte <= hunk.end
    return False


def assigns_for_nothing(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk makes a statement the value of a name that nothing reads behind it.

    After `return f()` had become `found = f()`, the same was offered at each `return`: 0 of 6 such
    edits were right in commits.
    """
    text = names.tree.text
    written = _ASSIGNED.fullmatch(hunk.text)
    path = names.tree.path(hunk.start)
    is_begun = any(each.node.start_byte == hunk.start and "statement" in each.type for each in path)
    if written is None or not is_begun or "=" in text[hunk.start : hunk.end]:
        return False
    around = (each.node for each in reversed(path) if each.node.child_by_field_name("parameters"))
    end = next((each.end_byte for each in around), len(text))
    return not any(hunk.end <= one.start < end for one in names.of(written[1]))


def uses_unknown_member(names: Names, hunk: Hunk) -> bool:
    """Tell whether a hunk uses a member of the object itself that its class does not name.

    Of Python, JavaScript and TypeScript; a class that extends another one may have it from there.
    Outside of all classes, objects and functions there is no object.
    """
    text, language = names.tree.text, names.tree.language
    new = {*_OWN.findall(hunk.text)}.difference(_OWN.findall(text, hunk.start, hunk.end))
    if not new or language not in ("python", *SCRIPTS):
        return False
    around = [step.node for step in reversed(names.tree.path_near(hunk.start))]
    made = next((one for one in around if one.type.startswith("class_d")), None)
    if made is None or any("parameter" in one.type for one in around):
        return language == "python" or not any(_OBJECT.search(one.type) for one in around)
    return not (bases_of(names, made) or new.issubset(WORD.findall(names.tree.of(made))))


def _is_defined(one: Occurrence) -> bool:
    return one.role is Role.DEFINITION or is_declared_member(one) or is_assigned(one)


def _is_foreign(names: Names, one: Occurrence, new: str) -> bool:
    """Tell whether a keyword is of a function of another file, and the new name of this file.

    Unless it is a keyword somewhere, too.
    """
    call = call_around(names, one.start)
    roles = {each.role for each in names.of(new)}
    if call is None or not roles or Role.KEYWORD in roles:
        return False
    defined = (Role.DEFINITION, Role.MEMBER_DEFINITION)
    return not any(each.role in defined for each in names.of(call.called.name))


def _replaced(names: Names, hunk: Hunk) -> tuple[Occurrence | None, str]:
    """Return the name that a hunk replaces by another one, and that.

    None where it does anything else.
    """
    text = names.tree.text
    start, end = whole_words(text, hunk.start, hunk.end)
    new = text[start : hunk.start] + hunk.text + text[hunk.end : end]
    if not (WORD.fullmatch(text, start, end) and WORD.fullmatch(new)):
        return None, ""
    one = names.at(start)
    if one is None and (sigil := names.rules.sigil) and text.startswith(sigil, start):
        return names.at(start + len(sigil)), new.removeprefix(sigil)  # a member's declaration
    return one, new


def _has_member(names: Names, one: Occurrence, name: str) -> bool:
    """Tell whether what a member belongs to has one of a name, as far as this file tells."""
    whose = owner(names, one)
    if whose is None:
        return False
    keys = (each for each in names.of(name) if each.role is Role.KEY)
    has_key = any(owner(names, each) == whose for each in keys)
    return has_key or bool(fields_defined(names, name, whose))
