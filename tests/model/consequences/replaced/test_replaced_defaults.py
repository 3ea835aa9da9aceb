"""Numbers that say what the default of an option is."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

OLD, NEW = "DEFAULT_POOL_SIZE = 4\n", "DEFAULT_POOL_SIZE = 8\n"


def after(path: str, text: str, old: str = OLD, new: str = NEW, file: str = "a/main.py") -> str:
    """Return a text after all that follows from a default that was changed in another file."""
    consequences = Consequences("", path)
    consequences.add_other_save(file, 1, old, new)
    found = consequences.propose([], text)
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        ("def f(pool_size=4):\n", "def f(pool_size=8):\n"),
        ("    pool_size: int = 4\n", "    pool_size: int = 8\n"),
        (
            'p.add_argument("--pool-size", default=4)\n',
            'p.add_argument("--pool-size", default=8)\n',
        ),
        ('n = get("POOL_SIZE", 4)\n', 'n = get("POOL_SIZE", 8)\n'),
        (
            "  poolSize: { short: 'p', default: '4' },\n",
            "  poolSize: { short: 'p', default: '8' },\n",
        ),
        ("  poolSize: number().default(4),\n", "  poolSize: number().default(8),\n"),
    ],
)
def test_what_names_an_option(old: str, new: str) -> None:
    text = "`pool_size` is 2 here, the default is 4.\n"
    assert after("a.md", text, old, new) == text.replace("4", "8")


@pytest.mark.parametrize(
    ("path", "text", "is_due"),
    [
        ("a.md", "The default pool size is 4.\n", True),
        ("a.md", "A pool size of 4 is enough.\n", False),
        ("a.md", "The default pool size is 4 of 4.\n", False),
        ("a.md", "The default pool size is 4, set it to 8.\n", False),
        ("a.md", "| Option | Default |\n| --- | --- |\n| `--pool-size` | 4 |\n", True),
        ("a.md", "| Option | Largest |\n| --- | --- |\n| `--pool-size` | 4 |\n", False),
        ("a.py", 'HELP = "--pool-size N  workers (default: 4)"\n', True),
        ("a.py", "f(pool_size=4)\n", False),
        ("tests/test_a.py", "def test_a():\n    assert read([]).pool_size == 4\n", True),
        ("tests/test_a.py", "def test_a():\n    a = f(4)\n    assert a.pool_size == 4\n", False),
        ("a.py", "def check():\n    assert read([]).pool_size == 4\n", False),
        ("test/a.test.ts", "expect(read().poolSize).toBe(4);\n", True),
        ("a.yaml", "pool_size: 4\n", False),
        ("a.yaml", "# The default.\npool_size: 4\n", False),
        ("a.yaml", "# pool_size: 4  (default)\n", True),
    ],
)
def test_places(path: str, text: str, is_due: bool) -> None:
    assert after(path, text) == (text.replace("4", "8") if is_due else text)


def test_what_a_test_expects_is_no_default() -> None:
    text = "The default pool size is 4.\n"
    assert after("a.md", text, file="tests/test_a.py") == text


def test_in_the_same_file() -> None:
    before = OLD + 'HELP = "--pool-size N (default: 4)"\n'
    now = before.replace(OLD, NEW)
    (one,) = Consequences("", "a.py").propose([before], now)
    assert apply_hunks(now, [one.hunk]) == now.replace("default: 4", "default: 8")
    assert Consequences("", "a.py").propose([before], now, active=range(20, 21)) == []
