"""The parent of each token, in any language: a bracket that is open, or a line that is further out.

A token within brackets has the innermost one that is open. Another one has the first token of its
line; and that one the first token of the nearest line above that is indented less.
"""

from collections.abc import Iterator, Sequence

_OPEN, _CLOSED = frozenset("([{"), frozenset(")]}")
NOBODY = -1


def parents(tokens: Sequence[str]) -> list[int]:
    """Return the number of the parent of each lexical token, `NOBODY` where there is none.

    White space has no parent, and is none.
    """
    found = [NOBODY] * len(tokens)
    brackets: list[int] = []
    outer: list[tuple[int, int]] = []  # lines that are further out: indentation, first token
    head = NOBODY  # the first token of the line, or of the one that brackets go on from
    for indent, line in _lines(tokens):
        for place, at in enumerate(line):
            if tokens[at] in _CLOSED and brackets:
                found[at] = brackets.pop()
                continue
            if brackets:
                found[at] = brackets[-1]
            elif place:
                found[at] = head
            else:
                while outer and outer[-1][0] >= indent:
                    outer.pop()
                found[at] = outer[-1][1] if outer else NOBODY
                outer.append((indent, at))
                head = at
            if tokens[at] in _OPEN:
                brackets.append(at)
    return found


def _lines(tokens: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
    """Yield the lines that are not blank: their indentation, and their tokens but white space."""
    line: list[int] = []
    indent = 0
    for at, token in enumerate([*tokens, "\n"]):
        if token in ("\n", "\r\n", "\r"):
            if line:
                yield indent, line
            line, indent = [], 0
        elif not token.isspace():
            line.append(at)
        elif not line:
            indent += len(token.expandtabs(8))
