"""Eager mode: the op's NumPy kernel runs immediately, and its result is wrapped.

`execute` is the hottest code of the library. Per call it does only what is necessary: unwrap, look
the dtypes up among those already accepted, run, wrap, notify the recorders.
"""

from __future__ import annotations

from itertools import starmap, zip_longest
from math import copysign, prod
from operator import attrgetter
from typing import Any

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends.numpy import QUIET, set_errors, unsilence
from tapeflow._src.core import dispatch, probes, random_state
from tapeflow._src.core.composite import NotATensor, call_op
from tapeflow._src.core.dtypes import FROM_NUMPY, int32
from tapeflow._src.core.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    fmt_shape,
)
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import InferError, Op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tracebacks import filtering, shown_cause
from tapeflow._src.eager import large
from tapeflow._src.eager.conversion import convert
from tapeflow._src.eager.dtensor import meshes
from tapeflow._src.eager.packed_tensor import PackedTensor, packed_operands, run_packed
from tapeflow._src.eager.packed_tensor import wrap as wrap_packed
from tapeflow._src.eager.tensor import DEVICE, EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.kernels.strings.packed import MANY, PackedStrings

_state, _device_blocks = dispatch.state, dispatch.device_blocks
_FIRST = ("", DEVICE)
# Loaded once a call has failed.
_repairs = LazyModule("tapeflow._src.core.repairs")
_ndarray, _scalar, _asarray = np.ndarray, np.generic, np.asarray
# Mapping one of these takes half the time of a comprehension.
_array_of, _dtype_of, _shape_of = map(attrgetter, ("_array", "dtype", "shape"))
_new: Any = object.__new__
_LARGE = large.LARGE
_OBJECT = np.dtype(object)


class EagerMode:
    """Runs ops on NumPy."""

    convert = staticmethod(convert)
    graph = None

    def execute(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None
    ) -> Any:
        # The most common cases are inlined: no loops, no tuples built or unpacked.
        if not op.simple:
            return _execute(op, inputs, attrs)
        x, y = inputs[0], inputs[-1]
        if type(x) is not EagerTensor or type(y) is not EagerTensor:
            if not op.alike or len(inputs) != 2:
                return _execute(op, inputs, attrs)
            if type(x) is not EagerTensor:
                x = _operand(x, y)
            if type(y) is not EagerTensor:
                y = _operand(y, x)
            inputs = (x, y)
            if type(x) is not EagerTensor or type(y) is not EagerTensor:
                return _execute(op, inputs, attrs)
        array = x._array
        if len(inputs) == 2:
            other = y._array
            if op.accepted_pair.get(array.dtype) is not other.dtype:
                _accept_pair(op, array.dtype, other.dtype)
            if op.same_shape and array.shape != other.shape:
                _check(op, [array, other], attrs, None)
            token = set_errors(QUIET)
            try:
                if op.scales and array.size * other.size > _LARGE and _are_large(array, other):
                    result = large.run(op, (array, other), attrs)
                else:
                    run = op.run
                    result = run(xp, array, other, **attrs) if attrs else run(xp, array, other)
            except Exception as error:
                raise _explained(op, [array, other], attrs, error) from shown_cause(error)
            finally:
                unsilence(token)
        else:
            if array.dtype not in op.accepted:
                _accept(op, (array.dtype,))
                op.accepted.add(array.dtype)
            token = set_errors(QUIET)
            try:
                if op.scales and array.size > _LARGE:
                    result = large.run(op, (array,), attrs)
                else:
                    result = op.run(xp, array, **attrs) if attrs else op.run(xp, array)
            except Exception as error:
                raise _explained(op, [array], attrs, error) from shown_cause(error)
            finally:
                unsilence(token)
        if result is None:
            return _report_write(op, inputs, attrs)
        # Like `EagerTensor(result)`, which would take three times as long.
        output = _new(EagerTensor)
        if type(result) is not _ndarray:
            # NumPy returns scalars for 0-d results.
            result = _asarray(result) if isinstance(result, _scalar) else _as_array(result)
        output._array, output._id = result, None
        for recorder in _state.recorders:
            recorder.record(op, inputs, attrs, (output,))
        return output


