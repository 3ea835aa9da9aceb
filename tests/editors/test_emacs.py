"""Emacs 28 and 30 with eglot, in batch mode, on the configuration that docs/editors.md names."""

from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
USER = ("-l", str(HERE / "eglot-user.el"))
DRAWN = ["eglot.el", "emacs/editcast.el"]


def play(session: Any, emacs: list[str], way: str = "", **options: Any) -> Any:
    """Open the file, make and save two edits, take the third or turn it down, save."""
    options = {"configuration": DRAWN if way else DRAWN[:1], "way": way} | options
    return session.run(*emacs, *USER, "-l", str(HERE / "eglot-session.el"), **options)


def test_the_next_edit_is_taken(session: Any, emacs: list[str]) -> None:
    done = play(session, emacs)
    assert done.returncode == 0, done.stdout
    assert session.file.read_text() == session.taken, done.stdout
    session.wait_for_outcome("accepted")


def test_what_is_drawn_is_jumped_to_and_taken(session: Any, emacs: list[str]) -> None:
    done = play(session, emacs, "TAB")
    assert done.returncode == 0, done.stdout
    said = done.stdout
    assert '"line 10: draw"' in said and '"line 6:    TAB: line 10"' in said, said
    assert 'now on line 10, ("line 10: draw")' in said
    assert session.file.read_text() == session.taken, said
    session.wait_for_outcome("shown")
    session.wait_for_outcome("accepted")


def test_what_is_drawn_is_turned_down(session: Any, emacs: list[str]) -> None:
    done = play(session, emacs, "C-g")
    assert done.returncode == 0, done.stdout
    assert "C-g is editcast-turn-down" in done.stdout
    assert "left: nil" in done.stdout
    assert session.file.read_text() == session.edited, done.stdout
    session.wait_for_outcome("rejected")


def test_tab_goes_on_in_the_next_file(session: Any, emacs: list[str]) -> None:
    folder, bill = session.file.parent, "from prices import tax\n\nTOTAL = 1 + tax(1)\n"
    (folder / "prices.py").write_text("def tax(amount):\n    return amount * 0.2\n")
    (folder / "bill.py").write_text(bill)
    script = ("-l", str(HERE / "eglot-files.el"))
    done = session.run(*emacs, *USER, *script, configuration=DRAWN, settings={})
    assert done.returncode == 0, done.stdout
    assert "ended in bill.py" in done.stdout
    assert (folder / "bill.py").read_text() == bill.replace("tax", "sales_tax")


def test_nothing_comes_without_the_server(session: Any, emacs: list[str]) -> None:
    done = play(session, emacs, with_server=False)
    assert done.returncode == 1, done.stdout
    # The eglot of Emacs 30 gives up before the edits, an older one after them.
    ended = {"the code action": session.edited, "the server": session.text}
    found = [text for what, text in ended.items() if f"never came: {what}" in done.stdout]
    assert found == [session.file.read_text()], done.stdout


def test_the_package_compiles_without_a_warning(
    session: Any, emacs: list[str], tmp_path: Path
) -> None:
    source = Path(__file__).parents[2] / "docs" / "editors" / "emacs" / "editcast.el"
    (tmp_path / source.name).write_text(source.read_text())
    # Emacs writes the arguments of a method into its documentation, and complains of the width.
    fails = ("--eval", "(setq byte-compile-error-on-warn t byte-compile-docstring-max-column 200)")
    done = session.run(
        *emacs,
        *fails,
        *("-f", "batch-byte-compile", str(tmp_path / source.name)),
        configuration=[],
    )
    assert done.returncode == 0, done.stdout
