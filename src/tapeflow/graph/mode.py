"""Tracing: an op call is checked, its result described, and the call appended to a graph.

Recorders are told of the tensors the call was made with, not of the graph's stand-ins for them:
a tape that watches a tensor from outside knows it inside a function, too.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.backends import numpy as xp
from tapeflow.core import dispatch
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.errors import InvalidArgumentError, OpError, fmt_shape
from tapeflow.core.registry import InferError, Op
from tapeflow.core.source import Location
from tapeflow.core.spec import Spec
from tapeflow.core.tensor import Tensor
from tapeflow.graph.names import DEFAULT_NAMES
from tapeflow.graph.tensor import SymbolicTensor

if TYPE_CHECKING:
    from tapeflow.graph.graph import Graph

# Results of whole numbers with at most so many elements are computed while tracing, if they can.
_STATIC_SIZE = 1024

# Each random operation of a graph draws from a stream of its own.
_streams = count(1)


class TracingMode:
    """Puts ops into `graph`."""

    __slots__ = ("_implicit", "graph", "source")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # Whether values are being converted for an op call, which names them after itself.
        self._implicit = False
        # The line of the user's that operations are due to, where it is not the one that runs.
        self.source: Location | None = None

    @property
    def seeds(self) -> Any:
        return self.graph.seeds

    def convert(self, value: Any, dtype: Any, hint: Any, name: str | None) -> Any:
        """`value` as a tensor: one is left as it is, a Python value becomes a constant."""
        if isinstance(value, Tensor):
            if dtype is not None and as_dtype(dtype) is not value.dtype:
                raise ValueError(
                    f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with "
                    f"dtype {value.dtype.name}: {value!r}"
                )
            return value
        tensor = dispatch.base_mode().convert(value, dtype, hint, name)
        if self._implicit or isinstance(tensor, SymbolicTensor) or hasattr(value, "__tf_tensor__"):
            return tensor
        return self.graph.constant(tensor._static, tensor.dtype, name)

    def execute(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None
    ) -> Any:
        """Append a call of `op` to the graph."""
        for value in inputs:
            if not isinstance(value, Tensor):
                inputs = self._converted(op, inputs)
                break
        _check_dtypes(op, inputs)
        graph = self.graph
        label = name or DEFAULT_NAMES.get(op.name, op.name)
        operands = tuple(
            [
                tuple([_own(graph, t, label, f"{n}_{i}") for i, t in enumerate(v)])
                if type(v) is tuple
                else _own(graph, v, label, n)
                for n, v in zip(op.input_names, inputs)
            ]
        )
        specs = infer(op, operands, attrs, label)
        if op.effect == "random":
            node_attrs = {**attrs, "_stream": next(_streams)}
        else:
            node_attrs = attrs
        node = graph.add(op, operands, node_attrs, specs, name, self.source)
        outputs = node.outputs
        if op.effect is None and not op.host:
            _compute_static(op, operands, attrs, outputs)
        if not outputs:
            return None if not op.outputs_are_list else ()
        for recorder in dispatch.state.recorders:
            recorder.record(op, inputs, attrs, outputs)
        return outputs[0] if op.single_output else outputs

    def creating_variable(self) -> None:
        """A variable is about to be made."""
        self.graph.creating_variable()

    def value_now(self, tensor: Any) -> Any:
        """The value of a tensor of the graph, which a new variable starts with."""
        return self.graph.value_now(tensor) if isinstance(tensor, SymbolicTensor) else tensor

    def _converted(self, op: Op, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        implicit, self._implicit = self._implicit, True
        try:
            return op.convert_inputs(inputs)
        finally:
            self._implicit = implicit


def _own(graph: Graph, tensor: Any, label: str, parameter: str) -> SymbolicTensor:
    if type(tensor) is SymbolicTensor and tensor.op.graph is graph:
        return tensor._origin
    return graph.own(tensor, f"{label}/{parameter}")


def specs_of(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a shape rule is told of the inputs."""
    return tuple(
        [specs_of(v) if type(v) is tuple else Spec(v._dims, v._dtype, v._static) for v in operands]
    )


def infer(op: Op, operands: tuple[Any, ...], attrs: dict[str, Any], label: str) -> tuple[Spec, ...]:
    """The specs of the outputs; ValueError, as TF raises while tracing, if the op refuses."""
    try:
        return op.infer_outputs(specs_of(operands), attrs)
    except (InferError, OpError) as error:
        flat: list[Any] = []
        for operand in operands:
            flat.extend(operand if type(operand) is tuple else (operand,))
        shapes = ", ".join(fmt_shape(t._dims) for t in flat)
        given = ", ".join(t.op.name for t in flat)
        raise ValueError(
            f"{error} for '{{{{node {dispatch.state.name_scope}{label}}}}} = {op.name}({given})' "
            f"with input shapes: {shapes}."
        ) from None


def _check_dtypes(op: Op, inputs: tuple[Any, ...]) -> None:
    key = tuple([tuple([t.dtype for t in v]) if type(v) is tuple else v.dtype for v in inputs])
    if key in op.accepted:
        return
    try:
        op.check_dtypes(key)
    except InvalidArgumentError as error:
        raise TypeError(_dtype_message(op, key) or str(error)) from None
    op.accepted.add(key)


def _dtype_message(op: Op, key: tuple[Any, ...]) -> str | None:
    """How TF describes two inputs of different dtypes while tracing."""
    first: tuple[str, DType] | None = None
    for name, kind, dtype in zip(op.input_names, op.kinds, key):
        if kind in ("T", "StaticT"):
            if first is None:
                first = (name, dtype)
            elif dtype is not first[1]:
                return (
                    f"Input {name!r} of {op.name!r} Op has type {dtype.name} that does not match "
                    f"type {first[1].name} of argument {first[0]!r}."
                )
    return None


def _compute_static(
    op: Op, operands: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[SymbolicTensor, ...]
) -> None:
    """Find the values of whole numbers that depend on known ones only: shapes, mostly."""
    for tensor in outputs:
        if not (tensor._dtype.is_integer or tensor._dtype.is_bool) or tensor._static is not None:
            return
        dims = tensor._dims
        if dims is None:
            return
        count = 1
        for size in dims:
            if size is None:
                return
            count *= size
        if count > _STATIC_SIZE:
            return
    arrays: list[Any] = []
    for value in operands:
        if type(value) is tuple:
            items = [t._static for t in value]
            if any(item is None for item in items):
                return
            arrays.append(items)
        elif value._static is None:
            if op.name not in _OF_SHAPE_ONLY or value._dims is None or None in value._dims:
                return
            arrays.append(_Shaped(value._dims))
        else:
            arrays.append(value._static)
    try:
        result = op.kernels["numpy"](xp, *arrays, **attrs)
    except Exception:
        # The value is asked for early; what is wrong with it is told when the graph runs.
        return
    for tensor, value in zip(outputs, (result,) if op.single_output else result):
        tensor._static = np.asarray(value)  # type: ignore[misc]


# They look at the shape of their input, which may be known where the value is not.
_OF_SHAPE_ONLY = frozenset({"Shape", "Size", "Rank"})


class _Shaped:
    """An array of which only the shape is there."""

    def __init__(self, dims: Any) -> None:
        self.shape = dims
        self.ndim = len(dims)
        self.size = 1
        for size in dims:
            self.size *= size
