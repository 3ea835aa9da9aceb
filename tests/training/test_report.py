"""The page and its pictures: self-contained, every number in it, nothing interpreted as HTML."""

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from editcast_model.errors import SourceError
from editcast_training.evaluation.metrics import Score
from editcast_training.evaluation.report import write_report
from editcast_training.evaluation.results import Evaluation, Row, hardware
from editcast_training.fit.loss import TokenScores

PNG = b"\x89PNG\r\n\x1a\n"


def rows(kind: str, clean: int, shown: int, steps: int) -> list[Row]:
    made = []
    for step in range(steps):
        right = step < clean
        score = Score(2, right, right, right, 1.0 if right else -1.0) if step < shown else None
        sure = 1.0 - step / steps if score else None
        made.append(
            Row("pro<ject>", "a.py", "python", kind, 0, step, 1.5, sure, sure and -step / 9, score)
        )
    return made


def evaluation(name: str, *parts: list[Row], tokens: bool = False) -> Evaluation:
    accuracy = TokenScores(edits=1234, position=617, jumps=10, jumps_both=3).shares()
    return Evaluation(
        name,
        tuple(row for part in parts for row in part),
        source="five projects & more",
        command="editcast evaluate --model <m>",
        hardware=hardware("cpu"),
        tokens=accuracy if tokens else {},
    )


class Page(HTMLParser):
    """The words, tables and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append(" ".join(data.split()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "new"
    model = evaluation("model", rows("commits", 30, 40, 50), rows("saves", 5, 20, 30), tokens=True)
    baseline = evaluation("repeat-last", rows("commits", 10, 25, 50))
    assert write_report([model, baseline], folder) == folder / "report.html"
    return folder


def test_the_page_is_well_formed_and_holds_everything_itself(folder: Path) -> None:
    page = Page((folder / "report.html").read_text("utf-8"))
    assert page.open == []
    assert len(page.links) == 4
    for link in page.links:
        kind, _, data = link.partition(",")
        assert kind == "data:image/png;base64" and b64decode(data).startswith(PNG)


def test_the_pictures_are_files_as_well(folder: Path) -> None:
    pictures = {path.name: path.read_bytes() for path in folder.glob("*.png")}
    assert set(pictures) == {
        "commits-curve.png",
        "commits-calibration.png",
        "saves-curve.png",
        "saves-calibration.png",
    }
    assert all(data.startswith(PNG) for data in pictures.values())
    assert len(set(pictures.values())) == 4


def test_the_tables_have_the_numbers(folder: Path) -> None:
    words = Page((folder / "report.html").read_text("utf-8")).words
    first = words.index("Commits, replayed hunk by hunk")
    line = words.index("model", first)
    # sessions, steps, shown, clean of shown, clean, exact, located, gain, coverage at 70/80/90
    assert words[line : line + 12] == [
        "model", "1", "50", "80.0", "75.0", "60.0", "60.0", "60.0", "+0.50", "80.0", "74.0", "66.0",
    ]  # fmt: skip
    equal = words.index("At equal coverage")
    line = words.index("model", words.index("(50.0 % shown)", equal))
    assert words[line : line + 3] == ["model", "75.0", "100.0"]
    assert words[line + 3 : line + 6] == ["repeat-last", "–", "40.0"]
    assert "1234" in words and "30.0" in words


def test_names_and_commands_are_text(folder: Path) -> None:
    words = Page((folder / "report.html").read_text("utf-8")).words
    assert "pro<ject>" in words and "editcast evaluate --model <m>" in words
    assert any("five projects & more" in word for word in words)


def test_one_evaluation_without_any_suggestion_is_a_report_too(tmp_path: Path) -> None:
    page = write_report([evaluation("silent", rows("saves", 0, 0, 5))], tmp_path)
    words = Page(page.read_text("utf-8")).words
    assert "At equal coverage" not in words and "Token by token, teacher-forced" not in words


def test_nothing_to_report_and_equal_names_are_refused(tmp_path: Path) -> None:
    one = evaluation("same", rows("saves", 1, 2, 5))
    with pytest.raises(SourceError, match="nothing to report"):
        write_report([], tmp_path)
    with pytest.raises(SourceError, match="nothing to report"):
        write_report([one, evaluation("empty")], tmp_path)
    with pytest.raises(SourceError, match="same name"):
        write_report([one, one], tmp_path)
