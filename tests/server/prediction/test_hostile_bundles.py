"""Bundles that are damaged or made to do harm: said in a sentence, and the next model goes on.

Each one takes the place of the user's own model while a real server runs.
"""

import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import hostile_graphs
from editcast.replay_client import ReplayClient
from editcast_model.bundle import WEIGHTS, bundled_path, write_card, write_config
from editcast_model.card import RANKER_FEATURES
from editcast_model.errors import ServerError

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(30))
SIZE = 1 + len(RANKER_FEATURES)  # of the weights of a source
BUNDLED = json.loads((bundled_path() / "card.json").read_text("utf-8"))
Spoil = Callable[[Path], None]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(editors: Any, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """A server that forecasts with the user's own model, or what stands in."""
    settings = {"modelPath": "", "device": "cpu"}
    async with editors(tmp_path_factory.mktemp("home"), settings, may_fail=True) as editor:
        (editor.home / "models").mkdir(exist_ok=True)
        yield editor


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The bundled model under another name, to spoil."""
    folder = tmp_path / "own"
    shutil.copytree(bundled_path(), folder)
    write_card(folder, BUNDLED | {"name": "own"})
    config = json.loads((folder / "config.json").read_text("utf-8"))
    write_config(folder, config["network"])
    return folder


def put(path: Path, editor: Any) -> None:
    """Make a bundle the user's own."""
    link = editor.home / "models" / "new"
    link.symlink_to(path, target_is_directory=True)
    os.replace(link, editor.home / "models" / "current")


async def said_next(editor: Any, name: str) -> tuple[Any, list[str]]:
    """The first answer with a suggestion, and which sentences came until then.

    While a model is loaded, or after it failed, the answer is empty.
    """
    before = len(editor.messages)
    uri = editor.open(name, CALLS)
    editor.save(uri)  # another model is looked for after its prediction
    result = None
    for _ in range(25):
        editor.type(uri, "render", "draw")
        editor.save(uri)
        result = await editor.next_edit(uri, 1)
        if result and result.suggestions:
            break
    editor.close(uri)
    return result, editor.messages[before:]


def accept(path: Path) -> None:
    """Make the checksums right again, so that something else has to notice."""
    config = json.loads((path / "config.json").read_text("utf-8"))
    write_config(path, config["network"])


def card(**changes: Any) -> Spoil:
    def spoil(path: Path) -> None:
        written = BUNDLED | {"name": "own"} | changes
        (path / "card.json").write_text(json.dumps(written), encoding="utf-8")
        accept(path)

    return spoil


def calibration(**changes: Any) -> Spoil:
    return card(calibration=BUNDLED["calibration"] | changes)


def config(**changes: Any) -> Spoil:
    def spoil(path: Path) -> None:
        written = json.loads((path / "config.json").read_text("utf-8"))
        (path / "config.json").write_text(json.dumps(written | changes), encoding="utf-8")

    return spoil


def checksum(name: str, value: Any = "0" * 64) -> Spoil:
    def spoil(path: Path) -> None:
        known = json.loads((path / "config.json").read_text("utf-8"))["checksums"]
        config(checksums=known | {name: value})(path)

    return spoil


def without_checksum(name: str) -> Spoil:
    def spoil(path: Path) -> None:
        known = json.loads((path / "config.json").read_text("utf-8"))["checksums"]
        config(checksums={each: known[each] for each in known if each != name})(path)

    return spoil


def pipe(path: Path) -> None:
    os.mkfifo(path / "pipe")
    checksum("pipe")(path)


def pipe_for_card(path: Path) -> None:
    (path / "card.json").unlink()
    os.mkfifo(path / "card.json")


def link(to: str) -> Spoil:
    def spoil(path: Path) -> None:
        (path / "more").symlink_to(to)
        checksum("more")(path)

    return spoil


def cut(name: str) -> Spoil:
    def spoil(path: Path) -> None:
        os.truncate(path / name, (path / name).stat().st_size // 2)

    return spoil


def cut_and_accepted(name: str) -> Spoil:
    def spoil(path: Path) -> None:
        cut(name)(path)
        accept(path)

    return spoil


def text(name: str, content: str) -> Spoil:
    def spoil(path: Path) -> None:
        (path / name).write_text(content, encoding="utf-8")
        if name != "config.json":
            accept(path)

    return spoil


def larger_vocabulary(count: int) -> Spoil:
    def spoil(path: Path) -> None:
        known = json.loads((path / "config.json").read_text("utf-8"))["network"]
        config(network=known | {"vocabulary": count})(path)

    return spoil


def many_tokens(path: Path) -> None:
    written = json.loads((path / "tokenizer.json").read_text("utf-8"))
    size = len(written["model"]["vocab"])
    written["model"]["vocab"] |= {f"x{number}": number for number in range(size, 70_000)}
    (path / "tokenizer.json").write_text(json.dumps(written), encoding="utf-8")
    larger_vocabulary(70_000)(path)
    accept(path)


def strange_tokens(path: Path) -> None:
    written = (path / "tokenizer.json").read_text("utf-8").replace('"return"', '"ret\u4e00n"')
    (path / "tokenizer.json").write_text(written, encoding="utf-8")
    accept(path)


def graph(make: Callable[..., None], *arguments: Any) -> Spoil:
    def spoil(path: Path) -> None:
        make(path / "point.onnx", *arguments)
        accept(path)

    return spoil


def exchanged(path: Path) -> None:
    shutil.copyfile(path / "content.onnx", path / "point.onnx")
    accept(path)


REFUSED: dict[str, tuple[Spoil, str]] = {
    "calibration a list": (card(calibration=[]), "calibration must be an object"),
    "calibration null": (card(calibration=None), "calibration must be an object"),
    "threshold a text": (calibration(threshold="high"), "calibration.threshold must be a number"),
    "threshold not a number": (calibration(threshold=float("nan")), "calibration.threshold"),
    "threshold of two": (calibration(threshold=2), "between 0 and 1"),
    "weights a text": (calibration(weights="x" * 48), "calibration.weights must be an object"),
    "weights infinite": (calibration(weights={"decoded": [float("inf")] * SIZE}), "['decoded'][0]"),
    "weights too few": (calibration(weights={"decoded": [1.0]}), f"a list of {SIZE} values"),
    "points not pairs": (calibration(points=[1, 2]), "calibration.points[0] must be a list"),
    "points in disorder": (calibration(points=[[0, 0.5], [-1, 0.9]]), "points must ascend"),
    "lines a text": (card(lines="x"), "lines must be an object"),
    "lines of another size": (card(lines={"hidden": [[1]], "out": [1]}), "lines.hidden"),
    "name a list": (card(name=["own"]), "name must be a text"),
    "name of lines": (card(name="own\nand more"), "name must be one line"),
    "card a list": (text("card.json", "[]"), "must be an object"),
    "card of brackets": (text("card.json", "[" * 100_000), "card.json"),
    "network a list": (config(network=[]), "network must be an object"),
    "network too wide": (config(network={"vocabulary": 4096, "width": 10**9}), "network.width"),
    "window too wide": (config(inference={"window": 10**9}), "inference.window"),
    "config of brackets": (text("config.json", "[" * 100_000), "config.json"),
    "no checksums": (config(checksums={}), "must have a checksum of"),
    "weights without a checksum": (without_checksum(WEIGHTS), f"a checksum of {WEIGHTS}"),
    "a checksum of a device": (checksum("/dev/zero"), "/dev/zero"),
    "a checksum of a file above": (checksum("../../../../etc/passwd"), "of its own folder"),
    "a checksum that is none": (checksum("more", 7), "checksums['more'] must be a text"),
    "a pipe": (pipe, "pipe"),
    "a pipe for a card": (pipe_for_card, "card.json"),
    "a link to a device": (link("/dev/zero"), "leads out of its folder"),
    "a link to a file": (link("/etc/hostname"), "leads out of its folder"),
    "a link to itself": (link("more"), "more"),
    "a card cut short": (cut("card.json"), "checksum"),
    "a tokenizer cut short": (cut_and_accepted("tokenizer.json"), "tokenizer"),
    "a graph cut short": (cut_and_accepted("point.onnx"), "point.onnx"),
    "weights cut short": (cut_and_accepted(WEIGHTS), "cannot run"),
    "a vocabulary in the config": (larger_vocabulary(10**12), "network.vocabulary"),
    "a vocabulary in the tokenizer": (many_tokens, "network.vocabulary"),
    "a vocabulary of other letters": (strange_tokens, "tokenizer.json cannot be read"),
    "a graph exchanged": (exchanged, "cannot predict"),
    "a graph of 2^40 numbers": (graph(hostile_graphs.as_large_as, 2**40), "cannot predict"),
    "a graph of 8 GB": (graph(hostile_graphs.as_large_as, 2**31), "cannot predict"),
    "a graph of another size": (graph(hostile_graphs.as_large_as, 3), "cannot predict"),
    "weights elsewhere": (graph(hostile_graphs.from_elsewhere, "../../secret"), "point.onnx"),
    "weights at a device": (graph(hostile_graphs.from_elsewhere, "/dev/zero"), "point.onnx"),
}


@pytest.mark.parametrize("name", list(REFUSED))
async def test_it_is_refused_and_the_bundled_model_goes_on(
    server: Any, own: Path, name: str
) -> None:
    spoil, sentence = REFUSED[name]
    spoil(own)
    put(own, server)
    result, messages = await said_next(server, f"{name}.py")
    assert len(messages) == 1, messages
    assert sentence in messages[0] and "\n" not in messages[0]
    assert messages[0].endswith(f"uses the bundled model, {BUNDLED['name']}.")
    assert server.statuses[-1].state == "ready"
    assert result.model == BUNDLED["name"] and result.suggestions


@pytest.mark.parametrize(
    "spoil",
    [
        card(),
        card(more={"anything": [1, None]}),
        calibration(threshold=None),
        card(calibration={}, lines=None),
    ],
    ids=["as it is", "unknown entries", "no threshold", "not calibrated"],
)
async def test_what_can_be_used_is_used(server: Any, own: Path, spoil: Spoil) -> None:
    spoil(own)
    put(own, server)
    result, messages = await said_next(server, "used.py")
    assert (messages, result.model) == ([], "own")
    assert result.suggestions


@pytest.mark.parametrize(
    "make", [hostile_graphs.fails_on_long_texts, hostile_graphs.explodes_on_long_texts]
)
async def test_a_model_that_fails_at_work_makes_way(
    server: Any, own: Path, make: Callable[[Path], None]
) -> None:
    graph(make)(own)
    put(own, server)
    result, messages = await said_next(server, "work.py")
    assert len(messages) == 2, messages
    assert "could not predict here" in messages[0]
    assert messages[1].startswith("The model own failed 2 times in a row")
    assert messages[1].endswith(f"uses the bundled model, {BUNDLED['name']}.")
    assert result.model == BUNDLED["name"] and result.suggestions
    # It is not tried again, until another one is in its place.
    assert (await said_next(server, "later.py"))[1] == []
    shutil.copyfile(bundled_path() / "point.onnx", own / "point.onnx")
    accept(own)
    result, messages = await said_next(server, "mended.py")
    assert (messages, result.model) == ([], "own")


async def test_a_model_that_is_named_makes_way_to_repeated_edits(
    editors: Any, own: Path, tmp_path: Path
) -> None:
    graph(hostile_graphs.fails_on_long_texts)(own)
    settings = {"modelPath": str(own), "device": "cpu"}
    home = tmp_path / "home"
    home.mkdir()
    async with editors(home, settings, may_fail=True) as editor:
        result, messages = await said_next(editor, "named.py")
        assert "failed 2 times in a row" in messages[1]
        assert messages[1].endswith("Editcast continues without it (repeat-best).")
        assert result.model == "repeat-best" and result.suggestions
        assert editor.statuses[-1].state == "baseline"


async def test_a_replay_ends_where_a_prediction_fails(own: Path, tmp_path: Path) -> None:
    graph(hostile_graphs.fails_on_long_texts)(own)
    settings = {"modelPath": str(own), "device": "cpu"}
    with (
        pytest.raises(ServerError, match="a prediction failed"),
        ReplayClient(settings, home=tmp_path / "home") as client,
    ):
        client.open(CALLS, "python")
        client.save(CALLS.replace("render", "draw", 1))
        client.suggest()


@pytest.mark.parametrize("name", ["\0", "~nobody-has-this-name/model", "x" * 5000, "link"])
async def test_a_path_that_is_none(editors: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("link")
    path = str(tmp_path / name) if name == "link" else name
    async with editors(tmp_path, {"modelPath": path}) as editor:
        assert editor.statuses[-1].state == "baseline"
        assert "no model in" in editor.messages[-1]
        result, _ = await said_next(editor, "path.py")
        assert result.model == "repeat-best" and result.suggestions
