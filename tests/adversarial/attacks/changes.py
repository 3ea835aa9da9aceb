"""Random changes of documents, against a text kept as the units that its editor counts in.

The model shares no code with the server: it splices a list of code units and finds the lines anew
for each change. It says what the text is after a change, and when a change makes no sense.
"""

import random
from array import array
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types

from attacks.figures import Figures, Finding, Limit
from editcast_model.diff import Hunk, apply_hunks
from editcast_server.documents.buffer import Buffer, Units
from editcast_server.documents.document import Document

ENCODINGS = ("utf-8", "utf-16", "utf-32")
CHANGES_A_DOCUMENT = 60
_PIECES = (
    *("a", "b", "word", "x = f(y)", " ", "    ", "\t", "(", ")", ""),
    *("\n", "\r", "\r\n", "\n\r", "\r\r\n", "\n\n"),
    *("é", "ß", "中", "\u2028", "\x0b", "\x85", "\ufeff", "\u200d"),
    *("🎉", "𝔘", "👩\u200d💻", "\ud83d", "\ude00", "\udfff"),
)
_CODE_OF = {"utf-8": "B", "utf-16": "H", "utf-32": "I"}
_CODEC_OF = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


@dataclass
class ModelText:
    """A text as its editor keeps it.

    Attributes:
        encoding: What its units are.
        units: The code units; None while server and editor do not agree.
        version: The editor's.
    """

    encoding: str
    units: list[int] | None
    version: int = 1

    @classmethod
    def of(cls, text: str, encoding: str) -> "ModelText":
        """A text that was just opened."""
        return cls(encoding, to_units(text, encoding))

    @property
    def text(self) -> str | None:
        """The text; None while it is not known."""
        return None if self.units is None else to_text(self.units, self.encoding)

    def change(self, version: int, changes: list[dict[str, Any]]) -> None:
        """Do what a didChange says."""
        if version < self.version:
            self.units = None
        self.version = version
        for change in changes:
            if "range" not in change:
                self.units = to_units(change["text"], self.encoding)
            elif self.units is not None:
                self.units = self._spliced(self.units, change)

    def _spliced(self, units: list[int], change: dict[str, Any]) -> list[int] | None:
        start, end = (tuple(change["range"][key].values()) for key in ("start", "end"))
        lines = line_spans(units)
        places = [place_of(position, lines, len(units)) for position in (start, end)]
        if start > end or None in places:
            return None
        first, last = places
        spliced = units[:first] + to_units(change["text"], self.encoding) + units[last:]
        return spliced if to_text(spliced, self.encoding) is not None else None


def to_units(text: str, encoding: str) -> list[int]:
    """A text's code units."""
    data = text.encode(_CODEC_OF[encoding], "surrogatepass")
    return array(_CODE_OF[encoding], data).tolist()


def to_text(units: list[int], encoding: str) -> str | None:
    """The text of code units; None when they are no text."""
    data = array(_CODE_OF[encoding], units).tobytes()
    try:
        return data.decode(_CODEC_OF[encoding], "surrogatepass")
    except UnicodeDecodeError:
        return None


def line_spans(units: list[int]) -> list[tuple[int, int]]:
    """Return where each line begins and ends, its line end not counted."""
    spans, begin, index = [], 0, 0
    while index < len(units):
        if units[index] in (10, 13):
            spans.append((begin, index))
            index += 1 + (units[index : index + 2] == [13, 10])
            begin = index
        else:
            index += 1
    return [*spans, (begin, len(units))]


def place_of(position: tuple[int, int], lines: list[tuple[int, int]], size: int) -> int | None:
    """The index of a unit; None when the text has no such place."""
    line, column = position
    if (line, column) == (len(lines), 0):
        return size
    if not 0 <= line < len(lines) or column < 0:
        return None
    begin, end = lines[line]
    return min(begin + column, end)


