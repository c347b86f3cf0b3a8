"""Graphs that TensorFlow wrote compute here what they computed there.

`tests/parity/record_graph_defs.py` recorded them.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tests.graph.roundtrip import run

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "graph_defs.json").read_text(encoding="utf-8")
)


def array(record: dict[str, Any]) -> np.ndarray:
    kind = record["dtype"]
    values = [v.encode() for v in record["values"]] if kind == "object" else record["values"]
    return np.array(values, kind).reshape(record["shape"])


@pytest.mark.parametrize("name", RECORDED)
def test_a_graph_of_tensorflows(name: str) -> None:
    recorded = RECORDED[name]
    message = protos.GraphDef.FromString(base64.b64decode(recorded["graph"]))
    graph = FuncGraph(name)
    with graph.as_default():
        outputs = tf.import_graph_def(message, name="", return_elements=recorded["outputs"])
    places = ["x:0", *recorded["variables"]]
    body = Body(graph, tuple(outputs), tuple(graph.get_tensor_by_name(p) for p in places))
    for case in recorded["runs"]:
        handles = [
            tf.Variable(array(value)).handle.static_value
            for value in recorded["variables"].values()
        ]
        found = run(body, [np.array(case["x"], np.float32), *handles])
        for ours, theirs in zip(found, map(array, case["outputs"]), strict=True):
            assert ours.dtype == theirs.dtype
            if theirs.dtype == object:
                np.testing.assert_array_equal(ours, theirs)
            else:
                np.testing.assert_allclose(ours, theirs, rtol=1e-5)
