"""A server of the Open Inference Protocol, version 2: HTTP of the standard library, ONNX Runtime.

    python open_inference.py REPOSITORY [--json]

REPOSITORY is what `python -m editcast_predictor` wrote. The server prints its address and ends with
stdin. It knows tensors as bytes, as Triton does, or with --json only JSON, as MLServer does. A line
on stdin changes how it answers: `silent` not at all, `damaged` with less, `senseless` with NaN,
`good` as before.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import numpy as np
import onnxruntime

onnxruntime.set_default_logger_severity(3)
TYPES = {"FP32": np.float32, "INT64": np.int64, "BOOL": np.bool_}
LENGTH = "Inference-Header-Content-Length"


class State:
    """The graphs, and how the server behaves."""

    def __init__(self, repository: Path, extensions: list[str]) -> None:
        self.mode, self.extensions = "good", extensions
        self.sessions = {
            path.parents[1].name: onnxruntime.InferenceSession(
                path, providers=["CPUExecutionProvider"]
            )
            for path in repository.glob("*/1/model.onnx")
        }


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: State

    def log_message(self, *_: Any) -> None: ...

    def do_GET(self) -> None:
        parts = self.path.strip("/").split("/")
        if parts == ["v2"]:
            self._json({"name": "test", "version": "1", "extensions": self.state.extensions})
        else:
            self._json({"error": "unknown model"}, 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        session = self.state.sessions.get(self.path.split("/")[3])
        if session is None:
            return self._json({"error": "unknown model"}, 404)
        while self.state.mode == "silent":
            time.sleep(0.01)
        headed = int(self.headers.get(LENGTH) or len(body))
        asked = json.loads(body[:headed])
        given, at = {}, headed
        for one in asked["inputs"]:
            size = (one.get("parameters") or {}).get("binary_data_size")
            if size is None:
                value: Any = np.array(one["data"], TYPES[one["datatype"]])
            else:
                value = np.frombuffer(body[at : at + size], TYPES[one["datatype"]])
                at += size
            given[one["name"]] = value.reshape(one["shape"])
        names = [one["name"] for one in asked["outputs"]]
        values = dict(zip(names, session.run(names, given), strict=True))
        if self.state.mode == "damaged":
            values = {name: value[:-1] for name, value in values.items()}
        if self.state.mode == "senseless":
            values = {name: np.full_like(value, np.nan) for name, value in values.items()}
        described, parts = [], []
        for one in asked["outputs"]:
            value = values[one["name"]]
            of_it = {"name": one["name"], "datatype": "FP32", "shape": list(value.shape)}
            if (one.get("parameters") or {}).get("binary_data"):
                parts.append(value.tobytes())
                of_it["parameters"] = {"binary_data_size": len(parts[-1])}
            else:
                of_it["data"] = value.ravel().tolist()
            described.append(of_it)
        said = json.dumps({"model_name": "it", "outputs": described}).encode()
        headers = {LENGTH: str(len(said))} if parts else {}
        self._answer(b"".join([said, *parts]), headers)

    def _json(self, value: Any, status: int = 200) -> None:
        self._answer(json.dumps(value).encode(), {}, status)

    def _answer(self, body: bytes, headers: dict[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def main(repository: Path, extensions: list[str]) -> None:
    """Serve until stdin ends."""
    Handler.state = State(repository, extensions)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    for line in sys.stdin:
        Handler.state.mode = line.strip()
        print(line.strip(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [] if "--json" in sys.argv else ["binary_tensor_data"])
