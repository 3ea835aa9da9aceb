"""Random changes sent to a real server; what it saved is read back from its store.

A round is one server and the documents in it. What the server knows of a document shows only in
what it stores when the document is saved without its text.
"""

import random
import tempfile
from contextlib import closing
from pathlib import Path

from attacks.changes import ENCODINGS, Case, ModelText, draw_changes, draw_text
from attacks.editor import Editor, HungError
from attacks.figures import Figures, Finding, Limit
from editcast_store.saves import Store

DOCUMENTS = 40
CHANGES_A_DOCUMENT = 30


def attack(limit: Limit, seed: int) -> Figures:
    """Change and save documents in real servers, and look into their stores."""
    figures = Figures()
    for number, draw in limit.each(figures, seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                _try_server(Path(folder), draw, figures, seed, number)
            except HungError as error:
                figures.findings.append(Finding(str(error), seed, number))
    return figures


def _try_server(home: Path, draw: random.Random, figures: Figures, seed: int, number: int) -> None:
    encoding = draw.choice(ENCODINGS)
    saved: dict[Path, tuple[Case, str]] = {}
    figures.tried["servers"] += 1
    with Editor(home, encoding=encoding) as editor:
        for index in range(DOCUMENTS):
            path = home / "project" / f"document-{index}.txt"
            case = Case(encoding, draw_text(draw, 40))
            model = ModelText.of(case.text, encoding)
            if draw.random() < 0.05:
                editor.change(path, 1, [{"text": "too early"}])
            editor.open(path, case.text)
            if draw.random() < 0.05:
                editor.open(path, case.text)
            for _ in range(draw.randint(1, CHANGES_A_DOCUMENT)):
                version = model.version + (1 if draw.random() > 0.003 else -1)
                changes = draw_changes(draw, model, figures.tried)
                case.steps.append((version, changes))
                model.change(version, changes)
                editor.change(path, version, changes)
            text = model.text
            if text is None and draw.random() < 0.5:  # a save with its text ends not knowing it
                text = draw_text(draw, 20)
                editor.save(path, text)
            else:
                editor.save(path)
            if text is not None:
                saved[path] = case, text
            editor.close(path)
            figures.tried["documents"] += 1
        code = editor.shutdown()
    if code or editor.stderr or "Traceback" in editor.logs:
        what = f"exit code {code}; stderr and log: {editor.stderr}{editor.logs}"
        figures.findings.append(Finding(what, seed, number))
    with closing(Store.open(home / "history.sqlite3")) as store:
        for path, (case, text) in saved.items():
            kept = [snapshot.text for snapshot in store.snapshots(path)]
            if not kept or kept[-1] != text:
                figures.tried["differences"] += 1
                what = f"the store has {kept[-1:]}, the editor {text!r}"
                figures.findings.append(Finding(what, seed, number, case.to_json()))
