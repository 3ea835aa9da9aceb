"""Renames after which a value means something else."""

from fractions import Fraction

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.consequences.value_changes import SAME, ValueChange, by_names
from editcast_model.diff import apply_hunks


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("timeout_seconds", "timeout_ms", ValueChange(Fraction(1000), units=("seconds", "ms"))),
        ("delayMs", "delaySeconds", ValueChange(Fraction(1, 1000), units=("ms", "seconds"))),
        ("weight_kg", "weight_g", ValueChange(Fraction(1000), units=("kg", "g"))),
        ("priceEuros", "priceCents", ValueChange(Fraction(100), units=("euros", "cents"))),
        ("width_m", "width_kg", SAME),
        ("max_kb", "max_bytes", ValueChange(Fraction(1024), units=("kb", "bytes"))),
        ("disabled", "enabled", ValueChange(is_negated=True)),
        ("isVisible", "isHidden", ValueChange(is_negated=True)),
        ("cache", "no_cache", ValueChange(is_negated=True)),
        ("not_found", "found", ValueChange(is_negated=True)),
        ("seconds", "second", SAME),
        ("max_bytes", "max_seconds", SAME),
        ("minutes_left", "minutes_right", SAME),
        ("user", "owner", SAME),
        ("x", "y", SAME),
    ],
)
def test_what_names_say(old: str, new: str, expected: ValueChange) -> None:
    assert by_names(old, new) == expected


def proposed(path: str, before: str, after: str) -> list[str]:
    """Return the lines that follow from a change, each made on its own."""
    lines = []
    for one in Consequences("", path).propose([before], after):
        text = apply_hunks(after, [one.hunk])
        lines += [
            new for old, new in zip(after.split("\n"), text.split("\n"), strict=True) if old != new
        ]
    return [line.strip() for line in lines]


SETTINGS = """class Settings:
    wait: float = 30

    def run(self):
        if self.wait <= 0 or self.wait > 60:
            raise ValueError(f"{self.wait} is too short")
        time.sleep(self.wait)
        log(self.wait * 1000)
        log(1000 * self.wait, self.wait * 60)
        self.wait = 5
        self.wait = other
"""


def test_a_factor_is_read_from_the_default() -> None:
    after = SETTINGS.replace("wait: float = 30", "wait_ms: int = 30000")
    assert proposed("a.py", SETTINGS, after) == [
        "if self.wait_ms <= 0 or self.wait > 60:",
        "if self.wait <= 0 or self.wait_ms > 60000:",
        'raise ValueError(f"{self.wait_ms} is too short")',
        "time.sleep(self.wait_ms / 1000)",
        "log(self.wait_ms)",
        "log(self.wait_ms, self.wait * 60)",
        "log(1000 * self.wait, self.wait_ms * 60)",
        "self.wait_ms = 5000",
        "self.wait_ms = other",
    ]


def test_digits_are_grouped_as_others_are() -> None:
    head = "const wait = { lease: 60_000 };\n"
    before = head + "interface A { seconds: number }\nconst a: A = { seconds: 90 };\n"
    after = before.replace("A { seconds", "A { ms")
    assert proposed("a.ts", before, after) == ["const a: A = { ms: 90_000 };"]
    mixed = "const size = 20240;\n"
    assert proposed("a.ts", mixed + before, mixed + after) == ["const a: A = { ms: 90000 };"]
    address = "const url = 'http://localhost:9000';\nlisten(8080); // port 8080\n"
    assert proposed("a.ts", address + before, address + after) == ["const a: A = { ms: 90_000 };"]


def test_nothing_has_no_opposite() -> None:
    before = """interface Options { disabled?: boolean }
const none: Options = { disabled: undefined };
const more: Options = { disabled: given };
"""
    after = before.replace("disabled?", "enabled?")
    assert proposed("a.ts", before, after) == [
        "const none: Options = { enabled: undefined };",
        "const more: Options = { enabled: !given };",
    ]


def test_another_value_is_no_factor() -> None:
    after = SETTINGS.replace("wait: float = 30", "waited: float = 47")
    assert "self.waited = 5" in proposed("a.py", SETTINGS, after)


def test_a_factor_is_read_from_the_names() -> None:
    before = """interface Limits { timeoutSeconds: number }
const limits: Limits = { timeoutSeconds: 2.5 };
export const text = `${limits.timeoutSeconds}s, ${limits.timeoutSeconds} of them`;
export const wait = limits.timeoutSeconds * 1000;
"""
    after = before.replace("{ timeoutSeconds: number", "{ timeoutMs: number")
    assert proposed("a.ts", before, after) == [
        "const limits: Limits = { timeoutMs: 2500 };",
        "export const text = `${limits.timeoutMs}ms, ${limits.timeoutSeconds} of them`;",
        "export const text = `${limits.timeoutSeconds}s, ${limits.timeoutMs} of them`;",
        "export const wait = limits.timeoutMs;",
    ]


def test_bytes_are_made_of_a_thousand_or_of_1024() -> None:
    before = "def f(max_mb=1):\n    a = max_mb * 1024 * 1024\n    b = max_mb * 1000 * 1000\n"
    before += "\n\nf(max_mb=1)\nf(max_mb=20)\n"
    after = before.replace("max_mb=1):", "max_bytes=1048576):")
    assert proposed("a.py", before, after) == [
        "a = max_bytes",
        "b = max_bytes",
        "f(max_bytes=1024 * 1024)",
        "f(max_bytes=20 * 1024 * 1024)",
    ]


