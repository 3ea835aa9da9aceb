"""Memory of the server with files open in it, and where it goes (Linux only).

First a server process, as an editor starts it: files are opened one after the other, each is saved
and asked about some times, and what is resident is printed. Then the parts, one after the other, in
a process of their own. The budget is 300 MB resident with 20 files.

Run: python benchmarks/speed/memory.py [--files 20] [--saves 8]
"""

import argparse
import asyncio
import importlib
import os
import subprocess
import sys
import tempfile
import threading
from itertools import islice
from pathlib import Path

from lsprotocol import types

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))

MODULES = (
    "asyncio", "numpy", "onnxruntime", "sentencepiece",
    "editcast_server.lsp.app", "editcast_model.forecasting.forecaster",
)  # fmt: skip


def resident(process: int | str = "self") -> dict[str, float]:
    """MB resident of a process: all, its share, what is its own, what it has of files."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines()[1:])
    kilobytes = {row[0].rstrip(":"): int(row[1]) for row in rows}
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    names = ("Rss", "Pss", "Pss_Anon", "Pss_File")
    return {name: kilobytes[name] / 1024 for name in names} | {"peak": peak / 1024}


def busy_for(process: int) -> float:
    """Seconds that a process has used a processor, all threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def say(what: str, process: int | str = "self") -> None:
    """Print a row of the table."""
    print(f"{what:<44}" + "".join(f"{value:>8.0f}" for value in resident(process).values()))


def head(title: str) -> None:
    """Print the head of a table."""
    names = ("RSS", "PSS", "own", "files'", "peak")
    print(f"\n{title + ', MB':<44}" + "".join(f"{name:>8}" for name in names))


async def served(files: int, saves: int) -> None:
    """A server process."""
    from conftest import run_editor
    from open_files import renamings, save, sources

    head("The server")
    with tempfile.TemporaryDirectory() as home:
        async with run_editor(Path(home), {"modelPath": ""}) as editor:
            await editor.until(lambda: editor.statuses and editor.statuses[-1].model)
            folder = types.WorkspaceFolder((Path(home) / "project").as_uri(), "project")
            editor.client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(
                    types.WorkspaceFoldersChangeEvent([folder], [])
                )
            )
            server = editor.client._server
            assert server is not None
            say("the model is loaded", server.pid)
            for number, text in enumerate(sources(files), 1):
                uri = editor.open(f"file{number}.py", text)
                for step, changed in enumerate(islice(renamings(text), saves)):
                    save(editor, uri, changed)
                    await editor.next_edit(uri)
                    if number == 1 and step == 0:
                        say("first prediction", server.pid)
                if number in (1, 2, 4, 8) or number % 10 == 0 or number == files:
                    say(f"{number} files, each saved {saves} times", server.pid)
            await asyncio.sleep(2)  # what was being prepared is ready
            before = busy_for(server.pid)
            await asyncio.sleep(5)
            say("seven seconds later", server.pid)
            spent = busy_for(server.pid) - before
            print(f"at work in five seconds in which nothing was asked: {spent:.2f} s")


def parts(files: int, saves: int) -> None:
    """Measure what each part needs, one after the other; run in a process of its own."""
    head("The parts")
    say("the interpreter")
    for name in MODULES:
        importlib.import_module(name)
        say(f"import {name}")
    from open_files import renamings, sources

    say("what this benchmark imports")
    thread = threading.Thread(target=_model_parts, args=(files, saves, sources, renamings))
    thread.start()  # as in the server: another thread has another heap
    thread.join()


def _model_parts(files: int, saves: int, sources, renamings) -> None:  # type: ignore[no-untyped-def]
    from editcast_model.bundle import Bundle, bundled_path
    from editcast_model.forecasting.forecaster import NeuralForecaster
    from editcast_model.inference.onnx_network import OnnxNetwork
    from editcast_store.saves import Store

    bundle = Bundle.open(bundled_path())
    say("tokenizer and card")
    network = OnnxNetwork(bundle, "cpu")
    say("four ONNX Runtime sessions")
    forecaster = NeuralForecaster(bundle, network, "cpu")
    forecaster.open("".join(sources(1))).predict()
    say("a file encoded")
    sessions = []
    for number, text in enumerate(sources(files), 1):
        session = forecaster.open(text)
        sessions.append(session)
        for changed in islice(renamings(text), saves):
            session.update(changed, saved=True)
            session.predict()
            session.prepare()
        if number in (1, 2, 4, 8) or number % 10 == 0 or number == files:
            say(f"{number} files, each saved {saves} times")
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        for number, text in enumerate(sources(files)):
            for step, changed in enumerate(islice(renamings(text), saves)):
                store.record(f"/{number}.py", changed, step * 60_000, "python")
        say(f"a store with {files * saves} saves")
    sessions.clear()
    say("the files closed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--saves", type=int, default=8)
    parser.add_argument("--parts", action="store_true", help="only the parts, in this process")
    given = parser.parse_args()
    if given.parts:
        parts(given.files, given.saves)
        return
    asyncio.run(served(given.files, given.saves))
    same = ["--files", str(given.files), "--saves", str(given.saves)]
    subprocess.run([sys.executable, __file__, "--parts", *same], check=True)


if __name__ == "__main__":
    main()
