"""From an edit to the edits that follow from it, in files of 5,000 lines and in other files.

Each step types one more character of a new name, as an editor sends it. The time is that of the
processor for parsing the text again and finding what follows; the first parse is timed apart.

Then a function is renamed and saved in a file of 240 lines or of 5,000, which is timed, and what
follows is looked for in another one of that size, after as many other files were changed as the
server keeps; and imports are read, of which a file may lack some.
"""

import statistics
import time

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.import_statements import origins
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.syntax.tree import parse

PYTHON = """
    def read_{name}(self, path, encoding="utf-8"):
        \"\"\"Read the {name} from a file and count it.\"\"\"
        with open(path, encoding=encoding) as file:
            value = self.parse(file.read(), "{name}", limit={limit})
        if value and [one for one in value if one.size > {index}]:
            self.counts["{name}"] += len(value)
        return value
"""
TYPESCRIPT = """
  read{name}(path: string, encoding = "utf-8"): Value[] {{
    const file = open(path, {{ encoding }});
    const value = this.parse(file.read(), "{name}", {limit});
    if (value.some((one) => one.size > {index})) {{
      this.counts["{name}"] += value.length;
    }}
    return value;
  }}
"""
GO = """
func (r *Reader) Read{name}(path string, encoding string) ([]Value, error) {{
	file, err := open(path, encoding)
	if err != nil {{
		return nil, err
	}}
	value := r.Parse(file, "{name}", {limit})
	r.counts["{name}"] += len(value) + {index}
	return value, nil
}}
"""
SOURCES = {
    "python": ("LIMIT = 3\n\n\nclass Reader:\n    counts = {{}}\n", PYTHON, ""),
    "typescript": ("const LIMIT = 3;\nclass Reader {{\n  counts = {{}};\n", TYPESCRIPT, "}\n"),
    "go": ("package p\n\nconst LIMIT = 3\n\ntype Reader struct{{ counts int }}\n", GO, ""),
}
#: What is renamed: a parameter of one function, a name that every other one uses, and a field that
#: all use, which is too often for it to be looked up.
RENAMED = ("path", "LIMIT", "counts")


def source(language: str, lines: int = 5_000) -> str:
    """A file of so many lines."""
    head, body, tail = SOURCES[language]
    size = body.count("\n")
    parts = [
        body.format(name=f"Field{index}", index=index, limit="LIMIT" if index % 2 else "9")
        for index in range(lines // size)
    ]
    return head.replace("{{", "{").replace("}}", "}") + "".join(parts) + tail


def times(language: str, name: str) -> tuple[list[float], int]:
    """Milliseconds of each key, and how many edits follow in the end."""
    text, made = source(language), Consequences(language)
    at = text.index(name) if name != "path" else text.index(name, len(text) // 2)
    made.propose([text], text)
    out, found = [], []
    for typed in ("r", "re", "rep", "repl", "repla", "replac", "replace", "replaced") * 3:
        after = text[:at] + typed + text[at + len(name) :]
        started = time.process_time()
        found = made.propose([text], after, cursor=at + len(typed))
        out.append(1e3 * (time.process_time() - started))
    return out, len(found)


SUFFIXES = {"python": "py", "typescript": "ts", "go": "go"}
IMPORTS = {
    "python": "from shop.file{} import RATE{}\n",
    "typescript": 'import {{ RATE{1} }} from "./file{0}";\n',
    "go": "",
}
DEFINED = {
    "python": "RATE{} = 3\n",
    "typescript": "export const RATE{} = 3;\n",
    "go": "const RATE{} = 3\n",
}
FILES = 40


def elsewhere(language: str, lines: int) -> tuple[float, float, float, float, int]:
    """Milliseconds to read a save, to look in another file at first and again, and to read imports.

    With them, how many edits follow.
    """
    body, suffix, changes, spent = source(language, lines), SUFFIXES[language], [], []
    package = "package p\n\n" if language == "go" else ""
    for number in range(FILES):
        defined = package + DEFINED[language].format(number) + body.removeprefix(package)
        module = ModuleHistory(f"shop/file{number}.{suffix}", language)
        module.save(defined, defined.replace(f"RATE{number}", f"NEW_RATE{number}"))
        started = time.process_time()
        changes.append(module.change())
        spent.append(1e3 * (time.process_time() - started))
    assert all(changes)
    head = "".join(IMPORTS[language].format(number, number) for number in range(0, FILES, 2))
    used = body.removeprefix(package).replace("LIMIT", "RATE0").replace("RATE0", "LIMIT", 1)
    text = package + head + used
    made, times = Consequences(language, f"shop/main.{suffix}"), []
    made.propose([], text)
    for added in ("", " ", "  ", "   ", "    "):
        started = time.process_time()
        found = made.propose([], text + added, elsewhere=[one for one in changes if one])
        times.append(1e3 * (time.process_time() - started))
    started = time.process_time()
    origins(text, language, f"shop/main.{suffix}")
    read = 1e3 * (time.process_time() - started)
    return statistics.median(spent), times[0], statistics.median(times[1:]), read, len(found)


def main() -> None:
    print(f"{'5,000 lines; milliseconds':<40}{'median':>8}{'longest':>9}{'edits that follow':>20}")
    for language in SOURCES:
        text = source(language)
        started = time.process_time()
        assert parse(text, language)
        first = 1e3 * (time.process_time() - started)
        print(f"{language + ', first parse':<40}{first:>8.1f}")
        for name in RENAMED:
            found, count = times(language, name)
            row = f"{statistics.median(found):>8.1f}{max(found):>9.1f}{count:>20}"
            print(f"{f'{language}, {name} renamed':<40}{row}")
    print(f"\n{'milliseconds':<28}{'a save':>9}{'first':>9}{'again':>9}{'imports':>9}{'edits':>7}")
    for language in SOURCES:
        for lines in (240, 5_000):
            *spent, count = elsewhere(language, lines)
            row = "".join(f"{one:>9.1f}" for one in spent)
            print(f"{f'{language}, {lines:,} lines':<28}{row}{count:>7}")


if __name__ == "__main__":
    main()
