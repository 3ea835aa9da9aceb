"""Conditions, guards and settings that are left of flags whose entries other files lost."""

import re

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.replaced.flags import retired_flags
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import apply_hunks

YAML = "flags:\n  fast_search: false\n  new_checkout:\n    enabled: true\n    owner: web\n"
YAML_NOW = "flags:\n  fast_search: false\n"
CODE = "export interface Flags {\n  darkMode: boolean;\n  newCheckout: boolean;\n}\n"
CODE_NOW = "export interface Flags {\n  darkMode: boolean;\n}\n"


def after(path: str, text: str, file: str = "config/flags.yaml") -> str:
    """Return a text after all that follows from the removal of a flag."""
    texts = (YAML, YAML_NOW) if file.endswith("yaml") else (CODE, CODE_NOW)
    consequences = Consequences("", path)
    consequences.add_other_save(file, 1, *texts)
    found = consequences.propose([], text)
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if not enabled("new_checkout"):\n    old()\nnew()\n', "new()\n"),
        ('if enabled("new_checkout"):\n    new()\nelse:\n    old()\n', "new()\n"),
        (
            'def f():\n    if on("new_checkout"):\n        return 1\n    a()\n    return 2\n',
            "def f():\n    return 1\n",
        ),
        ('a = x(1) if enabled("new_checkout") else y\n', "a = x(1)\n"),
        ('if enabled("new_checkout") and cart.lines:\n    f()\n', "if cart.lines:\n    f()\n"),
        ("if flags.new_checkout:\n    f()\n", "f()\n"),
        ("if Flag.NEW_CHECKOUT.on():\n    f()\n", "f()\n"),
        ("if is_on(Flag.NEW_CHECKOUT):\n    f()\n", "f()\n"),
        ('new = is_on("new_checkout")\nif new:\n    f()\n', 'new = is_on("new_checkout")\nf()\n'),
        ('log("new_checkout")\n', 'log("new_checkout")\n'),
        ('if app.config["NEW_CHECKOUT"]:\n    f()\n', "f()\n"),
        ("a = 1\nNEW_CHECKOUT = True\n", "a = 1\n"),
        (
            'def test_a():\n    f()\n\n\ndef test_b(app):\n    app["new_checkout"] = False\n',
            "def test_a():\n    f()\n",
        ),
        (
            '@override_settings(FLAGS={"NEW_CHECKOUT": True})\ndef test_a():\n    f()\n',
            "def test_a():\n    f()\n",
        ),
        ('if enabled("fast_search"):\n    f()\n', 'if enabled("fast_search"):\n    f()\n'),
    ],
)
def test_conditions_and_guards_of_python(text: str, expected: str) -> None:
    assert after("a.py", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("get('/a', requireFlag('newCheckout'), f);\n", "get('/a', f);\n"),
        ("get('/a', f, requireFlag('newCheckout'));\n", "get('/a', f);\n"),
        ("if (f(newCheckout)) {\n  a();\n}\n", "if (f(newCheckout)) {\n  a();\n}\n"),
        ("get('/a', log('newCheckout'), f);\n", "get('/a', log('newCheckout'), f);\n"),
        (
            "const a = <A>{newCheckout && b > 1 && <B />}</A>;\n",
            "const a = <A>{b > 1 && <B />}</A>;\n",
        ),
        ("const { newCheckout, other } = useFlags();\n", "const { other } = useFlags();\n"),
        (
            "const { newCheckout, other } = useFlags();\nf(newCheckout ? 1 : other);\n",
            "const { newCheckout, other } = useFlags();\nf(1);\n",
        ),
    ],
)
def test_conditions_and_guards_of_typescript(text: str, expected: str) -> None:
    assert after("a.tsx", text, "src/flags.ts") == expected
    assert after("a.tsx", text, "src/types.ts") == text


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "f({ a: 1, newCheckout: true });\n", "f({ a: 1 });\n"),
        ("a.py", 'f({"new_checkout": True, "b": 1})\n', 'f({"b": 1})\n'),
        ("a.py", "f(1, new_checkout=False)\n", "f(1)\n"),
        ("a.py", "f(1, new_checkout=other)\n", "f(1, new_checkout=other)\n"),
        ("a.rb", "shop(new_checkout: true).open\n", "shop.open\n"),
        ("a.rb", "f\nFeatures.enable(:new_checkout)\ng\n", "f\ng\n"),
        (
            "a.rb",
            'it "a" do\n  f\nend\n\nit "b" do\n  X.disable(:new_checkout)\nend\n\nit "c" do\nend\n',
            'it "a" do\n  f\nend\n\nit "c" do\nend\n',
        ),
        ("a.rb", "if X.on?(:new_checkout)\n  f\nelse\n  g\nend\n", "f\n"),
        ("a.rb", "if X.on?(:new_checkout) && g\n  f\nend\n", "if g\n  f\nend\n"),
        (
            "a.py",
            "def test_a():\n    f()\n\n\ndef test_b():\n    f(new_checkout=False)\n",
            "def test_a():\n    f()\n",
        ),
        (
            "a.ts",
            "it('a', () => {\n  f({ a, newCheckout: false });\n});\n\nit('b', () => {});\n",
            "it('b', () => {});\n",
        ),
    ],
)
def test_settings_of_tests(path: str, text: str, expected: str) -> None:
    assert after(path, text, "src/flags.ts") == expected


