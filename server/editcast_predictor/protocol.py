"""A client of the Open Inference Protocol, version 2, over HTTP.

Tensors are JSON, or bytes where the server knows the protocol's extension for that, as Triton does.
Redirects and proxies are not followed: texts go to the named address only.
"""

import http.client
import json
import math
import time
import weakref
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from editcast_model.errors import PredictorError

#: Types of tensors, as the protocol names them.
TYPES: Final[dict[str, np.dtype[Any]]] = {
    "FP32": np.dtype("<f4"),
    "INT64": np.dtype("<i8"),
    "BOOL": np.dtype("?"),
}
_NAMES = {dtype: name for name, dtype in TYPES.items()}
_BYTES_EXTENSION = "binary_tensor_data"
_LENGTH = "Inference-Header-Content-Length"
_MOST = 1 << 28  # bytes of an answer
_PART = 1 << 16  # bytes
_SAID = 200  # characters of a server's own words

# What reading JSON that nests without end, or numbers that no tensor holds, raises.
_SENSELESS = (ValueError, OverflowError, RecursionError)

Tensors = dict[str, npt.NDArray[Any]]


class Client:
    """A connection to one server, made when it is needed.

    Args:
        address: As `http://HOST:PORT` or `https://HOST:PORT`.
        seconds: How long an answer may take.

    Raises:
        PredictorError: The address is none.
    """

    def __init__(self, address: str, seconds: float) -> None:
        self.address, self._seconds = address, seconds
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or parts.scheme not in ("http", "https") or parts.username or parts.query:
            raise PredictorError(
                f"{address[:_SAID]!a} is not an address of a shared predictor; set "
                "sharedPredictor to one such as http://HOST:8000."
            )
        kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self._connection = kind[parts.scheme](host, port, timeout=seconds)
        weakref.finalize(self, self._connection.close)
        self._path = parts.path.rstrip("/")
        self._takes_bytes: bool | None = None

    def infer(self, model: str, inputs: Tensors, outputs: list[str]) -> Tensors:
        """Run a model.

        Raises:
            PredictorError: The server does not answer in time, or not as the protocol says.
        """
        if self._takes_bytes is None:
            extensions = _object(self._ask("GET", "/v2")[0]).get("extensions")
            self._takes_bytes = _BYTES_EXTENSION in (extensions or ())
        body, headers = _request(inputs, outputs, self._takes_bytes)
        said, headed = self._ask("POST", f"/v2/models/{model}/infer", body, headers)
        try:
            found = _response(said, headed)
        except (*_SENSELESS, TypeError, KeyError, AttributeError) as error:
            raise self._odd(f"{type(error).__name__} in its answer") from error
        if missing := [name for name in outputs if name not in found]:
            raise self._odd(f"without {', '.join(missing)}")
        return found

    def close(self) -> None:
        """Close the connection; the next question makes another one."""
        self._connection.close()

    def _ask(
        self, method: str, path: str, body: bytes | None = None, headers: Any = None
    ) -> tuple[bytes, int | None]:
        """Return the body of an answer, and how much of it is JSON; None is all of it."""
        is_new = self._connection.sock is None
        end = time.monotonic() + self._seconds
        try:
            self._connection.request(method, self._path + path, body, headers or {})
            answer = self._connection.getresponse()
            said = bytearray()
            while part := answer.read1(_PART):
                said += part
                if time.monotonic() > end:
                    raise TimeoutError("it takes too long")
                if len(said) > _MOST:
                    raise ValueError("its answer has no end")
            answer.close()  # `read1` leaves it open
            length = answer.getheader(_LENGTH)
            headed = None if length is None else int(length)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if not is_new and isinstance(error, http.client.RemoteDisconnected | ConnectionError):
                return self._ask(
                    method, path, body, headers
                )  # it was closed while nothing was asked
            raise PredictorError(
                f"The shared predictor at {self.address} does not answer "
                f"({str(error)[:_SAID] or type(error).__name__})."
            ) from error
        if answer.status != 200:
            words = " ".join(said[:_SAID].decode("utf-8", "replace").split())
            raise PredictorError(
                f"The shared predictor at {self.address} refuses {path} ({answer.status}: "
                f"{words!a})."
            )
        return bytes(said), headed

    def _odd(self, what: str) -> PredictorError:
        return PredictorError(
            f"The shared predictor at {self.address} does not speak the Open Inference Protocol "
            f"({what})."
        )


def _object(said: bytes) -> dict[str, Any]:
    try:
        found = json.loads(said)
    except _SENSELESS:
        found = None
    return found if isinstance(found, dict) else {}


def _request(inputs: Tensors, outputs: list[str], as_bytes: bool) -> tuple[bytes, dict[str, str]]:
    described: list[dict[str, Any]] = []
    parts = []
    for name, value in inputs.items():
        datatype = _NAMES[value.dtype]
        one: dict[str, Any] = {"name": name, "shape": list(value.shape), "datatype": datatype}
        if as_bytes:
            data = np.ascontiguousarray(value, TYPES[datatype]).tobytes()
            one["parameters"] = {"binary_data_size": len(data)}
            parts.append(data)
        else:
            one["data"] = value.ravel().tolist()
        described.append(one)
    more = {"parameters": {"binary_data": True}} if as_bytes else {}
    wanted = [{"name": name, **more} for name in outputs]
    said = json.dumps({"inputs": described, "outputs": wanted}).encode()
    if not as_bytes:
        return said, {"Content-Type": "application/json"}
    headers = {"Content-Type": "application/octet-stream", _LENGTH: str(len(said))}
    return b"".join([said, *parts]), headers


def _response(said: bytes, headed: int | None) -> Tensors:
    """Read the tensors of an answer; its sizes are the server's word only."""
    described = json.loads(said if headed is None else said[:headed])
    at = len(said) if headed is None else headed
    found: Tensors = {}
    for one in described["outputs"]:
        dtype, shape = TYPES[one["datatype"]], tuple(map(int, one["shape"]))
        size = (one.get("parameters") or {}).get("binary_data_size")
        if size is None:
            value = np.array(one["data"], dtype).reshape(shape)
        else:
            if size != math.prod(shape) * dtype.itemsize or min(shape, default=0) < 0:
                raise ValueError("sizes that do not agree")
            value = np.frombuffer(said[at : at + size], dtype).reshape(shape)
            at += size
        found[str(one["name"])] = value
    return found
