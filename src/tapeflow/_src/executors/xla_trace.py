"""A graph run on JAX's tracers: the same op bodies, with `xp = backends.jax`.

What follows from shapes and constants is computed with NumPy while tracing, so that inputs which
determine shapes are static. Variables, random streams and failures are ordinary values: they are
passed into branches and loops and returned from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax as jax_xp
from tapeflow._src.backends import numpy as np_xp
from tapeflow._src.backends.jax_flags import require_finite
from tapeflow._src.backends.jax_residuals import remembering
from tapeflow._src.core.dtypes import FROM_NUMPY, DType
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.errors import InvalidArgumentError, OpError
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import PLACES, RECALLS, SHAPE_ONLY
from tapeflow._src.executors.check_plan import flagged
from tapeflow._src.executors.xla_spans import computed_entries
from tapeflow._src.executors.xla_state import Streams
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.compilability import STATIC
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

# Results that follow from constants become constants of the program up to this many elements;
# larger ones are cheaper to recompute.
_CONSTANT_SIZE = 4096
# The capacity of lists in loops with an unknown number of iterations.
LIST_ROWS = 64

# The errors that JAX raises where a value is not known while tracing.
_UNKNOWN = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)


class CannotCompileError(Exception):
    """An operation that cannot be compiled for the given shapes; `cause` is the original error."""

    def __init__(self, node: Operation, reason: str, cause: Exception | None = None) -> None:
        super().__init__(f"{node.name} ({node.type}): {reason}")
        self.node = node
        self.reason = reason
        self.cause = cause


Structure = Callable[["Trace", Operation, list[Any]], Sequence[Any]]
# By the trait that says how the bodies run.
STRUCTURES: dict[str, Structure] = {}


def is_static(value: Any) -> bool:
    """Whether a value is known while tracing."""
    return isinstance(value, np.ndarray)


class Trace:
    """Runs bodies. A value is a NumPy array if it is static, a tracer, a `Box` or a list."""

    def __init__(self, streams: Streams, list_rows: int = LIST_ROWS, checked: bool = False) -> None:
        self.streams = streams
        # Whether NaN and infinity count as failures.
        self.checked = checked
        self._flagged: set[int] = set()
        # The capacity of lists in loops of unknown length.
        self.list_rows = list_rows
        self._recalls = False
        # Functions of the values of a body, for operations of which loops compute a part outside.
        self.hoisted: dict[int, Callable[[Mapping[int, Any]], Sequence[Any]]] = {}

    def run(self, body: Body, values: Sequence[Any]) -> list[Any]:
        """Return the outputs of `body`; None for undefined ones."""
        if not self._recalls and any(RECALLS in node.definition.traits for node in body.nodes()):
            self._recalls = True
        with remembering() if self._recalls else nullcontext():
            return self._run(body, values)

    def _run(self, body: Body, values: Sequence[Any]) -> list[Any]:
        of: dict[int, Any] = {id(t): v for t, v in zip(body.inputs, values, strict=True)}
        if self.checked:
            self._flagged |= flagged(body)
        for node in body.nodes():
            if node.definition.is_argument:
                continue
            operands = [
                [of[id(t)] for t in operand] if type(operand) is tuple else of[id(operand)]
                for operand in node.operands
            ]
            hoisted = self.hoisted.get(id(node))
            results = self.results(node, operands, of) if hoisted is None else hoisted(of)
            of.update((id(t), result) for t, result in zip(node.outputs, results, strict=True))
        return [None if t is None else of[id(t)] for t in body.outputs]

    def results(self, node: Operation, operands: list[Any], of: Mapping[int, Any]) -> Sequence[Any]:
        """Return the results of an operation; `of` maps the tensors of its body to values."""
        if node.definition.is_constant:
            return (node.attrs["value"],)
        structure = node.definition.structure
        if structure is not None:
            return STRUCTURES[structure](self, node, operands)
        static_results = results_if_static(node, operands)
        if static_results is not None:
            return self._flag(node, static_results)
        if "begin" in node.definition.computed and "end" in node.definition.computed:
            operands = _with_spans(node, operands, of)
        return self._traced_results(node, operands)

    def _traced_results(self, node: Operation, operands: list[Any]) -> Sequence[Any]:
        op = node.definition
        if op.host:
            raise CannotCompileError(node, op.host)
        _check(node, operands)
        arguments = [
            _argument(node, name, kind, value)
            for name, kind, value in zip(op.input_names, op.kinds, operands, strict=True)
        ]
        attrs = attributes(node)
        if op.effect == "random":
            attrs = {**attrs, "counter": self.streams.draw(node, arguments)}
        kernel = op.kernels.get("jax", op.body)
        try:
            result = kernel(jax_xp, *arguments, **attrs)
        except InferError as error:
            explained = InvalidArgumentError(None, None, f"{error} [Op:{op.name}]")
            raise CannotCompileError(node, str(error), explained) from error
        except OpError as error:
            raise CannotCompileError(node, str(error), error) from error
        except _UNKNOWN as error:
            reason = "its shapes or its course depend on values that only a call knows"
            raise CannotCompileError(node, reason) from error
        except Exception as error:
            raise CannotCompileError(node, f"{type(error).__name__}: {error}") from error
        if not node.outputs:
            return ()
        results = (result,) if op.single_output else tuple(result)
        exact = [_cast_exactly(node, t, r) for t, r in zip(node.outputs, results, strict=True)]
        return self._flag(node, exact)

    def _flag(self, node: Operation, results: Sequence[Any]) -> Sequence[Any]:
        """Record a failure if results that are checked are not finite; return the results."""
        if self.checked:
            for tensor, value in zip(node.outputs, results, strict=True):
                if id(tensor) in self._flagged:
                    require_finite(value)
        return results


def _with_spans(node: Operation, operands: list[Any], of: Mapping[int, Any]) -> list[Any]:
    """Return the operands of a slice op, with the static parts of a computed begin."""
    names = node.definition.input_names
    begin, end = names.index("begin"), names.index("end")
    if is_static(operands[begin]) and is_static(operands[end]):
        return operands
    entries = computed_entries(node, of)
    if entries is None:
        return operands
    replaced = list(operands)
    replaced[begin], replaced[end] = entries
    return replaced


def traced(value: Any, node: Operation) -> Any:
    """Convert a static value to one of the program; return others unchanged."""
    if not isinstance(value, np.ndarray):
        return value
    if _is_text(value):
        raise CannotCompileError(node, "strings")
    return jnp.asarray(value)


def _argument(node: Operation, name: str, kind: str, value: Any) -> Any:
    op = node.definition
    if kind == "Index" and "Variant" in op.kinds:
        return value  # lists of known lengths stay so where indices are known
    if kind in STATIC:
        if not is_static(value) and name not in op.computed:
            raise CannotCompileError(
                node, "an input that decides the shape must be known when it is compiled"
            )
        return value
    if type(value) is list:
        # Messages of assertions stay on the host, which evaluates them again.
        return [v if kind == "ManyFree" and _is_text(v) else traced(v, node) for v in value]
    return traced(value, node)


def _is_text(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "OSU"


def results_if_static(node: Operation, operands: list[Any]) -> Sequence[Any] | None:
    """Return the results, if they follow from shapes and constants and are small."""
    op = node.definition
    if (op.effect is not None and SHAPE_ONLY not in op.traits) or PLACES in op.traits:
        return None
    if any(t.dtype is variant_dtype for t in (*node.inputs, *node.outputs)):
        return None
    if node.outputs and all(_is_constant(t) for t in node.outputs):
        return [t.static_value for t in node.outputs]
    if SHAPE_ONLY not in op.traits and not all(map(_all_static, operands)):
        return None
    if any(t.static_shape is not None and _too_large(t.static_shape) for t in node.outputs):
        return None
    token = np_xp.silence()
    try:
        result = op.kernels["numpy"](np_xp, *operands, **attributes(node))
    except Exception:
        # Errors are raised when the program runs.
        return None
    finally:
        np_xp.unsilence(token)
    results = [np.asarray(r) for r in ((result,) if op.single_output else result)]
    return None if any(r.size > _CONSTANT_SIZE for r in results) else results


def _is_constant(tensor: SymbolicTensor) -> bool:
    return isinstance(tensor.static_value, np.ndarray)


def _all_static(value: Any) -> bool:
    return all(map(is_static, value)) if type(value) is list else is_static(value)


def _too_large(dims: Sequence[int | None]) -> bool:
    count = 1
    for size in dims:
        count *= 1 if size is None else size
    return count > _CONSTANT_SIZE


def _check(node: Operation, operands: list[Any]) -> None:
    """Run the shape rule, where tracing the graph did not know all shapes."""
    op = node.definition
    if not op.checked or all(
        t.static_shape is not None and None not in t.static_shape for t in node.inputs
    ):
        return
    try:
        op.infer_outputs(_specs(operands), attributes(node))
    except InferError as error:
        explained = InvalidArgumentError(None, None, f"{error} [Op:{op.name}]")
        raise CannotCompileError(node, str(error), explained) from error
    except OpError as error:
        raise CannotCompileError(node, str(error), error) from error


def _specs(operands: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        _specs(v)
        if type(v) is list
        else Spec(
            v.shape,
            v.dtype if isinstance(v.dtype, DType) else FROM_NUMPY[np.dtype(v.dtype)],
            v if is_static(v) else None,
        )
        for v in operands
    )


def _cast_exactly(node: Operation, tensor: SymbolicTensor, result: Any) -> Any:
    """Cast a result to exactly the tensor's dtype, not weakly typed."""
    if isinstance(result, np.ndarray) or not hasattr(result, "weak_type"):
        return result if hasattr(result, "dtype") else np.asarray(result)
    expected = tensor.dtype.np
    if result.dtype != expected:
        raise CannotCompileError(
            node, f"compiled it gives {result.dtype}, and {tensor.dtype.name} is declared"
        )
    return lax.convert_element_type(result, expected) if result.weak_type else result
