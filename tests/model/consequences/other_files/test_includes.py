"""Headers of the standard library of C++ that a text needs since a change."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

SOURCE = """#include "cache.h"

#include <vector>

void f() {
}
"""
USED = SOURCE.replace("{\n", "{\n    std::lock_guard<std::mutex> lock(mutex_);\n")


@pytest.mark.parametrize(
    ("file", "is_lacking"),
    [("src/cache.h", False), ("src/other.h", True)],
)
def test_a_header_that_another_one_brings(file: str, is_lacking: bool) -> None:
    consequences = Consequences("", "src/cache.cpp")
    consequences.add_other_save(file, 1, "\n", "#include <mutex>\n\n")
    found = [one.hunk for one in consequences.propose([SOURCE], USED)]
    expected = USED.replace("#include <vector>", "#include <mutex>\n#include <vector>")
    assert [apply_hunks(USED, [one]) for one in found] == [expected] * is_lacking
