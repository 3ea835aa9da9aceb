"""A shared predictor: the predictions of this machine from a server, and this machine's without."""

import contextlib
import http.client
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editcast_model.bundle import Bundle, bundled_path, write_card
from editcast_model.errors import PredictorError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_predictor.__main__ import write_repository
from editcast_predictor.network import load
from editcast_server.prediction import engine
from editcast_server.settings import Settings

SERVER = Path(__file__).with_name("open_inference.py")
MLSERVER = os.environ.get("EDITCAST_MLSERVER")
BEFORE = "".join(f"def get_{name}(item):\n    return item.{name}\n\n\n" for name in "abcdef")


@dataclass
class Predictor:
    """A running server of the protocol."""

    address: str
    process: "subprocess.Popen[str]"

    def behave(self, how: str) -> None:
        """Have it answer in another way from now on."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{how}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == f"{how}\n"

    def stop(self) -> None:
        self.process.communicate()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    for _ in range(2):  # again, with nothing to do
        names = write_repository(bundled_path(), folder)
    assert sorted(names) == sorted(path.name for path in folder.iterdir())
    return folder


def serve(repository: Path, *options: str) -> Predictor:
    process = subprocess.Popen(
        [sys.executable, SERVER, repository, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    return Predictor(process.stdout.readline().strip(), process)


@pytest.fixture(scope="module", params=["bytes", "json", "mlserver"])
def either(request: pytest.FixtureRequest, repository: Path) -> Iterator[Predictor]:
    """A server that knows tensors as bytes, one that does not, and MLServer."""
    if request.param == "mlserver":
        if not MLSERVER:
            pytest.skip("EDITCAST_MLSERVER names no Python with mlserver and onnxruntime")
        made = serve_by_mlserver(repository, MLSERVER)
    else:
        made = serve(repository, *(["--json"] if request.param == "json" else []))
    yield made
    made.process.terminate()
    made.stop()


def serve_by_mlserver(repository: Path, python: str) -> Predictor:
    """MLServer needs an environment of its own: it wants an older protobuf than Editcast."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = SERVER.with_name("mlserver_graphs.py")
    process = subprocess.Popen(
        [python, program, repository, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    while process.poll() is None:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/v2/health/ready")
            is_ready = connection.getresponse().status == 200
            connection.close()
            if is_ready:
                break
    assert process.poll() is None
    return Predictor(f"http://127.0.0.1:{port}", process)


@pytest.fixture
def predictor(repository: Path) -> Iterator[Predictor]:
    made = serve(repository)
    yield made
    made.stop()


def predicted(forecaster: NeuralForecaster) -> list[Any]:
    session = forecaster.open(BEFORE)
    text = BEFORE
    for name in "ab":
        text = text.replace(f"get_{name}(item)", f"get_{name}(item, default)")
        session.update(text, saved=True)
    return session.predict(3)


def test_the_predictions_are_those_of_this_machine(either: Predictor) -> None:
    here = predicted(NeuralForecaster.load(bundled_path(), "cpu"))
    there = predicted(load(bundled_path(), either.address, 60.0))
    assert [one.hunk for one in here] == [one.hunk for one in there] and here
    ours, theirs = ([one.confidence for one in each] for each in (here, there))
    assert np.allclose(ours, theirs, atol=1e-4)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("silent", "does not answer"),
        ("damaged", "of another size"),
        ("senseless", "that are no numbers"),
        ("gone", "does not answer"),
    ],
)
def test_what_does_not_answer_well_is_said(how: str, sentence: str, predictor: Predictor) -> None:
    forecaster = load(bundled_path(), predictor.address, 60.0)
    forecaster.network._client._connection.timeout = 0.2  # type: ignore[attr-defined]
    forecaster.network._client.close()  # type: ignore[attr-defined]
    if how == "gone":
        predictor.stop()
    else:
        predictor.behave(how)
    with pytest.raises(PredictorError, match=sentence):
        predicted(forecaster)


def test_another_model_is_not_taken_for_this_one(predictor: Predictor, tmp_path: Path) -> None:
    shutil.copytree(bundled_path(), tmp_path / "other")
    write_card(tmp_path / "other", {"name": "other"} | {})
    with pytest.raises(PredictorError, match=r"refuses \S+-encode/infer \(404"):
        load(tmp_path / "other", predictor.address)


