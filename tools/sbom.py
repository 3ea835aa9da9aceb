"""Parts of the wheel and of the extension, as CycloneDX files, made by `make vsix`.

One file lists the Python distributions that the extension installs, with their hashes; the other
the npm packages that are bundled into it. The same sources give the same bytes.
"""

import json
import os
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "vscode-client"


def main(folder: Path) -> None:
    """Write both files into a folder, under the name and version of the extension."""
    version = json.loads((EXTENSION / "package.json").read_text())["version"]
    for side, document in (("python", of_python()), ("npm", of_npm())):
        path = folder / f"editcast-{version}-{side}.cdx.json"
        path.write_text(json.dumps(document, indent=2) + "\n")
        print(f"{path.name}: {len(document['components'])} components")


def of_python() -> dict[str, Any]:
    """Return the locked distributions of the server, with either build of ONNX Runtime."""
    options = ("--output-reproducible", "--pyproject", "pyproject.toml", "--output-format", "JSON")
    # Its one warning: a list of requirements does not say which of them needs which.
    python = (sys.executable, "-W", "ignore::UserWarning", "-m", "cyclonedx_py")
    return _made_by([*python, "requirements", *options, "requirements-gpu.lock"])


def of_npm() -> dict[str, Any]:
    """Return the bundled npm packages; npm's moment and number give way to the sources'."""
    options = ("--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only")
    document = _made_by(["npm", "sbom", *options], EXTENSION)
    document["metadata"]["component"]["name"] = "editcast"  # npm takes the folder's name
    document["serialNumber"] = ""
    document["metadata"]["timestamp"] = _committed().isoformat()
    content = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))
    document["serialNumber"] = content.urn
    return document


def _made_by(command: list[str], folder: Path = ROOT) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _committed() -> datetime:
    return datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
