"""Django (Oda et al. 2015): lines of Python, each with an English sentence that describes it.

Papers on writing code from descriptions compare on the 18,805 lines in the order of the files:
16,000 to train on, 1,000 to choose by, 1,805 to test on (Yin & Neubig 2017). As they do, this
module writes each line in one canonical form, that of `ast.unparse`, and puts placeholders in the
place of quoted strings: a string that the description quotes is one word, `_STR:0_`, on both sides.
Other strings are spelled out between a word that opens and a word that closes them. Nothing is
lost: `Example.write` makes code of words again.
"""

import ast
import hashlib
import io
import re
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

import pygit2
from sacrebleu.metrics.bleu import BLEU

from editcast_model.errors import ReproductionError

#: Lines to train on, to choose by, and to test on.
PARTS = 16_000, 1_000, 1_805
_FILES = "django/all.anno", "django/all.code"
# A quoted string; an apostrophe within a word opens none.
_QUOTED = re.compile(r"""(?<![\w\\])(?P<quote>['"])(?P<text>.*?)(?<!\\)(?P=quote)(?!\w)""")
_WORDS = re.compile(r"_STR:\d+_|\d+\.\d+|\w+|[^\w\s]")
_PLACEHOLDER = re.compile(r"_STR:(\d+)_")
_PIECES = re.compile(r"\\x..|\\u....|\\U.{8}|\\.|\w+|[^\w]", re.ASCII)
_OPEN, _CLOSE = ("'", "b'"), "'"
# A line that is half a statement: what goes before it, and what goes behind it.
_HALVES = (
    (re.compile(r"(elif|else)\b"), "if True: pass\n", ""),
    (re.compile(r"try\b"), "", "pass\nexcept: pass"),
    (re.compile(r"(except|finally)\b"), "try: pass\n", ""),
    (re.compile(r"@"), "", "\ndef f(): pass"),
)


@dataclass(frozen=True)
class Example:
    """A line of code and its description.

    Attributes:
        description: The words of the description.
        code: The words of the code in its canonical form.
        strings: The strings that the description quotes, by the numbers of their placeholders.
        line: The code as it is in the data.
    """

    description: tuple[str, ...]
    code: tuple[str, ...]
    strings: tuple[str, ...]
    line: str

    def write(self, words: Sequence[str]) -> str:
        """Make code of words; of `self.code`, the canonical form of the line."""
        out: list[str] = []
        inside = False
        for word in words:
            if inside:
                out[-1] += word
                inside = word != _CLOSE
                continue
            placeholder = _PLACEHOLDER.fullmatch(word)
            if placeholder and int(placeholder[1]) < len(self.strings):
                word = repr(self.strings[int(placeholder[1])])
            out.append(word)
            inside = word in _OPEN
        return " ".join(out)

    def is_right(self, words: Sequence[str]) -> bool:
        """Tell whether words are exactly this line: the same ones, or others of the same code."""
        if tuple(words) == self.code:
            return True
        found = canonical(self.write(words))
        return found is not None and found == canonical(self.line)


@dataclass(frozen=True)
class Django:
    """All lines, in the order of the files.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        identity: A digest of all words.
    """

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Sequence[Example]
    identity: str


def read_django(folder: Path) -> Django:
    """Read a clone of `odashi/ase15-django-dataset`, with a work tree or without one.

    Of fewer lines than the data have, the parts are as large in proportion.

    Raises:
        ReproductionError: The files are not there, or are not lines of one number, all of Python.
    """
    descriptions, lines = (_lines(folder, name) for name in _FILES)
    if len(descriptions) != len(lines):
        raise ReproductionError(f"The two files of {folder} have not as many lines; clone it anew.")
    examples, digest = [], hashlib.sha256()
    for number, (description, line) in enumerate(zip(descriptions, lines, strict=True), 1):
        example = make_example(description, line)
        if example is None:
            raise ReproductionError(
                f"Line {number} of {_FILES[1]} in {folder} is no Python; clone it anew."
            )
        digest.update(repr((example.description, example.code, example.strings)).encode())
        examples.append(example)
    rest = iter(examples)
    train, dev = (list(islice(rest, len(examples) * part // sum(PARTS))) for part in PARTS[:2])
    return Django(train, dev, list(rest), digest.hexdigest()[:16])


def bleu(examples: Sequence[Example], found: Sequence[Sequence[str]]) -> float:
    """Return the corpus BLEU of what was found for examples, over words, in percent."""
    texts = [" ".join(words) for words in found]
    right = [" ".join(example.code) for example in examples]
    # It warns of texts that end in " ." as if they were tokenized by mistake.
    return float(BLEU(tokenize="none", force=True).corpus_score(texts, [right]).score)


def make_example(description: str, line: str) -> Example | None:
    """Make an example of a description and its line; None if the line is no Python."""
    strings: dict[str, int] = {}

    def replaced(found: re.Match[str]) -> str:
        number = strings.setdefault(_value(found[0], found["text"]), len(strings))
        return f" _STR:{number}_ "

    words = _WORDS.findall(_QUOTED.sub(replaced, description))
    form = canonical(line)
    if form is None:
        return None
    code: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(form).readline):
        if token.type == tokenize.STRING:
            code += _spelled(token.string, strings)
        elif token.string.strip():
            code.append(token.string)
    return Example(tuple(words), tuple(code), tuple(strings), line)


@lru_cache(maxsize=1 << 16)
def canonical(line: str) -> str | None:
    """Write a line of Python in the one form that all ways to write it share; None if it is none.

    A line may be half a statement, as `else:` and `try:` are.
    """
    line = line.strip()
    before, behind = next(
        ((first, last) for half, first, last in _HALVES if half.match(line)), ("", "")
    )
    if line.endswith(":") and not behind:
        behind = " pass"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in strings
        try:
            tree = ast.parse(before + line + behind)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
    if len(tree.body) != 1:
        return None
    text = ast.unparse(tree)
    if before:
        text = text.split("\n    pass\n", 1)[1]
    return text.split("\n    pass")[0].split("\ndef f():")[0]


def _lines(folder: Path, name: str) -> list[str]:
    path = folder / name
    try:
        if path.is_file():
            data = path.read_bytes()
        else:
            blob = pygit2.Repository(str(folder)).revparse_single(f"HEAD:{name}")
            assert isinstance(blob, pygit2.Blob)
            data = blob.data
        return data.decode("utf-8").splitlines()
    except (OSError, ValueError, KeyError, pygit2.GitError, AssertionError) as error:
        raise ReproductionError(
            f"There is no {name} in {folder}; --data is a clone of odashi/ase15-django-dataset."
        ) from error


def _value(quoted: str, text: str) -> str:
    """Return the string that is quoted; as it stands if it is no string of Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(ast.literal_eval(quoted))
        except (SyntaxError, ValueError):
            return text


def _spelled(literal: str, strings: dict[str, int]) -> list[str]:
    """Return the words of a literal: a placeholder, or what it is made of between quotes."""
    value = ast.literal_eval(literal)
    if isinstance(value, str) and value in strings:
        return [f"_STR:{strings[value]}_"]
    # A double quote put before it makes `repr` choose single quotes, and escape those within.
    if isinstance(value, bytes):
        kind, inside = "b'", repr(b'"' + value)[3:-1]
    else:
        kind, inside = "'", repr('"' + value)[2:-1]
    return [kind, *_PIECES.findall(inside.replace(" ", r"\x20")), _CLOSE]
