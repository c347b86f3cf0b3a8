"""Tracing: an op call is checked, its outputs are inferred, and it is appended to a graph.

Recorders receive the tensors that the call was made with, not the graph's stand-ins for them: a
tape that watches a tensor from outside recognises it inside a function, too.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import NotATensor, UnsupportedValue, call_op
from tapeflow._src.core.converters import converters_of
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError, OpError, fmt_shape, with_hint
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.protos.values import MOST_DIMS
from tapeflow._src.core.registry import DtypeError, InferError, Op
from tapeflow._src.core.source import Location
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.graph import static_values
from tapeflow._src.graph.tensor import SymbolicTensor

if TYPE_CHECKING:
    from tapeflow._src.graph.graph import Graph

# A value of at most this many elements is embedded in the graph; a larger one is captured.
CONSTANT_SIZE = 128
# Each random operation of a graph draws from a stream of its own.
_streams = count(1)
# Loaded once a call has failed.
_call_text = LazyModule("tapeflow._src.graph.call_text")
_dtype_messages = LazyModule("tapeflow._src.graph.dtype_messages")
_repairs = LazyModule("tapeflow._src.core.repairs")


class TracingMode:
    """Adds ops to `graph`."""

    __slots__ = ("graph", "source")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # The user's line that operations are attributed to, if not the one that runs.
        self.source: Location | None = None

    @property
    def seeds(self) -> Any:
        return self.graph.seeds

    def convert(self, value: Any, dtype: DTypeLike, hint: Any, name: str | None) -> Any:
        """Convert `value` to a tensor: tensors are unchanged, a Python value becomes a constant.

        A constant without a name is added to the graph by the op that takes it, under its name.
        """
        if isinstance(value, Tensor):
            if dtype is not None and as_dtype(dtype) is not value.dtype:
                raise ValueError(
                    f"Expected a {as_dtype(dtype).name} tensor, received one of dtype "
                    f"{value.dtype.name}; tensors are never converted silently: use tf.cast. The "
                    f"tensor: {value!r}"
                )
            return value
        count = len(self.graph.nodes)
        try:
            tensor = dispatch.base_mode().convert(value, dtype, hint, name)
        except ValueError as error:
            if isinstance(value, list | tuple) and any(item is None for item in value):
                raise _unknown_sizes(value) from None
            raise _refusal(value, error) from None
        if len(self.graph.nodes) > count:
            self.graph.reads.note(self.graph.nodes[count:])
        if isinstance(tensor, SymbolicTensor) or _defines_conversion(value):
            return tensor
        if name is None:
            return self.graph.literal(tensor)
        return self.graph.constant(tensor.static_value, tensor.dtype, name)

    def embed(self, tensor: Any, name: str) -> Any:
        """Embed a tensor with a value as a constant of the graph."""
        return self.graph.constant(tensor.static_value, tensor.dtype, name)

    def execute(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None
    ) -> Any:
        """Append a call of `op` to the graph."""
        for value in inputs:
            if not isinstance(value, Tensor):
                try:
                    inputs = op.convert_inputs(inputs)
                except NotATensor as error:
                    return call_op(op, inputs, attrs, name, error)
                break
        _check_dtypes(op, inputs)
        graph = self.graph
        if name is None:
            name = op.display_name
        if not name.endswith("/"):
            name = graph.names.unique(dispatch.state.name_scope + name) + "/"
        if graph.reads:
            graph.reads.take(inputs, name)
        operands = tuple(
            [
                tuple([_adopt(graph, t, op, name, n, i) for i, t in enumerate(v)])
                if type(v) is tuple
                else _adopt(graph, v, op, name, n, shared=kind != "Static")
                for n, v, kind in zip(op.input_names, inputs, op.kinds)
            ]
        )
        specs = infer(op, operands, attrs, name[:-1])
        if op.effect == "random":
            node_attrs = {**attrs, "_stream": next(_streams)}
        else:
            node_attrs = attrs
        node = graph.add(op, operands, node_attrs, specs, name, self.source)
        outputs = node.outputs
        if op.effect is None and not op.host:
            static_values.compute(op, operands, attrs, outputs)
        if not outputs:
            return None if not op.outputs_are_list else ()
        for recorder in dispatch.state.recorders:
            recorder.record(op, inputs, attrs, outputs)
        return outputs[0] if op.single_output else outputs

    @property
    def declares_variables(self) -> bool:
        """Whether a new variable is initialised by an operation of the graph."""
        return not self.graph.building_function

    def creating_variable(self) -> None:
        """Handle the creation of a variable."""
        self.graph.creating_variable()

    def value_now(self, tensor: Any) -> Any:
        """Compute the value of a tensor of the graph that a new variable is initialised with."""
        return self.graph.value_now(tensor) if isinstance(tensor, SymbolicTensor) else tensor


def _defines_conversion(value: Any) -> bool:
    """Whether the class defines its own conversion (`__tf_tensor__` or a registered converter)."""
    return hasattr(value, "__tf_tensor__") or bool(converters_of(type(value)))


def _unknown_sizes(value: Any) -> TypeError:
    """Explain a list with None in it, which nearly always is a partly unknown shape."""
    return TypeError(
        f"Cannot convert {value} to a Tensor: None is not a value. A size that is not known while "
        "a function is traced is a tensor: tf.shape(x)[0] instead of x.shape[0]."
    )


def _refusal(value: Any, error: ValueError) -> Exception:
    """Return the error for a Python value that cannot be converted, as tracing words it."""
    if value is None:
        return ValueError("None values not supported.")
    if not isinstance(error, UnsupportedValue):
        return error
    return TypeError(
        f"Cannot convert {value!r} to a Tensor: expected numbers, bools, strings, or lists or "
        "arrays of them."
    )


def _adopt(
    graph: Graph,
    tensor: Any,
    op: Op,
    scope: str,
    parameter: str,
    index: int | None = None,
    shared: bool = True,
) -> SymbolicTensor:
    """Return `tensor` as one of the graph's; constants for it are named after the op's input.

    Cached shapes and axes are not shared within a graph.
    """
    if type(tensor) is SymbolicTensor and tensor.op.graph is graph:
        return tensor._origin
    parameter = op.graph_inputs.get(parameter, parameter)
    if index is not None:
        parameter = f"{parameter}_{index}"
    name = graph.names.unique(scope + parameter) + "/"
    if not shared and not isinstance(tensor, SymbolicTensor):
        value = tensor.static_value
        if value.size <= CONSTANT_SIZE:
            return graph.constant(value, tensor.dtype, name)
    return graph.adopt(tensor, name)


def specs_of(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the specs of the inputs for a shape rule."""
    return tuple(
        [
            specs_of(v)
            if type(v) is tuple
            else Spec(v.static_shape, v._dtype, v.static_value, v._partial)
            for v in operands
        ]
    )


