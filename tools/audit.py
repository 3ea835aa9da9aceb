"""Audits what is locked, in Python and in npm, for known vulnerabilities; part of `make check`.

An advisory service that cannot be reached is reported in one line and is no failure.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-train-gpu.lock"  # the other lists have no package that it lacks


def main() -> int:
    """Print the vulnerabilities of both sides; return 1 if there is one."""
    found = [*python_vulnerabilities(), *npm_vulnerabilities()]
    for line in found:
        print(f"audit: {line}")
    return 1 if found else 0


def python_vulnerabilities() -> list[str]:
    """List the known vulnerabilities of the locked distributions, a line each."""
    options = ("--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json")
    command = [sys.executable, "-m", "pip_audit", *options, "--requirement", str(LOCK)]
    ended = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(ended.stdout)
    except json.JSONDecodeError:
        last = ended.stderr.strip().splitlines()[-1:] or ["no output"]
        if "connect" not in ended.stderr.lower():
            return [f"pip-audit failed: {last[0]}"]
        print(f"audit: Python packages were not audited: no advisories can be reached ({last[0]}).")
        return []
    if all("skip_reason" in one for one in report["dependencies"]):  # a mirror without advisories
        print("audit: Python packages were not audited: the package index has no advisories.")
        return []
    return in_pip_audit(report)


def in_pip_audit(report: dict[str, Any]) -> list[str]:
    """List the vulnerabilities of a report, and the distributions that pip-audit passed over."""
    lines = []
    for one in report["dependencies"]:
        if "skip_reason" in one:
            lines.append(one["skip_reason"])
        for vulnerability in one.get("vulns", []):
            fixed = ", ".join(vulnerability["fix_versions"]) or "no version"
            lines.append(f"{one['name']} {one['version']}: {vulnerability['id']}, fixed in {fixed}")
    return lines


def npm_vulnerabilities() -> list[str]:
    """List the known vulnerabilities of the extension's packages and tools, a line each."""
    ended = subprocess.run(
        ["npm", "audit", "--json"], cwd=ROOT / "vscode-client", capture_output=True, text=True
    )
    try:
        report = json.loads(ended.stdout)
    except json.JSONDecodeError:
        return [f"npm audit failed: {ended.stderr.strip()}"]
    if "auditReportVersion" not in report:
        reason = report.get("message") or report.get("error")
        print(f"audit: npm packages were not audited: npm's advisories are not there ({reason}).")
        return []
    lines = []
    for name, one in report["vulnerabilities"].items():
        # What a package has of another is that one's name; the other is listed itself.
        causes = (via if isinstance(via, str) else via["title"] for via in one["via"])
        lines.append(f"{name} {one['range']}: {one['severity']}, {', '.join(causes)}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
