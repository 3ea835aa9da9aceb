"""Settings whose unit changed with their name, in settings, manuals and code."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.diff import apply_hunks

SETTINGS = "class Settings:\n    poll_wait: float = 5.0\n    grace: float = 1.0\n"
IN_MS = SETTINGS.replace("poll_wait: float = 5.0", "poll_wait_ms: int = 5000")
CONFIG = (
    'package config\n\ntype Config struct {\n\tTimeoutSeconds int `yaml:"timeout_seconds"`\n}\n'
)
AS_DURATION = CONFIG.replace(
    'TimeoutSeconds int `yaml:"timeout_seconds"`', 'Timeout time.Duration `yaml:"timeout"`'
)
SCRIPT = "export const schema = object({\n  pollWaitSec: number(),\n  grace: number(),\n});\n"
IN_MILLIS = SCRIPT.replace("pollWaitSec", "pollWaitMs")


def after(other: str, before: str, now: str, path: str, text: str) -> str:
    """Return a text after all that follows from a save of another file."""
    module = ModuleHistory(other, "")
    module.save(before, now)
    change = module.change()
    consequences = Consequences("", path)
    consequences.add_other_save(other, 1, before, now)
    found = consequences.propose([], text, elsewhere=[change] if change else [])
    return apply_hunks(text, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.yaml", "poll_wait: 2\ngrace: 1\n", "poll_wait_ms: 2000\ngrace: 1\n"),
        ("a.yaml", "poll_wait: 0.5  # short\n", "poll_wait_ms: 500  # short\n"),
        ("a.env", "APP=1\nPOLL_WAIT=10\n", "APP=1\nPOLL_WAIT_MS=10000\n"),
        ("a.json", '{"pollWait": 2}\n', '{"pollWaitMs": 2000}\n'),
        ("a.md", "`poll_wait` (default: 5)\n", "`poll_wait_ms` (default: 5000)\n"),
        ("a.md", "Set `poll_wait` first.\n", "Set `poll_wait_ms` first.\n"),
        ("a.md", "The poll wait is 5 s.\n", "The poll wait is 5 s.\n"),
        ("a.yaml", "poll_wait_ms: 2000\n", "poll_wait_ms: 2000\n"),
    ],
)
def test_settings_and_manuals(path: str, text: str, expected: str) -> None:
    assert after("settings.py", SETTINGS, IN_MS, path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.yaml", "timeout_seconds: 20\n", "timeout: 20s\n"),
        ("a.toml", "timeout_seconds = 20\n", 'timeout = "20s"\n'),
        ("a.json", '{"timeout_seconds": 20}\n', '{"timeout": "20s"}\n'),
        ("a.md", "| `timeout_seconds` | `30` | Wait. |\n", "| `timeout` | `30s` | Wait. |\n"),
    ],
)
def test_durations_of_go(path: str, text: str, expected: str) -> None:
    assert after("config.go", CONFIG, AS_DURATION, path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.json", '{"pollWaitSec": 5}\n', '{"pollWaitMs": 5000}\n'),
        ("a.ts", "pause(config.pollWaitSec * 1000);\n", "pause(config.pollWaitMs);\n"),
        ("a.ts", "log(`in ${config.pollWaitSec}s`);\n", "log(`in ${config.pollWaitMs}ms`);\n"),
        ("a.ts", "f({ pollWaitSec: 2 });\n", "f({ pollWaitMs: 2000 });\n"),
        ("a.ts", "const pollWaitSec = 1;\n", "const pollWaitSec = 1;\n"),
        ("a.env", "APP_POLL_WAIT_SEC=5\n", "APP_POLL_WAIT_MS=5000\n"),
        (
            "a.md",
            "| `pollWaitSec` | 30   | Seconds to wait      |\n",
            "| `pollWaitMs`  | 30000 | Milliseconds to wait |\n",
        ),
    ],
)
def test_units_in_the_names_alone(path: str, text: str, expected: str) -> None:
    assert after("config.ts", SCRIPT, IN_MILLIS, path, text) == expected


def test_in_strings_of_the_same_file() -> None:
    before = SCRIPT + "const variables = { POLL_WAIT_SEC: 'pollWaitSec' };\n"
    now = before.replace("pollWaitSec: ", "pollWaitMs: ")
    found = Consequences("", "a.ts").propose([before], now)
    text = apply_hunks(now, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))
    assert text.endswith("{ POLL_WAIT_MS: 'pollWaitMs' };\n")


def of_itself(path: str, before: str, now: str) -> str:
    """Return a text after all that follows from a change of it."""
    found = Consequences("", path).propose([before], now)
    return apply_hunks(now, sorted((one.hunk for one in found), key=lambda hunk: hunk.start))


def test_what_is_read_in_another_unit() -> None:
    before = """import os

class Settings:
    wait_ms: int = 5000

    @classmethod
    def load(cls):
        return cls(
            wait_ms=int(os.environ.get("APP_WAIT_MS", "5000")),
        )
"""
    now = before.replace("wait_ms: int = 5000", "wait_seconds: float = 5.0")
    assert of_itself("a.py", before, now) == now.replace(
        'wait_ms=int(os.environ.get("APP_WAIT_MS", "5000"))',
        'wait_seconds=float(os.environ.get("APP_WAIT_SECONDS", "5.0"))',
    )
    assert after("a.py", before, now, "a.yaml", "wait_ms: 8000\n") == "wait_seconds: 8.0\n"


def test_what_prints_a_number_of_go() -> None:
    use = 'f.IntVar(&c.TimeoutSeconds, "t", 5, "")\n\tlog("%s %d seconds", n, c.TimeoutSeconds)\n'
    new = 'f.DurationVar(&c.Timeout, "t", 5*time.Second, "")\n\tlog("%s %s", n, c.Timeout)\n'
    body = "\nfunc use(c Config) {\n\t"
    before = CONFIG + body + use + "}\n"
    assert of_itself("a.go", before, AS_DURATION + body + use + "}\n") == (
        AS_DURATION + body + new + "}\n"
    )


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.yaml",
            "- name: POLL_WAIT_SEC\n  value: '5'\n",
            "- name: POLL_WAIT_MS\n  value: '5000'\n",
        ),
        ("a.ts", "least(config, 'pollWaitSec', 1);\n", "least(config, 'pollWaitMs', 1000);\n"),
        (
            "a.py",
            'log("every %d s", config.pollWaitSec)\n',
            'log("every %d ms", config.pollWaitMs)\n',
        ),
        ("a.md", "| `pollWaitSec` | int | 30 |\n", "| `pollWaitMs` | int | 30000 |\n"),
        (
            "a.md",
            "| `pollWaitSec` | 30 |\n| b | 60_000 |\n",
            "| `pollWaitMs` | 30_000 |\n| b | 60_000 |\n",
        ),
    ],
)
def test_values_further_on(path: str, text: str, expected: str) -> None:
    assert after("config.ts", SCRIPT, IN_MILLIS, path, text) == expected
