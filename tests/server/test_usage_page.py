"""The report page: whole, safe, readable, and friendly when there is nothing to report."""

import json
import os
import re
import shutil
import stat
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from command_line import editcast
from editcast_model.bundle import bundled_path, write_card, write_config
from editcast_model.errors import ReportError
from editcast_server.usage import usage_page, write_page
from editcast_store.saves import Store, What


class Page(HTMLParser):
    """A page taken apart; fails where an element is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self.text += "" if tag in ("strong", "code") else " "

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def fill(home: Path, *, language: str = "python", model: str = "m") -> Path:
    """A store with five suggestions: two accepted, one of these kept, one rejected."""
    path = home / "history.sqlite3"
    lives: list[list[What]] = [
        ["shown", "accepted", "kept"],
        ["shown", "accepted", "changed"],
        ["shown", "rejected"],
        ["shown"],
        ["shown"],
    ]
    now = int(time.time() * 1000)
    with Store.open(path) as store:
        store.record("/a.py", "x = 1\n", now, "python")
        for number, life in enumerate(lives):
            for what in life:
                store.record_outcome(
                    str(number),
                    what,
                    path="/a.py",
                    confidence=0.25 if number else 0.85,
                    time_ms=now,
                    model=model,
                    language=language,
                )
    return path


def test_all_of_it(tmp_path: Path) -> None:
    store = fill(tmp_path)
    page = Page(usage_page(store, "the-model", bundled_path(), [30.0, 10.0, 20.0]))
    for said in (
        "in use: the-model",
        "5 shown 2 accepted of 5 (40 %) 1 dismissed of 5 (20 %) 2 ignored of 5 (40 %)",
        "1 kept after 60 s of 2 (50 %)",
        "20 to 30 % 25.0 % 4 2 1 of 2 (50 %) 1 of 4 (25 %)",
        "80 to 90 % 85.0 % 1 1 1 of 1 (100 %) 1 of 1 (100 %)",
        "python 5 2 1 2 2 of 5 (40 %) 1 of 2 (50 %)",
        "3 predictions since the server started: p50 20.0 ms, p95 30.0 ms.",
        f"folder {tmp_path} history of saves history.sqlite3,",
        "1 save of 1 file",
        "All of this data stays on this machine",
    ):
        assert said in page.words, said
    card = json.loads((bundled_path() / "card.json").read_text("utf-8"))
    commits = card["suggestions"]["project-commits"]
    assert f"{100 * commits['clean_of_shown']:.1f} %" in page.text
    assert f"{card['network']['parameters']:,}" in page.text
    assert card["licence"] in page.words


def test_a_score_of_a_baseline_is_no_confidence(tmp_path: Path) -> None:
    words = Page(usage_page(fill(tmp_path, model="repeat-best"), "repeat-best", None, [])).words
    assert "repeat-best 5 2 1 2 2 of 5 (40 %)" in words
    assert "20 to 30 %" not in words


def test_nothing_is_run_and_nothing_is_fetched(tmp_path: Path) -> None:
    html = usage_page(fill(tmp_path), "m", bundled_path(), [1.0])
    page = Page(html)
    policy = next(one for one in page.all("meta") if "http-equiv" in one)
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert (policy["content"] or "").startswith("default-src 'none'; style-src 'unsafe-inline';")
    names = {name for name, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    for _, attributes in page.elements:
        assert not {"href", "src", "srcset", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in html and "@import" not in html and "http:" not in html


def test_tables_say_what_they_are(tmp_path: Path) -> None:
    page = Page(usage_page(fill(tmp_path), "m", bundled_path(), []))
    assert len(page.all("table")) == len(page.all("caption")) >= 6
    assert {one.get("scope") for one in page.all("th")} == {"row", "col"}
    ids = {one["id"] for _, one in page.elements if "id" in one}
    assert page.all("svg")
    for picture in page.all("svg"):
        assert picture["role"] == "img" and picture["aria-labelledby"] in ids
    assert page.all("html")[0]["lang"] == "en"


def test_every_colour_of_an_editor_has_a_fallback(tmp_path: Path) -> None:
    html = usage_page(fill(tmp_path), "m", None, [])
    taken = re.findall(r"var\(--vscode-[A-Za-z-]+(.)", html)
    assert len(taken) > 8 and set(taken) == {","}
    own = set(re.findall(r"var\((--(?!vscode)[a-z0-9]+)\)", html))
    assert own and all(f"{name}:" in html for name in own)
    assert not re.findall(r"(?:fill|stroke|style)=\"#", html)


def test_names_do_no_harm(tmp_path: Path) -> None:
    home = tmp_path / "<b>&\"'home"
    home.mkdir()
    bundle = home / "<i>bundle"
    shutil.copytree(bundled_path(), bundle)
    card = json.loads((bundle / "card.json").read_text("utf-8"))
    evil = "<script>alert(1)</script>"
    write_card(bundle, card | {"base": evil, "trained_on": {"what": evil}, "tokens": {evil: {}}})
    html = usage_page(fill(home, language=evil, model=evil), evil + "\ud800", bundle, [])
    assert "<script" not in html and "<b>" not in html and "<i>" not in html
    page = Page(html)
    assert page.text.count(evil) >= 5
    assert str(home) in page.text and str(bundle) in page.text
    html.encode("utf-8")


def test_a_card_that_says_little_or_nonsense(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(bundled_path(), bundle)
    write_card(bundle, {})
    assert str(bundle) in Page(usage_page(tmp_path / "none", "", bundle, [])).text
    (bundle / "card.json").write_text('{"suggestions": {"saves": 1}}', encoding="utf-8")
    config = json.loads((bundle / "config.json").read_text("utf-8"))
    write_config(bundle, config["network"])
    page = Page(usage_page(tmp_path / "none", "", bundle, []))
    assert "suggestions['saves'] must be an object" in page.text


def test_a_damaged_model_and_none_at_all(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(bundled_path(), bundle)
    (bundle / "weights.safetensors").write_bytes(b"x")
    assert "is damaged" in Page(usage_page(tmp_path / "none", "m", bundle, [])).text
    assert "No network is in use" in Page(usage_page(tmp_path / "none", "m", None, [])).words
    assert "still being loaded" in Page(usage_page(tmp_path / "none", "", None, [])).words


def test_before_anything_was_shown(tmp_path: Path) -> None:
    store = tmp_path / "history.sqlite3"
    page = Page(usage_page(store, "m", None, []))
    assert "change something and save it" in page.words and "none yet" in page.words
    assert not store.exists()
    with Store.open(store) as opened:
        opened.record("/a.py", "x = 1\n", 1_700_000_000_000, "python")
    page = Page(usage_page(store, "m", None, []))
    assert "Editcast has recorded 1 save of 1 file" in page.words
    assert "0 of 0" not in page.text and "predictions since" not in page.words


def test_only_ignored_ones(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    with Store.open(path) as store:
        store.record_outcome(
            "1",
            "shown",
            path="/a.py",
            confidence=1.0,
            time_ms=0,
            model="",
            language="",
        )
    page = Page(usage_page(path, "m", None, []))
    assert "1 ignored of 1 (100 %)" in page.words
    assert "0 kept after 60 s of 0 (not known yet)" in page.words
    assert "90 to 100 % 100.0 % 1 0 – 0 of 1 (0 %)" in page.words


def test_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    path.mkdir()
    page = Page(usage_page(path, "m", None, []))
    assert "The history of saves" in page.words and "cannot be used" in page.words


def test_the_file_is_the_owners_alone_and_never_half_written(tmp_path: Path) -> None:
    out = tmp_path / "usage.html"
    out.write_text("old")
    out.chmod(0o644)
    write_page("new", out)
    assert out.read_text() == "new"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600 or os.name != "posix"
    with pytest.raises(UnicodeEncodeError):
        write_page("half \ud800", out)
    assert out.read_text() == "new" and list(tmp_path.iterdir()) == [out]
    with pytest.raises(ReportError, match="name another file"):
        write_page("new", tmp_path / "nowhere" / "usage.html")


def test_the_command(tmp_path: Path) -> None:
    fill(tmp_path)
    ended = editcast("report", home=tmp_path, folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    written = tmp_path / "reports" / "usage.html"
    assert ended.stdout == f"{written}\n"
    page = Page(written.read_text("utf-8"))
    name = json.loads((bundled_path() / "card.json").read_text("utf-8"))["name"]
    assert f"in use: {name}" in page.words and "2 accepted of 5 (40 %)" in page.words
    assert stat.S_IMODE(written.stat().st_mode) == 0o600 or os.name != "posix"
    ended = editcast("report", "--out", "mine.html", home=tmp_path, folder=tmp_path)
    assert ended.stdout == "mine.html\n" and (tmp_path / "mine.html").exists()
    ended = editcast("report", "--out", "nowhere/mine.html", home=tmp_path, folder=tmp_path)
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert "name another file with --out" in ended.stderr
