"""`tf.py_function` and `tf.numpy_function`: call Python whenever the graph runs."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import count
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.errors import InvalidArgumentError, OpError, error_of_python
from tapeflow._src.core.host_functions import HostFunction, Token
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.tape import GradientTape
from tapeflow._src.graph.subgraphs import is_composite
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.graph.python_functions import eager_py_func, py_func, py_func_stateless

_numbers = count()


def _as_op_error(error: Exception) -> OpError:
    """Convert an exception of a user's function to an op error that includes the traceback."""
    text = f"{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}"
    return error_of_python(error, text)


def _check_arguments(function: str, func: Any, inp: Any, Tout: Any) -> None:
    """Raise TypeError if an argument of a call, or of a decorator, is missing."""
    if Tout is None:
        raise TypeError(
            f"tf.{function} needs Tout, the dtypes of the results: as a decorator, "
            f"`@tf.{function}(Tout=tf.float32)`."
        )
    if func is None and inp is not None:
        raise TypeError(
            f"tf.{function} as a decorator (`func=None`) takes no `inp`: the arguments come with "
            "each call."
        )
    if func is not None and inp is None:
        raise TypeError(
            f"Missing argument `inp`: the list of arguments of the function must be given, unless "
            f"tf.{function} is used as a decorator (`func=None`)."
        )
    if func is not None and not callable(func):
        raise ValueError(f"func must be callable, received {func!r} of type {type(func).__name__}.")


def _decorator(call: Callable[..., Any]) -> Any:
    """Return a decorator, for calls without a function."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def wrapped(*args: Any) -> Any:
            return call(func, list(args))

        return wrapped

    return decorate


# -- of tensors -------------------------------------------------------------------------------


def py_function(
    func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Call a Python function of eager tensors; in a graph, whenever the graph runs.

    Gradients flow through the call. The function is not part of the graph: a saved model does not
    contain it.

    Args:
        func: The function. Without it, a decorator is returned.
        inp: A list of its arguments.
        Tout: The dtype or spec of the result, or a list of them.
        name: Name of the op in a graph.

    Returns:
        One tensor; a list of them if `Tout` is a list.

    Raises:
        TypeError: `Tout` or `inp` is missing.
        ValueError: `func` is not callable.

    Example:

        >>> @tf.function
        ... def twice(x):
        ...     return tf.py_function(lambda t: t * 2, [x], Tout=tf.int32)
        >>> twice(tf.constant(3)).numpy()
        np.int32(6)
    """
    _check_arguments("py_function", func, inp, Tout)
    if func is None:
        return _decorator(lambda f, args: py_function(f, args, Tout, name))
    values = [v if _is_composite(v) else dispatch.convert(v) for v in inp]
    call = _EagerCall(func, values, Tout)
    if not tracing():
        return call.packed(call.results(values))
    tensors = nest.flatten(values, expand_composites=True)
    outputs = eager_py_func(
        tensors, token=Token(call), Tout=[*call.dtypes, dtypes.int64], name=name
    )
    for tensor, dims in zip(outputs, call.shapes, strict=False):
        tensor.set_shape(dims)
    return call.packed(list(outputs[:-1]))


class _Differentiable(HostFunction):
    """A function of eager tensors that caches its last call for the gradient.

    Its last result is the number of the call. If the gradient of that very call is requested, the
    function need not be run again.
    """

    def __init__(self) -> None:
        self._last: tuple[int, Any, list[Any], list[Any]] = (-1, None, [], [])

    def compute(self, tensors: list[Any]) -> list[Any]:
        """Call the function."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it computes.")

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the results and the number of the call."""
        tensors = [EagerTensor(a) for a in arrays]
        with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
            if not _differentiable_tensors(tensors):
                return _arrays(self.compute(tensors), -1)
            tape, outputs = self._on_tape(tensors)
        number = next(_numbers)
        self._last = (number, tape, tensors, outputs)
        return _arrays(outputs, number)

    def _on_tape(self, tensors: list[Any]) -> tuple[GradientTape, list[Any]]:
        with GradientTape(persistent=True) as tape:
            tape.watch(_differentiable_tensors(tensors))
            outputs = self.compute(tensors)
        return tape, outputs

    def gradient(self, has_gradient: Sequence[bool], needed: Sequence[bool]) -> Token:
        return Token(_Gradient(self, has_gradient, needed))

    def pulled(
        self, number: int | None, tensors: list[Any], gradients: dict[int, Any], needed: list[int]
    ) -> list[Any]:
        """Compute the gradients w.r.t. some arguments; repeat the call if it was not the last."""
        last, tape, inputs, outputs = self._last
        if tape is None or number != last:
            inputs = tensors
            tape, outputs = self._on_tape(inputs)
        results: list[Any] = tape.gradient(
            [outputs[i] for i in gradients],
            [inputs[i] for i in needed],
            output_gradients=list(gradients.values()),
            unconnected_gradients="zero",
        )
        return [dispatch.convert(g) for g in results]