def infer(op: Op, operands: tuple[Any, ...], attrs: dict[str, Any], label: str) -> tuple[Spec, ...]:
    """Infer the specs of the outputs; ValueError, as TF raises while tracing, if the op refuses."""
    try:
        specs = op.infer_outputs(specs_of(operands), attrs)
        for spec in specs:
            if spec.shape is not None and len(spec.shape) > MOST_DIMS:
                raise InferError(
                    f"{op.name} has a result of {len(spec.shape)} dimensions, but a "
                    f"tensor has at most {MOST_DIMS}"
                )
        return specs
    except DtypeError as error:
        raise TypeError(
            _dtype_messages.dtype_message(op, _dtypes(operands)) or error.traced
        ) from None
    except (InferError, OpError) as error:
        flat: list[Any] = []
        for operand in operands:
            flat.extend(operand if type(operand) is tuple else (operand,))
        shapes = ", ".join(fmt_shape(t.static_shape) for t in flat)
        call = _call_text.call_text(op, operands, attrs)
        why = getattr(error, "traced", None) or getattr(error, "message", "") or str(error)
        hint: str = _repairs.repair(op, specs_of(operands), attrs, str(why))
        text = f"{why} for '{{{{node {label}}}}} = {call}' with input shapes: {shapes}."
        raise ValueError(with_hint(text, hint)) from None


def _dtypes(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([tuple([t.dtype for t in v]) if type(v) is tuple else v.dtype for v in inputs])


def _check_dtypes(op: Op, inputs: tuple[Any, ...]) -> None:
    key = _dtypes(inputs)
    if key in op.accepted:
        return
    try:
        op.check_dtypes(key)
    except InvalidArgumentError as error:
        raise TypeError(_dtype_messages.dtype_message(op, key) or error.message) from None
    op.accepted.add(key)
