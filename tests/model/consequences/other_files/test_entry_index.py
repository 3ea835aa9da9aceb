"""The index of texts that files give names to."""

import pytest

from editcast_model.consequences.other_files.entry_index import EntryIndex, entries_of


def found(text: str, file: str, language: str = "") -> dict[str, str]:
    return {".".join(keys): value for value, keys in entries_of(text, language, file)}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("en.json", '{"a": {"b": "One", "c.d": "Two"}, "e": "Three", "f": ["Four"], "g": 5}',
         {"a.b": "One", "a.c.d": "Two", "e": "Three"}),
        ("en.JSON", '{"a": "ab", "b": "123", "c": "%s", "d": ""}' % ("x" * 201), {}),
        ("en.json", '{"a": "One"', {}),
        ("en.json", '["One"]', {}),
        ("en.json", '"One"', {}),
        ("en.json", "[" * 100_000, {}),
        ("en.json", '{"a":' * 20 + '"One"' + "}" * 20, {}),
        ("a.ts", "export const en = { a: { b: 'One' }, 'c d': \"It's\", e: `Two`, f: `${g}x` };",
         {"en.a.b": "One", "en.c d": "It's", "en.e": "Two"}),
        ("a.ts", "export default { a: 'It\\'s', b: 'a\\nb', [c]: 'One', 'd': f('Two') };",
         {"a": "It's"}),
        ("a.ts", "const A = Object.freeze({ b: 'One' } as const); enum C { D = 'Two', E }",
         {"A.b": "One", "C.D": "Two"}),
        ("a.ts", "class A { static readonly B = 'One'; f() { const c = { d: 'Two' }; } }",
         {"A.B": "One"}),
        ("a.ts", "function f() { return { a: 'One' }; }\nconst g = () => ({ a: 'One' });", {}),
        ("a.ts", "if (a === 'One') { a += 'Two'; } type B = 'One'; import c from 'Two';", {}),
        ("a.js", "module.exports = { a: 'One' };", {"a": "One"}),
        ("a.py", "class A(Enum):\n    B = 'One'\n    C: str = 'Two'\n    D = f'Three'\n\n"
         "    def e(self):\n        f = 'Four'\n", {"A.B": "One", "A.C": "Two"}),
        ("a.py", "A = {'b': 'One', 'c': {'d': '''Two'''}, e: 'Three'}\nf(g='Four')\n",
         {"A.b": "One", "A.c.d": "Two", "A.e": "Three"}),
        ("A.java", 'class A { static final String B = "One"; }', {"A.B": "One"}),
        ("a.md", "a: 'One'", {}),
    ],
)  # fmt: skip
def test_tables(file: str, text: str, expected: dict[str, str]) -> None:
    assert found(text, file) == expected


def test_what_is_long_is_not_looked_at() -> None:
    assert found('{"a": "One"}' + " " * 300_000, "a.json") == {}


def test_a_file_that_was_changed_says_something_else() -> None:
    known = EntryIndex()
    known.update("a.json", "json", '{"a": "One", "b": "Two"}')
    known.put("b.py", "python", "A = 'One'\nA = 'One'\n")
    assert [tuple(one) for one in known.of("One")] == [("b.py", ("A",))]
    known.read()
    assert [one.file for one in known.of("One")] == ["b.py", "a.json"]
    for text in ('{"a": "Three"}', '{"a": '):
        known.update("a.json", "json", text)
        known.read()
        assert [one.file for one in known.of("One")] == ["b.py"] and known.of("Two") == []
        assert [one.keys for one in known.of("Three")] == ([("a",)] if text.endswith("}") else [])
    known.update("b.py", "python", "A = 'One'\n")
    known.forget()
    known.read()
    assert known.of("One") == []


def test_what_the_editor_has_is_newer() -> None:
    known = EntryIndex()
    known.put("a.json", "", '{"a": "One"}', lambda: False)
    assert known.of("One") == []
    known.put("a.json", "", '{"a": "Two"}')
    known.put("a.json", "", '{"a": "One"}', lambda: True)
    assert known.of("One") == [] and known.of("Two")


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntryIndex, "most", 3)
    known = EntryIndex()
    known.put("a.json", "", '{"a": "One", "b": "Two"}')
    known.put("b.json", "", '{"a": "Three", "b": "Four"}')
    assert known.of("One") and not known.of("Three")
    known.put("a.json", "", '{"a": "One"}')
    known.put("b.json", "", '{"a": "Three", "b": "Four"}')
    assert known.of("One") and known.of("Three")


def test_code_with_less_than_two_entries_is_not_parsed() -> None:
    known = EntryIndex()
    known.put("a.py", "python", "A = 'One'\n\n\ndef b(c, d='Two'):\n    e(f, 'Three')\n")
    known.put("b.ts", "typescript", "const A = { b: 'Four', c: 'Five' } as const;\n")
    known.put(
        "C.java", "java", 'class C {\n  final String A = "Six";\n  final String B = "7th";\n}'
    )
    assert not known.of("One") and known.of("Five") and known.of("Six")
