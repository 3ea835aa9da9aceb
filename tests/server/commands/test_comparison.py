"""The page that sets a new model beside the one before."""

import shutil
from pathlib import Path
from typing import Any

from editcast.comparison import compared
from editcast_model.bundle import Bundle, bundled_path, write_card


def bundle_with(folder: Path, comparison: dict[str, Any] | None) -> Bundle:
    """The bundled model as if it had been trained on from another one."""
    shutil.copytree(bundled_path(), folder / "made")
    card = dict(Bundle.open(folder / "made").card.written) | {"name": "yours", "base": "before"}
    card["calibration"] = card["calibration"] | {"threshold": 0.5, "low": 0.8, "high": 0.3}
    write_card(folder / "made", card | ({"comparison": comparison} if comparison else {}))
    return Bundle.open(folder / "made")


def test_one_table_and_one_sentence(tmp_path: Path) -> None:
    before = [[0.9, True], [0.6, False], None, [0.4, True]] * 50
    after = [[0.9, True], [0.6, True], [0.55, True], [0.2, True]] * 50
    bundle = bundle_with(tmp_path, {"before": before, "after": after})
    found = compared(bundle)
    assert found is not None
    sentence, page = found
    lines = page.splitlines()
    assert lines[0] == "# yours compared with before"
    assert [line for line in lines if line.startswith("|")][2:] == [
        "| low | 25 % | 25 % | 100 % | 100 % |",
        "| medium | 50 % | 75 % | 50 % | 100 % |",
        "| high | 75 % | 75 % | 67 % | 100 % |",
    ]
    said = "After 200 saves you would have seen 150 suggestions instead of 100, and 150 right ones"
    assert lines[-1] == sentence == f"{said} instead of 50."


def test_few_saves_are_said_to_be_few_and_no_comparison_is_no_page(tmp_path: Path) -> None:
    bundle = bundle_with(tmp_path, {"before": [None, None], "after": [None, [0.9, False]]})
    found = compared(bundle)
    assert found is not None
    sentence, page = found
    assert sentence.endswith("instead of 0. With so few saves this may be chance.")
    assert "| medium | 0 % | 50 % | - | 0 % |" in page
    (tmp_path / "without").mkdir()
    without = bundle_with(tmp_path / "without", None)
    assert compared(without) is None
