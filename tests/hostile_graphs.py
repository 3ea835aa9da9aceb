"""Graphs that somebody could put in the place of a bundle's, to see what becomes of them."""

from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

_OPSET = [helper.make_opsetid("", 20)]


def endless(path: Path) -> None:
    """A `point` that never ends."""
    steps = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["goes_on"]),
            helper.make_node("Add", ["value", "value"], ["next"]),
        ],
        "steps",
        [
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, [1, 1]),
        ],
        [
            helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, 1]),
        ],
    )
    nodes = [helper.make_node("Loop", ["", "yes", "zero"], ["position"], body=steps)]
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    zero = helper.make_tensor("zero", TensorProto.FLOAT, [1, 1], [0.0])
    _save(path, nodes, [yes, zero])


def as_large_as(path: Path, items: int) -> None:
    """A `point` that returns an array of any size."""
    wanted = helper.make_tensor("wanted", TensorProto.INT64, [2], [1, items])
    _save(path, [helper.make_node("ConstantOfShape", ["wanted"], ["position"])], [wanted])


def from_elsewhere(path: Path, location: str) -> None:
    """A `point` whose weights lie in another file."""
    weights = helper.make_tensor("weights", TensorProto.FLOAT, [1, 4], [0.0] * 4)
    weights.ClearField("float_data")
    weights.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "16")):
        weights.external_data.add(key=key, value=value)
    _save(path, [helper.make_node("Identity", ["weights"], ["position"])], [weights])


def fails_on_long_texts(path: Path) -> None:
    """The `point` that is there, but for texts of more than a few tokens an index out of range."""
    model = onnx.load(path, load_external_data=False)
    table = helper.make_tensor("table", TensorProto.FLOAT, [60], [0.0] * 60)
    one = helper.make_tensor("one_less", TensorProto.INT64, [1], [-1])
    nodes = [
        helper.make_node("Shape", ["said"], ["size"], start=1),
        helper.make_node("Add", ["size", "one_less"], ["last"]),
        helper.make_node("Gather", ["table", "last"], ["nothing"]),
        helper.make_node("Add", ["said", "nothing"], ["position"]),
    ]
    _append(path, model, nodes, [table, one])


def explodes_on_long_texts(path: Path) -> None:
    """The `point` that is there, but its memory grows with the fifth power of the text."""
    model = onnx.load(path, load_external_data=False)
    count = helper.make_tensor("count", TensorProto.INT64, [1], [5])
    nodes = [
        helper.make_node("Shape", ["said"], ["size"], start=1),
        helper.make_node("Expand", ["size", "count"], ["sizes"]),
        helper.make_node("ConstantOfShape", ["sizes"], ["zeros"]),
        helper.make_node("ReduceMax", ["zeros"], ["nothing"], keepdims=0),
        helper.make_node("Add", ["said", "nothing"], ["position"]),
    ]
    _append(path, model, nodes, [count])


def _append(path: Path, model: Any, nodes: list[Any], constants: list[Any]) -> None:
    for node in model.graph.node:
        for index, name in enumerate(node.output):
            if name == "position":
                node.output[index] = "said"
    for info in (*model.graph.value_info,):
        if info.name == "position":
            model.graph.value_info.remove(info)
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(constants)
    path.unlink()
    onnx.save(model, path)


def _save(path: Path, nodes: list[Any], constants: list[Any]) -> None:
    graph = helper.make_graph(
        nodes,
        "point",
        [helper.make_tensor_value_info("past", TensorProto.INT64, ["rows", 2])],
        [helper.make_tensor_value_info("position", TensorProto.FLOAT, ["n", "items"])],
        constants,
    )
    path.unlink()
    onnx.save(helper.make_model(graph, opset_imports=_OPSET, ir_version=10), path)
