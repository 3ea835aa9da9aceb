"""Coverage-guided fuzzing (atheris, libFuzzer) of the tokenizer, the diff and message reading.

The targets share their seconds; what the fuzzer finds interesting is kept from run to run where a
folder for it is named.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from attacks.figures import Figures, Finding, Limit

TARGETS = ("tokenizer", "differences", "messages")
_SLOWEST = 60  # seconds for one input
_OPENED = b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":'
_SEEDS = {
    "tokenizer": [b"def f(x):\r\n\treturn x + 1\n", "é🎉\u2028".encode()],
    "differences": [b"a = 1\nb = 2\n\xffa = 1\nc = 3\nb = 2\n", b"f(a, b)\xfff(a, c, b)"],
    "messages": [
        b"\0" + _OPENED + b'"file:///a.py","languageId":"python","version":1,"text":"x"}}}',
        b'\0{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}',
        b"\xffContent-Length: 2\r\n\r\n{}content-length: 2\r\n\r\n[]",
    ],
}


def attack(limit: Limit, seed: int, *, kept: Path | None = None) -> Figures:
    """Fuzz each target for its share of the seconds; without atheris nothing is done, and said.

    Args:
        limit: The seconds.
        seed: libFuzzer's.
        kept: Where corpora and inputs that did harm are kept.
    """
    figures = Figures()
    if importlib.util.find_spec("atheris") is None:
        figures.note("atheris is not installed (pip install 'editcast[soak]'): nothing was fuzzed.")
        return figures
    seconds = (limit.seconds or 3.0 * len(TARGETS)) / len(TARGETS)
    with tempfile.TemporaryDirectory() as folder:
        for number, target in enumerate(TARGETS):
            place = (kept or Path(folder)) / f"fuzz-{target}"
            _fuzz(target, place, max(1, int(seconds)), seed, number, figures)
    return figures


def _fuzz(target: str, place: Path, seconds: int, seed: int, number: int, figures: Figures) -> None:
    corpus, harmful = place / "corpus", place / "harmful"
    for folder in (corpus, harmful):
        folder.mkdir(parents=True, exist_ok=True)
    for index, data in enumerate(_SEEDS[target]):
        (corpus / f"seed-{index}").write_bytes(data)
    before = set(harmful.iterdir())
    options = {
        **{"max_total_time": seconds, "seed": seed % 2**31 + 1, "timeout": _SLOWEST},
        **{"artifact_prefix": f"{harmful}/", "max_len": 4096, "rss_limit_mb": 4096},
    }
    command = [sys.executable, str(Path(__file__).with_name("fuzz_target.py")), target]
    command += [*(f"-{name}={value}" for name, value in options.items()), str(corpus)]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=place)
    said = ended.stdout + ended.stderr
    executions = [int(one) for one in re.findall(r"^#(\d+)\s", said, re.MULTILINE)]
    covered = [int(one) for one in re.findall(r" cov: (\d+)", said)]
    figures.tried[f"fuzz executions, {target}"] += max(executions, default=0)
    figures.measured[f"fuzz coverage, {target}"] = max(covered, default=0)
    found = sorted(set(harmful.iterdir()) - before)
    if ended.returncode or found:
        inputs = [[path.name, repr(path.read_bytes())] for path in found]
        figures.findings.append(Finding(f"fuzz {target}: {said[-3000:]}", seed, number, inputs))
