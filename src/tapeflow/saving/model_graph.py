"""The graph of a SavedModel: what a runtime without objects loads, such as TensorFlow Serving.

It has a handle for each variable, a call for each signature, an operation that initializes assets
and tables, and calls that save and restore the variables.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.dtypes import DType
from tapeflow.core.protos.values import set_shape
from tapeflow.core.shape import as_dims
from tapeflow.graph.attr_values import write
from tapeflow.graph.names import Names

INIT_KEY = "__saved_model_init_op"
PREDICT = "tensorflow/serving/predict"


@dataclass
class GraphWriter:
    """Adds nodes with unique names to the GraphDef of a SavedModel."""

    nodes: Any
    names: Names = field(default_factory=Names)
    # What the initialization waits for.
    initial: list[str] = field(default_factory=list)

    def add(self, op: str, name: str, inputs: Sequence[str] = (), **attrs: tuple[Any, str]) -> str:
        """Add a node; an attribute is a value and its kind. Returns the name of the node."""
        plain = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name).lstrip("_/\\>-") or op
        node = self.nodes.add(name=self.names.unique(plain), op=op)
        node.input.extend(inputs)
        for key, (value, kind) in attrs.items():
            write(node.attr[key], value, kind)
        found: str = node.name
        return found

    def variable(self, name: str, dtype: DType, shape: Any) -> str:
        """The handle of a variable."""
        handle = self.add("VarHandleOp", name, dtype=(dtype, "type"), shape=(shape, "shape"))
        node = self.nodes[-1]
        write(node.attr["shared_name"], handle, "string")
        write(node.attr["container"], "", "string")
        return handle

    def constant(self, value: np.ndarray, dtype: DType, name: str = "Const") -> str:
        return self.add("Const", name, value=(value, "tensor"), dtype=(dtype, "type"))

    def placeholder(self, name: str, dtype: DType, shape: Any) -> str:
        return self.add("Placeholder", name, dtype=(dtype, "type"), shape=(shape, "shape"))

    def asset(self) -> tuple[str, str]:
        """A path that the loader gives: the names of what it feeds, and of what reads it later."""
        fed = self.placeholder("asset_path_initializer", dtypes.string, ())
        handle = self.variable("Variable", dtypes.string, ())
        assign = self.add(
            "AssignVariableOp", f"{handle}/Assign", [handle, fed], dtype=(dtypes.string, "type")
        )
        self.initial.append(assign)
        read = self.add(
            "ReadVariableOp",
            f"{handle}/Read",
            [handle, f"^{assign}"],
            dtype=(dtypes.string, "type"),
        )
        return fed, read

    def call(
        self, function: str, inputs: Sequence[str], takes: Sequence[DType], gives: Sequence[DType]
    ) -> str:
        """A call of a function."""
        return self.add(
            "StatefulPartitionedCall",
            "StatefulPartitionedCall",
            inputs,
            f=(function, "func"),
            Tin=(takes, "list(type)"),
            Tout=(gives, "list(type)"),
        )

    def initialization(self) -> str:
        """The operation that must run before others."""
        return self.add("NoOp", "NoOp", [f"^{name}" for name in self.initial])


def write_info(info: Any, name: str, dtype: DType, shape: Any) -> None:
    """Fill the TensorInfo of a tensor of the graph."""
    info.name = name
    info.dtype = dtype.as_datatype_enum
    set_shape(info.tensor_shape, as_dims(shape))


def write_signature(
    message: Any, writer: GraphWriter, key: str, concrete: Any, captured: Sequence[str]
) -> None:
    """Fill the SignatureDef of a function, and add a call of it to the graph."""
    specs: list[Any] = concrete.function_type.flat_inputs
    fed = []
    for name, spec in zip(concrete.signature.flat_names, specs):
        node = writer.placeholder(f"{key}_{name}", spec.dtype, as_dims(spec.shape))
        write_info(message.inputs[name], f"{node}:0", spec.dtype, spec.shape)
        fed.append(node)
    takes = [t.dtype for t in concrete._callee.body.inputs]
    takes += [dtypes.string] * (len(fed) + len(captured) - len(takes))
    gives = [t.dtype for t in concrete.outputs]
    call = writer.call(concrete.name, [*fed, *captured], takes, gives)
    outputs = concrete.structured_outputs
    for i, name in enumerate(sorted(outputs)):
        tensor = outputs[name]
        write_info(message.outputs[name], f"{call}:{i}", tensor.dtype, tensor.shape)
    message.method_name = PREDICT


def write_saver(
    meta: Any, writer: GraphWriter, variables: Sequence[tuple[str, str, DType]], graph: bytes
) -> None:
    """Add calls that save and restore variables: each has a handle, a key and a dtype."""
    handles = [handle for handle, _, _ in variables]
    takes = [dtypes.string, *[dtypes.resource] * len(handles)]
    fed = writer.placeholder("saver_filename", dtypes.string, ())
    calls = []
    for fill in (_saving, _restoring):
        function = meta.graph_def.library.function.add()
        function.signature.name = f"__inference__traced{fill.__name__}"
        function.signature.input_arg.add(name="file_prefix", type=dtypes.string.as_datatype_enum)
        for i, _ in enumerate(handles):
            function.signature.input_arg.add(name=f"handle_{i}", type=takes[1].as_datatype_enum)
        function.signature.output_arg.add(name="done", type=dtypes.string.as_datatype_enum)
        function.signature.is_stateful = True
        inner = GraphWriter(function.node_def)
        after = fill(inner, variables, graph)
        inner.add("Identity", "Identity", ["file_prefix", *after], T=(dtypes.string, "type"))
        function.ret["done"] = "Identity:output:0"
        for name in after:
            function.control_ret[name[1:]] = name[1:]
            function.signature.control_output.append(name[1:])
        calls.append(writer.call(function.signature.name, [fed, *handles], takes, takes[:1]))
    saver = meta.saver_def
    saver.filename_tensor_name = f"{fed}:0"
    saver.save_tensor_name = f"{calls[0]}:0"
    saver.restore_op_name = calls[1]
    saver.version = 2


def _keys(inner: GraphWriter, keys: Sequence[str]) -> list[str]:
    """Constants with the names of tensors, and with the parts of them that are meant: all."""
    names = np.array([key.encode() for key in keys], object)
    parts = np.array([b""] * len(keys), object)
    return [
        f"{inner.constant(names, dtypes.string, 'tensor_names')}:output:0",
        f"{inner.constant(parts, dtypes.string, 'shape_and_slices')}:output:0",
    ]


def _saving(inner: GraphWriter, variables: Sequence[Any], graph: bytes) -> list[str]:
    stored = np.array(graph, object)
    objects = inner.constant(stored, dtypes.string, "objects")
    reads = [
        inner.add("ReadVariableOp", "Read", [f"handle_{i}"], dtype=(dtype, "type"))
        for i, (_, _, dtype) in enumerate(variables)
    ]
    keys = [*(key for _, key, _ in variables), "_CHECKPOINTABLE_OBJECT_GRAPH"]
    inputs = ["file_prefix", *_keys(inner, keys)]
    inputs += [*(f"{read}:value:0" for read in reads), f"{objects}:output:0"]
    kinds = [*(dtype for _, _, dtype in variables), dtypes.string]
    save = inner.add("SaveV2", "SaveV2", inputs, dtypes=(kinds, "list(type)"))
    return [f"^{save}"]


def _restoring(inner: GraphWriter, variables: Sequence[Any], graph: bytes) -> list[str]:
    if not variables:
        return []
    inputs = ["file_prefix", *_keys(inner, [key for _, key, _ in variables])]
    kinds = [dtype for _, _, dtype in variables]
    restore = inner.add("RestoreV2", "RestoreV2", inputs, dtypes=(kinds, "list(type)"))
    assigned = [
        inner.add(
            "AssignVariableOp",
            "AssignVariableOp",
            [f"handle_{i}", f"{restore}:tensors:{i}"],
            dtype=(dtype, "type"),
        )
        for i, dtype in enumerate(kinds)
    ]
    return [f"^{name}" for name in assigned]
