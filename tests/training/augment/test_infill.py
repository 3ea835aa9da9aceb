from random import Random

from hypothesis import given
from hypothesis import strategies as st

from editcast_model.tokenizer import lines
from editcast_training.augment.infill import without_pieces
from editcast_training.data.line_changes import line_changes

_CODE = """\
export function area(shape, unit = 1, round) {
    const { width, height } = shape
    if (width > 0) {
        return multiply(width, height, unit)
    }

    return 0
}
"""


@given(st.text("ab ,()\n\t", max_size=60), st.integers(0, 99))
def test_only_something_is_missing(text: str, seed: int) -> None:
    before = without_pieces(text, Random(seed))
    remaining = iter(text)
    assert all(letter in remaining for letter in before)  # a subsequence
    assert (before == text) == (not text.strip())


def test_lines_blocks_and_arguments_are_taken_out() -> None:
    made = {without_pieces(_CODE, Random(seed)) for seed in range(300)}
    assert any("multiply(width, height)" in text for text in made)
    assert any("shape, unit = 1)" in text for text in made)
    assert any("width > 0" not in text and "multiply" not in text for text in made)
    assert any("return 0" not in text and "multiply" in text for text in made)
    assert all(len(line_changes(text, _CODE)) <= 4 for text in made)
    assert all(len(lines(text)) <= len(lines(_CODE)) for text in made)


def test_the_seed_decides() -> None:
    assert without_pieces(_CODE, Random(3)) == without_pieces(_CODE, Random(3))
