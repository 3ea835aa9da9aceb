"""Nothing that speaks HTTP or reports home comes with Editcast, beyond what is named here."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
# Clients of HTTP and of other protocols that carry data away, and what reports on its user.
SENDERS = re.compile(
    r"requests.*|httpx.*|httpcore.*|urllib3.*|aiohttp.*|pycurl|h11|h2|hyper.*|niquests|treq|twisted"
    r"|tornado|websockets?|websocket-client|wsproto|grpcio.*|paramiko|boto.*|botocore|s3fs|gcsfs"
    r"|google-(api|cloud|auth).*|azure-.*|huggingface-.*|hf-.*|wandb|mlflow.*|comet-ml|neptune.*"
    r"|opentelemetry.*|sentry.*|posthog|segment.*|analytics.*|amplitude.*|mixpanel|datadog.*|ddtrace"
    r"|newrelic|rollbar|bugsnag|raven|scarf.*|statsd|influxdb.*|pyroscope.*|applicationinsights"
)
#: What reports home all the same, and why it is silent here.
EXPLAINED = {
    "onnxruntime": "its telemetry is off: ORT_DISABLE_TELEMETRY is set before it is imported",
    "onnxruntime-gpu": "the same",
}
MODULES = (
    "requests httpx httpx2 httpcore httpcore2 urllib3 aiohttp huggingface_hub hf_xet tokenizers"
)


def locked(lock: str) -> set[str]:
    """The names of all that a lock file lists, on any platform."""
    return set(re.findall(r"^([\w.-]+)==", (ROOT / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", ["", "-gpu", "-train", "-train-gpu"])
def test_no_distribution_that_is_installed_sends(lock: str) -> None:
    names = locked(f"requirements{lock}.lock")
    runtimes = EXPLAINED if "-gpu" in lock else {"onnxruntime"}
    assert {"pygls", "sentencepiece", *runtimes} <= names
    assert {name for name in names if SENDERS.fullmatch(name)} == set()


def test_the_list_of_senders_knows_what_came_along_before() -> None:
    before = ("huggingface-hub", "hf-xet", "httpx2", "httpcore2", "h11", "requests", "urllib3")
    assert all(SENDERS.fullmatch(name) for name in before)


IMPORT_ALL = """
import importlib, pkgutil, sys
for package in sys.argv[1:]:
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, package + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
print(*sys.modules)
"""


def imported(*packages: str) -> set[str]:
    """The modules that a new process has after it has imported all of some packages."""
    command = [sys.executable, "-c", IMPORT_ALL, *packages]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


def test_no_module_of_editcast_imports_a_sender() -> None:
    modules = imported("editcast_model", "editcast_server", "editcast", "editcast_training")
    assert {
        "onnxruntime",
        "pygls",
        "sentencepiece",
        "torch",
        "editcast_training.pipeline",
    } <= modules
    assert modules & set(MODULES.split()) == set()


WITHOUT = """
import sys
from pathlib import Path
for name in {modules!r}.split():
    sys.modules[name] = None  # as if it were not installed
from editcast_model.bundle import Bundle, bundled_path
from editcast_model.errors import EditcastError
from editcast_model.tokenizer import Tokenizer
bundle = Bundle.open(bundled_path())
text = Path(sys.argv[1]).read_text()
assert bundle.tokenizer.decode(bundle.tokenizer.ids(text)) == text
try:
    Tokenizer.train(["text"], 300)
except EditcastError as error:
    print(error)
"""


def test_a_model_is_read_where_no_sender_is_installed() -> None:
    code = WITHOUT.format(modules=MODULES)
    ended = subprocess.run([sys.executable, "-c", code, __file__], capture_output=True, text=True)
    assert ended.stderr == ""
    assert ended.stdout == (
        "Learning a vocabulary needs one more library: pip install 'editcast[train,vocabulary]', "
        "or name a vocabulary with --tokenizer.\n"
    )


#: Modules of the standard library, and libraries, that open connections.
OPENERS = {"http", "socket", "ssl", "ftplib", "smtplib", "telnetlib", "xmlrpc", "ray", "fsspec"}
#: The files of the product that import one, and what for.
NETWORK_CODE = {
    "server/editcast_server/lsp/transport.py": "serve --tcp: the editor's connection",
    "server/editcast_predictor/protocol.py": "the shared predictor; not in the wheel",
    "training/editcast_training/cluster.py": "--ray: the cluster that the user names",
    "training/editcast_training/sources/storage.py": "storage that the user names, by fsspec",
}


def openers_of(path: Path) -> set[str]:
    """The modules of the list that a file imports, at its head or in a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `url2pathname` opens nothing.
            names |= (
                {node.module} if [one.name for one in node.names] != ["url2pathname"] else set()
            )
    return ({"urllib.request"} & names) | ({name.partition(".")[0] for name in names} & OPENERS)


def test_only_named_files_open_connections() -> None:
    files = [
        path
        for folder in ("model", "server", "training/editcast_training")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 100
    found = {path.relative_to(ROOT).as_posix() for path in files if openers_of(path)}
    assert found == set(NETWORK_CODE)


def test_the_shared_predictor_is_a_distribution_of_its_own(tmp_path: Path) -> None:
    names: list[list[str]] = []
    for source in (ROOT, ROOT / "server" / "editcast_predictor"):
        out = tmp_path / str(len(names))
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
        subprocess.run(command, cwd=source, check=True, capture_output=True)
        [wheel] = out.glob("*.whl")
        with ZipFile(wheel) as archive:
            names.append([one for one in archive.namelist() if one.endswith(".py")])
    assert not any("predictor" in one for one in names[0]) and len(names[0]) > 100
    modules = {"__init__.py", "__main__.py", "network.py", "protocol.py"}
    assert {f"editcast_predictor/{one}" for one in modules} == set(names[1])
