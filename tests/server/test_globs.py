from pathlib import Path

import pytest

from editcast_server.globs import matches_any


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.min.js", "/work/a/b.min.js", True),
        ("*.min.js", "/work/a/b.js", False),
        ("build/**", "/work/build/x/y.py", True),
        ("build/**", "/work/rebuild/x.py", False),
        ("vendor/", "/work/vendor/deep/x.c", True),
        ("vendor/", "/work/vendors/x.c", False),
        ("**/gen/*.{c,h}", "/work/gen/x.h", True),
        ("**/gen/*.{c,h}", "/work/gen/x.cc", False),
        ("/work/*.py", "/work/x.py", True),
        ("/work/*.py", "/home/work/x.py", False),
        ("/work/*.py", "/work/sub/x.py", False),
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
    assert matches_any(Path(path), ["nothing", glob]) is expected