def test_a_string_that_is_left_of_an_attribute_needs_no_braces() -> None:
    text = 'const a = <ul className={flags.new_checkout ? "new" : "old"} key={flags.b} />;\n'
    expected = 'const a = <ul className="new" key={flags.b} />;\n'
    assert after("a.tsx", text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.yaml", "flags:\n  newCheckout: true\n  b: 1\n", "flags:\n  b: 1\n"),
        ("a.yaml", "flags:\n  new_checkout:\n    on: true\n  b: 1\n", "flags:\n  b: 1\n"),
        ("a.env", "FEATURE_NEW_CHECKOUT=1\nB=1\n", "B=1\n"),
        ("a.env", "SHOP_NEW_CHECKOUT=yes\nB=1\n", "B=1\n"),
        ("a.env", "HIDE_NEW_CHECKOUT=1\nB=1\n", "HIDE_NEW_CHECKOUT=1\nB=1\n"),
        ("a.json", '{\n  "newCheckout": true,\n  "b": 1\n}\n', '{\n  "b": 1\n}\n'),
        ("a.json", '{\n  "b": 1,\n  "newCheckout": true\n}\n', '{\n  "b": 1\n}\n'),
        ("a.md", "The new checkout is on.\n", "The new checkout is on.\n"),
        (
            "a.yaml",
            "# All flags.\n\n# For buyers.\nnew_checkout: true\n\n# The other.\nb: 1\n",
            "# All flags.\n\n# The other.\nb: 1\n",
        ),
        ("a.md", "|---|---|\n| `newCheckout` | 1 |\n| `b` | 0 |\n", "|---|---|\n| `b` | 0 |\n"),
    ],
)
def test_settings(path: str, text: str, expected: str) -> None:
    assert after(path, text, "src/flags.ts") == expected


@pytest.mark.parametrize(
    ("line", "is_flag"),
    [
        ("  new_checkout: true\n", True),
        ("  NewCheckout bool\n", True),
        ("  new_checkout: bool = False\n", True),
        ("  new_checkout: bool = opened\n", False),
        ("  'new-checkout',\n", True),
        ("  new_checkout\n", True),
        ("  NEW_CHECKOUT = 'new_checkout'\n", True),
        ("  newCheckout: { owner: 'web', default: false },\n", True),
        ("  NewCheckout: envBool('NEW_CHECKOUT'),\n", True),
        ("  newCheckout?: boolean;\n", True),
        ("  # On for everybody.\n  new_checkout: bool = False\n", True),
        ('  public const string NewCheckout = "new";\n', True),
        ("  # On for everybody.\n  new_checkout = cart.open()\n", False),
        ("  new_checkout = cart.open()\n", False),
        ("  new_checkout()\n", False),
        ("  return new_checkout\n", False),
        ("  checkout: true\n", False),
    ],
)
def test_entries(line: str, is_flag: bool) -> None:
    save = Save("src/flags", 1, f"a\n{line}  other: 1\n", "a\n  other: 1\n")
    assert bool(retired_flags([save])) is is_flag
    is_boolean = is_flag and bool(re.search(r"\bbool|true|False|false", line))
    assert bool(retired_flags([save._replace(file="src/settings")])) is is_boolean
    assert not retired_flags([save._replace(after=save.before.replace("a", "b"))])


def test_a_constant_of_a_build_is_a_flag() -> None:
    now = "  define: {\n    __TRACE__: JSON.stringify(mode),\n  },\n"
    was = now.replace("__TRACE__", "__NEW_CHECKOUT__: JSON.stringify(true),\n    __TRACE__")
    assert retired_flags([Save("vite.config.ts", 1, was, now)]) == {"__NEW_CHECKOUT__"}
    consequences = Consequences("", "a.ts")
    consequences.add_other_save("vite.config.ts", 1, was, now)
    text = "if (__NEW_CHECKOUT__ && a > 1) {\n  f();\n}\n"
    (one,) = consequences.propose([], text)
    assert apply_hunks(text, [one.hunk]) == "if (a > 1) {\n  f();\n}\n"


@pytest.mark.parametrize(
    ("file", "was", "now"),
    [
        (
            "lib/features.rb",
            "KNOWN = %i[notes new_checkout points]\n",
            "KNOWN = %i[notes points]\n",
        ),
        ("flags.py", 'ALL = ["a", "new_checkout"]\n', 'ALL = ["a"]\n'),
        (
            "shop/config.py",
            '    NEW_CHECKOUT = os.environ.get("NEW") == "1"\n    A = 1\n',
            "    A = 1\n",
        ),
    ],
)
def test_lists_and_values_of_the_environment(file: str, was: str, now: str) -> None:
    assert {one.lower() for one in retired_flags([Save(file, 1, was, now)])} == {"new_checkout"}
    assert not retired_flags([Save("a.py", 1, was, now)])
