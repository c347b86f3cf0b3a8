"""The graph of a SavedModel: what a runtime without objects loads, such as TensorFlow Serving.

It has a handle for each variable and table, a call for each signature, and an operation that
initializes assets and tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from tapeflow._src.api.structure_protos import encode
from tapeflow._src.core import dtypes, nest
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.protos.values import set_shape
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.graph.attr_values import write
from tapeflow._src.graph.names import Names

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
        name_in_graph: str = node.name
        return name_in_graph

    def variable(self, name: str, dtype: DType, shape: Any) -> str:
        """Return the handle of a variable."""
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
        """Return a path that the loader feeds: the names of its placeholder, and of what reads it
        later.
        """
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
        """Return a call of a function."""
        return self.add(
            "StatefulPartitionedCall",
            "StatefulPartitionedCall",
            inputs,
            f=(function, "func"),
            Tin=(takes, "list(type)"),
            Tout=(gives, "list(type)"),
        )

    def initialization(self) -> str:
        """Return the operation that must run before others."""
        return self.add("NoOp", "NoOp", [f"^{name}" for name in self.initial])


def write_info(info: Any, name: str, dtype: DType, shape: ShapeLike) -> None:
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
    names = (f"{call}:{i}" for i in count())
    for name in sorted(outputs):
        _write_output(message.outputs[name], outputs[name], names)
    message.method_name = PREDICT


def _write_output(info: Any, value: Any, names: Iterator[str]) -> None:
    """Fill the TensorInfo of a result: a tensor, or a composite with the next names."""
    if isinstance(value, Tensor):
        write_info(info, next(names), value.dtype, value.shape)
        return
    spec = encode(value._type_spec).type_spec_value
    info.composite_tensor.type_spec.CopyFrom(spec)
    for part in nest.flatten(value, expand_composites=True):
        component = info.composite_tensor.components.add()
        write_info(component, next(names), part.dtype, part.shape)
