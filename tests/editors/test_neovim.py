"""Neovim, headless, on the configurations that docs/editors.md quotes."""

from pathlib import Path
from typing import Any

import pytest

# By how the edit is taken: what is needed for that.
PLUGIN = ["nvim/plugin/editcast.lua", "nvim/plugin/editcast-drawing.lua"]
FILES = {"code action": PLUGIN[:1], "Tab": PLUGIN, "Esc": PLUGIN}
SCRIPT = Path(__file__).parent / "neovim.lua"


def play(session: Any, nvim: str, way: str, files: Any = None, **options: Any) -> Any:
    """Open the file, make and save two edits, take the third or turn it down, save."""
    quiet = ("--headless", "-n", "-u", "NONE", "-i", "NONE")
    script = ("-c", f"luafile {SCRIPT}", "-c", "cquit 2")
    options |= {"configuration": files or FILES[way], "way": way}
    return session.run(nvim, *quiet, *script, **options)


@pytest.mark.parametrize("way", ["code action", "Tab"])
def test_the_next_edit_is_taken(session: Any, neovim: str, way: str) -> None:
    done = play(session, neovim, way)
    assert done.returncode == 0, done.stdout
    assert session.file.read_text() == session.taken, done.stdout
    assert "The editor sent" not in done.stdout  # as the server begins its complaints
    session.wait_for_outcome("accepted")


def test_a_hint_names_the_line_of_what_is_out_of_sight(session: Any, neovim: str) -> None:
    done = play(session, neovim, "Tab")
    assert "Tab: line 10" not in done.stdout
    session.file.write_text(session.text)
    done = play(session, neovim, "Tab, out of sight", FILES["Tab"])
    assert done.returncode == 0, done.stdout
    assert "line 6:   Tab: line 10" in done.stdout
    assert session.file.read_text() == session.taken


def test_what_is_drawn_is_recorded_as_shown(session: Any, neovim: str) -> None:
    play(session, neovim, "Tab")
    session.wait_for_outcome("shown")


def test_a_suggestion_turned_down_stays_away(session: Any, neovim: str) -> None:
    done = play(session, neovim, "Esc")
    assert done.returncode == 0, done.stdout
    assert "line 10: draw" in done.stdout  # it was drawn, as text in the line
    assert session.file.read_text() == session.edited
    session.wait_for_outcome("rejected")


def test_tab_goes_on_in_the_next_file(session: Any, neovim: str) -> None:
    folder, bill = session.file.parent, "from prices import tax\n\nTOTAL = 1 + tax(1)\n"
    (folder / "prices.py").write_text("def tax(amount):\n    return amount * 0.2\n")
    (folder / "bill.py").write_text(bill)
    quiet = ("--headless", "-n", "-u", "NONE", "-i", "NONE")
    script = ("-c", f"luafile {SCRIPT.with_name('neovim-files.lua')}", "-c", "cquit 2")
    done = session.run(neovim, *quiet, *script, configuration=PLUGIN, settings={})
    assert done.returncode == 0, done.stdout
    assert (folder / "bill.py").read_text() == bill.replace("tax", "sales_tax")


def test_the_plugin_has_a_health_check_and_a_help_file(session: Any, neovim: str) -> None:
    folder = Path(__file__).parents[2] / "docs" / "editors" / "nvim"
    commands = (
        f"set runtimepath^={folder}",
        f"helptags {session.home}",  # where the help file is copied to: the folder stays as it is
        "checkhealth editcast",
        "write! health.txt",
        "qall!",
    )
    (session.home / "editcast.txt").write_text((folder / "doc" / "editcast.txt").read_text())
    flags = [word for command in commands for word in ("-c", command)]
    quiet = ("--headless", "-n", "-u", "NONE", "-i", "NONE")
    done = session.run(neovim, *quiet, *flags, configuration=[])
    assert done.returncode == 0, done.stdout
    said = (session.file.parent / "health.txt").read_text()
    assert "OK Neovim is 0.10 or newer" in said
    assert "OK editcast, version" in said
    assert "WARNING The server is not running yet" in said
    tags = (session.home / "tags").read_text()
    assert {line.split("\t")[0] for line in tags.splitlines()} >= {"editcast", "g:editcast"}


def test_the_code_action_alone_in_an_old_neovim(session: Any, old_neovim: str) -> None:
    done = play(session, old_neovim, "code action", ["neovim-0.7.lua"])
    assert done.returncode == 0, done.stdout
    assert session.file.read_text() == session.taken, done.stdout
    session.wait_for_outcome("accepted")


@pytest.mark.parametrize("way", ["code action", "Tab"])
def test_nothing_comes_without_the_server(session: Any, neovim: str, way: str) -> None:
    done = play(session, neovim, way, with_server=False)
    assert done.returncode == 1, done.stdout
    assert "never came" in done.stdout
    assert session.file.read_text() == session.edited


def test_nothing_comes_without_the_server_in_an_old_neovim(session: Any, old_neovim: str) -> None:
    done = play(session, old_neovim, "code action", ["neovim-0.7.lua"], with_server=False)
    assert done.returncode == 1, done.stdout
    assert "never came" in done.stdout
    assert session.file.read_text() == session.edited
