"""Types of fields: where a declaration has its type and its name, and what SQL calls the type."""

import re
from typing import Final

from tree_sitter import Node

from editcast_model.syntax.tree import field, first_child

#: Types of nodes that declare a field, and of those in them around its name.
_DECLARES = re.compile("declaration|signature|parameter$|assignment")
_DECLARATOR = re.compile("declarator$|^variable_declaration$|^property_element$")
#: Types that most dialects of SQL have one type for.
_SAME: Final = {
    **dict.fromkeys("varchar char character nvarchar citext clob".split(), "text"),
    **dict.fromkeys("timestamptz datetime datetimeoffset datetime2".split(), "timestamp"),
    **dict.fromkeys("int serial int4".split(), "integer"),
    **dict.fromkeys("int8 bigserial".split(), "bigint"),
    **dict.fromkeys("real float float8".split(), "double"),
    **dict.fromkeys("bool bit".split(), "boolean"),
    "uniqueidentifier": "uuid",
    "decimal": "numeric",
}
_COLUMNS: Final = "text boolean integer bigint double uuid numeric date timestamp".split()
#: What languages call the types of columns.
_CALLED: Final = {
    "java": "String boolean int long double UUID BigDecimal LocalDate Instant".split(),
    "csharp": "string bool int long double Guid decimal DateOnly DateTimeOffset".split(),
    "php": "string bool int int float string - - -".split(),
    "go": "string bool int int64 float64 - - - time.Time".split(),
    "typescript": "string boolean number number number string - Date Date".split(),
    "python": "str bool int int float UUID Decimal date datetime".split(),
    "rust": "String bool i32 i64 f64 Uuid Decimal NaiveDate -".split(),
}
#: How they write one that may be missing, and what else may stand around a type then.
_MISSING: Final = {
    "csharp": "{}?",
    "php": "?{}",
    "go": "*{}",
    "typescript": "{} | null",
    "python": "{} | None",
    "rust": "Option<{}>",
}
_MAYBE = re.compile(r"^[?*]|\?$|\s*\|\s*(?:null|None|undefined)\b|^Option(?:al)?[<\[]|[>\]]$")
_BOXED: Final = {"int": "Integer", "boolean": "Boolean", "long": "Long", "double": "Double"}
_UNBOXED: Final = {boxed: plain for plain, boxed in _BOXED.items()}

#: What methods that get or set a value of a type are called after, such as `setString`.
_ACCESSORS: Final = {
    "java": {
        **{one: one for one in "String Boolean Long Double BigDecimal".split()},
        **{"boolean": "Boolean", "int": "Int", "long": "Long", "double": "Double"},
    },
    "csharp": {
        **{"string": "String", "bool": "Boolean", "int": "Int32", "long": "Int64"},
        **{"double": "Double", "decimal": "Decimal", "Guid": "Guid", "DateTime": "DateTime"},
    },
}


def inner_of(node: Node) -> Node:
    """Return the expression of an expression statement; any other node itself."""
    inner = first_child(node) if node.type == "expression_statement" else None
    return inner or node


def declared(node: Node | None) -> tuple[Node | None, Node | None]:
    """Return the name and the type that a field or a parameter is declared with, if it is one."""
    one = inner_of(node) if node is not None else None
    if one is None or not _DECLARES.search(one.type):
        return None, None
    name = kind = None
    while one is not None and name is None:
        kind = kind or field(one, "type")
        name = field(one, "name", "left", "pattern") or (None if one.named_child_count else one)
        within = (each for each in one.named_children if _DECLARATOR.search(each.type))
        one = field(one, "declarator") or next(within, None)
    if kind is not None and kind.type == "type_annotation":
        kind = first_child(kind)
    return name, kind


def family_of(kind: str) -> str:
    """Return one word for all types of columns that most languages have one type for."""
    return _SAME.get(kind.lower(), kind.lower())


def type_of_column(family: str, language: str, text: str, *, may_be_missing: bool) -> str:
    """Return the type of a field for a column; empty where that is unknown, or not imported."""
    called = _CALLED.get(language)
    name = called[_COLUMNS.index(family)] if called and family in _COLUMNS else "-"
    is_known = name == "String" or name.islower() or re.search(rf"\b{re.escape(name)}\b", text)
    if name == "-" or not is_known:
        return ""
    if not may_be_missing:
        return name
    return _MISSING.get(language, "{}").format(_BOXED.get(name, name))


def column_of_type(kind: str, language: str) -> tuple[str, bool]:
    """Return the type of a column for a field, and whether it may be missing; empty if unknown."""
    plain = _MAYBE.sub("", kind)
    may_be_missing = plain != kind or plain in _UNBOXED
    plain = _UNBOXED.get(plain, plain)
    called = zip(_COLUMNS, _CALLED.get(language, []), strict=False)
    found = [column for column, name in called if name == plain]
    is_one = len(found) == 1 or found == ["integer", "bigint"] or found[1:] == ["uuid"]
    return (found[0], may_be_missing) if is_one else ("", may_be_missing)


def accessor(word: str, other: str, kind: str, language: str) -> str:
    """Return what gets or sets a value of a type, where `word` does of another one; or nothing."""
    known = _ACCESSORS.get(language, {})
    if not known or kind == other:
        return word if known else ""
    return known.get(kind, "") if known.get(other) == word else ""


def as_getter(text: str, name: str, kind: str, language: str) -> str:
    """Call a field's method after its type, as Java does: `isPaid` of a flag, else `getPaid`."""
    if language != "java":
        return text
    verb = "is" if kind == "boolean" else "get"
    return re.sub(rf"\b(?:is|get)(?={name[:1].upper()}{name[1:]}\b)", verb, text)
