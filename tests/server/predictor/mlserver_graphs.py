"""The graphs of a model repository behind MLServer; run by its Python, which is not Editcast's.

PYTHON mlserver_graphs.py REPOSITORY PORT
"""

import os
import sys
from pathlib import Path
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import asyncio

import numpy as np
import onnxruntime
from mlserver import MLModel, MLServer, ModelSettings, Settings
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse, MetadataTensor, ResponseOutput

NAMES = {"tensor(float)": "FP32", "tensor(int64)": "INT64", "tensor(bool)": "BOOL"}


def described(given: Any) -> list[MetadataTensor]:
    """Describe the inputs or the outputs of a graph."""
    return [
        MetadataTensor(
            name=one.name,
            datatype=NAMES[one.type],
            shape=[size if isinstance(size, int) else -1 for size in one.shape],
        )
        for one in given
    ]


class Graph(MLModel):  # type: ignore[misc]  # its types are not known here
    """One graph."""

    async def load(self) -> bool:
        self._session = onnxruntime.InferenceSession(
            self.settings.parameters.uri, providers=["CPUExecutionProvider"]
        )
        self.inputs = described(self._session.get_inputs())
        self.outputs = described(self._session.get_outputs())
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        types = {one.name: one.datatype for one in self.inputs}
        dtypes = {"FP32": np.float32, "INT64": np.int64, "BOOL": np.bool_}
        given = {
            one.name: NumpyCodec.decode_input(one)
            .astype(dtypes[types[one.name]])
            .reshape(one.shape)
            for one in payload.inputs
        }
        names = [one.name for one in payload.outputs or self.outputs]
        outputs = [
            # Not by a codec: that would add a dimension.
            ResponseOutput(
                name=name, datatype="FP32", shape=list(value.shape), data=value.ravel().tolist()
            )
            for name, value in zip(names, self._session.run(names, given), strict=True)
        ]
        return InferenceResponse(model_name=self.name, outputs=outputs)


async def main(repository: Path, port: int) -> None:
    """Serve until killed."""
    server = MLServer(
        Settings(
            host="127.0.0.1",
            http_port=port,
            grpc_port=port + 1,
            metrics_port=port + 2,
            parallel_workers=0,
        )
    )
    models = [
        ModelSettings(
            name=path.parents[1].name,
            implementation=Graph,
            parameters={"uri": str(path)},
        )
        for path in repository.glob("*/1/model.onnx")
    ]
    await server.start(models)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