@dataclass
class Case:
    """History of the changes of one document.

    Attributes:
        encoding: The position encoding.
        text: The text it was opened with.
        steps: (version, changes) of each didChange.
    """

    encoding: str
    text: str
    steps: list[tuple[int, list[dict[str, Any]]]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        return {"encoding": self.encoding, "text": self.text, "steps": self.steps}


def draw_text(draw: random.Random, most: int) -> str:
    """A text in which everything that is difficult comes often.

    Surrogates side by side are one character, as in the JSON that an editor sends.
    """
    text = "".join(draw.choices(_PIECES, k=draw.randrange(most + 1)))
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def draw_changes(draw: random.Random, model: ModelText, tried: Any) -> list[dict[str, Any]]:
    """Changes of one didChange: mostly one, mostly possible."""
    changes = []
    for _ in range(draw.choices((1, 2, 3), (8, 1, 1))[0]):
        if draw.random() < 0.02 or (model.units is None and draw.random() < 0.4):
            tried["whole texts"] += 1
            changes.append({"text": draw_text(draw, 40)})
            continue
        lines = line_spans(model.units or [])
        start, end = sorted(_draw_position(draw, lines) for _ in range(2))
        if draw.random() < 0.3:
            end = start
            tried["empty ranges"] += 1
        if draw.random() < 0.005:
            start, end = end, start
        ends = [{"line": line, "character": column} for line, column in (start, end)]
        changes.append({"range": {"start": ends[0], "end": ends[1]}, "text": draw_text(draw, 4)})
    tried["changes"] += len(changes)
    return changes


def _draw_position(draw: random.Random, lines: list[tuple[int, int]]) -> tuple[int, int]:
    kind = draw.random()
    if kind < 0.005:
        return draw.choice(
            [(len(lines) + draw.randrange(3), draw.randrange(3)), ((1 << 31) - 1, 0)]
        )
    number = draw.randrange(len(lines))
    begin, end = lines[number]
    if kind < 0.05:
        return number, end - begin + draw.randrange(5)
    if kind < 0.06:
        return len(lines), 0
    return number, draw.randint(0, end - begin)


def attack(limit: Limit, seed: int) -> Figures:
    """Change documents and compare them with the model; a round is a document."""
    figures = Figures()
    for number, draw in limit.each(figures, seed):
        case = Case(draw.choice(ENCODINGS), draw_text(draw, 40))
        figures.tried["documents"] += 1
        try:
            trouble = _try_document(case, draw, figures.tried)
        except Exception as error:
            trouble = f"{type(error).__name__}: {error}"
        if trouble:
            figures.tried["differences"] += 1
            figures.findings.append(Finding(trouble, seed, number, case.to_json()))
    return figures


def _try_document(case: Case, draw: random.Random, tried: Any) -> str:
    model = ModelText.of(case.text, case.encoding)
    units = Units.of(case.encoding)
    document = Document("untitled:1", "plaintext", 1, case.text, units)
    for _ in range(CHANGES_A_DOCUMENT):
        version = model.version + (1 if draw.random() > 0.003 else -1)
        before = model.text
        changes = draw_changes(draw, model, tried)
        case.steps.append((version, changes))
        model.change(version, changes)
        document.change(version, [structured(change) for change in changes])
        after = model.text
        known = None if document.buffer is None else document.buffer.text
        if known != after:
            return f"the server has {known!r}, the editor {after!r}"
        if after is None:
            tried["lost track"] += before is not None
        elif draw.random() < 0.1:
            trouble = _try_edits(draw, after, case.encoding)
            if trouble:
                return trouble
    return ""


def structured(change: dict[str, Any]) -> types.TextDocumentContentChangeEvent:
    """A change as lsprotocol has it."""
    if "range" not in change:
        return types.TextDocumentContentChangeWholeDocument(change["text"])
    start, end = (types.Position(**change["range"][key]) for key in ("start", "end"))
    return types.TextDocumentContentChangePartial(types.Range(start, end), change["text"])


def _try_edits(draw: random.Random, text: str, encoding: str) -> str:
    """Tell whether an editor that applies a hunk's edit gets what the hunk says."""
    start, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    hunk = Hunk(start, end, draw_text(draw, 3))
    (edit,) = Buffer(text, Units.of(encoding)).text_edits([hunk])
    first, last = (
        {"line": at.line, "character": at.character} for at in (edit.range.start, edit.range.end)
    )
    editor = ModelText.of(text, encoding)
    editor.change(2, [{"range": {"start": first, "end": last}, "text": edit.new_text}])
    want = to_text(to_units(apply_hunks(text, [hunk]), encoding), encoding)
    if editor.text != want:
        return f"the edit of {hunk} in {text!r} makes {editor.text!r}"
    buffer = Buffer(text, Units.of(encoding))
    done = buffer.apply(edit.range, edit.new_text)
    if to_text(to_units(apply_hunks(text, [done]), encoding), encoding) != buffer.text:
        return f"what {edit} did in {text!r} is not {done}"
    return ""