class _Gradient(_Differentiable):
    """The gradient of a function; its inputs are a call's number, its arguments and gradients.

    As a function it computes everything anew, so that it can be differentiated again.
    """

    def __init__(
        self, of: _Differentiable, has_gradient: Sequence[bool], needed: Sequence[bool]
    ) -> None:
        super().__init__()
        self._of = of
        self._given = [i for i, is_present in enumerate(has_gradient) if is_present]
        self._wanted = [i for i, is_present in enumerate(needed) if is_present]
        self._count = len(needed) + 1

    def _gradients(self, number: int | None, tensors: list[Any]) -> list[Any]:
        seeds = dict(zip(self._given, tensors[self._count :], strict=True))
        return self._of.pulled(number, tensors[1 : self._count], seeds, self._wanted)

    def compute(self, tensors: list[Any]) -> list[Any]:
        return self._gradients(None, tensors)

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        tensors = [EagerTensor(a) for a in arrays]
        with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
            return _arrays(self._gradients(int(arrays[0]), tensors), -1)


def _differentiable_tensors(tensors: list[Any]) -> list[Any]:
    return [t for t in tensors if t.dtype in dtypes.FLOATING_COMPLEX]


def _arrays(tensors: list[Any], number: int) -> list[Any]:
    return [*(t._array for t in tensors), np.array(number, np.int64)]


class _EagerCall(_Differentiable):
    """The user's function."""

    def __init__(self, func: Callable[..., Any], values: list[Any], Tout: Any) -> None:
        super().__init__()
        self._func = func
        self._arguments: list[TypeSpec] | None = None
        if any(map(is_composite, values)):
            self._arguments = [_description(value) for value in values]
        self._given = Tout
        self._described = list(Tout) if isinstance(Tout, (list, tuple)) else [Tout]
        specs = [spec for kind in self._described for spec in _components(kind)]
        self.dtypes = [spec.dtype for spec in specs]
        self.shapes = [spec.shape for spec in specs]

    def compute(self, tensors: list[Any]) -> list[Any]:
        if self._arguments is None:
            return self.results(tensors)
        remaining = iter(tensors)
        return self.results([spec.from_tensors(remaining) for spec in self._arguments])

    def results(self, values: Sequence[Any]) -> list[Any]:
        """Call the function and return flat tensors of the declared dtypes."""
        try:
            results = self._func(*values)
        except Exception as error:
            raise _as_op_error(error) from error
        if results is None:
            results = []
        if not isinstance(results, (list, tuple)):
            results = [results]
        _require_count(self._func, len(results), len(self._described))
        try:
            return self._flat(results)
        except (TypeError, ValueError) as error:
            raise _as_op_error(error) from error

    def _flat(self, results: Sequence[Any]) -> list[Any]:
        flat: list[Any] = []
        for value, kind in zip(results, self._described, strict=True):
            if isinstance(kind, TypeSpec) and not isinstance(kind, TensorSpec):
                if not kind.is_compatible_with(value):
                    raise self._mismatch(results, f"{value!r} is not compatible with {kind!r}.")
                flat += kind.to_tensors(value)
            else:
                if _is_composite(value):
                    raise self._mismatch(results, f"{value!r} is not a Tensor.")
                dtype = kind.dtype if isinstance(kind, TensorSpec) else as_dtype(kind)
                received = getattr(value, "dtype", dtype)
                if isinstance(value, Tensor) and received != dtype:
                    raise self._mismatch(
                        results,
                        f"it is {received.name}. Declare Tout=tf.{received.name}, or return "
                        f"tf.cast(result, tf.{dtype.name}).",
                    )
                flat.append(dispatch.convert(value, dtype))
        return flat

    def _mismatch(self, results: Sequence[Any], reason: str) -> ValueError:
        return ValueError(
            f"py_function: {self._func} returned {list(results)}, which is not "
            f"Tout={self._described}: {reason}"
        )

    def packed(self, tensors: list[Any]) -> Any:
        """Pack flat results into the structure of the function's result."""
        remaining = iter(tensors)
        results = [
            kind.from_tensors(remaining) if isinstance(kind, TypeSpec) else next(remaining)
            for kind in self._described
        ]
        return results if isinstance(self._given, (list, tuple)) else results[0]


