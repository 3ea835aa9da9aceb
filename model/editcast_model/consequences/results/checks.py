"""Questions of Go for what a statement took, right behind it: `if user == nil`, `if !ok`."""

from tree_sitter import Node

from editcast_model.syntax.tree import Tree, field

#: What joins a question to others.
_JOINING = ("||", "&&")


def asked(tree: Tree, statement: Node, word: str) -> Node | None:
    """Return the first question about a variable after the statement that it is taken in.

    It stands in the next statement, or in the same `if`; None where there is none.
    """
    above, behind = statement.parent, statement.next_named_sibling
    if above is not None and field(above, "initializer") == statement:
        behind = above
    if behind is None or behind.type != "if_statement":
        return None
    found = field(behind, "condition")
    while found is not None and tree.of(field(found, "operator")) in _JOINING:
        found = field(found, "left")
    text = tree.of(found)
    questions = (word, f"!{word}", f"{word} == nil", f"{word} != nil")
    return found if text in questions else None
