"""The limits that keep the product in folders, files and functions that one person can read."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = (
    "model/editcast_model",
    "model/editcast_store",
    "server/editcast",
    "server/editcast_predictor",
    "server/editcast_server",
    "training/editcast_training",
)
# Those whose folders mirror the product's.
TESTS = ("tests/model", "tests/server", "tests/training")
FILES = [path for folder in PRODUCT for path in sorted((ROOT / folder).rglob("*.py"))]
MOST_FILES, MOST_LINES, MOST_LINES_OF_A_FUNCTION = 13, 400, 60


def test_folders_are_small() -> None:
    papers = (ROOT / "training/editcast_papers").rglob("*.py")
    files = (path for path in (*FILES, *papers) if path.name != "__init__.py")
    counts = Counter(path.parent for path in files)
    assert len(counts) > len(PRODUCT)
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_folders_of_tests_are_small() -> None:
    counts = Counter(path.parent for folder in TESTS for path in (ROOT / folder).rglob("*.py"))
    assert {ROOT / folder for folder in TESTS} < set(counts)
    assert {place: count for place, count in counts.items() if count > MOST_FILES} == {}


def test_files_are_short() -> None:
    counts = {path: len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in counts.items() if count > MOST_LINES} == {}


def test_functions_are_short() -> None:
    long = [
        (path, node.name)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []
