"""kill -9 while the user's own models are installed and reverted.

After each kill the model in use is the one from before or the one after, whole, and the next
installation works.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from attacks.figures import Figures, Finding, Limit
from attacks.hostile_bundles import link_or_copy
from editcast_model.bundle import Bundle, bundled_path, write_card
from editcast_model.errors import EditcastError
from editcast_store.models import Active, install, revert

ROUNDS_A_FOLDER = 20
LONGEST = 0.4  # seconds until the kill
_INSTALLER = """
import itertools, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from attacks.kills_models import made
from editcast_store.models import install, revert
models, first = Path(sys.argv[2]), sys.argv[3]
print("ready", flush=True)
for number in itertools.count():
    bundle = made(models.parent, f"{first}-{number}")
    print(f"begun {first}-{number}", flush=True)
    install(bundle, models)
    print(f"done {first}-{number}", flush=True)
    if number % 3 == 2:
        print("begun revert", flush=True)
        revert(models)
        print("done revert", flush=True)
"""


def made(folder: Path, name: str) -> Path:
    """A copy of the bundled model under a name of its own, its large files linked."""
    bundle = folder / f"made-{name}"
    shutil.copytree(bundled_path(), bundle, copy_function=link_or_copy)
    card = json.loads((bundle / "card.json").read_text())
    for written in ("card.json", "config.json"):
        text = (bundle / written).read_bytes()
        (bundle / written).unlink()
        (bundle / written).write_bytes(text)
    write_card(bundle, card | {"name": name})
    return bundle


def attack(limit: Limit, seed: int) -> Figures:
    """Kill processes that install models, and look at what is installed."""
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number, draw in limit.each(figures, seed):
            if number % ROUNDS_A_FOLDER == 0:
                shutil.rmtree(home)
                (home / "models").mkdir(parents=True)
            trouble = _try_kill(home, number, draw, figures)
            figures.tried["kills"] += 1
            if trouble:
                figures.findings.append(Finding(trouble, seed, number))
    return figures


def _try_kill(home: Path, number: int, draw: Random, figures: Figures) -> str:
    models = home / "models"
    before = _names(models)
    command = [sys.executable, "-c", _INSTALLER, str(Path(__file__).parents[1]), str(models)]
    with subprocess.Popen([*command, str(number)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(draw.uniform(0, LONGEST))
        process.kill()
        said = process.stdout.read().decode().splitlines()
    expected = _expected(before, said)
    try:
        now = _names(models)
        if now not in expected:
            return f"installed are {now}, not one of {expected}"
        install(made(home, f"after-{number}"), models)
        figures.tried["models installed"] += sum(line.startswith("done") for line in said) + 1
        if _names(models)[0] != f"after-{number}":
            return "what was installed after the kill is not in use"
        revert(models)
    except (EditcastError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        for left in home.glob("made-*"):
            shutil.rmtree(left)
    return ""


def _names(models: Path) -> tuple[str, str]:
    """The models that are in use and were in use before; opening them checks them whole."""
    return tuple(Bundle.open(one).name if one else "" for one in Active.of(models))  # type: ignore


def _expected(before: tuple[str, str], said: list[str]) -> list[tuple[str, str]]:
    """Return what may be installed after all that was said to be done, and perhaps begun."""
    state, states = before, [before]
    for line in said:
        word, _, name = line.partition(" ")
        if word == "done":
            state = states[-1]
        elif word == "begun":
            after = (state[1], state[0]) if name == "revert" else (name, state[0])
            states = [state, after]
    return states if said and said[-1].startswith("begun") else [state]