def _execute(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Run `EagerMode.execute` for any op."""
    try:
        for value in inputs:
            kind = type(value)
            if kind is not EagerTensor and (kind is not PackedTensor or meshes.active):
                inputs = _converted(op, inputs)
                if meshes.active:
                    result = meshes.runner.run(op, inputs, attrs)
                    if result is not NotImplemented:
                        return result
                break
        packed = op.takes_packed and _may_pack(op, inputs) and packed_operands(op, inputs)
        if packed:
            arrays: Any = packed
        elif op.has_lists:
            arrays = [[t._array for t in v] if type(v) is tuple else v._array for v in inputs]
        else:
            arrays = list(map(_array_of, inputs))
    except NotATensor as error:
        return call_op(op, inputs, attrs, None, error)
    key = _dtypes_of(arrays) if op.has_lists else tuple(map(_dtype_of, arrays))
    if op.checks_shapes and op.checked:
        # `_check` in the most common case.
        try:
            shapes = tuple(map(_shape_of, arrays))
            is_accepted = (key, shapes, *attrs.values()) in op.accepted_shapes
        except TypeError:
            is_accepted = False
    else:
        is_accepted = not op.checked and key in op.accepted
    if not is_accepted:
        _accept_call(op, key, arrays, attrs)
    passed = _with_counter(op, arrays, attrs) if op.effect == "random" else attrs
    token = set_errors(QUIET)
    try:
        if packed:
            result = _run_packed(op, arrays, inputs, attrs)
        elif op.scales and _is_any_large(arrays, op.has_lists):
            result = large.run(op, arrays, attrs)
        else:
            result = op.run(xp, *arrays, **passed)
    except Exception as error:
        raise _explained(op, arrays, attrs, error) from shown_cause(error)
    finally:
        unsilence(token)
    if op.single_output:
        if type(result) is _ndarray:
            output = _new(EagerTensor)
            output._array, output._id = result, None
        else:
            output = _wrap(result)
        for recorder in _state.recorders:
            recorder.record(op, inputs, attrs, (output,))
        return output
    if result is None:
        return _report_write(op, inputs, attrs)
    outputs = tuple(map(_wrap, result))
    for recorder in _state.recorders:
        recorder.record(op, inputs, attrs, outputs)
    return outputs


def _dtypes_of(operands: list[Any]) -> tuple[Any, ...]:
    """Return the dtypes of operands, some of which are lists."""
    return tuple([tuple([a.dtype for a in v]) if type(v) is list else v.dtype for v in operands])


def _accept_call(op: Op, key: tuple[Any, ...], arrays: list[Any], attrs: dict[str, Any]) -> None:
    """Check the dtypes of a call, and its shapes if nothing else would."""
    if key not in op.accepted:
        _accept(op, key)
    if op.checked:
        _check(op, arrays, attrs, key)


def _with_counter(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a random op with the start of its stream."""
    # Each device has a stream of its own.
    kernel = None if _state.device in _FIRST else _state.device
    return {**attrs, "counter": random_state.next_counter(op, arrays, attrs, kernel)}


def _run_packed(op: Op, operands: Any, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Run a call on packed strings, or on objects if no kernel takes them."""
    result = run_packed(op, operands, attrs)
    if result is not NotImplemented:
        return result
    arrays = [[t._array for t in v] if type(v) is tuple else v._array for v in inputs]
    return op.run(xp, *arrays, **attrs)


def _are_large(array: Any, other: Any) -> bool:
    """Whether one of two arrays has many elements, or both when they are broadcast.

    Asked only if the product of their sizes is large, which bounds the size of the result.
    """
    if array.size > _LARGE or other.size > _LARGE:
        return True
    if array.shape[-other.ndim :] == other.shape or other.shape[-array.ndim :] == array.shape:
        return False
    sizes = zip_longest(array.shape[::-1], other.shape[::-1], fillvalue=1)
    return prod(starmap(max, sizes)) > _LARGE


def _is_any_large(operands: list[Any], has_lists: bool) -> bool:
    """Whether one of the first two operands, or the first of such a list, has many elements."""
    if has_lists:
        return any(_is_large(operand) for operand in operands[:2])
    if operands[0].size > _LARGE:
        return True
    return len(operands) > 1 and bool(operands[1].size > _LARGE)


def _is_large(operand: Any) -> bool:
    """Whether an array, or the first of a list, has many elements."""
    if type(operand) is list:
        return bool(operand) and operand[0].size > _LARGE
    return bool(operand.size > _LARGE)


def _converted(op: Op, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert inputs as `Op.convert_inputs` does.

    In most calls of eager mode some are tensors, and the others are Python's numbers that do not
    depend on these: indices and shapes.
    """
    tensors: list[Any] = []
    for value, kind in zip(inputs, op.kinds):
        if type(value) is EagerTensor and kind not in _LISTS:
            tensors.append(value)
        elif kind in _PREFERRED and type(value) in _PLAIN and not _device_blocks.entered:
            tensors.append(convert(value, None, _PREFERRED[kind]))
        elif kind == "Many" and type(value) is list and {*map(type, value)} == _TENSOR:
            tensors.append(tuple(value))
        else:
            return op.convert_inputs(inputs)
    return tuple(tensors)


_LISTS = frozenset({"Many", "ManyFree", "ManyIndex"})
_PREFERRED = {"Index": int32, "Static": int32, "Free": None}
_PLAIN, _TENSOR = frozenset({int, float, list, tuple}), {EagerTensor}


def _report_write(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    """Notify the recorders of a call without results, if it writes to a variable."""
    if op.effect == "writes":
        for recorder in _state.recorders:
            recorder.record(op, inputs, attrs, ())


_python_operands: dict[Any, EagerTensor] = {}
_CACHED_OPERANDS = 4096


def _operand(value: Any, other: Any) -> Any:
    """Convert a number beside a tensor to its dtype, or a variable to its value, if easy.

    Other values take the slow path.
    """
    kind = type(value)
    if kind is Variable:
        return value.value()
    if (kind is float or kind is int) and type(other) is EagerTensor:
        if value == 0 and kind is float and copysign(1.0, value) < 0:
            return value  # it equals 0.0
        key = (kind, value, other._array.dtype)
        cached = _python_operands.get(key)
        if cached is None:
            dtype = FROM_NUMPY[other._array.dtype]
            if not (dtype.is_floating or (dtype.is_integer and kind is int)):
                return value
            cached = convert(value, dtype)
            if len(_python_operands) < _CACHED_OPERANDS:
                _python_operands[key] = cached
        return cached
    return value


def _as_array(value: Any) -> Any:
    """Return a kernel's result as an array; cells of variables pass through."""
    if type(value) is bytes:
        return np.array(value, object)
    return value if hasattr(value, "value_dtype") else _asarray(value)


def _wrap(result: Any) -> EagerTensor:
    """Return the tensor of a kernel's result."""
    if type(result) is not _ndarray:
        if type(result) is PackedStrings:
            return wrap_packed(result)
        result = _as_array(result)
    tensor: EagerTensor = _new(EagerTensor)
    tensor._array, tensor._id = result, None
    return tensor


def _may_pack(op: Op, inputs: tuple[Any, ...]) -> bool:
    """Whether operands may be packed: the first one that is no handle decides, if it can."""
    for value in inputs:
        several = len(inputs) > 1
        if type(value) is tuple:
            if not value:
                continue
            several, value = True, value[0]
        if type(value) is PackedTensor:
            return True
        array = value._array
        if type(array) is _ndarray:
            strings = op.creates_strings or array.dtype is _OBJECT
            return strings and (several or array.size >= MANY)
    return False


def _accept(op: Op, key: tuple[Any, ...]) -> None:
    """Check the dtypes of a call once; later calls with the same dtypes are already accepted."""
    op.check_dtypes(
        tuple(
            tuple(FROM_NUMPY[d] for d in item) if type(item) is tuple else FROM_NUMPY[item]
            for item in key
        )
    )
    op.accepted.add(key)


def _accept_pair(op: Op, first: Any, second: Any) -> None:
    """Like `_accept`; pairs of dtypes are cached in the form that is fastest to look up."""
    if (first, second) not in op.accepted:
        _accept(op, (first, second))
    op.accepted_pair[first] = second


def specs_of(arrays: list[Any]) -> tuple[Any, ...]:
    """Return the specs for a shape rule, with every value static."""
    return tuple(
        specs_of(a) if type(a) is list else Spec(a.shape, FROM_NUMPY[a.dtype], a) for a in arrays
    )


def _check(op: Op, arrays: list[Any], attrs: dict[str, Any], dtypes: Any) -> None:
    """Run the shape rule, unless it has accepted the same dtypes, shapes, values and attributes."""
    try:
        if op.checks_shapes:
            shapes = tuple(map(_shape_of, arrays))
        else:
            shapes = tuple(map(_shape_key, arrays, op.kinds))
        key: Any = (dtypes, shapes, *attrs.values())
        if key in op.accepted_shapes:
            return
    except TypeError:  # an attribute that cannot be hashed
        key = None
    try:
        op.infer_outputs(specs_of(arrays), attrs)
    except InferError as error:
        raise _refused(op, arrays, attrs, error) from shown_cause(error)
    except OpError as error:
        raise error.named(op.name, _hint(op, arrays, attrs, error)) from None
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        # The rule failed on an attribute of an entirely wrong type.
        raise TypeError(f"{op.name} cannot take the attributes {attrs}: {error}") from error
    if key is not None:
        if len(op.accepted_shapes) >= _CACHED_SHAPES:
            op.accepted_shapes.clear()
        op.accepted_shapes.add(key)


def check(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> None:
    """Raise unless the op's shape rule accepts these arrays."""
    _check(op, arrays, attrs, _dtypes_of(arrays))


_CACHED_SHAPES = 256


def _shape_key(array: Any, kind: str) -> Any:
    if type(array) is list:
        return tuple([a.shape for a in array])
    if kind == "Static" or kind == "StaticT":
        return array.tobytes(), array.shape
    return array.shape


def _explained(op: Op, arrays: list[Any], attrs: dict[str, Any], error: Exception) -> Exception:
    """Return the error of an eager call, with its traceback starting here, not in the kernel."""
    explained = explain(op, arrays, attrs, error)
    if filtering.enabled:
        explained.__traceback__ = None
    return explained


def _refused(op: Op, arrays: list[Any], attrs: dict[str, Any], error: InferError) -> OpError:
    """Return the error of a call that the op's shape rule refused."""
    return InvalidArgumentError(None, None, str(error)).named(
        op.name, _hint(op, arrays, attrs, error)
    )


def _hint(op: Op, arrays: list[Any], attrs: dict[str, Any], error: Exception) -> str:
    """Return what to write instead of a call that failed."""
    message = error.message if isinstance(error, OpError) else str(error)
    try:
        return _repairs.repair(op, specs_of(arrays), attrs, message)
    except (AttributeError, KeyError, TypeError):
        return ""  # the arrays of an input are no arrays


_TOO_LARGE_HINT = (
    "Use a smaller shape, or compute in smaller batches; sparse data fits a tf.sparse.SparseTensor."
)
# The start of NumPy's message when an array does not fit into memory.
_TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded")


def explain(op: Op, arrays: list[Any], attrs: dict[str, Any], error: Exception) -> Exception:
    """Explain a kernel's failure: TF's error class, the op, and its inputs."""
    if isinstance(error, OpError):
        return error.named(op.name, _hint(op, arrays, attrs, error))
    if isinstance(error, MemoryError) or str(error).startswith(_TOO_LARGE):
        return ResourceExhaustedError(None, None, f"Out of memory: {error}").named(
            op.name, _TOO_LARGE_HINT
        )
    try:
        op.infer_outputs(specs_of(arrays), attrs)
    except InferError as shape_error:
        return _refused(op, arrays, attrs, shape_error)
    except OpError as op_error:
        return op_error.named(op.name, _hint(op, arrays, attrs, op_error))
    received = ", ".join(
        f"{name}: {_describe(array)}" for name, array in zip(op.input_names, arrays, strict=True)
    )
    text = f"{error}; received {received} [Op:{op.name}]"
    if isinstance(error, (ValueError, TypeError, ArithmeticError, LookupError)):
        return InvalidArgumentError(None, None, text)
    return InternalError(None, None, f"{type(error).__name__}: {text}")


def _describe(array: Any) -> str:
    if isinstance(array, list):
        return "[" + ", ".join(_describe(a) for a in array) + "]"
    return f"{FROM_NUMPY[array.dtype].name}{fmt_shape(array.shape)}"


probes.register(EagerMode, "execute", "op", lambda mode, op, *arguments: op.name)
EAGER = EagerMode()
dispatch.set_base_mode(EAGER)
