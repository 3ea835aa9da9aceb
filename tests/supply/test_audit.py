"""The audit of known vulnerabilities: a finding fails, a service out of reach does not."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[2]
ADVISORY = {
    "id": 1,
    "url": "https://example.org/advisory",
    "title": "A made-up one",
    "severity": "moderate",
    "vulnerable_versions": "<99999",
}


class Registry(BaseHTTPRequestHandler):
    """A registry that knows something against one package, and nothing else."""

    def do_POST(self) -> None:  # noqa: N802
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"vscode-jsonrpc": [ADVISORY]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:  # noqa: N802
        """No package: npm asks which versions there are, and goes by the advisory without."""
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def audit(registry: str) -> subprocess.CompletedProcess[str]:
    """Audit where PyPI is behind a port that nothing listens on."""
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {"HTTPS_PROXY": "http://127.0.0.1:9", "npm_config_registry": registry}
    environment |= {"NPM_CONFIG_FETCH_RETRIES": "0", "NO_PROXY": "127.0.0.1"}
    return subprocess.run(
        [sys.executable, "tools/audit.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_services_out_of_reach_are_said_in_a_line_each() -> None:
    ended = audit("http://127.0.0.1:9/")
    assert (ended.returncode, ended.stderr) == (0, "")
    python, npm = ended.stdout.splitlines()
    assert python.startswith("audit: Python packages were not audited: ")
    assert npm.startswith("audit: npm packages were not audited: npm's")


def test_what_the_registry_knows_against_a_package_fails(registry: str) -> None:
    ended = audit(registry)
    assert ended.returncode == 1
    [line] = [one for one in ended.stdout.splitlines() if one.startswith("audit: vscode-jsonrpc")]
    assert line.endswith("moderate, A made-up one")


def test_what_pip_audit_finds_or_passes_over_is_a_line_each() -> None:
    report = {
        "dependencies": [
            {"name": "good", "version": "1.0", "vulns": []},
            {"name": "bad", "version": "1.0", "vulns": [{"id": "X-1", "fix_versions": ["1.1"]}]},
            {"name": "worse", "version": "1.0", "vulns": [{"id": "X-2", "fix_versions": []}]},
            {"name": "unknown", "skip_reason": "unknown is not on PyPI"},
        ]
    }
    code = (
        "import json, sys; sys.path.insert(0, 'tools'); import audit; "
        "print(*audit.in_pip_audit(json.loads(sys.argv[1])), sep='\\n')"
    )
    command = [sys.executable, "-c", code, json.dumps(report)]
    printed = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    assert printed == [
        "bad 1.0: X-1, fixed in 1.1",
        "worse 1.0: X-2, fixed in no version",
        "unknown is not on PyPI",
    ]