def _require_count(func: Any, received: int, expected: int) -> None:
    if received != expected:
        raise InvalidArgumentError(
            None, None, f"{func} returns {received} values, but expects to see {expected} values."
        )


def _is_composite(value: TensorLike) -> bool:
    """Whether a value is a composite tensor; a list is converted to one tensor instead."""
    return is_composite(value) and not isinstance(value, (list, tuple, dict))


def _description(value: Any) -> TypeSpec:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec: TypeSpec = value._type_spec
    return spec


def _components(kind: Any) -> list[Any]:
    """Return the specs of the component tensors of a result."""
    if isinstance(kind, TypeSpec):
        return list(kind.flatten())
    return [TensorSpec(None, as_dtype(kind))]


# -- of arrays --------------------------------------------------------------------------------


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function of NumPy arrays; in a graph, whenever the graph runs.

    No gradients flow through the call. The function is not part of the graph: a saved model does
    not contain it.

    Args:
        func: The function. Without it, a decorator is returned.
        inp: A list of its arguments.
        Tout: The dtype of the result, or a list of dtypes.
        stateful: Whether the function may return different results for the same arguments.
        name: Name of the op in a graph.

    Returns:
        One tensor; a list of them if there are several results.

    Raises:
        TypeError: `Tout` or `inp` is missing.
        ValueError: `func` is not callable.

    Example:

        >>> tf.numpy_function(np.median, [tf.constant([1.0, 5.0, 2.0])], Tout=tf.float32).numpy()
        np.float32(2.0)
    """
    _check_arguments("numpy_function", func, inp, Tout)
    if func is None:
        return _decorator(lambda f, args: numpy_function(f, args, Tout, stateful, name))
    tensors = [dispatch.convert(v) for v in inp]
    if not tracing():
        results = nest.flatten(func(*[np.array(v) for v in inp]))
        converted = [None if value is None else dispatch.convert(value) for value in results]
        return converted[0] if len(converted) == 1 else converted
    several = isinstance(Tout, (list, tuple))
    kinds = [as_dtype(kind) for kind in (Tout if several else [Tout])]
    op = py_func if stateful else py_func_stateless
    outputs = op(tensors, token=Token(_ArrayCall(func, kinds)), Tout=kinds, name=name)
    return list(outputs) if several else outputs[0]


class _ArrayCall(HostFunction):
    """A function of NumPy arrays."""

    def __init__(self, func: Callable[..., Any], kinds: list[DType]) -> None:
        self._func = func
        self._kinds = kinds

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the results, which must have exactly the declared dtypes."""
        # The function may change its arguments, so it receives copies; scalars as such.
        arguments = [a.copy() if a.ndim else a[()] for a in arrays]
        try:
            results = self._func(*arguments)
        except Exception as error:
            raise _as_op_error(error) from error
        values = [] if results is None else results
        values = list(values) if isinstance(values, (list, tuple)) else [values]
        _require_count(self._func, len(values), len(self._kinds))
        return [self._array(i, value) for i, value in enumerate(values)]

    def _array(self, index: int, value: TensorLike) -> Any:
        array: Any = dispatch.base_mode().convert(np.asarray(value), None, None, None).static_value
        kind = self._kinds[index]
        if FROM_NUMPY[array.dtype] is not kind:
            raise InvalidArgumentError(
                None,
                None,
                f"{index}-th value returned by {self._func} is {FROM_NUMPY[array.dtype].name}, "
                f"but expects {kind.name}",
            )
        return array