@pytest.mark.parametrize("address", ["host:80", "ftp://host", "http://", "http://a:b", "file:///x"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(PredictorError, match="is not an address of a shared predictor"):
        load(bundled_path(), address)


@pytest.mark.parametrize(
    "said",
    [
        "[]",
        "[" * 100_000,
        '{"outputs": [{"name": "a", "shape": [1], "datatype": "FP32", "data": [1%s]}]}'
        % ("0" * 400),
    ],
    ids=["something else", "deep", "a large number"],
)
def test_an_answer_without_sense_is_said(said: str) -> None:
    """A server of HTTP that speaks something else."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        program = "import socket, sys; [one.recv(9999) and one.sendall(sys.argv[1].encode()) for "
        program += "one, _ in iter(socket.socket(fileno=int(sys.argv[2])).accept, None)]"
        head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(said)}\r\n\r\n"
        given = [head + said]
        process = subprocess.Popen(
            [sys.executable, "-c", program, *given, str(listening.fileno())],
            pass_fds=[listening.fileno()],
        )
        with pytest.raises(PredictorError, match="does not speak the Open Inference Protocol"):
            load(bundled_path(), address)
        process.kill()
        process.communicate()


async def test_the_server_predicts_there_and_says_so(
    start: Callable[..., Any], predictor: Predictor
) -> None:
    settings = {"modelPath": str(bundled_path()), "sharedPredictor": predictor.address}
    async with start(settings) as editor:
        name = Bundle.open(bundled_path()).name
        await editor.until(lambda: predictor.address in editor.statuses[-1].message)
        uri = editor.open("a.py", BEFORE)
        editor.type(uri, "get_a(item)", "get_a(item, default)")
        editor.save(uri)
        assert (await editor.best(uri)) and not editor.messages
        predictor.behave("silent")  # from here on this machine predicts
        editor.type(uri, "get_b(item)", "get_b(item, default)")
        editor.save(uri)
        assert await editor.best(uri)
        said = f"{predictor.address} does not answer"
        await editor.until(lambda: any(said in one for one in editor.messages))
        end = f"For now Editcast predicts with {name} on this machine."
        assert editor.messages[-1].endswith(end)
        await editor.until(lambda: editor.statuses[-1].message.endswith(end))


async def test_where_nothing_answers_this_machine_predicts(start: Callable[..., Any]) -> None:
    settings = {"modelPath": str(bundled_path()), "sharedPredictor": "http://127.0.0.1:9"}
    async with start(settings) as editor:
        await editor.until(lambda: editor.messages)
        assert "http://127.0.0.1:9 does not answer" in editor.messages[0]
        uri = editor.open("a.py", BEFORE)
        editor.type(uri, "get_a(item)", "get_a(item, default)")
        editor.save(uri)
        assert await editor.best(uri)


def test_a_predictor_that_answers_again_is_used_again(
    predictor: Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_ABSENCE", 0.0)
    made: list[str] = []
    with_it = engine.Engine(lambda model: made.append(model.address), made.append)
    with_it.choose(engine.Choice(str(bundled_path()), "cpu", predictor.address))
    with_it._put(1, lambda: with_it._fall_back(PredictorError("It does not answer.")))
    with_it._put(2, with_it._return_to_predictor)
    with_it._put(2, with_it._return_to_predictor)  # nothing is left to do
    with_it._put(3, None)
    with_it._thread.join()
    assert made == [predictor.address, "", predictor.address]


_WITHOUT = """
import sys
from editcast_server.prediction.model_loader import Choice, load
if sys.argv[1:]:
    sys.modules["editcast_predictor"] = None  # as if it were not installed
    from editcast_server.prediction.model_loader import load_shared
    try:
        load_shared(Choice("", "cpu", "http://127.0.0.1:9"))
    except Exception as error:
        print(type(error).__name__, error)
else:
    load(Choice("", "cpu"))
    print([name for name in sys.modules if name.startswith(("editcast_predictor", "http."))])
"""


@pytest.mark.parametrize(
    ("options", "said"),
    [([], "[]"), (["without"], "PredictorError A shared predictor needs one more package")],
)
def test_nothing_of_it_is_imported_unless_asked_for(
    options: list[str], said: str, tmp_path: Path
) -> None:
    assert Settings().shared_predictor == ""
    ended = subprocess.run(
        [sys.executable, "-c", _WITHOUT, *options],
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.startswith(said)
