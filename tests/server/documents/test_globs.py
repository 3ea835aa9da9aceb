from pathlib import Path

import pytest

from editcast_server.documents.globs import matches_any


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.min.js", "/src/a/b.min.js", True),
        ("*.min.js", "/src/a/b.js", False),
        ("build/**", "/src/build/x/y.py", True),
        ("build/**", "/src/rebuild/x.py", False),
        ("vendor/", "/src/vendor/deep/x.c", True),
        ("vendor/", "/src/vendors/x.c", False),
        ("**/gen/*.{c,h}", "/src/gen/x.h", True),
        ("**/gen/*.{c,h}", "/src/gen/x.cc", False),
        ("/src/*.py", "/src/x.py", True),
        ("/src/*.py", "/home/src/x.py", False),
        ("/src/*.py", "/src/sub/x.py", False),
        ("x[0-9].py", "/x7.py", True),
        ("x[!0-9].py", "/x7.py", False),
        ("x?.py", "/x/.py", False),
        ("a.b", "/aXb", False),
        ("{unclosed", "/unclosed", True),
        ("[unclosed", "/[unclosed", True),
        ("a,b}", "/a,b}", True),
        ("[]^]x", "/]x", True),
        ("[]^]x", "/ax", False),
        ("[]", "/[]", True),
        ("[z-a]", "/[z-a]", True),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert matches_any(Path(path), ("nothing", glob)) is expected