PLUGIN = """class Plugin:
    def __init__(self):
        self.disabled = False

    def switch(self, others):
        if self.disabled and not self.disabled:
            return self.disabled
        self.disabled = not self.disabled
        self.disabled = others
        self.disabled = True
        print(f"{self.disabled}", self.disabled.real)
"""


def test_a_sense_that_is_turned() -> None:
    after = PLUGIN.replace("self.disabled = False", "self.enabled = True")
    assert proposed("a.py", PLUGIN, after) == [
        "if not self.enabled and not self.disabled:",
        "if self.disabled and self.enabled:",
        "return not self.enabled",
        "self.enabled = not self.enabled",
        "self.enabled = not others",
        "self.enabled = False",
        'print(f"{self.enabled}", self.disabled.real)',
        'print(f"{self.disabled}", self.enabled.real)',
    ]


def test_a_sense_that_is_turned_in_other_languages() -> None:
    before = "package a\n\ntype T struct {\n\thidden bool\n}\n\nfunc f(t T) bool {\n"
    before += "\tt.hidden = true\n\tif !t.hidden && t.hidden {\n\t}\n\treturn t.hidden\n}\n"
    after = before.replace("hidden bool", "visible bool")
    assert proposed("a.go", before, after) == [
        "t.visible = false",
        "if t.visible && t.hidden {",
        "if !t.hidden && !t.visible {",
        "return !t.visible",
    ]


def test_in_other_files() -> None:
    before = "class Plugin:\n    def __init__(self):\n        self.disabled = False\n"
    history = ModuleHistory("plugins.py", "python")
    history.save(before, before.replace("disabled = False", "enabled = True"))
    change = history.change()
    assert change is not None
    text = "from plugins import Plugin\n\none = Plugin()\n"
    text += "if not one.disabled:\n    one.disabled = True\n"
    found = Consequences("", "a.py").propose([], text, elsewhere=[change])
    assert apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start)) == (
        "from plugins import Plugin\n\none = Plugin()\nif one.enabled:\n    one.enabled = False\n"
    )


def test_a_number_that_becomes_a_duration() -> None:
    before = """package a

type Options struct {
	TimeoutSeconds int
}

func f(o Options) {
	g(Options{TimeoutSeconds: 30})
	h(time.Duration(o.TimeoutSeconds) * time.Second)
	h(time.Second * time.Duration(o.TimeoutSeconds), o.TimeoutSeconds <= 0)
	h(time.Duration(o.TimeoutSeconds) * time.Minute)
}
"""
    after = before.replace("TimeoutSeconds int", "Timeout time.Duration")
    assert proposed("a.go", before, after) == [
        "g(Options{Timeout: 30 * time.Second})",
        "h(o.Timeout)",
        "h(o.Timeout, o.TimeoutSeconds <= 0)",
        "h(time.Second * time.Duration(o.TimeoutSeconds), o.Timeout <= 0)",
        "h(time.Duration(o.Timeout) * time.Minute)",
    ]


BOOKING = """class Booking:
    cancelled: bool = False
    checked_in_at: datetime | None = None

    def check_in(self):
        if self.checked_in_at is not None:
            raise BookingError

    def is_upcoming(self):
        if self.cancelled and self.starts_at:
            self.cancelled = False
        return not self.cancelled and self.starts_at > utcnow()
"""


def test_a_flag_that_is_a_time_now_is_compared_with_nothing() -> None:
    after = BOOKING.replace("cancelled: bool = False", "cancelled_at: datetime | None = None")
    assert proposed("a.py", BOOKING, after) == [
        "if self.cancelled_at is not None and self.starts_at:",
        "self.cancelled_at = None",
        "return self.cancelled_at is None and self.starts_at > utcnow()",
    ]
    # A file that asks for the truth of times goes on so.
    after = after.replace("checked_in_at is not None", "checked_in_at")
    before = BOOKING.replace("checked_in_at is not None", "checked_in_at")
    assert proposed("a.py", before, after)[0] == "if self.cancelled_at and self.starts_at:"
    # What was a time before is one as it was.
    before = BOOKING.replace("cancelled: bool = False", "cancelled: datetime | None")
    after = before.replace("cancelled: datetime", "cancelled_at: datetime")
    assert proposed("a.py", before, after)[0] == "if self.cancelled_at and self.starts_at:"


PROJECT = """export class Project {
  isArchived: boolean;
  readonly owner: string | null;

  list(): Item[] {
    if (this.owner === null || !this.isArchived) return [];
    return this.isArchived ? this.old : this.items;
  }
}
"""


@pytest.mark.parametrize("name", ["a.ts", "a.tsx"])
def test_a_flag_of_typescript_becomes_a_time(name: str) -> None:
    after = PROJECT.replace("isArchived: boolean", "archivedAt: Date | null")
    assert proposed(name, PROJECT, after) == [
        "if (this.owner === null || this.archivedAt === null) return [];",
        "return this.archivedAt !== null ? this.old : this.items;",
    ]


def test_a_value_that_is_read_by_the_old_name_has_another_default() -> None:
    before = """@dataclass
class Settings:
    wait: float = 5.0

settings = Settings(wait=float(raw.get("wait", 5.0)))
"""
    after = before.replace("wait: float = 5.0", "wait_ms: int = 5000")
    assert proposed("a.py", before, after) == [
        'settings = Settings(wait_ms=int(raw.get("wait_ms", 5000)))'
    ]
